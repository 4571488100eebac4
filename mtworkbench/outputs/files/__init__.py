"""Finding files, and reading their bytes, lines and numbers."""
