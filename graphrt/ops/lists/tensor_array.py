"""`TensorArray`: a list of tensors that is written and read by index, inside and outside of loops.

Run at once it is a Python list of tensors. While tracing it is a variant tensor, its `flow`, that the `TensorList` ops
work on: each write gives a new flow.
"""

# long: one class, whose methods have each a way for elements held now and one for a list in a graph
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.ops.lists.list_value import unset
from graphrt.ops.support.kernel_helpers import bad
from graphrt.tensor.context import current_graph, recorders, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, TensorLike, static_array
from graphrt.tensor.weak import is_flexible
from graphrt.types.advice import conversion
from graphrt.types.dtype import DType, as_dtype, int32, int64, variant
from graphrt.types.likes import DTypeLike, ShapeLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, compatible, dims_of, is_static, merge
from graphrt.types.spec import TensorSpec, TypeSpec
from graphrt.types.structure import Composite

__all__ = ["TensorArray", "TensorArraySpec"]


def _vector(dims: Dims) -> Any:
    """A partially known shape as an `element_shape` input: -1 for what is unknown."""
    if dims is None:
        return np.int32(-1)
    return np.array([-1 if d is None else d for d in dims], np.int32)


class TensorArray(Composite):
    """Tensors of one dtype (and shape, as far as it is inferred), by index.

    Writing gives the array to go on with: `ta = ta.write(i, x)`.

    >>> import graphrt as tf
    >>> ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    >>> for i in range(3):
    ...     ta = ta.write(i, float(i))
    >>> ta.stack().numpy().tolist()
    [0.0, 1.0, 2.0]

    Args:
      dtype: of the elements.
      size: how many there are.
      dynamic_size: whether writing past the end makes the array longer.
      clear_after_read: whether an element may be read only once when run at once (True when None is given).
      infer_shape: whether all elements must have one shape.
      element_shape: what is known of the shape of the elements.

    Raises:
      ValueError: no size is given.
    """

    __slots__ = (
        "__weakref__", "_clear", "_cleared", "_dtype", "_dynamic", "_flow", "_infer", "_items", "_shape", "_size",
    )  # fmt: skip

    def __init__(
        self, dtype: DTypeLike | None, size: Tensor | int | None = None, dynamic_size: bool | None = None,
        clear_after_read: bool | None = None, tensor_array_name: str | None = None, handle: Any = None,
        flow: Any = None, infer_shape: bool = True, element_shape: ShapeLike = None,
        colocate_with_first_write_call: bool = True, name: str | None = None
    ) -> None:  # fmt: skip
        self._dynamic = bool(dynamic_size)
        self._clear = clear_after_read is None or bool(clear_after_read)
        self._infer = bool(infer_shape)
        self._shape: list[Dims] = [dims_of(element_shape)]  # shared with every array that follows from this one
        self._cleared: set[int] = set()
        self._items: list[Any] | None = None  # the elements, when run at once
        self._flow: Any = None  # the list's handle, while tracing
        self._size: Any = size  # a Python int or a tensor, None when not known
        if dtype is None and flow is None and size is None:
            raise ValueError(errors.at_user_line("A TensorArray needs a dtype and a size."))
        self._dtype: DType = as_dtype(dtype)
        if flow is not None:
            errors.expect(flow, Tensor, "flow", "the flow of a TensorArray, a variant tensor")
            if flow.dtype is not variant:
                raise TypeError(errors.at_user_line(f"`flow` must be a variant tensor, found {flow.dtype.name}"))
            self._set_flow(flow)
            return
        if size is None:
            raise ValueError(errors.at_user_line("Size must be declared: TensorArray(dtype, size=...)."))
        if current_graph() is None:
            count = int(size)
            if count < 0:
                raise bad(
                    errors.at_user_line(f"The size of a TensorArray must be a non negative number, but got {count}")
                )
            self._items = unset(count)
        else:
            self._reserve(size, name)

    def _reserve(self, size: TensorLike, name: str | None) -> None:
        with scope(name, "TensorArrayV2") as own:
            shape = convert_to_tensor(_vector(self._shape[0]), name="element_shape")
            count = size if isinstance(size, Tensor) else convert_to_tensor(size, int32, name="num_elements")
            if count.dtype is not int32:
                count = ops.cast(count, int32)
            self._flow = ops.TensorListReserve(shape, count, element_dtype=self._dtype, name=own)
        self._size = count

    # --- facts ---
    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end makes the array longer."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        return TensorShape(self._shape[0])

    @property
    def infer_shape(self) -> bool:
        """Whether all elements must have one shape."""
        return self._infer

    @property
    def handle(self) -> None:
        """Always None: the flow is all there is."""
        return None

    @property
    def flow(self) -> Tensor:
        """The list behind this array, as a variant tensor."""
        return self.components()[0]

    @property
    def spec(self) -> TensorArraySpec:
        """The static type of this array."""
        return TensorArraySpec(self._shape[0], self._dtype, self._dynamic, self._infer)

    @property
    def _type_spec(self) -> TensorArraySpec:
        return self.spec

    def __repr__(self) -> str:
        return (
            f"<tf.TensorArray dtype={self._dtype.name} element_shape={self.element_shape} "
            f"{'dynamic ' if self._dynamic else ''}{'eager' if self._items is not None else self._flow.name}>"
        )

    # --- made of tensors ---
    def components(self) -> list[Any]:
        """The flow: a variant tensor, alone."""
        if self._items is None:
            return [self._flow]
        if recorders() and any(v is not None for v in self._items):
            flow = ops.TensorListReserve(_vector(self._shape[0]), len(self._items), element_dtype=self._dtype)
            for i, v in enumerate(self._items):
                if v is not None:
                    flow = ops.TensorListSetItem(flow, i, v)
            return [flow]
        raw = [None if v is None else v._value for v in self._items]
        dims = self._shape[0]
        return [EagerTensor(ops.tensor_list_of(raw, self._dtype, dims), variant)]

    def with_components(self, components: list[Any]) -> TensorArray:
        """An array like this one, with another flow."""
        return self._like(components[0])

    def _like(self, flow: Tensor, size: Any = None) -> TensorArray:
        made = object.__new__(TensorArray)
        made._dtype, made._dynamic, made._clear, made._infer = self._dtype, self._dynamic, self._clear, self._infer
        made._shape = self._shape
        made._cleared = set()
        made._items = made._flow = None
        made._size = size if size is not None else None if self._dynamic else self._size
        made._set_flow(flow)
        return made

    def _set_flow(self, flow: Tensor) -> None:
        if isinstance(flow, EagerTensor) and current_graph() is None:
            self._items = _elements(flow, self._dtype)
        else:
            self._flow = flow

    def _here(self) -> TensorArray:
        """This array, fit for where it is used now: one filled outside is captured by the graph being traced."""
        if self._items is None or current_graph() is None:
            return self
        made = object.__new__(TensorArray)
        made._dtype, made._dynamic, made._clear, made._infer = self._dtype, self._dynamic, self._clear, self._infer
        made._shape, made._cleared, made._items = list(self._shape), set(), None
        made._size = None if self._dynamic else len(self._items)
        made._flow = self.components()[0]
        return made

    # --- shapes ---
    def _check_shape(self, dims: Dims, index: Any = None) -> None:
        if not compatible(self._shape[0], dims):
            where = "" if index is None else f" at index {index}"
            raise errors.ShapeError(
                errors.at_user_line(
                    f"Inconsistent shapes: saw {TensorShape(dims)}{where} but expected {self.element_shape}"
                )
            )
        if self._infer:
            self._shape[0] = merge(self._shape[0], dims)

    def _no_dtype(self, found: DType) -> errors.OpError:
        call = conversion(found, self._dtype)
        return errors.DTypeMismatchError(
            errors.at_user_line(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {found.name}."
                + (call and f" Convert the value with {call}.")
            )
        )

    def _value(self, value: TensorLike, name: str = "value") -> Any:
        if isinstance(value, Composite):
            raise TypeError(errors.at_user_line(f"a TensorArray holds tensors, not a {type(value).__name__}"))
        tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=self._dtype, name=name)
        if tensor.dtype is not self._dtype:
            if not isinstance(value, Tensor) or is_flexible(value):
                return convert_to_tensor(value, self._dtype)
            raise self._no_dtype(tensor.dtype)
        return tensor

    # --- elements ---
    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at `index`.

        Raises:
          OutOfRangeError: (InvalidArgumentError in a graph) there is no such index.
          InvalidArgumentError: nothing was written there and the shape of elements is not known, or the element was
            cleared by an earlier read.
        """
        if self._items is not None and current_graph() is None:
            return self._read_now(_position(index))
        this = self._here()
        with scope(name, "TensorArrayV2Read"):
            return ops.TensorListGetItem(
                this._flow, _index(index), _vector(this._shape[0]), element_dtype=this._dtype, name="TensorListGetItem"
            )

    def _read_now(self, at: int) -> Tensor:
        items = self._items or []
        if at < 0:
            raise errors.OutOfRangeError(
                None, None, errors.at_user_line(f"Reading from negative indices (index {at}) is not allowed.")
            )
        if at >= len(items):
            raise errors.OutOfRangeError(
                None, None,
                errors.at_user_line(f"Tried to read from index {at} but array size is: {len(items)}"),
            )  # fmt: skip
        found = items[at]
        if found is None:
            if at in self._cleared:
                raise bad(
                    errors.at_user_line(
                        f"Could not read index {at} twice because it was cleared after a previous read (perhaps try "
                        "setting clear_after_read = false?)"
                    )
                )
            return self._blank(at)
        if self._clear:
            items[at] = None
            self._cleared.add(at)
        return found

    def _blank(self, at: int) -> Tensor:
        dims = self._shape[0]
        if not is_static(dims):
            raise errors.ShapeError(
                errors.at_user_line(
                    f"Could not read index {at}: nothing was written there, and the shape of the elements is not fully "
                    f"known ({self.element_shape})."
                )
            )
        return ops.zeros(list(dims or ()), self._dtype)

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with `value` at `index`.

        Raises:
          OutOfRangeError: (InvalidArgumentError in a graph) `index` is negative, or past the end of a fixed size.
          InvalidArgumentError: `value` has another dtype.
          ValueError: `value` has another shape than the elements before.
        """
        if self._items is not None and current_graph() is None:
            self._write_now(_position(index), value)
            return self
        this = self._here()
        with scope(name, "TensorArrayV2Write"):
            tensor = this._value(value)
            known = static_array(index) if isinstance(index, Tensor) else index
            this._check_shape(tensor.dims, known)
            flow = ops.TensorListSetItem(
                this._flow, _index(index), tensor, element_dtype=this._dtype,
                resize_if_index_out_of_bounds=this._dynamic, name="TensorListSetItem",
            )  # fmt: skip
        return this._like(flow)

    def _check_place(self, at: int) -> None:
        items = self._items
        assert items is not None
        if at < 0:
            raise errors.OutOfRangeError(
                None, None, errors.at_user_line(f"Writing to negative indices (index {at}) is not allowed.")
            )
        if at >= len(items) and not self._dynamic:
            raise errors.OutOfRangeError(
                None, None,
                errors.at_user_line(
                    f"Tried to write to index {at} but array is not resizeable and size is: {len(items)}"
                ),
            )  # fmt: skip

    def _write_now(self, at: int, value: TensorLike) -> None:
        items = self._items
        assert items is not None
        self._check_place(at)
        tensor = self._value(value)
        self._check_shape(tensor.dims, at)
        if at >= len(items):
            items.extend(unset(at + 1 - len(items)))
        items[at] = tensor
        self._cleared.discard(at)

    def _filled(self, places: Iterable[int] | None = None) -> list[Any]:
        """The elements, zeros where nothing was written; none of `places` (all) was cleared."""
        items = self._items or []
        if all(v is not None for v in items):
            return items
        for i in range(len(items)) if places is None else places:
            if items[i] is None and i in self._cleared:
                raise bad(
                    errors.at_user_line(
                        f"Could not read index {i} twice because it was cleared after a previous read (perhaps try "
                        "setting clear_after_read = false?)"
                    )
                )
        if not is_static(self._shape[0]):
            known = next((v.dims for v in items if v is not None), None)
            if known is None:
                return [self._blank(i) if v is None else v for i, v in enumerate(items)]
            zero = ops.zeros(list(known), self._dtype)
            return [zero if v is None else v for v in items]
        return [self._blank(i) if v is None else v for i, v in enumerate(items)]

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, with the index as first dimension; what was never written is zero.

        Raises:
          InvalidArgumentError: the elements differ in shape, or nothing was written and the shape is not known.
        """
        if self._items is not None and current_graph() is None:
            if not self._items:
                dims = self._shape[0]
                return ops.zeros([0, *[d or 0 for d in dims or ()]], self._dtype)
            return ops.Pack(self._filled())
        this = self._here()
        with scope(name, "TensorArrayV2Stack"):
            return ops.TensorListStack(
                this._flow, _vector(this._shape[0]), element_dtype=this._dtype, num_elements=this._count(),
                name="TensorListStack",
            )  # fmt: skip

    def _count(self) -> int:
        if self._dynamic or self._size is None:
            return -1
        known = static_array(self._size) if isinstance(self._size, Tensor) else self._size
        return -1 if known is None else int(known)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at `indices` as one tensor.

        Raises:
          InvalidArgumentError: (IndexError too, when run at once) an index is out of range.
        """
        if self._items is not None and current_graph() is None:
            places = [int(i) for i in np.ravel(np.asarray(_raw(indices)))]
            for i in places:
                if not 0 <= i < len(self._items):
                    raise _IndexOutOfRange(
                        errors.at_user_line(f"Index {i} out of range; the array has {len(self._items)} elements.")
                    )
            items = self._filled(places)
            if not places:
                return ops.zeros([0, *[d or 0 for d in self._shape[0] or ()]], self._dtype)
            return ops.Pack([items[i] for i in places])
        this = self._here()
        return ops.TensorListGather(
            this._flow, _indices(indices), _vector(this._shape[0]), element_dtype=this._dtype,
            name=name or "TensorListGather",
        )  # fmt: skip

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first dimension.

        Raises:
          InvalidArgumentError: an element is a scalar, or the other dimensions differ.
        """
        if self._items is not None and current_graph() is None:
            items = self._filled()
            for i, v in enumerate(items):
                if v.dims == ():
                    raise bad(
                        errors.at_user_line(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
                    )
            if not items:
                return ops.zeros([0, *[d or 0 for d in (self._shape[0] or ())[1:]]], self._dtype)
            return ops.concat(items, 0)
        this = self._here()
        dims = this._shape[0]
        shape: Any = np.int32(-1) if dims is None else _vector((None, *dims[1:])) if dims else _vector(dims)
        return ops.TensorListConcatV2(
            this._flow, shape, np.zeros(0, np.int64), element_dtype=this._dtype, name=name or "TensorListConcatV2"
        )[0]

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array whose elements are the slices of `value` along its first dimension.

        Raises:
          ValueError: there are more slices than a fixed size allows, or the shapes differ.
        """
        if self._items is not None and current_graph() is None:
            tensor = self._value(value)
            parts = ops.unstack(tensor)
            if len(parts) > len(self._items) and not self._dynamic:
                raise ValueError(
                    errors.at_user_line(
                        f"Cannot unstack {len(parts)} tensors into a TensorArray of static size {len(self._items)}"
                    )
                )
            self._check_shape(tensor.dims[1:])
            self._items = list(parts)
            self._cleared.clear()
            return self
        this = self._here()
        with scope(name, "TensorArrayUnstack"):
            tensor = this._value(value)
            dims = None if tensor.dims is None else tensor.dims[1:]
            this._check_shape(dims)
            flow = ops.TensorListFromTensor(
                tensor, _vector(dims if this._infer else this._shape[0] or dims), element_dtype=this._dtype,
                name="TensorListFromTensor",
            )  # fmt: skip
            count = tensor.dims[0] if tensor.dims else None
        made = this._like(flow)
        made._size = count
        return made

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with the slices of `value` at `indices`.

        Raises:
          OutOfRangeError: (InvalidArgumentError in a graph) an index is out of range.
        """
        if self._items is not None and current_graph() is None:
            tensor = self._value(value)
            places = [int(i) for i in np.ravel(np.asarray(_raw(indices)))]
            if tensor.dims == () or tensor.dims[0] != len(places):
                raise bad(
                    errors.at_user_line(
                        f"{len(places)} indices do not fit a value of shape {tensor.shape}: one slice per index is "
                        "wanted."
                    )
                )
            for i in places:
                self._check_place(i)
            for i, part in zip(places, ops.unstack(tensor)):
                self._write_now(i, part)
            return self
        this = self._here()
        with scope(name, "TensorArrayScatter"):
            tensor = this._value(value)
            this._check_shape(None if tensor.dims is None else tensor.dims[1:])
            flow = ops.TensorListScatterIntoExistingList(
                this._flow, tensor, _indices(indices), element_dtype=this._dtype,
                name="TensorListScatterIntoExistingList",
            )  # fmt: skip
        return this._like(flow)

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """The array whose elements are pieces of `value`, of the given `lengths`, along its first dimension.

        Raises:
          InvalidArgumentError: the lengths do not add up.
        """
        if self._items is not None and current_graph() is None:
            self._split_now(self._value(value), [int(n) for n in np.ravel(np.asarray(_raw(lengths)))])
            return self
        this = self._here()
        with scope(name, "TensorArraySplit"):
            tensor = this._value(value)
            sizes = convert_to_tensor(lengths)
            sizes = sizes if sizes.dtype is int64 else ops.cast(sizes, int64)
            known = static_array(sizes)
            rest = None if tensor.dims is None else tensor.dims[1:]
            dims: Dims = None if rest is None else (None, *rest)
            if known is not None and rest is not None and len(set(known.tolist())) == 1:
                dims = (int(known[0]), *rest)
            if this._infer:
                this._check_shape(dims)
            flow = ops.TensorListSplit(tensor, _vector(dims), sizes, element_dtype=this._dtype, name="TensorListSplit")
        made = this._like(flow)
        made._size = None if sizes.dims is None else sizes.dims[0]
        return made

    def _split_now(self, tensor: Any, sizes: list[int]) -> None:
        if tensor.dims == ():
            raise ValueError(errors.at_user_line("Expected value to be at least a vector, but received a scalar."))
        if sum(sizes) != tensor.dims[0]:
            raise bad(
                errors.at_user_line(
                    "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                    f"{sum(sizes)} and value's shape is: {list(tensor.dims)}"
                )
            )
        if len(sizes) != len(self._items or []) and not self._dynamic:
            raise bad(
                errors.at_user_line(
                    f"TensorArray's size is not equal to the size of lengths ({len(self._items or [])} vs. "
                    f"{len(sizes)}), and the TensorArray is not marked as dynamically resizeable."
                )
            )
        if len(set(sizes)) == 1:
            self._check_shape((sizes[0], *tensor.dims[1:]))
        self._items = list(ops.split(tensor, sizes)) if sizes else []

    # --- the rest ---
    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, as an int32 tensor."""
        if self._items is not None and current_graph() is None:
            return EagerTensor(np.int32(len(self._items)))
        this = self._here()
        if not this._dynamic and this._size is not None:
            return convert_to_tensor(this._size, name=name or "TensorArrayV2Size")
        return ops.TensorListLength(this._flow, name=name or "TensorListLength")

    def __len__(self) -> int:
        size = static_array(self.size())
        if size is None:
            raise errors.OperatorNotAllowedInGraphError(
                errors.at_user_line("the length of this TensorArray is known only when the graph runs: use `size()`")
            )
        return int(size)

    def __bool__(self) -> bool:
        return True  # an empty one, too, as objects are

    def identity(self) -> TensorArray:
        """The same elements in an array of its own."""
        if self._items is not None and current_graph() is None:
            made = self._like(EagerTensor(ops.tensor_list_of([], self._dtype, None), variant))
            made._items = list(self._items)
            return made
        this = self._here()
        return this._like(ops.Identity(this._flow))

    def close(self, name: str | None = None) -> None:
        """Lets go of the elements."""
        if self._items is not None and current_graph() is None:
            self._items = []


class _IndexOutOfRange(errors.InvalidArgumentError, IndexError):
    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)


def _raw(value: TensorLike) -> Any:
    return value._value if isinstance(value, EagerTensor) else value


def _position(index: TensorLike) -> int:
    if isinstance(index, SymbolicTensor):
        raise errors.InaccessibleTensorError(
            errors.at_user_line(f"{shown(index)} belongs to a graph that is not being traced here")
        )
    found = _raw(convert_to_tensor(index) if hasattr(index, "__tf_tensor__") else index)
    if isinstance(found, (float, np.floating, bool)):
        raise TypeError(errors.at_user_line(f"list indices must be integers or slices, not {type(found).__name__}"))
    return int(found)


def _index(index: Any) -> Any:
    if isinstance(index, Tensor) or hasattr(index, "__tf_tensor__"):
        tensor = convert_to_tensor(index)
        return tensor if tensor.dtype is int32 or not tensor.dtype.is_integer else ops.cast(tensor, int32)
    return index


def _indices(indices: Any) -> Any:
    if isinstance(indices, (list, tuple)) and not any(isinstance(i, Tensor) for i in indices):
        return np.array(indices, np.int32)
    tensor = convert_to_tensor(indices, dtype_hint=int32)
    return tensor if tensor.dtype is int32 or not tensor.dtype.is_integer else ops.cast(tensor, int32)


def _elements(flow: Any, dtype: DType) -> list[Any]:
    value = flow._value
    if recorders():
        return [
            None if v is None else ops.TensorListGetItem(flow, i, _vector(np.shape(v)), element_dtype=dtype)
            for i, v in enumerate(value.items())
        ]
    return [None if v is None else EagerTensor(v, dtype) for v in value.items()]


class TensorArraySpec(TypeSpec):
    """The static type of a TensorArray.

    >>> import graphrt as tf
    >>> tf.TensorArraySpec([2], tf.float32)
    TensorArraySpec(TensorShape([2]), tf.float32, False, True)
    """

    __slots__ = ("_dims", "_dtype", "_dynamic", "_infer")

    def __init__(
        self, element_shape: ShapeLike = None, dtype: DTypeLike = "float32", dynamic_size: bool = False,
        infer_shape: bool = True
    ) -> None:  # fmt: skip
        self._dims: Dims = dims_of(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._infer = bool(infer_shape)

    @property
    def value_type(self) -> type:
        """TensorArray."""
        return TensorArray

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        return TensorShape(self._dims)

    @property
    def dynamic_size(self) -> bool:
        """Whether it may grow."""
        return self._dynamic

    @property
    def infer_shape(self) -> bool:
        """Whether all elements have one shape."""
        return self._infer

    @property
    def component_specs(self) -> list[TensorSpec]:
        """The spec of the flow."""
        return [TensorSpec([], variant)]

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """The spec that describes `value`."""
        return value.spec

    def from_components(self, components: list[Any]) -> TensorArray:
        """A TensorArray of this type over a flow."""
        return TensorArray(
            self._dtype, flow=components[0], dynamic_size=self._dynamic, infer_shape=self._infer,
            element_shape=None if self._dims is None else list(self._dims),
        )  # fmt: skip

    def is_compatible_with(self, spec_or_value: TensorArray) -> bool:
        """Whether a TensorArray (or any of a spec) may be of this type."""
        other = spec_or_value.spec if isinstance(spec_or_value, TensorArray) else spec_or_value
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype is other._dtype
            and self._dynamic == other._dynamic
            and compatible(self._dims, other._dims)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorArraySpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._dims, self._dtype, self._dynamic, self._infer

    def __repr__(self) -> str:
        return f"TensorArraySpec({self.element_shape!r}, {self._dtype!r}, {self._dynamic}, {self._infer})"

    def __reduce__(self) -> Any:
        return TensorArraySpec, self._key()
