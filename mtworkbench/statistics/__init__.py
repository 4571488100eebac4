"""The statistics of the segments of a test set: what every test and every figure starts from."""
