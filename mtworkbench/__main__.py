"""``python -m mtworkbench`` is the program ``mtworkbench``."""

import sys

from mtworkbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
