"""The workbench from a terminal, where no notebook is at hand.

Exit status: 0 whatever the verdict; 1 if a script has asked for it (``compare --fail-if``, ``check --strict``); 2 for
bad input or usage, told in one sentence on standard error; 130 when interrupted; 1, with a traceback, only for a defect
of the workbench.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line by default.

    Returns
    -------
    int
        The exit status.
    """
    try:
        # To import the program takes longer than many need to press Ctrl-C, so this module imports nothing before.
        if arguments is None:  # this is a process of its own
            from mtworkbench.cli.quick_start import start_quickly

            start_quickly()
        from mtworkbench.cli.program import run

        return run(arguments)
    except KeyboardInterrupt:
        from mtworkbench.cli.streams import tell

        tell("interrupted.")
        return 130
