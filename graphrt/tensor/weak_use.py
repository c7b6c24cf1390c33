"""What becomes of weak tensors among the arguments of an op: see `graphrt.tensor.weak`.

AddV2(weak, tensor)     the weak one takes the dtype of the tensor
AddV2(weak, 2)          the constant shares the dtype of the weak one, and so does the sum
Less(weak, 2)           the same, but what comes out is no number
Shape(weak)             an op that knows nothing of numbers takes a tensor of the dtype that it has now
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphrt.ir.graph import Node
from graphrt.ir.op import ELEMENTWISE, KEEPS_KIND, OpDef, ops  # late: ops stand above tensors
from graphrt.ir.weak_type import ELEMENT, NATURAL, RANKS, WIDER, WeakType, outputs_of
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import (
    common_rank,
    explicit_dtype,
    fits_in,
    is_flexible,
    is_number,
    meeting,
    needed,
    of_rank,
    rank_of,
    united,
    weak_tensor,
    weak_type,
)
from graphrt.types.dtype import DType, as_dtype, from_numpy


class WeakUse:
    """One use of an op that has weak tensors among its arguments.

    Attributes:
      args: the arguments as the op gets them.
      types: the weak types of the arguments, by the attribute that tells their dtype.
      elements: the type of what is in the lists that the op works on.
    """

    __slots__ = ("args", "elements", "op", "types")

    def __init__(self, op: OpDef, args: Sequence[Any], attrs: dict[str, Any]) -> None:
        self.op = op
        self.args = list(args)
        self.types: dict[str, WeakType] = {}
        self.elements: WeakType | None = None
        if ELEMENT in op.attrs:
            self._resolve_list(attrs)
        for attr in dict.fromkeys(a.type_attr for a in op.inputs if a.type_attr):
            if self.elements is None or attr != ELEMENT:
                self._resolve(attr, attrs.get(attr))

    def _resolve_list(self, attrs: dict[str, Any]) -> None:
        """Makes what is put into a weak list one of its elements."""
        lists = [v for v in self.args if isinstance(v, Tensor) and v.dtype.kind == "O" and weak_type(v) is not None]
        if not lists:
            return
        for i, arg in enumerate(self.op.inputs):
            if arg.type_attr == ELEMENT:
                self.args[i] = _element(lists[0], self.args[i])
        self.elements = weak_type(united(lists)[0])
        assert self.elements is not None
        attrs[ELEMENT] = self.elements.dtype

    def _resolve(self, attr: str, given: DType | None) -> None:
        """Gives the arguments of one dtype that dtype."""
        places = [i for i, a in enumerate(self.op.inputs) if a.type_attr == attr and i < len(self.args)]
        items = [v for i in places for v in self._items(i)]
        if not any(weak_type(v) is not None for v in items):
            return
        plain = all(map(is_flexible, items))
        dtype = as_dtype(given) if given is not None else None if plain else _explicit(items)
        if dtype is not None:
            if dtype.kind in RANKS:
                self._replace(places, lambda v: meeting(v, dtype) if weak_type(v) is not None else v)
            return
        rank = common_rank(filter(is_flexible, items))
        allowed = self.op.attrs[attr].allowed
        while allowed is not None and NATURAL[rank] not in allowed and rank + 1 < len(NATURAL):
            rank += 1
        self._replace(places, lambda v: of_rank(v, rank) if is_flexible(v) else v)
        tensors = [v for i in places for v in self._items(i) if weak_type(v) is not None]
        replaced = dict(zip(map(id, tensors), united(tensors)))
        self._replace(places, lambda v: replaced.get(id(v), v))
        weak = weak_type(next(iter(replaced.values())))
        assert weak is not None
        numbers = [v for i in places for v in self._items(i) if is_number(v)]
        if weak.dtype in WIDER and not weak.final and not all(fits_in(v, weak.dtype) for v in numbers):
            weak.change(WIDER[weak.dtype])
        if plain:
            self.types[attr] = weak

    def _items(self, place: int) -> Sequence[Any]:
        value = self.args[place]
        return value if self.op.inputs[place].number_attr and isinstance(value, (list, tuple)) else (value,)

    def _replace(self, places: list[int], change: Callable[[Any], Any]) -> None:
        for i in places:
            items = [change(v) for v in self._items(i)]
            self.args[i] = items if self._items(i) is self.args[i] else items[0]

    def done(self, bound: list[Any], node: Node) -> None:
        """Notes which constants and outputs are weak, when the op has been recorded as `node`."""
        for attr, weak in self.types.items():
            for arg, given, made in zip(self.op.inputs, self.args, bound):
                if arg.type_attr == attr:
                    for value, tensor in zip(given, made) if isinstance(made, list) else ((given, made),):
                        if is_number(value) and type(tensor) is SymbolicTensor:
                            weak.enter(tensor.value, value)
            if self.op.traits & {ELEMENTWISE, KEEPS_KIND}:
                for output in outputs_of(node, attr):
                    weak.enter(output)
        elements = self.elements or self.types.get(ELEMENT)
        if elements is not None:
            items = outputs_of(node, ELEMENT)
            for output in node.outputs:
                if output.dtype.kind == "O" or output in items:
                    elements.enter(output)


def _explicit(items: Sequence[Any]) -> DType | None:
    """The dtype that an item determines: a tensor, or an array of a kind that the weak tensors can become."""
    rank = common_rank(filter(is_flexible, items))
    for value in items:
        if isinstance(value, (np.ndarray, np.generic)):
            if RANKS.get(value.dtype.kind, -1) > rank:
                return from_numpy(value.dtype)
        elif not isinstance(value, (list, tuple)) and (found := explicit_dtype(value)) is not None:
            return found
    return None


def _element(handle: Any, value: Any) -> Any:
    """What a weak list takes for `value`: a weak tensor of its type, or an explicit one of its dtype."""
    elements = weak_type(handle)
    assert elements is not None
    value = weak_tensor(value) if is_number(value) else value
    if weak_type(value) is not None:
        return united([handle, of_rank(value, elements.rank)])[1] if rank_of(value) <= elements.rank else value
    if isinstance(value, Tensor) and elements.holds(value.dtype):
        wanted = needed(value.dtype, elements.dtype)
        if wanted is not elements.dtype and not elements.final:
            elements.change(wanted)
        if value.dtype is not elements.dtype:
            return ops.Cast(value, DstT=elements.dtype)
    return value
