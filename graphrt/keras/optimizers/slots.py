"""Slots: what an optimizer keeps for each variable it trains, such as its momentum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from graphrt.keras.initializers import Constant

if TYPE_CHECKING:
    from graphrt.keras.optimizers.base import Optimizer


class Slots:
    """One variable of an optimizer for each variable it trains."""

    __slots__ = ("_kept",)

    def __init__(self, variables: Iterable[Any] = (), kept: Iterable[Any] = ()) -> None:
        self._kept = {id(v): slot for v, slot in zip(variables, kept)}

    def of(self, variable: Any) -> Any:
        """What is kept for `variable`."""
        return self._kept[id(variable)]


def make_slots(optimizer: Optimizer, variables: Sequence[Any], *names: str, first: float = 0.0) -> list[Slots]:
    """Slots of several names, those of one variable side by side; those of the first name begin with `first`."""
    begins = [Constant(first), *(Constant(0.0) for _ in names[1:])]
    made = [
        [optimizer.add_variable_from_reference(v, name, begin) for name, begin in zip(names, begins)] for v in variables
    ]
    return [Slots(variables, [row[i] for row in made]) for i in range(len(names))]
