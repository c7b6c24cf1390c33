"""Sparse tensors: the elements that are there, and where they stand.

Lowest first: `tensor` (the class, its spec, and what ops do when they are given one), `functions` (what users call),
`lookup` (embeddings by sparse ids).
"""
