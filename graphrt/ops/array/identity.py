"""Ops that pass values on: identities, gradient stops, static checks, and calls of plain Python functions."""

from __future__ import annotations

import itertools
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import partial_value, static_value
from graphrt.ir.op import ALIASES, CALLS_PYTHON, OPAQUE, STATEFUL, define, ops, provide
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike
from graphrt.types import structure
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.shape import compatible, merge

__all__ = [
    "ensure_shape", "grad_pass_through", "identity", "identity_n", "numpy_function", "py_function",
    "stop_gradient", "timestamp",
]  # fmt: skip

Identity = define(
    "Identity", "input: T -> output: T",
    infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=lambda call, g: [g],
    partial=lambda c: _same_value(c), emit=lambda e, node, inputs: [inputs[0]], traits=(ALIASES,),
)  # fmt: skip


def _same_value(c: Any) -> Any:
    """What is known of the value of an op that passes its input on."""
    known = static_value(c.inputs[0])
    if known is not None:
        return known.tolist() if known.ndim <= 1 and known.dtype.kind in "iu" else None
    return partial_value(c.inputs[0])


IdentityN = define(
    "IdentityN", "input: T... -> output: T...", attrs="T: list(type) >= 1",
    infer=lambda c: [v.dims for v in c.inputs], kernel=lambda xs: list(xs), vjp=lambda call, *gs: list(gs),
    emit=lambda e, node, inputs: list(inputs), traits=(ALIASES,),
)  # fmt: skip
StopGradient = define(
    "StopGradient", "input: T -> output: T",
    infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=lambda call, g: [None],
    emit=lambda e, node, inputs: [inputs[0]], traits=(ALIASES,),
)  # fmt: skip


def _prevented(call: Any, grad: Any) -> Any:
    message = call.attrs["message"]
    raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}.")


PreventGradient = define(
    "PreventGradient", "input: T -> output: T", attrs="message: string = ''",
    infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=_prevented, traits=(ALIASES,),
)  # fmt: skip


def _ensured(x: Any, *, shape: Any) -> Any:
    if not compatible(np.shape(x), shape):
        raise errors.InvalidArgumentError(
            None, None,
            f"Shape of tensor input {_brackets(np.shape(x))} is not compatible with expected shape {_brackets(shape)}.",
        )  # fmt: skip
    return x


def _brackets(dims: Any) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]" if dims is not None else "<unknown>"


EnsureShape = define(
    "EnsureShape", "input: T -> output: T", attrs="shape: shape",
    infer=lambda c: merge(c.attrs["shape"], c.dims(0)), kernel=_ensured, vjp=lambda call, g: [g], traits=(ALIASES,),
)  # fmt: skip
Timestamp = define(
    "Timestamp", "-> ts: float64", infer=lambda c: (), kernel=lambda: np.float64(time.time()),
    traits=(STATEFUL, OPAQUE),
)  # fmt: skip


def _map_composite(function: Callable[[Any], Any], value: Any) -> Any:
    return value.with_components([function(part) for part in value.components()])


@provide
def identity(input: TensorLike, name: str | None = None) -> Any:
    """A tensor with the same elements and shape as `input`.

    >>> import graphrt as tf
    >>> tf.identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    if isinstance(input, structure.Composite):
        return _map_composite(identity, input)
    return Identity(convert_to_tensor(input) if not isinstance(input, Tensor) else input, name=name)


def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The tensors of the list `input`, through one op.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.identity_n([1, 2.5])]
    [1, 2.5]
    """
    return IdentityN(list(input), name=name)


@provide
def stop_gradient(input: TensorLike, name: str | None = None) -> Any:
    """`input`, through which no gradient flows back.

    >>> import graphrt as tf
    >>> tf.stop_gradient([1., 2.]).numpy().tolist()
    [1.0, 2.0]
    """
    if isinstance(input, structure.Composite):
        return _map_composite(stop_gradient, input)
    return StopGradient(input, name=name)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` whose gradient is that of the identity.

    >>> import graphrt as tf
    >>> tf.grad_pass_through(tf.round)(1.4).numpy().item()
    1.0
    """

    def passed(x: Any) -> Any:
        value = convert_to_tensor(x)
        return value + stop_gradient(f(value) - value)

    return passed


@provide
def ensure_shape(x: TensorLike, shape: Any, name: str | None = None) -> Any:
    """`x`, checked when it runs to have a shape compatible with `shape`, and known while tracing to have it.

    >>> import graphrt as tf
    >>> tf.ensure_shape([[1, 2]], [None, 2]).shape
    TensorShape([1, 2])

    Raises:
      InvalidArgumentError: the shape differs (ValueError too, where it is known while tracing).
    """
    return EnsureShape(x, shape=shape, name=name)


def timestamp(name: str | None = None) -> Any:
    """Seconds since the epoch, as a float64 tensor.

    >>> import graphrt as tf
    >>> tf.timestamp().dtype
    tf.float64
    """
    return Timestamp(name=name)


# --- Python functions in graphs --------------------------------------------------------------------------------------
class PythonFunction(str):
    """The token of an `EagerPyFunc` or `PyFunc` node, which keeps the Python function alive as long as the node is.

    Attributes:
      function: what the node calls.
      tensors: whether it takes tensors; else arrays.
    """

    function: Callable[..., Any]
    tensors: bool


FUNCTIONS: weakref.WeakValueDictionary[str, PythonFunction] = weakref.WeakValueDictionary()
"""The Python functions that nodes call, by token: a node of a graph that was read from text has the text alone."""
_count = itertools.count()


def register_python(function: Callable[..., Any], tensors: bool) -> PythonFunction:
    """A new token for a Python function."""
    token = PythonFunction(f"pyfunc_{next(_count)}")
    token.function, token.tensors = function, tensors
    FUNCTIONS[str(token)] = token
    return token


_CLASSES: tuple[tuple[type[BaseException], type[errors.OpError]], ...] = (
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (TypeError, errors.InvalidArgumentError),
    (ValueError, errors.InvalidArgumentError),
)


def _failure(error: Exception) -> errors.OpError:
    if isinstance(error, errors.OpError):
        return error
    kind = next((ours for theirs, ours in _CLASSES if isinstance(error, theirs)), errors.UnknownError)
    return kind(None, None, f"{type(error).__name__}: {error}")


def _call_python(inputs: list[Any], *, token: str, Tin: list[DType], Tout: list[DType]) -> list[Any]:
    found = FUNCTIONS.get(token)
    if found is None:
        raise errors.InvalidArgumentError(
            None, None, f"the Python function of {token} belongs to another process: a graph cannot carry it along"
        )
    function, tensors = found.function, found.tensors
    try:
        with building(None):
            if tensors:
                result = function(*[EagerTensor(v, t) for v, t in zip(inputs, Tin)])
            else:
                result = function(*[np.asarray(v).item() if t.kind == "S" and np.ndim(v) == 0 else np.array(v)
                                    if np.ndim(v) else v for v, t in zip(inputs, Tin)])  # fmt: skip
            return _results(result, Tout, tensors)
    except Exception as error:
        failure = _failure(error)
        try:
            raise failure from (None if failure is error else error)
        finally:
            del failure  # else the error would hold this frame, the frame the error, and both all that it passes


def _results(result: Any, dtypes: list[DType], tensors: bool) -> list[Any]:
    if not dtypes:
        return []
    several = isinstance(result, (list, tuple)) and (len(dtypes) > 1 or len(result) == 1)
    values = list(result) if several else [result]
    if len(values) != len(dtypes):
        raise ValueError(f"the function returned {len(values)} values, {len(dtypes)} were announced (Tout)")
    out = []
    for value, dtype in zip(values, dtypes):
        if isinstance(value, Tensor):
            if value.dtype is not dtype:
                value = ops.cast(value, dtype) if tensors and dtype.kind in "fiuc" else value
        elif not tensors:
            value = _exact(value, dtype)
        tensor = convert_to_tensor(value, dtype=None if dtype.kind == "O" else dtype)
        out.append(tensor._value)
    return out


def _exact(value: Any, dtype: DType) -> Any:
    array = np.asarray(value)
    if dtype.kind in "SO" or array.dtype == dtype.as_numpy_dtype:
        return value
    if isinstance(value, (bool, int, float, complex, list, tuple)) and not isinstance(value, np.generic):
        return value
    raise errors.InvalidArgumentError(
        None, None, f"the function returned {array.dtype}, but its declared output type is {dtype.name}"
    )


def _python_vjp(call: Any, *grads: Any) -> list[Any]:
    token = call.attrs["token"]
    inputs, n = list(call.inputs), len(call.inputs)

    def backward(*values: Any) -> Any:
        xs, gs = values[:n], values[n:]
        with ops.gradient_tape() as tape:
            for x in xs:
                tape.watch(x)
            result = FUNCTIONS[token].function(*xs)
            results = list(result) if isinstance(result, (list, tuple)) else [result]
            results = [convert_to_tensor(r) for r in results]
        found = tape.gradient(results, list(xs), output_gradients=list(gs))
        return [ops.zeros_like(x) if d is None else d for x, d in zip(xs, found)]

    floats = [i for i, x in enumerate(inputs) if x.dtype.kind in "fc"]
    zeros = [ops.zeros_like(o) if g is None else g for o, g in zip(call.outputs, grads)]

    def only_floats(*values: Any) -> Any:
        found = backward(*values)
        return [found[i] for i in floats]

    if not floats:
        return [None] * n
    found = EagerPyFunc(
        inputs + zeros, token=register_python(only_floats, True), Tout=[inputs[i].dtype for i in floats]
    )
    out: list[Any] = [None] * n
    for i, d in zip(floats, found):
        d.set_shape(inputs[i].shape)
        out[i] = d
    return out


EagerPyFunc = define(
    "EagerPyFunc", "input: Tin... -> output: Tout...",
    attrs="token: string; Tin: list(type); Tout: list(type); is_async: bool = False",
    infer=lambda c: [None] * len(c.attrs["Tout"]), kernel=_call_python, vjp=_python_vjp,
    traits=(ALIASES, STATEFUL, OPAQUE, CALLS_PYTHON),
)  # fmt: skip
PyFunc = define(
    "PyFunc", "input: Tin... -> output: Tout...", attrs="token: string; Tin: list(type); Tout: list(type)",
    infer=lambda c: [None] * len(c.attrs["Tout"]), kernel=_call_python, traits=(ALIASES, STATEFUL, OPAQUE, CALLS_PYTHON),
)  # fmt: skip


def _call_op(op: Any, func: Callable[..., Any], inp: Any, Tout: Any, tensors: bool, name: str | None) -> Any:
    several = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(t) for t in (Tout if several else [Tout] if Tout is not None else [])]
    results = op(list(inp), token=register_python(func, tensors), Tout=dtypes, name=name)
    if several:
        return results
    return results[0] if dtypes else None


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Calls the Python function `func` on the tensors `inp`, when the graph runs; it gets concrete tensors.

    Gradients flow through it.

    >>> import graphrt as tf
    >>> tf.py_function(lambda x: x + 1, [2], tf.int32).numpy().item()
    3

    Raises:
      UnknownError: (or the kind that fits) `func` raised; the message says what.
    """
    if current_graph() is None:
        tensors = [convert_to_tensor(x) for x in inp or ()]
        return _eagerly(func, tensors, Tout)
    return _call_op(EagerPyFunc, func, inp or (), Tout, True, name)


def _eagerly(func: Any, tensors: list[Any], Tout: Any) -> Any:
    result = func(*tensors)
    if Tout is None or (isinstance(Tout, (list, tuple)) and not Tout):
        return result if Tout is None else []
    if isinstance(Tout, (list, tuple)):
        values = list(result) if isinstance(result, (list, tuple)) else [result]
        return [_converted(v, as_dtype(t)) for v, t in zip(values, Tout, strict=True)]
    if isinstance(result, (list, tuple)) and len(result) == 1:
        result = result[0]
    return _converted(result, as_dtype(Tout))


def _converted(value: Any, dtype: DType) -> Any:
    if isinstance(value, Tensor) and value.dtype is not dtype and dtype.kind in "fiuc":
        return ops.cast(value, dtype)
    return convert_to_tensor(value, dtype)


def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True,
                   name: str | None = None) -> Any:  # fmt: skip
    """Calls the Python function `func` on NumPy arrays, when the graph runs; no gradient flows through it.

    >>> import graphrt as tf, numpy as np
    >>> tf.numpy_function(np.sort, [[3, 1, 2]], tf.int32).numpy().tolist()
    [1, 2, 3]

    Raises:
      InvalidArgumentError: what `func` returns is not of dtype `Tout`.
    """
    return _call_op(PyFunc, func, inp or (), Tout, False, name)
