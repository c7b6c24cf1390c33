"""Staged `while` and `for`: test and body are traced once, and become a loop that carries the variables.

The body is traced twice when a variable gets its first value in it, to learn its type, and again when a list grows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.control_flow.while_loop import build_while
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.iterables import staged_iterable
from graphrt.staging.loop_state import ADVICE, Begin, Frame, Names, learn, traced_again
from graphrt.staging.truths import condition, condition_of, note_exit
from graphrt.staging.values import stand_in
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Callable[..., Any],
    set_state: Callable[..., Any],
    names: Names,
    opts: Mapping[str, Any],
) -> None:
    """Records the loop; afterwards the state holds the values after it."""
    if opts.get("test_assigns"):
        _rotated(test, body, get_state, set_state, names, opts)
        return
    before = get_state()
    learned = learn(body, before, get_state, set_state)
    none_first = [names[i] for i in learned if before[i] is None]
    if none_first:  # the first iteration is traced by itself, as only that sees None
        first = condition(test(), "while loop")
        _must_run(first, none_first)
        body()
        before = get_state()
        learned = learn(body, before, get_state, set_state)
        _refuse_none(learned, before, names)

    loop = _Loop(lambda _: condition(test(), "while loop"), lambda _: body(), learned=learned)
    loop.record(get_state, set_state, names, opts)


@contextmanager
def skipped_if_unknown(get_state: Callable[..., Any], set_state: Callable[..., Any]) -> Iterator[None]:
    """Takes a loop for one of no iterations, when its body calls a function of which only the types are asked yet."""
    before = get_state()
    try:
        yield
    except errors.UnknownResultError:
        set_state(before)


def _rotated(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Callable[..., Any],
    set_state: Callable[..., Any],
    names: Names,
    opts: Mapping[str, Any],
) -> None:
    """A loop whose test sets variables: the test moves to the end of the body, so that the body sees what it set."""
    holds = condition(test(), "while loop")
    following: list[Any] = []

    def once(_: list[Tensor]) -> None:
        body()
        following[:] = [condition(test(), "while loop")]

    loop = _Loop(lambda own: own[0], once, [holds], ["the loop's test"], lambda _: list(following))
    loop.record(get_state, set_state, names, opts)


def _must_run(ran: Any, starters: list[str]) -> None:
    text = f"loop must iterate at least once to initialize {', '.join(repr(s) for s in starters)}"
    ops.Assert(ran, [convert_to_tensor(text)])


def _refuse_none(learned: Collection[int], before: tuple[Any, ...], names: Names) -> None:
    """Raises where what is None after the first iteration gets a value in a later one."""
    for i in learned:
        if before[i] is None:
            text = (
                f"{names[i]!r} is None after the first iteration of the loop, and has a value in a later one: a graph "
            )
            raise errors.LoopVariableError(
                errors.at_user_line(text + "cannot carry None. Use a flag, or a value for none")
            )


class _Loop:
    """A loop over the state plus tensors that the loop itself needs (an index, say).

    Attributes:
      own, labels: these tensors, and what they are called in messages.
      test, body: what the statement says, of the loop's own tensors.
      step: gives the own tensors of the next iteration.
      learned: what `learn` found, if it has been asked.
      numbers: which of the own tensors, if not none, are Python numbers in the loop.
    """

    def __init__(
        self,
        test: Callable[[list[Any]], Any],
        body: Callable[[list[Any]], None],
        own: list[Any] | None = None,
        labels: list[str] | None = None,
        step: Callable[[list[Any]], list[Any]] = lambda own: [],
        learned: dict[int, Any] | None = None,
        numbers: list[bool] | None = None,
    ) -> None:
        self.own, self.labels, self.numbers = own or [], labels or [], numbers or []
        self.test, self.body, self.step = test, body, step
        self.learned = learned

    def record(
        self, get_state: Callable[..., Any], set_state: Callable[..., Any], names: Names, opts: Mapping[str, Any]
    ) -> None:
        """Records the loop; afterwards the state holds the values after it."""
        record = lambda rebound, begin: self._record(get_state, set_state, names, opts, rebound, begin)
        traced_again(record, get_state, set_state, names, opts)

    def _record(
        self, get_state: Callable[..., Any], set_state: Callable[..., Any], names: Names, opts: Mapping[str, Any],
        rebound: frozenset[int], begin: Begin
    ) -> None:  # fmt: skip
        before = get_state()
        learned, self.learned = self.learned, None  # not what it will be, should the loop be traced again
        if learned is None:
            numbers = self.numbers or [False] * len(self.own)
            once = lambda: self.body([stand_in(current_graph(), t, n) for t, n in zip(self.own, numbers)])
            learned = learn(once, before, get_state, set_state)
        frame = Frame(names, get_state, set_state, opts, learned, rebound, begin)
        flags, count = frame.flags, len(self.own)

        def apart(leaves: list[Any]) -> list[Any]:
            """Enters the state; the loop's own tensors, which stand behind the flag."""
            frame.enter([*leaves[:flags], *leaves[flags + count :]])
            return leaves[flags : flags + count]

        def traced_test(leaves: list[Any]) -> Tensor:
            return self.test(apart(leaves))

        def traced_body(leaves: list[Any]) -> list[Any]:
            own = apart(leaves)
            after = frame.iteration(lambda: self.body(own))
            frame.check_unset([*leaves[:flags], *leaves[flags + count :]])
            return _between(after, flags, self.step(own))

        try:
            outputs = build_while(
                traced_test,
                traced_body,
                _between(frame.initial, flags, self.own),
                names=_between(frame.labels, flags, self.labels),
                invariants=_between(frame.invariants, flags, [None] * count),
                maximum_iterations=opts.get("maximum_iterations"),
                parallel_iterations=opts.get("parallel_iterations", 10),
                checkpoint=bool(opts.get("checkpoint", False)),
                advice=ADVICE,
                numbers=_between([False] * len(frame.initial), flags, self.numbers or [False] * count),
            )
        except BaseException:
            set_state(before)
            raise
        note_exit(outputs)
        frame.leave([*outputs[:flags], *outputs[flags + count :]])


def _between(values: list[Any], at: int, more: list[Any]) -> list[Any]:
    return [*values[:at], *more, *values[at:]]


def for_stmt(
    iter_: object,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: Callable[..., Any],
    set_state: Callable[..., Any],
    names: Names,
    opts: Mapping[str, Any],
) -> None:
    """Records the loop over a symbolic tensor, a range, or another staged iterable."""
    iterable = staged_iterable(iter_)
    before = get_state()

    def once() -> None:
        own = iterable.begin()
        numbers = iterable.numbers or [False] * len(own)
        body(iterable.item([stand_in(current_graph(), t, n) for t, n in zip(own, numbers)]))

    learned = learn(once, before, get_state, set_state)
    none_first = [names[i] for i in learned if before[i] is None]
    if none_first:  # the first iteration is traced by itself, as only that sees None
        start = iterable.begin()
        _must_run(iterable.more(start), none_first)
        body(iterable.item(start))
        iterable = iterable.after(iterable.following(start))
        if extra_test is not None:
            iterable = iterable.only_if(condition_of(extra_test))
        before = get_state()
        learned = learn(once, before, get_state, set_state)
        _refuse_none(learned, before, names)

    def test(own: list[Any]) -> Tensor:
        if extra_test is not None and iterable.may_fail:
            return cond(condition_of(extra_test), lambda: iterable.more(own), lambda: convert_to_tensor(False))
        more = iterable.more(own)
        if extra_test is None:
            return more
        return cond(more, lambda: condition_of(extra_test), lambda: convert_to_tensor(False))

    loop = _Loop(
        test,
        lambda own: body(iterable.item(own)),
        iterable.begin(),
        iterable.labels,
        iterable.following,
        learned,
        iterable.numbers,
    )
    loop.record(get_state, set_state, names, opts)
