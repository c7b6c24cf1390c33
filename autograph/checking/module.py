"""Checks a whole text, function by function."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType
from typing import Any

import gast

from autograph import errors
from autograph.backends.protocol import StagingBackend
from autograph.checking.agreement import check_agreement
from autograph.checking.findings import Finding, FunctionReport, Report
from autograph.checking.function import FunctionCheck
from autograph.checking.plainness import Plainness, plain_globals
from autograph.conversion import policy
from autograph.conversion.convert import convert_source, convert_source_function
from autograph.converters.converter import Context
from autograph.converters.stays import Native
from autograph.operators import frames
from autograph.options import STANDARD_OPTIONS, ConversionOptions, ordered_features
from autograph.pyct.deep import with_deep_stack
from autograph.pyct.namer import Namer
from autograph.pyct.names import qualified_name
from autograph.pyct.nodes import DEF_NODES, Node, children
from autograph.pyct.parse import parse_module

_IGNORE = re.compile(r"#\s*autograph:\s*ignore(?:\[([\w\s,]*)\])?")

_OPERATOR = re.compile(r"(if|while|for)_stmt|list_comp|gen_exp")


ANY = StagingBackend()  # what any backend may be taken to do


def check_text(
    text: str,
    filename: str,
    name: str | None = None,
    options: ConversionOptions = STANDARD_OPTIONS,
    backend: StagingBackend = ANY,
) -> Report:
    """Checks the functions of a module's text; with `name`, only the function or class of that qualified name.

    What `backend` says that it handles is not told; its features are taken as turned on.

    A line with the comment `# autograph: ignore` or `# autograph: ignore[AG414]` has no findings. Raises `UsageError`
    if there is no such name.

    >>> report = check_text("def f(x):\\n  if x > 0:\\n    y = 1\\n  return y\\n", "demo.py")
    >>> print(report.findings[0].code, [c.what for c in report.functions[0].staged])
    AG421 ['if']
    """
    report = Report(filename)
    options = replace(options, optional_features=ordered_features((*options.optional_features, *backend.features)))
    try:
        with_deep_stack(lambda: _check(text, filename, name, options, report, backend))
    except (SyntaxError, ValueError) as error:
        if isinstance(error, errors.UsageError):
            raise
        line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
        reason = f"Python cannot parse this: {getattr(error, 'msg', None) or error}"
        report.findings.append(
            Finding(errors.UnparsableFileFinding, filename, line, max(column, 1), line, max(column, 1), "", reason)
        )
    except RecursionError:
        report.findings.append(
            Finding(errors.UnconvertibleFinding, filename, 1, 1, 1, 1, "", "the code is nested too deeply", "split it")
        )
    _in_characters(report, text)
    _without_ignored(report, text)
    report.findings.sort(key=lambda f: (f.line, f.column, f.code, f.reason))
    return report


def unreadable(filename: str, reason: str) -> Report:
    """The report on a file that Python cannot read."""
    found = Finding(errors.UnparsableFileFinding, filename, 1, 1, 1, 1, "", f"Python cannot read this: {reason}")
    return Report(filename, [], [found])


def check(
    target: Callable[..., Any] | type | ModuleType,
    options: ConversionOptions = STANDARD_OPTIONS,
    backend: StagingBackend = ANY,
) -> Report:
    """Checks a function, class or module that is at hand, by its source; raises `SourceNotFoundError` if it has none.

    What `backend` says that it handles is not told; without one, all is told that some backend may not handle.

    >>> import textwrap
    >>> [f.name for f in check(textwrap.dedent).functions]
    ['dedent']
    """
    if isinstance(target, ModuleType):
        return check_text(*_source_of(target), None, options, backend)
    found: Any = inspect.unwrap(target) if callable(target) else target
    found = getattr(found, "__func__", found)
    if isinstance(found, FunctionType):
        found = policy.original_of(found)
    elif not isinstance(found, type):
        found = getattr(type(found), frames.CALL, found)
    report = check_text(*_source_of(found), None, options, backend)
    name = found.__qualname__.replace(".<locals>", "")
    if isinstance(found, FunctionType) and found.__code__.co_name != "<lambda>":
        line = found.__code__.co_firstlineno
        names = {f.name for f in report.functions if f.name.replace(".<locals>", "") == name or line == f.line}
    else:
        names = {name}
    return _only(report, names)


def _source_of(target: Any) -> tuple[str, str]:
    try:
        filename = inspect.getsourcefile(target) or inspect.getfile(target)
        lines, _ = inspect.findsource(target)
    except (OSError, TypeError) as error:
        name = getattr(target, "__qualname__", getattr(target, "__name__", repr(target)))
        raise errors.SourceNotFoundError(f"no source text can be found for {name!r}: {error}") from None
    return "".join(lines), filename


def _only(report: Report, names: set[str]) -> Report:
    """The part of a report that is about some functions or classes, with what is defined in them."""

    def wanted(name: str) -> bool:
        plain = name.replace(".<locals>", "")
        return any(plain == n or plain.startswith(n + ".") for n in (m.replace(".<locals>", "") for m in names))

    return Report(
        report.filename,
        [f for f in report.functions if wanted(f.name)],
        [f for f in report.findings if not f.function or wanted(f.function)],
    )


def _check(
    text: str, filename: str, name: str | None, options: ConversionOptions, report: Report, backend: StagingBackend
) -> None:
    tree = parse_module(text, filename)
    try:
        converted = _operators(convert_source(text, filename, options))
    except (errors.ConversionError, RecursionError, SyntaxError):
        converted = None
    _Survey(tree, report, options, converted, backend).run()
    if name is not None:
        known = {f.name.replace(".<locals>", "") for f in report.functions}
        plain = name.replace(".<locals>", "")
        if not any(k == plain or k.startswith(plain + ".") for k in known) and not _defines_class(tree, plain):
            raise errors.UsageError(f"no function or class {name!r} in {filename}")
        part = _only(report, {plain})
        report.functions, report.findings = part.functions, part.findings
    if converted is None:
        for function in report.functions:
            _try_alone(text, function, options, report)


def _operators(tree: ast.Module) -> frozenset[tuple[str, int, int]]:
    """What stands for branches, loops and comprehensions in a converted module, with its place in the text."""
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    found = ((call.func.attr, call.lineno, call.col_offset) for call in calls)  # type: ignore[attr-defined]
    return frozenset(item for item in found if _OPERATOR.fullmatch(item[0]))


def _defines_class(tree: Node, name: str) -> bool:
    body = [tree]
    for part in name.split("."):
        stack, found = [c for b in body for c in children(b)], []
        while stack:
            node = stack.pop()
            if isinstance(node, (*DEF_NODES, gast.ClassDef)):
                if node.name == part:
                    found.append(node)
            elif isinstance(node, (gast.stmt, gast.ExceptHandler)):
                stack.extend(children(node))
        body = found
    return bool(body)


def _try_alone(text: str, function: FunctionReport, options: ConversionOptions, report: Report) -> None:
    """Notes that the converter refuses a function, if it is this one that it refuses."""
    if ".<locals>." in function.name or function.name.endswith("<lambda>"):
        return
    try:
        convert_source_function(text, report.filename, function.name, options)
    except (errors.ConversionError, RecursionError, SyntaxError) as error:
        line = getattr(error, "lineno", None) or function.line
        known = isinstance(error, errors.AutoGraphError)
        reason = error.message if known else "the code is nested too deeply; split it"  # type: ignore[union-attr]
        reason, _, suggestion = reason.partition("; ")
        report.findings.append(
            Finding(errors.UnconvertibleFinding, report.filename, line, 1, line, 1, function.name, reason, suggestion)
        )
        function.decision = f"as it is: {reason}"


@dataclass
class _Survey:
    """Finds the functions of a module, and has each walked."""

    tree: Node
    report: Report
    options: ConversionOptions
    known: frozenset[tuple[str, int, int]] | None
    backend: StagingBackend

    def run(self) -> None:
        """Walks all functions, in the order of the source."""
        self.module_names = plain_globals(self.tree)
        for node, prefix, owner in _outermost(self.tree):
            # What a lambda outside of functions is made of is not seen in the text of the converted module.
            self.converted = None if isinstance(node, gast.Lambda) else self.known
            context = Context(self.options, Namer(set()), self.report.filename)
            Native(context).convert(node)
            self._function(node, prefix, owner, context, None)
        self.report.functions.sort(key=lambda f: f.line)

    def _function(self, node: Node, prefix: str, owner: str | None, context: Context, outer: Plainness | None) -> None:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)])
        function = FunctionReport(prefix + getattr(node, "name", "<lambda>"), first)
        self.report.functions.append(function)
        plain = Plainness(node, self.module_names, outer)
        if any(_is_mark(d) for d in decorators):
            function.decision = "as it is: it is marked with do_not_convert"
            return
        of_function = (node, function, self.report.filename, context.facts, plain, self.options, owner)
        walk = FunctionCheck(*of_function, self.converted, self.backend)
        walk.is_recursive = any(_full_name(d, self.tree) in self.backend.recursive for d in decorators)
        walk.walk()
        check_agreement(walk)
        self.report.findings.extend(walk.findings)
        for inner, inner_owner in walk.nested:
            inside = f"{function.name}.<locals>." + (f"{inner_owner}." if inner_owner else "")
            self._function(inner, inside, inner_owner, context, plain)


def _outermost(tree: Node) -> list[tuple[Any, str, str | None]]:
    """The functions and lambdas of a module that are in no other function: node, prefix of the qualified name, class."""
    found: list[tuple[Any, str, str | None]] = []
    stack: list[tuple[Any, str, str | None]] = [(tree, "", None)]
    while stack:
        node, prefix, owner = stack.pop()
        for child in children(node):
            if isinstance(child, DEF_NODES):
                found.append((child, prefix, owner))
            elif isinstance(child, gast.ClassDef):
                stack.append((child, f"{prefix}{child.name}.", child.name))
            elif isinstance(child, gast.Lambda):
                found.append((child, prefix, None))
            else:
                stack.append((child, prefix, owner))
    return sorted(found, key=lambda item: (item[0].lineno, item[0].col_offset))


def _is_mark(decorator: Node) -> bool:
    function = decorator.func if isinstance(decorator, gast.Call) else decorator
    symbol = qualified_name(function)
    return symbol is not None and symbol.text.rpartition(".")[2] == "do_not_convert"


def _full_name(decorator: Node, tree: Node) -> str:
    """The name of a decorator as it is imported: `graphrt.function` for `@tf.function(...)`."""
    symbol = qualified_name(decorator.func if isinstance(decorator, gast.Call) else decorator)
    first, _, rest = ("" if symbol is None else symbol.text).partition(".")
    for node in tree.body:
        if isinstance(node, (gast.Import, gast.ImportFrom)):
            room = "" if isinstance(node, gast.Import) else f"{node.module}."
            for alias in node.names:
                if (alias.asname or alias.name) == first:
                    return f"{room}{alias.name}.{rest}".rstrip(".")
    return f"{first}.{rest}".rstrip(".")


def _in_characters(report: Report, text: str) -> None:
    """Columns of trees count bytes; users count characters."""
    if text.isascii():
        return
    lines = [line.encode() for line in ast._splitlines_no_ff(text)]  # type: ignore[attr-defined]

    def column(line: int, number: int) -> int:
        if not 1 <= line <= len(lines):
            return number
        return len(lines[line - 1][: number - 1].decode(errors="replace")) + 1

    report.findings = [
        f
        if f.kind is errors.UnparsableFileFinding
        else replace(f, column=column(f.line, f.column), end_column=column(f.end_line, f.end_column))
        for f in report.findings
    ]
    for function in report.functions:
        function.constructs = [replace(c, column=column(c.line, c.column)) for c in function.constructs]


def _without_ignored(report: Report, text: str) -> None:
    if "autograph:" not in text:
        return
    ignored: dict[int, set[str]] = {}
    lines = ast._splitlines_no_ff(text)  # type: ignore[attr-defined]
    for number, line in enumerate(lines, start=1):
        match = _IGNORE.search(line)
        if match is not None:
            ignored[number] = set(re.findall(r"\w+", match[1] or "")) or {"all"}
    report.findings = [f for f in report.findings if not ignored.get(f.line, set()) & {"all", f.code}]
