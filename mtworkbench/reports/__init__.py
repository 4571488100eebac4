"""A result as one file: a page that a reviewer can read, and what is needed to compute the result again."""
