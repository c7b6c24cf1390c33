"""Automatic differentiation: `tf.autodiff`."""

from graphrt.autodiff.forward import ForwardAccumulator
from graphrt.autodiff.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
