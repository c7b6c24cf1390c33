"""`Dataset.enumerate`: numbers beside elements."""

from __future__ import annotations

from graphrt.data.dataset import Dataset
from graphrt.data.methods import transformation
from graphrt.data.readers.range import range_
from graphrt.data.transformations.zip import zip_
from graphrt.types.likes import TensorLike


@transformation
def enumerate_(self: Dataset, start: TensorLike = 0, name: str | None = None) -> Dataset:
    """Pairs of a number, from `start` on, and an element.

    >>> import graphrt as tf
    >>> [(i.item(), s) for i, s in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator()]
    [(5, b'a'), (6, b'b')]
    """
    return zip_(range_(start, 2**63 - 1, name=name), self, name=name)
