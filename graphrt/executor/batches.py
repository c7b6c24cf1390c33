"""Work on images runs with a share of the batch on each thread, from the first convolution to the last gradient of one.

    conv = k_Conv2D(x, w)                      def block(x, w, mul_out):
    relu = k_Relu(conv)                            conv = k_Conv2D(x, w)
    pool = k_MaxPool(relu)             ->          relu = k_Relu(conv)
    mul = pool * 2.0                               pool = k_MaxPool(relu)
                                                   mul = np_multiply(pool, 2.0, out=mul_out)
                                                   return (mul,)

                                               mul, = batch(block, x, w)

To hand work to another thread takes as long as a small op does: it is done once for all of them, and what one op has
made is in the cache of the processor that runs the next. Nodes that a batch does not depend on go before it, those that
depend on it and do something else follow it. Sums over all images, such as the gradients of filters, are made of each
share, and then added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphrt.executor.buffers import writer_of
from graphrt.executor.plan import Plan
from graphrt.ir.graph import Node, Value, static_value
from graphrt.ir.op import BY_IMAGE, CALLS_PYTHON, ELEMENTWISE, OVER_IMAGES, READS
from graphrt.ops.support import threads
from graphrt.ops.support.never_fails import cannot_fail
from graphrt.types.dtype import float32, float64
from graphrt.types.likes import Array
from graphrt.types.shape import is_static, num_elements

_WORTH_THREADS = 1 << 22  # multiplications of a product: so many are worth another thread
_EACH = 8  # multiplications that take as long as an element of what is no product
_COPIED = 128  # multiplications for each element that is copied from the shares: with fewer, that takes too long
# What an input is: cut, told of how many images there are, or given as it is.
_IMAGES, _SIZES, _WHOLE = "images", "sizes", "whole"


@dataclass(slots=True)
class Batch:
    """Nodes that run together, with a share of the images on each thread.

    Attributes:
      nodes: in order.
      inputs: what they take from outside, but for constants that all shares take whole.
      kinds: what each of the inputs is.
      constants: the others that the nodes take.
      outputs: what is used outside.
      dying: for each node, the values of the batch that are not used after it.
      size: how many images there are.
      most: how many threads it is worth.
    """

    nodes: list[Node]
    inputs: list[Value]
    kinds: list[str]
    constants: list[Value]
    outputs: list[Value]
    dying: list[Sequence[Value]]
    size: int
    most: int


# --- what may be part of a batch --------------------------------------------------------------------------------------
def _kinds(node: Node) -> list[str] | None:
    """What each of the inputs of a node that works image by image is; None if it is no such node, or not certainly."""
    if len(node.outputs) != 1 or node.controls or node.stateful or node.op.structure is not None:
        return None
    traits = node.op.traits
    if BY_IMAGE in traits or OVER_IMAGES in traits:
        if node.outputs[0].dtype not in (float32, float64):
            return None  # others are multiplied one by one, by the one thread that runs Python
        found = [_kind_of_argument(arg.name) for arg in node.op.inputs]
        counts = {_count(v, k) for v, k in zip(node.inputs, found) if k != _WHOLE}
    elif ELEMENTWISE in traits and cannot_fail(node):
        dims = node.outputs[0].dims or (0,)
        inputs = [v.dims or () for v in node.inputs]
        found = [_IMAGES if len(d) == len(dims) and d[0] == dims[0] else _WHOLE for d in inputs]
        counts = {dims[0]}
    else:
        return None
    numbers = all(v.dtype.kind in "fiucb" and is_static(v.dims) for v in (*node.inputs, *node.outputs))
    return found if numbers and len(counts) == 1 and (counts.pop() or 0) > 1 and _IMAGES in found else None


def _kind_of_argument(name: str) -> str:
    """What an input of a node that works image by image is: its name tells."""
    if name.startswith(("filter", "bias")):
        return _WHOLE
    return _SIZES if name.endswith(("sizes", "shape")) else _IMAGES


def _count(value: Value, kind: str) -> int | None:
    """How many images an input tells of."""
    if kind == _IMAGES:
        return value.dims[0] if value.dims else None
    sizes = static_value(value)
    return None if sizes is None or not sizes.size else int(sizes[0])


def _images(node: Node, kinds: list[str]) -> int:
    """How many images a node works on."""
    return next(_count(v, k) or 0 for v, k in zip(node.inputs, kinds) if k == _IMAGES)


def _multiplications(node: Node) -> int:
    """How long a node takes, in multiplications of a product of matrices."""
    largest = max(num_elements(v.dims) or 0 for v in (*node.inputs, *node.outputs))
    by_name = {arg.name: value for arg, value in zip(node.op.inputs, node.inputs)}
    filters = by_name["filter"].dims if "filter" in by_name else None
    if "filter_sizes" in by_name:
        sizes = static_value(by_name["filter_sizes"])
        filters = None if sizes is None else tuple(map(int, sizes))
    if filters is None:
        return largest * _EACH
    results = by_name["out_backprop"].dims if "out_backprop" in by_name else node.outputs[0].dims
    taps = [n or 1 for n in filters]
    alone = 1 if taps[3] in (results or ()) else taps[2]  # each channel has filters of its own
    return (num_elements(results) or 0) * math.prod(taps[:3]) // alone


# --- finding batches ------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class _Open:
    """A batch to which nodes are added, and what has been met since it was begun."""

    size: int
    nodes: list[Node] = field(default_factory=list)
    kinds: dict[Node, list[str]] = field(default_factory=dict)
    before: list[Node] = field(default_factory=list)
    behind: list[Node] = field(default_factory=list)
    met: list[Node] = field(default_factory=list)  # these and those of the batch, in their order
    made: set[Value] = field(default_factory=set)
    late: set[Value] = field(default_factory=set)  # what is made behind

    def takes(self, node: Node, kinds: list[str] | None) -> bool:
        """Finds a place for a node, if there is one."""
        if kinds is not None and _images(node, kinds) == self.size and self.late.isdisjoint(node.inputs):
            self.nodes.append(node)
            self.kinds[node] = kinds
            self.made.update(node.outputs)
        elif READS in node.op.traits and not node.controls and not self._waits(node):
            self.before.append(node)
        elif node.stateful or node.controls or node.op.structure is not None or CALLS_PYTHON in node.op.traits:
            return False
        elif self._waits(node):
            self.behind.append(node)
            self.late.update(node.outputs)
        else:
            self.before.append(node)
        self.met.append(node)
        return True

    def _waits(self, node: Node) -> bool:
        return not (self.made.isdisjoint(node.inputs) and self.late.isdisjoint(node.inputs))

    def finished(self, users: dict[Value, set[Node]], kept: set[Value]) -> Iterator[Node | Batch]:
        """All that has been met, with a batch if that is worth it."""
        inside = set(self.nodes)
        outputs = [v for n in self.nodes for v in n.outputs if v in kept or not users.get(v, set()) <= inside]
        work = sum(map(_multiplications, self.nodes))
        copied = sum(num_elements(v.dims) or 0 for v in outputs if writer_of(v.node) is None)
        pictures = [n for n in self.nodes if BY_IMAGE in n.op.traits and len(n.outputs[0].dims or ()) == 4]
        kinds: dict[Value, set[str]] = {}
        for node in self.nodes:
            for value, kind in zip(node.inputs, self.kinds[node]):
                if value not in self.made:
                    kinds.setdefault(value, set()).add(kind)
        is_worth = work >= 2 * _WORTH_THREADS and copied * _COPIED <= work and len(pictures) > 1
        if not (outputs and is_worth and all(len(k) == 1 for k in kinds.values())):
            yield from self.met
            return
        given = [(v, k) for v, (k,) in kinds.items() if k != _WHOLE or not v.node.is_constant]
        hidden = self.made - set(outputs)
        last = {v: at for at, node in enumerate(self.nodes) for v in (*node.outputs, *node.inputs)}
        dying = [[v for v in dict.fromkeys((*n.outputs, *n.inputs)) if v in hidden and last[v] == at]
                 for at, n in enumerate(self.nodes)]  # fmt: skip
        yield from self.before
        yield Batch(
            self.nodes, [v for v, _ in given], [k for _, k in given],
            [v for v, (k,) in kinds.items() if k == _WHOLE and v.node.is_constant], outputs, list(dying), self.size,
            work // _WORTH_THREADS,
        )  # fmt: skip
        yield from self.behind


def batched(plan: Plan, outputs: Sequence[Value]) -> list[tuple[Node | Batch, Sequence[Value]]]:
    """The nodes of a plan with batches for those that make one, and what dies at each."""
    if not any(BY_IMAGE in node.op.traits for node in plan.nodes):
        return list(zip(plan.nodes, plan.dying))
    kept = set(outputs)
    users: dict[Value, set[Node]] = {}
    for node in plan.nodes:
        for value in node.inputs:
            users.setdefault(value, set()).add(node)
    items = list(_batched(plan, users, kept))
    if not any(isinstance(item, Batch) for item in items):
        return list(zip(plan.nodes, plan.dying))
    last: dict[Value, int] = {}
    for at, item in enumerate(items):
        last.update(dict.fromkeys((*item.outputs, *item.inputs), at))
    dying: list[list[Value]] = [[] for _ in items]
    for value, at in last.items():
        if value not in kept:
            dying[at].append(value)
    return list(zip(items, dying))


def _batched(plan: Plan, users: dict[Value, set[Node]], kept: set[Value]) -> Iterator[Node | Batch]:
    batch: _Open | None = None
    for node in plan.nodes:
        if node.is_constant or node.is_parameter:
            yield node
            continue
        kinds = _kinds(node)
        if batch is not None and not batch.takes(node, kinds):
            yield from batch.finished(users, kept)
            batch = None
        elif batch is not None:
            continue
        if kinds is None:
            yield node
        else:
            batch = _Open(_images(node, kinds))
            batch.takes(node, kinds)
    if batch is not None:
        yield from batch.finished(users, kept)


# --- when they run ----------------------------------------------------------------------------------------------------
class Shares:
    """Runs the function of a batch for a share of the images on each thread, or for all of them.

    The function takes the inputs of the batch and, for each output, an array for it or None; it gives the outputs.
    """

    name = "batch"
    __slots__ = ("_dims", "_kinds", "_most", "_none", "_outs", "_size")

    def __init__(self, batch: Batch) -> None:
        self._kinds = batch.kinds
        self._dims = [v.dims if kind == _IMAGES else None for v, kind in zip(batch.inputs, batch.kinds)]
        self._size = batch.size
        self._most = min(batch.most, batch.size)
        self._outs: list[tuple[Any, Any] | None] = [
            None if OVER_IMAGES in v.node.op.traits else (v.dims, v.dtype.as_numpy_dtype) for v in batch.outputs
        ]
        self._none = [None] * len(self._outs)

    def __call__(self, function: Callable[..., tuple[Any, ...]], *inputs: Any) -> Sequence[Any]:
        """The outputs for `inputs`."""
        if threads.useful(self._most) < 2 or any(d and a.shape != d for a, d in zip(inputs, self._dims)):
            return function(*inputs, *self._none)
        found = [out if out is None else np.empty(*out) for out in self._outs]

        def share(start: int, end: int) -> list[Any]:
            here = slice(start, end)
            given = [_of_share(a, kind, here) for a, kind in zip(inputs, self._kinds)]
            places = [f if f is None else f[here] for f in found]
            results = function(*given, *places)
            for there, result in zip(places, results):
                if there is not None and result is not there:
                    there[...] = result
            return [r for f, r in zip(found, results) if f is None]

        try:
            parts = threads.in_shares(share, self._size, self._most)
        except Exception:  # what is wrong is told of all images
            return function(*inputs, *self._none)
        sums = iter([sum(others, first) for first, *others in zip(*parts)])
        return [next(sums) if f is None else f for f in found]


def _of_share(array: Array, kind: str, here: slice) -> Array:
    if kind == _WHOLE:
        return array
    if kind == _IMAGES:
        return array[here]
    sizes = array.copy()
    sizes[0] = here.stop - here.start
    return sizes
