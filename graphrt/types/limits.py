"""How much a graph, a file or an op may ask for.

A file of a hundred bytes can ask for a tensor of a terabyte, or for a loop without an end. So what asks for room by a
number is compared with a limit before any is taken. The limits are those of the context: other threads and tasks have
their own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple, NoReturn, ParamSpec, TypeAlias, TypeVar

from graphrt import errors
from graphrt.types.leaving import Leaving
from graphrt.types.nesting import shown

Amount: TypeAlias = int | float
P = ParamSpec("P")
T = TypeVar("T")


class Limits(NamedTuple):
    """The limits of a context; `math.inf` is none.

    Attributes:
      bytes: of one tensor, one record, one decoded image or text.
      elements: of one constant of a file; what an op makes one by one.
      nodes: of one imported graph, with those of its functions, as often as they are copied.
      nesting: of imported functions that use each other.
      iterations: of all loops, and calls, that one call of an imported graph makes.
      seconds: of one call of an imported graph; where a limit is set, of reading one file by the HDF5 library, too.
    """

    bytes: Amount
    elements: Amount = 1 << 28
    nodes: Amount = 1_000_000
    nesting: Amount = 100
    iterations: Amount = 1 << 32
    seconds: Amount = 86_400


def _memory() -> int:
    """The bytes of memory of this machine: what is larger than that nobody means."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # only systems like Unix tell
        return 1 << 36


DEFAULT = Limits(_memory())
"""Those of a context that has set none."""
_current: ContextVar[Limits] = ContextVar("graphrt_limits", default=DEFAULT)
current = _current.get


class _Region:
    """Other limits for a `with` block."""

    __slots__ = ("_before", "_changes")

    def __init__(self, changes: dict[str, Amount]) -> None:
        self._changes = changes
        self._before: list[Limits] = []

    def __enter__(self) -> Limits:
        before = _current.get()
        now = before._replace(**self._changes)
        self._before.append(before)
        _current.set(now)
        return now

    def entered(self) -> int:
        """How many blocks are open."""
        return len(self._before)

    def leave(self) -> None:
        """Sets what was before."""
        _current.set(self._before[-1])
        del self._before[-1]

    __exit__ = Leaving()


class ContextLimits:
    """`tf.config.limits`: how much a graph, a file or an op may ask for; what asks for more is refused, and gets nothing.

    Called with some of them it is a context manager. They may also be read, and set, as attributes. Either is a matter of
    the context: other threads have the limits they have set themselves. None is no limit.

    | limit | of what | by default |
    |---|---|---|
    | `bytes` | one tensor, one record of a file, one decoded image or text | the memory of the machine |
    | `elements` | one constant of a file | 2 ** 28 |
    | `nodes` | one imported graph, with those of its functions, as often as they are copied | 1,000,000 |
    | `nesting` | imported functions that use each other | 100 |
    | `iterations` | all loops, and calls, of one call of an imported graph | 2 ** 32 |
    | `seconds` | one call of an imported graph; where one is set, reading weights from HDF5 | a day |

    >>> import graphrt as tf
    >>> try:
    ...     with tf.config.limits(bytes=1000):
    ...         tf.fill([1000], 1.0)
    ... except tf.errors.ResourceExhaustedError as error:
    ...     print(error.message.split(".")[0])
    Fill: the result would take 4000 bytes, the limit is 1000
    >>> tf.config.limits.nesting
    100

    Raises:
      TypeError: there is no such limit, or it is no number.
      ValueError: it is negative.
    """

    __slots__ = ()

    def __call__(self, **changes: Amount | None) -> _Region:
        return _Region({name: _checked(name, amount) for name, amount in changes.items()})

    def __getattr__(self, name: str) -> Amount:
        if name not in Limits._fields:
            raise AttributeError(f"there is no limit {name!r}; there are {', '.join(Limits._fields)}")
        amount: Amount = getattr(_current.get(), name)
        return amount

    def __setattr__(self, name: str, amount: Amount | None) -> None:
        if name not in Limits._fields:
            raise AttributeError(f"there is no limit {name!r}; there are {', '.join(Limits._fields)}")
        _current.set(_current.get()._replace(**{name: _checked(name, amount)}))

    def __dir__(self) -> list[str]:
        return list(Limits._fields)

    def __repr__(self) -> str:
        return f"<limits {', '.join(f'{n}={a}' for n, a in _current.get()._asdict().items())}>"


def _checked(name: str, amount: Amount | None) -> Amount:
    if name not in Limits._fields:
        raise TypeError(f"there is no limit {name!r}; there are {', '.join(Limits._fields)}")
    if amount is None:
        return math.inf
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"the limit {name!r} must be a number or None (no limit), found {shown(amount)}")
    if not amount >= 0:
        raise ValueError(f"the limit {name!r} must not be negative, found {shown(amount)}")
    return amount


limits = ContextLimits()


def remedy(name: str, found: Amount) -> str:
    """What a message says of a limit that has been met, and of how to raise it."""
    return (
        f"the limit is {getattr(_current.get(), name)}. If that is meant, raise the limit: "
        f"tf.config.limits({name}={found})"
    )


def exhausted(name: str, what: str, found: Amount) -> NoReturn:
    """Raises ResourceExhaustedError: `what`, which tells of `found`, is over the limit `name`."""
    raise errors.ResourceExhaustedError(None, None, f"{what}, {remedy(name, found)}")


def check_elements(count: int, what: str) -> None:
    """Raises ResourceExhaustedError when there are more of `what`, which Python makes one by one, than elements may be."""
    if count > _current.get().elements:
        exhausted("elements", f"{what} are {count}", count)


def check_bytes(size: int, what: str) -> None:
    """Raises ResourceExhaustedError when `what` would take more than a tensor may."""
    if size > _current.get().bytes:
        exhausted("bytes", f"{what} would take {size} bytes", size)


def made(what: str, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `make` gives, an array: raises ResourceExhaustedError where there is no memory for it."""
    try:
        return make(*args, **kwargs)
    except MemoryError as error:
        text = errors.at_user_line(f"{what} takes more memory than there is: {error}")
        raise errors.ResourceExhaustedError(None, None, text) from error
