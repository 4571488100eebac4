"""mtworkbench: system B scores higher than system A on this test set; may I believe it?"""
