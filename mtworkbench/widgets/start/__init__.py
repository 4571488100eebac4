"""A form in place of the first cells of a notebook: choose files, read them, compare, and copy the code."""
