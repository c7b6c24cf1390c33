"""Masks that travel with tensors, as their attribute `_keras_mask`: which time steps of a padded sequence count."""

from __future__ import annotations

from typing import Any

from graphrt.types import structure


def mask_of(tensor: object) -> Any:
    """The mask of a tensor, or None."""
    return getattr(tensor, "_keras_mask", None)


def set_mask(tensor: Any, mask: Any) -> None:
    """Gives the tensor a mask; None takes it away."""
    try:
        tensor._keras_mask = mask
    except AttributeError:  # an array or a number: nothing that a layer gave
        return


def masks_of(value: object) -> Any:
    """The masks of all tensors of a structure, in that structure; None when there is none."""
    if not isinstance(value, (list, tuple, dict)):
        return mask_of(value)
    found = [mask_of(t) for t in structure.flatten(value)]
    return structure.pack_like(value, found) if any(m is not None for m in found) else None
