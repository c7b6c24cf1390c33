"""`Dataset.sample_from_datasets`: elements of several datasets, chosen at random."""

from __future__ import annotations

from collections.abc import Sequence

from graphrt import errors
from graphrt.data.dataset import Dataset, checked_dataset
from graphrt.data.methods import source
from graphrt.data.readers.random import random
from graphrt.data.readers.tensors import from_tensors
from graphrt.data.transformations.choose_from_datasets import directed
from graphrt.data.transformations.zip import zip_
from graphrt.ops.array.shape import expand_dims, reshape
from graphrt.ops.math.elementwise import Log
from graphrt.ops.random.distributions import stateless_categorical
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types import dtype as dtypes
from graphrt.types.likes import TensorLike


@source
def sample_from_datasets(
    datasets: Sequence[Dataset], weights: TensorLike | None = None, seed: int | None = None,
    stop_on_empty_dataset: bool = False, rerandomize_each_iteration: bool | None = None
) -> Dataset:  # fmt: skip
    """Elements of several datasets, each time of one chosen at random with probabilities `weights`.

    >>> import graphrt as tf
    >>> parts = [tf.data.Dataset.from_tensors(i).repeat(50) for i in range(2)]
    >>> mixed = tf.data.Dataset.sample_from_datasets(parts, weights=[0.5, 0.5], seed=3)
    >>> len(list(mixed))
    100

    Raises:
      ValueError: there is no dataset, or the number of weights does not fit.
      TypeError: the datasets differ in their elements.
    """
    parts = list(datasets)
    if not parts:
        raise ValueError(errors.at_user_line("Invalid `datasets`. `datasets` should not be empty."))
    if len(parts) == 1:
        return checked_dataset(parts[0])
    if isinstance(weights, Dataset):
        chances = weights
    else:
        values = [1.0 / len(parts)] * len(parts) if weights is None else weights
        tensor = values if isinstance(values, Tensor) else convert_to_tensor(values, dtype_hint=dtypes.float32)
        if tensor.dims is not None and tensor.dims != (len(parts),):
            raise ValueError(
                errors.at_user_line(
                    f"Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is "
                    f"{tensor.shape}."
                )
            )
        known = static_array(tensor)
        if known is not None:  # what is never chosen never ends either
            if not any(w > 0 for w in known.tolist()):
                raise ValueError(
                    errors.at_user_line(
                        f"Invalid `weights`. One of `weights` must be positive, found {known.tolist()}."
                    )
                )
            parts = [p for p, w in zip(parts, known.tolist()) if w > 0]
            if len(parts) == 1:
                return checked_dataset(parts[0])
            tensor = convert_to_tensor([w for w in known.tolist() if w > 0], dtype=tensor.dtype)
        chances = from_tensors(tensor).repeat()
    draws = random(seed, rerandomize_each_iteration).batch(2)

    def choose(chance: Tensor, words: Tensor) -> Tensor:
        drawn = stateless_categorical(expand_dims(Log(chance), 0), 1, words)
        return reshape(drawn, [])

    return directed(zip_(chances, draws).map(choose), parts, stop_on_empty_dataset)
