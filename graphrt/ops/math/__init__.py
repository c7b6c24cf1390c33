"""Numbers: arithmetic, comparison, rounding, reductions, special functions."""
