"""Calls of plain Python functions, as ops: `py_function` and `numpy_function`."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ALIASES, CALLS_PYTHON, OPAQUE, STATEFUL, OpDef, define, ops  # late: start-up
from graphrt.tensor import changes
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.context import building, current_graph, recorders
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.likes import DTypeLike, TensorLike

__all__ = ["numpy_function", "py_function"]


# --- Python functions in graphs --------------------------------------------------------------------------------------
class PythonFunction(str):
    """The token of an `EagerPyFunc` or `PyFunc` node, which keeps the Python function alive as long as the node is.

    Attributes:
      function: what the node calls.
      tensors: whether it takes tensors; else arrays.
      runs: what the last calls recorded, for the node's gradient, which need not call the function again; None where
        no gradient was asked for.
    """

    function: Callable[..., Any]
    tensors: bool
    runs: deque[_Run] | None = None

    def recorded(self, *given: Any) -> Any:
        """Calls the function under a tape, and keeps that for the gradient."""
        run = _run(self.function, given)
        if self.runs is not None:
            self.runs.append(run)
        return run.result

    def run_of(self, given: Sequence[Tensor]) -> _Run | None:
        """The last kept call with these arguments, which is kept no longer."""
        for run in reversed([*(self.runs or ())]):  # loops go backwards
            if all(map(_alike, run.given, given)):
                try:
                    self.runs.remove(run)  # type: ignore[union-attr]
                except ValueError:  # another thread has it
                    continue
                return run
        return None


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """A call that a gradient may be asked of."""

    given: tuple[Tensor, ...]
    result: Any
    tape: Any


def _run(function: Callable[..., Any], given: tuple[Tensor, ...]) -> _Run:
    with ops.gradient_tape() as tape:
        for x in given:
            if x.dtype.kind in "fc":
                tape.watch(x)
        return _Run(given, function(*given), tape)


_MOST_RUNS = 16  # of one node: gradients of more are computed by calling the function again


def _alike(a: Tensor, b: Tensor) -> bool:
    one, other = raw_of(a), raw_of(b)
    if one is other:
        return True
    if a.dtype is not b.dtype or a.dtype.kind in "OSV" or np.shape(one) != np.shape(other):
        return False
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()


# state: weak: a function goes with the nodes that call it
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


def failure_of(error: Exception) -> errors.OpError:
    """The error of an op for what a Python function of the user's raised."""
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
                given: list[Any] = [EagerTensor(v, t) for v, t in zip(inputs, Tin)]
            else:
                given = [np.asarray(v).item() if t.kind == "S" and np.ndim(v) == 0 else np.array(v)
                         if np.ndim(v) else v for v, t in zip(inputs, Tin)]  # fmt: skip
            call = partial(function if found.runs is None else found.recorded, *given)
            result = call() if changes.running() is None else SWITCH.while_changing(call)
            return _results(result, Tout, tensors)
    except Exception as error:
        failure = failure_of(error)
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
        assert isinstance(tensor, EagerTensor)
        out.append(raw_of(tensor))
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


def _python_vjp(call: Any, *grads: object) -> list[Any]:
    token = call.attrs["token"]
    inputs, n = list(call.inputs), len(call.inputs)

    floats = [i for i, x in enumerate(inputs) if x.dtype.kind in "fc"]
    if floats and FUNCTIONS[token].runs is None:
        FUNCTIONS[token].runs = deque(maxlen=_MOST_RUNS)

    def backward(*values: Tensor) -> list[Tensor]:
        xs, gs = values[:n], values[n:]
        run = None if recorders() else FUNCTIONS[token].run_of(xs)  # a gradient of this one has to see all of it
        run = run or _run(FUNCTIONS[token].function, xs)
        results = list(run.result) if isinstance(run.result, (list, tuple)) else [run.result]
        known = [(convert_to_tensor(r), g) for r, g in zip(results, gs)]
        sources = [run.given[i] for i in floats]
        found = run.tape.gradient([r for r, _ in known], sources, output_gradients=[g for _, g in known])
        return [ops.zeros_like(x) if d is None else d for x, d in zip(sources, found)]

    zeros = [ops.zeros_like(o) if g is None else g for o, g in zip(call.outputs, grads)]
    if not floats:
        return [None] * n
    found = EagerPyFunc(inputs + zeros, token=register_python(backward, True), Tout=[inputs[i].dtype for i in floats])
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
    infer=lambda c: [None] * len(c.attrs["Tout"]), kernel=_call_python, vjp=lambda call, *grads: [None] * len(call.inputs),
    traits=(ALIASES, STATEFUL, OPAQUE, CALLS_PYTHON),
)  # fmt: skip

PyFuncStateless = define(
    "PyFuncStateless", "input: Tin... -> output: Tout...",
    attrs="token: string; Tin: list(type); Tout: list(type)",
    infer=lambda c: [None] * len(c.attrs["Tout"]), kernel=_call_python, vjp=lambda call, *grads: [None] * len(call.inputs),
    traits=(ALIASES, OPAQUE, CALLS_PYTHON),
)  # fmt: skip


def _call_op(op: OpDef, func: Callable[..., Any], inp: Any, Tout: Any, tensors: bool, name: str | None) -> Any:
    several = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(t) for t in (Tout if several else [Tout] if Tout is not None else [])]
    results = op(list(inp), token=register_python(func, tensors), Tout=dtypes, name=name)
    if several:
        return results
    return results[0] if dtypes else None


def _decorator(call: Callable[..., Any], Tout: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """What `@tf.py_function(Tout=...)` makes of the function below it: calls of it go through `call`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def calls(*args: Any) -> Any:
            return call(function, args, Tout, **options)

        return calls

    return decorate


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Calls the Python function `func` on the tensors `inp`, when the graph runs; it gets concrete tensors.

    Gradients flow through it.

    >>> import graphrt as tf
    >>> tf.py_function(lambda x: x + 1, [2], tf.int32).numpy().item()
    3
    >>> @tf.py_function(Tout=tf.float32)
    ... def halves(x):
    ...     return x / 2
    >>> halves(tf.constant(3.0)).numpy().item()
    1.5

    Raises:
      UnknownError: (or the kind that fits) `func` raised; the message says what.
    """
    if func is None:
        return _decorator(py_function, Tout, name=name)
    if current_graph() is None:
        tensors = [convert_to_tensor(x) for x in inp or ()]
        try:
            return _eagerly(func, tensors, Tout)
        except Exception as error:
            failure = failure_of(error)
            try:
                raise failure from (None if failure is error else error)
            finally:
                del failure  # as in `_call_python`
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


def _converted(value: Tensor, dtype: DType) -> Any:
    if isinstance(value, Tensor) and value.dtype is not dtype and dtype.kind in "fiuc":
        return ops.cast(value, dtype)
    return convert_to_tensor(value, dtype)


def numpy_function(
    func: Any = None, inp: TensorLike | None = None, Tout: DTypeLike | None = None, stateful: bool = True,
    name: str | None = None
) -> Any:  # fmt: skip
    """Calls the Python function `func` on NumPy arrays, when the graph runs; no gradient flows through it.

    One that is not `stateful` has no effects: it runs only if its result is used, and beside others that are not.

    >>> import graphrt as tf, numpy as np
    >>> tf.numpy_function(np.sort, [[3, 1, 2]], tf.int32).numpy().tolist()
    [1, 2, 3]
    >>> @tf.numpy_function(Tout=tf.float64)
    ... def halves(x):
    ...     return x / 2
    >>> halves(tf.constant(3.0, tf.float64)).numpy().item()
    1.5

    Raises:
      InvalidArgumentError: what `func` returns is not of dtype `Tout`.
      Exception: that of `func`, where it is called at once; in a graph UnknownError, or the kind that fits.
    """
    if func is None:
        return _decorator(numpy_function, Tout, stateful=stateful, name=name)
    op = PyFunc if stateful else PyFuncStateless
    if current_graph() is not None:
        return _call_op(op, func, inp or (), Tout, False, name)
    raised: list[Exception] = []

    def called(*arrays: Any) -> Any:
        try:
            return func(*arrays)
        except Exception as error:
            raised.append(error)
            raise

    try:
        return _call_op(op, called, inp or (), Tout, False, name)
    except errors.OpError:
        if not raised:
            raise
        raise raised.pop() from None  # what was called at once fails as a call does
