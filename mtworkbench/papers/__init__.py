"""The papers' experiments, one folder per paper, with their figures, explorers and made-up data."""
