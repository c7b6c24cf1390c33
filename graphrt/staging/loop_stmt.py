"""Staged `while` and `for`: test and body are traced once, and become a loop that carries the variables.

The body is traced twice when a variable gets its first value in it, to learn its type, and again when a list grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autograph.backends.state import note_place, recording
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.control_flow.while_loop import build_while
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.chosen_lists import without_choices
from graphrt.staging.if_stmt import if_stmt
from graphrt.staging.iterables import staged_iterable
from graphrt.staging.known import known_flag, note_exit
from graphrt.staging.loop_state import ADVICE, Frame, learn
from graphrt.staging.loops_again import Begin, GetState, Names, Options, SetState, traced_again
from graphrt.staging.maybe_none import MaybeNone, maybe_none
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.staging.truths import condition, condition_of
from graphrt.staging.unset import asked_when_run
from graphrt.staging.values import is_undefined, stand_in, type_text
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: GetState,
    set_state: SetState,
    names: Names,
    opts: Options,
) -> None:
    """Records the loop; afterwards the state holds the values after it."""
    body = without_choices(body, names, get_state, set_state)
    if opts.get("test_assigns"):
        _rotated(test, body, get_state, set_state, names, opts)
        return
    before = get_state()
    learned = learn(body, before, get_state, set_state)
    none_first = [names[i] for i, v in learned.items() if before[i] is None and not isinstance(v, MaybeNone)]
    loop = _Loop(lambda _: condition(test(), "while loop"), lambda _: body(), learned=learned)
    if not none_first:
        loop.record(get_state, set_state, names, opts)
        return

    def following(
        test: Callable[[], Any], body: Callable[[], Any], get: GetState, put: SetState, names: Names, more: Options
    ) -> None:
        learned = _learned_after_first(body, get, put, names)
        loop = _Loop(lambda _: condition(test(), "while loop"), lambda _: body(), learned=learned)
        loop.record(get, put, names, {**opts, **more})

    def with_first() -> None:  # which is traced by itself, as only that sees None
        body()
        opts["rest"](following)

    _if_it_runs(condition(test(), "while loop"), with_first, none_first, learned, get_state, set_state, names, opts)


@contextmanager
def skipped_if_empty(get_state: GetState, set_state: SetState, begins: Callable[[], TensorLike]) -> Iterator[None]:
    """Takes a loop that fails for one of no iterations, if `begins()`, whether there is a first one, is known to be false.

    So does a loop whose body calls a function of which only the types are asked yet.
    """
    before, graph = get_state(), current_graph()
    mark = graph.checkpoint()
    try:
        yield
    except errors.UnknownResultError:
        set_state(before)
    except Exception:
        graph.rollback(mark)
        set_state(before)
        known = _tried(begins)
        graph.rollback(mark)
        set_state(before)
        if known is not False:
            raise


def _tried(begins: Callable[[], TensorLike]) -> bool | None:
    """What is known of a flag whose evaluation may fail, and leaves nothing changed."""
    with recording() as book:
        try:
            return known_flag(begins())
        except Exception:  # the error that the loop has failed with is told, not this one
            return None
        finally:
            book.undo()


def first_of_while(test: Callable[[], Any]) -> Tensor:
    """Whether a `while` has a first iteration."""
    return condition(test(), "while loop")


def first_of_for(iter_: object) -> Tensor:
    """Whether a `for` has a first iteration."""
    iterable = staged_iterable(iter_)
    return iterable.more(iterable.begin())


def _rotated(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: GetState,
    set_state: SetState,
    names: Names,
    opts: Options,
) -> None:
    """A loop whose test sets variables: the test moves to the end of the body, so that the body sees what it set."""
    holds = condition(test(), "while loop")
    # `while a and (k := b):` sets `k` wherever the body runs, and whether it does only running the loop tells
    set_state(tuple(asked_when_run(v) for v in get_state()))
    following: list[Any] = []

    def once(_: list[Tensor]) -> None:
        body()
        following[:] = [condition(test(), "while loop")]

    loop = _Loop(lambda own: own[0], once, [holds], ["the loop's test"], lambda _: list(following))
    loop.record(get_state, set_state, names, opts)


def _if_it_runs(
    runs: Tensor,
    loop: Callable[[], None],
    none_first: list[str],
    learned: dict[int, Any],
    get_state: GetState,
    set_state: SetState,
    names: Names,
    opts: Options,
) -> None:
    """Records a loop whose first iteration alone sees None in some variables, which it leaves so if it does not run."""
    count = opts.get("variables", len(names))
    before = get_state()
    carried = all(maybe_none(names[i], v) is not None for i, v in learned.items() if before[i] is None)
    if known_flag(runs) or not carried or any(is_undefined(before[i]) for i in learned):
        text = f"loop must iterate at least once to initialize {', '.join(map(repr, none_first))}"
        ops.Assert(runs, [convert_to_tensor(text)])
        loop()
        return
    get = lambda: get_state()[:count]
    put = lambda values: set_state((*values, *get_state()[count:]))

    def noted() -> None:
        for place in opts.get("places", ()):
            note_place(place)
        loop()

    if_stmt(runs, noted, lambda: None, get, put, names[:count], count)


def _learned_after_first(
    once: Callable[[], None], get_state: GetState, set_state: SetState, names: Names
) -> dict[int, Any]:
    """What `learn` gives after the first iteration: what is None then, and gets a value in a later one, may be None.

    Raises:
      LoopVariableError: it cannot be that.
    """
    before = get_state()
    learned = learn(once, before, get_state, set_state)
    for i, value in learned.items():
        if before[i] is None and not isinstance(value, MaybeNone):
            found = maybe_none(names[i], value)
            if found is None:
                text = (
                    f"{names[i]!r} is None after the first iteration of the loop, and {type_text(value)} after a later one"
                    ": a graph cannot carry that. Use a flag, or a value for none"
                )
                raise errors.LoopVariableError(errors.at_user_line(text))
            learned[i] = found
    return learned


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

    def record(self, get_state: GetState, set_state: SetState, names: Names, opts: Options) -> None:
        """Records the loop; afterwards the state holds the values after it."""
        record = lambda rebound, begin: self._record(get_state, set_state, names, opts, rebound, begin)
        traced_again(record, get_state, set_state, names, opts)

    def _record(
        self, get_state: GetState, set_state: SetState, names: Names, opts: Options,
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
    get_state: GetState,
    set_state: SetState,
    names: Names,
    opts: Options,
) -> None:
    """Records the loop over a symbolic tensor, a range, or another staged iterable."""
    iterable = staged_iterable(iter_)
    body = without_choices(body, names, get_state, set_state)
    before = get_state()

    learned = learn(lambda: _once(iterable, body), before, get_state, set_state)
    none_first = [names[i] for i, v in learned.items() if before[i] is None and not isinstance(v, MaybeNone)]
    if not none_first:
        _record_for(iterable, extra_test, body, learned, get_state, set_state, names, opts)
        return
    start = iterable.begin()
    rest: list[StagedIterable] = []

    def following(
        extra_test: Callable[[], Any] | None, body: Callable[[Any], Any], get: GetState, put: SetState, names: Names,
        more: Options
    ) -> None:  # fmt: skip
        learned = _learned_after_first(lambda: _once(iterable, body), get, put, names)
        _record_for(rest[0], extra_test, body, learned, get, put, names, {**opts, **more})

    def with_first() -> None:  # which is traced by itself, as only that sees None
        body(iterable.item(start))
        items = iterable.after(iterable.following(start))
        rest[:] = [items if extra_test is None else items.only_if(condition_of(extra_test))]
        opts["rest"](following)

    _if_it_runs(iterable.more(start), with_first, none_first, learned, get_state, set_state, names, opts)


def _once(iterable: StagedIterable, body: Callable[[Any], Any]) -> None:
    """Runs the body on an item of which nothing but the type is known."""
    own = iterable.begin()
    numbers = iterable.numbers or [False] * len(own)
    body(iterable.item([stand_in(current_graph(), t, n) for t, n in zip(own, numbers)]))


def _record_for(
    iterable: StagedIterable,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    learned: dict[int, Any],
    get_state: GetState,
    set_state: SetState,
    names: Names,
    opts: Options,
) -> None:
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
