"""The ranks that inputs of an op may have, as its schema says them: `x: T[2]`, `x: T[1+]` (at least), `x: T[0..1]`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrt.errors import ShapeError

if TYPE_CHECKING:
    from graphrt.ir.graph import InferContext
    from graphrt.ir.op import ArgDef


class Ranks(NamedTuple):
    """From `low` on, up to `high` where there is one."""

    low: int
    high: int | None

    def check(self, rank: int) -> None:
        """Raises ShapeError where a rank is none of these."""
        if self.high is not None and rank > self.high:
            raise ShapeError(
                f"Shape must be {'' if self.low == self.high else 'at most '}rank {self.high} but is rank {rank}"
            )
        if rank < self.low:
            raise ShapeError(
                f"Shape must be {'' if self.low == self.high else 'at least '}rank {self.low} but is rank {rank}"
            )


def parsed(text: str | None) -> Ranks | None:
    """The ranks that the brackets of a schema hold."""
    if text is None:
        return None
    if text.endswith("+"):
        return Ranks(int(text[:-1]), None)
    low, _, high = text.partition("..")
    return Ranks(int(low), int(high or low))


def held(arguments: Sequence[ArgDef], infer: Callable[[InferContext], Any]) -> Callable[[InferContext], Any]:
    """`infer`, for inputs that have the ranks of the schema alone."""
    if all(a.ranks is None for a in arguments):
        return infer
    if any(a.list_attr for a in arguments):
        raise ValueError("ranks are not told of inputs beside a list of types")

    @functools.wraps(infer)
    def checked(c: InferContext) -> Any:
        at = 0
        for argument in arguments:
            count = int(c.attrs[argument.number_attr]) if argument.number_attr else 1
            if argument.ranks is not None:
                for value in c.inputs[at : at + count]:
                    if value.dims is not None:
                        argument.ranks.check(len(value.dims))
            at += count
        return infer(c)

    return checked
