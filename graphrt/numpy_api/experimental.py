"""`tf.experimental.numpy`: NumPy's functions, which give tensors.

    import graphrt.experimental.numpy as tnp        (or tf.experimental.numpy)

On tensors they are the ops that `np.sin(x)`, `np.where(...)` and the others are, eagerly and while tracing; on Python's
numbers, lists and arrays they are NumPy's own, and the result becomes a tensor. Dtypes follow NumPy: float64 and int64
unless something else is said.

>>> import graphrt as tf
>>> tnp = tf.experimental.numpy
>>> tnp.sum(tnp.ones([2, 3]), axis=0).numpy().tolist()
[2.0, 2.0, 2.0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir import examples
from graphrt.numpy_api.operands import any_symbolic, check_numbers, is_tensor_like, leniently
from graphrt.ops.array.creation import fill
from graphrt.ops.array.creation import range as counted
from graphrt.ops.array.shape import broadcast_to as broadcast_to_  # the name is for NumPy's
from graphrt.ops.array.shape import rank as tensor_rank
from graphrt.ops.array.shape import reshape as reshaped  # `reshape` is NumPy's
from graphrt.ops.array.shape import size as tensor_size
from graphrt.ops.math.casting import cast
from graphrt.ops.support.shape_rules import size_list
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.convert import constant, convert_to_tensor
from graphrt.tensor.promotion import (
    MODES,
    Conversion,
    agreed,
    conversion,
    convert_dtypes,
    is_plain,
    kind_of,
    promoted_kind,
    weakened,
    weakly,
)
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType, as_dtype, from_numpy
from graphrt.types.likes import AxisLike, DTypeLike, ShapeLike, TensorLike
from graphrt.types.limits import check_bytes, made
from graphrt.types.nesting import bounded, shown, walkable
from graphrt.types.shape import TensorShape

NAMES = """
    abs absolute add all allclose amax amin angle any append arccos arccosh arcsin arcsinh arctan arctan2
    arctanh argmax argmin argsort around array_equal atleast_1d atleast_2d atleast_3d average bitwise_and
    bitwise_not bitwise_or bitwise_xor broadcast_arrays broadcast_to cbrt ceil clip compress concatenate conj
    conjugate copy cos cosh count_nonzero cross cumprod cumsum deg2rad diag diagflat diagonal diff divide divmod
    dot dsplit dstack einsum empty_like equal exp exp2 expand_dims expm1 fabs fix flip fliplr flipud float_power
    floor floor_divide full_like gcd greater greater_equal heaviside hsplit hstack hypot imag inner isclose
    iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf isreal isrealobj ix_ kron lcm less less_equal
    linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace
    matmul max maximum mean meshgrid min minimum mod moveaxis multiply nanmean nanprod nansum negative nextafter
    nonzero not_equal ones_like outer pad polyval positive power prod ptp rad2deg ravel real reciprocal
    remainder repeat reshape roll rot90 round select sign signbit sin sinc sinh sort split sqrt square squeeze
    stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose tril triu
    true_divide vander var vdot vsplit vstack where zeros_like
"""
_FUNCTIONS = frozenset(NAMES.split())
_OWN = [
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "diag_indices", "empty", "eye", "full",
    "geomspace", "identity", "isscalar", "issubdtype", "ones", "promote_types", "result_type", "shape", "tri",
    "zeros", "ndim", "size",
    "experimental_enable_numpy_behavior", "flatten",
]  # fmt: skip
_TYPES = """
    bool_ complex128 complex64 finfo float16 float32 float64 iinfo inexact int16 int32 int64 int8 int_ ndarray
    object_ uint16 uint32 uint64 uint8
"""

e, inf, newaxis, pi = np.e, np.inf, None, np.pi
complex_, float_, string_, unicode_ = np.complex128, np.float64, np.bytes_, np.str_
ndarray = Tensor
bool_, complex128, complex64, float16, float32, float64 = (
    np.bool_, np.complex128, np.complex64, np.float16, np.float32, np.float64,
)  # fmt: skip
inexact, int16, int32, int64, int8, int_ = np.inexact, np.int16, np.int32, np.int64, np.int8, np.int_
object_, uint16, uint32, uint64, uint8 = np.object_, np.uint16, np.uint32, np.uint64, np.uint8


# --- between tensors and arrays --------------------------------------------------------------------------------------
def _holds(value: object) -> bool:
    return any(map(_holds, value)) if isinstance(value, (list, tuple)) else is_tensor_like(value)


def _holds_tensor(value: object) -> bool:
    return bounded(_holds)(value) if isinstance(value, (list, tuple)) else is_tensor_like(value)


def finfo(dtype: DTypeLike) -> np.finfo[Any]:
    """What a floating-point dtype can hold, as NumPy tells it.

    >>> import graphrt as tf
    >>> float(tf.experimental.numpy.finfo(tf.float16).max)
    65504.0
    """
    return np.finfo(_typed(dtype))


def iinfo(dtype: DTypeLike) -> np.iinfo[Any]:
    """What an integer dtype can hold, as NumPy tells it.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.iinfo(tf.int8).max
    127
    """
    return np.iinfo(_typed(dtype))


def _typed(value: Any) -> Any:
    """Dtypes as NumPy's, and variables as tensors."""
    if isinstance(value, DType):
        return value.as_numpy_dtype
    if is_tensor_like(value) and not isinstance(value, Tensor):
        return convert_to_tensor(value)
    if isinstance(value, TensorShape):
        return tuple(value.as_list())
    return type(value)(_typed(v) for v in value) if type(value) in (list, tuple) else value


def _tensors(value: TensorLike) -> Any:
    """Arrays in a result as tensors."""
    if isinstance(value, (np.ndarray, np.generic)):
        return convert_to_tensor(value)
    if isinstance(value, (list, tuple)):
        return [_tensors(v) for v in value] if not hasattr(value, "_fields") else type(value)(*map(_tensors, value))
    return convert_to_tensor(value) if isinstance(value, (bool, int, float, complex)) else value


# NumPy's functions that take no lists, with the number of arguments that must be arrays
_OF_ARRAYS = {"split": 1, "dsplit": 1, "hsplit": 1, "vsplit": 1, "take_along_axis": 2}
# those that add up integers in 64 bits
_WIDENING = frozenset({"sum", "prod", "cumsum", "cumprod", "nansum", "nanprod"})
# those that make floats of integers alone: in float32 where that is preferred
_SPACES = frozenset({"linspace", "logspace"})
# those whose answer is about the arguments, and not their elements
_OF_PYTHON = frozenset({"iscomplexobj", "isrealobj"})


# which arguments have one dtype, of the functions that are no ufuncs
_OPERANDS = dict.fromkeys(("cross", "dot", "inner", "kron", "outer", "tensordot", "vdot"), slice(0, 2))
_OPERANDS |= {"where": slice(1, 3), "clip": slice(0, 3), "linspace": slice(0, 2), "logspace": slice(0, 2)}
# those whose arguments, or the items of whose first one, are arrays each for itself, lists and numbers, too
_EACH = frozenset({"append", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "meshgrid"})
_ITEMS = frozenset({"dstack", "hstack", "vstack"})
# those in which arrays alone are, and lists and numbers take the dtype of the tensors; as in TensorFlow
_STRONG_ITEMS = {"concatenate": 0, "select": 1, "stack": 0}
_JOINING = _EACH | _ITEMS | _STRONG_ITEMS.keys()
_ARRAYS = np.ndarray, np.generic


def _as_arrays(given: list[Any], name: str) -> list[Any]:
    """Arguments in which what is joined with tensors is as strong as they are: NumPy promotes them."""
    if name in _EACH:
        count = (2 if len(given) > 1 else 0) if name == "append" else len(given)
        return [*map(array, given[:count]), *given[count:]]
    place = 0 if name in _ITEMS else _STRONG_ITEMS[name]
    if len(given) > place and isinstance(given[place], (list, tuple)):
        given[place] = [array(v) if name in _ITEMS or isinstance(v, _ARRAYS) else v for v in given[place]]
    if name == "select":
        given[2:] = [array(v) if isinstance(v, _ARRAYS) else v for v in given[2:]]
    return given


def _promoted(given: list[Any], operands: slice) -> tuple[list[Any], bool]:
    """Arguments whose operands agree as tensors do, where weak tensors exist; and whether they are weak."""
    asked = conversion()
    if asked is None or not asked.is_weak:
        return given, False
    found = agreed(*given[operands]) if len(given) >= operands.stop else None
    if found is None:
        return given, False
    return [*given[: operands.start], *found[0], *given[operands.stop :]], found[1]


def _is_double(value: Any) -> bool:
    kind = kind_of(value) if not isinstance(value, (type, str)) else None
    return value is np.float64 if kind is None else kind[0] in (dtypes.float64, dtypes.complex128)


def _single(value: Any) -> Any:
    """What NumPy makes in double precision of numbers that have none, where they are float32."""
    if isinstance(value, Tensor):
        return cast(value, dtypes.float32) if value.dtype is dtypes.float64 else value
    if isinstance(value, (np.ndarray, np.generic)):
        return value.astype(np.float32) if value.dtype == np.float64 else value
    return value


def _prefers_float32() -> bool:
    asked = conversion()
    return asked is not None and asked.prefer_float32 and not asked.is_weak


def _is_float(value: object) -> bool:
    """Whether `value` is a float of Python, or lists with one."""
    return isinstance(value, float) or (isinstance(value, (list, tuple)) and any(map(_is_float, value)))


def _in_float32(given: list[Any]) -> list[Any]:
    """Operands with Python's floats, and lists of integers beside them, in float32."""
    plain = [type(v) is float or (isinstance(v, (list, tuple)) and is_plain(v)) for v in given]
    if not any(_is_float(v) for v, is_own in zip(given, plain) if is_own):
        return given
    return [
        np.asarray(v, np.float32) if is_own and np.asarray(v).dtype.kind != "c" else v
        for v, is_own in zip(given, plain)
    ]


def _widened(value: Any) -> Any:
    """A tensor of narrow integers in 64 bits."""
    if not is_tensor_like(value) or not (value.dtype.is_integer or value.dtype.is_bool) or value.dtype.size == 8:
        return value
    return cast(value, from_numpy(np.dtype("uint64" if value.dtype.is_unsigned else "int64")))


def _function(name: str) -> Callable[..., Any]:
    numpys = np.trunc if name == "fix" else getattr(np, name)  # NumPy 2.5 warns of its own `fix`
    of_arrays = _OF_ARRAYS.get(name, 0)
    operands = slice(0, numpys.nin) if isinstance(numpys, np.ufunc) else _OPERANDS.get(name, slice(0, 1))

    floats = slice(1, None) if name == "einsum" else operands
    joins = name in _JOINING

    @bounded
    def function(*args: TensorLike, **kwargs: object) -> Any:
        given = [_typed(walkable(a)) for a in args]
        given[:of_arrays] = [np.asarray(a) if isinstance(a, (list, tuple)) else a for a in given[:of_arrays]]
        named = {k: _typed(walkable(v)) for k, v in kwargs.items()}
        if name in _WIDENING and given and weakly() is None and named.get("dtype") is None:
            given[0] = _widened(given[0])
        weak, asked = False, conversion()
        if joins and weakly() is None and _holds_tensor(given):
            given = _as_arrays(given, name)
        if any(map(is_tensor_like, given[operands])):  # arrays are as strong as tensors here
            given[operands] = [convert_to_tensor(v) if isinstance(v, _ARRAYS) else v for v in given[operands]]
        if SWITCH.promoting:
            given, weak = _promoted(given, operands)
        if _prefers_float32():
            given[floats] = _in_float32(given[floats])
        try:
            found = leniently(numpys, *given, **named)
        except MemoryError as error:
            raise errors.ResourceExhaustedError(None, None, errors.at_user_line(f"{name}: {error}")) from None
        if asked is not None and (asked.is_weak or (name in _SPACES and asked.prefer_float32)):
            found = found if any(map(_is_double, (*given, *named.values()))) else _single(found)
        if name in _OF_PYTHON:
            return bool(found)
        if any(_holds_tensor(v) for v in (*given, *named.values())) and isinstance(found, Tensor):
            return weakened(found, weak)
        return tuple(_tensors(found)) if name == "divmod" else _tensors(found)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""`numpy.{name}`, which gives tensors.

    Lists and numbers are taken as NumPy takes them; errors are NumPy's, too.

{examples.of_name("experimental_numpy", name)}
"""
    return function


# state: bounded by the names of NumPy
_made: dict[str, Callable[..., Any]] = {}


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {shown(__name__)} has no attribute {shown(name)}")
    if not hasattr(np, name):
        raise AttributeError(f"NumPy {np.__version__} has no function {shown(name)}")
    if name not in _made:  # a name such as `any` must not become one of this module, which uses Python's
        _made[name] = _function(name)
    return _made[name]


def __dir__() -> list[str]:
    return sorted({*__all__})


# --- arrays made -----------------------------------------------------------------------------------------------------
_NARROW = {float: np.float32, int: np.int32}


def _numpy_type(dtype: Any) -> np.dtype[Any] | None:
    if dtype in _NARROW and weakly() is not None:
        return np.dtype(_NARROW[dtype])
    return None if dtype is None else np.dtype(dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype)


def array(val: TensorLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of a value: a nested list of numbers and tensors, an array, or a tensor.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.array([1, 2]).dtype
    tf.int64
    """
    wanted = _numpy_type(dtype)
    if wanted is None and is_plain(val) and (asked := conversion()) is not None:
        if asked.is_weak:
            return array(constant(val), None, copy, ndmin)
        if asked.prefer_float32 and np.asarray(val).dtype == np.float64:
            wanted = np.dtype(np.float32)
    if _holds_tensor(val):
        if any_symbolic(val) or is_tensor_like(val):
            tensor = val if isinstance(val, Tensor) else convert_to_tensor(val)
        else:
            tensor = convert_to_tensor(np.array(val))
        tensor = tensor if wanted is None else cast(tensor, from_numpy(wanted))
    else:
        tensor = convert_to_tensor(np.array(val, wanted))
    if ndmin and tensor.dims is not None and len(tensor.dims) < ndmin:
        tensor = reshaped(tensor, [1] * (ndmin - len(tensor.dims)) + [-1 if d is None else d for d in tensor.dims])
    return tensor


def asarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """`a` as a tensor.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.asarray(1.5).dtype
    tf.float64
    """
    return array(a, dtype)


asanyarray = ascontiguousarray = asarray


def _filled(shape: Any, value: Any, dtype: Any) -> Tensor:
    kind = _numpy_type(dtype)
    if kind is None and weakly() is not None and (found := kind_of(value)) is not None:
        kind = np.dtype(found[0].as_numpy_dtype)
    if kind is None and _prefers_float32() and _is_float(value):
        kind = np.dtype(np.float32)
    if _holds_tensor(shape) or _holds_tensor(value):
        scalar = convert_to_tensor(value) if kind is None else cast(convert_to_tensor(value), from_numpy(kind))
        if scalar.dims != ():
            return broadcast_to_(scalar, convert_to_tensor(size_list(shape)))
        return fill(convert_to_tensor(size_list(shape)), scalar)
    return convert_to_tensor(made("the array", np.full, _typed(shape), value, kind))


def zeros(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Zeros of a shape.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.zeros(2).numpy().tolist()
    [0.0, 0.0]
    """
    return _filled(shape, 0, dtype)


empty = zeros


def ones(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Ones of a shape.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.ones([1, 2], int).numpy().tolist()
    [[1, 1]]
    """
    return _filled(shape, 1, dtype)


def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """One value, again and again.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.full((2,), 3).numpy().tolist()
    [3, 3]
    """
    return _filled(shape, fill_value, dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> Tensor:
    """Ones on a diagonal, zeros elsewhere.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return convert_to_tensor(made("the matrix", np.eye, N, M, k, _numpy_type(dtype)))


def identity(n: int, dtype: DTypeLike = float) -> Tensor:
    """Ones on the diagonal of a square matrix.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.identity(1).numpy().tolist()
    [[1.0]]
    """
    return eye(n, n, 0, dtype)


def _refuse_lists(name: str, *values: object) -> None:
    check_numbers(name, *(v for v in map(walkable, values) if isinstance(v, (list, tuple, dict))))


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> Tensor:
    """Ones on and below a diagonal.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.tri(2).numpy().tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    _refuse_lists("tri", N, M, k)
    kind = np.dtype(_numpy_type(dtype))
    check_bytes(N * (N if M is None else M) * kind.itemsize, "the matrix")
    return convert_to_tensor(made("the matrix", np.tri, N, M, k, kind))


def arange(
    start: TensorLike, stop: TensorLike | None = None, step: TensorLike = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """Numbers in even steps.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.arange(3).numpy().tolist()
    [0, 1, 2]
    """
    first, last = (0, start) if stop is None else (start, stop)
    _refuse_lists("arange", first, last, step)
    if _holds_tensor((first, last, step)):
        kind = dtype if dtype is None else as_dtype(_numpy_type(dtype))
        return counted(first, last, step, dtype=kind)
    if dtype is None and _prefers_float32() and _is_float([first, last, step]):
        dtype = np.float32
    arange_: Any = np.arange

    def numbers(*of: Any) -> Any:
        return made("the numbers", arange_, *of)

    if dtype is None and weakly() is not None and is_plain([first, last, step]):
        return constant(numbers(first, last, step).tolist() or np.arange(0, dtype=np.int32))
    return convert_to_tensor(numbers(first, last, step, _numpy_type(dtype)))


def geomspace(
    start: int, stop: int, num: int = 50, endpoint: bool = True, dtype: DTypeLike | None = None, axis: int = 0
) -> Tensor:
    """Numbers in even ratios.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.geomspace(1, 4, 3).numpy().round(6).tolist()
    [1.0, 2.0, 4.0]
    """
    low, high = (np.asarray(v) if isinstance(v, Tensor) else v for v in (start, stop))
    return convert_to_tensor(np.geomspace(low, high, num, endpoint, _numpy_type(dtype), axis))


def diag_indices(n: int, ndim: int = 2) -> Any:
    """The places of a diagonal.

    >>> import graphrt as tf
    >>> [i.numpy().tolist() for i in tf.experimental.numpy.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    _refuse_lists("diag_indices", n, ndim)
    return tuple(convert_to_tensor(i) for i in made("the places", np.diag_indices, n, ndim))


# --- asked of arrays -------------------------------------------------------------------------------------------------
def shape(a: TensorLike) -> TensorShape:
    """The static shape.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.shape([[1]])
    TensorShape([1, 1])
    """
    return convert_to_tensor(a).shape if _holds_tensor(a) else TensorShape(np.shape(np.asarray(a)))


def ndim(a: TensorLike) -> int:
    """The number of dimensions.

    >>> import graphrt as tf
    >>> int(tf.experimental.numpy.ndim([[1]]))
    2
    """
    if not _holds_tensor(a):
        return np.asarray(a).ndim
    x = convert_to_tensor(a)
    found: Any = tensor_rank(x) if x.dims is None else len(x.dims)
    return found


def size(x: TensorLike, axis: AxisLike = None) -> int:
    """The number of elements.

    >>> import graphrt as tf
    >>> int(tf.experimental.numpy.size([[1, 2]]))
    2
    """
    if axis is not None:
        raise TypeError(errors.at_user_line("axis is not supported: ask for the shape"))
    if not _holds_tensor(x):
        return np.asarray(x).size
    tensor = convert_to_tensor(x)
    count = tensor.shape.num_elements()
    found: Any = tensor_size(tensor) if count is None else count
    return found


def flatten(a: TensorLike, order: str = "C") -> Tensor:
    """The elements in one dimension.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]]).numpy().tolist()
    [1, 2, 3, 4]

    Raises:
      ValueError: the order is none of C and F.
    """
    if order not in ("C", "F"):
        raise ValueError(errors.at_user_line("flatten only supports C (row-major) and F (column-major) order."))
    tensor = array(a)
    return reshaped(tensor if order == "C" else np.transpose(tensor), [-1])


def isscalar(element: TensorLike) -> bool:
    """Whether a value has no dimensions.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.isscalar(3)
    True
    """
    return convert_to_tensor(element).dims == () if is_tensor_like(element) else bool(np.isscalar(element))


def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> bool:
    """`numpy.issubdtype`, which takes dtypes of tensors, too.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.issubdtype(tf.float32, tf.experimental.numpy.inexact)
    True
    """
    return bool(np.issubdtype(_typed(arg1), _typed(arg2)))


def result_type(*arrays_and_dtypes: DType | float | type) -> DType:
    """The dtype of what comes of these values and dtypes together.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.result_type(1, 2.0)
    tf.float64
    """
    given = [
        v.dtype.as_numpy_dtype if isinstance(v, Tensor) else np.asarray(v).dtype if isinstance(v, (int, float)) else v
        for v in map(_typed, arrays_and_dtypes)
    ]
    asked = conversion()
    if asked is not None and asked.is_weak:
        return promoted_kind([_kind(v) for v in arrays_and_dtypes])[0]
    if asked is not None and asked.prefer_float32:
        own: Any = {float: np.float32, int: 1}  # an integer takes the type of what it meets
        given = [own.get(type(v), g) for v, g in zip(arrays_and_dtypes, given)]
    return from_numpy(np.result_type(*given))


def _kind(value: Any) -> tuple[DType, bool]:
    found = kind_of(value)
    return (as_dtype(_typed(value)), False) if found is None else found


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """The dtype of NumPy that holds what both hold.

    >>> import graphrt as tf
    >>> tf.experimental.numpy.promote_types(tf.int32, tf.float32)
    dtype('float64')
    """
    return np.promote_types(_typed(type1), _typed(type2))


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str | None = "legacy"
) -> None:
    """Has tensors of different dtypes promote, from now on in this context: this thread, or this task.

    Tensors have NumPy's methods here without being asked. With the mode `legacy` operators promote as NumPy does. With
    `all` numbers of Python and tensors made of them are weak: they take the dtype of what they meet. `safe` is the same,
    and refuses what may lose bits or widens both operands. With None nothing is promoted, as in a program that never
    called this.

    >>> import graphrt as tf
    >>> tnp = tf.experimental.numpy
    >>> tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    >>> tf.constant(1, tf.int8) + 2, tf.constant(1, tf.int32) + tf.constant(1.5)
    (<tf.Tensor: shape=(), dtype=int8, numpy=3>, <tf.Tensor: shape=(), dtype=float64, numpy=2.5, weak=True>)
    >>> tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=None)

    Args:
      prefer_float32: whether NumPy's functions make float32 of Python's floats in the mode `legacy`, and not float64.
      dtype_conversion_mode: the mode.

    Raises:
      ValueError: there is no such mode.
    """
    if dtype_conversion_mode is not None and dtype_conversion_mode not in MODES:
        raise ValueError(
            errors.at_user_line(
                f"dtype_conversion_mode is one of {', '.join(map(repr, MODES))}, or None to turn conversions off; found "
                f"{shown(dtype_conversion_mode)}"
            )
        )
    asked = None if dtype_conversion_mode is None else Conversion(dtype_conversion_mode, prefer_float32)
    convert_dtypes(asked)


_OTHERS = "complex_ e float_ inf newaxis pi random string_ unicode_"
__all__ = sorted({*(n for n in _FUNCTIONS if hasattr(np, n)), *_OWN, *_TYPES.split(), *_OTHERS.split()})
