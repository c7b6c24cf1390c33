"""Components of elements as arrays: scalars, rows, stacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.pipeline import Element
from graphrt.types.likes import Array


def scalar(value: Any) -> Array:
    """A string as the 0-d array that stands for a scalar."""
    out = np.empty((), object)
    out[()] = value
    return out


def rows(array: Array) -> Any:
    """An iterable of the rows of `array` as raw values."""
    if array.ndim == 1 and array.dtype == object:
        return map(scalar, array)
    return array


def dims_text(value: Any) -> str:
    return "[" + ",".join(map(str, np.shape(value))) + "]"


def stacked(column: tuple[Any, ...], position: int = 0) -> Array:
    """Values of one shape as one array; InvalidArgumentError where a shape differs."""
    first = column[0]
    if isinstance(first, np.generic):
        if all(type(v) is type(first) for v in column):
            return np.array(column, first.dtype)
    elif not isinstance(first, np.ndarray):
        raise errors.InvalidArgumentError(
            None,
            None,
            "Batching of variants is not supported: a window, or another dataset, is no tensor. Use flat_map.",
        )
    shape = first.shape
    for index, value in enumerate(column):
        if value.shape != shape:
            raise errors.InvalidArgumentError(
                None, None,
                f"Cannot batch tensors with different shapes in component {position}. First element had shape "
                f"{dims_text(first)} and element {index} had shape {dims_text(value)}.",
            )  # fmt: skip
    out = np.empty((len(column), *shape), first.dtype)
    if first.dtype == object and not shape:
        out[:] = [v.item() for v in column]
    else:
        for index, value in enumerate(column):
            out[index] = value
    return out


def stack_elements(elements: list[Element]) -> Element:
    """Elements as one, whose components have a dimension more."""
    return tuple([stacked(column, i) for i, column in enumerate(zip(*elements))])
