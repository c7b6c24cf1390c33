"""Chains of element-wise work on large arrays run block by block, so that what lies between stays in the cache.

    mul = x * 0.5                          def block(x, add_out):
    add = mul + 1.0             ->             mul = x * 0.5
                                               add = np_add(mul, 1.0, out=add_out)
                                               return (add,)

                                           add, = chain(block, x)

A chain is nodes that follow each other, whose results all have the same static first dimension, and that work on each
row by itself: what they compute is to the last bit what they compute of all rows at once. Arrays that broadcast against
all rows are given whole to each block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from graphrt.executor.batches import Batch
from graphrt.executor.plan import Plan
from graphrt.ir.graph import Node, Value, static_value
from graphrt.ir.op import ELEMENTWISE, READS, SETS
from graphrt.ops.math.reduction import Max, Mean, Min, Sum
from graphrt.ops.support import threads
from graphrt.ops.support.never_fails import cannot_fail
from graphrt.types.shape import is_static, num_elements

LARGE = 1 << 20  # elements of a result: chains of smaller ones stay in a processor's last cache, which is as fast
_BLOCK = 1 << 16  # elements of a block
_WORTH_THREADS = 1 << 20  # elements of a result that are worth more than one thread
_REDUCTIONS = frozenset([Sum, Mean, Max, Min])


@dataclass(slots=True)
class Chain:
    """Nodes that run together, block by block.

    Attributes:
      nodes: in order.
      inputs: what they take from outside of the chain, but for constants that all blocks take whole.
      cut: which of the inputs are cut into blocks.
      constants: those that the nodes take.
      outputs: what is used outside of the chain.
      dying: for each node, the values of the chain that are not used after it.
      dims: of the largest array.
      flat: whether arrays are cut as if they had one dimension.
    """

    nodes: list[Node]
    inputs: list[Value]
    cut: list[bool]
    constants: list[Value]
    outputs: list[Value]
    dying: list[Sequence[Value]]
    dims: tuple[int, ...]
    flat: bool


class _Open:
    """A chain to which nodes are added."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.dying: list[Sequence[Value]] = []
        self.made: dict[Value, None] = {}  # in order
        self.dims: tuple[int, ...] = ()  # those of the largest array that is worked on

    def takes(self, node: Node, dying: Sequence[Value]) -> bool:
        """Adds `node`, if it fits."""
        dims = _row_work(node)
        if dims is None or (self.nodes and (len(dims) != len(self.dims) or dims[0] != self.dims[0])):
            return False
        if any(v in self.made and len(v.dims or ()) != len(dims) for v in node.inputs):
            return False  # a result without its last dimension does not broadcast row by row
        if not self.nodes or np.prod(dims) > np.prod(self.dims):
            self.dims = dims
        self.nodes.append(node)
        self.dying.append(dying)
        self.made[node.outputs[0]] = None
        return True

    def finished(self, users: dict[Value, int], kept: set[Value]) -> Iterator[tuple[Node | Chain, Sequence[Value]]]:
        """The chain, if it is worth to be one, else its nodes."""
        inside = Counter(v for n in self.nodes for v in set(n.inputs))
        outputs = [v for v in self.made if v in kept or inside[v] < users.get(v, 0)]
        between = [v for v in self.made if v not in outputs and (num_elements(v.dims) or 0) >= LARGE]
        inputs = [v for v in dict.fromkeys(v for n in self.nodes for v in n.inputs) if v not in self.made]
        flat = not any(n.op in _REDUCTIONS for n in self.nodes) and all(v.dims == self.dims for v in self.made)
        flat = flat and all(v.dims in (self.dims, (), (1,)) for v in inputs)
        if not between or not outputs or (not flat and self.dims[0] < 2):
            yield from zip(self.nodes, self.dying)
            return
        cut = [_is_cut(v, self.dims, flat) for v in inputs]
        given = [(v, c) for v, c in zip(inputs, cut) if c or not v.node.is_constant]
        hidden = self.made.keys() - outputs
        yield Chain(
            self.nodes, [v for v, _ in given], [c for _, c in given], [v for v in inputs if v.node.is_constant],
            outputs, [[v for v in d if v in hidden] for d in self.dying], self.dims, flat,
        ), [v for d in self.dying for v in d if v not in hidden]  # fmt: skip


def _is_cut(value: Value, dims: tuple[int, ...], flat: bool) -> bool:
    if flat:
        return value.dims == dims
    return value.dims is not None and len(value.dims) == len(dims) and value.dims[0] == dims[0]


def _row_work(node: Node) -> tuple[int, ...] | None:
    """The dimensions that `node` works on row by row; None if it does something else, or little."""
    if len(node.outputs) != 1 or node.controls or node.stateful or node.op.structure is not None:
        return None
    out = node.outputs[0]
    if not out.dims:  # as of most nodes of a large graph
        return None
    if out.dtype.kind not in "fiucb" or not all(v.dtype.kind in "fiucb" and is_static(v.dims) for v in node.inputs):
        return None
    if node.op in _REDUCTIONS:
        dims, axes = node.inputs[0].dims, static_value(node.inputs[1])
        if dims is None or len(dims) < 2 or axes is None or axes.size != 1 or not cannot_fail(node):
            return None
        if int(axes.reshape(-1)[0]) % len(dims) != len(dims) - 1:
            return None
    elif ELEMENTWISE in node.op.traits and cannot_fail(node):
        dims = out.dims
    else:
        return None
    size = num_elements(dims)
    if not dims or size is None or size == 0 or dims[0] is None:
        return None
    if size < LARGE and dims[-1] != 1:  # what was reduced, or is about to broadcast, belongs to the chain
        return None
    return dims  # type: ignore[return-value]  # it is static


def chained(
    plan: Plan, items: Iterable[tuple[Node | Batch, Sequence[Value]]], outputs: Sequence[Value]
) -> Iterator[tuple[Node | Batch | Chain, Sequence[Value]]]:
    """The nodes of a plan, and batches of them, with chains for those that make one, and what dies at each.

    In order, but that what has no part in a chain does not end it: what changes nothing, reads or computes a number, and
    takes nothing of the chain, goes before it; what sets a variable goes behind it.
    """
    kept = set(outputs)
    users = Counter(v for n in plan.nodes for v in set(n.inputs))
    chain, behind = _Open(), _Behind()
    for node, dying in items:
        if isinstance(node, Batch):
            yield from behind.after(chain.finished(users, kept))
            chain, behind = _Open(), _Behind()
            yield node, dying
        elif node.is_constant or node.is_parameter:
            yield node, dying
        elif _goes_before(node, chain) and not (behind.nodes and READS in node.op.traits):
            inside = {v for n in (*chain.nodes, *behind.nodes) for v in n.inputs} if dying and chain.nodes else ()
            yield node, [v for v in dying if v not in inside]
            if inside:
                chain.dying[-1] = [*chain.dying[-1], *(v for v in dying if v in inside)]
        elif chain.nodes and SETS in node.op.traits and not node.controls:
            behind.nodes.append(node)
            behind.dying.append(list(dying))
        elif (behind.nodes and READS in node.op.traits) or not chain.takes(node, dying):
            yield from behind.after(chain.finished(users, kept))
            chain, behind = _Open(), _Behind()
            if not chain.takes(node, dying):
                yield node, dying
    yield from behind.after(chain.finished(users, kept))


def _goes_before(node: Node, chain: _Open) -> bool:
    if any(v in chain.made for v in node.inputs):
        return False
    if READS in node.op.traits:
        return True
    if not node.op.is_pure or node.controls or not chain.nodes or node.op.structure is not None:
        return False
    return all(v.dims == () for v in (*node.inputs, *node.outputs))


class _Behind:
    """Nodes that wait until a chain is finished."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.dying: list[list[Value]] = []

    def after(
        self, finished: Iterator[tuple[Node | Chain, Sequence[Value]]]
    ) -> Iterator[tuple[Node | Chain, Sequence[Value]]]:
        """What is finished, then these; what they take lives until then."""
        last = {v: at for at, node in enumerate(self.nodes) for v in node.inputs}
        for item, dying in finished:
            for value in dying:
                if value in last:
                    self.dying[last[value]].append(value)
            yield item, [v for v in dying if v not in last]
        yield from zip(self.nodes, self.dying)


# --- when they run ----------------------------------------------------------------------------------------------------
class Blocks:
    """Runs the function of a chain for one block after the other, or for all rows at once.

    The function takes the inputs of the chain and, for each output, an array for it or None; it gives the outputs.
    """

    name = "blocks"
    __slots__ = ("_count", "_cut", "_dims", "_flat", "_none", "_outs", "_size", "_step")

    def __init__(self, chain: Chain) -> None:
        self._flat = chain.flat
        self._dims = [v.dims if c else None for v, c in zip(chain.inputs, chain.cut)]
        self._cut = chain.cut
        self._outs: list[tuple[Any, Any]] = [(v.dims, v.dtype.as_numpy_dtype) for v in chain.outputs]
        self._none = [None] * len(self._outs)
        self._size = int(np.prod(chain.dims))
        self._count = self._size if chain.flat else chain.dims[0]
        self._step = max(1, _BLOCK * self._count // self._size)

    def __call__(self, function: Callable[..., tuple[Any, ...]], *inputs: Any) -> Sequence[Any]:
        """The outputs for `inputs`."""
        for array, dims in zip(inputs, self._dims):
            # other layouts give results in other layouts, and may take other loops of NumPy's
            if dims is not None and not (array.shape == dims and array.flags.c_contiguous):
                return function(*inputs, *self._none)
        found = [np.empty(dims, kind) for dims, kind in self._outs]
        arrays = [*inputs, *found]
        cut = [*self._cut, *(True for _ in found)]
        if self._flat:
            arrays = [a.reshape(-1) if c else a for a, c in zip(arrays, cut)]
        most = 1 if self._size < _WORTH_THREADS else self._count // self._step
        threads.in_parts(partial(self._run, function, arrays, cut), self._count, most)
        return found

    def _run(
        self, function: Callable[..., tuple[Any, ...]], arrays: list[Any], cut: list[bool], start: int, end: int
    ) -> None:
        number = len(self._outs)
        for at in range(start, end, self._step):
            here = slice(at, min(at + self._step, end))
            parts = [a[here] if c else a for a, c in zip(arrays, cut)]
            for there, result in zip(parts[-number:], function(*parts)):
                if result is not there:
                    there[...] = result
