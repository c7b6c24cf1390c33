"""`export.to_jax`: a traced graph as a pure function of JAX."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.export.jax.package import import_module, jax, jnp, need_jax
from graphrt.export.jax.replay import UNKNOWN, Handle, Held, Replay, Rows, State, as_array, missing, refuse
from graphrt.export.jax.rules import RULES
from graphrt.function.concrete import ConcreteFunction
from graphrt.ir.liveness import live_nodes, observable
from graphrt.state.storage import Storage
from graphrt.tensor.tensor import EagerTensor, behind, raw_of
from graphrt.types.dtype import DType, resource
from graphrt.types.nesting import shown
from graphrt.types.structure import flatten, pack_like

__all__ = ["JaxFunction", "Replayed", "to_jax"]

_WIDE = {"int64", "uint64", "float64", "complex128"}


class Replayed:
    """A graph that is replayed on arrays of JAX: `(tensors, variables) -> (outputs, variables)`, all flat.

    Attributes:
      storages: the variables that the graph captured, in the order of their values.
      changes: whether it assigns one.
      is_wide: whether it computes with types of 64 bits, which JAX has only when it is told so.

    Raises:
      UnimplementedError: nodes have no counterpart; the message lists all, with the lines they come from.
    """

    def __init__(self, concrete: ConcreteFunction) -> None:
        need_jax()
        self.concrete = concrete
        self.name = concrete.function_name
        graph = concrete.graph
        refused = missing(graph, RULES)
        if refused:
            refuse(refused, self.name)
        self.storages: list[Storage] = []
        self.given: list[Held] = []
        for outer, _ in graph.captures:
            held = behind(outer)
            if isinstance(held, Storage):
                if held not in self.storages:
                    self.storages.append(held)
                self.given.append(Handle(self.storages.index(held)))
            elif isinstance(outer, EagerTensor) and outer.dtype is not resource and outer.dtype.kind not in "OS":
                self.given.append(np.asarray(raw_of(outer)))
            else:
                raise errors.UnimplementedError(
                    None, None, errors.at_user_line(f"{self.name} cannot run on XLA: it captures {shown(outer)}")
                )
        parts = [graph, *graph.functions().values()]
        nodes = [n for part in parts for n in live_nodes(part)]
        self.changes = any(observable(n) and any(v.dtype is resource for v in n.inputs) for n in nodes)
        outside = {v.dtype.name for v in (*graph.inputs, *graph.outputs)} | {s.dtype.name for s in self.storages}
        inside = {v.dtype.name for n in nodes if not n.is_constant for v in n.outputs}
        self.must_be_wide = bool((outside | (inside - {"int64", "uint64"})) & _WIDE)
        self.is_wide = self.must_be_wide or bool(inside & _WIDE)
        self.count = len(graph.inputs) - len(self.given)

    def values(self) -> list[Any]:
        """What the variables hold now."""
        return [np.asarray(s.value) for s in self.storages]

    def wide(self, arguments: Sequence[Any]) -> Any:
        """The context in which JAX has the types that are needed, for one call."""
        if not self.is_wide or jax.config.jax_enable_x64:
            return contextlib.nullcontext()
        if any(isinstance(v, jax.core.Tracer) for v in arguments):
            if self.must_be_wide:
                raise errors.InvalidArgumentError(
                    None, None,
                    errors.at_user_line(
                        f"{self.name} computes with 64 bits, and is called inside a transformation of JAX that has 32: "
                        "say jax.config.update('jax_enable_x64', True), or enter jax.enable_x64(True) around it"
                    ),
                )  # fmt: skip
            return contextlib.nullcontext()  # numbers of elements, indices: of 32 bits, as elsewhere in that program
        if hasattr(jax, "enable_x64"):
            return jax.enable_x64(True)
        return import_module("jax.experimental").enable_x64(True)  # before JAX 0.8

    def __call__(self, tensors: Sequence[Any], variables: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Replays the graph."""
        graph = self.concrete.graph
        replay = Replay(RULES)
        state = State(list(variables))
        found = replay.run(graph, [*tensors, *self.given], state)
        if replay.unmapped:
            refuse(replay.unmapped, self.name)
        outputs = [self._output(v, w.dtype) for v, w in zip(found, graph.outputs)]
        return outputs, [as_array(v) for v in state.values]

    def _output(self, value: Held, dtype: DType) -> Any:
        if isinstance(value, (Handle, Rows)) or value is UNKNOWN:
            raise errors.UnimplementedError(
                None, None, errors.at_user_line(f"{self.name} gives a {dtype.name} back, which is no array")
            )
        return as_array(value)


class JaxFunction:
    """A traced function as JAX has functions: pure, so that it can be jitted, differentiated, vectorised and sharded.

    Attributes:
      variables: the values of the variables that it captured, a tuple of arrays.
    """

    def __init__(self, replayed: Replayed) -> None:
        self._replayed = replayed
        self.__name__ = replayed.name

    @property
    def variables(self) -> tuple[Any, ...]:
        """What the variables of the traced function hold now, as arrays of JAX."""
        values = self._replayed.values()
        with self._replayed.wide(values):
            return tuple([jnp.asarray(v) for v in values])

    def __call__(self, *args: Any) -> Any:
        """The results for arrays in the place of tensors; variables have the values that they hold now.

        Raises:
          TypeError: as many arrays are needed as the function takes tensors.
          ValueError: the function assigns variables: ask `with_variables`.
        """
        if self._replayed.changes:
            raise ValueError(
                errors.at_user_line(
                    f"{self.__name__} assigns variables, and a function of JAX is pure: call "
                    "f.with_variables(f.variables, ...), which gives the results and the new values"
                )
            )
        return self.with_variables(self._replayed.values(), *args)[0]

    def with_variables(self, variables: Sequence[Any], *args: Any) -> tuple[Any, tuple[Any, ...]]:
        """The results, and what the variables hold afterwards, when they hold `variables` before.

        Raises:
          TypeError: as many arrays are needed as the function takes tensors, and has variables.
        """
        replayed = self._replayed
        leaves, values = jax.tree_util.tree_leaves(args), list(variables)
        if len(leaves) != replayed.count or len(values) != len(replayed.storages):
            raise TypeError(
                errors.at_user_line(
                    f"{self.__name__} takes {replayed.count} arrays and has {len(replayed.storages)} variables, got "
                    f"{len(leaves)} and {len(values)}"
                )
            )
        with replayed.wide([*leaves, *values]):
            tensors = [jnp.asarray(v, w.dtype.as_numpy_dtype) for v, w in zip(leaves, replayed.concrete.graph.inputs)]
            outputs, after = replayed(tensors, values)
        return self._packed(outputs), tuple(after)

    def _packed(self, outputs: list[Any]) -> Any:
        structured = replayed_structure(self._replayed.concrete)
        if structured is None:
            return outputs
        supply = iter(outputs)
        return pack_like(structured, [next(supply) if hasattr(v, "dtype") else v for v in flatten(structured)])

    def __repr__(self) -> str:
        variables = len(self._replayed.storages)
        return f"<function {self.__name__} for JAX: {self._replayed.count} arrays, {variables} variables>"


def replayed_structure(concrete: ConcreteFunction) -> Any:
    """The structure of the results; None where composite tensors stand in it, whose parts are given flat."""
    structured = concrete.graph.structured_outputs
    composite = len(flatten(structured, expand_composites=True)) != len(flatten(structured))
    return None if composite else structured


def to_jax(concrete: ConcreteFunction) -> JaxFunction:
    """A traced function as a pure function of JAX, which needs the extra `[xla]`.

    It takes arrays in the place of tensors (nested as the arguments are) and can be given to `jax.jit`, `jax.grad`,
    `jax.vmap` and `jax.sharding`. Variables are constants for `f(x)`; `f.with_variables(values, x)` takes their values
    and gives the new ones back, so that a whole training step is pure. Loops whose number of turns follows from shapes
    and constants become `lax.scan`, which has gradients; others `lax.while_loop`. Types of 64 bits are switched on for
    the call alone.

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda x: tf.reduce_sum(x**2)).get_concrete_function(tf.TensorSpec([3]))
    >>> f = tf.export.to_jax(concrete)                                    # doctest: +SKIP
    >>> jax.jit(jax.grad(f))(jnp.array([1.0, 2.0, 3.0]))                  # doctest: +SKIP
    Array([2., 4., 6.], dtype=float32)

    Raises:
      MissingExtraError: jax is not installed.
      UnimplementedError: nodes have no counterpart; the message lists all, with the lines they come from.
    """
    if not isinstance(concrete, ConcreteFunction):
        raise TypeError(
            errors.at_user_line(f"to_jax takes a concrete function, found {concrete!r}: call its get_concrete_function")
        )
    return JaxFunction(Replayed(concrete))
