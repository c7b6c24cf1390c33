"""Functions that move to machine code while they run: what `tf.function(jit_compile="auto")` chooses.

A trace starts as its NumPy program. Once its calls have taken long enough a thread makes its native program, while
callers go on with the other; then calls go to the native one, if that is the faster of the two.
"""

from __future__ import annotations

import collections
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from graphrt.native import NativeProgram, Traced, program_for
from graphrt.native.building import is_installed

Executable: TypeAlias = "Callable[..., tuple[Any, ...]]"

HOT = 0.5  # seconds in all calls of a trace: to compile takes about as long
_TRIED = 8  # calls of the native program that are measured before it is kept
_MOST = 32  # traces that wait to be compiled: others ask again with a later call


class _Callable(Traced, Protocol):
    """A trace that has a NumPy program, too."""

    @property
    def program(self) -> Any:
        """The program; its attribute `function` is called."""


def compile(concrete: _Callable) -> Executable:
    """What runs a trace: a backend of `graphrt.function.compiled`."""
    function: Executable = concrete.program.function
    return Warming(concrete).run if is_installed() else function


class Warming:
    """Runs a trace, and changes what it runs.

    Attributes:
      state: "numpy"; "waiting" for machine code; "trying" it; and at last "native", or "kept" where NumPy is better, or
        where there is nothing to compile.
    """

    __slots__ = ("__weakref__", "_best", "_concrete", "_function", "_left", "_native", "_spent", "state")

    def __init__(self, concrete: _Callable) -> None:
        self._concrete = weakref.ref(concrete)
        self._function: Executable = concrete.program.function
        self._native: Executable | None = None
        self._best = [float("inf"), float("inf")]  # seconds of a call, in NumPy and native
        self._spent = 0.0
        self._left = _TRIED
        self.state = "numpy"

    def run(self, *values: Any) -> tuple[Any, ...]:
        """The results for raw values."""
        state = self.state
        if state in ("native", "kept"):
            return self._function(*values)
        native = self._native if state == "trying" else None
        begin = time.perf_counter()
        results = (native or self._function)(*values)
        taken = time.perf_counter() - begin
        which = native is not None
        self._best[which] = min(self._best[which], taken)
        if native is not None:
            self._left -= 1
            if self._left <= 0:
                self._decide(native)
        elif state == "numpy":
            self._spent += taken
            if self._spent >= HOT:
                self._ask()
        return results

    def _decide(self, native: Executable) -> None:
        if self._best[1] < self._best[0]:
            self._function = native
            self.state = "native"
        else:
            self.state = "kept"
        self._native = None

    def _ask(self) -> None:
        self.state = "waiting"
        if not _give(self.prepare):
            self.state, self._spent = "numpy", HOT / 2

    def prepare(self) -> None:
        """Makes machine code now; if that cannot be, all stays as it is."""
        concrete = self._concrete()
        try:
            native = None if concrete is None else _compiled(concrete)
        except Exception:  # NumPy does the same, and says what is wrong if anything is
            native = None
        if native is None:
            self.state = "kept"
        else:
            self._native = native
            self.state = "trying"


def _compiled(concrete: _Callable) -> Executable | None:
    """The native program with all of its machine code made; None where there would be none, or not all of it now."""
    program: NativeProgram = program_for(concrete)
    if not program.regions or program.calls_others:
        return None
    for region in program.regions:
        region.compile()
    return program.function


# --- the thread ------------------------------------------------------------------------------------------------------
_lock = threading.Lock()
# state: locked by _lock
_waiting: collections.deque[Callable[[], None]] = collections.deque()
# state: locked by _lock
_threads: list[threading.Thread] = []  # the one that compiles, if there is work


def _give(work: Callable[[], None]) -> bool:
    """Has `work` done by the thread, which is begun if need be; False where too much is waiting."""
    with _lock:
        if len(_waiting) >= _MOST:
            return False
        _waiting.append(work)
        if not any(t.is_alive() for t in _threads):  # none, or it did not outlive a fork
            thread = threading.Thread(target=_compile_all, name="graphrt compiler")
            _threads[:] = [thread]
            thread.start()
    return True


def _compile_all() -> None:
    while True:
        with _lock:
            if not threading.main_thread().is_alive():
                _waiting.clear()  # the program ends, and waits for one compilation at most
            if not _waiting:
                _threads.clear()
                return
            work = _waiting.popleft()
        work()


def wait() -> None:
    """Waits until all that was given to the thread is done."""
    with _lock:
        threads = list(_threads)
    for thread in threads:
        thread.join()
