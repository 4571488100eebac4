"""The version of mtworkbench: nobody imports the whole package for it."""

__version__ = "0.2.0"
