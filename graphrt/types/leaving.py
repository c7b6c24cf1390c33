"""The end of a `with` block that Ctrl-C cannot prevent, for objects that are entered again and again.

    with scope:          looks up scope.__exit__     something of its own, made by then
        ...              calls scope.__enter__
                         calls what was looked up    or drops it, where `__enter__` has failed

How a block can be left without Ctrl-C coming between is told in `autograph.backends.blocks`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Protocol

from autograph.backends import block, ending, of_its_thread, setting

__all__ = ["Entered", "Leaving", "block", "of_its_thread", "setting"]


class Entered(Protocol):
    """What can be entered: blocks within blocks, of one manager."""

    def entered(self) -> int:
        """How many blocks are open."""

    def leave(self) -> None:
        """Leaves the innermost block: sets what was before, and only then counts one less."""


class Leaving:
    """`__exit__ = Leaving()` in the class of a context manager that is `Entered`.

    >>> class Loud:
    ...     depth = 0
    ...     def entered(self): return self.depth
    ...     def __enter__(self): self.depth += 1
    ...     def leave(self):
    ...         print("left")
    ...         self.depth -= 1
    ...     __exit__ = Leaving()
    >>> with Loud():
    ...     print("inside")
    inside
    left
    """

    def __get__(self, manager: Any, owner: type | None = None) -> Callable[..., None]:
        if manager is None:
            return _leave_block
        steps = _steps(manager)
        try:
            next(steps)
            return ending(steps)
        except BaseException:
            steps.close()
            raise


def _steps(manager: Entered) -> Generator[int | None, Any, None]:
    outside = manager.entered()
    open_blocks: int | None = None  # at the end of this one
    try:
        yield from (None,)
        open_blocks = manager.entered()
        if open_blocks:
            manager.leave()
    except GeneratorExit:  # dropped: the block has not been entered, or its `__enter__` ended half-way
        if outside < manager.entered():
            manager.leave()
        raise
    except KeyboardInterrupt:  # in here, where a function of the manager's begins or ends
        now = manager.entered()
        if now and now == (open_blocks or now):
            manager.leave()
        raise
    while True:
        yield 0


def _leave_block(manager: Entered, *error: object) -> None:
    if manager.entered():
        manager.leave()
