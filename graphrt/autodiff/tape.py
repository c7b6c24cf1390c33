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
from collections.abc import Generator, Mapping
from typing import Any, TypeAlias, TypeVar, overload

from graphrt import errors
from graphrt.autodiff.backprop import (
    Call,
    as_gradient,
    backprop,
    dense,
    flat_gradients,
    grad_type,
    is_differentiable,
    ones_of,
    zeros_of,
)
from graphrt.autodiff.jacobians import Rows
from graphrt.ir.op import GROWS, provide
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.indexed_slices import IndexedSlices
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.array.shape import reshape, transpose
from graphrt.ops.array.shape import shape as shape_
from graphrt.tensor.context import current_graph, pop_recorder, push_recorder
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types import structure
from graphrt.types.advice import conversion
from graphrt.types.leaving import Leaving, block
from graphrt.types.likes import HasDType, TensorLike
from graphrt.types.log import logger
from graphrt.types.nesting import Choices, shown
from graphrt.types.shape import TensorShape

Gradient: TypeAlias = Tensor | Any
"""What the gradient of one source is: mostly a tensor; `IndexedSlices` of rows that were looked up; None where nothing
leads from the source to the target."""
_Source = TypeVar("_Source", bound=HasDType)


class UnconnectedGradients(enum.Enum, metaclass=Choices):
    """What stands for the gradient of a source that the target does not depend on.

    NONE: the value None. ZERO: zeros of the source's shape.

    >>> import graphrt as tf
    >>> x, y = tf.Variable(1.0), tf.Variable(2.0)
    >>> with tf.GradientTape(persistent=True) as tape:
    ...     z = x * x
    >>> tape.gradient(z, y) is None
    True
    >>> tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy().item()
    0.0
    """

    NONE = "none"
    ZERO = "zero"


def unconnected(value: UnconnectedGradients | str) -> UnconnectedGradients:
    """`value` as an `UnconnectedGradients`; ValueError when it is none."""
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(errors.at_user_line(f"Unknown value for unconnected_gradients: {shown(value)}")) from None


def handle_or_tensor(value: TensorLike) -> Tensor | None:
    """What gradients are computed for: the handle of a variable, or the tensor itself."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, structure.Rows):
        return value.flat_values
    handle = getattr(value, "_handle", None)
    return handle if isinstance(handle, Tensor) else None


def source_of(value: TensorLike, where: str) -> Tensor:
    """The tensor that stands for the source `value`.

    Raises:
      TypeError: gradients can only be computed with respect to tensors and variables.
    """
    found = handle_or_tensor(value)
    if found is None:
        raise TypeError(
            errors.at_user_line(
                f"the sources of a gradient must be tensors or variables; sources{where} is {shown(value)} of type "
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
                errors.at_user_line(
                    "Tape is still recording, This can happen if you try to re-enter an already-active tape."
                )
            )
        if self._fresh or (self._spent and not self._persistent):
            kept = self._watched if self._fresh else {}  # tensors that were watched before the tape was entered
            self._clear()
            self._watched.update(kept)
        self._fresh = False
        self._spent = False
        self._entered_at = errors.user_location(2)
        self._home = current_graph()
        self._start()
        return self

    def entered(self) -> int:
        """Whether it is recording."""
        return int(self._recording)

    def leave(self) -> None:
        """Stops recording: the end of the `with` block."""
        self._stop()

    __exit__ = Leaving()

    def _start(self) -> None:
        self._recording = True
        push_recorder(self)

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
        if GROWS in op.traits and call.node is not None:
            self._nodes.add(call.node)
        for tensor in outputs:
            watched[id(tensor)] = tensor

    def is_watching(self, tensor: TensorLike) -> bool:
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

    def watch(self, tensor: object) -> None:
        """Records the ops on `tensor` (a tensor, a variable, or a nested structure of them) from now on.

        Raises:
          ValueError: something else is to be watched.
        """
        leaves = [v.flat_values if isinstance(v, structure.Rows) else v for v in structure.flatten(tensor)]
        for leaf in structure.flatten(leaves, expand_composites=True):
            found = handle_or_tensor(leaf)
            if found is None:
                raise ValueError(
                    errors.at_user_line(
                        f"Passed in object {leaf!r} of type {type(leaf).__name__!r}, not tf.Tensor or tf.Variable or "
                        "ExtensionType."
                    )
                )
            if not is_differentiable(found.dtype):
                logger().warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", found.dtype
                )
                continue
            if found is not leaf:
                self._watch_variable(leaf)
            else:
                self._watched[id(found)] = found

    @block
    def stop_recording(self) -> Generator[None, None, None]:
        """Lets the ops of the `with` block go unrecorded by this tape.

        Raises:
          RuntimeError: the tape is not recording.
        """
        if not self._recording:
            raise RuntimeError(errors.at_user_line("Trying to stop recording a tape which is not recording."))
        try:
            self._stop()
            yield from (None,)
        finally:
            try:
                self._start()
            except KeyboardInterrupt:  # where it begins, or half-way
                self._stop()
                self._start()
                raise

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
            raise RuntimeError(
                errors.at_user_line(
                    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)\n  "
                    + self._why_spent()
                )
            )
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                logger().warning(
                    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
                    "efficient than calling it outside the context (it causes the gradient ops to be recorded on the "
                    "tape, leading to increased CPU and memory usage). Only call GradientTape.gradient inside the "
                    "context if you actually want to trace the gradient in order to compute higher order derivatives."
                )
        self._spent = True
        self._used_at = errors.user_location(3)

    def _why_spent(self) -> str:
        if self._fresh:
            return "The tape was never entered: compute the target inside `with tape:`."
        where = "" if self._used_at is None else f" at {errors.shown_place(*self._used_at)}"
        return f"Its gradients were already taken{where}. Use tf.GradientTape(persistent=True) to take several."

    def _end(self) -> None:
        if not self._persistent:
            variables = self._variables
            self._clear()
            self._variables = variables  # `watched_variables` still answers

    @overload
    def gradient(
        self, target: object, sources: HasDType, output_gradients: TensorLike | None = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> Gradient: ...  # fmt: skip
    @overload
    def gradient(
        self, target: object, sources: list[_Source], output_gradients: TensorLike | None = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> list[Gradient]: ...  # fmt: skip
    @overload
    def gradient(
        self, target: object, sources: tuple[_Source, ...], output_gradients: TensorLike | None = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> tuple[Gradient, ...]: ...  # fmt: skip
    @overload
    def gradient(
        self, target: object, sources: Mapping[str, _Source], output_gradients: TensorLike | None = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> dict[str, Gradient]: ...  # fmt: skip
    @overload
    def gradient(
        self, target: object, sources: object, output_gradients: TensorLike | None = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> Any: ...  # fmt: skip

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: TensorLike | None = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
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
        seeds = seeds_of(target, output_gradients)
        leaves = structure.flatten(sources)
        flat = [source_of(v, p) for v, p in zip(leaves, structure.paths(sources))]
        for tensor in flat:
            if not is_differentiable(tensor.dtype):
                logger().warning("The dtype of the source tensor must be floating (e.g. tf.float32) when calling "
                             "GradientTape.gradient, got %r", tensor.dtype)  # fmt: skip
        self._check_home(flat)
        found = self._back(seeds, flat, slices=True)
        self._end()
        if policy is UnconnectedGradients.ZERO:
            found = [zeros_of(t) if g is None else g for g, t in zip(found, flat)]
        for i, (value, grad) in enumerate(zip(leaves, found)):
            if isinstance(value, structure.Rows) and grad is not None:
                found[i] = value.with_flat_values(dense(grad))
        return structure.pack_like(sources, found)

    def _back(self, seeds: list[tuple[Any, Any]], sources: list[Any], slices: bool = False) -> list[Any]:
        """The gradients of `sources`. What nobody watched has only those of the targets that it is itself."""
        watched = [self.is_watching(s) for s in sources]
        found = iter(backprop(self._calls, seeds, [s for s, w in zip(sources, watched) if w], slices=slices))
        own = iter(backprop([], seeds, [s for s, w in zip(sources, watched) if not w]))
        return [next(found if w else own) for w in watched]

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
                + ("" if self._entered_at is None else f" (entered at {errors.shown_place(*self._entered_at)})")
                + ", which is not being traced here: take the gradient inside that function."
            )
        )

    # --- jacobians ---
    def jacobian(
        self,
        target: TensorLike,
        sources: TensorLike | Mapping[str, TensorLike],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
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
        rows = Rows(target)
        columns = rows.of(lambda seed: self._back([(target, seed)], flat))
        self._end()
        found: list[Any] = []
        for tensor, column in zip(flat, columns):
            if column is None:
                if policy is UnconnectedGradients.NONE:
                    found.append(None)
                    continue
                like = zeros_of(tensor)
                found.append(zeros(rows.shape_with(like), like.dtype))
                continue
            found.append(reshape(column, rows.shape_with(zeros_of(tensor))))
        return structure.pack_like(sources, found)

    def batch_jacobian(
        self,
        target: TensorLike,
        source: TensorLike,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
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
        unconnected(unconnected_gradients)
        target = _one_target(target)
        tensor = source_of(source, "")
        like = zeros_of(tensor)  # has the shape and dtype of a variable, too
        rows = Rows(target, batched=True)
        for t in (rows.like, like):
            if t.dims is not None and len(t.dims) < 2:
                raise ValueError(errors.at_user_line(f"Shape {TensorShape(t.dims)} must have rank at least 2"))
        a, b = rows.like.dims, like.dims
        if a is not None and b is not None and a[0] is not None and b[0] is not None and a[0] != b[0]:
            raise ValueError(
                errors.at_user_line(
                    f"Need first dimension of target shape ({TensorShape(a)}) and source shape ({TensorShape(b)}) to "
                    "match."
                )
            )
        self._begin()
        self._check_home([tensor])
        (column,) = rows.of(lambda seed: self._back([(target, seed)], [tensor]))
        self._end()
        shape = concat([rows.shape, shape_(like)[1:]], 0)
        if column is None:
            return zeros(shape, like.dtype)  # as in TensorFlow, whatever the policy
        rank = rank_(column)
        order = concat([[1, 0], range_(2, rank)], 0)
        made = reshape(transpose(column, order), shape)
        if a is not None and b is not None:
            made.set_shape((*a, *b[1:]))
        return made


def _one_target(target: Any) -> Tensor:
    found = handle_or_tensor(target)
    if found is None:
        raise TypeError(
            errors.at_user_line(
                f"the target of a jacobian must be one tensor, found {shown(target)} of type {type(target).__name__}"
            )
        )
    return found


def seeds_of(target: object, output_gradients: TensorLike | None) -> list[tuple[Any, Any]]:
    """The targets with the gradients to begin with."""
    targets = flat_gradients(target)
    where = structure.paths(target)
    given: list[Any] = [None] * len(targets)
    if output_gradients is not None:
        given = flat_gradients(output_gradients)
        if len(given) != len(targets):
            raise ValueError(
                errors.at_user_line(
                    f"output_gradients must have one gradient for each target: there are {len(targets)} targets, but "
                    f"{len(given)} gradients"
                )
            )
    seeds = []
    for i, (value, grad) in enumerate(zip(targets, given)):
        if isinstance(value, IndexedSlices):  # a gradient: what counts of it are its values
            grad = None if grad is None else gather(dense(grad), value.indices)
            value = value.values
        tensor = handle_or_tensor(value)
        if tensor is None:
            place = where[i] if len(where) == len(targets) else ""
            raise TypeError(
                errors.at_user_line(
                    f"the target of a gradient must be a tensor; target{place} is {shown(value)} of type "
                    f"{type(value).__name__}, which no tape can have recorded"
                )
            )
        if not is_differentiable(tensor.dtype) or tensor.dtype.name == "variant":
            logger().warning("The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
                         "GradientTape.gradient, got %r", tensor.dtype)  # fmt: skip
            continue
        if grad is None:
            seeds.append((tensor, ones_of(tensor)))
        else:
            made = as_gradient(grad, tensor)
            _check_seed(made, tensor, i)
            seeds.append((tensor, made))
    return seeds


def _check_seed(grad: Tensor, tensor: Tensor, number: int) -> None:
    if grad.dtype is not tensor.dtype and tensor.dtype.kind != "O":
        raise errors.DTypeMismatchError(
            errors.at_user_line(
                f"output_gradients number {number} has dtype {grad.dtype.name}, but its target has dtype "
                f"{tensor.dtype.name}. Use {conversion(grad.dtype, tensor.dtype)}."
            )
        )
    own, given = grad_type(tensor)[1], grad.dims
    if tensor.dtype.kind != "O" and own is not None and given is not None and not _spreads(given, own):
        raise errors.ShapeError(
            errors.at_user_line(
                f"output_gradients number {number} has shape {TensorShape(given)}, which does not fit the shape "
                f"{TensorShape(own)} of its target"
            )
        )


def _spreads(dims: Any, to: Any) -> bool:
    """Whether a tensor of shape `dims` may be broadcast to the shape `to`."""
    tail = to[len(to) - len(dims) :] if len(dims) else ()
    return len(dims) <= len(to) and all(a is None or b is None or a in (1, b) for a, b in zip(dims, tail))


@provide
def gradient_tape() -> GradientTape:
    """A new tape, for gradient rules that take gradients themselves."""
    return GradientTape()
