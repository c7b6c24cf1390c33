"""Matrices: products, factorizations, systems, norms."""
