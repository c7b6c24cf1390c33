"""What is behind a handle knows which types it takes, and what is held ends with the call that took it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TypeVar

from graphrt import errors
from graphrt.ir.op import OpDef

_Thing = TypeVar("_Thing")


def checked_handle(op: OpDef, things: list[_Thing], attrs: Mapping[str, object]) -> list[_Thing]:
    """`things`; the first is what is behind the handle that the op works on, and has the types that the op takes or gives.

    A variable, a table and a queue say by `type_refusal(op, attrs)` why they refuse an op of these attributes, or None.

    Raises:
      InvalidArgumentError: it has others.
    """
    refusal = getattr(things[0], "type_refusal", None) if things else None
    told = None if refusal is None else refusal(op, attrs)
    if told is not None:
        raise errors.InvalidArgumentError(None, None, f"{told} [Op:{op.type}]")
    return things


def told_of_other(op: OpDef, things: Sequence[object], error: AttributeError) -> str | None:
    """What to say where `error` comes of a thing behind a handle that is none the op works on; None where it does not."""
    for argument, thing in zip(op.inputs, things):
        if thing is error.obj:
            kind = type(thing).__name__
            return f"the handle `{argument.name}` leads to a {kind}, which is nothing that {op.type} works on"
    return None


class Held:
    """What a call has taken and has to give back, whatever becomes of the call: a lock."""

    def release(self) -> None:
        """Gives it back; a second time does nothing."""
        raise NotImplementedError


def let_go(error: BaseException) -> None:
    """Gives back what the frames hold that `error` came through: its traceback may be looked at for long."""
    at: TracebackType | None = error.__traceback__
    while at is not None:
        for value in list(at.tb_frame.f_locals.values()):
            if isinstance(value, Held):
                value.release()
        at = at.tb_next
