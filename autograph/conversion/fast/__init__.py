"""Native code beside the printed one: see `statements.py`."""

from autograph.conversion.fast.statements import FastPaths

__all__ = ["FastPaths"]
