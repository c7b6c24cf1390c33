"""What all datasets are, and how their functions are traced; the methods stand in files by family."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.data import declarations as d
from graphrt.data import structure as st
from graphrt.data.gradients import tell_of_variables
from graphrt.data.iterator import Iterator, NumpyIterator, make_iterator
from graphrt.data.options import Options
from graphrt.data.traced import Traced, trace
from graphrt.ir.op import ops
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, static_array
from graphrt.types.dtype import bool_, int64, string
from graphrt.types.structure import Stream

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def new_dataset(handle: Any, spec: Any, label: str) -> Dataset:
    """The dataset behind `handle`, whose elements are of `spec`; `label` is what it calls itself."""
    from graphrt.data.dataset import Dataset  # the class is put together of the families, which need this

    return Dataset(handle, spec, label)


class DatasetSpec(st.HandleSpec):
    """The static type of a dataset whose elements are of `element_spec`.

    >>> import graphrt as tf
    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ()

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)

    @property
    def value_type(self) -> type:
        """Dataset."""
        from graphrt.data.dataset import Dataset  # as above

        return Dataset

    def from_components(self, components: list[Any]) -> Dataset:
        """The dataset behind a handle."""
        return new_dataset(components[0], self._element_spec, "_VariantDataset")


def as_long(value: Any, name: str) -> Any:
    """A count as an int64 scalar tensor."""
    if isinstance(value, Tensor) and value.dtype is not int64:
        return ops.cast(value, int64)
    try:
        return convert_to_tensor(value, dtype=int64, name=name)
    except (TypeError, ValueError) as error:
        raise TypeError(errors.at_user_line(f"{name} must be an integer, found {value!r}: {error}")) from None


def as_flag(value: Any, name: str) -> Any:
    """A flag as a bool scalar tensor."""
    return convert_to_tensor(value, dtype=bool_, name=name)


def as_text(value: Any, name: str) -> Any:
    """A string scalar tensor; None is the empty string."""
    return convert_to_tensor("" if value is None else value, dtype=string, name=name)


def number_of(tensor: Any) -> Any:
    """The value of a scalar tensor as a Python number, if it is known now."""
    array = static_array(tensor)
    return None if array is None else np.asarray(array).item()


def order_attr(deterministic: bool | None) -> str:
    """How nodes write whether parallel work keeps its order."""
    return "default" if deterministic is None else "true" if deterministic else "false"


class DatasetBase(Stream):
    """What all datasets are: a handle, and the spec of the elements."""

    __slots__ = ("__weakref__", "_element_spec", "_label", "_options_attr", "_variant_tensor")

    def __init__(self, variant_tensor: Any, element_spec: Any = None, label: str = "_VariantDataset") -> None:
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

    def components(self) -> list[Any]:
        """The handle."""
        return [self._variant_tensor]

    def with_components(self, components: list[Any]) -> Dataset:
        """The dataset behind another handle."""
        made = new_dataset(components[0], self._element_spec, "_VariantDataset")
        made._options_attr = self._options_attr
        return made

    def _made(self, handle: Any, spec: Any, label: str) -> Dataset:
        made = new_dataset(handle, spec, label)
        made._options_attr = self._options_attr
        return made

    def _same(self, op: Any, label: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Dataset:
        """The dataset of an op that keeps the type of the elements."""
        handle = op(self._variant_tensor, *inputs, name=name, **attrs, **st.output_attrs(self._element_spec))
        return self._made(handle, self._element_spec, label)

    def __repr__(self) -> str:
        return f"<{self._label} element_spec={self._element_spec!r}>"

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not isinstance(self._variant_tensor, EagerTensor):
            raise TypeError(
                errors.at_user_line("`tf.data.Dataset` only supports `len` in eager mode: use `cardinality()` instead.")
            )
        count: int = self._variant_tensor._value.count()
        if count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return count

    def cardinality(self) -> Any:
        """The number of elements as an int64 scalar: INFINITE_CARDINALITY and UNKNOWN_CARDINALITY are negative.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(10).batch(3).cardinality().numpy()
        np.int64(4)
        """
        return d.DatasetCardinality(self._variant_tensor)

    # --- iterating ---
    def __iter__(self) -> Iterator:
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

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(4).batch(4).get_single_element().numpy().tolist()
        [0, 1, 2, 3]

        Raises:
          InvalidArgumentError: there is none, or more than one.
        """
        found = d.DatasetToSingleElement(self._variant_tensor, name=name, **st.output_attrs(self._element_spec))
        return st.from_components(self._element_spec, found)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The last state of `state = reduce_func(state, element)`, from `initial_state` on.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda total, x: total + x).numpy()
        np.int64(10)

        Raises:
          TypeError: the function gives another structure or other dtypes than those of the initial state.
        """
        spec, initial = st.to_element(initial_state)
        traced, spec = trace_state(reduce_func, "reduce", spec, self._element_spec, lambda s: s)
        tell_of_variables(traced.graph)
        attrs = {"f": traced.graph, "name": name, **st.output_attrs(spec)}
        watched = any(tape.is_watching(t) for tape in recorders() for t in (*initial, *traced.captured))
        if current_graph() is not None or not watched:
            found = d.ReduceDataset(self._variant_tensor, initial, traced.captured, **attrs)
            return st.from_components(spec, found)
        many = len(initial)

        def compute(tensors: list[Any]) -> list[Any]:
            return list(d.ReduceDataset(tensors[0], tensors[1 : 1 + many], tensors[1 + many :], **attrs))

        found = ops.run_traced(compute, [self._variant_tensor, *initial, *traced.captured], "reduce")
        return st.from_components(spec, found)


def trace_state(
    function: Callable[..., Any],
    method: str,
    state: Any,
    element: Any,
    finish: Callable[[Any], Any],
    paired: bool = False,
) -> tuple[Traced, Any]:
    """Traces `function(state, element)`, again with more general shapes until the state keeps its type."""
    while True:
        traced = trace(function, method, [state, element], unpack=False, finish=finish)
        found = traced.spec[0] if paired else traced.spec
        if not st.same_structure(state, found):
            raise TypeError(
                errors.at_user_line(
                    "The element structure for the new state must match the initial state. Expected "
                    f"{state!r}; got {found!r}."
                )
            )
        general = st.common_spec(state, found)
        if general is None:
            raise TypeError(
                errors.at_user_line(
                    f"The element types for the new state must match the initial state. Expected "
                    f"{[getattr(s, 'dtype', s) for s in st.walk(state)]}; got "
                    f"{[getattr(s, 'dtype', s) for s in st.walk(found)]}."
                )
            )
        if st.is_subtype(found, state):
            return traced, state
        state = general


def checked_dataset(value: Any) -> Dataset:
    """`value`, if it is a dataset; TypeError otherwise."""
    if not isinstance(value, DatasetBase):
        raise TypeError(errors.at_user_line(f"expected a tf.data.Dataset, found {value!r}"))
    return value  # type: ignore[return-value]


def merged_options(parts: list[Any]) -> Options:
    """The options of several datasets that become one."""
    options = Options()
    for part in parts:
        options = options.merge(part._options_attr)
    return options
