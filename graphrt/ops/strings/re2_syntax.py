"""The syntax of RE2's regular expressions: text -> tree of `Chars`, `Assertion`, `Group`, `Concat`, `Alternate`, `Repeat`.

What RE2 refuses (look-around, references to groups, possessive operators, repetitions over 1,000) is refused here,
in RE2's words. A tree can be read without Python's `re`, whose syntax differs.

Source: https://github.com/google/re2/wiki/Syntax
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from graphrt.types.unicode_scripts import scripts

Ranges = tuple[tuple[int, int], ...]  # code points, both ends within; sorted, apart from each other

MOST_REPEATS = 1000  # RE2's own
DEEPEST = 200  # groups within groups; RE2 takes 1,000, Python's `re` about 300


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of `ranges`."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Assertion:
    """`kind`: "text start", "text end", "line start", "line end", "word boundary" or "no word boundary"."""

    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """What is found by the number `index`, from 1 on."""

    index: int
    body: Node


@dataclass(frozen=True, slots=True)
class Concat:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternate:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    body: Node
    least: int
    most: int | None
    greedy: bool


Node = Chars | Assertion | Group | Concat | Alternate | Repeat


class SyntaxRefused(ValueError):
    """What RE2 says of an expression it does not take."""


# --- sets of characters ----------------------------------------------------------------------------------------------
def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """
    >>> union([(5, 9), (1, 2), (3, 4), (7, 12)])
    ((1, 12),)
    """
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(high, out[-1][1]))
        else:
            out.append((low, high))
    return tuple(out)


def negated(ranges: Ranges) -> Ranges:
    """
    >>> negated(((0, 96), (98, sys.maxunicode)))
    ((97, 97),)
    """
    out, next_ = [], 0
    for low, high in ranges:
        if next_ < low:
            out.append((next_, low - 1))
        next_ = high + 1
    return tuple(out) if next_ > sys.maxunicode else (*out, (next_, sys.maxunicode))


def overlap(a: Ranges, b: Ranges) -> bool:
    """
    >>> overlap(((1, 5),), ((7, 9),)), overlap(((1, 5), (8, 8)), ((7, 9),))
    (False, True)
    """
    return any(low <= high_b and low_b <= high for low, high in a for low_b, high_b in b)


def _spans(text: str) -> Ranges:
    """'azAZ__' -> the ranges a-z, A-Z, _."""
    return union((ord(text[i]), ord(text[i + 1])) for i in range(0, len(text), 2))


_DIGIT, _SPACE, _WORD = _spans("09"), _spans("\t\n\f\r  "), _spans("09AZaz__")
_PERL = {"d": _DIGIT, "s": _SPACE, "w": _WORD}
_POSIX = {
    "alnum": _spans("09AZaz"),
    "alpha": _spans("AZaz"),
    "ascii": _spans("\0\x7f"),
    "blank": _spans("\t\t  "),
    "cntrl": _spans("\0\x1f\x7f\x7f"),
    "digit": _DIGIT,
    "graph": _spans("!~"),
    "lower": _spans("az"),
    "print": _spans(" ~"),
    "punct": _spans("!/:@[`{~"),
    "space": _spans("\t\r  "),
    "upper": _spans("AZ"),
    "word": _WORD,
    "xdigit": _spans("09AFaf"),
}
_SINGLE = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ANY: Ranges = ((0, sys.maxunicode),)
_NOT_NEWLINE = negated(_spans("\n\n"))


@cache
def _categories() -> dict[str, Ranges]:
    """Unicode's general categories, by one and by two letters: one walk over all characters, 0.1 s."""
    found: dict[str, list[tuple[int, int]]] = {}
    start, last = 0, unicodedata.category("\0")
    for point in range(1, sys.maxunicode + 2):
        now = unicodedata.category(chr(point)) if point <= sys.maxunicode else ""
        if now != last:
            for name in (last, last[0]):
                found.setdefault(name, []).append((start, point - 1))
            start, last = point, now
    return {name: union(ranges) for name, ranges in found.items() if name not in ("Cn", "C")} | {
        "C": union(found["Cc"] + found["Cf"] + found["Cs"] + found["Co"])
    }


@lru_cache(maxsize=256)  # names stand in patterns of users
def _script(name: str) -> Ranges:
    """The characters of a script, by Unicode's name of it: the name that stands in most of its characters' names."""
    if not re.fullmatch("[A-Z][A-Za-z_]+", name):
        return ()
    ends, numbers = (array.tolist() for array in scripts())
    word = {"Han": "CJK", "Canadian_Aboriginal": "CANADIAN"}.get(name, name.upper().replace("_", " "))
    wanted = {"Common": 0, "Inherited": 1}.get(name)
    runs: dict[int, list[tuple[int, int]]] = {}
    for low, after, number in zip([0, *ends], ends, numbers):
        runs.setdefault(number, []).append((low, after - 1))
    for number, ranges in runs.items():
        if wanted is not None:
            if number == wanted:
                return union(ranges)
            continue
        if number < 2:
            continue
        names = [unicodedata.name(chr(low), "").replace("-", " ") for low, _ in ranges]
        if 2 * sum(f" {word} " in f" {text} " for text in names) > len(names):
            return union(ranges)
    return ()


# --- reading ---------------------------------------------------------------------------------------------------------
_REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_HEX = re.compile(r"\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2})")
_FLAGS = frozenset("imsU")


@dataclass(slots=True)
class _Level:
    """A group that is open: its alternatives so far, the parts of the last, the flags outside, its number (0: none)."""

    outside: frozenset[str]
    index: int
    alternatives: list[Node]
    parts: list[Node]

    def node(self) -> Node:
        last = concat(self.parts)
        return Alternate((*self.alternatives, last)) if self.alternatives else last


def concat(parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else Concat(tuple(parts))


def parse(text: str) -> tuple[Node, int]:
    """The tree of an expression, and the number of its groups.

    Raises:
      SyntaxRefused: RE2 does not take it; the message is RE2's.
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.flags: frozenset[str] = frozenset()
        self.groups = 0
        self.levels = [_Level(self.flags, 0, [], [])]
        self.repeated_from = -1  # where the operator starts that ends here

    def read(self) -> tuple[Node, int]:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in "*+?" or (char == "{" and _REPEAT.match(text, self.at)):
                self._repeat()
                continue
            self.repeated_from = -1
            if char == "(":
                self._open()
            elif char == ")":
                self._close()
            elif char == "|":
                level = self.levels[-1]
                level.alternatives.append(concat(level.parts))
                level.parts = []
                self.at += 1
            else:
                self.levels[-1].parts.extend(self._atoms())
        if len(self.levels) > 1:
            raise SyntaxRefused(f"missing ): {text}")
        node = self.levels[0].node()
        _check_repeats(node, 1)
        return node, self.groups

    def _repeat(self) -> None:
        text, start = self.text, self.at
        counted = _REPEAT.match(text, start)
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(text[start], (0, 0))
        self.at = start + 1
        if counted:
            self.at = counted.end()
            if max(len(counted[1]), len(counted[3] or "")) > 6:
                raise SyntaxRefused(f"invalid repetition size: {counted[0]}")
            least = int(counted[1])
            most = least if counted[2] is None else int(counted[3]) if counted[3] else None
        lazy = text[self.at : self.at + 1] == "?"
        self.at += lazy
        shown = text[start : self.at]
        if self.repeated_from >= 0:
            raise SyntaxRefused(f"bad repetition operator: {text[self.repeated_from : self.at]}")
        if least > MOST_REPEATS or (most is not None and (most > MOST_REPEATS or most < least)):
            raise SyntaxRefused(f"invalid repetition size: {shown}")
        parts = self.levels[-1].parts
        if not parts:
            raise SyntaxRefused(f"no argument for repetition operator: {shown}")
        parts.append(Repeat(parts.pop(), least, most, lazy == ("U" in self.flags)))
        self.repeated_from = start

    def _open(self) -> None:
        text, start = self.text, self.at
        if len(self.levels) > DEEPEST:
            raise SyntaxRefused(f"expression nests too deeply (more than {DEEPEST} groups): {text[:50]}")
        if not text.startswith("(?", start):
            self.at += 1
            self.groups += 1
            self.levels.append(_Level(self.flags, self.groups, [], []))
            return
        if text.startswith("(?P<", start) and len(text) > start + 4:
            end = text.find(">", start)
            if end < 0:
                raise SyntaxRefused(f"invalid named capture group: {text[start:]}")
            if not re.fullmatch(r"\w+", text[start + 4 : end]):
                raise SyntaxRefused(f"invalid named capture group: {text[start : end + 1]}")
            self.at = end + 1
            self.groups += 1
            self.levels.append(_Level(self.flags, self.groups, [], []))
            return
        self._flags()

    def _flags(self) -> None:
        """`(?flags)`, until the end of the group it stands in, or `(?flags:...)`."""
        text, start = self.text, self.at
        on, off, negative, asked = set(self.flags), False, False, False
        for at in range(start + 2, len(text)):
            char = text[at]
            if char in _FLAGS:
                asked = True
                (on.discard if off else on.add)(char)
            elif char == "-" and not negative:
                negative = off = True
                asked = False
            elif char in ":)" and (asked or not negative):
                self.at = at + 1
                if char == ":":
                    self.levels.append(_Level(self.flags, 0, [], []))
                self.flags = frozenset(on)
                return
            else:
                raise SyntaxRefused(f"invalid perl operator: {text[start : at + 1]}")
        raise SyntaxRefused(f"invalid perl operator: {text[start:]}")

    def _close(self) -> None:
        if len(self.levels) == 1:
            raise SyntaxRefused(f"unexpected ): {self.text}")
        level = self.levels.pop()
        self.flags = level.outside
        node = level.node()
        self.levels[-1].parts.append(Group(level.index, node) if level.index else node)
        self.at += 1

    def _folded(self, ranges: Ranges, without: bool = False) -> Ranges:
        """A set as it counts here, or all characters without it."""
        whole = folded(ranges) if "i" in self.flags else ranges
        return negated(whole) if without else whole

    def _literal(self, char: str) -> Chars:
        return Chars(self._folded(((ord(char), ord(char)),)))

    def _atoms(self) -> list[Node]:
        text, char = self.text, self.text[self.at]
        if char == "[":
            return [self._set()]
        if char == "\\":
            return self._escaped()
        self.at += 1
        if char == ".":
            return [Chars(_ANY if "s" in self.flags else _NOT_NEWLINE)]
        if char == "^":
            return [Assertion("line start" if "m" in self.flags else "text start")]
        if char == "$":
            return [Assertion("line end" if "m" in self.flags else "text end")]
        return [self._literal(text[self.at - 1])]

    def _escaped(self) -> list[Node]:
        text, after = self.text, self.text[self.at + 1 : self.at + 2]
        if after == "Q":
            end = text.find("\\E", self.at)
            quoted = text[self.at + 2 : end if end >= 0 else len(text)]
            self.at = end + 2 if end >= 0 else len(text)
            return [self._literal(char) for char in quoted]
        kinds = {"A": "text start", "z": "text end", "b": "word boundary", "B": "no word boundary"}
        if after in kinds:
            self.at += 2
            return [Assertion(kinds[after])]
        if after == "C":
            raise SyntaxRefused(r"single bytes (\C) are matched by the library only: pip install graphrt[regex]")
        found = self._class()
        if found is not None:
            return [Chars(found)]
        return [self._literal(chr(self._point()))]

    def _class(self) -> Ranges | None:
        r"""The set of `\d`, `\pL` and the like that stands here, or None."""
        text, start = self.text, self.at
        after = text[start + 1 : start + 2]
        if after.lower() in _PERL and after:
            self.at += 2
            return self._folded(_PERL[after.lower()], without=after.isupper())
        if after not in ("p", "P"):
            return None
        end = start + 3
        if text[start + 2 : end] == "{":
            end = text.find("}", start) + 1
        if end == 0 or end > len(text):
            raise SyntaxRefused(f"invalid character class range: {text[start:]}")
        self.at, shown = end, text[start:end]
        name = shown[2:].strip("{}")
        without = name.startswith("^") != (after == "P")
        name = name.removeprefix("^")
        found = _ANY if shown[2:].replace("^", "") == "{Any}" else _categories().get(name) or _script(name)
        if not found:
            raise SyntaxRefused(f"invalid character class range: {shown}")
        return self._folded(found, without)

    def _point(self) -> int:
        """The character that an escape stands for."""
        text, start = self.text, self.at
        after = text[start + 1 : start + 2]
        if not after:
            raise SyntaxRefused("trailing \\")
        self.at += 2
        octal = re.compile("0[0-7]{0,2}|[1-7][0-7]{1,2}").match(text, start + 1)
        if octal:
            self.at = octal.end()
            return int(octal[0], 8)
        if after == "x":
            digits = _HEX.match(text, self.at)
            if digits and int(digits[1] or digits[2], 16) <= sys.maxunicode:
                self.at = digits.end()
                return int(digits[1] or digits[2], 16)
            shown = re.compile(r"\\x(\{[0-9A-Fa-f]*)?.?", re.DOTALL).match(text, start)
            raise SyntaxRefused(f"invalid escape sequence: {shown and shown[0].removesuffix('}')}")
        if after in _SINGLE:
            return _SINGLE[after]
        if after.isascii() and not after.isalnum():
            return ord(after)
        raise SyntaxRefused(f"invalid escape sequence: {text[start : start + 2]}")

    def _set(self) -> Chars:
        text, start = self.text, self.at
        self.at += 1
        without = text[self.at : self.at + 1] == "^"
        self.at += without
        ranges: list[tuple[int, int]] = []
        first = True
        while first or text[self.at : self.at + 1] != "]":
            if self.at >= len(text):
                raise SyntaxRefused(f"missing ]: {text[start:]}")
            first = False
            if text.startswith("[:", self.at) and (end := text.find(":]", self.at + 2)) >= 0:
                name = text[self.at + 2 : end]
                if name.removeprefix("^") not in _POSIX:
                    raise SyntaxRefused(f"invalid character class range: {text[self.at : end + 2]}")
                ranges += self._folded(_POSIX[name.removeprefix("^")], name.startswith("^"))
                self.at = end + 2
                continue
            found = self._class() if text[self.at] == "\\" else None
            ranges += found if found is not None else self._folded((self._range(),))
        self.at += 1
        whole = union(ranges)
        return Chars(negated(whole) if without else whole)

    def _range(self) -> tuple[int, int]:
        text, start = self.text, self.at
        low = high = self._set_char()
        if text[self.at : self.at + 1] == "-" and text[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high = self._set_char()
            if high < low:
                raise SyntaxRefused(f"invalid character class range: {text[start : self.at]}")
        return low, high

    def _set_char(self) -> int:
        if self.text[self.at] == "\\":
            return self._point()
        self.at += 1
        return ord(self.text[self.at - 1])


_LAST_WITH_CASE = 0x20000


@cache
def _orbits() -> dict[int, tuple[int, ...]]:
    """Characters that differ by case alone, of each that has such: one walk over those with case, when first asked for."""
    found: dict[str, set[int]] = {}
    for point in range(_LAST_WITH_CASE):
        char = chr(point)
        lower = char.lower()
        if lower != char or char.upper() != char or char.casefold() != char:
            key = lower.upper()
            if len(key) == 1 and point not in (0x130, 0x131):  # the Turkish i: not by simple folding
                found.setdefault(key.lower(), set()).add(point)
    return {point: tuple(sorted(orbit)) for orbit in found.values() for point in orbit if len(orbit) > 1}


def folded(ranges: Ranges) -> Ranges:
    """With all that differ from one of them by case alone.

    >>> [chr(low) for low, high in folded(((ord("k"), ord("k")),))]
    ['K', 'k', '\u212a']
    """
    orbits = _orbits()
    extra = [other for low, high in ranges for point in orbits if low <= point <= high for other in orbits[point]]
    return union([*ranges, *((point, point) for point in extra)])


def _check_repeats(node: Node, factor: int) -> None:
    """RE2 refuses counted repetitions that come to more than 1,000, one within the other."""
    match node:
        case Repeat(body, least, most, _):
            times = least if most is None else most
            if times > 1 and factor * times > MOST_REPEATS:
                shown = str(least) if most == least else f"{least},{'' if most is None else most}"
                raise SyntaxRefused(f"invalid repetition size: {{{shown}}}")
            _check_repeats(body, factor * max(times, 1))
        case Group(_, body):
            _check_repeats(body, factor)
        case Concat(parts) | Alternate(parts):
            for part in parts:
                _check_repeats(part, factor)
