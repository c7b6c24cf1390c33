"""Masks that travel beside tensors: which time steps of a padded sequence count.

Tensors have no room for attributes, so the masks are kept here, as long as their tensors live.
"""

from __future__ import annotations

import weakref
from typing import Any

from graphrt.keras.symbolic import KerasTensor
from graphrt.types import structure

# state: weak: a mask goes with its tensor
_masks: dict[int, tuple[Any, Any]] = {}


def mask_of(tensor: Any) -> Any:
    """The mask of a tensor, or None."""
    if isinstance(tensor, KerasTensor):
        return tensor._keras_mask
    found = _masks.get(id(tensor))
    return found[1] if found is not None and found[0]() is tensor else None


def set_mask(tensor: Any, mask: Any) -> None:
    """Gives the tensor a mask; None takes it away."""
    if isinstance(tensor, KerasTensor):
        tensor._keras_mask = mask
        return
    key = id(tensor)
    if mask is None:
        _masks.pop(key, None)
        return
    try:
        reference = weakref.ref(tensor, lambda _: _masks.pop(key, None))
    except TypeError:  # an array or a number: nothing that a layer gave
        return
    _masks[key] = (reference, mask)


def masks_of(value: Any) -> Any:
    """The masks of all tensors of a structure, in that structure; None when there is none."""
    if not isinstance(value, (list, tuple, dict)):
        return mask_of(value)
    found = [mask_of(t) for t in structure.flatten(value)]
    return structure.pack_like(value, found) if any(m is not None for m in found) else None
