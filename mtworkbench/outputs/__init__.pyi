"""What is public here, and where it is."""

from mtworkbench.outputs.checks.frames import check_outputs as check_outputs
from mtworkbench.outputs.checks.frames import common_segments as common_segments
from mtworkbench.outputs.lm_eval import read_lm_eval as read_lm_eval
from mtworkbench.outputs.mt_metrics_eval import read_mt_metrics_eval as read_mt_metrics_eval
from mtworkbench.outputs.nbest import first_best as first_best
from mtworkbench.outputs.nbest import read_nbest as read_nbest
from mtworkbench.outputs.repairs import repair_outputs as repair_outputs
from mtworkbench.outputs.scores.mqm import read_mqm as read_mqm
from mtworkbench.outputs.scores.ratings import read_da as read_da
from mtworkbench.outputs.sgml import read_sgml as read_sgml
from mtworkbench.outputs.sgml import write_sgml as write_sgml
from mtworkbench.outputs.table import read_table as read_table
from mtworkbench.outputs.test_sets import read_test_set as read_test_set
from mtworkbench.outputs.text import read_outputs as read_outputs
from mtworkbench.outputs.wmt_jsonl import read_wmt_jsonl as read_wmt_jsonl
from mtworkbench.outputs.wmt_xml import read_wmt_xml as read_wmt_xml
