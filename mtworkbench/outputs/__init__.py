"""Files in, one tidy frame of system outputs out: one module a format, the same columns and checks for all."""

from mtworkbench.outputs.checks import check_outputs
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs, read_outputs

__all__ = ["check_outputs", "make_outputs", "read_outputs", "read_table"]
