"""`tf.linalg.experimental`."""

from graphrt.linear_operators.iterative import conjugate_gradient

__all__ = ["conjugate_gradient"]
