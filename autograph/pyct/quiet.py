r"""Has Python read and compile what it has read and compiled before, without being warned of it again.

if x is 1: ...        "is" with a literal: a warning for who imports the file, not for who converts it

Filters of warnings are the process' own: `warnings.catch_warnings` sets them for all threads. So none are set: what
Python would warn of is handed to it in a form that has the same instructions and of which it says nothing.

    "\d"              "\\d"                          with the columns that it had
    1or 2             1 or 2                         likewise
    x is 1            x is f"{1}"      as a tree whose text has the number for its part
    assert (x, "m")   assert not not (x, "m")
    [1]("a")          ([1] if True else None)("a")   which fails all the same
    ~True             ~1

What is left: Python 3.14 says again that a `return` stands in a `finally`.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from autograph.pyct.nodes import Node, walk
from autograph.pyct.trees import copied

# Texts

# What may be warned of: escapes that are none, octals beyond a byte, escapes of text in bytes, numbers next to keywords.
_PERHAPS = re.compile(
    r"\\(?:[^\n\r'\"\\abfnrtvx0-7]|[4-7][0-7]{2})|(?<!\w)\.?\d[\w.]*(?:and|else|for|if|in|is|not|or)\b"
)
_ESCAPES = re.compile(r"\\(?:([4-7][0-7]{2})|([NuU])|([^\n\r'\"\\abfnrtvx0-7])|.)", re.DOTALL)
_PREFIX = re.compile(r"[A-Za-z]*")
_F_STRING_MIDDLE = getattr(tokenize, "FSTRING_MIDDLE", -1)
_F_STRING_START = getattr(tokenize, "FSTRING_START", -1)
_F_STRING_END = getattr(tokenize, "FSTRING_END", -1)


def parse(text: str, filename: str = "<unknown>", mode: str = "exec") -> Node:
    """The `ast` tree of `text`: that of `ast.parse`, which raises SyntaxError as well. No warning is given.

    >>> parse("answer = 42 is 42").body[0].targets[0].id
    'answer'
    """
    if _PERHAPS.search(text) is None:
        return _parse(text, filename, mode)
    edited, shifts = _edited(text)
    tree = _parse(edited, filename, mode)
    if shifts:
        _shift_back(tree, shifts)
    return tree


def _parse(text: str, filename: str, mode: str) -> Node:
    for _ in range(_ATTEMPTS):
        try:
            return ast.parse(text, filename, mode)
        except SystemError:  # threads that parse at once miscount each other's levels: Python 3.11.7, 3.12.1
            continue
    return ast.parse(text, filename, mode)


_ATTEMPTS = 20


def _for_tokenizer(text: str) -> str:
    """`text` with other characters, as many, in strings: without what the tokenizer warns of, if it looks at escapes."""
    return _ESCAPES.sub(lambda found: f"_{found[3]}" if found[3] else found[0], text) if "\\" in text else text


Edit = tuple[int, int, int, str]  # line, first and last column in characters, what is put there


def _edits(text: str, lines: list[str]) -> Iterator[Edit]:
    raw: list[bool] = []  # of the f-strings around
    try:
        for token in tokenize.generate_tokens(io.StringIO(_for_tokenizer(text)).readline):
            if token.type == tokenize.NUMBER:
                line, end = token.end
                if lines[line - 1][end : end + 1].isalpha():
                    yield line, end, end, " "
            elif token.type == tokenize.STRING:
                prefix = _PREFIX.match(token.string)[0].lower()  # type: ignore[index]
                if "r" not in prefix:
                    yield from _edits_between(lines, token.start, token.end, "b" in prefix)
            elif token.type == _F_STRING_START:
                raw.append("r" in token.string.lower())
            elif token.type == _F_STRING_END:
                raw.pop()
            elif token.type == _F_STRING_MIDDLE and not raw[-1]:
                yield from _edits_between(lines, token.start, token.end, False)
    except (tokenize.TokenError, SyntaxError, SystemError):
        return  # `ast.parse` will say so, but for the last: CPython 3.13.0 miscounts in some f-strings over many lines


def _edits_between(lines: list[str], start: tuple[int, int], end: tuple[int, int], of_bytes: bool) -> Iterator[Edit]:
    """The edits of a literal that is not raw."""
    for row in range(start[0], end[0] + 1):
        line = lines[row - 1]
        column = start[1] if row == start[0] else 0
        last = end[1] if row == end[0] else len(line)
        last += line[last : last + 1] == "{"  # part of an escape that is none, where a piece of an f-string ends
        for found in _ESCAPES.finditer(line, column, last):
            octal, of_text, none = found.groups()
            at = found.start()
            if octal is not None:
                number = int(octal, 8)
                yield row, at, at + 4, f"\\{number & 0xFF:03o}" if of_bytes else f"\\u{number:04x}"
            elif none is not None or (of_text is not None and of_bytes):
                yield row, at, at, "\\"


def _edited(text: str) -> tuple[str, dict[int, list[tuple[int, int]]]]:
    """The text that Python does not warn of; for each line where pieces of it end, and how many bytes longer these are."""
    lines = io.StringIO(text).readlines()
    shifts: dict[int, list[tuple[int, int]]] = {}
    for line, first, last, new in reversed(list(_edits(text, lines))):
        whole = lines[line - 1]
        lines[line - 1] = whole[:first] + new + whole[last:]
        if len(new) != last - first:
            shifts.setdefault(line, []).insert(0, (len(whole[:first].encode()) + len(new), len(new) - (last - first)))
    return "".join(lines), shifts


def _shift_back(tree: ast.AST, shifts: dict[int, list[tuple[int, int]]]) -> None:
    """Gives the nodes behind edits the columns that they have in the text."""
    for node in ast.walk(tree):
        for row, column in (("lineno", "col_offset"), ("end_lineno", "end_col_offset")):
            moved, value = 0, getattr(node, column, 0)
            for end, longer in shifts.get(getattr(node, row, 0), ()):
                if value >= end + moved:
                    moved += longer
            if moved:
                setattr(node, column, value - moved)


# Trees

_FOLDS_LATE = sys.version_info >= (3, 14)  # not in the tree
_WARNS_OF_INVERSION = (3, 12) <= sys.version_info < (3, 14)  # of what it computes itself; others do when it runs
_NEVER_WARNED_OF = frozenset(map(type, (None, True, Ellipsis)))
_TEMPLATES = tuple(getattr(ast, n) for n in ("TemplateStr", "Interpolation") if hasattr(ast, n))  # from Python 3.14 on
_SEQUENCES = (ast.Constant, ast.Tuple, ast.List, ast.ListComp, ast.JoinedStr, ast.FormattedValue)
_NEVER_CALLED = (*_SEQUENCES, ast.Dict, ast.DictComp, ast.Set, ast.SetComp, ast.GeneratorExp, *_TEMPLATES)
_NEVER_INDEXED = (ast.Set, ast.SetComp, ast.GeneratorExp, ast.Lambda, *_TEMPLATES)
_NO_INDICES = (*_NEVER_CALLED, ast.Lambda)


def is_doubtful(nodes: list[Any]) -> bool:
    """Whether Python may say something of any of these nodes."""
    return any(DOUBTS[kind](node, False) for node in nodes if (kind := node.__class__) in DOUBTS)


def compile_tree(
    tree: ast.Module, filename: str, flags: int, optimize: int = -1, is_quiet: bool = False
) -> tuple[CodeType, bool]:
    """The code of a tree, which is not changed; and whether it is of another tree, of which Python says nothing.

    The other code is mostly the very same, and does the same in any case; blocks may stand in another order. `is_quiet`:
    it is known that Python says nothing of the tree.
    """
    doubtful = not is_quiet and is_doubtful(walk(tree))
    if doubtful:
        tree = copied(tree)
        for node in walk(tree):
            if node.__class__ in DOUBTS:
                DOUBTS[node.__class__](node, True)
    return compile(tree, filename, "exec", flags, True, optimize), doubtful


# Each of these says whether Python would say something of a node; and changes it so that Python does not, if asked to.


def _comparison(node: Node, change: bool) -> bool:
    found = False
    for index, op in enumerate(node.ops):
        if isinstance(op, (ast.Is, ast.IsNot)):
            left = node.left if index == 0 else node.comparators[index - 1]
            for position, operand in ((index - 1, left), (index, node.comparators[index])):
                if not _is_literal(operand):
                    continue
                found = True
                quiet = _alone(operand)
                if change and position < 0:
                    node.left = quiet
                elif change:
                    node.comparators[position] = quiet
    return found


def _assertion(node: Node, change: bool) -> bool:
    test = node.test
    if not (isinstance(test, ast.Tuple) and test.elts):
        return False
    if change:
        once = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
        node.test = ast.copy_location(ast.UnaryOp(ast.Not(), once), test)
    return True


def _call(node: Node, change: bool) -> bool:
    if not isinstance(_as_compiled(node.func), _NEVER_CALLED):
        return False
    if change:
        node.func = _wrapped(node.func)
    return True


def _subscript(node: Node, change: bool) -> bool:
    owner, index = _as_compiled(node.value), _as_compiled(node.slice)
    number = isinstance(owner, ast.Constant) and not isinstance(owner.value, (str, bytes, tuple))
    sequence = isinstance(owner, _SEQUENCES) and isinstance(index, _NO_INDICES)
    if isinstance(index, ast.Constant) and isinstance(index.value, int):
        sequence = False
    if not (number or sequence or isinstance(owner, _NEVER_INDEXED)):
        return False
    if change:
        node.value = _wrapped(node.value)
    return True


def _inversion(node: Node, change: bool) -> bool:
    if not isinstance(node.op, ast.Invert):
        return False
    operand = _as_compiled(node.operand)
    if not isinstance(operand, ast.Constant) or not isinstance(operand.value, bool):
        return False
    if change:
        node.operand = _at(node.operand, ast.Constant(int(operand.value)))
    return True


def _as_compiled(node: Node) -> Node:
    """The constant that Python makes of a node before it looks at what is done with it; else the node."""
    if _FOLDS_LATE or not isinstance(node, (ast.UnaryOp, ast.BinOp, ast.Subscript)) or not _is_folded(node):
        return node
    return ast.Constant(eval(compile(ast.Expression(node), "<literal>", "eval", dont_inherit=True)))


DOUBTS: dict[type, Callable[[Any, bool], bool]] = {
    ast.Compare: _comparison,
    ast.Assert: _assertion,
    ast.Call: _call,
    ast.Subscript: _subscript,
    **({ast.UnaryOp: _inversion} if _WARNS_OF_INVERSION else {}),
}


def _is_literal(node: Node) -> bool:
    """Whether Python takes a node for a literal that `is` should not compare."""
    if isinstance(node, ast.Constant):
        return type(node.value) not in _NEVER_WARNED_OF
    return _is_folded(node) and (isinstance(node, ast.Tuple) or not _FOLDS_LATE)


def _is_folded(node: Node) -> bool:
    """Whether the compiler makes a constant of a node."""
    if node.__class__ is ast.Constant:
        return True
    if isinstance(node, (ast.UnaryOp, ast.BinOp, ast.Subscript)):
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        if not all(map(_is_folded, parts)) or (
            isinstance(node, ast.Subscript) and not _is_item(node.value, node.slice)
        ):
            return False
        code = compile(ast.Expression(node), "<literal>", "eval", dont_inherit=True)
        return len(code.co_code) <= _OF_A_CONSTANT  # else it raises an error, or is too large
    return isinstance(node, ast.Tuple) and all(map(_is_folded, node.elts))


_OF_A_CONSTANT = len(compile("(1, 2)", "<literal>", "eval", dont_inherit=True).co_code)


def _is_item(owner: Node, index: Node) -> bool:
    """Whether a literal has an item of this index."""
    items: Any = owner.elts if isinstance(owner, ast.Tuple) else getattr(owner, "value", None)
    try:
        number = ast.literal_eval(index)
        return isinstance(number, int) and -len(items) <= number < len(items)
    except (TypeError, ValueError):
        return False


def _wrapped(node: Node) -> Node:
    """An expression of the same value; of the same code for what is folded."""
    test, other = (node, node) if _is_folded(node) and not _FOLDS_LATE else (ast.Constant(True), ast.Constant(None))
    return _at(node, ast.IfExp(_at(node, test), node, _at(node, other)))


def _alone(node: Node) -> Node:
    """An expression of the very same instructions: a text of one part, which Python takes as it is."""
    return _at(node, ast.JoinedStr([node]))


def _at(place: Node, node: Node) -> Node:
    if node is not place:
        values = place.__dict__
        node.__dict__.update({attribute: values[attribute] for attribute in place._attributes if attribute in values})
    return node
