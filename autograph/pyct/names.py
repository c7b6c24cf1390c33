"""Qualified names: the symbols a program can assign, simple (`x`) or composite (`x.y`, `d['k']`, `d[i]`).

>>> import gast
>>> str(qualified_name(gast.parse("a.b[0]").body[0].value))
'a.b[0]'
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from autograph.pyct.nodes import Node


@dataclass(frozen=True)
class QN:
    """A symbol: its text, and the simple names it is made of (itself, when simple)."""

    text: str
    support: tuple[str, ...] = field(compare=False)
    is_composite: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.text


def qualified_name(node: Node) -> QN | None:
    """The symbol `node` denotes, or None if it is not one (a call, an arithmetic subscript, a slice ...).

    None as well for one of more than a hundred parts.
    """
    parts: list[str] = []
    support: tuple[str, ...] = ()
    while not isinstance(node, gast.Name):
        if isinstance(node, gast.Attribute):
            parts.append(f".{node.attr}")
        elif isinstance(node, gast.Subscript):
            key = _subscript_key(node.slice)
            if key is None:
                return None
            parts.append(f"[{key.text}]")
            support = key.support + support
        else:
            return None
        if len(parts) > _MOST_PARTS:
            return None
        node = node.value
    return QN(node.id + "".join(reversed(parts)), (node.id, *support), bool(parts))


_MOST_PARTS = 100


def _subscript_key(node: Node) -> QN | None:
    if isinstance(node, gast.Constant):
        return None if node.value is Ellipsis else QN(repr(node.value), ())
    return qualified_name(node)


def enclosing_class(qualname: str) -> str | None:
    """The innermost class around the function with this qualified name.

    >>> enclosing_class("A.m.<locals>.inner"), enclosing_class("f.<locals>.g")
    ('A', None)
    """
    parts = qualname.split(".")
    for position in range(len(parts) - 2, -1, -1):
        if parts[position] != "<locals>" and parts[position + 1] != "<locals>":
            return parts[position]
    return None


def mangled(name: str, owner: str | None) -> str:
    """`name` as Python stores it inside class `owner`.

    >>> mangled("__x", "_A"), mangled("__init__", "A")
    ('_A__x', '__init__')
    """
    if owner is None or not name.startswith("__") or name.endswith("__") or not owner.strip("_"):
        return name
    return f"_{owner.lstrip('_')}{name}"


_OWN = "ag."


def own(name: str) -> str:
    """A name for something of generated code's own making, which no text can have."""
    return _OWN + name


def is_own_name(name: str) -> bool:
    """Whether `own` made a name."""
    return name.startswith(_OWN)
