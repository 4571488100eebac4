"""Files: which are meant, their bytes, the lines and the numbers in them."""
