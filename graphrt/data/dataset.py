"""`Dataset`: a pipeline that makes elements one by one.

>>> import graphrt as tf
>>> dataset = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0).map(lambda x: x * x).batch(2)
>>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
[[0, 4], [16]]

What all datasets are stands here; each transformation is a file in `transformations/`, what begins a pipeline one in
`readers/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.iterator import Iterator, NumpyIterator, make_iterator
from graphrt.data.methods import Methods, T
from graphrt.data.options import Options
from graphrt.data.pipeline import INFINITE, UNKNOWN, Source
from graphrt.ir.op import provide
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.types import dtype as dtypes
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape
from graphrt.types.structure import Stream

if TYPE_CHECKING:
    from graphrt.ir.op import OpDef
    from graphrt.tensor.func_graph import FuncGraph
    from graphrt.types.spec import TensorSpec

AUTOTUNE = -1
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN


class DatasetSpec(st.HandleSpec):
    """The static type of a dataset whose elements are of `element_spec`.

    >>> import graphrt as tf
    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ()
    __saved_number__ = 5  # DATA_DATASET_SPEC

    def __init__(self, element_spec: object, dataset_shape: TensorLike = ()) -> None:
        super().__init__(element_spec)

    def __saved_form__(self) -> tuple[str, tuple[object, ...]]:
        """The name and the state under which a saved signature holds the spec."""
        return "DatasetSpec", (self._element_spec, TensorShape([]))

    @property
    def value_type(self) -> type:
        """Dataset."""
        return Dataset

    def from_components(self, components: list[Any]) -> Dataset:
        """The dataset behind a handle."""
        return Dataset(components[0], self._element_spec)


@provide
def saved_dataset_spec(name: str, state: tuple[object, ...]) -> DatasetSpec:
    """The spec that a saved signature holds under `name`."""
    spec: DatasetSpec = DatasetSpec.of_saved_form(state)
    return spec


class Dataset(Methods[T], Stream):
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

    __slots__ = ("__weakref__", "_element_spec", "_label", "_options_attr", "_variant_tensor")

    def __init__(self, variant_tensor: Any, element_spec: Any = None, label: str = "_VariantDataset") -> None:
        if getattr(variant_tensor, "dtype", None) is not dtypes.variant:
            raise errors.unexpected(variant_tensor, "variant_tensor", "the variant tensor of a dataset")
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._label = label
        self._options_attr = Options()

    # --- what it is ---
    @property
    def element_spec(self) -> Any:
        """The spec of the elements: a structure of `TensorSpec`s (and `DatasetSpec`s, ...)."""
        return self._element_spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec)

    def options(self) -> Options:
        """The options of this dataset and of those it is made of."""
        return self._options_attr

    def components(self) -> list[Any]:
        """The handle."""
        return [self._variant_tensor]

    def with_components(self, components: list[Any]) -> Dataset:
        """The dataset behind another handle."""
        return transformed(self, components[0], self._element_spec, "_VariantDataset")

    def __repr__(self) -> str:
        return f"<{self._label} element_spec={self._element_spec!r}>"

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not isinstance(self._variant_tensor, EagerTensor):
            raise TypeError(
                errors.at_user_line("`tf.data.Dataset` only supports `len` in eager mode: use `cardinality()` instead.")
            )
        count = source_of(self).count()
        if count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return count

    # --- iterating ---
    def __iter__(self) -> Iterator[T]:
        return make_iterator(self._variant_tensor, self._element_spec)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as NumPy values.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices([1, 2]).as_numpy_iterator())
        [np.int32(1), np.int32(2)]

        Raises:
          TypeError: an element holds something else than tensors.
          RuntimeError: a graph is being traced.
        """
        if current_graph() is not None:
            raise RuntimeError(
                errors.at_user_line(
                    "as_numpy_iterator() is not supported while tracing tf.functions: loop over the dataset."
                )
            )
        return NumpyIterator(self)


Transformation = Callable[[Dataset], Dataset]


def handle_of(dataset: Dataset) -> Tensor:
    """The handle of a dataset: a tensor of dtype variant."""
    errors.expect(dataset, Dataset, "dataset", "a tf.data.Dataset")
    return dataset._variant_tensor


def source_of(dataset: Dataset) -> Source:
    """What stands behind the handle of a dataset outside of graphs."""
    errors.expect(dataset, Dataset, "dataset", "a tf.data.Dataset")
    source: Source = raw_of(dataset._variant_tensor)
    return source


def transformed(dataset: Dataset, handle: TensorLike, spec: object, label: str) -> Dataset:
    """What `dataset` has become: elements of `spec`; `label` is what it calls itself."""
    made = Dataset(handle, spec, label)
    made._options_attr = dataset._options_attr
    return made


def same_elements(
    dataset: Dataset[T], op: OpDef, label: str, *inputs: TensorLike, name: str | None = None,
    **attrs: FuncGraph | bool | str
) -> Dataset[T]:  # fmt: skip
    """`dataset` through an op that keeps the type of the elements."""
    handle = op(dataset._variant_tensor, *inputs, name=name, **attrs, **st.output_attrs(dataset._element_spec))
    return transformed(dataset, handle, dataset._element_spec, label)


def put_together(
    parts: Iterable[Dataset], handle: TensorLike,
    spec: TensorSpec | tuple[TensorSpec | tuple[TensorSpec, TensorSpec], ...], label: str
) -> Dataset:  # fmt: skip
    """A dataset made of several, with the options of all."""
    made = Dataset(handle, spec, label)
    for part in parts:
        made._options_attr = made._options_attr.merge(part._options_attr)
    return made


def set_options(dataset: Dataset, options: Options) -> None:
    """Gives a dataset that nobody has seen yet the options `options` besides those it has."""
    dataset._options_attr = dataset._options_attr.merge(options)


def checked_dataset(value: Dataset) -> Dataset:
    """`value`, if it is a dataset; TypeError otherwise."""
    if not isinstance(value, Dataset):
        raise TypeError(errors.at_user_line(f"expected a tf.data.Dataset, found {shown(value)}"))
    return value


__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec"]


def variant_of(dataset: Dataset) -> Tensor:
    """The handle of a dataset, which ops on datasets take."""
    return dataset._variant_tensor
