"""`IndexedSlices`: rows of a tensor that is zero elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.ir.op import ops, provide  # late: math.segments imports this file
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.math.casting import cast
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, static_array
from graphrt.types import structure
from graphrt.types.dtype import DType, as_dtype, float32, int64
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape, dims_of
from graphrt.types.spec import CompositeSpec, TensorSpec


class IndexedSlices(structure.Composite):
    """Slices `values` of a tensor of shape `dense_shape`, at the positions `indices` of its first axis.

    Rows that occur several times count with their sum. It is what the gradient of `tf.gather` is, and of all that looks
    up rows; where a tensor is wanted it becomes the whole tensor.

    >>> import graphrt as tf
    >>> rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    >>> tf.convert_to_tensor(rows).numpy().tolist()
    [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")
    __array_ufunc__ = None  # arrays leave operators to this class

    def __init__(self, values: TensorLike, indices: TensorLike, dense_shape: Any = None) -> None:
        self._values = convert_to_tensor(values)
        self._indices = convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def values(self) -> Tensor:
        """The slices, stacked."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where the slices stand along the first axis."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._values.dtype

    @property
    def dims(self) -> Dims:
        """What is known of the shape of the whole tensor, as a tuple."""
        known = None if self._dense_shape is None else static_array(self._dense_shape)
        if known is not None:
            return tuple(int(d) for d in known)
        dims = self._values.dims
        return None if dims is None else (None, *dims[1:])

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole tensor."""
        return TensorShape(self.dims)

    @property
    def name(self) -> str:
        """The name of the slices."""
        return str(self._values.name)

    @property
    def device(self) -> str:
        """Where the slices are."""
        return str(self._values.device)

    @property
    def op(self) -> Any:
        """The operation that made the slices, while a graph is traced."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph that the slices belong to, while it is traced."""
        return self._values.graph

    # --- as a tensor ---
    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
        if dtype is not None and as_dtype(dtype) is not self.dtype:
            raise ValueError(
                errors.at_user_line(
                    f"Tensor conversion requested dtype {as_dtype(dtype).name} for IndexedSlices with dtype "
                    f"{self.dtype.name}"
                )
            )
        if self._dense_shape is None:
            raise ValueError(
                errors.at_user_line(
                    "Tensor conversion requested for IndexedSlices without dense_shape: how many rows the whole has is "
                    f"not known: {self!r}"
                )
            )
        whole = ops.UnsortedSegmentSum(self._values, self._indices, self._dense_shape[0])
        if self.dims is not None:
            whole.set_shape(self.dims)
        return whole

    def numpy(self) -> Any:
        """The whole tensor as an array."""
        return convert_to_tensor(self).numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __tf_cast__(self, dtype: DType) -> IndexedSlices:
        return self.map_values(lambda values: cast(values, dtype))

    def map_values(self, change: Callable[[Any], Any]) -> IndexedSlices:
        """The slices after `change`, at the same places."""
        return IndexedSlices(change(self._values), self._indices, self._dense_shape)

    # --- operators: what scales keeps the slices ---
    def __neg__(self) -> IndexedSlices:
        return self.map_values(lambda values: -values)

    def __mul__(self, other: TensorLike) -> Any:
        return self.map_values(lambda v: v * other) if _is_scalar(other) else convert_to_tensor(self) * other

    def __rmul__(self, other: Any) -> Any:
        return self.map_values(lambda v: other * v) if _is_scalar(other) else other * convert_to_tensor(self)

    def __truediv__(self, other: Any) -> Any:
        return self.map_values(lambda v: v / other) if _is_scalar(other) else convert_to_tensor(self) / other

    def __add__(self, other: Any) -> Any:
        return convert_to_tensor(self) + other

    def __radd__(self, other: Any) -> Any:
        return other + convert_to_tensor(self)

    def __sub__(self, other: Any) -> Any:
        return convert_to_tensor(self) - other

    def __rsub__(self, other: Any) -> Any:
        return other - convert_to_tensor(self)

    def __pow__(self, other: Any) -> Any:
        return convert_to_tensor(self) ** other

    def __getitem__(self, key: Any) -> Any:
        return convert_to_tensor(self)[key]

    # --- as a value made of tensors ---
    def components(self) -> list[Any]:
        """Values, indices and, if it is known, the shape."""
        return [c for c in (self._values, self._indices, self._dense_shape) if c is not None]

    def with_components(self, components: list[Any]) -> IndexedSlices:
        """Slices like these, made of other tensors."""
        return IndexedSlices(*components)

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        shape = self._dense_shape
        return IndexedSlicesSpec(
            self.dims, self.dtype, self._indices.dtype, None if shape is None else shape.dtype, self._indices.dims
        )

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    def __reduce__(self) -> Any:
        return IndexedSlices, tuple(c.numpy() if isinstance(c, EagerTensor) else c for c in self.components())


def _is_scalar(value: Any) -> bool:
    if isinstance(value, (Tensor, TensorSpec)) or hasattr(value, "_handle"):
        return value.shape.rank == 0
    return isinstance(value, (int, float, complex)) or getattr(value, "shape", None) == ()


class IndexedSlicesSpec(CompositeSpec):
    """The static type of `IndexedSlices`: shape of the whole, dtypes of the parts.

    >>> import graphrt as tf
    >>> tf.IndexedSlicesSpec([10, 2], tf.float32).dtype
    tf.float32
    """

    __slots__ = ("_dense_type", "_dims", "_dtype", "_index_dims", "_index_type")

    def __init__(
        self, shape: ShapeLike = None, dtype: DTypeLike = float32, indices_dtype: DTypeLike = int64,
        dense_shape_dtype: DTypeLike | None = None, indices_shape: Any = None
    ) -> None:  # fmt: skip
        self._dims = dims_of(shape)
        self._dtype = as_dtype(dtype)
        self._index_type = as_dtype(indices_dtype)
        self._dense_type = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._index_dims = (None,) if indices_shape is None else dims_of(indices_shape)

    @property
    def value_type(self) -> type:
        """IndexedSlices."""
        return IndexedSlices

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        return TensorShape(self._dims)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def indices_dtype(self) -> DType:
        """The dtype of the indices."""
        return self._index_type

    @property
    def dense_shape_dtype(self) -> DType | None:
        """The dtype of the shape of the whole, where the values carry it."""
        return self._dense_type

    @property
    def indices_shape(self) -> TensorShape:
        """The static shape of the indices."""
        return TensorShape(self._index_dims)

    def _components(self) -> list[Any]:
        rows = self._index_dims[0] if self._index_dims else None
        inner: Dims = None if self._dims is None else (rows, *self._dims[1:])
        found = [TensorSpec(inner, self._dtype), TensorSpec(self._index_dims, self._index_type)]
        if self._dense_type is not None:
            found.append(TensorSpec((None if self._dims is None else len(self._dims),), self._dense_type))
        return found

    def _with_specs(self, specs: list[Any]) -> IndexedSlicesSpec:
        inner = specs[0].dims
        dims: Dims = None if inner is None else (None, *inner[1:])
        return IndexedSlicesSpec(dims, self._dtype, self._index_type, self._dense_type, specs[1].dims)

    def _build(self, components: list[Any]) -> IndexedSlices:
        return IndexedSlices(*components)

    def _static(self) -> IndexedSlicesSpec:
        return IndexedSlicesSpec(None, self._dtype, self._index_type, self._dense_type)

    def _key(self) -> tuple[Any, ...]:
        return self._dims, self._dtype, self._index_type, self._dense_type, self._index_dims

    def is_compatible_with(self, spec_or_value: IndexedSlices | IndexedSlicesSpec) -> bool:
        """Whether a value (or any value of a spec) may be of this type."""
        other = spec_or_value._type_spec if isinstance(spec_or_value, IndexedSlices) else spec_or_value
        return (
            isinstance(other, IndexedSlicesSpec)
            and self._key()[1:4] == other._key()[1:4]
            and self.shape.is_compatible_with(other.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this type is also of type `other`."""
        return (
            isinstance(other, IndexedSlicesSpec)
            and self._key()[1:4] == other._key()[1:4]
            and self.shape.is_subtype_of(other.shape)
        )

    def most_specific_common_supertype(self, others: Any) -> Any:
        """The narrowest spec that includes this one and `others`, or None."""
        shape: Any = self.shape
        for other in others:
            if not isinstance(other, IndexedSlicesSpec) or self._key()[1:4] != other._key()[1:4]:
                return None
            shape = shape.most_specific_common_supertype([other.shape])
        return IndexedSlicesSpec(shape, self._dtype, self._index_type, self._dense_type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedSlicesSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"IndexedSlicesSpec({TensorShape(self._dims)!r}, {self._dtype!r}, {self._index_type!r}, "
            f"{self._dense_type!r}, {TensorShape(self._index_dims)!r})"
        )

    def __reduce__(self) -> Any:
        return IndexedSlicesSpec, (self._dims, self._dtype, self._index_type, self._dense_type, self._index_dims)


@provide
def indexed_slices(values: Any, indices: Tensor, dense_shape: Any) -> IndexedSlices:
    """Slices of a gradient: `indices` of any shape, `values` with the dimensions of `indices` first."""
    if indices.dims is None or len(indices.dims) != 1:
        inner = getitem(shape_(dense_shape), 0) - 1
        rank = indices.dims
        tail = (
            getitem(shape_(values), slice(len(rank), None))
            if rank is not None
            else getitem(shape_(values), slice(rank_(values) - inner, None))
        )
        values = reshape(values, concat([[-1], tail], 0))
        indices = reshape(indices, [-1])
    return IndexedSlices(values, indices, dense_shape)


def added_slices(parts: list[IndexedSlices]) -> IndexedSlices:
    """The sum of several gradients that are slices of one tensor: all their rows."""
    indices = [p.indices for p in parts]
    if any(i.dtype is not indices[0].dtype for i in indices):
        indices = [cast(i, int64) for i in indices]
    return IndexedSlices(concat([p.values for p in parts], 0), concat(indices, 0), parts[0].dense_shape)


__all__ = ["IndexedSlices", "IndexedSlicesSpec", "added_slices", "indexed_slices"]
