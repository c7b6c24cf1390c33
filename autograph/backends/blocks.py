"""`with` blocks that are left whatever happens, Ctrl-C at any moment included.

Python raises KeyboardInterrupt where a function of Python's begins, so an `__exit__` of Python's may end before its first
line. What `contextlib` makes of a generator is left all the same once the error is forgotten, with its traceback; but a
command line and a notebook remember the last one. Here nothing of Python's begins where a block ends:

- `__exit__` is made of functions written in C, which resume a generator;
- where a generator is resumed inside a `yield from`, Python does not look for signals, so it comes to its `finally`.

Sources: CPython's `RESUME` and `JUMP_BACKWARD_NO_INTERRUPT` (https://docs.python.org/3/library/dis.html), and the
note on handlers in https://docs.python.org/3/library/signal.html#handlers-and-exceptions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import Any, Generic, ParamSpec, TypeVar

from autograph.backends.own_builtins import OWN

globals()["__builtins__"] = OWN

_T = TypeVar("_T")
_P = ParamSpec("_P")


def ending(steps: Generator[object, Any, None]) -> Callable[..., None]:
    """What ends a block when it is called, with any three arguments: it resumes `steps`, once they are in a `yield from`.

    After that `steps` must go on to yield 0 for ever: `max` asks for the key of each of its arguments.

    >>> def steps():
    ...     yield from (None,)
    ...     print("left")
    ...     while True:
    ...         yield 0
    >>> one = steps()
    >>> next(one)
    >>> ending(one)(None, None, None)
    left
    """
    return functools.partial(max, None, key=steps.send)  # it gives None, the first of equal ones: errors go on


def _and_zeros(steps: Generator[_T, Any, None]) -> Generator[_T | int, Any, None]:
    try:
        yield from steps
    finally:
        steps.close()  # of no effect, but where a trace function has raised an error before they went on
    while True:
        yield 0


class _Exit:
    """`__exit__` of a block: looked up before the block is entered, and called where it ends."""

    def __get__(self, block: Any, owner: type | None = None) -> Callable[..., None]:
        return _exit if block is None else block.end


def _exit(block: Block[Any], *error: object) -> None:  # for `contextlib.ExitStack`
    block.end(*error)


class Block(ContextDecorator, Generic[_T]):
    """A context manager for one `with` statement, made by a function that `block` decorates."""

    __slots__ = ("_again", "_is_entered", "_steps", "end")

    def __init__(self, make: Callable[[], Generator[_T, Any, None]]) -> None:
        self._again = make
        self._is_entered = False
        self._steps = _and_zeros(make())
        self.end = ending(self._steps)

    def _recreate_cm(self) -> Block[_T]:  # of `ContextDecorator`: each call of the function is a block of its own
        return Block(self._again)

    def __enter__(self) -> _T:
        if self._is_entered:
            raise RuntimeError("this context manager has been entered already; make another one for another block")
        self._is_entered = True
        try:
            return next(self._steps)  # type: ignore[return-value]
        except BaseException:
            self._steps.close()
            raise

    __exit__ = _Exit()


def block(function: Callable[_P, Generator[_T, Any, None]]) -> Callable[_P, Block[_T]]:
    """Makes context managers of a generator function that gives, once, by `yield from (value,)`, what `as` binds.

    The `yield from` stands in a `try`, and all that was changed is set back in its `finally`: by statements that call
    functions written in C, of which nothing depends on one before, or by what may be done again when it was interrupted.
    Errors in the block go on after it, in any case; a `yield 0` behind the `yield from` gives the type of one, or None.

    >>> @block
    ... def longer(words, word):
    ...     try:
    ...         words.append(word)
    ...         yield from (len(words),)
    ...     finally:
    ...         words.pop()
    >>> words = ["one"]
    >>> with longer(words, "two") as count:
    ...     print(count, words)
    2 ['one', 'two']
    >>> words
    ['one']
    """

    @functools.wraps(function)
    def made(*args: _P.args, **kwargs: _P.kwargs) -> Block[_T]:
        return Block(lambda: function(*args, **kwargs))

    return made


@block
def setting(variable: ContextVar[Any], value: object) -> Generator[None, None, None]:
    """`variable` is `value` in the `with` block.

    >>> number = ContextVar("number", default=0)
    >>> with setting(number, 1):
    ...     number.get()
    1
    >>> number.get()
    0
    """
    before = variable.get()
    token = None
    try:
        token = variable.set(value)
        yield from (None,)
    except GeneratorExit:  # it is forgotten without having been left
        if variable.get() is not value:
            before, token = variable.get(), None
        raise
    finally:
        if token is None:
            variable.set(before)
        else:
            # what was not set is not set again: each variable that a context holds makes every change of any other slower
            try:
                variable.reset(token)
            except ValueError:  # it is left in another context than it was entered in: garbage goes in any thread
                pass
