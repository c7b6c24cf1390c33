"""`ForwardAccumulator`: derivatives along a direction, computed beside the ops as they run.

The derivative of an op along tangents of its inputs follows from its `vjp` rule: that rule is linear in the gradients
of the outputs, so its own gradient with respect to these, for the tangents, is the tangent of the outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.autodiff.backprop import Call, apply_rule, dense, is_differentiable, ones_of, zeros_of
from graphrt.autodiff.tape import GradientTape, UnconnectedGradients, handle_or_tensor, source_of, unconnected
from graphrt.ir.op import GROWS
from graphrt.ops.array.identity import identity
from graphrt.tensor.context import pop_recorder, push_recorder, recorders, recording_only
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types import structure
from graphrt.types.dtype import variant
from graphrt.types.leaving import Leaving
from graphrt.types.likes import TensorLike
from graphrt.types.log import logger
from graphrt.types.nesting import bounded, shown
from graphrt.types.shape import TensorShape, compatible

if TYPE_CHECKING:
    from graphrt.ir.op import OpDef


class ForwardAccumulator:
    """Computes Jacobian-vector products in forward mode.

    `primals` are tensors or variables (or structures of them), `tangents` the direction, of the same shapes.

    >>> import graphrt as tf
    >>> x = tf.constant(3.0)
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
    ...     y = x * x
    >>> acc.jvp(y).numpy()
    np.float32(6.0)

    Raises:
      ValueError: primals and tangents do not fit each other.
    """

    needs_higher_order = False

    @bounded
    def __init__(self, primals: TensorLike, tangents: TensorLike) -> None:
        self._tangents: dict[int, tuple[Any, Any]] = {}  # id of a tensor -> the tensor, its tangent
        self._nodes: dict[Any, tuple[Call, list[Any]]] = {}  # nodes that may get further outputs
        self._recording = False
        names = structure.paths(primals)
        structure.assert_same_structure(primals, tangents, check_types=False)
        for name, primal, tangent in zip(names, structure.flatten(primals), structure.flatten(tangents)):
            self._watch(source_of(primal, name), primal, tangent)

    def _watch(self, tensor: Tensor, primal: Any, tangent: Tensor) -> None:
        if not is_differentiable(tensor.dtype):
            logger().warning("The dtype of the watched primal must be floating (e.g. tf.float32), got %r", tensor.dtype)
        if id(tensor) in self._tangents:
            raise ValueError(errors.at_user_line(f"the primal {shown(primal)} is given twice"))
        tangent = convert_to_tensor(tangent, dtype=primal.dtype)
        if not compatible(tangent.dims, primal.dims):
            raise ValueError(
                errors.at_user_line(
                    f"the tangent of {shown(primal)} must have its shape, but has shape {TensorShape(tangent.dims)}"
                )
            )
        self._tangents[id(tensor)] = (tensor, tangent)

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError(errors.at_user_line("Accumulator is already recording."))
        self._recording = True
        push_recorder(self)
        return self

    def entered(self) -> int:
        """Whether it is recording."""
        return int(self._recording)

    def leave(self) -> None:
        """Stops recording: the end of the `with` block."""
        pop_recorder(self)
        self._recording = False

    __exit__ = Leaving()

    def is_watching(self, tensor: TensorLike) -> bool:
        """Whether `tensor` has a tangent."""
        self._complete(tensor)
        return id(tensor) in self._tangents

    def record(self, op: OpDef, inputs: list[Any], attrs: dict[str, Any], results: list[Any]) -> None:
        """Told by the runtime of every op that ran or was recorded."""
        if not any(_carries(t) for t in results):
            return
        for tensor in inputs:
            self._complete(tensor)
        known = self._tangents
        pairs = [known.get(id(t)) for t in inputs]
        if all(p is None for p in pairs):
            return
        call = Call(op, inputs, attrs, results)
        tangents = [None if p is None else p[1] for p in pairs]
        if GROWS in op.traits and call.node is not None:
            self._nodes[call.node] = (call, tangents)
        self._advance(call, tangents)

    def _complete(self, tensor: Any) -> None:
        """Computes the tangent of an output that a node got after it was recorded."""
        if not isinstance(tensor, SymbolicTensor) or id(tensor) in self._tangents or not _carries(tensor):
            return
        found = self._nodes.get(tensor.value.node)
        if found is not None:
            self._advance(*found)

    def _advance(self, call: Call, tangents: list[Any]) -> None:
        """Adds the tangents of the outputs of `call`."""
        with recording_only(r for r in recorders() if r is not self):
            found = _along(call, tangents)
        for tensor, tangent in zip(call.outputs, found):
            if tangent is not None:
                self._tangents.setdefault(id(tensor), (tensor, tangent))

    def jvp(
        self, primals: Tensor | dict[str, Tensor],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE
    ) -> Any:  # fmt: skip
        """The derivatives of `primals`, which were computed inside the context, along the tangents.

        Raises:
          ValueError: `unconnected_gradients` is unknown.
        """
        policy = unconnected(unconnected_gradients)
        leaves = structure.flatten(primals)
        found = []
        for leaf in leaves:
            tensor = handle_or_tensor(leaf)
            if tensor is None:
                raise ValueError(
                    errors.at_user_line(f"jvp wants tensors or variables, found {leaf!r} of type {type(leaf).__name__}")
                )
            pair = self._tangents.get(id(tensor))
            if pair is not None:
                found.append(pair[1])
            else:
                found.append(zeros_of(tensor) if policy is UnconnectedGradients.ZERO else None)
        return structure.pack_like(primals, found)


def _carries(tensor: Tensor) -> bool:
    """Whether results of this dtype have tangents."""
    return tensor.dtype.kind in "fc" or tensor.dtype is variant


def _along(call: Call, tangents: list[Any]) -> list[Any]:
    """The tangent of each output of `call`, or None."""
    wanted = [t is not None for t in tangents]
    outputs = list(call.outputs)
    with GradientTape(watch_accessed_variables=False) as tape:
        grads = [_cotangent(t) if _carries(t) else None for t in outputs]
        for g in grads:
            if g is not None:
                tape.watch(g)
        pulled = [dense(g) for g in apply_rule(call, list(grads), wanted)]
    pairs = [(p, t) for p, t in zip(pulled, tangents) if p is not None and t is not None]
    if not pairs:
        return [None] * len(outputs)
    sources = [g for g in grads if g is not None]
    found = iter(tape.pull_back(pairs, sources))
    return [None if g is None else next(found) for g in grads]


def _cotangent(tensor: Tensor) -> Tensor:
    """Some gradient for `tensor`: rules are linear in it, so any will do."""
    return identity(zeros_of(tensor) if tensor.dtype is variant else ones_of(tensor))
