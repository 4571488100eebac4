"""Time ``import mtworkbench`` against ``import numpy, pandas``, each in a fresh Python, by turns."""

import statistics
import subprocess
import sys
import time

REPETITIONS = 15


def seconds(statement: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    seconds("import numpy, pandas, mtworkbench")  # files are in the system's cache from here on
    pairs = [(seconds("import numpy, pandas"), seconds("import mtworkbench")) for _ in range(REPETITIONS)]
    base, ours = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"import numpy, pandas: {base:.3f} s")
    print(f"import mtworkbench:   {ours:.3f} s, {ours / base:.2f} of it (at most 1.2)")
