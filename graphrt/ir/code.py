"""The text of generated programs, and the only ways in which it comes about.

A graph may come from anywhere, a program is executed: so a program is written of *templates*, which stand in our own
source, and of what fills them: names that were made for it, and literals that `quoted` wrote. Any other text, such as
an attribute as it stands in a file, is refused where it would enter.

    ITEM = Template("{0}[{1}] if {1} >= 0 else {2}({0}, {1})")
    ITEM(x, i, kernel)       ->       row[i] if i >= 0 else k_TensorListGetItem(row, i)
"""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections.abc import Iterable

from graphrt.types.nesting import shown

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NOT_WORD = re.compile(r"\W+", re.ASCII)
_TAKEN = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
# of every program
_TAKEN |= {"explain", "error", "get_error_mode", "set_error_mode", "reset_error_mode", "IGNORE", "mode", "token"}
_TAKEN |= {"running_change", "begin_change", "undo_change", "leave_change", "before"}
_TAKEN |= {"running_meter", "begin_meter", "restore_meter", "meter", "let_go"}
_PLACE = re.compile(r"\{(\d*)\}")
_OWN_WORD = re.compile(
    r"(?<![\w.])[A-Za-z_]\w*(?![\w=])", re.ASCII
)  # one that is no attribute, and no keyword argument
_REFUSED = re.compile(r"[^ -~]|[\"'`#\\;@$?{}]|!(?!=)")
_KNOWN = frozenset([
    "False", "None", "True", "abs", "and", "break", "def", "del", "elif", "else", "except", "for", "if", "in", "len",
    "not", "or", "pass", "raise", "range", "return", "try", "while", "with",
])  # fmt: skip
_SIGNS = frozenset(
    ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "~", "<", "<=", ">", ">=", "==", "!=", "<<", ">>"]
)
_LONGEST_NAME = 100
_LONGEST_TEXT = 60  # longer strings are bound to names
_LONGEST_TUPLE = 9
_LARGEST = 1 << 128


class Code(str):
    """A piece of a generated program: an expression, a name, or a line. Nothing but this module makes one."""

    __slots__ = ()


EMPTY = Code("")
NONE = Code("None")


class Template:
    """Text with places (`{}`, or `{0}`) for pieces.

    The text may hold keywords, attributes, signs and brackets, but no names and no strings: these fill the places.

    >>> CALL = Template("{}({}, None)")
    >>> CALL(identifier("f"), 2)
    'f(2, None)'
    >>> CALL(identifier("f"), "os.system('ls')")
    Traceback (most recent call last):
    TypeError: text from outside in a generated program: "os.system('ls')". Bind it to a name.

    Raises:
      ValueError: the text holds anything else.
    """

    __slots__ = ("_pieces", "_places")

    def __init__(self, text: str) -> None:
        bare = _PLACE.sub(" ", text)
        if _REFUSED.search(bare) or not _KNOWN.issuperset(_OWN_WORD.findall(bare)):
            raise ValueError(f"not a template of generated text: {text!r}")
        self._pieces: list[str] = _PLACE.split(text)[::2]
        numbers = _PLACE.findall(text)
        for at in range(len(numbers)):
            self._pieces.insert(2 * at + 1, "")
        self._places = tuple((2 * at + 1, int(n) if n else at) for at, n in enumerate(numbers))

    def __call__(self, *parts: object) -> Code:
        """The text with `parts` in its places: pieces as they are, numbers, None and tuples of them quoted.

        Raises:
          TypeError: a part is something else.
        """
        pieces = self._pieces.copy()
        for at, which in self._places:
            part = parts[which]
            pieces[at] = part if part.__class__ is Code else _plain(part)
        return Code("".join(pieces))


def _plain(value: object) -> Code:
    found = None if isinstance(value, (str, bytes)) else quoted(value)
    if found is None:
        raise TypeError(f"text from outside in a generated program: {_shown(value)}. Bind it to a name.")
    return found


def _shown(value: object) -> str:
    return repr(value)[:80] if type(value) in (str, bytes) else type(value).__name__


def quoted(value: object) -> Code | None:
    """`value` as a Python literal, when it is plain and small; else None: it is to be bound to a name.

    Plain are None and, of exactly these types, bool, int, finite float, str, bytes, and tuples of None, bool and int.
    What a class of somebody else's says that it looks like is not asked.

    >>> quoted("it's"), quoted((1, None)), quoted(float("inf"))
    ('"it\\'s"', '(1, None)', None)
    """
    kind = type(value)
    if value is None or kind is bool:
        return Code(repr(value))
    if type(value) is int:
        return Code(repr(value)) if -_LARGEST < value < _LARGEST else None
    if type(value) is float:
        return Code(repr(value)) if math.isfinite(value) else None
    if type(value) is str or type(value) is bytes:
        return Code(repr(value)) if len(value) < _LONGEST_TEXT else None
    if type(value) is tuple and len(value) < _LONGEST_TUPLE:
        plain = all(v is None or type(v) in (int, bool) for v in value)
        return Code(repr(value)) if plain and all(quoted(v) for v in value) else None
    return None


def identifier(text: str) -> Code:
    """`text` as a name.

    Raises:
      ValueError: it is none, or a keyword.
    """
    if _WORD.fullmatch(text) is None or keyword.iskeyword(text):
        raise ValueError(f"not a name for generated text: {text!r}")
    return Code(text)


class Names:
    """Makes the names of one program, none of them twice, each like the hint that is given for it."""

    __slots__ = ("_used",)

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def fresh(self, hint: str) -> Code:
        """A name that was not made before, and is no keyword or built-in name.

        >>> names = Names()
        >>> names.fresh("dense/kernel:0"), names.fresh("dense.kernel.0"), names.fresh("len"), names.fresh("1; x")
        ('dense_kernel_0', 'dense_kernel_0_1', 'v_len', 'v_1_x')
        """
        text = hint[:_LONGEST_NAME]
        if not (text.isidentifier() and text.isascii() and text[0] != "_" != text[-1]):
            text = _NOT_WORD.sub("_", text).strip("_") or "v"
        if text[0].isdigit() or text in _TAKEN:
            text = f"v_{text}"
        count = self._used.get(text)
        if count is None:
            self._used[text] = 1
            return Code(text)
        while (candidate := f"{text}_{count}") in self._used:
            count += 1
        self._used[text] = count + 1
        self._used[candidate] = 1
        return Code(candidate)


def sign(text: str) -> Code:
    """`text` as an operator, such as "+".

    Raises:
      ValueError: it is none.
    """
    if text not in _SIGNS:
        raise ValueError(f"not an operator for generated text: {text!r}")
    return Code(text)


def commas(parts: Iterable[Code]) -> Code:
    """Pieces separated by commas.

    >>> commas([identifier("a"), identifier("b")])
    'a, b'

    Raises:
      TypeError: something is no piece.
    """
    return joined(", ", parts)


def joined(separator: str, parts: Iterable[Code]) -> Code:
    """Pieces separated by a comma or by an operator.

    Raises:
      TypeError: something is no piece.
      ValueError: the separator is neither.
    """
    if separator != ", " and separator.strip() not in _SIGNS:
        raise ValueError(f"not a separator of generated text: {shown(separator)}")
    found = list(parts)
    for part in found:
        if part.__class__ is not Code:
            require(part)
    return Code(separator.join(found))


def computed(name: Code, x: Code, symbol: Code, y: Code) -> Code:
    """The line that most of a large program are: `name = x symbol y`.

    Raises:
      TypeError: something is no piece.
    """
    if not (name.__class__ is x.__class__ is symbol.__class__ is y.__class__ is Code):
        for part in (name, x, symbol, y):
            require(part)
    return Code(" ".join((name, "=", x, symbol, y)))


def require(part: object) -> None:
    """Refuses what is no piece of a program.

    Raises:
      TypeError: it is none.
    """
    if part.__class__ is not Code:
        raise TypeError(f"text from outside in a generated program: {_shown(part)}. Bind it to a name.")


def file_name(kind: str, name: str) -> str:
    """Under which name tracebacks show the program of `kind` that is about `name`: `<graphrt kind name>`."""
    shown = "".join(c if c.isprintable() else "_" for c in name[:_LONGEST_NAME])
    return f"<graphrt {kind}{' ' if kind else ''}{shown}>"


def bare(code: Code) -> Code:
    """`code` without parentheses around the whole of it."""
    if code[:1] == "(" and code.find("(", 1) < 0 and code.find(")") == len(code) - 1:
        return Code(code[1:-1])
    return code
