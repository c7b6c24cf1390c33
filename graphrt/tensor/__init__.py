"""Tensors, what becomes one, and the one door that every op passes: run now, or recorded in the graph being traced."""
