"""Branches and loops: `lax.cond`, `lax.switch`, `lax.scan` where the number of turns is known, else `lax.while_loop`.

Only loops of a known number of turns have gradients in JAX (by reverse mode), so the number is looked for: where the
condition follows from values that are known in every turn, such as a counter, these are run ahead by the kernels of
their ops. A loop in which lists grow or shrink, as those of gradients do, is written out turn by turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphrt.export.jax.package import jax, lax
from graphrt.export.jax.replay import UNKNOWN, Handle, Held, Refused, Replay, Rows, Rule, State, Use, as_array, is_known
from graphrt.ir.graph import Graph, Value

MOST_TURNS = 100_000  # that are run ahead
MOST_UNROLLED = 256  # turns of a loop in which lists grow, or shrink


def _operands(given: Sequence[Held]) -> tuple[list[int], list[Any]]:
    """Which inputs are values of JAX, and these."""
    moving = [i for i, v in enumerate(given) if not isinstance(v, Handle) and not is_known(v)]
    return moving, [given[i] for i in moving]


def _traced(value: Held, wanted: Value) -> Held:
    """A value as JAX carries it."""
    if isinstance(value, (Handle, Rows)) or wanted.dtype.kind == "O":
        return value
    return as_array(value, wanted.dtype.as_numpy_dtype)


def _checked(c: Use, values: Sequence[Held]) -> list[Held]:
    if any(v is UNKNOWN for v in values):
        c.refuse("a graph that it runs has nodes without counterpart")
    if any(isinstance(v, Handle) for v in values):
        c.refuse("it gives handles of variables back")
    return list(values)


def _branch(c: Use, graph: Graph, given: list[Held], moving: list[int]) -> Callable[..., Any]:
    def run(operands: list[Any], variables: list[Any]) -> Any:
        inner = list(given)
        for i, value in zip(moving, operands):
            inner[i] = value
        state = State(list(variables))
        found = _checked(c, c.replay.run(graph, inner, state))
        return [_traced(v, w) for v, w in zip(found, graph.outputs)], state.values

    return run


def _choose(c: Use, graphs: list[Graph], given: list[Held], select: Callable[..., Any]) -> list[Held]:
    moving, operands = _operands(given)
    results, values = select([_branch(c, g, given, moving) for g in graphs], operands, c.env.state.values)
    c.env.state.values[:] = values
    return list(results)


def _if(c: Use) -> list[Held]:
    test = c[0]
    given = [c.held(i) for i in range(1, len(c))]
    graphs = [c.node.attrs["else_branch"], c.node.attrs["then_branch"]]
    if is_known(test):
        return c.replay.run(graphs[int(bool(np.asarray(test).any() if np.ndim(test) else test))], given, c.env.state)
    if test.ndim:
        c.refuse("its condition is no scalar")
    truth = test.astype(bool)
    return _choose(c, graphs, given, lambda b, *more: lax.cond(truth, b[1], b[0], *more))


def _case(c: Use) -> list[Held]:
    at = c[0]
    given = [c.held(i) for i in range(1, len(c))]
    graphs = list(c.node.attrs["branches"])
    last = len(graphs) - 1
    if is_known(at):
        number = int(at)
        return c.replay.run(graphs[number if 0 <= number <= last else last], given, c.env.state)
    chosen = jax.numpy.where((at < 0) | (at > last), last, at)
    return _choose(c, graphs, given, lambda b, *more: lax.switch(chosen, b, *more))


# --- loops -----------------------------------------------------------------------------------------------------------
def _invariant(body: Graph) -> list[bool]:
    """Which variables of a loop stay what they are."""
    return [o.source is i for i, o in zip(body.inputs, body.outputs)]


def _needs(graph: Graph, outputs: list[Value]) -> set[Value]:
    """The inputs that outputs follow from."""
    found: set[Value] = set()
    waiting = list(outputs)
    seen: set[Value] = set()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if value.node.is_parameter:
            found.add(value)
        waiting += value.node.inputs
    return found & set(graph.inputs)


def _turns(c: Use, given: list[Held]) -> int | None:
    """How often the body runs, where that follows from known values."""
    cond, body = c.node.attrs["cond"], c.node.attrs["body"]
    place = {v: i for i, v in enumerate(body.inputs)}
    needed = {cond.inputs.index(v) for v in _needs(cond, cond.outputs)}
    while True:
        more = {place[v] for i in needed for v in _needs(body, [body.outputs[i]])} | needed
        if more == needed:
            break
        needed = more
    if not all(is_known(given[i]) for i in needed):
        return None
    values = list(given)
    order = sorted(needed)
    for turn in range(MOST_TURNS):
        (test,) = _ahead(c.replay, cond, values, cond.outputs)
        if not is_known(test):
            return None
        if not bool(test):
            return turn
        made = _ahead(c.replay, body, values, [body.outputs[i] for i in order])
        if not all(map(is_known, made)):
            return None
        for i, value in zip(order, made):
            values[i] = value
    return None


def _ahead(replay: Replay, graph: Graph, values: list[Held], outputs: list[Value]) -> list[Held]:
    """Known values of one turn, by kernels; nodes that only the rest of the turn needs are not looked at."""
    held: dict[Value, Held] = dict(zip(graph.inputs, values))
    wanted = {v.node for v in outputs}
    for node in reversed(graph.nodes):
        if node in wanted:
            wanted.update(v.node for v in node.inputs)
    for node in graph.nodes:
        if node not in wanted or node.is_parameter:
            continue
        if node.is_constant:
            held[node.outputs[0]] = node.attrs["value"]
            continue
        inputs = [held.get(v) for v in node.inputs]
        if (
            node.stateful
            or node.op.kernel is None
            or any(True for _ in node.subgraphs())
            or not all(map(is_known, inputs))
        ):
            return [UNKNOWN] * len(outputs)
        held.update(zip(node.outputs, replay.fold(node, inputs)))
    return [held.get(v, UNKNOWN) for v in outputs]


def _lists_after(c: Use, given: list[Held], step: Callable[..., Any]) -> list[Any]:
    """The shapes of lists after a turn, None for what is no list: handles of variables, say, are no values of JAX."""
    made: list[Any] = jax.eval_shape(
        lambda: [v if isinstance(v, Rows) else None for v in step(given, c.env.state.values)[0]]
    )
    return made


def _with_shapes(c: Use, body: Graph, given: list[Held], step: Callable[..., Any]) -> list[Held]:
    """Lists that nobody has written to get the shape that a turn gives their elements."""
    for _ in range(2):
        if not any(isinstance(v, Rows) and v.values is None for v in given):
            return given
        shapes = _lists_after(c, given, step)
        for i, (value, made) in enumerate(zip(given, shapes)):
            if isinstance(value, Rows) and value.values is None and made.values is not None:
                given[i] = Rows(jax.numpy.zeros((value.size, *made.values.shape[1:]), made.values.dtype), value.size)
    return given


def _changes_size(c: Use, given: list[Held], step: Callable[..., Any]) -> bool:
    """Whether a list is longer or shorter after a turn: then each turn is of a program of its own."""
    if not any(isinstance(v, Rows) for v in given):
        return False
    made = _lists_after(c, given, step)
    return any(isinstance(v, Rows) and v.size != m.size for v, m in zip(given, made))


def _while(c: Use) -> list[Held]:
    cond, body = c.node.attrs["cond"], c.node.attrs["body"]
    given = [c.held(i) for i in range(len(c))]
    turns = _turns(c, given)
    if turns == 0:
        return given
    stays = [s or isinstance(v, Handle) for s, v in zip(_invariant(body), given)]
    given = [v if s else _traced(v, w) for v, s, w in zip(given, stays, body.inputs)]

    def step(values: Sequence[Held], variables: Sequence[Any]) -> tuple[list[Held], list[Any]]:
        state = State(list(variables))
        found = _checked_loop(c, c.replay.run(body, values, state), stays)
        return [v if s else _traced(f, w) for v, f, s, w in zip(values, found, stays, body.inputs)], state.values

    if _changes_size(c, given, step):
        if turns is None or turns > MOST_UNROLLED:
            count = "an unknown number of" if turns is None else f"{turns:,}"
            c.refuse(
                f"a list grows or shrinks in a loop of {count} turns (at most {MOST_UNROLLED} are written out): give the "
                "TensorArray its size, and no dynamic_size; of a gradient, the loop a number of turns known while tracing"
            )
        held = [c.held(i) for i in range(len(c))]  # what is known stays so: how often the gradient's loop turns, say
        for _ in range(turns):
            held = _checked_loop(c, c.replay.run(body, held, c.env.state), stays)
        return held
    given = _with_shapes(c, body, given, step)
    moving = [i for i, s in enumerate(stays) if not s]

    def whole(carried: Sequence[Any]) -> list[Held]:
        values = list(given)
        for i, value in zip(moving, carried):
            values[i] = value
        return values

    def turn(carry: Any) -> Any:
        made, variables = step(whole(carry[0]), carry[1])
        return [made[i] for i in moving], variables

    def test(carry: Any) -> Any:
        (found,) = c.replay.run(cond, whole(carry[0]), State(list(carry[1])))
        if found is UNKNOWN:
            raise Refused("its condition has nodes without counterpart")
        return as_array(found).astype(bool).reshape(())

    start = [given[i] for i in moving], [as_array(v) for v in c.env.state.values]
    if turns is None:
        carried, variables = lax.while_loop(test, turn, start)
    else:
        (carried, variables), _ = lax.scan(lambda carry, _: (turn(carry), None), start, None, length=turns)
    c.env.state.values[:] = variables
    return whole(carried)


def _checked_loop(c: Use, values: list[Held], stays: list[bool]) -> list[Held]:
    if any(v is UNKNOWN for v, s in zip(values, stays) if not s):
        c.refuse("its body has nodes without counterpart")
    return values


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Case": _case,
    "If": _if,
    "StatelessCase": _case,
    "StatelessIf": _if,
    "StatelessWhile": _while,
    "While": _while,
}
