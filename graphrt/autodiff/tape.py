"""`GradientTape`: remembers the ops that depend on watched tensors, and walks them backwards.

>>> import graphrt as tf
>>> x = tf.constant(3.0)
>>> with tf.GradientTape() as tape:
...     tape.watch(x)
...     y = x * x
>>> tape.gradient(y, x).numpy()
np.float32(6.0)
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphrt import errors
from graphrt.autodiff.backprop import (
    STRUCTURED,
    Call,
    as_gradient,
    backprop,
    calls_of,
    is_differentiable,
    ones_of,
    zeros_of,
)
from graphrt.ir.op import ops, provide
from graphrt.ops.creation import one_hot
from graphrt.ops.tensor_array import TensorArray
from graphrt.tensor.context import current_graph, pop_recorder, push_recorder
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types import structure
from graphrt.types.shape import TensorShape, is_static

_log = logging.getLogger("graphrt")


class UnconnectedGradients(enum.Enum):
    """What stands for the gradient of a source that the target does not depend on.

    NONE: the value None. ZERO: zeros of the source's shape.
    """

    NONE = "none"
    ZERO = "zero"


def unconnected(value: Any) -> UnconnectedGradients:
    """`value` as an `UnconnectedGradients`; ValueError when it is none."""
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(errors.at_user_line(f"Unknown value for unconnected_gradients: {value!r}")) from None


def handle_or_tensor(value: Any) -> Any:
    """What gradients are computed for: the handle of a variable, or the tensor itself."""
    if isinstance(value, Tensor):
        return value
    handle = getattr(value, "_handle", None)
    return handle if isinstance(handle, Tensor) else None


def source_of(value: Any, where: str) -> Any:
    """The tensor that stands for the source `value`.

    Raises:
      TypeError: gradients can only be computed with respect to tensors and variables.
    """
    found = handle_or_tensor(value)
    if found is None:
        raise TypeError(
            errors.at_user_line(
                f"the sources of a gradient must be tensors or variables; sources{where} is {value!r} of type "
                f"{type(value).__name__}. Make it a tensor (tf.constant) before the tape records, and watch it."
            )
        )
    return found


class GradientTape:
    """Records ops for automatic differentiation.

    Trainable variables are watched when they are read (unless `watch_accessed_variables` is False), tensors after
    `watch`. A tape gives one set of gradients, or any number when it is `persistent`.

    >>> import graphrt as tf
    >>> v = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = v ** 3.0
    >>> tape.gradient(y, v).numpy()
    np.float32(12.0)
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._spent = False
        self._fresh = True
        self._entered_at: tuple[str, int] | None = None
        self._used_at: tuple[str, int] | None = None
        self._home: Any = None
        self._clear()

    def _clear(self) -> None:
        self._calls: list[Call] = []
        self._watched: dict[int, Any] = {}
        self._nodes: set[Any] = set()  # nodes that were recorded, and may get further outputs
        self._variables: dict[int, Any] = {}

    # --- recording ---
    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError(
                errors.at_user_line("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
            )
        if not self._persistent or self._fresh:
            kept = self._watched if self._fresh else {}  # tensors that were watched before the tape was entered
            self._clear()
            self._watched.update(kept)
        self._fresh = False
        self._spent = False
        self._entered_at = errors.user_location(2)
        self._home = current_graph()
        self._start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        push_recorder(self)
        self._recording = True

    def _stop(self) -> None:
        pop_recorder(self)
        self._recording = False

    def record(self, op: Any, inputs: list[Any], attrs: dict[str, Any], results: list[Any]) -> None:
        """Told by the runtime of every op that ran or was recorded."""
        watched = self._watched
        for tensor in inputs:
            if id(tensor) in watched:
                break
        else:
            if not self._nodes or not any(self.is_watching(t) for t in inputs):
                return
        outputs = [t for t in results if is_differentiable(t.dtype)]
        if not outputs:
            return
        call = Call(op, inputs, attrs, results)
        self._calls.append(call)
        if op.type in STRUCTURED and call.node is not None:
            self._nodes.add(call.node)
        for tensor in outputs:
            watched[id(tensor)] = tensor

    def is_watching(self, tensor: Any) -> bool:
        """Whether ops on `tensor` are recorded."""
        if id(tensor) in self._watched:
            return True
        if isinstance(tensor, SymbolicTensor) and tensor.value.node in self._nodes:
            return is_differentiable(tensor.dtype)
        return False

    @property
    def needs_higher_order(self) -> bool:
        """Whether gradients of what this tape records may be differentiated again by it."""
        return self._persistent

    def variable_accessed(self, variable: Any) -> None:
        """Told by the runtime when a variable is read."""
        if self._watch_accessed_variables and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        self._watched[id(variable._handle)] = variable._handle
        self._variables.setdefault(id(variable._handle), variable)

    def watch(self, tensor: Any) -> None:
        """Records the ops on `tensor` (a tensor, a variable, or a nested structure of them) from now on.

        Raises:
          ValueError: something else is to be watched.
        """
        for leaf in structure.flatten(tensor, expand_composites=True):
            found = handle_or_tensor(leaf)
            if found is None:
                raise ValueError(
                    errors.at_user_line(
                        f"Passed in object {leaf!r} of type {type(leaf).__name__!r}, not tf.Tensor or tf.Variable or "
                        "ExtensionType."
                    )
                )
            if not is_differentiable(found.dtype):
                _log.warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", found.dtype
                )
                continue
            if found is not leaf:
                self._watch_variable(leaf)
            else:
                self._watched[id(found)] = found

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Lets the ops of the `with` block go unrecorded by this tape.

        Raises:
          RuntimeError: the tape is not recording.
        """
        if not self._recording:
            raise RuntimeError(errors.at_user_line("Trying to stop recording a tape which is not recording."))
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forgets everything recorded and watched so far.

        Raises:
          ValueError: the tape is not recording.
        """
        if not self._recording:
            raise ValueError(errors.at_user_line("Tape is not recording."))
        self._clear()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched, in order of first use."""
        return tuple(self._variables.values())

    # --- gradients ---
    def _begin(self) -> None:
        if self._fresh or (self._spent and not self._persistent):
            hint = (
                "  The tape was never entered: compute the target inside `with tape:`."
                if self._fresh
                else "  Its gradients were already taken{}. Use tf.GradientTape(persistent=True) to take several.".format(
                    "" if self._used_at is None else " at {}:{}".format(*self._used_at)
                )
            )
            raise RuntimeError(
                errors.at_user_line(
                    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)\n" + hint
                )
            )
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                _log.warning(
                    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
                    "efficient than calling it outside the context (it causes the gradient ops to be recorded on the "
                    "tape, leading to increased CPU and memory usage). Only call GradientTape.gradient inside the "
                    "context if you actually want to trace the gradient in order to compute higher order derivatives."
                )
        self._spent = True
        self._used_at = errors.user_location(3)

    def _end(self) -> None:
        if not self._persistent:
            variables = self._variables
            self._clear()
            self._variables = variables  # `watched_variables` still answers

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` (a tensor or a structure of tensors: their sum) with respect to each of `sources`.

        `output_gradients` are the gradients of the targets, ones by default. The result has the structure of
        `sources`, each gradient the shape and dtype of its source.

        Raises:
          RuntimeError: a tape that is not persistent is used a second time.
          LookupError: an op on the way has no gradient.
          TypeError, ValueError: the arguments are no tensors.
        """
        policy = unconnected(unconnected_gradients)
        if target is None:
            raise TypeError(
                errors.at_user_line(
                    "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors "
                    "to be differentiated, but received None."
                )
            )
        self._begin()
        seeds = _seeds(target, output_gradients)
        leaves = structure.flatten(sources)
        flat = [source_of(v, p) for v, p in zip(leaves, structure.paths(sources))]
        for tensor in flat:
            if not is_differentiable(tensor.dtype):
                _log.warning("The dtype of the source tensor must be floating (e.g. tf.float32) when calling "
                             "GradientTape.gradient, got %r", tensor.dtype)  # fmt: skip
        self._check_home(flat)
        found = backprop(self._calls, seeds, flat)
        self._end()
        if policy is UnconnectedGradients.ZERO:
            found = [zeros_of(t) if g is None else g for g, t in zip(found, flat)]
        return structure.pack_like(sources, found)

    def pull_back(self, seeds: list[tuple[Any, Any]], sources: list[Any]) -> list[Any]:
        """The gradients of flat `sources` for `(target, its gradient)` pairs of any dtype."""
        self._spent = True
        return backprop(self._calls, seeds, sources)

    def _check_home(self, flat: list[Any]) -> None:
        """A tape that recorded a graph cannot be asked outside of it: its tensors have no value there."""
        home = self._home
        graph = current_graph()
        while graph is not None and graph is not home:
            graph = graph.outer
        if home is None or graph is home:
            return
        raise errors.InaccessibleTensorError(
            errors.at_user_line(
                f"the tape recorded the graph of {home.name!r}"
                + ("" if self._entered_at is None else " (entered at {}:{})".format(*self._entered_at))
                + ", which is not being traced here: take the gradient inside that function."
            )
        )

    # --- jacobians ---
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each element of `target` with respect to each element of `sources`.

        For a source of shape S and a target of shape T the result has shape T + S.

        >>> import graphrt as tf
        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]

        Raises:
          RuntimeError: a tape that is not persistent is used a second time.
        """
        policy = unconnected(unconnected_gradients)
        target = _one_target(target)
        self._begin()
        flat = [source_of(v, p) for v, p in zip(structure.flatten(sources), structure.paths(sources))]
        self._check_home(flat)
        rows = _Rows(target)
        columns = rows.of(lambda seed: backprop(self._calls, [(target, seed)], flat))
        self._end()
        found: list[Any] = []
        for tensor, column in zip(flat, columns):
            if column is None:
                if policy is UnconnectedGradients.NONE:
                    found.append(None)
                    continue
                like = zeros_of(tensor)
                found.append(ops.zeros(rows.shape_with(like), like.dtype))
                continue
            found.append(ops.reshape(column, rows.shape_with(zeros_of(tensor))))
        return structure.pack_like(sources, found)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of each row of `target` with respect to the row of `source` of the same number.

        For a target of shape [b, ...T] and a source of shape [b, ...S] the result has shape [b, ...T, ...S].

        >>> import graphrt as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy()[1].tolist()
        [[6.0, 0.0], [0.0, 8.0]]

        Raises:
          ValueError: the first dimensions differ, or a rank is below 2.
        """
        policy = unconnected(unconnected_gradients)
        target = _one_target(target)
        tensor = source_of(source, "")
        for t in (target, tensor):
            if t.dims is not None and len(t.dims) < 2:
                raise ValueError(errors.at_user_line(f"Shape {TensorShape(t.dims)} must have rank at least 2"))
        a, b = target.dims, tensor.dims
        if a is not None and b is not None and a[0] is not None and b[0] is not None and a[0] != b[0]:
            raise ValueError(
                errors.at_user_line(
                    f"Need first dimension of target shape ({TensorShape(a)}) and source shape ({TensorShape(b)}) to "
                    "match."
                )
            )
        self._begin()
        self._check_home([tensor])
        rows = _Rows(target, batched=True)
        (column,) = rows.of(lambda seed: backprop(self._calls, [(target, seed)], [tensor]))
        self._end()
        shape = ops.concat([ops.shape(target), ops.shape(tensor)[1:]], 0)
        if column is None:
            return None if policy is UnconnectedGradients.NONE else ops.zeros(shape, tensor.dtype)
        rank = ops.rank(column)
        order = ops.concat([[1, 0], ops.range(2, rank)], 0)
        made = ops.reshape(ops.transpose(column, order), shape)
        if a is not None and b is not None:
            made.set_shape((*a, *b[1:]))
        return made


class _Rows:
    """The unit gradients of the elements of a target, and what comes of them, stacked."""

    def __init__(self, target: Any, batched: bool = False) -> None:
        self.batched = batched
        self.like = zeros_of(target)
        dims = self.like.dims
        self.dims = dims
        inner = dims[1:] if batched and dims is not None else dims
        self.count: int | None = None
        if inner is not None and is_static(inner):
            self.count = 1
            for d in inner:
                self.count *= d or 0
        self.shape = ops.shape(self.like)

    def _unit(self, number: Any, count: Any) -> Any:
        """The gradient that is one at element `number` (of every row, when batched) and zero elsewhere."""
        hot = one_hot(number, count, dtype=self.like.dtype)
        if self.batched:
            rows = ops.broadcast_to(hot, ops.stack([self.shape[0], count]))
            return self._shaped(ops.reshape(rows, self.shape))
        return self._shaped(ops.reshape(hot, self.shape))

    def _shaped(self, tensor: Any) -> Any:
        if self.dims is not None:
            tensor.set_shape(self.dims)
        return tensor

    def of(self, gradients: Any) -> list[Any]:
        """For each source the gradients for all unit gradients, stacked along a new first axis; None if unconnected."""
        if self.count is not None and (current_graph() is None or self.count <= 16):
            return self._unrolled(gradients)
        return self._looped(gradients)

    def _unrolled(self, gradients: Any) -> list[Any]:
        if self.count == 0:
            found = gradients(self.like)
            return [
                None if g is None else ops.zeros(ops.concat([[0], ops.shape(g)], 0), g.dtype) for g in found
            ]
        table = [gradients(self._unit(i, self.count)) for i in range(self.count or 0)]
        return [None if column[0] is None else ops.stack(list(column)) for column in zip(*table)]

    def _looped(self, gradients: Any) -> list[Any]:
        inner = self.shape[1:] if self.batched else self.shape
        count = ops.reduce_prod(inner)
        probe = gradients(self.like)  # which sources are connected, and what they get
        connected = [i for i, g in enumerate(probe) if g is not None]
        kinds = [(probe[i].dtype, probe[i].dims) for i in connected]
        if not connected:
            return list(probe)
        lists = [TensorArray(dtype=t, size=count, element_shape=d) for t, d in kinds]

        def body(i: Any, *arrays: Any) -> Any:
            found = gradients(self._unit(i, count))
            return (i + 1, *[a.write(i, found[k]) for a, k in zip(arrays, connected)])

        loop = ops.while_loop(lambda i, *_: i < count, body, (ops.zeros([], "int32"), *lists))
        result: list[Any] = [None] * len(probe)
        for array, k in zip(loop[1:], connected):
            result[k] = array.stack()
        return result

    def shape_with(self, like: Any) -> Any:
        """The shape of the target followed by that of `like`."""
        if self.dims is not None and is_static(self.dims) and like.dims is not None and is_static(like.dims):
            return [*self.dims, *like.dims]
        return ops.concat([self.shape, ops.shape(like)], 0)


def _one_target(target: Any) -> Any:
    found = handle_or_tensor(target)
    if found is None:
        raise TypeError(
            errors.at_user_line(f"the target of a jacobian must be one tensor, found {target!r} of type {type(target).__name__}")
        )
    return found


def _seeds(target: Any, output_gradients: Any) -> list[tuple[Any, Any]]:
    """The targets with the gradients to begin with."""
    targets = structure.flatten(target, expand_composites=True)
    where = structure.paths(target)
    given: list[Any] = [None] * len(targets)
    if output_gradients is not None:
        given = structure.flatten(output_gradients, expand_composites=True)
        if len(given) != len(targets):
            raise ValueError(
                errors.at_user_line(
                    f"output_gradients must have one gradient for each target: there are {len(targets)} targets, but "
                    f"{len(given)} gradients"
                )
            )
    seeds = []
    for i, (value, grad) in enumerate(zip(targets, given)):
        tensor = handle_or_tensor(value)
        if tensor is None:
            place = where[i] if len(where) == len(targets) else ""
            raise TypeError(
                errors.at_user_line(
                    f"the target of a gradient must be a tensor; target{place} is {value!r} of type "
                    f"{type(value).__name__}, which no tape can have recorded"
                )
            )
        if not is_differentiable(tensor.dtype) or tensor.dtype.name == "variant":
            _log.warning("The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
                         "GradientTape.gradient, got %r", tensor.dtype)  # fmt: skip
            continue
        if grad is None:
            seeds.append((tensor, ones_of(tensor)))
        else:
            made = as_gradient(grad, tensor)
            _check_seed(made, tensor, i)
            seeds.append((tensor, made))
    return seeds


def _check_seed(grad: Any, tensor: Any, number: int) -> None:
    if grad.dtype is not tensor.dtype and tensor.dtype.kind != "O":
        raise errors.DTypeMismatchError(
            errors.at_user_line(
                f"output_gradients number {number} has dtype {grad.dtype.name}, but its target has dtype "
                f"{tensor.dtype.name}. Use tf.cast."
            )
        )


@provide
def gradient_tape() -> GradientTape:
    """A new tape, for gradient rules that take gradients themselves."""
    return GradientTape()


class AggregationMethod:
    """How the gradients of one tensor are added up; accepted for compatibility, they are always added at once."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


# --- on graphs -------------------------------------------------------------------------------------------------------
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> Any:
    """The gradients of the sum of `ys` with respect to each of `xs`, in the graph being traced.

    `grad_ys` are gradients of the `ys` (ones by default), `stop_gradients` tensors to be taken as constants.

    >>> import graphrt as tf
    >>> @tf.function
    ... def f(x):
    ...     return tf.gradients(x * x, x)
    >>> f(tf.constant(3.0))[0].numpy()
    np.float32(6.0)

    Raises:
      RuntimeError: no graph is being traced.
      LookupError: an op on the way has no gradient.
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            errors.at_user_line(
                "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
            )
        )
    policy = unconnected(unconnected_gradients)
    targets = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    sources = structure.flatten(xs) if isinstance(xs, (list, tuple)) else [xs]
    flat = [source_of(v, f"[{i}]") for i, v in enumerate(sources)]
    given = grad_ys if isinstance(grad_ys, (list, tuple)) or grad_ys is None else [grad_ys]
    stops = [] if stop_gradients is None else structure.flatten(stop_gradients)
    stopped = frozenset(id(source_of(v, f"[{i}]")) for i, v in enumerate(stops))
    calls = _enclosing_calls(graph)
    old = graph.enter_scope(name or "gradients")
    try:
        seeds = _seeds(targets, None) if given is None else _seeds_with_none(targets, given)
        found = backprop(calls, seeds, flat, stopped)
        if policy is UnconnectedGradients.ZERO:
            found = [zeros_of(t) if g is None else g for g, t in zip(found, flat)]
    finally:
        graph.leave_scope(old)
    return found


def _seeds_with_none(targets: list[Any], given: Any) -> list[tuple[Any, Any]]:
    if len(given) != len(targets):
        raise ValueError(errors.at_user_line(f"Passed {len(given)} grad_ys for {len(targets)} ys"))
    return [pair for y, g in zip(targets, given) for pair in _seeds([y], None if g is None else [g])]


def _enclosing_calls(graph: Any) -> list[Call]:
    """The calls of `graph` and the graphs around it, outermost first, with captures as steps between them."""
    chain = []
    while graph is not None:
        chain.append(graph)
        graph = graph.outer
    calls: list[Call] = []
    for inner in reversed(chain):
        calls += [Call(ops.Identity, [outer], {}, [placeholder]) for outer, placeholder in inner.captures]
        calls += calls_of(inner.nodes)
    return calls


def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> list[Any]:
    """The second derivatives of the sum of `ys` with respect to each of `xs`, in the graph being traced.

    For an x of shape S the result has shape S + S.

    >>> import graphrt as tf
    >>> tf.function(lambda x: tf.hessians(x ** 3.0, x))(tf.constant(2.0))[0].numpy()
    np.float32(12.0)

    Raises:
      RuntimeError: no graph is being traced.
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            errors.at_user_line(
                "tf.hessians is not supported when eager execution is enabled. Use nested tf.GradientTapes instead."
            )
        )
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    found = []
    old = graph.enter_scope(name or "hessians")
    try:
        for x, slope in zip(sources, gradients(ys, sources)):
            tensor = source_of(x, "")
            like = zeros_of(tensor)
            if slope is None:
                raise ValueError(errors.at_user_line(f"the ys do not depend on {x!r}, so there are no second derivatives"))
            calls = _enclosing_calls(graph)
            rows = _Rows(slope)
            (column,) = rows.of(lambda seed, s=slope, t=tensor, c=calls: backprop(c, [(s, seed)], [t]))
            shape = rows.shape_with(like)
            found.append(ops.zeros(shape, like.dtype) if column is None else ops.reshape(column, shape))
    finally:
        graph.leave_scope(old)
    return found
