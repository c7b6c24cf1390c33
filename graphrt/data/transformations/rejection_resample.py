"""`Dataset.rejection_resample`: elements left out until classes are distributed as wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.dataset import Dataset
from graphrt.data.methods import transformation
from graphrt.data.readers.random import random
from graphrt.data.readers.tensors import from_tensors
from graphrt.data.transformations.choose_from_datasets import directed
from graphrt.data.transformations.zip import zip_
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.creation import one_hot, ones_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.repetition import tile
from graphrt.ops.array.shape import Size, expand_dims
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import GreaterEqual
from graphrt.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from graphrt.ops.random.sampling_ops import get_seed
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import int64
from graphrt.types.likes import TensorLike

_BATCH = 32  # classes after which the estimate of a distribution is renewed
_SMOOTHING = 10  # how often each class counts as seen before the first


@transformation
def rejection_resample(
    self: Dataset, class_func: Callable[..., Any], target_dist: TensorLike, initial_dist: TensorLike | None = None,
    seed: int | None = None, name: str | None = None
) -> Dataset:  # fmt: skip
    """`(class, element)` pairs whose classes are distributed as `target_dist` says: elements are left out.

    `class_func` gives the class of an element, a number from 0 on. `initial_dist` is how the classes are
    distributed in this dataset; it is estimated while reading if it is not given.

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.range(1000).map(lambda x: x % 2)
    >>> only_ones = dataset.rejection_resample(lambda x: x, target_dist=[0.0, 1.0], initial_dist=[0.5, 0.5])
    >>> {int(c) for c, _ in only_ones}
    {1}
    """
    target = convert_to_tensor(target_dist, dtype_hint=dtypes.float32, name="target_dist")
    known = static_array(target)
    if known is not None and not (np.all(known >= 0) and np.any(known > 0)):  # no element would ever be taken
        raise ValueError(
            errors.at_user_line(
                f"`target_dist` must have a positive number and no negative one, found {known.tolist()}"
            )
        )

    def pair(*element: Tensor) -> Any:
        found = class_func(*element)
        return convert_to_tensor(found), element[0] if len(element) == 1 else element

    pairs: Any = self.map(pair)
    if initial_dist is None:
        initial: Any = _estimated(pairs.map(lambda c, _: c), target)
    else:
        initial = from_tensors(convert_to_tensor(initial_dist, dtype=target.dtype)).repeat()
    chances = initial.map(lambda p: _mixing(p, target))
    first, second = get_seed(None if seed is None else int(seed))
    seeds = [None, None] if first is None and second is None else [(first or 0) * 2 + 1, (second or 0) * 2 + 2]
    draws = [_uniform(s) for s in seeds]
    filtered = (
        zip_(chances.map(lambda accept, _: accept), draws[0], pairs)
        .filter(lambda accept, u, pair: u < gather(accept, pair[0]))
        .map(lambda accept, u, pair: pair)
    )
    choice = zip_(chances.map(lambda _, mix: mix), draws[1]).map(lambda mix, u: cast(GreaterEqual(u, mix), int64))
    return directed(choice, [pairs, filtered], True)


def _estimated(classes: Any, target: Any) -> Any:
    """For each of `classes` an estimate of how they are distributed."""
    count = Size(target)
    start = cast(ones_like(target), int64) * _SMOOTHING

    def renew(seen: Any, batch: Any) -> Any:
        hot = one_hot(batch, count, dtype=int64)
        seen = seen + reduce_sum(hot, axis=0)
        estimate = cast(seen, target.dtype) / cast(reduce_sum(seen), target.dtype)
        return seen, tile(expand_dims(estimate, 0), stack([Size(batch), 1]))

    return classes.batch(_BATCH).scan(start, renew).unbatch()


def _mixing(initial: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """How likely an element of each class is to be accepted, and what share is taken as it comes.

    A share m of the result comes from the input as it is, as long as no class has too much of it. The rest is drawn by
    rejection from what is missing, (target - m * initial), which needs fewer elements.
    """
    least = cast(np.finfo(target.dtype.as_numpy_dtype).tiny, target.dtype)
    ratio = target / Maximum(initial, least)
    share = Minimum(reduce_min(ratio), ones_like(target)[0])
    missing = (target - share * initial) / Maximum(initial, least)
    accept = missing / Maximum(reduce_max(missing), least)
    return cast(accept, dtypes.float32), cast(share, dtypes.float32)


def _uniform(seed: int) -> Dataset:
    """Numbers from 0 to 1 without end."""
    return random(seed).map(lambda word: cast(cast(word, dtypes.float64) / 2.0**32, dtypes.float32))
