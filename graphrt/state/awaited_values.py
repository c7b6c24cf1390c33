"""Values that wait for variables which are put into a list or a dictionary later.

A module tells when it gets an attribute, a list does not tell what is appended to it. So a variable that is made while a
checkpoint has values for more elements than a list has asks, each time its value is read or assigned, whether it stands
there by now; until it does, or nobody waits any more.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, Protocol

from graphrt.state.storage import Storage

__all__ = ["Waiting", "look_for_arrived", "storage_class", "wait"]

_VALUE: Any = Storage.__dict__["value"]


class Waiting(Protocol):
    """What has values for elements that containers do not have yet."""

    turn: int  # the greatest has the last word

    def look_into_containers(self) -> bool:
        """Puts values into what has been added to them; whether elements are still missing."""


class _Waiters:
    """Those who wait, by their turns: weakly, since each goes with the object that is restored."""

    def __init__(self) -> None:
        self.known: dict[int, weakref.ref[Waiting]] = {}
        self._lock = threading.RLock()
        self._looking = False

    def look(self) -> None:
        """Has all look for what has been added: the latest has the last word. Who reads meanwhile waits for the end."""
        with self._lock:
            if self._looking:  # in this thread: who looks reads and assigns
                return
            self._looking = True
            try:
                for turn, reference in sorted(dict(self.known).items()):
                    restorer = reference()
                    if restorer is not None and not restorer.look_into_containers():
                        self.known.pop(turn, None)
            finally:
                self._looking = False


_waiters = _Waiters()  # state: weak


def wait(restorer: Waiting) -> None:
    """Has variables that are made from now on ask `restorer`."""
    turn, known = restorer.turn, _waiters.known
    if turn not in known:
        known[turn] = weakref.ref(restorer, lambda _: known.pop(turn, None))


def look_for_arrived() -> None:
    """Has all who wait look for what has been added."""
    if _waiters.known:
        _waiters.look()


class _AskingStorage(Storage):
    """The storage of a variable that may have been put where a value waits for it."""

    __slots__ = ()

    def _ask(self) -> None:
        look_for_arrived()
        if not _waiters.known:
            self.__class__ = Storage  # type: ignore[assignment]

    @property
    def value(self) -> Any:
        self._ask()
        return _VALUE.__get__(self)

    @value.setter
    def value(self, value: Any) -> None:
        if _has_value(self):
            self._ask()
        _VALUE.__set__(self, value)

    @value.deleter
    def value(self) -> None:
        _VALUE.__delete__(self)


def _has_value(storage: Storage) -> bool:
    try:
        _VALUE.__get__(storage)
    except AttributeError:
        return False
    return True


def storage_class() -> type[Storage]:
    """What a variable that is made now keeps its value in."""
    return _AskingStorage if _waiters.known else Storage
