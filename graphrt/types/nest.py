"""`tf.nest`: structures as users make them, of every sequence and mapping that Python has.

The parts of `structure` are those that functions and loops look into; here ranges, deques, the views of dictionaries and
other sequences have parts, too.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from graphrt.types import structure as st
from graphrt.types.nesting import bounded, shown

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def is_nested(seq: object) -> bool:
    """Whether a value is a structure with parts (strings, sets, arrays and tensors are leaves).

    >>> import graphrt as tf
    >>> tf.nest.is_nested([1]), tf.nest.is_nested({}), tf.nest.is_nested(1), tf.nest.is_nested("ab")
    (True, True, False, False)
    """
    return st.is_nested(seq) or st.is_sequence(seq)


@bounded
def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """The leaves of `structure`, in the order of the sequences and of the sorted keys; a leaf alone gives a list of one.

    With `expand_composites` ragged and sparse tensors are taken apart.

    >>> import graphrt as tf
    >>> tf.nest.flatten({"b": [3, 4], "a": (1, 2)}), tf.nest.flatten(5)
    ([1, 2, 3, 4], [5])

    Raises:
      TypeError: the keys of a mapping cannot be sorted.
    """
    return list(st.walk(structure, expand_composites, is_nested))


@bounded
def pack_sequence_as(structure: object, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A structure like `structure` whose leaves are those of `flat_sequence`.

    >>> import graphrt as tf
    >>> tf.nest.pack_sequence_as({"a": 0, "b": (0, 0)}, [1, 2, 3])
    {'a': 1, 'b': (2, 3)}

    Raises:
      ValueError: the number of leaves does not fit.
      TypeError: `flat_sequence` is no sequence.
    """
    if isinstance(flat_sequence, (str, bytes)) or not isinstance(flat_sequence, collections.abc.Iterable):
        raise TypeError(
            f"Attempted to pack the values of {shown(flat_sequence)}, of type {type(flat_sequence).__name__}; "
            "flat_sequence has to be a sequence."
        )
    leaves = list(flat_sequence)
    wanted = len(flatten(structure, expand_composites))
    if wanted != len(leaves):
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had {len(leaves)} items. "
            f"Structure: {shown(structure)}, flat_sequence: {shown(leaves)}."
        )
    return st.pack(structure, iter(leaves), expand_composites, is_nested)


@bounded
def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Checks that two structures have the same form, and with `check_types` the same types of sequences.

    >>> import graphrt as tf
    >>> tf.nest.assert_same_structure([1, {"a": 2}], ["x", {"a": "y"}])

    Raises:
      StructureMismatchError: (a TypeError and a ValueError) the first difference, with its path.
    """
    st.compare(nest1, nest2, check_types, is_nested, expand_composites)


@bounded
def map_structure(func: Callable[..., Any], *structure: object, **kwargs: Any) -> Any:
    """`func` applied to corresponding leaves; the result has the form of the first structure.

    >>> import graphrt as tf
    >>> tf.nest.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]

    Args:
      check_types: whether sequences have to be of the same types; True unless said.
      expand_composites: whether ragged and sparse tensors are taken apart; False unless said.

    Raises:
      StructureMismatchError: (a TypeError and a ValueError) the structures differ.
      TypeError: `func` cannot be called.
      ValueError: there is no structure, or another keyword argument.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {shown(func)}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types, expand = kwargs.pop("check_types", True), kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    columns = [flatten(s, expand) for s in structure]
    return pack_sequence_as(structure[0], [func(*row) for row in zip(*columns)], expand)
