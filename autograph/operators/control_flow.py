"""The statements `if`, `while` and `for` of converted code.

Plain values run as Python runs them. The moment a condition is staged, its backend takes over, with the state as it is
then; so a loop may start in Python and go on staged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from autograph.backends.protocol import GetState, SetState, StagingBackend, Thunk
from autograph.backends.registry import backend_of, registered_backends
from autograph.errors import UnrollLimitError

# A `for` over something endless that only a staged condition could end would be unrolled for ever.
UNROLL_LIMIT = 10_000


def if_stmt(cond: Any, body: Thunk, orelse: Thunk, get_state: GetState, set_state: SetState,
            symbol_names: tuple[str, ...], nouts: int) -> None:
    """`if cond: body() else: orelse()`; the first `nouts` of the symbols are used afterwards."""
    if cond is True:
        body()
    elif cond is False:
        orelse()
    else:
        backend = backend_of(cond)
        if backend is not None:
            backend.if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts)
        elif cond:
            body()
        else:
            orelse()


def while_stmt(test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, symbol_names: tuple[str, ...],
               opts: Mapping[str, Any]) -> None:
    """`while test(): body()`."""
    marks = [(b, m) for b in registered_backends() if (m := b.checkpoint()) is not None]
    before = get_state() if marks else ()
    while True:
        cond = test()
        if cond is not True:
            if cond is False:
                return
            backend = backend_of(cond)
            if backend is not None:
                for marked, mark in marks:
                    if marked is backend:
                        if any(a is not b for a, b in zip(before, get_state())):
                            opts = {**opts, "test_assigns": True}
                            set_state(before)
                        backend.rollback(mark)
                backend.while_stmt(test, body, get_state, set_state, symbol_names, opts)
                return
            if not cond:
                return
        body()
        marks = []


def for_stmt(iter_: Iterable[Any], extra_test: Thunk | None, body: Callable[[Any], None], get_state: GetState,
             set_state: SetState, symbol_names: tuple[str, ...], opts: Mapping[str, Any]) -> None:
    """`for target in iter_: body(target)`, left as soon as `extra_test()` is false after an iteration.

    When the extra test becomes staged, each further iteration is guarded by a staged `if`.
    """
    backend = backend_of(iter_)
    if backend is not None:
        backend.for_stmt(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        return
    if extra_test is None:
        for target in iter_:
            body(target)
        return
    iterator = iter(iter_)
    for target in iterator:
        body(target)
        cond = extra_test()
        if cond is not True:
            if cond is False:
                return
            backend = backend_of(cond)
            if backend is not None:
                _unroll(iterator, cond, backend, extra_test, body, get_state, set_state, symbol_names)
                return
            if not cond:
                return


def _unroll(iterator: Iterator[Any], cond: Any, backend: StagingBackend | None, extra_test: Thunk,
            body: Callable[[Any], None], get_state: GetState, set_state: SetState,
            symbol_names: tuple[str, ...]) -> None:
    for count, target in enumerate(iterator):
        if count >= UNROLL_LIMIT:
            raise UnrollLimitError(
                f"a Python loop that a staged `break` or `return` should end was unrolled {count} times; "
                "loop over a staged iterable, or bound the loop"
            )
        if backend is None:
            if not cond:
                return
            body(target)
        else:
            backend.if_stmt(cond, _iteration(body, target), _nothing, get_state, set_state, symbol_names,
                            len(symbol_names))
        cond = extra_test()
        backend = backend_of(cond)


def _iteration(body: Callable[[Any], None], target: Any) -> Thunk:
    def guarded_iteration() -> None:
        body(target)

    return guarded_iteration


def _nothing() -> None:
    pass
