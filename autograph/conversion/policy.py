"""Which callables are converted, and why.

    decide(f)                            because
    converted                            it is the user's Python code
    as it is                             marked `do_not_convert`; C code; generated already; of a backend's or an array
                                         library's module; of a test runner or debugger
    as it is, unless an argument is      it is of the standard library: only with staged arguments does it need
    staged                               conversion, and most of it then works

Before the lists in this file come the rules of the user's: `autograph.policy.include` and `exclude`, see `rules.py`
and docs/policy.md. Decisions are kept per code object by `operators/decisions.py`, weakly; this module answers the first
question only.
"""

# long: the lists of what is not converted stand beside the rules that ask them

from __future__ import annotations

import functools
import sys
import weakref
from dataclasses import dataclass, replace
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType

from autograph.backends.registry import registered_backends
from autograph.conversion.rules import Rule, exclude, include, judge, reset, rules
from autograph.errors import ConversionError, shown_file
from autograph.operators import frames
from autograph.operators.decisions import AS_IS, BACKEND, CONVERT, LIBRARY, MACHINERY, forget_decisions
from autograph.options import STANDARD_OPTIONS, ConversionOptions


@dataclass(frozen=True)
class Decision:
    """How a callable is called from converted code (`action`), the reason in words, and how to have it otherwise."""

    action: str
    reason: str
    advice: str = ""
    name: str = ""
    place: str = ""

    def __str__(self) -> str:
        return f"{self.action}: {self.reason}"

    def describe(self) -> str:
        """All of it, for people to read.

        >>> import math
        >>> print(explain(math.sqrt).describe())
        sqrt
          action: as it is
          reason: it is not Python code
        """
        head = f"{self.name} ({self.place})" if self.place else self.name
        lines = [head, f"  action: {self.action}", f"  reason: {self.reason}"]
        if self.advice:
            lines.append(f"  advice: {self.advice}")
        return "\n".join(lines)


__all__ = [
    "Decision",
    "Rule",
    "decide",
    "exclude",
    "explain",
    "include",
    "is_converted",
    "is_marked",
    "mark_class_unconverted",
    "mark_unconverted",
    "original_of",
    "reset",
    "rules",
]

_ACTIONS = {
    CONVERT: "converted",
    AS_IS: "as it is",
    LIBRARY: "as it is unless an argument is staged",
    MACHINERY: "as it is",
    BACKEND: "as it is",
}

# Array libraries run their own kernels, and bring their own staging: nothing in them depends on staged Python control.
ARRAY_LIBRARIES = frozenset((
    "array_api_compat", "autograd", "bottleneck", "chex", "cupy", "cvxpy", "dask", "diastatic-malt", "einops",
    "equinox", "flax", "jax", "jaxlib", "keras", "malt", "matplotlib", "ml_dtypes", "mlx", "mxnet", "networkx",
    "numba", "numexpr", "numpy", "onnx", "opt_einsum", "optax", "paddle", "pandas", "polars", "pyarrow", "pyparsing",
    "pytensor", "scipy", "seaborn", "shapely", "sklearn", "sparse", "statsmodels", "sympy", "tensorflow", "theano",
    "tinygrad", "torch", "xarray",
))  # fmt: skip
# Runners and debuggers look at frames and at identities of functions.
TOOLS = frozenset((
    "IPython", "_pytest", "bdb", "coverage", "debugpy", "doctest", "hypothesis", "ipdb", "ipykernel", "line_profiler",
    "memory_profiler", "mypy", "nose", "pdb", "pdbpp", "pluggy", "pudb", "pydevd", "pytest", "pytest_mock", "ruff",
    "setuptools", "pip", "typing_extensions", "unittest", "xdist", "execnet",
))  # fmt: skip
# What the compiler itself stands on; converted in the middle of a conversion, these would call themselves.
COMPILER = frozenset({"autograph", "gast", "astunparse", "beniget", "google.protobuf"})
# Parts of the standard library that only manage other things: nothing is gained by converting them.
MANAGING = frozenset((
    "abc", "_abc", "ast", "asyncio", "atexit", "builtins", "codecs", "codeop", "collections", "concurrent", "copy",
    "copyreg", "ctypes", "dataclasses", "dis", "email", "encodings", "enum", "faulthandler", "gc", "getpass",
    "gettext", "http", "importlib", "inspect", "io", "linecache", "locale", "logging", "marshal", "multiprocessing",
    "opcode", "os", "pathlib", "pickle", "pkgutil", "platform", "queue", "re", "runpy", "sched", "select",
    "selectors", "shelve", "shutil", "signal", "site", "socket", "socketserver", "ssl", "subprocess", "symtable",
    "sys", "sysconfig", "tarfile", "tempfile", "threading", "timeit", "token", "tokenize", "trace", "traceback",
    "tracemalloc", "types", "typing", "urllib", "uuid", "warnings", "weakref", "xml", "xmlrpc", "zipfile",
    "zipimport", "zoneinfo",
))  # fmt: skip

# Marked by the user: codes of functions by identity, and classes.
_unconverted_codes: weakref.WeakValueDictionary[int, CodeType] = weakref.WeakValueDictionary()
_unconverted_classes: weakref.WeakSet[type] = weakref.WeakSet()


def mark_unconverted(code: CodeType) -> None:
    """Has functions with this very code object called as they are."""
    _unconverted_codes[id(code)] = code
    forget_decisions()


def mark_class_unconverted(cls: type) -> None:
    """Has the functions in the body of this class called as they are."""
    _unconverted_classes.add(cls)
    for value in vars(cls).values():
        function = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
        if type(function) is FunctionType:
            mark_unconverted(function.__code__)


def is_marked(f: FunctionType) -> bool:
    """Whether a function carries the mark of `do_not_convert`."""
    return id(f.__code__) in _unconverted_codes


def is_converted(f: FunctionType) -> bool:
    """Whether a function is the result of a conversion."""
    return frames.is_generated(f.__code__)


def original_of(f: FunctionType) -> FunctionType:
    """The user's function behind a converted one; any other function is its own original."""
    if not is_converted(f):
        return f
    original = getattr(f, "ag_original", None)
    return original if isinstance(original, FunctionType) else f


def _within(module: str, names: frozenset[str]) -> bool:
    return module in names or any(module.startswith(name + ".") for name in names)


def _decide(f: FunctionType, options: ConversionOptions) -> tuple[int, str]:
    code = f.__code__
    if id(code) in _unconverted_codes:
        return AS_IS, "it is marked with do_not_convert"
    if frames.is_generated(code):
        return AS_IS, "it is converted already"
    if not options.internal_convert_user_code or not (options.recursive or options.user_requested):
        return AS_IS, "its caller was converted with recursive=False"
    module = f.__globals__.get("__name__") or ""
    if not isinstance(module, str):
        module = ""
    for backend in registered_backends():
        if _within(module, frozenset(backend.unconverted_modules)):
            return BACKEND, f"module {module!r} belongs to backend {backend.name!r}"
    if options.user_requested:
        return CONVERT, "conversion was asked for by name"
    if code.co_filename.startswith(frames.ROOMS) or _within(module, COMPILER):
        return AS_IS, f"module {module!r} is part of the compiler"
    judged = judge(f, module)
    if judged is not None:
        return CONVERT if judged[0] else AS_IS, judged[1]
    top = module.partition(".")[0]
    if top in ARRAY_LIBRARIES:
        return AS_IS, f"module {module!r} belongs to an array library"
    if top in TOOLS:
        return AS_IS, f"module {module!r} belongs to a test runner or debugger"
    if top in sys.stdlib_module_names:
        name = code.co_qualname
        # A method that is there for classes of the user's to have, such as `Mapping.get`, or of a container that is
        # itself Python code, such as `ChainMap`: what it reads and writes is the user's.
        if module in ("collections", "collections.abc") and "." in name and "<locals>" not in name:
            return CONVERT, "it calls methods of the user's classes"
        if top in MANAGING:
            return MACHINERY, f"module {module!r} is machinery of the standard library"
        return LIBRARY, f"module {module!r} is of the standard library"
    return CONVERT, "it is Python code of the user's"


def decide(f: FunctionType, options: ConversionOptions) -> int:
    """How a function is called from code converted with `options`: CONVERT, AS_IS, LIBRARY, MACHINERY or BACKEND."""
    return _decide(f, options)[0]


def decision_for(f: FunctionType, options: ConversionOptions) -> Decision:
    """What `decide` says, in words; whether `f` has source is not looked at."""
    action, reason = _decide(f, options)
    return Decision(_ACTIONS[action], reason)


def explain(f: object, options: ConversionOptions = STANDARD_OPTIONS) -> Decision:
    """How converted code calls `f`, why, and how to have it otherwise; `describe()` tells it all.

    >>> print(explain(len))
    as it is: it is not Python code
    >>> import statistics
    >>> print(explain(statistics.mean))
    as it is unless an argument is staged: module 'statistics' is of the standard library
    """
    while isinstance(f, (MethodType, staticmethod, classmethod, functools.partial)):
        f = f.func if isinstance(f, functools.partial) else f.__func__
    if isinstance(f, FunctionType):
        return _explain_function(f, options)
    name = str(getattr(f, "__qualname__", None) or type(f).__qualname__)
    call = getattr(type(f), frames.CALL, None)
    if isinstance(f, type):
        decision = _explain_class(f, options)
    elif isinstance(f, BuiltinFunctionType):
        decision = Decision(_ACTIONS[AS_IS], "it is not Python code")
    elif type(call) is FunctionType:
        return _explain_function(call, options)
    elif not callable(f):
        decision = Decision(_ACTIONS[AS_IS], "it cannot be called")
    else:
        wrapped = getattr(f, "__wrapped__", None)
        advice = f"what it wraps: {explain(wrapped, options)}" if callable(wrapped) else ""
        decision = Decision(_ACTIONS[AS_IS], "it is not Python code", advice)
    return replace(decision, name=name)


def _explain_function(f: FunctionType, options: ConversionOptions) -> Decision:
    action, reason = _decide(f, options)
    code = f.__code__
    advice = ""
    module = f.__globals__.get("__name__")
    if action == CONVERT and judge(f, str(module)) is None:
        advice = "autograph.do_not_convert, or autograph.policy.exclude, has it called as it is"
    elif action in (LIBRARY, MACHINERY) or "array library" in reason or "debugger" in reason:
        advice = f"autograph.policy.include({module!r}) has it converted"
    if action == CONVERT:
        from autograph.pyct.parse import find_source  # not at the top: saves the parser's start-up time

        try:
            find_source(f)
        except ConversionError as error:
            action = AS_IS
            reason, _, advice = error.message.partition("; ")
    place = f"{shown_file(code.co_filename)}:{code.co_firstlineno}"
    return Decision(_ACTIONS[action], reason, advice, f.__qualname__, place)


def _explain_class(cls: type, options: ConversionOptions) -> Decision:
    if cls in _unconverted_classes:
        return Decision(_ACTIONS[AS_IS], "the class is marked with do_not_convert")
    if type(cls).__call__ is not type.__call__:
        return Decision(_ACTIONS[AS_IS], f"its metaclass {type(cls).__qualname__!r} makes the instances")
    for part in (cls.__init__, cls.__new__):  # type: ignore[misc]
        if type(part) is FunctionType and _decide(part, options)[0] == CONVERT:
            return Decision(_ACTIONS[CONVERT], f"its {part.__name__} is Python code of the user's")
    return Decision(_ACTIONS[AS_IS], "it has no constructor in Python code of the user's")
