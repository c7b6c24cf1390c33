"""Tensors: values that ops take and give.

`Tensor` is what users test for. An `EagerTensor` holds an array; a `SymbolicTensor` stands for an output of a node of
a graph that is being traced. Both have the same operators and methods; those that need a value raise on the second.
"""

# long: tensors of both kinds and operations, which give each other
from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from opcode import opmap
from operator import attrgetter
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.lib import NumpyVersion

from graphrt import errors
from graphrt.ir import op as ir_op
from graphrt.ir.graph import Graph, Node, Value, set_dims, static_value
from graphrt.ir.html import summarized
from graphrt.ir.op import OpDef, ops  # late: ops stand above tensors
from graphrt.ir.rows import Rows
from graphrt.ir.tracebacks import shorten
from graphrt.tensor.array_methods import ArrayMethods
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.conversions import is_convertible
from graphrt.types.dtype import DType, from_numpy, plain
from graphrt.types.likes import Array, DTypeLike, Index, ShapeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape, dims_of
from graphrt.types.spec import TensorSpec, set_tensor_type
from graphrt.types.structure import Dispatching, Repeatable

# Operators with a form for what stands on the right: `__add__` and `__radd__`.
REFLECTED = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
)  # fmt: skip


class Tensor(ArrayMethods):
    """A multi-dimensional array of elements of one dtype, concrete or symbolic.

    >>> import graphrt as tf
    >>> x = tf.constant([[1., 2.], [3., 4.]])
    >>> x.shape, x.dtype
    (TensorShape([2, 2]), tf.float32)
    >>> (x @ x).numpy().tolist()
    [[7.0, 10.0], [15.0, 22.0]]
    """

    __slots__ = ("__dict__", "__weakref__")  # users mark tensors: `x._mark = 1`
    __array_priority__ = 100

    # filled in by the two kinds
    dtype: DType
    dims: Dims
    weak: bool = False  # made of numbers of Python under `tensor/promotion.py`: takes the dtype of what it meets

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape(self.dims)

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape(self.dims)

    @property
    def ndim(self) -> int | None:
        """The rank, or None when unknown."""
        return None if self.dims is None else len(self.dims)

    @property
    def spec(self) -> TensorSpec:
        """Shape and dtype as a `TensorSpec`."""
        return TensorSpec(self.dims, self.dtype)

    if TYPE_CHECKING:  # both kinds have them

        def __iter__(self) -> Iterator[Tensor]: ...
        def __len__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __index__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array: ...
        def numpy(self) -> Any: ...
        def item(self, *args: int) -> Any: ...
        def tolist(self) -> Any: ...
        def set_shape(self, shape: ShapeLike) -> None: ...
        @property
        def name(self) -> str: ...
        @property
        def op(self) -> Operation: ...
        @property
        def graph(self) -> Graph: ...
        @property
        def value_index(self) -> int: ...
        def consumers(self) -> list[Operation]: ...

    @property
    def device(self) -> str:
        """Where the tensor lives: the CPU; of a tensor of a graph nothing, as it was not asked to be anywhere.

        >>> import graphrt as tf
        >>> tf.constant(1).device
        '/job:localhost/replica:0/task:0/device:CPU:0'
        """
        return "" if isinstance(self, SymbolicTensor) else "/job:localhost/replica:0/task:0/device:CPU:0"

    def ref(self) -> Reference:
        """A hashable reference to this tensor, for use in sets and as dictionary key."""
        return Reference(self)

    @property
    def assign(self) -> Callable[..., Any]:
        """For a part of a variable, such as `v[1:]`: assigns to that part. Other tensors do not have it."""
        return ops.slice_assigner(self)

    # --- operators (each is an op; see graphrt/ops) ---
    def __add__(self, other: TensorLike) -> Tensor:
        return _binary(ops.AddV2 if self.dtype.kind != "S" else ops.Add, self, other, "add")

    def __radd__(self, other: TensorLike) -> Tensor:
        return _binary(ops.AddV2 if self.dtype.kind != "S" else ops.Add, other, self, "add")

    def __sub__(self, other: TensorLike) -> Tensor:
        return _binary(ops.Sub, self, other, "sub")

    def __rsub__(self, other: TensorLike) -> Tensor:
        return _binary(ops.Sub, other, self, "sub")

    def __mul__(self, other: TensorLike) -> Tensor:
        if isinstance(other, (list, tuple, Repeatable)) and (repeated := _repeated(other, self)) is not None:
            return repeated
        return _binary(ops.Mul if self.dtype.kind != "b" else ops.times, self, other, "mul")

    def __rmul__(self, other: TensorLike) -> Tensor:
        if isinstance(other, (list, tuple, Repeatable)) and (repeated := _repeated(other, self)) is not None:
            return repeated
        return _binary(ops.Mul if self.dtype.kind != "b" else ops.times, other, self, "mul")

    def __truediv__(self, other: TensorLike) -> Tensor:
        return _binary(ops.true_divide, self, other, "truediv")

    def __rtruediv__(self, other: TensorLike) -> Tensor:
        return _binary(ops.true_divide, other, self, "truediv")

    def __floordiv__(self, other: TensorLike) -> Tensor:
        return _binary(ops.FloorDiv, self, other, "floordiv")

    def __rfloordiv__(self, other: TensorLike) -> Tensor:
        return _binary(ops.FloorDiv, other, self, "floordiv")

    def __mod__(self, other: TensorLike) -> Tensor:
        return _binary(ops.FloorMod, self, other, "mod")

    def __rmod__(self, other: TensorLike) -> Tensor:
        return _binary(ops.FloorMod, other, self, "mod")

    def __pow__(self, other: TensorLike, modulus: TensorLike | None = None) -> Tensor:
        if modulus is None:
            return _binary(ops.Pow, self, other, "pow")
        return ops.cast(ops.power_modulo(self, other, modulus), self.dtype)

    def __rpow__(self, other: TensorLike, modulus: TensorLike | None = None) -> Tensor:
        if modulus is None:
            return _binary(ops.Pow, other, self, "pow")
        return ops.cast(ops.power_modulo(other, self, modulus), self.dtype)

    def __matmul__(self, other: TensorLike) -> Tensor:
        return _binary(ops.matmul, self, other, "matmul")

    def __rmatmul__(self, other: TensorLike) -> Tensor:
        return _binary(ops.matmul, other, self, "matmul")

    def __lt__(self, other: TensorLike) -> Tensor:
        return _binary(ops.Less, self, other)

    def __le__(self, other: TensorLike) -> Tensor:
        return _binary(ops.LessEqual, self, other)

    def __gt__(self, other: TensorLike) -> Tensor:
        return _binary(ops.Greater, self, other)

    def __ge__(self, other: TensorLike) -> Tensor:
        return _binary(ops.GreaterEqual, self, other)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]  # as NumPy's arrays compare
        return ops.tensor_equals(self, other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return ops.tensor_not_equals(self, other)

    def __and__(self, other: TensorLike) -> Tensor:
        return _binary(ops.bit_and, self, other, "and")

    def __rand__(self, other: TensorLike) -> Tensor:
        return _binary(ops.bit_and, other, self, "and")

    def __or__(self, other: TensorLike) -> Tensor:
        return _binary(ops.bit_or, self, other, "or")

    def __ror__(self, other: TensorLike) -> Tensor:
        return _binary(ops.bit_or, other, self, "or")

    def __xor__(self, other: TensorLike) -> Tensor:
        return _binary(ops.bit_xor, self, other, "xor")

    def __rxor__(self, other: TensorLike) -> Tensor:
        return _binary(ops.bit_xor, other, self, "xor")

    def __lshift__(self, other: TensorLike) -> Tensor:
        return _binary(ops.LeftShift, self, other, "lshift")

    def __rlshift__(self, other: TensorLike) -> Tensor:
        return _binary(ops.LeftShift, other, self, "lshift")

    def __rshift__(self, other: TensorLike) -> Tensor:
        return _binary(ops.RightShift, self, other, "rshift")

    def __rrshift__(self, other: TensorLike) -> Tensor:
        return _binary(ops.RightShift, other, self, "rshift")

    def __divmod__(self, other: TensorLike) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self, other: TensorLike) -> tuple[Tensor, Tensor]:
        return self.__rfloordiv__(other), self.__rmod__(other)

    def __neg__(self) -> Tensor:
        return ops.Neg(self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return self if self.dtype.is_unsigned else ops.abs(self, name="Abs")

    def __invert__(self) -> Tensor:
        return ops.bit_not(self)

    def __round__(self, ndigits: int | None = None) -> Tensor:
        if ndigits is None:
            return ops.Round(self)
        if not self.dtype.is_integer:
            scale = 10.0**ndigits
            return ops.Round(self * scale) / scale
        if ndigits >= 0:
            return self
        unit = 10**-ndigits
        whole = self // unit
        rest = (self - whole * unit) * 2
        up = ops.LogicalOr(rest > unit, ops.LogicalAnd(ops.Equal(rest, unit), ops.Equal(whole % 2, 1)))
        return ops.SelectV2(up, whole + 1, whole) * unit

    def __getitem__(self, key: Index) -> Tensor:
        try:
            return ops.getitem(self, key)
        except BaseException as error:
            shorten(error)
            raise

    def __setitem__(self, key: Index, value: object) -> None:
        raise TypeError(
            errors.at_user_line(
                f"'{type(self).__name__}' object does not support item assignment: a tensor cannot be changed in place. "
                "Use tf.tensor_scatter_nd_update, or collect values in a tf.TensorArray or a tf.Variable."
            )
        )

    def __delitem__(self, key: Index) -> None:
        raise TypeError(
            errors.at_user_line(
                f"'{type(self).__name__}' object does not support item deletion: a tensor cannot be changed in place. "
                "Use tf.boolean_mask, or put slices together with tf.concat."
            )
        )

    def __hash__(self) -> int:
        raise TypeError(
            errors.at_user_line(
                f"unhashable type: '{type(self).__name__}': tensors are compared element by element. Use `tensor.ref()` as "
                "the key of a dictionary or in a set."
            )
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: TensorLike, **kwargs: object) -> Any:
        return ops.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return ops.array_function(func, types, args, kwargs)


_DLPACK_HAS_VERSIONS = NumpyVersion(np.__version__) >= "2.1.0"  # and so can say that memory is not to be written to


class EagerTensor(Tensor):
    """A tensor that holds its elements: an ndarray, a NumPy scalar (0-d), or the object behind a handle."""

    __slots__ = ("_dtype", "_value")

    def __init__(self, value: Any, dtype: DType | None = None) -> None:
        self._value = value
        self._dtype = dtype

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        """The element type."""
        found = self._dtype
        if found is None:
            found = self._dtype = from_numpy(self._value.dtype)
        return found

    @property
    def dims(self) -> Dims:  # type: ignore[override]
        """The shape as a tuple."""
        value = self._value
        if self._dtype is None or self._dtype.kind != "O" or isinstance(value, np.ndarray):
            return getattr(value, "shape", ())
        return ()  # the object behind a handle, whose `shape` is that of something else

    def numpy(self) -> Any:
        """The elements as a NumPy array of the caller's own (a NumPy scalar, or bytes, when 0-d)."""
        value = self._value
        if isinstance(value, np.ndarray):
            if value.ndim == 0:
                return plain(value)[()] if value.dtype != object else value.item()
            return plain(value).copy()
        if self.dtype.kind == "O":
            raise ValueError(f"Cannot convert a Tensor of dtype {self.dtype.name} to a NumPy array.")
        return plain(value)

    def cpu(self) -> EagerTensor:
        """This tensor: it is in the memory of the host.

        >>> import graphrt as tf
        >>> tf.constant(1).cpu().numpy()
        np.int32(1)
        """
        return self

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """There is no such device.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError(errors.at_user_line(f"GPU:{gpu_index} unknown device."))

    @property
    def backing_device(self) -> str:
        """Where the memory of the tensor is: that of `device`."""
        return self.device

    def set_shape(self, shape: ShapeLike) -> None:
        """Checks that the shape is compatible with `shape`.

        Raises:
          ValueError: it is not.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if self.dtype.kind == "O":
            raise ValueError(f"Cannot convert a Tensor of dtype {self.dtype.name} to a NumPy array.")
        array = np.asarray(plain(self._value))
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(
                    f"a tensor of dtype {self.dtype.name} cannot become an array of {np.dtype(dtype)} without a copy"
                )
            return array.astype(dtype)
        if copy:
            return array.copy()
        array = array.view()
        array.flags.writeable = False  # the memory is shared, and tensors are not written to
        return array

    def _scalar(self, kind: str) -> Any:
        value = self._value
        if getattr(value, "size", 1) != 1:
            raise TypeError(f"Only scalar tensors can be converted to {kind}; this one has shape {self.shape}")
        return plain(value).item() if hasattr(value, "item") else value

    def __bool__(self) -> bool:
        value = self._value
        if type(value) is np.bool_:
            return bool(value)
        if getattr(value, "size", 1) != 1:
            raise ValueError(
                f"The truth value of a tensor of shape {self.shape} is ambiguous. Use tf.reduce_any or tf.reduce_all."
            )
        return bool(plain(value).item() if hasattr(value, "item") else value)

    def __int__(self) -> int:
        return int(self._scalar("a Python int"))

    def __float__(self) -> float:
        value = self._scalar("a Python float")
        if isinstance(value, complex):
            raise TypeError(
                "Cannot convert a complex tensor to a Python float: take tf.math.real or tf.abs of it first"
            )
        return float(value)

    def __complex__(self) -> complex:
        return complex(self._scalar("a Python complex"))

    def __index__(self) -> int:
        if not self.dtype.is_integer:
            raise TypeError(f"Only integer scalar tensors can be converted to an index; this one is {self.dtype.name}")
        return int(self._scalar("an index"))

    def __len__(self) -> int:
        dims = self.dims
        if not dims:
            if self.dtype.kind == "S":
                return len(self.numpy().decode("utf-8", "surrogateescape"))
            raise TypeError("Scalar tensor has no `len()`")
        return int(dims[0])  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Tensor]:
        dims = self.dims
        if not dims:
            raise TypeError("Cannot iterate over a scalar tensor.")
        if current_graph() is not None or recorders() or self.dtype.kind in "OS":
            return iter(ops.unstack(self))
        return iter([EagerTensor(row) for row in self._value])

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec) if self.dtype.kind != "O" else format(str(self), spec)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.dtype.kind == "O":
            raise TypeError(f"cannot pickle a tensor of dtype {self.dtype.name}")
        return _restore, (np.asarray(self._value),)

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def item(self, *args: int) -> float:
        """An element as a Python value: the only one, or that at a position.

        Raises:
          ValueError: there are several, and no position is given.
        """
        return np.asarray(plain(self._value)).item(*args)

    def tolist(self) -> Any:
        """The elements in nested lists of Python values."""
        return np.asarray(plain(self._value)).tolist()

    def tobytes(self) -> bytes:
        """The bytes of the elements, in the order of the last dimension first."""
        return np.asarray(self._value).tobytes()

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:  # fmt: skip
        if self.dtype.kind in "SO":
            raise BufferError(f"DLPack has no elements of dtype {self.dtype.name}")
        if stream is not None:
            raise BufferError("there are no streams on the CPU: stream must be None")
        value = np.asarray(plain(self._value))
        versioned = max_version is not None and max_version[0] >= 1 and _DLPACK_HAS_VERSIONS
        shared = copy is not True and versioned  # can say that it is read-only
        if shared:
            value = value.view()
            value.flags.writeable = False
        elif copy is False:
            raise BufferError(
                "DLPack before version 1.0 cannot say that memory is not to be written to: a tensor is only handed out "
                "as a copy"
            )
        else:
            value = np.array(value)
        if not _DLPACK_HAS_VERSIONS:
            if dl_device not in (None, self.__dlpack_device__()):
                raise BufferError(f"tensors are on the CPU, device {self.__dlpack_device__()}, not {dl_device}")
            return value.__dlpack__()
        return value.__dlpack__(max_version=max_version, dl_device=dl_device)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # kDLCPU

    def __buffer__(self, flags: int) -> memoryview:  # Python 3.12 on; before, only types written in C have buffers
        if flags & 1:  # PyBUF_WRITABLE
            raise BufferError("a tensor cannot be changed: its memory is read-only")
        if self.dtype.kind in "SO":
            raise BufferError(f"a tensor of dtype {self.dtype.name} has no buffer")
        value = np.asarray(plain(self._value)).view()
        value.flags.writeable = False
        return memoryview(value)  # type: ignore[arg-type]

    def _text(self) -> str:
        if self.dtype.kind == "O":
            return f"<{self.dtype.name}>"
        return str(np.asarray(plain(self._value)))

    def __str__(self) -> str:
        text = self._text()
        newline = "\n" if "\n" in text else ""
        return f"tf.Tensor({newline}{text}, shape={self.shape}, dtype={self.dtype.name}{self._weakness()})"

    def _weakness(self) -> str:
        return ", weak=True" if self.weak else ""

    def __repr__(self) -> str:
        text = f"<{self.dtype.name}>" if self.dtype.kind == "O" else array_text(self._value)
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={text}{self._weakness()}>"

    def _repr_html_(self) -> str | None:
        """What notebooks show of a large tensor: what is in it, and its text. Of a small one they show the text."""
        return summarized(repr(self), self._value)


def array_text(value: Array) -> str:
    """The elements as `repr` of a tensor shows them."""
    array = np.asarray(plain(value))
    if array.ndim == 0:
        item = array[()]
        return format(item) if not isinstance(item, bytes) else repr(item)
    text = repr(array)
    return f"\n{text}" if "\n" in text else text


def _restore(array: Array) -> EagerTensor:
    return EagerTensor(array if array.ndim else array[()])


_UNPACK_SEQUENCE, _EXTENDED_ARG = opmap["UNPACK_SEQUENCE"], opmap["EXTENDED_ARG"]


def unpacked_count(frame: FrameType) -> int | None:
    """Into how many names the code that runs in `frame` unpacks a value now; None if it does something else."""
    units, at = frame.f_code.co_code, frame.f_lasti
    if at < 0 or units[at] != _UNPACK_SEQUENCE or (at >= 2 and units[at - 2] == _EXTENDED_ARG):
        return None
    return units[at + 1]


class SymbolicTensor(Tensor):
    """A tensor of a graph that is being traced: it has a dtype and a static shape, but no elements yet."""

    __slots__ = ("row", "value")

    def __init__(self, value: Value) -> None:
        self.value = value
        self.row: tuple[Rows, int] | None = None
        value.handle = self

    @classmethod
    def of_row(cls, rows: Rows, at: int) -> SymbolicTensor:
        """The tensor of an operator that has no node yet: there is no value before somebody asks for it."""
        made = cls.__new__(cls)
        rows.show(at, made)
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            row = self.row if name == "value" else None
            if row is not None:
                row[0].tell(self)
            return object.__getattribute__(self, name)  # raises what it has raised already

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        """The element type."""
        row = self.row
        return self.value.dtype if row is None else row[0].dtype(row[1])

    @property
    def dims(self) -> Dims:  # type: ignore[override]
        """The static shape as a tuple, None for unknown rank."""
        return self.value.dims

    @property
    def name(self) -> str:
        """Name of the operation and index of the output, `add:0`."""
        return self.value.name

    @property
    def op(self) -> Operation:
        """The operation that gives this tensor."""
        return operation_of(self.value.node)

    @property
    def graph(self) -> Graph:
        """The graph this tensor belongs to."""
        row = self.row
        return self.value.node.graph if row is None else row[0].graph

    @property
    def value_index(self) -> int:
        """Which output of its operation this tensor is."""
        return self.value.index

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor."""
        return [operation_of(n) for n in self.graph.nodes if any(v is self.value for v in n.inputs)]

    def set_shape(self, shape: ShapeLike) -> None:
        """Adds what is known of the shape.

        Raises:
          ValueError: it contradicts what was known.
        """
        set_dims(self.value, dims_of(shape))

    def _refuse(
        self, use: str, instead: str, kind: type[Exception] = errors.OperatorNotAllowedInGraphError
    ) -> NoReturn:
        location = self.value.node.location
        made = f" (made at {errors.shown_place(*location)})" if location else ""
        raise kind(
            errors.at_user_line(
                f"Using a symbolic `tf.Tensor` as {use} is not allowed: {self!r}{made} has no value while the graph "
                f"is being traced. {instead}"
            )
        )

    def __bool__(self) -> bool:
        self._refuse(
            "a Python `bool`",
            f"Here {errors.why_python()}. Let AutoGraph convert the function (@tf.function, or autograph.convert) so that "
            "the condition becomes graph control flow, or use tf.cond, tf.while_loop or tf.where.",
        )

    def __int__(self) -> int:
        self._refuse("a Python `int`", "Use tf.cast, or compute the number outside of the traced function.")

    def __index__(self) -> int:
        self._refuse("a Python index", "Use tf.gather or tf.slice, or compute the index outside of the function.")

    def __float__(self) -> float:
        self._refuse("a Python `float`", "Use tf.cast, or compute the number outside of the traced function.")

    def __complex__(self) -> complex:
        self._refuse("a Python `complex`", "Use tf.cast, or compute the number outside of the traced function.")

    def __len__(self) -> int:
        dims = self.dims
        if dims:
            if dims[0] is not None:
                return dims[0]
        elif dims is not None:
            raise TypeError("Scalar tensor has no `len()`")
        self._refuse("an argument of `len`", "Its length is not known while tracing: use tf.shape(x)[0].")

    def __iter__(self) -> Iterator[Tensor]:
        dims = self.dims
        if dims == ():
            raise TypeError("Cannot iterate over a scalar tensor.")
        if dims is not None and dims[0] is not None:
            return iter(ops.unstack(self))
        count = unpacked_count(sys._getframe(1))
        if count is not None:
            whole = ops.ensure_shape(self, [count] if dims is None else [count, *dims[1:]])
            return iter(ops.unstack(whole) if dims is not None else [whole[i] for i in range(count)])
        self._refuse(
            "a Python iterable",
            "Its length is not known while tracing: loop over it in a function converted by AutoGraph, or use "
            "tf.while_loop or tf.map_fn.",
        )

    def __hash__(self) -> int:
        self._refuse(
            "a key of a dictionary or an element of a set",
            "Look it up with tf.gather or a chain of `if`, or use x.ref() where the tensor itself is meant.",
        )

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        self._refuse(
            f"a number to format as {spec!r}", "Use tf.strings.as_string(x, precision=...) or tf.strings.format."
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        self._refuse("a NumPy array", "Use the tf function of the same name, or tf.numpy_function.")

    @property
    def numpy(self) -> Any:
        """Not available: a symbolic tensor has no elements.

        Raises:
          NoElementsError: always; an OperatorNotAllowedInGraphError and an AttributeError.
        """
        self._refuse(
            "a NumPy array", "Return the tensor from the function and call .numpy() on the result.",
            errors.NoElementsError,
        )  # fmt: skip

    def item(self, *args: int) -> Tensor:
        """The only element, or that at a position, as a tensor without dimensions."""
        if not args:
            return ops.Reshape(self, [])
        place = args[0] if len(args) == 1 else args
        return ops.Reshape(self, [-1])[place] if not isinstance(place, tuple) else self[place]

    def tolist(self) -> Any:
        """The elements, tensors without dimensions, in nested lists.

        Raises:
          OperatorNotAllowedInGraphError: the shape is not known.
        """
        return [row.tolist() for row in self] if self.dims != () else self

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {self!r}: it has no value. Pickle the concrete function or its results instead")

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self.dims is None else f" shape={self.shape},"
        return f'Tensor("{self.name}",{shape} dtype={self.dtype.name})'


@functools.total_ordering
class Reference:
    """A hashable stand-in for a tensor or variable: equal when it is the same object."""

    __slots__ = ("_target",)

    def __init__(self, target: object) -> None:
        self._target = target

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._target is other._target

    def __hash__(self) -> int:
        return id(self._target)

    def __lt__(self, other: Any) -> Any:  # an order that means nothing, but stays: so that they can be sorted
        return id(self._target) < id(other.deref()) if isinstance(other, Reference) else NotImplemented

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._target!r}>"


class Operation:
    """A node of a traced graph, as users see it.

    >>> import graphrt as tf
    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     total = tf.add(1, 2, name="total")
    >>> total.op.name, total.op.type, [t.name for t in total.op.inputs]
    ('total', 'AddV2', ['total/x:0', 'total/y:0'])
    """

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node
        node.handle = self

    @property
    def name(self) -> str:
        """The node's name, unique in its graph."""
        return self.node.name

    @property
    def type(self) -> str:
        """The op's type, such as 'AddV2'."""
        return self.node.type

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self.node.graph

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors it takes."""
        return tuple(tensor_of(v) for v in self.node.inputs)

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors it gives."""
        return [tensor_of(v) for v in self.node.outputs]

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must run before this one, beyond its inputs."""
        return [operation_of(n) for n in self.node.controls]

    @property
    def device(self) -> str:
        """Always empty: there is one device."""
        return ""

    def values(self) -> tuple[Tensor, ...]:
        """The outputs as a tuple."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """The value of attribute `name`.

        Raises:
          ValueError: the operation has no such attribute.
        """
        if name not in self.node.attrs:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")
        return self.node.attrs[name]

    @property
    def node_def(self) -> Any:
        """The operation as a `NodeDef` message."""
        return ops.node_def(self.node)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


# What an eager tensor holds: an ndarray, a NumPy scalar, or the object behind a handle. Not a copy: do not write to it.
raw_of: Callable[[Any], Any] = attrgetter("_value")


def alike(value: object, tensor: Any) -> EagerTensor:
    """An eager tensor of `value`, with the dtype of another one."""
    return EagerTensor(value, tensor._dtype)


def behind(tensor: Tensor) -> Any:
    """What stands behind a handle: of an eager tensor of dtype resource its element, otherwise None."""
    return tensor._value if isinstance(tensor, EagerTensor) and tensor.dtype.kind == "O" else None


def tensor_of(value: Value) -> SymbolicTensor:
    """The symbolic tensor that shows `value` (always the same object)."""
    return SymbolicTensor(value) if value.handle is None else value.handle


def operation_of(node: Node) -> Operation:
    """The operation that shows `node` (always the same object)."""
    return Operation(node) if node.handle is None else node.handle


def static_array(tensor: object) -> Any:
    """The array a tensor holds or will certainly hold (constants folded), or None. Not a copy: do not write to it."""
    if isinstance(tensor, EagerTensor):
        return np.asarray(tensor._value) if tensor.dtype.kind != "O" else None
    return static_value(tensor.value) if isinstance(tensor, SymbolicTensor) else None


def _repeated(elements: list[Any] | tuple[Any, ...] | Repeatable, times: Tensor) -> Any:
    """A list as often as a number of a graph says; None where that is a tensor, which multiplies."""
    if isinstance(elements, Repeatable):
        return elements.__mul__(times)
    return ops.repeated_sequence(elements, times) if isinstance(times, SymbolicTensor) else None


def _binary(op: Callable[..., Any], x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    if type(op) is OpDef and op.is_quick and (found := ir_op.record_quickly(op, (x, y), name, 2)) is not None:
        return found
    other = y if isinstance(x, Tensor) else x
    if SWITCH.promoting is not None:
        x, y = SWITCH.promoting.operands(x, y)
    if (type(x) is SymbolicTensor and x.value.weak is not None) or (
        type(y) is SymbolicTensor and y.value.weak is not None
    ):
        x, y = ops.balanced(x, y)
    if isinstance(other, (Tensor, int, float, complex, np.ndarray, np.generic, list, tuple, str, bytes, Dispatching)):
        return op(x, y, name=name)
    if hasattr(other, "__tf_tensor__") or hasattr(other, "__array__") or is_convertible(other):
        return op(x, y, name=name)
    if isinstance(other, memoryview) or (ops.is_other_sequence(other) and not _has_operators(type(other))):
        return op(x, y, name=name)
    return NotImplemented


def _has_operators(kind: type) -> bool:
    """Whether a class of the program, or of Python's library, answers `x + value` itself, as `UserList` does."""
    return any(isinstance(getattr(kind, name, None), FunctionType) for name in ("__radd__", "__rmul__", "__rsub__"))


set_tensor_type(Tensor)
