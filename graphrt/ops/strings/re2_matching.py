"""Matching of RE2's expressions in time that grows with the text, as RE2 does: never with a power of it.

Texts are bytes; characters are those of UTF-8, and a byte that is part of none matches nothing. Where the library is
installed (`pip install graphrt[regex]`, google-re2) it matches. Else Python's `re` does, where it cannot take long: if
no text can be matched in two ways, or the text is short; and else threads that walk over the text side by side
(K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968; R. Pike's form of it, which keeps groups).
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

from graphrt.ops.strings import re2_syntax
from graphrt.ops.strings.re2_syntax import Alternate, Assertion, Chars, Concat, Group, Node, Ranges, Repeat, overlap

Spans = Sequence[tuple[int, int]]  # of the match and of its groups; (-1, -1) for one without part in it

_STEPS = 10**8  # of Python's `re`: about a second
_MOST_STATES = 100_000
_MOST_GROUPS = 9  # that a rewrite can name: \1 to \9. Finding where each of thousands stands takes seconds, also RE2
_TOKENS = re.compile(
    rb"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\((?!\?)|\(\?P?<[^>=!]+>", re.DOTALL
)
_ESCAPES: Ranges = ((0xD800, 0xDFFF),)  # bytes of no character, as `surrogateescape` decodes them


class Expression(Protocol):
    """A compiled expression."""

    groups: int

    def full_match(self, text: bytes) -> bool:
        """Whether it matches the whole of `text`."""

    def matches(self, text: bytes) -> Iterator[tuple[Sequence[bytes], bytes]]:
        """Of each match, from the left: its text and its first nine groups', and the text from the match before to it.

        What is left after the last comes as ((), text).
        """


@lru_cache(maxsize=256)
def compiled(pattern: bytes) -> Expression:
    """The expression of a pattern in RE2's syntax.

    >>> compiled(rb"(a+)+").full_match(b"a" * 50 + b"b")
    False

    Raises:
      SyntaxRefused: RE2 does not take it.
    """
    if importlib.util.find_spec("re2") is not None:
        return _ByLibrary(pattern)
    try:
        text = pattern.decode()
    except UnicodeDecodeError:
        raise re2_syntax.SyntaxRefused("invalid UTF-8") from None
    return _Compiled(text)


class _ByLibrary:
    def __init__(self, pattern: bytes):
        import re2  # lazy: an extra

        options = re2.Options()
        options.log_errors = False
        try:
            self._re = re2.compile(pattern, options)
        except re2.error as error:
            reason = error.args[0] if error.args else ""
            raise re2_syntax.SyntaxRefused(
                reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
            ) from None
        self.groups = self._re.groups
        if self.groups > _MOST_GROUPS:
            self._re = re2.compile(_of_few_groups(pattern), options)

    def full_match(self, text: bytes) -> bool:
        return self._re.fullmatch(text) is not None

    def matches(self, text: bytes) -> Iterator[tuple[Sequence[bytes], bytes]]:
        def search(at: int) -> Spans | None:
            match = self._re.search(text, at)
            return match and [match.span(i) for i in range(self._re.groups + 1)]

        start = 0
        for spans in _in_turn(search, len(text), lambda at: _character(text, at)):
            low, high = spans[0]
            yield [text[a:b] if a >= 0 else b"" for a, b in spans], text[start:low]
            start = high
        yield (), text[start:]


def _of_few_groups(pattern: bytes) -> bytes:
    """A pattern that RE2 takes, of which only the first nine groups are told."""
    count = 0

    def without(token: re.Match[bytes]) -> bytes:
        nonlocal count
        count += token[0][:1] == b"("
        return b"(?:" if token[0][:1] == b"(" and count > _MOST_GROUPS else token[0]

    return _TOKENS.sub(without, pattern)


def _in_turn(search: Callable[[int], Spans | None], length: int, character: Callable[[int], int]) -> Iterator[Spans]:
    """The matches from the left, as `search` finds them from a place on; none is empty at the end of the one before.

    `character` tells how far the next character of a place is.
    """
    start = at = 0
    while at <= length and (spans := search(at)) is not None:
        low, high = spans[0]
        if low == high == start and at:
            at = low + character(low)
            continue
        yield spans
        start = high
        at = high + character(high) if low == high else high


def _character(text: bytes, at: int) -> int:
    """How many bytes the character at `at` has; 1 for what is none."""
    for size in (1, 2, 3, 4):
        try:
            text[at : at + size].decode()
        except UnicodeDecodeError:
            continue
        return size
    return 1


class _Compiled:
    def __init__(self, pattern: str):
        self._tree, self.groups = re2_syntax.parse(pattern)
        self._degree = _degree(self._tree)
        self._program  # noqa: B018 - too large a one is refused now

    @cached_property
    def _re(self) -> re.Pattern[str]:
        return re.compile(_python(self._tree))

    @cached_property
    def _program(self) -> _Program:
        return _Program(self._tree)

    def _quick(self, length: int, searching: bool) -> bool:
        return self._degree is not None and max(length, 2) ** (self._degree + searching) <= _STEPS

    def full_match(self, text: bytes) -> bool:
        whole = text.decode("utf-8", "surrogateescape")
        if self._quick(len(whole), False):
            return self._re.fullmatch(whole) is not None
        return self._program.match(whole, 0, whole=True) is not None

    def _finder(self, text: str) -> Callable[[int], Spans | None]:
        if not self._quick(len(text), True):
            return lambda at: self._program.match(text, at, whole=False)
        search = self._re.search
        return lambda at: (match := search(text, at)) and match.regs

    def matches(self, text: bytes) -> Iterator[tuple[Sequence[bytes], bytes]]:
        whole = text.decode("utf-8", "surrogateescape")
        alike = text.isascii()  # characters stand where bytes do

        def cut(span: tuple[int, int]) -> bytes:
            low, high = span
            if low < 0:
                return b""
            return text[low:high] if alike else whole[low:high].encode("utf-8", "surrogateescape")

        start = 0
        for spans in _in_turn(self._finder(whole), len(whole), lambda at: 1):
            low, high = spans[0]
            yield [cut(span) for span in spans], cut((start, low))
            start = high
        yield (), cut((start, len(whole)))


# --- by Python's `re` ------------------------------------------------------------------------------------------------
_ASSERTIONS = {
    "text start": r"\A",
    "text end": r"\Z",
    "line start": "(?m:^)",
    "line end": "(?m:$)",
    "word boundary": r"(?a:\b)",
    "no word boundary": r"(?a:(?!\b))",  # as `\B`, which refused empty texts before Python 3.14
}


def _python(node: Node) -> str:
    """The expression in the syntax of Python's `re`, of texts decoded with `surrogateescape`."""
    match node:
        case Chars(ranges):
            return _python_set(ranges)
        case Assertion(kind):
            return _ASSERTIONS[kind]
        case Group(index, body):
            return f"({_python(body)})" if index <= _MOST_GROUPS else f"(?:{_python(body)})"
        case Concat(parts):
            return "".join(f"(?:{_python(p)})" if isinstance(p, Alternate) else _python(p) for p in parts)
        case Alternate(parts):
            return "|".join(map(_python, parts))
        case Repeat(body, least, most, greedy):
            times = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get(
                (least, most), f"{{{least},{'' if most is None else most}}}"
            )
            return f"(?:{_python(body)}){times}{'' if greedy else '?'}"


def _python_set(ranges: Ranges) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return re.escape(chr(ranges[0][0]))
    inside = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in _without_escapes(ranges))
    return f"[{inside}]" if inside else r"(?!)"


def _without_escapes(ranges: Ranges) -> Ranges:
    return re2_syntax.negated(re2_syntax.union([*re2_syntax.negated(ranges), *_ESCAPES]))


def _degree(node: Node) -> int | None:
    """Python's `re` tries at most (text's length) ** this many ways at one place; None if it can be exponentially many."""
    match node:
        case Repeat(body, least, most, _):
            if most == 0:
                return 0
            inner = _degree(body)
            if most == least and inner is not None:
                return inner * least
            if most == 1 and inner is not None:
                return inner + 1
            if most is not None and inner == 0 and not _branches(body):
                return 1
            return 1 if not _nullable(body) and _deterministic(node) else None
        case Group(_, body):
            return _degree(body)
        case Concat(parts) | Alternate(parts):
            degrees = [_degree(part) for part in parts]
            if None in degrees:
                return None
            total = sum(d for d in degrees if d is not None) + isinstance(node, Alternate)
            return min(total, 1) if total > 1 and _deterministic(node) else total
    return 0


def _branches(node: Node) -> bool:
    match node:
        case Alternate():
            return True
        case Group(_, body):
            return _branches(body)
        case Repeat(body, least, most, _):
            return least != most or _branches(body)
        case Concat(parts):
            return any(map(_branches, parts))
    return False


class _Positions:
    """The places of an expression's sets of characters, and which may follow which (V. Glushkov, 1961)."""

    MOST = 200

    def __init__(self) -> None:
        self.sets: list[Ranges] = []
        self.follow: list[set[int]] = []

    def walk(self, node: Node) -> tuple[bool, set[int], set[int]] | None:
        """Whether it can be empty, the places it can start with, and end with; None where that is not looked into."""
        match node:
            case Chars(ranges):
                if len(self.sets) >= self.MOST:
                    return None
                self.sets.append(ranges)
                self.follow.append(set())
                return False, {len(self.sets) - 1}, {len(self.sets) - 1}
            case Group(_, body):
                return self.walk(body)
            case Repeat(body, least, most, _):
                found = self.walk(body)
                if found is None or (most is not None and most > 1):
                    return None
                if most is None:
                    if any(self.follow[place] & found[1] for place in found[2]):
                        return None  # as in (a+)+: what follows may do so within or after the repetition
                    self.join(found[2], found[1])
                return found[0] or least == 0, found[1], found[2]
            case Concat(parts):
                first: set[int] = set()
                last: set[int] = set()
                empty = True
                for part in parts:
                    found = self.walk(part)
                    if found is None:
                        return None
                    self.join(last, found[1])
                    first |= found[1] if empty else set()
                    last = (last | found[2]) if found[0] else found[2]
                    empty = empty and found[0]
                return empty, first, last
            case Alternate(parts):
                branches = [self.walk(part) for part in parts]
                known = [branch for branch in branches if branch is not None]
                if len(known) < len(branches) or sum(b[0] for b in known) > 1:
                    return None
                return (
                    any(b[0] for b in known),
                    set().union(*(b[1] for b in known)),
                    set().union(*(b[2] for b in known)),
                )
        return None  # an assertion

    def join(self, last: set[int], first: set[int]) -> None:
        for place in last:
            self.follow[place] |= first

    def apart(self, places: set[int]) -> bool:
        ordered = sorted(places)
        return not any(overlap(self.sets[a], self.sets[b]) for i, a in enumerate(ordered) for b in ordered[i + 1 :])


def _deterministic(node: Node) -> bool:
    """Whether each character of a text decides by itself where in the expression it belongs: no ways to go back on."""
    positions = _Positions()
    found = positions.walk(node)
    return found is not None and positions.apart(found[1]) and all(map(positions.apart, positions.follow))


# --- by threads ------------------------------------------------------------------------------------------------------
class _Program:
    """What threads do: state by state a kind ("char", "split", "save", "assert", "match"), what it is about, the next."""

    def __init__(self, tree: Node):
        self._kinds: list[str] = []
        self._about: list[Any] = []  # a set's ranges, the second way of a split, the number of a place, an assertion
        self._next: list[int] = []
        self._known: list[dict[str, bool]] = []  # of a set: characters asked for before
        self._match = self._state("match", None, 0)
        self._start = self._emit(tree, self._match)
        places = [about for kind, about in zip(self._kinds, self._about) if kind == "save"]
        self._nowhere: _Saved = (-1,) * (max(places, default=1) + 1)

    def _state(self, kind: str, about: int | str | tuple[tuple[int, ...], ...] | None, next_: int) -> int:
        if len(self._kinds) >= _MOST_STATES:
            raise re2_syntax.SyntaxRefused("pattern too large - compile failed")
        self._kinds.append(kind)
        self._about.append(about)
        self._next.append(next_)
        self._known.append({})
        return len(self._kinds) - 1

    def _emit(self, node: Node, next_: int) -> int:
        """The state that a thread begins `node` in, which it leaves to `next_`."""
        match node:
            case Chars(ranges):
                return self._state("char", _without_escapes(ranges), next_)
            case Assertion(kind):
                return self._state("assert", kind, next_)
            case Group(index, body) if index > _MOST_GROUPS:
                return self._emit(body, next_)
            case Group(index, body):
                inside = self._emit(body, self._state("save", 2 * index + 1, next_))
                return self._state("save", 2 * index, inside)
            case Concat(parts):
                for part in reversed(parts):
                    next_ = self._emit(part, next_)
                return next_
            case Alternate(parts):
                ways = [self._emit(part, next_) for part in parts]
                last = ways.pop()
                while ways:
                    last = self._state("split", last, ways.pop())
                return last
            case Repeat():
                return self._repeat(node, next_)

    def _split(self, once: int, next_: int, greedy: bool) -> int:
        return self._state("split", next_, once) if greedy else self._state("split", once, next_)

    def _repeat(self, node: Repeat, next_: int) -> int:
        body, least, most, greedy = node.body, node.least, node.most, node.greedy
        if most is None:
            loop = self._split(0, next_, greedy)
            once = self._emit(body, loop)
            (self._next if greedy else self._about)[loop] = once
            if least == 0:
                return self._split(once, next_, greedy) if _nullable(body) else loop
            next_, least = once, least - 1
        else:
            end = next_
            for _ in range(most - least):
                next_ = self._split(self._emit(body, next_), end, greedy)
        for _ in range(least):
            next_ = self._emit(body, next_)
        return next_

    def match(self, text: str, start: int, whole: bool) -> Spans | None:
        """The first match from `start` on, or, with `whole`, that of all the text."""
        found: tuple[tuple[int, int], ...] | None = None
        threads: list[tuple[int, _Saved]] = []
        for at in range(start, len(text) + 1):
            seen: set[int] = set()
            now: list[tuple[int, _Saved]] = []
            for state, saved in threads:
                self._follow(state, saved, text, at, seen, now)
            if found is None and (at == start or not whole):
                self._follow(self._start, (at, *self._nowhere[1:]), text, at, seen, now)
            if not now and (found is not None or whole):
                break
            threads = []
            char = text[at : at + 1]
            for state, saved in now:
                if state == self._match:
                    if whole and at < len(text):
                        continue
                    found = _spans((saved[0], at, *saved[2:]))
                    break  # the threads after it were second
                if char and self._takes(state, char):
                    threads.append((self._next[state], saved))
        return found

    def _takes(self, state: int, char: str) -> bool:
        known = self._known[state]
        found = known.get(char)
        if found is None:
            point = ord(char)
            found = known[char] = any(low <= point <= high for low, high in self._about[state])
        return found

    def _follow(
        self, state: int, saved: _Saved, text: str, at: int, seen: set[int], out: list[tuple[int, _Saved]]
    ) -> None:
        """Put the states that a thread comes to without a character into `out`, the preferred first."""
        todo = [(state, saved)]
        while todo:
            state, saved = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            kind = self._kinds[state]
            if kind == "split":
                todo += (self._about[state], saved), (self._next[state], saved)
            elif kind == "save":
                place = self._about[state]
                todo.append((self._next[state], (*saved[:place], at, *saved[place + 1 :])))
            elif kind == "assert":
                if _holds(self._about[state], text, at):
                    todo.append((self._next[state], saved))
            else:
                out.append((state, saved))


_Saved = tuple[int, ...]  # where in the text each place was come to last: where groups begin and end, by turns; or -1


def _spans(saved: _Saved) -> tuple[tuple[int, int], ...]:
    return tuple(zip(saved[::2], saved[1::2]))


def _nullable(node: Node) -> bool:
    match node:
        case Chars():
            return False
        case Assertion():
            return True
        case Group(_, body):
            return _nullable(body)
        case Concat(parts):
            return all(map(_nullable, parts))
        case Alternate(parts):
            return any(map(_nullable, parts))
        case Repeat(body, least, _, _):
            return least == 0 or _nullable(body)


def _holds(kind: str, text: str, at: int) -> bool:
    before, after = text[at - 1 : at] if at else "", text[at : at + 1]
    if kind.startswith("text"):
        return not (before if kind == "text start" else after)
    if kind.startswith("line"):
        return (before if kind == "line start" else after) in ("", "\n")
    return (_in_word(before) != _in_word(after)) == (kind == "word boundary")


def _in_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())
