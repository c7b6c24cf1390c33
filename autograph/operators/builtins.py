"""The built-in functions that a backend may stage: called when any argument is staged, else plain Python.

    len(x)    ->   ag__.converted_call(ag__.ld(len), (ag__.ld(x),), None, fscope)   ->   len_(x)

`min`, `max`, `any` and `all` also look at the elements of lists, tuples and iterators, so that `max([a, b])` of staged
`a` and `b` is staged too.
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import StagingBackend, Thunk
from autograph.backends.registry import backend_of, first_backend, known_types, registered_backends, there
from autograph.backends.trace import current_trace, seen
from autograph.operators.control_flow import check_unrolled, lose_iterator

globals()["__builtins__"] = OWN

_MISSING = object()


def _backend(args: Iterable[Any], kwargs: dict[str, Any]) -> StagingBackend | None:
    return first_backend(args) or (first_backend(kwargs.values()) if kwargs else None)


def _operator(function: Callable[..., Any], method: str) -> Callable[..., Any]:
    def operator(*args: object, **kwargs: object) -> object:
        for value in args:
            if known_types.get(id(type(value)), 0) is not None:  # not yet known to be plain
                backend = backend_of(value)
                if backend is not None:
                    return _staged(operator, backend, method, args, kwargs)
        if kwargs:
            backend = first_backend(kwargs.values())
            if backend is not None:
                return _staged(operator, backend, method, args, kwargs)
            return function(*args, **kwargs)
        return function(*args)

    operator.__name__ = operator.__qualname__ = method
    operator.__doc__ = f"`{function.__name__}(...)`, staged when an argument is."
    return operator


_TAKE_NONE = frozenset({"bool_", "isinstance_", "print_"})


def _staged(
    function: Callable[..., Any], backend: StagingBackend, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a backend gives; `function`, of what may be None, is called with what that is elsewhere."""
    trace = current_trace()
    if trace is not None and trace.may_be_none and method not in _TAKE_NONE:
        values = tuple(map(there, args))
        if any(a is not b for a, b in zip(args, values)):
            return function(*values, **kwargs)
    return getattr(backend, method)(*args, **kwargs)


abs_ = _operator(builtins.abs, "abs_")
bool_ = _operator(builtins.bool, "bool_")
enumerate_ = _operator(builtins.enumerate, "enumerate_")
filter_ = _operator(builtins.filter, "filter_")
float_ = _operator(builtins.float, "float_")
int_ = _operator(builtins.int, "int_")
isinstance_ = _operator(builtins.isinstance, "isinstance_")
iter_ = _operator(builtins.iter, "iter_")
len_ = _operator(builtins.len, "len_")
map_ = _operator(builtins.map, "map_")
next_ = _operator(builtins.next, "next_")
print_ = _operator(builtins.print, "print_")
range_ = _operator(builtins.range, "range_")
reversed_ = _operator(builtins.reversed, "reversed_")
round_ = _operator(builtins.round, "round_")
zip_ = _operator(builtins.zip, "zip_")


def _elements_there(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same, with what may be None in a list or tuple that comes first as what it is where it is not."""
    trace = current_trace()
    if trace is None or not trace.may_be_none or not args or type(args[0]) not in (list, tuple):
        return args
    found = [there(value) for value in args[0]]
    return args if all(a is b for a, b in zip(args[0], found)) else (found, *args[1:])


def _inspected(iterable: Any) -> bool:
    """Whether to look at the elements: only of containers that may be read twice, or that Python reads one by one."""
    kind = type(iterable)
    if hasattr(kind, "__next__"):
        return bool(registered_backends())
    return kind in _CONTAINERS and first_backend(iterable) is not None


_CONTAINERS = frozenset({list, tuple, deque, type({}.values())})


def truth_of(value: object) -> object:
    """`bool(value)`, which may be staged."""
    backend = backend_of(value)
    return builtins.bool(value) if backend is None else backend.bool_(value)


def _fold(iterable: Any, stop: bool) -> Any:
    """`any` (stop=True) or `all` (stop=False), element by element; goes on staged from the first staged element."""
    result: Any = not stop
    backend: StagingBackend | None = None
    of_iterator = hasattr(type(iterable), "__next__")
    staged = 0
    for value in iterable:
        value_backend = backend_of(value)
        if backend is None and value_backend is None:
            if builtins.bool(value) is stop:
                return stop
        elif backend is None:
            backend, result = value_backend, truth_of(value)
        else:
            combine = backend.or_ if stop else backend.and_
            result = combine(result, functools.partial(truth_of, value))
            staged += 1
            if of_iterator:  # which may be endless
                check_unrolled(
                    staged, "a search (`in`, `any`, `all`) in an iterator, which a staged value should end, was"
                )
    if backend is not None and of_iterator:
        lose_iterator(iterable)
    return result


def any_(*args: Any, **kwargs: Any) -> Any:
    """`any(iterable)`, staged when the iterable or an element is."""
    backend = _backend(args, kwargs)
    if backend is not None:
        return _staged(any_, backend, "any_", args, kwargs)
    if len(args) == 1 and not kwargs and _inspected(args[0]):
        return _fold(args[0], True)
    return builtins.any(*args, **kwargs)


def all_(*args: Any, **kwargs: Any) -> Any:
    """`all(iterable)`, staged when the iterable or an element is."""
    backend = _backend(args, kwargs)
    if backend is not None:
        return _staged(all_, backend, "all_", args, kwargs)
    if len(args) == 1 and not kwargs and _inspected(args[0]):
        return _fold(args[0], False)
    return builtins.all(*args, **kwargs)


def _extreme(function: Callable[..., Any], method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    values: Any = None
    args = _elements_there(args) if len(args) == 1 else args
    if not kwargs.keys() - {"key", "default"}:
        values = args[0] if len(args) == 1 else args if len(args) > 1 and "default" not in kwargs else None
    if compared_here(values, kwargs.get("key")) or (hasattr(type(values), "__next__") and _inspected(values)):
        return _extreme_of_iterator(function, method, iter(values), **kwargs)
    backend = _backend(args, kwargs)
    if backend is not None:
        return _staged(max_ if function is builtins.max else min_, backend, method, args, kwargs)
    if not _inspected(values):
        return function(*args, **kwargs)
    named = {"key": kwargs["key"]} if "key" in kwargs else {}
    first, *rest = values
    return getattr(first_backend(values), method)(first, *rest, **named) if rest else first


def compared_here(values: Any, key: object) -> bool:
    """Whether what is not staged itself is compared one by one: by keys that may be, or as tuples of what is."""
    if values is None or current_trace() is None or backend_of(values) is not None:
        return False
    elements = values if type(values) in _CONTAINERS else ()
    if first_backend(elements) is not None:
        return False
    return key is not None or any(type(v) is tuple and first_backend(v) is not None for v in elements)


def _extreme_of_iterator(
    function: Callable[..., Any],
    method: str,
    values: Iterator[Any],
    key: Callable[[Any], Any] | None = None,
    **default: object,
) -> object:
    """Compares as the built-in function does, in step with the iterator."""
    best: Any = _MISSING
    rank: Any = None
    for value in values:
        own = value if key is None else key(value)
        if best is _MISSING:
            best, rank = value, own
            continue
        backend = first_backend((*_parts(rank), *_parts(own)))
        if backend is None:
            best, rank = function((best, rank), (value, own), key=_RANK)
        elif key is None and type(own) is not tuple:
            best = rank = getattr(backend, method)(best, value)
        elif key is not None and (backend_of(best) is not None or backend_of(value) is not None):
            rest = [*values]
            ranks = iter([rank, own, *map(key, rest)])
            return getattr(backend, method)(best, value, *rest, key=lambda _: next(ranks))
        else:  # objects, of which there is one afterwards that is either
            test = _comes_first(own, rank, operator.gt if method == "max_" else operator.lt, backend)
            best = backend.if_exp(test, _always(value), _always(best), f"{function.__name__}()")
            rank = backend.if_exp(test, _always(own), _always(rank), "the key")
    return function((), **default) if best is _MISSING else best


def _parts(key: object) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def _comes_first(key: Any, other: Any, compare: Callable[[Any, Any], Any], backend: StagingBackend) -> Any:
    """`compare(key, other)`; of tuples as Python compares them, but that all their parts are looked at."""
    if type(key) is not tuple or type(other) is not tuple:
        return compare(key, other)
    result: Any = compare(len(key), len(other))
    for a, b in reversed([*zip(key, other)]):
        same, first = a == b, compare(a, b)
        if backend_of(same) is not None:
            result = backend.and_(same, _always(result))
        elif not same:
            result = False
        if backend_of(first) is not None:
            result = backend.or_(first, _always(result))
        elif first:
            result = True
    return result


def _always(value: object) -> Thunk:
    return lambda: value


_RANK = operator.itemgetter(1)


def max_(*args: object, **kwargs: object) -> object:
    """`max(iterable)` or `max(a, b, ...)`, staged when a value is."""
    return _extreme(builtins.max, "max_", args, kwargs)


def min_(*args: object, **kwargs: object) -> object:
    """`min(iterable)` or `min(a, b, ...)`, staged when a value is."""
    return _extreme(builtins.min, "min_", args, kwargs)


def sum_(*args: Any, **kwargs: Any) -> Any:
    """`sum(iterable, start)`, staged when the iterable is, or `start`; elements count as their backend says."""
    backend = _backend(args, kwargs)
    if backend is not None:
        return _staged(sum_, backend, "sum_", args, kwargs)
    if args and _inspected(args[0]):
        args = (map(_addend, args[0]), *args[1:])
    return builtins.sum(*args, **kwargs)


def _addend(value: object) -> object:
    backend = backend_of(value)
    return value if backend is None else seen(backend.addend(value))


def sorted_(*args: Any, **kwargs: Any) -> Any:
    """`sorted(iterable)`, staged when the iterable or an element of a list, a tuple or an iterator is."""
    args = _elements_there(args)
    backend = _backend(args, kwargs)
    if backend is None and len(args) == 1 and _inspected(args[0]):
        args = ([*args[0]],)
        backend = first_backend(args[0])
    if backend is None and len(args) == 1 and compared_here(args[0], kwargs.get("key")):
        return _sorted_by(list(args[0]), **kwargs)
    return builtins.sorted(*args, **kwargs) if backend is None else _staged(sorted_, backend, "sorted_", args, kwargs)


def _sorted_by(items: list[Any], *, key: Callable[[Any], Any] | None = None, **reverse: Any) -> Any:
    """`sorted` of what is not staged itself: by keys that may be."""
    keys = items if key is None else [key(item) for item in items]
    backend = first_backend([part for found in keys for part in _parts(found)])
    following = iter(keys)
    function = builtins.sorted if backend is None else backend.sorted_
    return function(items, key=lambda _: next(following), **reverse)


OPERATORS: dict[Any, Callable[..., Any]] = {
    builtins.abs: abs_,
    builtins.all: all_,
    builtins.any: any_,
    builtins.bool: bool_,
    builtins.enumerate: enumerate_,
    builtins.filter: filter_,
    builtins.float: float_,
    builtins.int: int_,
    builtins.isinstance: isinstance_,
    builtins.iter: iter_,
    builtins.len: len_,
    builtins.map: map_,
    builtins.max: max_,
    builtins.min: min_,
    builtins.next: next_,
    builtins.print: print_,
    builtins.range: range_,
    builtins.reversed: reversed_,
    builtins.round: round_,
    builtins.sorted: sorted_,
    builtins.sum: sum_,
    builtins.zip: zip_,
}
