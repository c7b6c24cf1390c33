"""Calls of printed code that need no decision: of built-in functions with plain arguments, and of what runs as it is.

len(xs)    ->   ag__.converted_call(ag__.ld(len), (ag__.ld(xs),), None, fscope)    which is `len(xs)` for a list
"""

from __future__ import annotations

import builtins
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.backends.journal import open_journals
from autograph.backends.own_builtins import OWN
from autograph.backends.trace import open_traces
from autograph.operators import calls
from autograph.operators.decisions import AS_IS, Scope
from autograph.options import ConversionOptions

globals()["__builtins__"] = OWN

_PLAIN = (int, float, bool, complex, str, bytes, type(None))
_ARE_PLAIN: frozenset[type] = frozenset(_PLAIN)
_ANY: frozenset[type] = frozenset((*_PLAIN, list, tuple, dict, set, frozenset, range))
# Of which arguments a function written in C calls nothing of the user's; for methods by the types that have them.
_ARGUMENTS: dict[Any, frozenset[type]] = {
    **dict.fromkeys(
        (abs, bool, chr, complex, divmod, float, int, max, min, ord, pow, print, range, repr, round, str), _ARE_PLAIN
    ),
    **dict.fromkeys((e for e in vars(builtins).values() if isinstance(e, type) and issubclass(e, BaseException)), _ANY),
    **dict.fromkeys((dict, enumerate, iter, len, list, reversed, set, tuple, zip), _ANY),
}
_OF_METHODS: dict[type, frozenset[type]] = dict.fromkeys((str, bytes, int, float, dict), _ARE_PLAIN)


def converted_call(
    f: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    caller_fn_scope: Scope | None = None,
    options: ConversionOptions | None = None,
) -> Any:
    """`f(*args, **kwargs)`, as `calls.converted_call` makes it.

    >>> converted_call(divmod, (7, 2), None)
    (3, 1)
    """
    if kwargs or open_journals or open_traces or caller_fn_scope is None:
        return calls.converted_call(f, args, kwargs, caller_fn_scope, options)
    kind = type(f)
    if kind is FunctionType or (kind is MethodType and type(f.__func__) is FunctionType):
        function = f if kind is FunctionType else f.__func__
        if caller_fn_scope.direct.get(function) is function.__code__:
            return f(*args)
        entry = caller_fn_scope.entries.get(id(function.__code__))
        if entry is not None and entry.kind == AS_IS:
            return f(*args)
    elif kind is BuiltinFunctionType or kind is type:
        try:
            owner = ModuleType if kind is type else type(f.__self__)
            known = _ARGUMENTS.get(f) if owner is ModuleType else _OF_METHODS.get(owner)
            calls_none = known is not None and (
                not args or (type(args[0]) in known and (len(args) == 1 or known.issuperset(map(type, args))))
            )
        except Exception:  # of a metaclass whose classes cannot be hashed
            calls_none = False
        if calls_none:
            return f(*args)
    return calls.converted_call(f, args, kwargs, caller_fn_scope, options)
