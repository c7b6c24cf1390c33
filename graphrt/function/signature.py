"""Binds the arguments of a call to the parameters of the user's function.

A function with the same parameters is generated, whose body collects them. So binding costs a call, and what a wrong
call is told is Python's own message about the user's own signature:

    def f(x, y=2, *args, k, **kw): ...   ->   def f(x, y=default, *args, k, **kw): return (x, y, *args), {'k': k, **kw}
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from graphrt.ir.code import identifier, quoted

_P = inspect.Parameter
_CALL = "__call__"


class Signature:
    """The parameters of a Python function.

    Attributes:
      positional: names of the parameters that can be given by position.
      is_borrowed: the parameters are those of a function that this one wraps, and hides behind `(*args, **kwargs)`.
      varargs, varkw: names of `*args` and `**kwargs`, or None.
      keyword_only: names of the keyword-only parameters.
      bind: `(*args, **kwargs) -> (positional arguments, keyword arguments)` with defaults filled in.
    """

    __slots__ = ("bind", "defaults", "is_borrowed", "keyword_only", "parameters", "positional", "varargs", "varkw")

    def __init__(self, function: Callable[..., Any], name: str, follow_wrapped: bool = True) -> None:
        self._read(*_parameters(function, follow_wrapped), name)

    @classmethod
    def of(cls, parameters: list[inspect.Parameter], name: str, is_borrowed: bool = False) -> Signature:
        """The signature with these parameters."""
        made = cls.__new__(cls)
        made._read(parameters, is_borrowed, name)
        return made

    def _read(self, parameters: list[inspect.Parameter], is_borrowed: bool, name: str) -> None:
        self.parameters, self.is_borrowed = parameters, is_borrowed
        self.positional = [p.name for p in self.parameters if p.kind in (_P.POSITIONAL_ONLY, _P.POSITIONAL_OR_KEYWORD)]
        self.keyword_only = [p.name for p in self.parameters if p.kind is _P.KEYWORD_ONLY]
        self.varargs = next((p.name for p in self.parameters if p.kind is _P.VAR_POSITIONAL), None)
        self.varkw = next((p.name for p in self.parameters if p.kind is _P.VAR_KEYWORD), None)
        self.defaults = {p.name: p.default for p in self.parameters if p.default is not _P.empty}
        self.bind = _binder(self.parameters, name)

    def name_of(self, position: int) -> str:
        """The name of the argument at `position`: that of its parameter, or `args_0` among `*args`."""
        if position < len(self.positional):
            return self.positional[position]
        return f"{self.varargs or 'args'}_{position - len(self.positional)}"

    def as_declared(self, keywords: dict[str, Any]) -> dict[str, Any]:
        """What belongs to keyword arguments, which are bound by name, in the order of their parameters."""
        declared = [name for name in self.keyword_only if name in keywords]
        return {name: keywords[name] for name in (*declared, *(k for k in keywords if k not in declared))}

    def text(self, without_first: bool = False) -> str:
        """The parameters as they stand in the source: `(x, y=2)`."""
        parameters = [p.replace(annotation=_P.empty) for p in self.parameters]
        return str(inspect.Signature(parameters[1:] if without_first else parameters))

    def refusal(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """What `inspect` says about arguments that do not fit; empty when they do."""
        try:
            inspect.Signature(self.parameters).bind(*args, **kwargs)
        except TypeError as error:
            return str(error)
        return ""


_GENERIC = (_P("args", _P.VAR_POSITIONAL), _P("kwargs", _P.VAR_KEYWORD))


def _parameters(function: Callable[..., Any], follow_wrapped: bool) -> tuple[list[inspect.Parameter], bool]:
    if not _is_python(function):  # built-ins and ufuncs may tell given from missing arguments: defaults are theirs
        return list(_GENERIC), False
    try:
        found = _inspect(function, False)
        hidden = [p.kind for p in found][-2:] == [_P.VAR_POSITIONAL, _P.VAR_KEYWORD]
        if hidden and follow_wrapped and hasattr(function, "__wrapped__"):
            return _inspect(function, True), True
    except (TypeError, ValueError):
        return list(_GENERIC), False
    return found, False


def _inspect(function: Callable[..., Any], follow_wrapped: bool) -> list[inspect.Parameter]:
    options: dict[str, Any] = {"follow_wrapped": follow_wrapped}
    if sys.version_info >= (3, 14):  # annotations are evaluated when asked for, and may name what does not exist yet
        import annotationlib  # lazy: Python 3.14 has it

        options["annotation_format"] = annotationlib.Format.FORWARDREF
    return list(inspect.signature(function, **options).parameters.values())


def _is_python(function: Any) -> bool:
    while isinstance(function, (functools.partial, MethodType)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    return isinstance(function, FunctionType) or isinstance(getattr(type(function), _CALL, None), FunctionType)


@functools.lru_cache(maxsize=256)
def _compiled(text: str) -> CodeType:
    return compile(text, "<graphrt signature>", "exec", dont_inherit=True)


def _binder(parameters: list[inspect.Parameter], name: str) -> Callable[..., tuple[tuple[Any, ...], dict[str, Any]]]:
    namespace: dict[str, Any] = {}
    head: list[str] = []
    positional: list[str] = []
    keywords: list[str] = []
    varkw = None
    kinds = [p.kind for p in parameters]
    for i, p in enumerate(parameters):
        text = p.name
        if p.default is not _P.empty:
            namespace[f"default_{i}"] = p.default
            text += f"=default_{i}"
        if p.kind is _P.VAR_POSITIONAL:
            text = f"*{p.name}"
            positional.append(text)
        elif p.kind is _P.VAR_KEYWORD:
            text = f"**{p.name}"
            varkw = p.name
        elif p.kind is _P.KEYWORD_ONLY:
            if _P.VAR_POSITIONAL not in kinds and "*" not in head:
                head.append("*")
            key = quoted(p.name)
            if key is None:  # a long one
                key = identifier(f"__name_{i}")
                namespace[key] = p.name
            keywords.append(f"{key}: {p.name}")
        else:
            positional.append(p.name)
        head.append(text)
        if p.kind is _P.POSITIONAL_ONLY and kinds[i + 1 : i + 2] != [_P.POSITIONAL_ONLY]:
            head.append("/")
    # sorted by name, as files have them: neither the order of the call nor that of the parameters matters
    keywords = [text for _, text in sorted(zip((p.name for p in parameters if p.kind is _P.KEYWORD_ONLY), keywords))]
    collected = "{" + ", ".join(keywords) + "}"
    if varkw is not None:
        pairs = "".join(f"{k}, " for k in keywords)
        collected = f"{{__k: __v for __k, __v in __sorted({{{pairs}**{varkw}}}.items())}}"
        namespace["__sorted"] = sorted
    body = "(" + "".join(f"{p}, " for p in positional) + ")"
    exec(_compiled(f"def bind({', '.join(head)}):\n    return {body}, {collected}"), namespace)
    bind = namespace["bind"]
    bind.__name__ = name.rpartition(".")[2]
    bind.__qualname__ = name
    return bind
