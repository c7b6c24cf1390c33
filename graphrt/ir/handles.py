"""What is behind a handle knows which types it takes: an op that says otherwise is refused, before anything is done."""

from __future__ import annotations

from collections.abc import Mapping

from graphrt import errors


def check_handle(op: str, thing: object, attrs: Mapping[str, object]) -> None:
    """Raises InvalidArgumentError when the op takes or gives other types than `thing`, what is behind its handle, holds.

    A variable, a table and a queue say by `type_refusal(attrs)` why they refuse an op of these attributes, or None.
    """
    refusal = getattr(thing, "type_refusal", None)
    told = None if refusal is None else refusal(attrs)
    if told is not None:
        raise errors.InvalidArgumentError(None, None, f"{told} [Op:{op}]")
