"""Tells which arguments that tests pass to public functions are not of the types that the functions declare.

    python -m pytest -p tests.argument_types tests/graphrt/keras

A plugin of pytest, for an environment with typeguard: annotations that are narrower than what a function takes mislead
type checkers of users and editors. The rows are written when the run ends; a test that passes what a function refuses has rows, too.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import typeguard

from tests import ROOT, called_names, public_names

typeguard.config.forward_ref_policy = typeguard.ForwardRefPolicy.IGNORE
_MADE_FOR_CHECKERS = "TYPE_CHECKING"


def functions() -> dict[types.CodeType, tuple[str, types.FunctionType]]:
    """By its code, each public function or method: its path, and itself."""
    found: dict[types.CodeType, tuple[str, types.FunctionType]] = {}
    for path, value in public_names.callables().items():
        for name, member in [(path, value)] if not isinstance(value, type) else called_names.members(path, value):
            inner = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
            inner = inspect.unwrap(inner) if callable(inner) else inner
            if isinstance(inner, types.FunctionType) and inner.__module__.partition(".")[0] in called_names.PACKAGES:
                found.setdefault(inner.__code__, (name, inner))
    return found


class Recorder:
    """Compares arguments with annotations, once for each parameter and type of argument."""

    def __init__(self) -> None:
        self.functions = functions()
        self.wrong: Counter[tuple[str, str, str, str]] = Counter()
        self.spaces: dict[str, dict[str, Any]] = {}
        self.declared: dict[types.CodeType, dict[str, Any]] = {}
        self.seen: set[tuple[types.CodeType, str, type, object]] = set()

    def names_of(self, module: str) -> dict[str, Any]:
        """The names of a module, those that only type checkers import among them."""
        if module not in self.spaces:
            names = self.spaces[module] = dict(vars(sys.modules[module]))
            for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
                if isinstance(node, ast.If) and _MADE_FOR_CHECKERS in ast.unparse(node.test):
                    exec(compile(ast.Module(node.body, []), module, "exec"), names)
        return self.spaces[module]

    def types_of(self, code: types.CodeType) -> dict[str, Any]:
        """The declared types of the parameters of a function."""
        if code not in self.declared:
            function = self.functions[code][1]
            count = code.co_argcount + code.co_kwonlyargcount
            names = self.names_of(function.__module__)
            texts = {k: v for k, v in function.__annotations__.items() if k in code.co_varnames[:count]}
            self.declared[code] = {k: eval(v, names) if isinstance(v, str) else v for k, v in texts.items()}
        return self.declared[code]

    def called(self, frame: types.FrameType, event: str, _: object) -> None:
        """What `sys.setprofile` calls."""
        code, caller = frame.f_code, frame.f_back
        if event != "call" or code not in self.functions or caller is None:
            return
        place = caller.f_code.co_filename
        if place.startswith(tuple(f"{ROOT / package}/" for package in called_names.PACKAGES)):
            return  # what the packages pass to each other is mypy's to check
        sys.setprofile(None)
        try:
            for name, declared in self.types_of(code).items():
                self.compare(code, name, declared, frame.f_locals.get(name))
        finally:
            sys.setprofile(self.called)

    def compare(self, code: types.CodeType, name: str, declared: Any, value: Any) -> None:
        known = value if isinstance(value, (str, bool, type(None))) else None
        key = (code, name, type(value), known)
        if key in self.seen:
            return
        self.seen.add(key)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                typeguard.check_type(value, declared)
        except typeguard.TypeCheckError:
            path, function = self.functions[code]
            self.wrong[path, name, str(function.__annotations__[name]), type(value).__qualname__] += 1


_recorders: list[Recorder] = []


def pytest_sessionstart() -> None:
    _recorders.append(Recorder())


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    sys.setprofile(_recorders[-1].called)
    yield
    sys.setprofile(None)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for path, name, declared, given in sorted(_recorders[-1].wrong):
        terminalreporter.write_line(f"{path}: {name} is declared {declared}, and a test passes {given}")
