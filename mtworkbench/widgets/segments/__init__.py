"""The segments of a test set with what they contribute, as pages in a notebook."""
