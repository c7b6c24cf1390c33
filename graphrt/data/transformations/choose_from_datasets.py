"""`Dataset.choose_from_datasets`: elements of several datasets, each time of the one that another names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of, put_together
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import source
from graphrt.data.pipeline import INFINITE, UNKNOWN, Run, Source
from graphrt.types.dtype import int64
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec


class Directed(Source):
    """Elements of several inputs, each time of the one that a selector names."""

    __slots__ = ("parts", "selector", "stop_on_empty")

    def __init__(self, selector: Source, parts: list[Source], stop_on_empty: bool) -> None:
        self.selector = selector
        self.parts = parts
        self.stop_on_empty = stop_on_empty

    def inputs(self) -> tuple[Source, ...]:
        return (self.selector, *self.parts)

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        open_parts: list[Any] = [guarded(p.open(run)) for p in self.parts]
        left = len(open_parts)
        for chosen in guarded(self.selector.open(run)):
            if type(chosen) is Failed:
                yield chosen
                continue
            (choice,) = chosen
            if not 0 <= choice < len(open_parts):
                text = f"Selector index out of range: {choice} >= {len(open_parts)}"
                yield Failed(errors.InvalidArgumentError(None, None, text))
                continue
            part = open_parts[choice]
            if part is None:
                continue
            try:
                element = next(part)
            except StopIteration:
                if self.stop_on_empty:
                    return
                open_parts[choice] = None
                left -= 1
                if left == 0:
                    return
                continue
            yield element

    def count(self) -> int:
        endless = [p.count() == INFINITE for p in self.parts]
        return INFINITE if (all if self.stop_on_empty else any)(endless) else UNKNOWN


DirectedInterleaveDataset = dataset_op(
    "DirectedInterleaveDataset", "selector_input_dataset: variant, data_input_datasets: N * variant",
    lambda selector, parts, *, stop_on_empty_dataset: Directed(selector, parts, stop_on_empty_dataset),
    "N: int >= 1; stop_on_empty_dataset: bool = False", metadata=False,
)  # fmt: skip


def directed(choice: Dataset, parts: list[Any], stop: bool) -> Dataset:
    """Elements of `parts`, each time of the one that `choice` names."""
    for part in parts:
        errors.expect(part, Dataset, "datasets", "a list of datasets")
    spec = parts[0].element_spec
    for i, part in enumerate(parts):
        found = st.common_spec(spec, part.element_spec)
        if found is None:
            raise TypeError(
                errors.at_user_line(
                    f"Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec="
                    f"{shown(parts[0].element_spec)}.\n Dataset {i} element_spec={shown(part.element_spec)}"
                )
            )
        spec = found
    handle = DirectedInterleaveDataset(
        handle_of(choice), [handle_of(p) for p in parts], stop_on_empty_dataset=bool(stop),
        **st.output_attrs(spec),
    )  # fmt: skip
    return put_together(parts, handle, spec, "_DirectedInterleaveDataset")


@source
def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
) -> Dataset:
    """Elements of several datasets, each time of the one that `choice_dataset` (int64 scalars) names.

    >>> import graphrt as tf
    >>> parts = [tf.data.Dataset.from_tensors(s).repeat() for s in ("a", "b")]
    >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
    >>> list(tf.data.Dataset.choose_from_datasets(parts, choice).as_numpy_iterator())
    [b'a', b'b', b'b']

    Raises:
      ValueError: there is no dataset.
      TypeError: the choice is no int64 scalar, or the datasets differ in their elements.
    """
    parts = list(datasets)
    if not parts:
        raise ValueError(errors.at_user_line("Invalid `datasets`. `datasets` should not be empty."))
    if not isinstance(choice_dataset, Dataset):
        raise TypeError(
            errors.at_user_line(
                f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        )
    if not st.compatible_spec(choice_dataset.element_spec, TensorSpec([], int64)):
        raise TypeError(
            errors.at_user_line(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{shown(choice_dataset.element_spec)}."
            )
        )
    return directed(choice_dataset, parts, stop_on_empty_dataset)
