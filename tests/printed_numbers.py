"""Compares printed examples as doctest does, but for the last digits of numbers, which are the processor's.

NumPy computes `arctan` of float32 otherwise with AVX-512 than without it: 0.7853981 here, 0.7853982 there. Numbers of a line of which
one is shown with six significant digits or more are the same within what float32 can tell of the largest; others to the letter.
"""

from __future__ import annotations

import doctest
import re

_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d*(?:e[+-]?\d+)?(?!\w)")
_TOLERANCE = 4e-7


def _close(want: str, got: str) -> bool:
    if "".join(_NUMBER.sub("#", want).split()) != "".join(_NUMBER.sub("#", got).split()):
        return False
    pairs = list(zip(_NUMBER.findall(want), _NUMBER.findall(got)))
    exact = all(len(number.partition("e")[0].strip("-0.").replace(".", "")) < 6 for pair in pairs for number in pair)
    allowed = 0 if exact else _TOLERANCE * max(abs(float(expected)) for expected, _ in pairs)
    return all(abs(float(expected) - float(found)) <= allowed for expected, found in pairs)


def with_digits_of(want: str, got: str) -> str:
    """What was printed; lines whose numbers are as good as those that were expected are written as these are."""
    expected, printed = want.splitlines(keepends=True), got.splitlines(keepends=True)
    if len(expected) != len(printed):
        return got
    return "".join(w if w != p and _close(w, p) else p for w, p in zip(expected, printed))


class Checker(doctest.OutputChecker):
    """Whether an example printed what it should."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        check = super().check_output
        return check(want, got, optionflags) or check(want, with_digits_of(want, got), optionflags)
