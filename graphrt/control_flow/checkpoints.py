"""Gradients of loops in memory that grows with the square root of the number of iterations.

    segments      0 | 1 2 | 3 4 5 | 6 7 8 9 | ...        n iterations make about sqrt(2 n) segments

The forward loop keeps its variables at the begin of each segment only. The gradient goes through the segments
backwards: for each it runs the segment again, as a loop of its own whose intermediates are kept, and walks back
through that. As segments grow by one iteration each, nobody has to know beforehand how often the loop will run, and
neither the number of segments nor the length of the longest is more than sqrt(2 n) + 1.

What cannot be run again is not: random numbers and other results of effects are kept for each iteration, and variables
are read once, before the loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.autodiff.backprop import Call, backprop, calls_of, grad_type, is_differentiable, zeros_of
from graphrt.autodiff.backward_graphs import has_effects
from graphrt.control_flow.branches import cond
from graphrt.control_flow.copies import copy_function_nodes, remember_copies
from graphrt.control_flow.gradients import (
    accumulator,
    add_variables,
    counter_of,
    grad_dims,
    insert_before,
)
from graphrt.control_flow.while_loop import build_while
from graphrt.ir.graph import Node, Value
from graphrt.ir.op import INTERNAL, OPAQUE, TAKES_SLICES, define, provide
from graphrt.ops.array.identity import Identity
from graphrt.ops.lists.tensor_list import EmptyTensorList, TensorListGetItem, TensorListPopBack, TensorListPushBack
from graphrt.ops.math.arithmetic import AddN, AddV2, Mul, Sub
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.division import FloorDiv
from graphrt.state.resource_ops import ReadVariableOp
from graphrt.state.storage import Storage
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, tensor_of
from graphrt.types.dtype import variant
from graphrt.types.log import logger
from graphrt.types.shape import TensorShape, relax


# --- variables as they were ------------------------------------------------------------------------------------------
def _snapshot(value: Any, *, dtype: Any) -> Storage:
    made = Storage(dtype, np.shape(value), "snapshot", False)
    made.value = value
    return made


VariableSnapshot = define(
    "_VariableSnapshot", "value: dtype -> resource: resource", attrs="dtype: type", infer=lambda c: (),
    kernel=_snapshot, vjp=lambda call, grad: [grad], traits=(INTERNAL, OPAQUE, TAKES_SLICES),
)  # fmt: skip


# --- what a segment needs --------------------------------------------------------------------------------------------
class _Plan:
    """What it takes to run iterations of a loop again.

    Attributes:
      moving, fixed: the positions of the loop variables that an iteration reads, and of those that never change.
      given: results of effects, kept for each iteration.
      obstacle: a node because of which iterations cannot be repeated, or None.
    """

    def __init__(self, node: Node, wanted: list[int]) -> None:
        body: Any = node.attrs["body"]
        positions = {v: i for i, v in enumerate(body.inputs)}
        constant = {i for i, v in enumerate(body.outputs) if v.source is body.inputs[i]}
        self.given: list[Value] = []
        self.obstacle: Node | None = None
        seen: set[Value] = set()
        pending = [v for i in wanted for v in (body.inputs[i], body.outputs[i])]
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            if value in positions:
                pending.append(body.outputs[positions[value]])
            elif _repeatable(value.node):
                pending += value.node.inputs
            else:
                self.given.append(value)
        needed = {positions[v] for v in seen if v in positions}
        self.moving = sorted(needed - constant)
        self.fixed = sorted(needed & constant)
        self._look_for_obstacles(body, {body.inputs[i] for i in wanted}, seen)

    def _look_for_obstacles(self, body: Any, reached: set[Value], seen: set[Value]) -> None:
        """A result of an effect that gradients flow through; a variable that is written as well as read."""
        written: dict[Value, Node] = {}
        for node in body.nodes:
            if _repeatable(node):
                if any(v in reached for v in node.inputs):
                    reached.update(v for v in node.outputs if is_differentiable(v.dtype))
                continue
            if any(v in reached for v in node.inputs) and any(v in seen for v in node.outputs):
                self.obstacle = node
            written.update({v.source: node for v in node.inputs if v.dtype.name == "resource"})
        for value, node in written.items():
            if value in seen:
                self.obstacle = node


def _repeatable(node: Node) -> bool:
    """Whether `node` may run twice: it only computes, and reads variables."""
    return not has_effects(node)


# --- the gradient ----------------------------------------------------------------------------------------------------
@provide
def checkpointed_loop_gradient(call: Call, carried: list[int], grads: Any) -> list[Any] | None:
    """The gradients of the loop variables `carried`; None where the loop cannot be run again."""
    node = call.node
    assert node is not None
    plan = _Plan(node, carried)
    if plan.obstacle is not None:
        if node.attrs["body"].collections.setdefault("warned", call) is not call:
            return None
        at = "" if plan.obstacle.location is None else f" at {errors.shown_place(*plan.obstacle.location)}"
        logger().warning(
            "The loop %r is not checkpointed, and its gradient keeps what every iteration computed: its iterations "
            "cannot run twice because of %r (%s)%s.", node.name, plan.obstacle.name, plan.obstacle.type, at,
        )  # fmt: skip
        return None
    if any(g is not None and i in _kept(node).values() for i, g in enumerate(grads)):
        return None  # a gradient of a gradient reaches what was kept: the loop as it is now
    starts = [
        grads[i] if i < len(grads) and grads[i] is not None else zeros_of(tensor_of(node.outputs[i])) for i in carried
    ]
    return _Segments(node, plan, carried).walk_back(starts)


def _kept(node: Node) -> dict[Any, int]:
    """The loop variables added for checkpoints: by the position of what they keep, and the number of segments."""
    found: dict[Any, int] = node.attrs["body"].collections.setdefault("checkpoints", {})
    return found


class _Segments:
    """The backward loop over the segments of one loop."""

    def __init__(self, node: Node, plan: _Plan, carried: list[int]) -> None:
        self.node = node
        self.plan = plan
        self.carried = carried
        self.body: Any = node.attrs["body"]
        self.count = tensor_of(node.outputs[counter_of(node)])
        self._keep_starts()
        kept = _kept(node)
        self.segments = tensor_of(node.outputs[kept["segments"]])
        self.lists = [tensor_of(node.outputs[kept[i]]) for i in plan.moving]
        self.given = {v: tensor_of(node.outputs[accumulator(node, v)]) for v in plan.given}
        self.fixed = {i: self._as_it_was(i) for i in plan.fixed}

    def _keep_starts(self) -> None:
        """Lets the forward loop keep its variables where a segment begins."""
        body, kept = self.body, _kept(self.node)
        if "segments" not in kept:

            def next_segment(own: list[Any]) -> list[Any]:
                return [AddV2(own[0], cast(self._begins(own[0]), own[0].dtype))]

            (kept["segments"],) = add_variables(self.node, lambda: [convert_to_tensor(0)], next_segment)
        new = [i for i in self.plan.moving if i not in kept]
        if not new:
            return
        segment = tensor_of(body.inputs[kept["segments"]])
        values = [tensor_of(body.inputs[i]) for i in new]

        def starts() -> list[Any]:
            return [EmptyTensorList(np.int32(-1), np.int32(-1), element_dtype=v.dtype) for v in values]

        def longer(own: list[Any]) -> list[Any]:
            def push() -> list[Any]:
                return [TensorListPushBack(h, v, element_dtype=v.dtype) for h, v in zip(own, values)]

            found = cond(self._begins(segment), push, lambda: [Identity(h) for h in own])
            return list(found)

        kept.update(zip(new, add_variables(self.node, starts, longer)))

    def _begins(self, segment: Any) -> Any:
        """Inside the forward loop: whether this iteration is the first of number `segment`."""
        counter = tensor_of(self.body.inputs[counter_of(self.node)])
        return Equal(counter, _start_of(segment))

    def _as_it_was(self, position: int) -> SymbolicTensor:
        """What input `position`, which never changes, was in the loop; for a variable its value then."""
        given = self.node.inputs[position]
        if given.dtype.name != "resource":
            return tensor_of(given)
        snapshots: dict[int, Any] = self.body.collections.setdefault("snapshots", {})
        if position not in snapshots:
            try:
                dtype, dims = grad_type(self.body.inputs[position])
            except LookupError:  # some other resource
                return tensor_of(given)

            def read() -> Any:
                value = ReadVariableOp(tensor_of(given), dtype=dtype)
                value.value.dims = dims if value.value.dims is None else value.value.dims
                return value

            snapshots[position] = insert_before(self.node, read)
        return snapshots[position]

    # --- backwards ---
    def walk_back(self, starts: list[Any]) -> list[Any]:
        """The gradients of the variables `carried`, from those after the loop."""
        shapes: list[Any] = [
            TensorShape(relax(grad_dims(self.body.inputs[i]), t.dims)) for i, t in zip(self.carried, starts)
        ]
        shapes += [None] * (len(self.lists) + 2)
        many = len(self.carried)

        def step(leaves: list[SymbolicTensor]) -> list[Any]:
            segment, end = leaves[-2:]
            segment = Sub(segment, 1)
            begin = _start_of(segment)
            rest, state = self._state(leaves[many:-2])
            found = self._segment_gradient(state, begin, Sub(end, begin), leaves[:many])
            return [*found, *rest, segment, begin]

        results = build_while(
            lambda _: True, step, [*starts, *self.lists, self.segments, self.count], invariants=shapes,
            maximum_iterations=self.segments, name=f"{self.node.name.rsplit('/', 1)[-1]}_grad_segments",
        )  # fmt: skip
        return results[:many]

    def _state(self, lists: list[SymbolicTensor]) -> tuple[list[Any], dict[int, SymbolicTensor]]:
        """The shorter lists, and the loop variables that were kept last."""
        rest, state = [], {}
        for handle, position in zip(lists, self.plan.moving):
            value = self.body.inputs[position]
            shorter, element = TensorListPopBack(handle, np.int32(-1), element_dtype=value.dtype)
            element.value.dims, element.value.info = value.dims, value.info
            rest.append(shorter)
            state[position] = element
        return rest, state

    def _segment_gradient(
        self, state: dict[int, SymbolicTensor], begin: Any, length: Any, grads: list[SymbolicTensor]
    ) -> list[Any]:
        """The gradients before a segment from `grads`, those after it."""
        here: Any = current_graph()
        moving = self.plan.moving
        fixed = {i: self._inside(here, i, t) for i, t in self.fixed.items()}
        lists = {v: here.capture(t) for v, t in self.given.items()}
        mark = len(here.nodes)

        def again(leaves: list[SymbolicTensor]) -> list[Any]:
            inner: Any = current_graph()
            values: dict[Value, Value] = {}
            for position, leaf in zip(moving, leaves[1:]):
                values[self.body.inputs[position]] = leaf.value
            for position, tensor in fixed.items():
                values[self.body.inputs[position]] = inner.capture(tensor).value
            for value, handle in lists.items():
                element = TensorListGetItem(
                    inner.capture(handle), AddV2(leaves[0], begin), np.int32(-1), element_dtype=value.dtype
                )
                element.value.dims, element.value.info = value.dims, value.info
                values[value] = element.value
            copy_function_nodes([n for n in self.body.nodes if _repeatable(n)], inner, values)
            remember_copies(self.body, inner, values)
            after = [tensor_of(values[self.body.outputs[p]]) for p in moving]
            return [AddV2(leaves[0], 1), *after]

        invariants: list[Any] = [None]
        invariants += [
            None if self.body.inputs[i].dtype is variant else TensorShape(self.body.inputs[i].dims) for i in moving
        ]
        after = build_while(
            lambda _: True, again, [convert_to_tensor(0), *(state[i] for i in moving)], invariants=invariants,
            maximum_iterations=length, name=f"{self.node.name.rsplit('/', 1)[-1]}_again",
        )  # fmt: skip
        results = dict(zip(moving, after[1:]))
        seeds = [(results[i], g) for i, g in zip(self.carried, grads) if i in results]
        sources = [state[i] if i in state else fixed[i] for i in self.carried]
        found = backprop(calls_of(here.nodes[mark:]), seeds, sources)
        out = []
        for position, grad, extra in zip(self.carried, grads, found):
            if position in results:
                made = zeros_of(state[position]) if extra is None else extra
            else:
                made = grad if extra is None else AddN([grad, extra])
            if made.dtype.kind != "O" and grad.dims is not None:
                made.set_shape(grad.dims)
            out.append(made)
        return out

    def _inside(self, here: Any, position: int, tensor: SymbolicTensor) -> SymbolicTensor:
        """Fixed input `position` in the graph of the backward loop's body."""
        value = self.body.inputs[position]
        if value.dtype.name != "resource" or tensor.dtype.name == "resource":
            return here.capture(tensor)
        handle = VariableSnapshot(here.capture(tensor))
        handle.value.info = Storage(tensor.dtype, tensor.dims, "snapshot", False)
        return handle


def _start_of(segment: Any) -> Any:
    """The number of the first iteration of a segment: 0, 1, 3, 6, 10, ..."""
    return FloorDiv(Mul(segment, AddV2(segment, 1)), 2)
