"""`Dataset`: a pipeline that makes elements one by one.

>>> import graphrt as tf
>>> dataset = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0).map(lambda x: x * x).batch(2)
>>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
[[0, 4], [16]]
"""

from __future__ import annotations

from graphrt.data.arranging import Arranging
from graphrt.data.base import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, DatasetSpec
from graphrt.data.batches import Batches
from graphrt.data.keeping import Keeping
from graphrt.data.making import Making
from graphrt.data.resampling import Resampling
from graphrt.data.saving import Saving


class Dataset(Making, Resampling, Batches, Arranging, Keeping, Saving):
    """A sequence of elements of one spec, made when somebody iterates.

    Made by the static methods (`range`, `from_tensor_slices`, ...), changed by the others, each of which gives a new
    dataset. Iterate with `for`, or inside a traced function, where the loop becomes one node whatever the number of
    elements.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * x).batch(2)
    >>> [batch.tolist() for batch in ds.as_numpy_iterator()]
    [[1, 4], [9]]
    >>> ds.element_spec
    TensorSpec(shape=(None,), dtype=tf.int32, name=None)
    """

    __slots__ = ()


__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec"]
