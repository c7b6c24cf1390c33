"""Tensors as arrays: made, asked for their shape, cut, picked from, joined, padded, sorted."""
