"""`Dataset.ignore_errors`: the elements that can be made."""

from __future__ import annotations

from collections.abc import Iterator

from graphrt import errors
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import dataset_op
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import UNKNOWN, Element, Run, Source, Wrapping


class IgnoreErrors(Wrapping):
    """The elements that can be had without an error."""

    __slots__ = ("log",)

    def __init__(self, input: Source, log: bool) -> None:
        super().__init__(input)
        self.log = log

    def open(self, run: Run) -> Iterator[Element]:
        elements = self.input.open(run)
        while True:
            try:
                element = next(elements)
            except StopIteration:
                return
            except Exception as error:
                if self.log:
                    errors.warn(f"Error raised with error message {error}", RuntimeWarning)
                continue
            yield element

    def count(self) -> int:
        return UNKNOWN


IgnoreErrorsDataset = dataset_op(
    "IgnoreErrorsDataset", "input_dataset: variant",
    lambda x, *, log_warning: IgnoreErrors(x, log_warning), "log_warning: bool = False", metadata=False,
)  # fmt: skip


@transformation
def ignore_errors(self: Dataset[T], log_warning: bool = False, name: str | None = None) -> Dataset[T]:
    """The elements that can be made without an error.

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices(["1", "x", "3"]).map(lambda s: tf.strings.to_number(s))
    >>> list(dataset.ignore_errors().as_numpy_iterator())
    [np.float32(1.0), np.float32(3.0)]
    """
    return same_elements(self, IgnoreErrorsDataset, "_IgnoreErrorsDataset", log_warning=log_warning, name=name)
