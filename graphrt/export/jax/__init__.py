"""Graphs replayed as functions of JAX: `export.to_jax`, and `jit_compile="xla"`."""
