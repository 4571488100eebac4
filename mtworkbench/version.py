"""The version of mtworkbench: nobody imports the whole package for it."""

__version__ = "0.1.0"
