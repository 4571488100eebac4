"""The papers' experiments, one folder or module a paper: tidy frames, one row a mark."""
