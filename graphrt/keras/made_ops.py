"""Functions of `keras.ops` that are functions of NumPy or of graphrt, with Keras's arguments and dtypes.

`TABLE` says of each what happens to its tensors first; `made` gives the function.

>>> import graphrt as tf
>>> tf.keras.ops.add([1, 2], 1.5).dtype, tf.keras.ops.argmax([1.0, 2.0]).dtype
(tf.float32, tf.int32)
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.ir import examples
from graphrt.keras.config import floatx
from graphrt.numpy_api.operands import leniently
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown

# What happens to the tensors before the call:
#   same      they are brought to one dtype
#   floats    the same, and integers become floats
#   bools     they become booleans
#   sums      integers of less than 32 bits become wider
#   doubles   as floats, and integers of 64 bits become float64
#   each      nothing
#   indices   nothing, and what comes out is int32
# A function is that of NumPy, or of numpy.linalg, of its name, unless another one stands behind `=`: one of graphrt,
# by its path.
TABLE = {
    "same": """
        abs(x) absolute(x) add(x1,x2)=add append(x1,x2,axis=None)
        allclose(x1,x2,rtol=1e-05,atol=1e-08,equal_nan=False)
        bitwise_and(x,y) bitwise_invert(x)=bitwise.invert bitwise_left_shift(x,y)=bitwise.left_shift
        bitwise_not(x)=bitwise.invert bitwise_or(x,y) bitwise_right_shift(x,y)=bitwise.right_shift bitwise_xor(x,y)
        clip(x,x_min,x_max) cumprod(x,axis=None,dtype=None) cumsum(x,axis=None,dtype=None)
        nancumprod(x,axis=None,dtype=None) nancumsum(x,axis=None,dtype=None) conj(x) conjugate(x) copy(x)
        cross(x1,x2,axisa=-1,axisb=-1,axisc=-1,axis=None)
        dot(x1,x2) equal(x1,x2)=equal floor_divide(x1,x2)=math.floordiv fmax(x1,x2) fmin(x1,x2) fmod(x1,x2)
        greater(x1,x2)=greater greater_equal(x1,x2)=greater_equal inner(x1,x2)
        isclose(x1,x2,rtol=1e-05,atol=1e-08,equal_nan=False) isin(x1,x2,assume_unique=False,invert=False) kron(x1,x2)
        left_shift(x,y)=bitwise.left_shift less(x1,x2)=less less_equal(x1,x2)=less_equal matmul(x1,x2)
        maximum(x1,x2)=maximum minimum(x1,x2)=minimum mod(x1,x2)=math.floormod multiply(x1,x2)=multiply
        negative(x)=negative not_equal(x1,x2)=not_equal outer(x1,x2) power(x1,x2)=pow
        right_shift(x,y)=bitwise.right_shift sign(x)=sign square(x)=square stack(x,axis=0) dstack(xs) hstack(xs) vstack(xs)
        concatenate(xs,axis=0) subtract(x1,x2)=subtract tensordot(x1,x2,axes=2)=tensordot vdot(x1,x2)
        linspace(start,stop,num=50,endpoint=True,retstep=False,dtype=None,axis=0)
    """,
    "floats": """
        angle(x) arccos(x)=acos arccosh(x)=acosh arcsin(x)=asin arcsinh(x)=asinh arctan(x)=atan arctan2(x1,x2)=atan2
        arctanh(x)=atanh average(x,axis=None,weights=None) ceil(x) cos(x)=cos cosh(x)=cosh
        divide(x1,x2)=divide divide_no_nan(x1,x2)=math.divide_no_nan
        erf(x)=math.erf erfc(x)=math.erfc erfinv(x)=math.erfinv exp(x)=exp exp2(x) expm1(x)=math.expm1
        fabs(x) floor(x)=floor i0(x) log(x)=math.log log10(x) log1p(x)=math.log1p log2(x)
        logaddexp(x1,x2) logaddexp2(x1,x2) logspace(start,stop,num=50,endpoint=True,base=10,dtype=None,axis=0)
        logsumexp(x,axis=None,keepdims=False)=reduce_logsumexp mean(x,axis=None,keepdims=False)=reduce_mean
        median(x,axis=None,keepdims=False) nanmean(x,axis=None,keepdims=False) nanstd(x,axis=None,keepdims=False)
        nanvar(x,axis=None,keepdims=False) nextafter(x1,x2) percentile(x,q,axis=None,method="linear",keepdims=False)
        quantile(x,q,axis=None,method="linear",keepdims=False) reciprocal(x)=math.reciprocal rsqrt(x)=math.rsqrt
        isfinite(x)=math.is_finite isinf(x)=math.is_inf isnan(x)=math.is_nan
        sin(x)=sin sinc(x) sinh(x)=sinh sqrt(x)=sqrt std(x,axis=None,keepdims=False)=math.reduce_std tan(x)=tan
        trapezoid(y,x=None,dx=1.0,axis=-1) true_divide(x1,x2)=truediv
        var(x,axis=None,keepdims=False)=math.reduce_variance norm(x,ord=None,axis=None,keepdims=False)
        det(x)=linalg.det eig(x)=linalg.eig eigh(x)=linalg.eigh inv(x)=linalg.inv logdet(x)=linalg.logdet
        slogdet(x)=linalg.slogdet
    """,
    "doubles": """
        cbrt(x) corrcoef(x) deg2rad(x) heaviside(x1,x2) hypot(x1,x2) rad2deg(x)
    """,
    "bools": """
        all(x,axis=None,keepdims=False)=reduce_all any(x,axis=None,keepdims=False)=reduce_any logical_and(x1,x2)=logical_and
        logical_not(x)=logical_not logical_or(x1,x2)=logical_or logical_xor(x1,x2)=math.logical_xor
    """,
    "sums": """
        nanprod(x,axis=None,keepdims=False) nansum(x,axis=None,keepdims=False)
        prod(x,axis=None,keepdims=False,dtype=None) sum(x,axis=None,keepdims=False)=reduce_sum
        trace(x,offset=0,axis1=0,axis2=1)
    """,
    "each": """
        amax(x,axis=None,keepdims=False)=reduce_max amin(x,axis=None,keepdims=False)=reduce_min broadcast_to(x,shape)
        depth_to_space(x,block_size,data_format="channels_last") diag(x,k=0) diagflat(x,k=0)
        diagonal(x,offset=0,axis1=0,axis2=1) diff(a,n=1,axis=-1) expand_dims(x,axis) flip(x,axis=None) fliplr(x) flipud(x)
        full_like(x,fill_value,dtype=None) imag(x)
        isneginf(x) isposinf(x) isreal(x) moveaxis(x,source,destination)
        nan_to_num(x,nan=0.0,posinf=None,neginf=None) nanmax(x,axis=None,keepdims=False) nanmin(x,axis=None,keepdims=False)
        ones_like(x,dtype=None)=ones_like ptp(x,axis=None,keepdims=False) ravel(x) real(x) repeat(x,repeats,axis=None)
        reshape(x,newshape) roll(x,shift,axis=None) rot90(array,k=1,axes=(0,1)) saturate_cast(x,dtype)=saturate_cast
        signbit(x) sort(x,axis=-1)
        trunc(x) space_to_depth(x,block_size,data_format="channels_last") split(x,indices_or_sections,axis=0)
        squeeze(x,axis=None) stop_gradient(variable)=stop_gradient swapaxes(x,axis1,axis2) take(x,indices,axis=None)
        take_along_axis(x,indices,axis=None) tile(x,repeats) top_k(x,k,sorted=True)=nn.top_k transpose(x,axes=None)
        tril(x,k=0) triu(x,k=0) unstack(x,num=None,axis=0)=unstack zeros_like(x,dtype=None)=zeros_like
        unique(x,sorted=True,return_index=False,return_inverse=False,return_counts=False,axis=None)
    """,
    "indices": """
        argmax(x,axis=None,keepdims=False) argmin(x,axis=None,keepdims=False) argpartition(x,kth,axis=-1)
        argsort(x,axis=-1) count_nonzero(x,axis=None) digitize(x,bins)
        searchsorted(sorted_sequence,values,side="left")
    """,
}
_TENSORS = frozenset(
    "x x1 x2 xs y a array variable x_min x_max weights sorted_sequence values indices start stop".split()  # noqa: SIM905
)
_UNSIGNED = (tf.uint8, tf.uint16, tf.uint32, tf.uint64)
# Dtypes that a function does not take, the one that is computed in instead, and whether the result is brought back.
_INSTEAD: dict[str, tuple[tuple[tf.DType, ...], tf.DType, bool]] = {
    **dict.fromkeys(("amax", "amin", "nanmax", "nanmin"), ((tf.bool,), tf.int32, True)),
    **dict.fromkeys(("matmul", "dot", "inner", "outer", "vdot"), ((tf.bool,), tf.int32, True)),
    "tensordot": ((tf.bool, tf.int8, tf.int16), tf.int32, True),
    **dict.fromkeys(("power", "sign"), (_UNSIGNED, tf.int64, True)),
    **dict.fromkeys(("square", "mod", "fmod"), ((tf.bool,), tf.int32, False)),
}
_AS_IT_IS: tuple[tuple[tf.DType, ...], tf.DType, bool] = ((), tf.int32, False)
_PATHS = {"depth_to_space": "nn.depth_to_space", "space_to_depth": "nn.space_to_depth"}
_DECLARED = {
    entry.partition("(")[0]: (kind, entry) for kind, text in TABLE.items() for entry in text.split()
}  # fmt: skip
NAMES = tuple(_DECLARED)


def _signature(parameters: str) -> inspect.Signature:
    """`x, axis=None` as a signature."""
    (function,) = ast.parse(f"def f({parameters}): pass").body
    assert isinstance(function, ast.FunctionDef)
    names = [a.arg for a in function.args.args]
    defaults = [ast.literal_eval(d) for d in function.args.defaults]
    values = [inspect.Parameter.empty] * (len(names) - len(defaults)) + defaults
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(n, kind, default=v) for n, v in zip(names, values)])


def _function(path: str) -> Callable[..., Any]:
    value: Any = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


def common_dtype(values: list[Any]) -> tf.DType:
    """The dtype that tensors and Python's numbers are brought to.

    Integers give way to floats of any width, and Python's numbers to the tensors. Texts stay among themselves.

    >>> import graphrt as tf
    >>> common_dtype([tf.constant([1], tf.int64), tf.constant([1.0], tf.float16)]), common_dtype([tf.constant([1]), 2.5])
    (tf.float16, tf.float32)

    Raises:
      DTypeMismatchError: there are texts and numbers.
    """
    typed = [tf.as_dtype(v.dtype) for v in values if hasattr(v, "dtype")]
    plain = [v for v in values if not hasattr(v, "dtype")]
    if tf.string in typed and (plain or set(typed) != {tf.string}):
        names = ", ".join(dict.fromkeys([*(d.name for d in typed), *(type(v).__name__ for v in plain)]))
        raise errors.DTypeMismatchError(errors.at_user_line(f"texts and numbers have no common dtype: found {names}"))
    if any(d.is_complex for d in typed) or any(isinstance(v, complex) for v in plain):
        return tf.complex128 if any(d in (tf.complex128, tf.float64) for d in typed) else tf.complex64
    floats = {d for d in typed if d.is_floating}
    if floats:
        largest = max(d.size for d in floats)
        widest = [d for d in floats if d.size == largest]
        return widest[0] if len(widest) == 1 else tf.float32  # the two of 16 bits
    if any(isinstance(v, float) for v in plain):
        return tf.as_dtype(floatx())
    whole = [d.as_numpy_dtype for d in typed if not d.is_bool or all(isinstance(v, bool) for v in plain)]
    if not whole:
        return tf.bool if plain and all(isinstance(v, bool) for v in plain) else tf.int32
    found = np.result_type(*whole)
    return tf.as_dtype(floatx()) if found.kind == "f" else tf.as_dtype(found)


def _tensor(value: Tensor | float, dtype: DTypeLike | None = None) -> Tensor:
    if dtype is None or not hasattr(value, "dtype"):
        return tf.convert_to_tensor(value, dtype)
    return tf.cast(value, dtype)


def _is_plain(value: TensorLike) -> bool:
    return isinstance(value, (bool, int, float, complex))


def _prepared(kind: str, given: dict[str, Any]) -> list[Any]:
    """Makes tensors of the arguments, and says which they are."""
    places = [n for n in given if n in _TENSORS and given[n] is not None]
    lists = {n for n in places if n == "xs" or (n == "x" and kind == "same" and isinstance(given[n], (list, tuple)))}
    lists = {n for n in lists if n == "xs" or any(hasattr(v, "dtype") for v in given[n])}
    for n in lists:
        given[n] = list(given[n]) if isinstance(given[n], (list, tuple)) else tf.unstack(given[n])
    flat = [v for n in places for v in (given[n] if n in lists else [given[n]])]
    flat = [v if _is_plain(v) else tf.convert_to_tensor(v) for v in flat]
    dtypes: list[Any] = [None] * len(flat)
    if kind in ("same", "floats", "doubles"):
        dtype = common_dtype(flat)
        if kind != "same" and dtype == tf.string:
            raise errors.DTypeMismatchError(errors.at_user_line("numbers are expected, found tensors of strings"))
        if kind != "same" and not (dtype.is_floating or dtype.is_complex):
            dtype = tf.float64 if kind == "doubles" and dtype == tf.int64 else tf.as_dtype(floatx())
        dtypes = [dtype] * len(flat)
    elif kind == "bools":
        flat = [tf.convert_to_tensor(v) for v in flat]
        dtypes = [tf.bool] * len(flat)
    elif kind == "sums":
        dtypes = [_wide(tf.as_dtype(v.dtype) if hasattr(v, "dtype") else tf.convert_to_tensor(v).dtype) for v in flat]
    made = [_tensor(v, d) for v, d in zip(flat, dtypes)]
    rest = iter(made)
    for n in places:
        given[n] = [next(rest) for _ in given[n]] if n in lists else next(rest)
    return [v for v, old in zip(made, flat) if hasattr(old, "dtype")] or made


def _wide(dtype: tf.DType) -> tf.DType:
    if not (dtype.is_integer or dtype.is_bool) or dtype.size >= 4:
        return dtype
    return tf.uint32 if dtype.is_unsigned else tf.int32


def _narrowed(found: Any, tensors: list[Any], always: bool) -> Any:
    """What NumPy made of 64 bits in 32, unless a tensor had 64; integers always where they are indices."""
    if isinstance(found, (list, tuple)):
        parts = [_narrowed(v, tensors, always) for v in found]
        return type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)
    if isinstance(found, (np.ndarray, np.generic)):
        found = tf.convert_to_tensor(found)
    if not tf.is_tensor(found):
        return found
    dtypes = {t.dtype for t in tensors}
    if found.dtype == tf.int64 and (always or not dtypes & {tf.int64, tf.uint64, tf.uint32}):
        return tf.cast(found, tf.int32)
    if found.dtype == tf.float64 and not dtypes & {tf.float64, tf.complex128}:
        return tf.cast(found, floatx())
    if found.dtype == tf.complex128 and not dtypes & {tf.float64, tf.complex128}:
        return tf.cast(found, tf.complex64)
    return found


def _format(data_format: object) -> str:
    """TensorFlow's name of a layout."""
    found = {"channels_last": "NHWC", "channels_first": "NCHW"}.get(str(data_format))
    if found is None:
        raise ValueError(f"data_format must be 'channels_last' or 'channels_first', found {shown(data_format)}")
    return found


def made(name: str) -> Callable[..., Any]:
    """The function of `keras.ops` that the table declares under this name."""
    kind, entry = _DECLARED[name]
    head, _, path = entry.rpartition(")=") if ")=" in entry else (entry[:-1], "", _PATHS.get(name, ""))
    signature = _signature(head.partition("(")[2])
    target = _function(path) if path else getattr(np, name, None) or getattr(np.linalg, name)
    default = {n: p.default for n, p in signature.parameters.items()}
    # What Keras leaves to its default, and the function does not.
    asked = inspect.signature(target).parameters if path else {}
    own_defaults = {
        n: v for n, v in default.items() if n in asked and asked[n].default != v and v is not inspect.Parameter.empty
    }

    def function(*args: TensorLike, **kwargs: TensorLike) -> Any:
        given = dict(signature.bind(*args, **kwargs).arguments)
        for n, value in given.items():
            if value is None and n in _TENSORS and default[n] is inspect.Parameter.empty:
                raise TypeError(f"`{n}` must be a tensor, found None")
        tensors = _prepared(kind, given)
        dtypes, instead, back = _INSTEAD.get(name, _AS_IT_IS)
        own = tensors[0].dtype if tensors and tensors[0].dtype in dtypes else None
        if own is not None:
            given.update({n: tf.cast(v, instead) for n, v in given.items() if n in _TENSORS})
        positional = [v for n, v in given.items() if default[n] is inspect.Parameter.empty]
        named = {n: v for n, v in given.items() if default[n] is not inspect.Parameter.empty and v is not default[n]}
        named = own_defaults | named
        if "data_format" in named:
            named["data_format"] = _format(named["data_format"])
        found = leniently(target, *positional, **named)
        if own is not None and back:
            return tf.cast(found, own)
        return found if named.get("dtype") is not None else _narrowed(found, tensors, kind == "indices")

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"""`{f"tf.{path}" if path else f"numpy.{name}"}`, with the arguments and dtypes of Keras.

    Lists and numbers become tensors of 32 bits, and tensors of different dtypes are brought to one. It takes symbolic
    tensors, too.

{examples.of_name("keras_ops", name)}
"""
    return function
