"""How often tests err and intervals cover, measured: `python -m benchmarks.calibration`."""
