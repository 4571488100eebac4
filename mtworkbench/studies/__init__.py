"""The papers' experiments, one folder or module per paper: tidy frames, one row per mark."""
