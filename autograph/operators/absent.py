"""Arguments that a backend has made None in some runs, for code that is not converted: it cannot ask for that."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import settled, there
from autograph.backends.trace import current_trace
from autograph.operators.decisions import Args, Kwargs

globals()["__builtins__"] = OWN


def settled_in(args: Args, kwargs: Kwargs, within: bool = False) -> tuple[Args, Kwargs]:
    """The same arguments; those of which it is known here whether they are None, as what they are.

    `within`: those in lists and tuples, too.
    """
    return _each(_settled_within if within else settled, args, kwargs)


def there_in(f: FunctionType, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    """The arguments of `f` with what each is in the runs in which it is not None; the others fail."""
    return _each(settled if _only_keeps(f) else there, args, kwargs)


def _each(function: Callable[[Any], Any], args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    trace = current_trace()
    if trace is None or not trace.may_be_none:
        return args, kwargs
    return tuple(map(function, args)), kwargs and {name: function(v) for name, v in kwargs.items()}


def _settled_within(value: Any) -> Any:
    if type(value) is not list and type(value) is not tuple:
        return settled(value)
    found = [settled(part) for part in value]
    return value if all(a is b for a, b in zip(value, found)) else type(value)(found)


def _only_keeps(f: FunctionType) -> bool:
    """Whether a function is Python's own, or written by it (of a dataclass, say), which puts arguments into objects."""
    module = str(f.__globals__.get("__name__")).partition(".")[0]
    return module in sys.stdlib_module_names or (f.__name__ == "__init__" and f.__code__.co_filename.startswith("<"))
