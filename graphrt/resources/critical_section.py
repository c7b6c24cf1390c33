"""Code that one thread at a time may run: `tf.CriticalSection`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.ir.code import Code
from graphrt.ir.graph import Node
from graphrt.ir.handles import Held
from graphrt.ir.op import OPAQUE, STATEFUL, define
from graphrt.ops.array.identity import identity
from graphrt.state.variable import Variable
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types.dtype import resource
from graphrt.types.structure import map_structure

__all__ = ["CriticalSection"]

_EFFECT = (STATEFUL, OPAQUE)


class _Mutex:
    """A lock, and the thread that holds it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.inside = threading.local()


class _Lock(Held):
    """A lock that is held until it is given back, or forgotten."""

    def __init__(self, mutex: _Mutex) -> None:
        self.mutex = mutex
        self.taken: list[bool] = []
        try:
            self.taken.extend(map(mutex.lock.acquire, (True,)))  # no Ctrl-C between the lock and this note of it
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        if self.taken:
            del self.taken[:]
            self.mutex.lock.release()

    def __del__(self) -> None:
        self.release()


def _lock(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    """By its kernel; the program gives it back when it fails."""
    emitter.is_holding = True
    return None


MutexV2 = define(
    "MutexV2", "-> resource: resource", attrs="container: string = ''; shared_name: string = ''", infer=lambda c: (),
    kernel=lambda: _Mutex(), traits=_EFFECT,
)  # fmt: skip
MutexLock = define(
    "MutexLock", "mutex: resource -> mutex_lock: variant", infer=lambda c: (), kernel=lambda mutex: _Lock(mutex),
    emit=_lock, traits=_EFFECT,
)  # fmt: skip
ConsumeMutexLock = define(
    "ConsumeMutexLock", "mutex_lock: variant ->", infer=lambda c: [], kernel=lambda held: held.release(), traits=_EFFECT
)


class CriticalSection:
    """Runs functions one at a time, whichever threads ask for it.

    >>> import graphrt as tf
    >>> section, v = tf.CriticalSection(), tf.Variable(0.0)
    >>> section.execute(lambda: v.assign_add(1.0)).numpy()
    np.float32(1.0)
    """

    def __init__(
        self, name: str | None = None, shared_name: str | None = None, critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:  # fmt: skip
        if critical_section_def is not None:
            raise ValueError(errors.at_user_line("Argument `critical_section_def` is not supported."))
        self._name = name or "critical_section"
        self._mutex = _Mutex()
        self._handle = EagerTensor(self._mutex, resource)

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """What `fn()` gives, while nobody else runs in this section.

        Raises:
          ValueError: `fn` enters the section that it is in.
        """
        if getattr(self._mutex.inside, "now", False):
            raise ValueError(
                errors.at_user_line(
                    f"Attempting to lock a CriticalSection ({self._name!r}) in which we are already running. This is "
                    "illegal and may cause deadlocks."
                )
            )
        if current_graph() is None:
            with self._mutex.lock:
                return self._inside(fn)
        held = MutexLock(self._handle)
        found = self._inside(fn)
        ConsumeMutexLock(held)
        return found

    def _inside(self, fn: Callable[[], Any]) -> Any:
        inside = self._mutex.inside
        try:
            inside.now = True
            # what a variable holds is read in here, not by whoever uses the result later
            return map_structure(lambda v: identity(v) if isinstance(v, (Tensor, Variable)) else v, fn())
        finally:
            inside.now = False
