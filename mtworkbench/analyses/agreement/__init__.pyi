"""What is public here, and where it is."""

from mtworkbench.analyses.agreement.comparing import compare_agreement as compare_agreement
from mtworkbench.analyses.agreement.comparing import measure_agreement as measure_agreement
from mtworkbench.analyses.agreement.pairs import OUTCOMES as OUTCOMES
from mtworkbench.analyses.agreement.pairs import describe_pairs as describe_pairs
from mtworkbench.analyses.agreement.pairs import tabulate_pairs as tabulate_pairs
from mtworkbench.analyses.agreement.pairs import title_pairs as title_pairs
from mtworkbench.analyses.agreement.sentences import describe_agreement as describe_agreement
from mtworkbench.analyses.agreement.sentences import describe_best as describe_best
from mtworkbench.analyses.agreement.sentences import describe_chance as describe_chance
from mtworkbench.analyses.agreement.sentences import describe_judged as describe_judged
from mtworkbench.analyses.agreement.sentences import describe_tests as describe_tests
from mtworkbench.analyses.agreement.sentences import lay_out_tests as lay_out_tests
from mtworkbench.analyses.agreement.sentences import tabulate_disagreements as tabulate_disagreements
from mtworkbench.analyses.agreement.sentences import tabulate_systems as tabulate_systems
from mtworkbench.analyses.agreement.sentences import take_judged as take_judged
from mtworkbench.analyses.agreement.sentences import title_agreement as title_agreement
