"""Functions with a gradient of the user's own: `custom_gradient`, `recompute_grad`.

Run at once, the tapes are told of one call whose rule is the user's function. While tracing, results and arguments go
through one `IdentityN` node that names the rule, so that whoever differentiates the graph, now or later, finds it.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.autodiff.backprop import (
    GRADIENT_NAME,
    GradientFunction,
    flat_gradients,
    is_differentiable,
    named_rules,
)
from graphrt.autodiff.tape import GradientTape, handle_or_tensor
from graphrt.ops.array.identity import Identity, IdentityN, identity
from graphrt.state.variable import Variable, handle_of
from graphrt.tensor import context
from graphrt.tensor.context import current_graph, recorders, recording_only
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, alike, raw_of
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.ir.op import OpDef
    from graphrt.tensor.call import Call

_numbers = itertools.count(1)


class _Watcher:
    """Notes which trainable variables are read."""

    needs_higher_order = False

    def __init__(self) -> None:
        self.variables: list[Any] = []

    def record(self, op: OpDef, inputs: list[Tensor], attrs: dict[str, DType], results: list[Tensor]) -> None:
        """Nothing is recorded."""

    def is_watching(self, tensor: Any) -> bool:
        """No tensor is watched."""
        return False

    def variable_accessed(self, variable: Any) -> None:
        """Told by the runtime when a variable is read."""
        if variable.trainable and all(handle_of(v) is not handle_of(variable) for v in self.variables):
            self.variables.append(variable)


def _unseen() -> AbstractContextManager[None]:
    """Hides the ops of the block from all tapes; variables that are read are noted nevertheless."""
    return recording_only(r for r in recorders() if isinstance(r, _Watcher))


class _CustomOp:
    """Stands for the op of a call that ran at once and has a rule of the user's."""

    __slots__ = ("traits", "type", "vjp")

    def __init__(self, name: str, vjp: Callable[..., Any]) -> None:
        self.type = name
        self.vjp = vjp
        self.traits: frozenset[str] = frozenset()


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorates `f`, which returns its result and a function from gradients of the result to those of its arguments.

    If `f` reads variables, the gradient function must take `variables`, and return a pair: the gradients of the
    arguments, and a list of those of the variables.

    >>> import graphrt as tf
    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return tf.identity(x), lambda dy: tf.clip_by_value(dy, -1.0, 1.0)
    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = clipped(x) * 10.0
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)

    Raises:
      TypeError: `f` does not return such a pair, or uses variables that its gradient function does not take.
      ValueError: the gradient function returns another number of gradients.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: object, **kwargs: object) -> Any:
        return _call(f, args, kwargs)

    return decorated


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | tuple[Tensor, Tensor]:
    name = getattr(f, "__name__", "function")
    args = structure.map_structure(_as_tensor, args, expand_composites=False)
    watcher = _Watcher()
    with context.recording(watcher):
        pair = f(*args, **kwargs)
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not callable(pair[1]):
        raise TypeError(
            errors.at_user_line(
                f"a function decorated with tf.custom_gradient must return a pair: its result and a function that "
                f"computes gradients. {name} returned {shown(pair)}"
            )
        )
    result, grad_fn = pair
    flat_args = structure.flatten(args, expand_composites=True)
    tensors = [a if isinstance(a, Tensor) else handle_or_tensor(a) for a in flat_args]
    given = {id(t) for t in tensors}
    variables = [v for v in watcher.variables if id(handle_of(v)) not in given]
    _check_signature(grad_fn, variables)
    results = [_as_result(r) for r in structure.flatten(result, expand_composites=True)]
    positions = [i for i, t in enumerate(tensors) if t is not None]
    rule = _rule(name, grad_fn, args, positions, variables, len(results), len(flat_args))
    if current_graph() is None:
        for variable in (*(a for a in flat_args if isinstance(a, Variable)), *variables):
            variable.touch()  # a call that hid its ops from the tapes hid these, too
        inputs = [tensors[i] for i in positions] + [handle_of(v) for v in variables]
        results = _recorded(name, rule, inputs, results)
    else:  # files can hold values, and no handles among them
        taken: list[Any] = [flat_args[i] if isinstance(flat_args[i], Variable) else tensors[i] for i in positions]
        read = [v.read_value() if isinstance(v, Variable) else v for v in (*taken, *variables)]
        results = _traced(rule, read, results)
    return structure.pack_like(result, results, expand_composites=True)


def _as_tensor(value: Tensor) -> Tensor:
    """A number or array among the arguments as a tensor; ints, flags and other objects stay as they are."""
    if isinstance(value, (float, complex, np.ndarray, np.generic)):
        return convert_to_tensor(value)
    return value


def _as_result(value: Tensor) -> Tensor:
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def _check_signature(grad_fn: Callable[..., Any], variables: list[Any]) -> None:
    try:
        parameters = inspect.signature(grad_fn).parameters
    except (TypeError, ValueError):
        return
    takes = "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if variables and not takes:
        raise TypeError(
            errors.at_user_line(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{variables}"
            )
        )


def _rule(
    name: str, grad_fn: Callable[..., Any], args: tuple[Tensor, ...], positions: list[int], variables: list[Any],
    count: int, total: int
) -> Callable[..., Any]:  # fmt: skip
    """The gradient rule for inputs: the tensors among the arguments at `positions`, then the variables' handles."""

    def rule(call: Call, *grads: Tensor) -> list[Any]:
        grads = grads[:count]
        if variables:
            pair = grad_fn(*grads, variables=list(variables))
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise TypeError(
                    errors.at_user_line(
                        f"the gradient function of {name} must return a pair, the gradients of the arguments and a "
                        f"list of those of the variables; it returned {shown(pair)}"
                    )
                )
            found, of_variables = pair
            of_variables = list(of_variables) if isinstance(of_variables, (list, tuple)) else [of_variables]
            if len(of_variables) != len(variables):
                raise ValueError(
                    errors.at_user_line(
                        f"Must return gradient for each variable from @custom_gradient grad_fn: {name} uses "
                        f"{len(variables)} variables, {len(of_variables)} gradients were returned."
                    )
                )
        else:
            found, of_variables = grad_fn(*grads), []
        flat = flat_gradients(found)
        if len(flat) == total:
            flat = [flat[i] for i in positions]
        elif len(flat) != len(positions):
            raise ValueError(
                errors.at_user_line(
                    f"custom_gradient function expected to return {total} gradients, but returned {len(flat)} instead."
                )
            )
        return [*flat, *of_variables]

    return rule


def _recorded(name: str, rule: Callable[..., Any], inputs: list[Any], results: list[Any]) -> list[Any]:
    if not recorders():
        return results
    for tensor in (*inputs, *results):
        if type(tensor) is not EagerTensor:
            Identity(tensor)  # refuses, and says where the tensor comes from
    results = [alike(raw_of(t), t) for t in results]  # results of their own, whatever they are results of
    op = _CustomOp(name, rule)
    for tape in recorders():
        tape.record(op, inputs, {}, results)
    return results


def _traced(rule: Callable[..., Any], inputs: list[Any], results: list[Any]) -> list[Any]:
    graph: Any = current_graph()
    outputs = IdentityN([*results, *inputs], **named_rule(graph, _padded(rule, len(results))))
    outputs = list(outputs)
    for given, output in zip([*results, *inputs], outputs):
        output.value.info = getattr(graph.capture(given).value, "info", None)
    return outputs[: len(results)]


def named_rule(graph: Any, rule: Callable[..., Any]) -> dict[str, Any]:
    """The attributes that make `rule` the gradient of a node of `graph`, which keeps it."""
    key = f"CustomGradient-{next(_numbers)}"
    kept = named_rules[key] = GradientFunction(rule)
    graph.collections.setdefault("custom_gradients", []).append(kept)
    return {GRADIENT_NAME: key.encode()}


def _padded(rule: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A rule for results and inputs, of one for the inputs: the results' own gradients are not asked for."""
    return lambda call, *grads: [None] * count + rule(call, *grads)


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` that keeps only its arguments for the gradient, and runs `f` again when that is computed.

    >>> import graphrt as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.recompute_grad(lambda x: x * x)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """

    @functools.wraps(f)
    def recomputed(*args: object, **kwargs: object) -> Any:
        @custom_gradient
        def once(*arguments: Tensor) -> tuple[Tensor, Callable[..., Any]]:
            with _unseen():
                result = f(*arguments, **kwargs)

            def grad(
                *grads: Tensor, variables: list[Any] | None = None
            ) -> list[Tensor] | tuple[list[Tensor], list[Tensor]]:
                return _again(f, arguments, kwargs, grads, variables)

            return result, grad

        return once(*args)

    return recomputed


def _again(
    f: Callable[..., Any], arguments: Any, kwargs: dict[Any, Any], grads: Any, variables: list[Any] | None
) -> Any:
    """The gradients of the arguments (and variables) of `f`, computed by running it once more under a tape."""
    leaves = structure.flatten(arguments, expand_composites=True)
    fresh = [identity(a) if isinstance(a, Tensor) and is_differentiable(a.dtype) else a for a in leaves]
    watched = [a for a in fresh if handle_or_tensor(a) is not None]
    with GradientTape(watch_accessed_variables=False) as tape:
        for a in watched:
            tape.watch(a)
        for variable in variables or ():
            tape.watch(variable)
        result = f(*structure.pack_like(arguments, fresh, expand_composites=True), **kwargs)
    flat = structure.flatten(result, expand_composites=True)
    pairs = [(r, g) for r, g in zip(flat, grads) if g is not None]
    found = tape.gradient([r for r, _ in pairs], [*watched, *(variables or ())], [g for _, g in pairs])
    supply = iter(found)
    of_arguments = [next(supply) if handle_or_tensor(a) is not None else None for a in fresh]
    if variables is None:
        return of_arguments
    return of_arguments, list(supply)


__all__ = ["custom_gradient", "recompute_grad"]
