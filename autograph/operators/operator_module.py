"""The functions of `operator`, `bool` and `callable`: what they give for objects of the user's, and for what is staged."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, there
from autograph.backends.trace import seen
from autograph.operators import dispatch
from autograph.operators.bisecting import Result, Work
from autograph.operators.builtins import bool_, len_
from autograph.operators.decisions import Args, Scope
from autograph.operators.logical import in_

globals()["__builtins__"] = OWN

Named = dict[str, object]


def binary(symbol: str) -> Work:
    """For `operator.add(a, b)` and its like."""
    apply = dispatch.compared if symbol in dispatch.COMPARISONS else dispatch.binary

    def work(f: Callable[..., object], args: Args, kwargs: Named, scope: Scope) -> object:
        if len(args) != 2 or not any(not dispatch.is_plain(type(a)) for a in args):
            return args
        return Result(apply(*args, symbol, scope))

    return work


def truth(f: Callable[..., object], args: Args, kwargs: Named, scope: Scope) -> object:
    """`bool(x)` and `operator.truth(x)`."""
    if len(args) != 1 or kwargs:
        return args
    if dispatch.has_twins(type(args[0]), dispatch.TRUTHS, scope):
        return Result(dispatch.truth(args[0], scope))
    return args if f is bool or backend_of(args[0]) is None else Result(bool_(args[0]))


def _not(f: Callable[..., object], args: Args, kwargs: Named, scope: Scope) -> object:
    if len(args) != 1 or kwargs:
        return args
    asked = dispatch.has_twins(type(args[0]), dispatch.TRUTHS, scope)
    return Result(dispatch.negated(dispatch.truth(args[0], scope) if asked else args[0]))


def _of_two(apply: Callable[[Any, Any], object]) -> Work:
    def work(f: Callable[..., object], args: Args, kwargs: Named, scope: Scope) -> object:
        return Result(apply(*args)) if len(args) == 2 and not kwargs else args

    return work


def _length_hint(f: Callable[..., object], args: Args, kwargs: Named, scope: Scope) -> object:
    is_staged = len(args) in (1, 2) and not kwargs and backend_of(seen(args[0])) is not None
    return Result(len_(args[0])) if is_staged else args


def _item(f: Callable[..., object], args: Args, kwargs: Named, scope: Scope) -> object:
    return Result(dispatch.item(*args, scope)[0]) if len(args) == 2 and not kwargs else args


def _callable(f: Callable[..., object], args: Args, kwargs: Named, scope: Scope) -> object:
    return tuple(map(there, args))


WORKS: dict[Any, Work] = {
    builtins.callable: _callable,
    operator.contains: _of_two(lambda items, x: in_(x, items)),
    operator.getitem: _item,
    operator.is_: _of_two(dispatch.identical),
    operator.is_not: _of_two(dispatch.not_identical),
    operator.length_hint: _length_hint,
    operator.not_: _not,
    operator.truth: truth,
}
