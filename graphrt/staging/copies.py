"""What becomes tensors in a list that grows in staged code, where Python has lists and dictionaries themselves.

rows.append(row)        `rows` holds a copy of `row`
row[0] = 9              refused: in Python `rows` has that, too
rows[0][0] = 9          refused as well: this is a copy of what `rows` holds
"""

from __future__ import annotations

from typing import Any

from autograph.backends.state import freeze, lasting, made
from graphrt import errors
from graphrt.tensor.func_graph import is_lost
from graphrt.tensor.tensor import SymbolicTensor
from graphrt.types.structure import Repeatable


def copied(value: object) -> None:
    """Tells the trace of an element, and of what is in it."""
    if isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            copied(part)
    if not isinstance(value, (list, dict, Repeatable)):
        return
    where = errors.user_location()
    at = "" if where is None else f" at {errors.shown_place(*where)}"
    kind = "dictionary" if isinstance(value, dict) else "list"
    text = (
        f"a {kind} is written to after it was put{at} into a list that grows in staged code, which holds a copy of it: "
        "put it there when it is complete, or put a copy there"
    )
    freeze(lasting(value), lambda: errors.SideEffectError(errors.at_user_line(text)))


def as_copy(element: Any) -> Any:
    """An element that was taken out of such a list, where it stays: what it holds may not be changed; returns it."""
    if isinstance(element, (list, tuple, dict)):
        for part in element.values() if isinstance(element, dict) else element:
            as_copy(part)
    if isinstance(element, (list, dict, Repeatable)):
        kind = "dictionary" if isinstance(element, dict) else "list"
        text = (
            f"a {kind} is written to that was taken out of a list that grew in staged code, which has a copy of it: change "
            "a copy, `row = rows[i].copy()`, and put that in its place, `rows[i] = row`"
        )
        freeze(made(element), lambda: errors.SideEffectError(errors.at_user_line(text)))
    return element


def still_known(elements: list[Any]) -> tuple[list[Any], SymbolicTensor | None]:
    """Those that are not of a trace that has ended, and one that is, if any."""
    lost = next((e for e in elements if is_lost(e)), None)
    return elements if lost is None else [e for e in elements if not is_lost(e)], lost
