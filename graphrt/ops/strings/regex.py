"""Regular expressions on strings, in RE2's syntax and meaning, as TensorFlow has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from graphrt.ir.op import PER_ELEMENT, define
from graphrt.ops.strings import re2_matching, re2_syntax
from graphrt.ops.strings.text import each_element, lossless_bytes, lossless_text, no_gradient
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import same_shape
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import Array

__all__ = ["regex_full_match", "regex_replace"]


def _compiled(pattern: bytes | str) -> re2_matching.Expression:
    raw = lossless_bytes(pattern)
    try:
        return re2_matching.compiled(raw)
    except re2_syntax.SyntaxRefused as error:
        raise bad(f"Invalid pattern: {lossless_text(raw)}, error: {error}") from None


def _rewriting(rewrite: bytes | str, expression: re2_matching.Expression) -> Callable[[Sequence[bytes]], bytes]:
    """A replacement in which \\1 is a group, \\0 the whole match and \\\\ a backslash."""
    raw = lossless_bytes(rewrite)
    parts = re.split(rb"\\(\d|\\)", raw)
    for code, rest in zip(["", *parts[1::2]], parts[::2]):
        if b"\\" in rest:
            raise bad(f"Invalid rewrite: {lossless_text(raw)}, error: after \\ a digit or \\ is expected")
        if code and code != b"\\" and int(code) > expression.groups:
            raise bad(
                f"Invalid rewrite: {lossless_text(raw)}, error: \\{int(code)} of a pattern of {expression.groups} groups"
            )

    def replaced(groups: Sequence[bytes]) -> bytes:
        out = [parts[0]]
        for code, rest in zip(parts[1::2], parts[2::2]):
            number = -1 if code == b"\\" else int(code)
            out.append(b"\\" if number < 0 else groups[number] if number < len(groups) else b"")
            out.append(rest)
        return b"".join(out)

    return replaced


def _replace_kernel(x: Array, pattern: bytes | str, rewrite: bytes | str, replace_global: bool) -> Array:
    expression = _compiled(pattern)
    replaced = _rewriting(rewrite, expression)

    def replace(text: bytes) -> bytes:
        out: list[bytes] = []
        rest = 0
        for groups, before in expression.matches(text):
            out += before, replaced(groups) if groups else b""
            rest += len(before) + (len(groups[0]) if groups else 0)
            if not replace_global:
                return b"".join(out) + text[rest:]
        return b"".join(out)

    return each_element(replace, x)


StaticRegexReplace = define(
    "StaticRegexReplace", "input: string -> output: string",
    attrs="pattern: string; rewrite: string; replace_global: bool = True", infer=same_shape, vjp=no_gradient,
    kernel=lambda x, *, pattern, rewrite, replace_global: _replace_kernel(x, pattern, rewrite, replace_global),
    traits=(PER_ELEMENT,),
)  # fmt: skip
RegexReplace = define(
    "RegexReplace", "input: string, pattern: string[0], rewrite: string[0] -> output: string",
    attrs="replace_global: bool = True", infer=same_shape, vjp=no_gradient,
    kernel=lambda x, pattern, rewrite, *, replace_global: _replace_kernel(
        x, np.asarray(pattern).item(), np.asarray(rewrite).item(), replace_global
    ),
    traits=(PER_ELEMENT,),
)  # fmt: skip


def regex_replace(
    input: TensorLike, pattern: TensorLike, rewrite: TensorLike, replace_global: bool = True, name: str | None = None
) -> Tensor:
    """Each string with what matches `pattern` replaced by `rewrite`, in which \\1 to \\9 stand for groups, \\0 for all.

    >>> import graphrt as tf
    >>> tf.strings.regex_replace("a1b2", "[0-9]", "-").numpy()
    b'a-b-'

    Args:
      input: Strings of any shape; characters are those of UTF-8.
      pattern: A regular expression in RE2's syntax, https://github.com/google/re2/wiki/Syntax.
      rewrite: What is put in place of a match.
      replace_global: Replace each match, not only the first.
      name: A name for the operation.

    Returns:
      Strings of the shape of `input`.

    Raises:
      InvalidArgumentError: `pattern` is no regular expression of RE2's, or `rewrite` names a group that it has not.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return StaticRegexReplace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return RegexReplace(input, pattern, rewrite, replace_global=replace_global, name=name)


def _full_match_kernel(x: Array, pattern: bytes | str) -> Array:
    return each_element(_compiled(pattern).full_match, x, np.bool_)


StaticRegexFullMatch = define(
    "StaticRegexFullMatch", "input: string -> output: bool", attrs="pattern: string", infer=same_shape,
    kernel=lambda x, *, pattern: _full_match_kernel(x, pattern), vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip
RegexFullMatch = define(
    "RegexFullMatch", "input: string, pattern: string[0] -> output: bool", infer=same_shape,
    kernel=lambda x, pattern: _full_match_kernel(x, np.asarray(pattern).item()), vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether each string matches `pattern`, in RE2's syntax, as a whole.

    >>> import graphrt as tf
    >>> tf.strings.regex_full_match(["ab", "abc"], "[ab]+").numpy().tolist()
    [True, False]

    Args:
      input: Strings of any shape; characters are those of UTF-8.
      pattern: A regular expression, https://github.com/google/re2/wiki/Syntax.
      name: A name for the operation.

    Returns:
      bool of the shape of `input`.

    Raises:
      InvalidArgumentError: `pattern` is no regular expression of RE2's.
    """
    if isinstance(pattern, (str, bytes)):
        return StaticRegexFullMatch(input, pattern=pattern, name=name)
    return RegexFullMatch(input, pattern, name=name)
