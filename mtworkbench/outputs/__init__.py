"""Files in, one tidy frame of system outputs out: one module a format, the same columns and checks for all."""

from mtworkbench.outputs.checks import check_outputs
from mtworkbench.outputs.common import common_segments
from mtworkbench.outputs.mt_metrics_eval import read_mt_metrics_eval
from mtworkbench.outputs.nbest import read_nbest
from mtworkbench.outputs.sgml import read_sgml
from mtworkbench.outputs.sgml_writing import write_sgml
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs, read_outputs
from mtworkbench.outputs.wmt_xml import read_wmt_xml

__all__ = [
    "check_outputs",
    "common_segments",
    "make_outputs",
    "read_mt_metrics_eval",
    "read_nbest",
    "read_outputs",
    "read_sgml",
    "read_table",
    "read_wmt_xml",
    "write_sgml",
]
