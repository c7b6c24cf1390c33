"""Why a staged value was asked for its truth by Python itself: for the error that its `__bool__` raises.

def __bool__(self):
    raise MyError(f"{self} has no value yet; {autograph.backends.why_python()}")

-> the `if` at demo.py:6 stays a Python statement, because it holds `yield`
-> 'leaf' (demo.py:4) is not converted: module 'numpy' belongs to an array library
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import CellType, CodeType, FrameType, FunctionType

import gast

from autograph.conversion import policy
from autograph.converters import stays
from autograph.errors import PythonOnlyConstructError, StagedRecursionError, shown_file
from autograph.operators import frames
from autograph.pyct.parse import whole_file
from autograph.pyct.texts import lines_of

# So many calls of one function in a row, with a backend's frames between them, are no accident.
_MANY_CALLS = 5
_PARTS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # what calls itself is around them
# Methods that Python calls where it needs their result at once.
_CALLED_BY_PYTHON = {
    "__hash__": "keys of dictionaries and sets are found by their hash, which has to be known; let it depend on nothing "
    "staged, or compare in a loop over a list",
    "__eq__": "keys and elements are compared by Python where it looks for them; let it depend on nothing staged, or "
    "compare in a loop",
    "__index__": "an index, a slice or a `range` needs the number itself; give it the attribute that is the number, or "
    "write an `if`",
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def why_python() -> str:
    """One sentence on why the truth of a staged value is asked for by Python, at the place where that happens.

    To be called by a method of the staged value; its frame, and those of backends and `autograph`, are passed over.

    >>> (lambda: why_python())().endswith("is module code, which is not converted; move it into a function")
    True
    """
    frame = _asking_frame(sys._getframe(1).f_back)
    return "there is no Python code that asks" if frame is None else _reason(frame)


def truth_error(value: str) -> PythonOnlyConstructError:
    """The error for asking a staged value, described by `value`, for its truth; names the construct and its line.

    >>> class Value:
    ...     def __bool__(self):
    ...         raise truth_error("a value")
    >>> bool(Value())
    Traceback (most recent call last):
    autograph.errors.PythonOnlyConstructError: ...
    """
    frame = _asking_frame(sys._getframe(1).f_back)
    if frame is None:
        return PythonOnlyConstructError(f"the truth of {value} is not known while staging")
    return PythonOnlyConstructError(
        f"the truth of {value} is not known while staging, but Python asks for it: {_reason(frame)}",
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
    )


def recursion_error(error: RecursionError, remedy: str = "Write a loop.") -> RecursionError:
    """What a backend should raise instead of a `RecursionError` that ended its staging.

    When a function calls itself under conditions that the backend stages, no condition ends the recursion while it is
    staged: then the result is a `StagedRecursionError` that names the function and the call, and tells the `remedy`.
    It has the function's code as `repeated`: with `calls_of` the backend may try again. Otherwise it is `error`.

    >>> plain = RecursionError("maximum recursion depth exceeded")
    >>> recursion_error(plain) is plain
    True
    """
    if isinstance(error, StagedRecursionError) or not str(error).startswith("maximum recursion depth"):
        return error  # somebody's own
    times: dict[CodeType, int] = {}
    places: dict[CodeType, tuple[str, int]] = {}
    staged = False
    caller = ("", 0)
    calling = None
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if frames.is_of_backend(frame):
            staged = True
        elif not frames.is_own(frame):
            whole = frames.function_frame(frame)  # of which the frame may be a part
            code = whole.f_code
            if staged and calling is not None and whole is not calling and code.co_name not in _PARTS:
                times[code] = times.get(code, 0) + 1
                places.setdefault(code, caller)
                staged = False
            caller, calling = (code.co_filename, traceback.tb_lineno), whole
        traceback = traceback.tb_next
    many = [code for code, count in times.items() if count >= _MANY_CALLS]
    if not many:
        return error
    # lambdas are part of others more often than they call themselves
    repeated = max(many, key=lambda code: (code.co_name != "<lambda>", times[code]))
    filename, line = places[repeated]
    found = StagedRecursionError(
        f"{repeated.co_name!r} calls itself under a staged condition. Both branches of such a condition are staged, so "
        f"that nothing ends the recursion. {remedy}",
        filename=filename,
        lineno=line,
    )
    found.repeated = repeated
    return found


def _asking_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None and (frames.is_own(frame) or frames.is_of_backend(frame)):
        frame = frame.f_back
    return frame


def _reason(frame: FrameType) -> str:
    code = frame.f_code
    place = f"{shown_file(code.co_filename)}:{frame.f_lineno}"
    if code.co_name == "<module>":
        return f"{place} is module code, which is not converted; move it into a function"
    home = frames.function_frame(frame)
    if frames.is_generated(home.f_code) or frames.is_generated(code):
        found = _construct(code, frame)
        return f"{found[0]} at {place} stays Python{found[1]}" if found else f"{place} stays Python"
    decision = policy.explain(FunctionType(code, frame.f_globals, closure=tuple(CellType() for _ in code.co_freevars)))
    if decision.action == "converted":
        unknown = "it was called by code that is not converted, or its source cannot be found"
        decided = _CALLED_BY_PYTHON.get(code.co_name, unknown)
    else:
        decided = decision.reason
    return f"{code.co_name!r} ({place}) is not converted: {decided}"


def _construct(code: CodeType, frame: FrameType) -> tuple[str, str] | None:
    """What asks for a truth at the current instruction, and why it stays Python (`, because ...`)."""
    tree = whole_file("".join(lines_of(code.co_filename, code.co_name)))
    position = list(code.co_positions())[frame.f_lasti // 2]
    if tree is None or None in position:
        return None
    path = list(_path(tree, position))  # type: ignore[arg-type]
    if len(path) > 1 and isinstance(path[-1], ast.Compare) and len(path[-1].ops) == 1:
        outer = _words(path[-2], path[-1])  # one comparison asks for no truth, but carries the place of what does
        if outer is not None:
            return outer[0], outer[1] or _because(path[:-1])
    for depth in range(len(path) - 1, -1, -1):
        node = path[depth]
        inner = path[depth + 1] if depth + 1 < len(path) else None
        words = _words(node, inner)
        if words is not None:
            return words[0], words[1] or _because(path[: depth + 1])
        if isinstance(node, _FUNCTIONS):
            break
    return None


def _path(tree: ast.AST, position: tuple[int, int, int, int]) -> Iterator[ast.AST]:
    """The nodes around a place, outermost first."""
    line, end_line, column, end_column = position
    node: ast.AST | None = tree
    while node is not None:
        yield node
        following = None
        for child in ast.iter_child_nodes(node):
            spans = [child]
            if isinstance(child, (ast.comprehension, ast.match_case, ast.withitem, ast.arguments)):
                spans = [c for c in ast.iter_child_nodes(child) if hasattr(c, "lineno")]
            for span in spans:
                start = (getattr(span, "lineno", 0), getattr(span, "col_offset", 0))
                end = (getattr(span, "end_lineno", 0), getattr(span, "end_col_offset", 0))
                if start <= (line, column) and (end_line, end_column) <= end:
                    following = child
        node = following


def _words(node: ast.AST, inner: ast.AST | None) -> tuple[str, str] | None:
    # The jump may carry the place of the whole comprehension.
    if isinstance(node, (ast.comprehension, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return "a condition in a comprehension", ", because comprehensions are not converted; write a loop"
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        words = {ast.If: "the `if`", ast.While: "the `while`", ast.IfExp: "the conditional expression"}
        return (words[type(node)], "") if inner in (node.test, None) else None
    if isinstance(node, ast.Assert):
        return "the `assert`", "; turn on Feature.ASSERT_STATEMENTS to stage it"
    if isinstance(node, ast.BoolOp):
        return f"the `{'and' if isinstance(node.op, ast.And) else 'or'}`", ""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "the `not`", ""
    if isinstance(node, (ast.match_case, ast.Match)):
        return "the `match`", ", because its patterns are matched by Python; write `if` statements"
    if isinstance(node, ast.Call):
        return f"the call `{ast.unparse(node.func)}(...)`", ", because the function called needs the value"
    if isinstance(node, ast.Compare):
        return f"the comparison `{ast.unparse(node)}`", ""
    return None


def _because(path: list[ast.AST]) -> str:
    statement = path[-1]
    for node in _own_nodes(statement):
        if isinstance(node, ast.NamedExpr) and isinstance(statement, (ast.IfExp, ast.BoolOp)):
            return ", because it holds `:=`; write an `if` statement"
        if word := stays.word_of(node):
            return _told(stays.suspending(word))
    function = next((node for node in reversed(path) if isinstance(node, _FUNCTIONS)), None)
    if function is not None:
        reader = next(stays.frame_readers(_own_nodes(function)), None)
        if reader is not None:
            return _told(stays.reading_frame(reader))
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found = stays.why_statements_stay(gast.ast_to_gast(function))
        for node in reversed(path[path.index(function) :]):
            if isinstance(node, ast.stmt) and (node.lineno, node.col_offset) in found:
                return _told(found[node.lineno, node.col_offset])
    if any(isinstance(node, ast.ClassDef) for node in path[len(path) - 2 :]):
        return _told(stays.OF_CLASS)
    return ""


def _told(stay: stays.Stay) -> str:
    return f", because {stay.reason}; {stay.suggestion}"


def _own_nodes(root: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or statement without those of functions and classes defined in it."""
    stack = list(ast.iter_child_nodes(root))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))
