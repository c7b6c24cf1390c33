"""Random tensors, and the counters that they come from."""
