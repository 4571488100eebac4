"""Run a command, and write as JSON into a file what it took: in a small process of its own.

    python launch.py FILE LIMIT COMMAND [ARGUMENT ...]

Linux counts the memory of the process that starts a command as the command's, too, so that process must be small. After
LIMIT seconds the command is killed, with all processes that it has started.
"""

import json
import os
import signal
import sys
import time

if __name__ == "__main__":
    file, limit, *command = sys.argv[1:]
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ, setpgroup=0)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(process, signal.SIGKILL))
    signal.alarm(int(limit))
    _, status, used = os.wait4(process, 0)
    took = {"seconds": time.perf_counter() - started, "cpu": used.ru_utime + used.ru_stime}
    took |= {"mebibytes": used.ru_maxrss / 1024, "status": os.waitstatus_to_exitcode(status)}
    with open(file, "w", encoding="ascii") as written:
        json.dump(took, written)
