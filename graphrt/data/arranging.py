"""Order and number of elements; several datasets as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.data import declarations as d
from graphrt.data import structure as st
from graphrt.data.base import (
    DatasetBase,
    as_long,
    checked_dataset,
    merged_options,
    new_dataset,
)
from graphrt.data.making import Making, seeds_of
from graphrt.ir.op import ops
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import int64
from graphrt.types.spec import TensorSpec

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset


class Arranging(DatasetBase):
    """The methods that choose elements, and the order in which they come."""

    __slots__ = ()

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True, name: str | None = None
    ) -> Dataset:
        """The elements in random order: each time one of `buffer_size` that wait.

        With a `seed` the order is always the same, iteration by iteration; each iteration has another one unless
        `reshuffle_each_iteration` is False.

        >>> import graphrt as tf
        >>> a, b = (list(tf.data.Dataset.range(9).shuffle(9, seed=1).as_numpy_iterator()) for _ in range(2))
        >>> a == b, sorted(a) == list(range(9))
        (True, True)

        Raises:
          InvalidArgumentError: the size is not positive.
        """
        again = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        seeds, generator = seeds_of(seed, again)
        return self._same(
            d.ShuffleDatasetV3, "_ShuffleDataset", as_long(buffer_size, "buffer_size"), *seeds, generator,
            reshuffle_each_iteration=again, name=name,
        )  # fmt: skip

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times over; without end when it is None or -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(2).repeat(2).as_numpy_iterator()]
        [0, 1, 0, 1]
        """
        return self._same(
            d.RepeatDataset, "_RepeatDataset", as_long(-1 if count is None else count, "count"), name=name
        )

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements; all, when it is -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(9).take(2).as_numpy_iterator()]
        [0, 1]
        """
        return self._same(d.TakeDataset, "_TakeDataset", as_long(count, "count"), name=name)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements after the first `count`; none, when it is -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(4).skip(2).as_numpy_iterator()]
        [2, 3]
        """
        return self._same(d.SkipDataset, "_SkipDataset", as_long(count, "count"), name=name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every `num_shards`-th element, beginning with number `index`.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(7).shard(3, 1).as_numpy_iterator()]
        [1, 4]

        Raises:
          InvalidArgumentError: the index is not below the number of shards.
        """
        numbers = [as_long(num_shards, "num_shards"), as_long(index, "index")]
        return self._same(d.ShardDataset, "_ShardDataset", *numbers, name=name)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, from `start` on, and an element.

        >>> import graphrt as tf
        >>> [(i.item(), s) for i, s in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator()]
        [(5, b'a'), (6, b'b')]
        """
        return Arranging.zip(Making.range(start, 2**63 - 1, name=name), self, name=name)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(3)).as_numpy_iterator()]
        [0, 1, 0, 1, 2]

        Raises:
          TypeError: the elements differ in structure or dtype.
        """
        spec = st.common_spec(self._element_spec, dataset._element_spec)
        if spec is None:
            raise TypeError(
                errors.at_user_line(
                    f"Incompatible dataset elements:\n  {self._element_spec!r} vs.   {dataset._element_spec!r}"
                )
            )
        handle = d.ConcatenateDataset(self._variant_tensor, dataset._variant_tensor, name=name, **st.output_attrs(spec))
        return self._made(handle, spec, "_ConcatenateDataset")

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Elements of several datasets side by side, as long as the shortest: `zip(a, b)`, or `zip({"x": a, "y": b})`.

        >>> import graphrt as tf
        >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
        >>> [(x.item(), y.item()) for x, y in tf.data.Dataset.zip(a, b).as_numpy_iterator()]
        [(0, 5), (1, 6)]

        Raises:
          TypeError: something is no dataset.
        """
        if not args and datasets is None:
            raise TypeError(errors.at_user_line("Must pass at least one dataset to `zip`."))
        if args and datasets is not None:
            raise TypeError(errors.at_user_line("Both `*args` and `datasets` cannot be set."))
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        parts = list(st.walk(given))
        for part in parts:
            if not isinstance(part, DatasetBase):
                listed = " Nested lists are not supported. Try using a tuple instead." if isinstance(part, list) else ""
                raise TypeError(
                    errors.at_user_line(
                        "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                        f"objects but encountered object of type {type(part)}.{listed}"
                    )
                )
        spec = st.map_leaves(lambda part: part._element_spec, given)
        handle = d.ZipDataset([p._variant_tensor for p in parts], name=name, **st.output_attrs(spec))
        made = new_dataset(handle, spec, "_ZipDataset")
        made._options_attr = merged_options(parts)
        return made

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True) -> Dataset:
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
        if not isinstance(choice_dataset, DatasetBase):
            raise TypeError(
                errors.at_user_line(
                    f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                    f"{type(choice_dataset)}."
                )
            )
        if not st.compatible_spec(choice_dataset._element_spec, TensorSpec([], int64)):
            raise TypeError(
                errors.at_user_line(
                    "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                    f"{choice_dataset._element_spec!r}."
                )
            )
        return directed(choice_dataset, parts, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
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
        if isinstance(weights, DatasetBase):
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
                parts = [p for p, w in zip(parts, known.tolist()) if w > 0]
                if len(parts) == 1:
                    return checked_dataset(parts[0])
                tensor = convert_to_tensor([w for w in known.tolist() if w > 0], dtype=tensor.dtype)
            chances = Making.from_tensors(tensor).repeat()
        draws = Making.random(seed, rerandomize_each_iteration).batch(2)

        def choose(chance: Any, words: Any) -> Any:
            drawn = ops.stateless_categorical(ops.expand_dims(ops.Log(chance), 0), 1, words)
            return ops.reshape(drawn, [])

        return directed(Arranging.zip(chances, draws).map(choose), parts, stop_on_empty_dataset)

    def unique(self, name: str | None = None) -> Dataset:
        """The elements, each the first time it comes.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        return self._same(d.UniqueDataset, "_UniqueDataset", name=name)


def directed(choice: Dataset, parts: list[Any], stop: bool) -> Dataset:
    """Elements of `parts`, each time of the one that `choice` names."""
    spec = parts[0]._element_spec
    for i, part in enumerate(parts):
        found = st.common_spec(spec, part._element_spec)
        if found is None:
            raise TypeError(
                errors.at_user_line(
                    f"Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec="
                    f"{parts[0]._element_spec!r}.\n Dataset {i} element_spec={part._element_spec!r}"
                )
            )
        spec = found
    handle = d.DirectedInterleaveDataset(
        choice._variant_tensor, [p._variant_tensor for p in parts], stop_on_empty_dataset=bool(stop),
        **st.output_attrs(spec),
    )  # fmt: skip
    made = new_dataset(handle, spec, "_DirectedInterleaveDataset")
    made._options_attr = merged_options(parts)
    return made
