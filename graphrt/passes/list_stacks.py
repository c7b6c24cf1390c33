"""Keeps what a loop leaves for its gradient in a plain Python list.

    %l = EmptyTensorList(...)                           %s = _EmptyTensorList()
    while ...:                                          while ...:
        %l = TensorListPushBack(%l, %v)         ->          %s = _TensorListPushBack(%s, %v)
    while ...:                                          while ...:
        %l, %v = TensorListPopBack(%l)                      %s, %v = _TensorListPopBack(%s)

That is what the gradient of a loop becomes. All versions of the stack are one Python list, which is right because each
version is used once: by the next push, and then by the next pop.
"""

from __future__ import annotations

from typing import Any

from graphrt.errors import InvalidArgumentError
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import INTERNAL, LOOP, QUIET, STATEFUL, OpDef, define
from graphrt.ops.lists.tensor_list import EmptyTensorList, TensorListPopBack, TensorListPushBack
from graphrt.passes.rewrite import constant_of, users_of
from graphrt.types.shape import Dims, compatible

# --- the ops: state in all but name, so that no pass merges or moves them ---------------------------------------------
_EMPTY = Template("[]")
_PUSHED = Template("{}.append({})")
_IF_EMPTY = Template("if not {}:")
_REFUSED = Template("{}({})")
_POPPED = Template("{} = {}.pop()")


def _make() -> list[Any]:
    return []


def _push(stack: list[Any], item: Any) -> list[Any]:
    stack.append(item)
    return stack


def _pop(stack: list[Any]) -> tuple[list[Any], Any]:
    if not stack:
        raise InvalidArgumentError(None, None, "Trying to pop from an empty list.")
    return stack, stack.pop()


def _emit_push(emitter: Any, node: Node, inputs: list[Code]) -> list[Code]:
    emitter.line(_PUSHED(*inputs))
    return [inputs[0]]


def _emit_pop(emitter: Any, node: Node, inputs: list[Code]) -> list[Code]:
    (stack,) = inputs
    with emitter.block(_IF_EMPTY(stack)):
        emitter.line(_REFUSED(emitter.bind(_pop, "k_TensorListPopBack"), stack))
    item = emitter.fresh(node.name)
    emitter.line(_POPPED(item, stack))
    return [stack, item]


MAKE = define(
    "_EmptyTensorList", "-> handle: variant", infer=lambda c: (), kernel=_make, emit=lambda e, node, inputs: [_EMPTY()],
    traits=(INTERNAL, STATEFUL, QUIET),
)  # fmt: skip
PUSH = define(
    "_TensorListPushBack", "handle: variant, item: element_dtype -> output: variant",
    infer=lambda c: (), kernel=_push, emit=_emit_push, traits=(INTERNAL, STATEFUL, QUIET),
)  # fmt: skip
POP = define(
    "_TensorListPopBack", "handle: variant -> output: variant, item: element_dtype",
    attrs="element_dtype: type; shape: shape", infer=lambda c: [(), c.attrs["shape"]], kernel=_pop, emit=_emit_pop,
    traits=(INTERNAL, STATEFUL, QUIET),
)  # fmt: skip


# --- the pass --------------------------------------------------------------------------------------------------------
def stack_directly(graph: Graph) -> bool:
    """Replaces lists that one loop fills and another empties, and nobody else sees, by Python lists."""
    changed = False
    for inner in nested(graph):
        for loop in [n for n in inner.nodes if n.op.structure == LOOP]:
            for position, value in enumerate(loop.inputs):
                if value.node.op is EmptyTensorList and value.node.graph is inner:
                    changed |= _rewrite(inner, loop, position)
    return changed


def _rewrite(graph: Graph, loop: Node, position: int) -> bool:
    made = loop.inputs[position].node
    limit = constant_of(made.inputs[1])
    push = _step(loop, position, TensorListPushBack)
    after = _only_use(graph, loop.outputs[position])
    if push is None or after is None or limit is None or limit >= 0 or constant_of(made.inputs[0]) is None:
        return False
    second, at = after
    pop = _step(second, at, TensorListPopBack) if second.op.structure == LOOP and second is not loop else None
    if pop is None or {made, loop, second} & pinned(graph) or not _fits(made, push, pop):
        return False
    if users_of(graph, second.outputs[at]) or second.outputs[at] in graph.outputs:
        return False
    stack = Node(graph, MAKE, graph.unique_name("stack"), [], {})
    stack.outputs = [Value(stack, 0, (), loop.inputs[position].dtype)]
    stack.location, stack.handle = made.location, made.handle
    graph.nodes.insert(graph.nodes.index(loop), stack)
    loop.inputs[position] = stack.outputs[0]
    dims, dtype = push.inputs[1].dims, push.inputs[1].dtype
    _exchange(push, PUSH, list(push.inputs), {"element_dtype": dtype})
    _exchange(pop, POP, [pop.inputs[0]], {"element_dtype": dtype, "shape": _joined(pop, dims)})
    return True


def _step(loop: Node, position: int, op: OpDef) -> Node | None:
    """The node of `op` that makes, of the loop's variable at `position`, its next value, when nobody else sees either."""
    cond, body = loop.attrs["cond"], loop.attrs["body"]
    parameter, result = body.inputs[position], body.outputs[position].source
    node = result.node
    if node.op is not op or node.graph is not body or node.inputs[0] is not parameter or result.index != 0:
        return None
    if users_of(cond, cond.inputs[position]) or cond.inputs[position] in cond.outputs or node in pinned(body):
        return None
    if users_of(body, parameter) != [node] or node.inputs.count(parameter) != 1 or parameter in body.outputs:
        return None
    if body.outputs[position] is not result or body.outputs.count(result) != 1 or users_of(body, result):
        return None
    return node


def _only_use(graph: Graph, value: Value) -> tuple[Node, int] | None:
    users = users_of(graph, value)
    if len(users) != 1 or users[0].inputs.count(value) != 1 or value in graph.outputs:
        return None
    return users[0], users[0].inputs.index(value)


def _fits(made: Node, push: Node, pop: Node) -> bool:
    """Whether nothing can go wrong with what is kept: its dtype and shape are what the list was made for."""
    item = push.inputs[1]
    dtype = item.dtype
    if any(n.attrs["element_dtype"] is not dtype for n in (made, push, pop)) or dtype.kind == "O":
        return False
    wanted = _shape_of(made.inputs[0])
    if wanted is None:
        return True  # any shape
    return item.dims is not None and len(item.dims) == len(wanted) and all(
        w is None or w == d for w, d in zip(wanted, item.dims)
    )  # fmt: skip


def _shape_of(value: Value) -> Dims:
    array = constant_of(value)
    return None if array.ndim == 0 else tuple(None if d < 0 else int(d) for d in array)


def _joined(pop: Node, dims: Dims) -> Dims:
    promised = pop.outputs[1].dims
    return dims if dims is not None and compatible(promised, dims) else promised


def _exchange(node: Node, op: OpDef, inputs: list[Value], attrs: dict[str, Any]) -> None:
    graph = node.graph
    new = Node(graph, op, node.name, inputs, attrs)
    new.location, new.handle, new.outputs = node.location, node.handle, node.outputs
    for value in new.outputs:
        value.node = new
    if op is POP:
        new.outputs[1].dims = attrs["shape"]
    graph.nodes[graph.nodes.index(node)] = new
