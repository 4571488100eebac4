"""Tables of outputs, or of judgements alone: their columns and rows."""
