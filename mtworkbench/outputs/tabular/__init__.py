"""Tables: their columns and rows, with texts or with judgements alone."""
