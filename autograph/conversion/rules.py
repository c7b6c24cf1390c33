"""Rules of the user's about what is converted: they come before the lists of `policy.py`, the latest first.

autograph.policy.exclude("slow_library")               a module and its submodules
autograph.policy.include("pkg.model:Net")              what is named `Net` or `Net.<...>` in a module
autograph.policy.include(lambda f: "kernel" in f.__name__)
with autograph.policy.exclude("pkg"): ...              while the block runs
"""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Callable
from types import FunctionType, ModuleType, TracebackType

from autograph.errors import UsageError
from autograph.operators.decisions import forget_decisions

Target = str | ModuleType | Callable[[FunctionType], bool]

_rules: tuple[Rule, ...] = ()
_lock = threading.Lock()


class Rule:
    """One call of `include` or `exclude`: `remove()`, or the end of a `with` block, takes it back."""

    def __init__(self, converts: bool, targets: tuple[Target, ...]) -> None:
        self.converts = converts
        self.targets = targets

    def match(self, f: FunctionType, module: str) -> Target | None:
        """The first of the targets that `f` belongs to."""
        return next((target for target in self.targets if _matches(target, f, module)), None)

    def remove(self) -> None:
        """Takes the rule back; doing so twice changes nothing."""
        global _rules
        with _lock:
            _rules = tuple(rule for rule in _rules if rule is not self)
        forget_decisions()

    def __enter__(self) -> Rule:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.remove()

    def __repr__(self) -> str:
        word = "include" if self.converts else "exclude"
        return f"{word}({', '.join(map(_shown, self.targets))})"


def _shown(target: Target) -> str:
    if isinstance(target, str):
        return repr(target)
    return target.__name__ if isinstance(target, ModuleType) else getattr(target, "__qualname__", "a predicate")


def _matches(target: Target, f: FunctionType, module: str) -> bool:
    if isinstance(target, ModuleType):
        target = target.__name__
    if not isinstance(target, str):
        return bool(target(f))
    place, _, name = target.partition(":")
    if name:
        return module == place and _lies_in(f.__code__.co_qualname, name)
    return _lies_in(module, place)


def _lies_in(name: str, pattern: str) -> bool:
    if any(sign in pattern for sign in "*?["):
        return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name, pattern + ".*")
    return name == pattern or name.startswith(pattern + ".")


def _add(converts: bool, targets: tuple[Target, ...]) -> Rule:
    global _rules
    if not targets:
        raise UsageError("expected the name of a module, a module or a predicate")
    for target in targets:
        if not isinstance(target, (str, ModuleType)) and not callable(target):
            raise UsageError(f"expected the name of a module, a module or a predicate, got {target!r}")
    rule = Rule(converts, targets)
    with _lock:
        _rules = (rule, *_rules)
    forget_decisions()
    return rule


def include(*targets: Target) -> Rule:
    """Has functions converted where the lists of the policy say otherwise; returns the rule, which can be taken back.

    A target is a module or its name (with all its submodules; `*`, `?` and `[...]` match), `module:qualified.name`, or
    a predicate of functions. The compiler itself, functions marked with `do_not_convert`, and modules of backends are
    never converted. Raises `UsageError` for anything else.

    >>> from autograph.conversion.policy import explain
    >>> import statistics
    >>> with include("statistics"):
    ...     print(explain(statistics.mean))
    converted: autograph.policy.include('statistics') says so
    """
    return _add(True, targets)


def exclude(*targets: Target) -> Rule:
    """Has functions called as they are, unless their conversion is asked for by name; see `include`.

    >>> rule = exclude("slow_library")
    >>> rule, rules() == (rule,)
    (exclude('slow_library'), True)
    >>> rule.remove()
    """
    return _add(False, targets)


def rules() -> tuple[Rule, ...]:
    """The rules that hold, the latest first.

    >>> with exclude("a"), include("a.b"):
    ...     rules()
    (include('a.b'), exclude('a'))
    """
    return _rules


def reset() -> None:
    """Takes all rules back.

    >>> rule = exclude("slow_library")
    >>> reset()
    >>> rules()
    ()
    """
    global _rules
    with _lock:
        _rules = ()
    forget_decisions()


def judge(f: FunctionType, module: str) -> tuple[bool, str] | None:
    """Whether a rule has `f` converted, and the reason; None if no rule says anything."""
    for rule in _rules:
        target = rule.match(f, module)
        if target is not None:
            word = "include" if rule.converts else "exclude"
            return rule.converts, f"autograph.policy.{word}({_shown(target)}) says so"
    return None
