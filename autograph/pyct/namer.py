"""Fresh symbols that no name of the user's program can meet.

>>> namer = Namer({"itr"})
>>> namer.new("itr"), namer.new("itr"), namer.new("break_"), namer.new("break_")
('itr_1', 'itr_2', 'break_', 'break__1')
"""

from __future__ import annotations

from collections.abc import Iterable

_PASSING = 200


class Namer:
    """Hands out symbols; `reserved` are the names of the user's program."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self._taken = set(reserved)
        self._last: dict[str, int] = {}
        self._passing: dict[str, list[str]] = {}
        self._reused = 0
        self._fixed: dict[str, str] = {}
        self.generated: set[str] = set()

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._taken

    def new(self, root: str) -> str:
        """`root`, or `root_1`, `root_2`, ... if it is taken."""
        symbol = root
        count = self._last.get(root, 0)
        while symbol in self._taken:
            count += 1
            symbol = f"{root}_{count}"
        self._last[root] = count
        self._taken.add(symbol)
        self.generated.add(symbol)
        return symbol

    def passing(self, root: str) -> str:
        """A symbol for something that is used at once and never again.

        After many the old ones come again: the compiler's time grows with the number of different names.
        """
        made = self._passing.setdefault(root, [])
        if len(made) < _PASSING:
            made.append(self.new(root))
            return made[-1]
        self._reused += 1
        return made[self._reused % _PASSING]

    def fixed(self, root: str) -> str:
        """A symbol to be used in many places; only the first call with this root makes a new one."""
        if root not in self._fixed:
            self._fixed[root] = self.new(root)
        return self._fixed[root]
