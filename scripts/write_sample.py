"""Write the small made-up sample of the notebooks: python scripts/write_sample.py [FOLDER], else into data/sample."""

import sys
from pathlib import Path

from mtworkbench.simulation.sample import make_sample, write_sample

SAMPLE_FOLDER = Path(__file__).parent.parent / "data" / "sample"

if __name__ == "__main__":
    write_sample(make_sample(), Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE_FOLDER)
