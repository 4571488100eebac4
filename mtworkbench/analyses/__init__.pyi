"""What is public here, and where it is."""

from mtworkbench.analyses import agreement as agreement
from mtworkbench.analyses import influence as influence
from mtworkbench.analyses import rules as rules
from mtworkbench.analyses import segments as segments
from mtworkbench.analyses import specification_curve as specification_curve
from mtworkbench.analyses import units as units
from mtworkbench.analyses.agreement import compare_agreement as compare_agreement
from mtworkbench.analyses.agreement import measure_agreement as measure_agreement
from mtworkbench.analyses.doubts import examine_doubts as examine_doubts
from mtworkbench.analyses.influence import find_decisive_units as find_decisive_units
from mtworkbench.analyses.influence import grow_test_set as grow_test_set
from mtworkbench.analyses.influence import leave_out_units as leave_out_units
from mtworkbench.analyses.influence import simulate_peeking as simulate_peeking
from mtworkbench.analyses.inspections import inspect_outputs as inspect_outputs
from mtworkbench.analyses.judgements import tabulate_judgements as tabulate_judgements
from mtworkbench.analyses.segments import bucket_segments as bucket_segments
from mtworkbench.analyses.segments import list_segments as list_segments
from mtworkbench.analyses.segments import segment_contributions as segment_contributions
from mtworkbench.analyses.single_runs import compare_single_runs as compare_single_runs
from mtworkbench.analyses.units import compare_units as compare_units
from mtworkbench.analyses.units import describe_units as describe_units
from mtworkbench.analyses.units import summarize_units as summarize_units
