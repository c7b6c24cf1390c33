"""Regular expressions on tensors of strings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.ir.op import define
from graphrt.ops.strings.text import each_element, lossless_text, no_gradient
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import same_shape
from graphrt.tensor.tensor import TensorLike

__all__ = ["regex_full_match", "regex_replace"]


# --- regular expressions ---------------------------------------------------------------------------------------------
def _compiled(pattern: Any) -> re.Pattern[bytes]:
    raw = pattern if isinstance(pattern, bytes) else str(pattern).encode("utf-8", "surrogateescape")
    try:
        return re.compile(raw)
    except re.error as error:
        raise bad(f"Invalid pattern: {lossless_text(raw)}, error: {error}") from None


def _rewrite(rewrite: Any) -> Callable[[re.Match[bytes]], bytes]:
    """A replacement in which \\1 is a group and \\0 the whole match."""
    raw = rewrite if isinstance(rewrite, bytes) else str(rewrite).encode("utf-8", "surrogateescape")
    parts = re.split(rb"\\(\d|\\)", raw)

    def replace(match: re.Match[bytes]) -> bytes:
        out = [parts[0]]
        for code, rest in zip(parts[1::2], parts[2::2]):
            out.append(b"\\" if code == b"\\" else match.group(int(code)) or b"")
            out.append(rest)
        return b"".join(out)

    return replace


def _replace_kernel(x: Any, pattern: Any, rewrite: Any, replace_global: bool) -> Any:
    compiled, replace = _compiled(pattern), _rewrite(rewrite)
    return each_element(lambda v: compiled.sub(replace, v, count=0 if replace_global else 1), x)


StaticRegexReplace = define(
    "StaticRegexReplace", "input: string -> output: string",
    attrs="pattern: string; rewrite: string; replace_global: bool = True", infer=same_shape, vjp=no_gradient,
    kernel=lambda x, *, pattern, rewrite, replace_global: _replace_kernel(x, pattern, rewrite, replace_global),
)  # fmt: skip
RegexReplace = define(
    "RegexReplace", "input: string, pattern: string, rewrite: string -> output: string",
    attrs="replace_global: bool = True", infer=same_shape, vjp=no_gradient,
    kernel=lambda x, pattern, rewrite, *, replace_global: _replace_kernel(
        x, np.asarray(pattern).item(), np.asarray(rewrite).item(), replace_global
    ),
)  # fmt: skip


def regex_replace(
    input: TensorLike, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Each string with what matches `pattern` replaced by `rewrite`, in which \\1 to \\9 stand for groups.

    >>> import graphrt as tf
    >>> tf.strings.regex_replace("a1b2", "[0-9]", "-").numpy()
    b'a-b-'

    Raises:
      InvalidArgumentError: `pattern` is no regular expression.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return StaticRegexReplace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return RegexReplace(input, pattern, rewrite, replace_global=replace_global, name=name)


def _full_match_kernel(x: Any, pattern: Any) -> Any:
    compiled = _compiled(pattern)
    return each_element(lambda v: compiled.fullmatch(v) is not None, x, np.bool_)


StaticRegexFullMatch = define(
    "StaticRegexFullMatch", "input: string -> output: bool", attrs="pattern: string", infer=same_shape,
    kernel=lambda x, *, pattern: _full_match_kernel(x, pattern), vjp=no_gradient,
)  # fmt: skip
RegexFullMatch = define(
    "RegexFullMatch", "input: string, pattern: string -> output: bool", infer=same_shape,
    kernel=lambda x, pattern: _full_match_kernel(x, np.asarray(pattern).item()), vjp=no_gradient,
)  # fmt: skip


def regex_full_match(input: TensorLike, pattern: Any, name: str | None = None) -> Any:
    """Whether each string matches `pattern` as a whole.

    >>> import graphrt as tf
    >>> tf.strings.regex_full_match(["ab", "abc"], "[ab]+").numpy().tolist()
    [True, False]

    Raises:
      InvalidArgumentError: `pattern` is no regular expression.
    """
    if isinstance(pattern, (str, bytes)):
        return StaticRegexFullMatch(input, pattern=pattern, name=name)
    return RegexFullMatch(input, pattern, name=name)
