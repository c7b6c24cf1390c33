"""`SparseTensor`: a tensor given by its elements that are not zero, and `SparseTensorSpec`, its static type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

import numpy as np

from graphrt import errors
from graphrt.ir.graph import static_shape, tell_elements
from graphrt.ir.op import PRESERVES_ZERO, OpDef, ops, provide  # late: io.printing and sparse.sets import this file
from graphrt.ops.array.gather_scatter import GatherNd
from graphrt.ops.array.shape import BroadcastTo, Rank, Shape, Size
from graphrt.ops.math.arithmetic import Mul
from graphrt.ops.math.casting import cast
from graphrt.ops.math.cumulative import Cumprod
from graphrt.ops.math.division import Div, RealDiv
from graphrt.ops.math.reduction import Sum, reduce_prod
from graphrt.ops.support.shape_rules import as_tensor, static_sizes
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor
from graphrt.types.dtype import DType, as_dtype, float32, int64, string
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape, compatible, dims_of, merge, relax
from graphrt.types.spec import CompositeSpec, Shaped, TensorSpec
from graphrt.types.structure import Dispatching

_Value = TypeVar("_Value")


class SparseTensor(Dispatching):
    """A tensor given by its elements that are not zero: where they are (one row each), what they are, and its shape.

    The rows of indices should be in order; `tf.sparse.reorder` puts them there.

    >>> import graphrt as tf
    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5.], [2, 2])).numpy().tolist()
    [[0.0, 5.0], [0.0, 0.0]]

    Raises:
      ValueError: the shapes of the three parts do not fit.
    """

    __slots__ = ("__weakref__", "_indices", "_known", "_shape", "_values")
    __array_ufunc__ = None  # NumPy leaves operators to this class

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: ShapeLike) -> None:
        self._indices = _whole(indices)
        self._values = as_tensor(values)
        self._shape = _whole(dense_shape)
        self._known: Dims = None  # what `set_shape` told
        for part, wanted in ((self._indices, 2), (self._values, 1), (self._shape, 1)):
            if part.dims is None:
                part.set_shape([None] * wanted)
        places, count, rank = self._indices.dims, self._values.dims, self._shape.dims
        for dims, wanted in ((places, 2), (count, 1), (rank, 1)):
            if dims is not None and len(dims) != wanted:
                raise ValueError(errors.at_user_line(f"Shape {TensorShape(dims)} must have rank {wanted}"))
        if places and count and not compatible(places[:1], count):
            raise ValueError(errors.at_user_line(f"Dimensions {places[0]} and {count[0]} are not compatible"))
        if places and rank and not compatible(places[1:], rank):
            raise ValueError(errors.at_user_line(f"Dimensions {places[1]} and {rank[0]} are not compatible"))

    @classmethod
    def from_value(cls, sparse_tensor_value: SparseTensor) -> SparseTensor:
        """A sparse tensor of anything with `indices`, `values` and `dense_shape`."""
        if not all(hasattr(sparse_tensor_value, part) for part in ("indices", "values", "dense_shape")):
            raise TypeError(errors.at_user_line(f"Argument sparse_tensor_value={sparse_tensor_value} is not sparse"))
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    @property
    def indices(self) -> Tensor:
        """Where the elements stand: one row of coordinates for each."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape, as a vector."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._values.dtype

    @property
    def dims(self) -> Dims:
        """What is known of the shape, as a tuple."""
        sizes = self._shape
        spelt = static_shape(sizes.value) if isinstance(sizes, SymbolicTensor) else static_sizes(sizes)
        if spelt is not None and (None not in spelt or self._known is None):
            return spelt
        if self._known is not None:
            return self._known
        if self._indices.dims is not None and self._indices.dims[1] is not None:
            return (None,) * self._indices.dims[1]
        return None

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return TensorShape(self.dims)

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return TensorShape(self.dims)

    def set_shape(self, shape: ShapeLike) -> None:
        """Adds to what is known of the shape.

        Raises:
          ValueError: it contradicts what is known.
        """
        self._known = merge(self.dims, dims_of(shape))

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """The same places with other elements."""
        return SparseTensor(self._indices, new_values, self._shape)

    def to_dense(self, default_value: Any = None) -> Tensor:
        """The whole tensor.

        Raises:
          InvalidArgumentError: an index is out of range, or they are out of order.
        """
        if default_value is None:
            default_value = b"" if self.dtype is string else False if self.dtype.is_bool else 0
        return ops.SparseToDense(self._indices, self._shape, self._values, as_tensor(default_value, self.dtype))

    def eval(self, feed_dict: Any = None, session: Any = None) -> NoReturn:
        """Sessions do not exist here.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError("there are no sessions: the parts of a sparse tensor have their values")

    def __iter__(self) -> Iterator[Any]:
        return iter((self._indices, self._values, self._shape))

    # --- as a value made of tensors ---
    def components(self) -> list[Any]:
        """Indices, values and shape."""
        return [self._indices, self._values, self._shape]

    def of_shape(self, shape: TensorShape) -> SparseTensorSpec:
        """The spec of sparse tensors of this rank: none of their tensors has the shape."""
        return SparseTensorSpec((None,) * self.shape.rank if self.shape.rank is not None else None, self.dtype)

    def with_components(self, components: list[Any]) -> SparseTensor:
        """A value like this one, made of other tensors."""
        return SparseTensor(*components)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.dims, self.dtype)

    def dispatch(self, op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
        """What `op` gives of sparse tensors."""
        if args[0] is self and PRESERVES_ZERO in op.traits:
            return self.with_values(apply(self._values, *args[1:]))
        if op is Shape:
            return cast(self._shape, attrs.get("out_type") or "int32")
        if op is Size:
            return cast(reduce_prod(self._shape), attrs.get("out_type") or "int32")
        if op is Rank:
            return Size(self._shape)
        if op in (Mul, RealDiv, Div) and len(args) == 2:
            return _with_dense(self, args, apply, op)
        raise errors.CompositeGiven(self)

    def printed(self, summarize: int) -> Any:
        """The text that `print` writes."""
        return ops.StringFormat(
            self.components(), template="'SparseTensor(indices={}, values={}, shape={})'", placeholder="{}",
            summarize=summarize,
        )  # fmt: skip

    # --- operators ---
    def __mul__(self, other: TensorLike) -> SparseTensor:
        return Mul(self, other) if not isinstance(other, SparseTensor) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: TensorLike) -> SparseTensor:
        if isinstance(other, SparseTensor):
            return NotImplemented
        if self.dtype.is_integer:
            wide = as_dtype("float32" if self.dtype.size <= 2 else "float64")
            divisor = other if isinstance(other, Tensor) else as_tensor(other, self.dtype)
            return RealDiv(cast(self, wide), cast(divisor, wide))
        return RealDiv(self, other)

    def __repr__(self) -> str:
        if isinstance(self._values, EagerTensor) and isinstance(self._indices, EagerTensor):
            return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._shape!s})"
        return f"SparseTensor(indices={self._indices!r}, values={self._values!r}, dense_shape={self._shape!r})"

    def __reduce__(self) -> Any:
        return SparseTensor, tuple(c.numpy() for c in self.components())


def _whole(value: object) -> Tensor:
    found = as_tensor(value, None if isinstance(value, Tensor) else int64)
    return found if found.dtype is int64 else cast(found, int64)


def _with_dense(sparse: SparseTensor, args: tuple[Any, ...], apply: Callable[..., Any], op: OpDef) -> SparseTensor:
    """A sparse tensor times, or divided by, a tensor that broadcasts to it."""
    other = args[1] if args[0] is sparse else args[0]
    if isinstance(other, SparseTensor) or (args[0] is not sparse and op is not Mul):
        raise errors.CompositeGiven(sparse)
    dense = other if isinstance(other, Tensor) else as_tensor(other, sparse.dtype)
    if dense.dims != ():
        rank, own = sparse.dims, dense.dims
        if (
            rank is not None
            and own is not None
            and (
                len(own) > len(rank)
                or any(o not in (1, None) and r not in (o, None) for o, r in zip(own[::-1], rank[::-1]))
            )
        ):
            raise errors.InvalidArgumentError(
                None,
                None,
                errors.at_user_line(
                    "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
                    f"[{','.join(map(str, rank))}] vs. [{','.join(map(str, own))}]"
                ),
            )
        if own is None or rank is None or len(own) != len(rank) or 1 in own or None in own:
            dense = BroadcastTo(dense, sparse.dense_shape)
        dense = GatherNd(dense, sparse.indices)
    return sparse.with_values(apply(sparse.values, dense))


@provide
def sparse_tensor(indices: TensorLike, values: TensorLike, dense_shape: ShapeLike) -> SparseTensor:
    """A `SparseTensor`, for families of ops that only make them."""
    return SparseTensor(indices, values, dense_shape)


class SparseTensorSpec(Shaped, CompositeSpec):
    """The static type of a sparse tensor: shape and dtype.

    >>> import graphrt as tf
    >>> tf.SparseTensorSpec([None, 3], tf.int32)
    SparseTensorSpec(TensorShape([None, 3]), tf.int32)
    """

    __slots__ = ("_dims", "_dtype")

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = float32) -> None:
        self._dims = dims_of(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: SparseTensor) -> SparseTensorSpec:
        """The spec that describes `value`."""
        return value._type_spec

    @property
    def value_type(self) -> type:
        """SparseTensor."""
        return SparseTensor

    def _components(self) -> list[Any]:
        rank = None if self._dims is None else len(self._dims)
        return [TensorSpec((None, rank), int64), TensorSpec((None,), self._dtype), TensorSpec((rank,), int64)]

    def _with_specs(self, specs: list[Any]) -> SparseTensorSpec:
        if self._dims is not None:
            return self
        places = dims_of(specs[0].shape)
        rank = places[1] if places is not None and len(places) > 1 else None
        return SparseTensorSpec(None if rank is None else (None,) * rank, self._dtype)

    def _build(self, components: list[Any]) -> SparseTensor:
        return SparseTensor(*components)

    def _element(self, components: list[Any]) -> SparseTensor:
        shape: Any = components[2]
        if self._dims is not None and None not in self._dims:
            shape = shape.graph.constant(np.array(self._dims, np.int64), "shape")
        elif self._dims is not None:
            tell_elements(shape.value, list(self._dims))
        return self._told(self._build([*components[:2], shape]))

    def _row(self) -> SparseTensorSpec:
        if self._dims == ():
            raise ValueError(errors.at_user_line("Unbatching a sparse tensor is only supported for rank >= 1"))
        return SparseTensorSpec(None if self._dims is None else self._dims[1:], self._dtype)

    def _batched(self, size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(None if self._dims is None else (size, *self._dims), self._dtype)

    def _static(self) -> SparseTensorSpec:
        return self  # no tensor of it has the shape as its own

    def _covers(self, other: Any) -> bool:
        return isinstance(other, SparseTensorSpec) and other.is_subtype_of(self)

    def _shared(self, other: object) -> SparseTensorSpec | None:
        if not isinstance(other, SparseTensorSpec) or other._dtype is not self._dtype:
            return None
        return SparseTensorSpec(relax(self._dims, other._dims), self._dtype)

    def _told(self, value: _Value) -> _Value:
        assert isinstance(value, SparseTensor)
        value.set_shape(TensorShape(self._dims))
        return value

    def is_compatible_with(self, spec_or_value: TensorLike) -> bool:
        """Whether a value (or any value of a spec) may be of this type."""
        other = spec_or_value._type_spec if isinstance(spec_or_value, SparseTensor) else spec_or_value
        return (
            isinstance(other, SparseTensorSpec) and self._dtype is other._dtype and compatible(self._dims, other._dims)
        )

    def is_subtype_of(self, other: SparseTensorSpec) -> bool:
        """Whether every value of this type is also of type `other`."""
        return (
            isinstance(other, SparseTensorSpec)
            and self._dtype is other._dtype
            and self.shape.is_subtype_of(other.shape)
        )

    def most_specific_common_supertype(self, others: list[SparseTensorSpec]) -> SparseTensorSpec | None:
        """The narrowest spec that includes this one and `others`, or None."""
        dims = self._dims
        for other in others:
            if not isinstance(other, SparseTensorSpec) or other._dtype is not self._dtype:
                return None
            dims = relax(dims, other._dims)
        return SparseTensorSpec(dims, self._dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparseTensorSpec) and (self._dims, self._dtype) == (other._dims, other._dtype)

    def __hash__(self) -> int:
        return hash((self._dims, self._dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {self._dtype!r})"

    def __reduce__(self) -> Any:
        return SparseTensorSpec, (self._dims, self._dtype)


def linear(indices: TensorLike, shape: ShapeLike) -> Tensor:
    """One number for each row of coordinates, in the order of the elements of a tensor of this shape."""
    strides = Cumprod(shape, np.int32(0), exclusive=True, reverse=True)
    return Sum(indices * strides, np.int32(1))


__all__ = ["SparseTensor", "SparseTensorSpec", "linear", "sparse_tensor"]
