"""Files in, one tidy frame of system outputs out: one module a format, the same columns and checks for all."""
