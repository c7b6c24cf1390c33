"""What is known about a tree: one file per analysis, results in tables keyed by node."""
