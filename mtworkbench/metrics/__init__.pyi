"""What is public here, and where it is."""

from mtworkbench.metrics.bleu import Bleu as Bleu
from mtworkbench.metrics.chrf import ChrF as ChrF
from mtworkbench.metrics.gtm import Gtm as Gtm
from mtworkbench.metrics.known import METRICS as METRICS
from mtworkbench.metrics.known import make_metric as make_metric
from mtworkbench.metrics.length import Length as Length
from mtworkbench.metrics.mean_score import MeanScore as MeanScore
from mtworkbench.metrics.meteor import Meteor as Meteor
from mtworkbench.metrics.nist import Nist as Nist
from mtworkbench.metrics.oracle import oracle_best as oracle_best
from mtworkbench.metrics.protocol import Metric as Metric
from mtworkbench.metrics.ter import Ter as Ter
