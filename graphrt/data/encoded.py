"""Elements whose types say themselves how they are stacked: extension types with an encoder.

    dataset.batch(2)     is     dataset.map(encode).batch(2).map(decode)

for elements of such types; what is encoded is tensors, which every transformation knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.function.batchable_type import stacks_by_itself
from graphrt.types import structure
from graphrt.types.spec import CompositeSpec, TensorSpec, encoder_of


def _encodes(leaf: object) -> bool:
    return isinstance(leaf, CompositeSpec) and not stacks_by_itself(leaf)


def has_encoders(spec: object) -> bool:
    """Whether elements of `spec` hold values that do not stack as their tensors do."""
    return any(map(_encodes, st.walk(spec)))


def encoded(spec: object, value: object, minimum_rank: int = 0) -> tuple[Any, ...]:
    """The leaves of an element, in order, those with an encoder as it encodes them."""
    found: list[Any] = []

    def leaf(spec: Any, value: Any) -> None:
        if _encodes(spec):
            code = encoder_of(spec).encode(spec, value, minimum_rank)
            value = tuple(structure.flatten(code))
        found.append(value)

    st.map_leaves(leaf, spec, value)
    return tuple(found)


def _decoded(spec: object, leaves: tuple[Any, ...]) -> Any:
    supply = iter(leaves)

    def leaf(spec: Any) -> Any:
        value = next(supply)
        if not _encodes(spec):
            return value
        encoder = encoder_of(spec)
        return encoder.decode(spec, structure.pack_like(encoder.encoding_specs(spec), list(value)))

    return st.map_leaves(leaf, spec)


def decode(dataset: Dataset, spec: object) -> Dataset:
    """The dataset of elements of `spec` whose leaves `dataset` has, encoded."""
    made = dataset.map(lambda *leaves: _decoded(spec, leaves))
    return transformed(made, handle_of(made), spec, "_MapDataset")


def through_codes(
    dataset: Dataset, change: Callable[[Dataset], Dataset], spec: object, minimum_rank: int = 0
) -> Dataset:
    """`change(dataset)`, whose elements are of `spec`, done to what the elements are encoded as."""
    before = dataset.element_spec

    def encode(*parts: object) -> tuple[Any, ...]:
        return encoded(before, parts if type(before) is tuple else parts[0], minimum_rank)

    made = dataset.map(encode)
    told = [_code_spec(leaf) if _encodes(leaf) else leaf for leaf in st.walk(before)]
    specs = st.map_leaves(_rowed, made.element_spec, tuple(told))
    return decode(change(transformed(made, handle_of(made), specs, "_MapDataset")), spec)


def _code_spec(leaf: CompositeSpec) -> tuple[Any, ...]:
    return tuple(structure.flatten(encoder_of(leaf).encoding_specs(leaf)))


def _rowed(found: Any, told: Any) -> Any:
    """A row of a ragged tensor that is plain itself is stacked as a ragged one."""
    return told if isinstance(found, TensorSpec) and isinstance(told, CompositeSpec) else found
