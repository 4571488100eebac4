"""What is checked, whatever the format: texts, their alignment, the frame that comes of them."""
