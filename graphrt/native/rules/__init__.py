"""How ops become steps: one module for each kind of op, which enters its rules when it is imported."""

from __future__ import annotations

from graphrt.native.rules import arrays, complex_numbers, control, elementwise, lists, places, products, reductions

__all__ = ["arrays", "complex_numbers", "control", "elementwise", "lists", "places", "products", "reductions"]
