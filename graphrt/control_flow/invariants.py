"""What users say of the shapes that variables of a loop keep: `shape_invariants`, taken apart as the variables are."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.types import structure
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape
from graphrt.types.spec import CompositeSpec, TypeSpec


def flat_invariants(given: Any, variable: Any) -> list[Any]:
    """The TensorShape of each tensor that `variable` is made of; None where nothing is said.

    `given` has the structure of `variable`; its leaves are shapes or specs, or a spec for something made of tensors.

    Raises:
      StructureMismatchError: (a TypeError and a ValueError) it has another structure.
    """
    if isinstance(given, CompositeSpec):
        return [TensorShape(s.dims) for s in given.component_specs]
    if isinstance(variable, structure.Composite):
        spec = variable.of_shape(_shape(given)) if _is_shape(given) else None
        count = len(structure.flatten(variable, expand_composites=True))
        # what holds tensors of the user's own (an object, a list) may be told of by a list of shapes
        told = structure.flatten(given) if spec is None and isinstance(given, (list, tuple)) else []
        if len(told) == count:
            return [_shape(s) for s in told]
        return [None] * count if spec is None else [TensorShape(s.dims) for s in spec.component_specs]
    if not structure.is_nested(variable):
        return [_shape(given)]
    _check(given, variable)
    parts = zip(structure.children(given), structure.children(variable))
    return [shape for (_, part), (_, value) in parts for shape in flat_invariants(part, value)]


def _is_shape(given: object) -> bool:
    return given is None or isinstance(given, (TensorShape, TypeSpec))


def _shape(given: Any) -> TensorShape:
    return TensorShape(getattr(given, "shape", given))


def _check(given: Any, variable: Any) -> None:
    """Lists and tuples stand for each other; the keys of dictionaries must be the same."""
    fits = structure.is_nested(given) and not _is_shape(given)
    if fits and isinstance(variable, (list, tuple)):
        fits = isinstance(given, (list, tuple)) and len(given) == len(variable)
    elif fits:
        fits = [key for key, _ in structure.children(given)] == [key for key, _ in structure.children(variable)]
    if not fits:
        raise errors.StructureMismatchError(
            errors.at_user_line(
                "The shape invariants of a loop must have the structure of its variables.\n"
                f"  Shape invariants: {shown(given)}\n  Variables: {shown(variable)}"
            )
        )
