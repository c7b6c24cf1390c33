"""Write sites: where converted code changes an object. `emit/sites.py` says what is compiled."""

from __future__ import annotations

from typing import Any

from autograph.operators.attributes import Site


def tracing() -> bool:
    """Whether a staged statement is being traced that wants to be told of writes."""
    return False


class AttributeWrite(Site):
    """`o.name = value`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __call__(self, o: Any, value: Any) -> None:
        setattr(o, self.name, value)


class AttributeDelete(Site):
    """`del o.name`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __call__(self, o: Any) -> None:
        delattr(o, self.name)


class ItemWrite(Site):
    """`o[key] = value`."""

    __slots__ = ()

    def __call__(self, o: Any, key: Any, value: Any) -> None:
        o[key] = value


class ItemDelete(Site):
    """`del o[key]`."""

    __slots__ = ()

    def __call__(self, o: Any, key: Any) -> None:
        del o[key]
