"""Conversion proper: a function, or the text of a module, goes through the pipeline.

convert_function(f, options)              the twin of `f`
function_text(f, options)                 its text
convert_source(text, filename, options)   a module with every function converted
"""

from __future__ import annotations
import __future__

import ast
import builtins
import os
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, TypeVar

import gast

from autograph.backends.registry import stages_builtin_types
from autograph.conversion.cache import CodeCache
from autograph.conversion.sources import node_of
from autograph.converters import Context, run_pipeline, stage_names
from autograph.converters.stays import FRAME_READERS
from autograph.emit.code import compile_function
from autograph.emit.text import Printer, lines_of, spans_of, text_of, tree_of
from autograph.errors import ConversionError, UsageError
from autograph.operators.closed import closed
from autograph.options import ConversionOptions
from autograph.pyct import quiet
from autograph.pyct.analysis.facts import Facts
from autograph.pyct.analysis.scopes import Scope, Scopes, all_identifiers
from autograph.pyct.deep import is_deep, with_deep_stack
from autograph.pyct.namer import Namer
from autograph.pyct.names import mangled
from autograph.pyct.nodes import DEF_NODES, Transformer, children, walk
from autograph.pyct.origin import Position
from autograph.pyct.parse import parse_module
from autograph.pyct.trees import to_ast, to_gast
from autograph.pyct.unparse import unparse_ast

_converted: CodeCache[CodeType] = CodeCache()
# Without them all runs in the pieces that are for staged values: for those who look for mistakes in these.
FAST_PATHS = os.environ.get("AUTOGRAPH_FAST_PATHS", "") != "0"
Result = TypeVar("Result")
_POSTPONED = __future__.annotations.compiler_flag


def convert_function(fn: FunctionType, options: ConversionOptions) -> FunctionType:
    """The converted twin of a function or lambda.

    It shares globals, closure cells and defaults with `fn`; its code says it comes from the same lines of the same
    file. Raises `SourceNotFoundError` or `ConversionError`.

    >>> from autograph.options import STANDARD_OPTIONS
    >>> import textwrap
    >>> convert_function(textwrap.dedent, STANDARD_OPTIONS)("  a")
    'a'
    """
    code = _converted.get(fn.__code__, options, lambda: _convert_code(fn, options))
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    closure = tuple(cells[name] for name in code.co_freevars)
    twin = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    _take_identity(twin, fn)
    return twin


def _take_identity(twin: FunctionType, fn: FunctionType) -> None:
    twin.__qualname__ = fn.__qualname__
    twin.__doc__ = fn.__doc__
    twin.__module__ = fn.__module__
    twin.__kwdefaults__ = fn.__kwdefaults__
    annotate = getattr(fn, "__annotate__", None)
    if annotate is not None:  # Python 3.14: annotations are computed when asked for
        setattr(twin, "__annotate__", annotate)  # noqa: B010 (unknown to the checker on older versions)
    else:
        twin.__annotations__ = fn.__annotations__
    if hasattr(fn, "__type_params__"):
        setattr(twin, "__type_params__", fn.__type_params__)  # noqa: B010 (unknown to the checker on 3.11)
    twin.__dict__.update(fn.__dict__)
    twin.__dict__["ag_original"] = fn


def _convert_code(fn: FunctionType, options: ConversionOptions) -> CodeType:
    def work() -> CodeType:
        plain = node_of(fn, options)
        tree, context = _pipeline(fn, plain, options, None)
        # What converted code calls is called while something may be staged. What looks at its own variables would see
        # those of the converted body; with a strictness of its own the user wants to hear of what the function calls.
        runs_plain = None
        if _reads_frame(fn.__code__) or options.strictness is not None:
            plain = None
        elif plain is not None and not options.optional_features and not stages_builtin_types():
            runs_plain = closed(fn, plain)
        if not options.user_requested and runs_plain is None:
            plain = None

        def compiled(plain: object, pieces_only: bool, *more: bool) -> CodeType:
            return compile_function(tree, context, fn.__code__, plain, fn.__globals__, runs_plain, pieces_only, *more)

        is_nested = False
        try:
            return compiled(plain, not FAST_PATHS)
        except SyntaxError:  # Python nests 20 blocks at most
            is_nested = True
        except (ValueError, RecursionError) as error:
            # "Invalid CFG, inconsistent stackdepth": Python 3.13.0 cannot compile every tree that is right. And a tree
            # with tests in it is deeper than one that leaves these to pieces.
            if not FAST_PATHS or (isinstance(error, RecursionError) and not is_deep()):
                raise
        try:
            plain = None if plain is None else node_of(fn, options)  # the first attempt has changed the tree
            return compiled(plain, not is_nested or not FAST_PATHS, True, is_nested)
        except RecursionError:
            return compiled(None, True, False)  # nothing but the bare code is not too deep for Python's compiler

    try:
        return _deeply(work, fn.__code__.co_filename, fn.__code__.co_firstlineno)
    except SyntaxError as error:
        raise ConversionError(
            f"{fn.__qualname__!r} was converted to code that Python refuses ({error.msg}); please report this",
            filename=fn.__code__.co_filename,
            lineno=fn.__code__.co_firstlineno,
        ) from error


def function_text(fn: FunctionType, options: ConversionOptions, after: str | None = None) -> str:
    """The text of the converted twin; with `after`, of the tree as that converter leaves it.

    Raises `SourceNotFoundError` or `ConversionError`.
    """
    _check_stage(after)

    def work() -> str:
        tree, context = _pipeline(fn, node_of(fn, options), options, after)
        text = text_of(tree, context)
        return f"tf__lam = {text}\n" if isinstance(tree, gast.Lambda) else f"{text}\n"

    return _deeply(work, fn.__code__.co_filename, fn.__code__.co_firstlineno)


def function_lines(fn: FunctionType, options: ConversionOptions) -> list[int | None]:
    """For each line of the text of the converted twin, the line of the user's file that it stands for, if it does.

    Raises as `function_text` does.
    """

    return with_deep_stack(lambda: lines_of(*_printed(fn, options)))


def function_spans(fn: FunctionType, options: ConversionOptions) -> list[tuple[Position, Position]]:
    """Places in the text of the converted twin, each with the place in the user's file that it stands for.

    Raises as `function_text` does.
    """
    return with_deep_stack(lambda: spans_of(*_printed(fn, options)[:2]))


def _printed(fn: FunctionType, options: ConversionOptions) -> tuple[Any, Any, str]:
    """The tree of the text of the converted twin, the tree it was printed from, and the text."""
    tree, context = _pipeline(fn, node_of(fn, options), options, None)
    converted = tree_of(tree, context)
    text = unparse_ast(converted)
    if isinstance(tree, gast.Lambda):
        return quiet.parse(text, mode="eval").body, converted, text
    return quiet.parse(text).body[0], converted, text


def _deeply(work: Callable[[], Result], filename: str, lineno: int | None = None) -> Result:
    """`work()`, with room for code that is nested deeply; raises `ConversionError` for what is nested too deeply."""
    try:
        return with_deep_stack(work)
    except RecursionError:
        what = "the code is nested too deeply to be converted; split it"
        raise ConversionError(what, filename=filename, lineno=lineno) from None


def _check_stage(after: str | None) -> None:
    if after is not None and after not in stage_names():
        raise UsageError(f"no converter is called {after!r}; there are {', '.join(stage_names())}")


def _reads_frame(code: CodeType) -> bool:
    return not FRAME_READERS.isdisjoint(code.co_names) or "f_locals" in code.co_names


def _pipeline(fn: FunctionType, source: Any, options: ConversionOptions, after: str | None) -> tuple[Any, Context]:
    tree = to_gast(source)
    reserved = all_identifiers(tree) | set(fn.__code__.co_freevars)
    context = Context(
        options,
        Namer(reserved),
        fn.__code__.co_filename,
        resolve=_resolver(fn),
        is_hidden=_hidden_in_function(fn, tree),
        evaluates_annotations=not fn.__code__.co_flags & _POSTPONED,
        code=fn.__code__,
    )
    if "ag__" in context.namer:  # the user's: the operators get another name
        context.operators = context.namer.new("ag__")
    return run_pipeline(tree, context, after), context


def _resolver(fn: FunctionType) -> Callable[[str], Any]:
    def resolve(name: str) -> Any:
        if name in fn.__globals__ and name not in fn.__code__.co_freevars:
            return fn.__globals__[name]
        try:
            if name in fn.__code__.co_freevars and fn.__closure__ is not None:
                return fn.__closure__[fn.__code__.co_freevars.index(name)].cell_contents
            return getattr(builtins, name)
        except (AttributeError, ValueError):
            raise NameError(name) from None

    return resolve


def _hidden_in_function(fn: FunctionType, tree: object) -> Callable[[str], bool]:
    def is_hidden(name: str) -> bool:
        if name in fn.__code__.co_freevars or _binds_somewhere(tree, name):
            return True
        return fn.__globals__.get(name, getattr(builtins, name)) is not getattr(builtins, name)

    return is_hidden


def _binds_somewhere(tree: object, name: str) -> bool:
    def binds(scope: Scope) -> bool:
        return name in scope.bound or any(binds(inner) for inner in scope.inner)

    return binds(Facts().get(Scopes, tree))


# Modules


@dataclass
class _FunctionsInPlace(Transformer):
    """Converts the outermost functions of a module, wherever in it they are defined."""

    options: ConversionOptions
    filename: str
    after: str | None
    hidden: frozenset[str]
    evaluates_annotations: bool

    def visit_FunctionDef(self, node: object) -> Any:
        # The names a module-level function reads may be anything: only its own decide what can be generated.
        context = Context(
            self.options,
            Namer(all_identifiers(node)),
            self.filename,
            in_place=True,
            is_hidden=lambda name: name in self.hidden or _binds_somewhere(node, name),
            evaluates_annotations=self.evaluates_annotations,
        )
        return Printer(context).visit(run_pipeline(node, context, self.after))

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: object) -> Any:
        return node


def convert_source(text: str, filename: str, options: ConversionOptions, after: str | None = None) -> ast.Module:
    """The tree of a module in which every function and method is converted; `ag__` has to be imported in it.

    Raises SyntaxError, or `ConversionError`.
    """
    return _converted_module(text, filename, None, options, after)


def _converted_module(
    text: str, filename: str, qualname: str | None, options: ConversionOptions, after: str | None
) -> ast.Module:
    """The tree of a module that is converted, or of one function of it."""
    _check_stage(after)

    def work() -> ast.Module:
        tree = parse_module(text, filename)
        hidden = frozenset(_bound_at_module_level(tree))
        postponed = any(
            isinstance(node, gast.ImportFrom) and node.module == "__future__" and alias.name == "annotations"
            for node in tree.body
            for alias in getattr(node, "names", ())
        )
        if qualname is not None:
            tree.body = _alone(tree, qualname, filename)
        functions = _FunctionsInPlace(options, filename, after, hidden, qualname is None and not postponed)
        result: ast.Module = to_ast(functions.visit(tree))
        return result

    return _deeply(work, filename)


def _bound_at_module_level(tree: Any) -> set[str]:
    scope = Facts().get(Scopes, _as_function(tree.body))
    names = set(scope.bound)
    stack = list(scope.inner)
    while stack:
        inner = stack.pop()
        names.update(n for n in inner.globals if n in inner.bound)
        stack.extend(inner.inner)
    return names


def _as_function(body: list[Any]) -> Any:
    function = gast.ast_to_gast(quiet.parse("def module(): pass")).body[0]
    function.body = body
    return function


def convert_source_function(
    text: str, filename: str, qualname: str, options: ConversionOptions, after: str | None = None
) -> ast.Module:
    """The tree of a module that holds only one function of `text`, converted, without its decorators.

    A method that uses private names or `super()` stays inside its class. Raises SyntaxError, `UsageError` if there is
    no such function, or `ConversionError`.
    """
    return _converted_module(text, filename, qualname, options, after)


def _alone(tree: object, qualname: str, filename: str) -> list[Any]:
    """The statements of a module that holds one function of `tree` and nothing else."""
    owners, node = _find(tree, qualname.replace(".<locals>", ""))
    if node is None:
        raise UsageError(f"{filename} has no function {qualname!r}", filename=filename)
    body: list[Any] = [node]
    if not isinstance(node, gast.ClassDef):
        node.decorator_list = []
        owner = owners[-1] if owners and isinstance(owners[-1], gast.ClassDef) else None
        if owner is not None and _needs_class(node, owner.name):
            owner.bases, owner.keywords, owner.decorator_list, owner.body = [], [], [], [node]
            body = [owner]
    postponed = quiet.parse("from __future__ import annotations" if _has_annotations(body) else "")
    return [*gast.ast_to_gast(postponed).body, *body]


def _find(tree: Any, qualname: str) -> tuple[list[Any], Any]:
    owners: list[Any] = []
    node = tree
    for part in qualname.split("."):
        found = None
        stack = list(reversed(node.body))
        while stack:
            item = stack.pop()
            if isinstance(item, (*DEF_NODES, gast.ClassDef)):
                if item.name == part:
                    found = item  # the last definition is the one that stays
                continue
            stack.extend(c for c in reversed(children(item)) if isinstance(c, (gast.stmt, gast.ExceptHandler)))
        if found is None:
            return owners, None
        if node is not tree:
            owners.append(node)
        node = found
    return owners, node


def _needs_class(function: object, owner: str) -> bool:
    names = all_identifiers(function)
    attributes = {n.attr for n in walk(function) if isinstance(n, gast.Attribute)}
    return bool(names & {"super", "__class__"}) or any(mangled(n, owner) != n for n in names | attributes)


def _has_annotations(body: list[Any]) -> bool:
    return any(
        isinstance(node, DEF_NODES)
        and (
            node.returns is not None
            or any(isinstance(a, gast.Name) and a.annotation is not None for a in walk(node.args))
        )
        for statement in body
        for node in walk(statement)
    )
