"""Made-up corpora and optimizers, called made up wherever they appear."""
