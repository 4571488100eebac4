"""What users run on their own data: tidy frames with one row per mark, and sentences."""
