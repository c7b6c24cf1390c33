"""The statements `if`, `while` and `for` of converted code.

Plain values run as Python runs them. The moment a condition is staged, its backend takes over, with the state as it is
then; so a loop may start in Python and go on staged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from autograph.backends import journal
from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import GetState, SetState, StagingBackend, Thunk
from autograph.backends.registry import backend_of, known_types, marking_backends
from autograph.backends.state import State
from autograph.backends.trace import lose, open_traces
from autograph.errors import BackendError, PythonOnlyConstructError, UnrollLimitError
from autograph.operators.list_loops import RestOfList, Watched, gone_through, rest_of_list

globals()["__builtins__"] = OWN

# A `for` over something endless that only a staged condition could end would be unrolled for ever.
UNROLL_LIMIT = 10_000


def if_stmt(
    cond: object,
    body: Thunk,
    orelse: Thunk,
    get_state: GetState,
    set_state: SetState,
    symbol_names: tuple[str, ...],
    nouts: int,
) -> None:
    """`if cond: body() else: orelse()`; the first `nouts` of the symbols are used afterwards."""
    if cond is True:
        body()
    elif cond is False:
        orelse()
    else:
        backend = backend_of(cond)
        if backend is not None:
            record_if: Callable[..., object] = backend.if_stmt
            result = record_if(cond, body, orelse, get_state, set_state, symbol_names, nouts)
            _check_result(backend, "if_stmt", result)
        elif cond:
            body()
        else:
            orelse()


def _check_result(backend: StagingBackend, method: str, result: object) -> None:
    if result is not None:
        raise BackendError(
            f"backend {backend.name!r} returned {type(result).__name__} from {method}, which is to return None: what a "
            "statement does goes through `set_state`, see `autograph.backends.state.State`"
        )


def while_stmt(
    test: Thunk,
    body: Thunk,
    get_state: GetState,
    set_state: SetState,
    symbol_names: tuple[str, ...],
    opts: Mapping[str, Any],
) -> None:
    """`while test(): body()`."""
    while True:
        trial = None
        if marking_backends and (marks := _checkpoints()):
            trial = Trial(marks, State(get_state, set_state, symbol_names).get())
        try:
            cond = test()
        finally:
            if trial is not None:
                trial.end()
        if cond is not True:
            if cond is False:
                return
            backend = backend_of(cond)
            if backend is not None:
                _stage_while(backend, trial, test, body, (get_state, set_state, symbol_names), opts)
                return
            if not cond:
                return
        body()


_Marks = list[tuple[StagingBackend, Any]]
_Statement = tuple[GetState, SetState, tuple[str, ...]]


def _checkpoints() -> _Marks:
    return [(b, m) for b in marking_backends if (m := b.checkpoint()) is not None]


class Trial:
    """The test of a loop is tried, to see whether it is staged: what it does then can be undone.

    Attributes:
      before: the variables of the loop, as they were.
    """

    __slots__ = ("_journal", "_marks", "before")

    def __init__(self, marks: _Marks, before: tuple[Any, ...]) -> None:
        self.before = before
        self._marks = marks
        self._journal = journal.begin_journal()

    def end(self) -> None:
        """The test has been tried."""
        journal.end_journal(self._journal)

    def undo(self, backend: StagingBackend) -> None:
        """Has all as it was, but for variables."""
        self._journal.undo()
        for marked, mark in self._marks:
            if marked is backend:
                backend.rollback(mark)


def _stage_while(
    backend: StagingBackend,
    trial: Trial | None,
    test: Thunk,
    body: Thunk,
    statement: _Statement,
    opts: Mapping[str, Any],
) -> None:
    """Goes on staged; what the test did when it was tried is undone."""
    if trial is not None:
        state = State(*statement)
        if any(a is not b for a, b in zip(trial.before, state.get())):
            opts = {**opts, "test_assigns": True}
            state.set(trial.before)
        trial.undo(backend)
    record_while: Callable[..., object] = backend.while_stmt
    _check_result(backend, "while_stmt", record_while(test, body, *statement, opts))


def for_stmt(
    iter_: Iterable[Any],
    extra_test: Thunk | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    symbol_names: tuple[str, ...],
    opts: Mapping[str, Any],
) -> None:
    """`for target in iter_: body(target)`, left as soon as `extra_test()` is false after an iteration.

    When the extra test becomes staged, each further iteration is guarded by a staged `if`.
    """
    statement = (get_state, set_state, symbol_names)
    if type(iter_) is RestOfLoop:
        iterator, cond = iter_.iterator, iter_.cond
        assert extra_test is not None
        _unroll(iterator, cond, backend_of(cond), extra_test, body, statement)
        lose_iterator(iterator)
        _stage_rest(extra_test, body, statement, opts)
        return
    if type(iter_) is RestOfList:
        iter_ = iter_.left
    elif open_traces:
        iter_ = gone_through(iter_)
    backend = backend_of(iter_)
    if backend is not None:
        record_for: Callable[..., object] = backend.for_stmt
        _check_result(backend, "for_stmt", record_for(iter_, extra_test, body, *statement, opts))
        return
    if extra_test is None:
        for target in iter_:
            body(target)
        _stage_rest(None, body, statement, opts)
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
                _unroll(iterator, cond, backend, extra_test, body, statement)
                if iterator is iter_:  # else the loop alone has it
                    lose_iterator(iterator)
                break
            if not cond:
                return
    _stage_rest(extra_test, body, statement, opts)


def _stage_rest(
    extra_test: Thunk | None, body: Callable[[Any], None], statement: _Statement, opts: Mapping[str, Any]
) -> None:
    """Goes on where Python's loop has ended since a list is none of Python's any more."""
    rest = rest_of_list() if open_traces else None
    if rest is not None:
        for_stmt(rest, extra_test, body, *statement, opts)


def _unroll(
    iterator: Iterator[Any],
    cond: object,
    backend: StagingBackend | None,
    extra_test: Thunk,
    body: Callable[[Any], None],
    statement: _Statement,
) -> None:
    for count, target in enumerate(iterator):
        check_unrolled(count, "a Python loop that a staged `break` or `return` should end was")
        if backend is None:
            if not cond:
                return
            body(target)
        else:
            backend.if_stmt(cond, _iteration(body, target), _nothing, *statement, len(statement[2]))
        cond = extra_test()
        backend = backend_of(cond)


def check_unrolled(count: int, found: str) -> None:
    """Refuses to go on where a staged value alone could end what has been done `count` times in Python."""
    if count >= UNROLL_LIMIT:
        raise UnrollLimitError(f"{found} unrolled {count} times; loop over a staged iterable, or bound the loop")


def lose_iterator(iterator: Iterator[Any]) -> None:
    """Tells the trace of an iterator that was gone through to its end, where a staged condition may have ended that."""
    itself = iterator.iterator if type(iterator) is Watched else iterator
    kind = type(itself).__name__
    article = "an" if kind[0] in "aeiou" else "a"
    lose(itself, lambda: PythonOnlyConstructError(_LOST.format(article, kind)))


_LOST = (
    "{} {} was gone through as far as a staged condition says, so that what is left of it is not known while staging: make "
    "a list of it first, `list(...)`, and take elements by their index"
)


def _iteration(body: Callable[[Any], None], target: object) -> Thunk:
    def guarded_iteration() -> None:
        body(target)

    return guarded_iteration


def _nothing() -> None:
    pass


# Of compiled code, see `emit/code.py`


def is_staged(value: object) -> bool:
    """Whether a backend runs the loop over `value`."""
    return known_types.get(id(type(value)), 0) is not None and backend_of(value) is not None


class RestOfLoop:
    """What a `for` has yet to run over when its extra test gave `cond`, which is staged."""

    __slots__ = ("cond", "iterator")

    def __init__(self, iterator: Iterator[Any], cond: object) -> None:
        self.iterator = iterator
        self.cond = cond


def rest_of_loop(iterator: Iterator[Any], cond: object) -> RestOfLoop | None:
    """After a native loop: what is left of it for `for_stmt`; None if it has come to its end."""
    if cond is None or cond is True or cond is False:
        return None
    return RestOfLoop(iterator, cond)


def is_rest_of_loop(value: object) -> bool:
    """Whether a native loop has run before the printed one."""
    return type(value) is RestOfLoop or type(value) is RestOfList


def tried(before: tuple[Any, ...]) -> Trial | None:
    """Called ahead of the first test of a `while`, whose variables are `before`."""
    marks = _checkpoints()
    return Trial(marks, before) if marks else None


def while_stmt_from(
    cond: object,
    trial: Trial | None,
    test: Thunk,
    body: Thunk,
    get_state: GetState,
    set_state: SetState,
    symbol_names: tuple[str, ...],
    opts: Mapping[str, Any],
) -> None:
    """A `while` whose test has given `cond`, which is staged; `trial` is what `tried` gave, if it was asked."""
    backend = backend_of(cond)
    assert backend is not None
    if trial is not None:
        trial.end()
    _stage_while(backend, trial, test, body, (get_state, set_state, symbol_names), opts)
