"""Text out of programs: `print`, formatting of tensors, and assertions about them."""

from __future__ import annotations

import builtins
import logging
import pprint
import sys
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import SHOWS, STATEFUL, FileAccess, define, provide
from graphrt.ops.io.files import local_path, telling
from graphrt.ops.strings.joining import StringJoin
from graphrt.ops.strings.text import lossless_text
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.scopes import no_op
from graphrt.tensor.tensor import Operation, Tensor, TensorLike, static_array
from graphrt.types import structure
from graphrt.types.dtype import DType, string
from graphrt.types.likes import Array
from graphrt.types.nesting import bounded

__all__ = ["Assert", "format", "print"]

_print = builtins.print


# --- how elements are written ----------------------------------------------------------------------------------------
def float_text(value: Any, single: bool) -> str:
    """A float as C++ `%g` with as few digits as read back to the same value: 6 or 9 (15 or 17 for a double)."""
    number = float(value)
    if number != number:
        return "nan"
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    short = f"{number:.6g}" if single else f"{number:.15g}"
    back = float(np.float32(short)) if single else float(short)
    return short if back == number else f"{number:.9g}" if single else f"{number:.17g}"


_ESCAPES = {i: f"\\{i:03o}" for i in (*range(32), 127)} | {
    10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\",
}  # fmt: skip


def element_text(value: Any, dtype: DType, quoted: bool) -> str:
    """One element as `print` writes it."""
    kind = dtype.kind
    if kind == "f":
        return float_text(value, dtype.name != "float64")
    if kind == "b":
        return "1" if value else "0"
    if kind in "iuq":
        return str(int(value[0] if kind == "q" else value))
    if kind == "S":
        text = lossless_text(value)
        text = text.translate(_ESCAPES)
        return f'"{text}"' if quoted else text
    if kind == "c":
        single = dtype.name == "complex64"
        return f"({float_text(value.real, single)},{float_text(value.imag, single)})"
    return f"<{dtype.name}>"


def _spacing(level: int, rank: int) -> str:
    return " " if level == rank - 1 else "\n" * (rank - level - 1) + " " * (level + 1)


def tensor_text(array: Array, dtype: DType, summarize: int = 3) -> str:
    """A tensor as `print` writes it: nested brackets, at most `summarize` elements at each end (-1: all)."""
    if dtype.kind == "O":
        return f"<{dtype.name}>"
    values = np.asarray(array)
    if not values.ndim:
        return element_text(values[()], dtype, True)
    ends = values.size if summarize < 0 else min(summarize, values.size)
    return _block(values, dtype, ends, 0, values.ndim)


def _block(values: Any, dtype: DType, ends: int, level: int, rank: int) -> str:
    if level == rank:
        return element_text(values if not isinstance(values, np.ndarray) else values[()], dtype, True)
    count = len(values)
    parts = [_block(values[i], dtype, ends, level + 1, rank) for i in range(min(ends, count))]
    space = _spacing(level, rank)
    text = space.join(parts)
    if count > 2 * ends:
        text += space + "..."
    for i in range(max(ends, count - ends), count):
        text += space + _block(values[i], dtype, ends, level + 1, rank)
    return f"[{text}]"


def summary_text(array: Array, dtype: DType, most: int) -> str:
    """A tensor as a failed Assert writes it: `1 2 3...`, the rows of a matrix as `[1 2][3...]...`."""
    if dtype.kind == "O":
        return f"<{dtype.name}>"
    values = np.asarray(array)
    limit = values.size if most < 0 else min(most, values.size)
    if not values.ndim:
        return element_text(values[()], dtype, False)
    out: list[str] = []
    _summarize(values, dtype, limit, 0, out)
    return "".join(out) + ("..." if values.size > limit else "")


def _summarize(values: Array, dtype: DType, left: int, level: int, out: list[str]) -> int:
    """Appends at most `left` elements of `values`; gives how many more may follow."""
    if left <= 0:
        return left
    if values.ndim == 1:
        shown = [element_text(v, dtype, False) for v in values[:left]]
        out.append(" ".join(shown) + ("..." if len(values) > left and level else ""))
        return left - len(shown)
    for part in values:
        if left > 0:
            out.append("[")
            left = _summarize(part, dtype, left, level + 1, out)
            out.append("]")
    return left


# --- StringFormat ----------------------------------------------------------------------------------------------------
def _format_kernel(inputs: list[Any], *, template: str, placeholder: str, summarize: int, T: list[DType]) -> Array:
    parts = template.split(placeholder)
    if len(parts) - 1 != len(inputs):
        raise bad(f"num placeholders in template and num inputs must match: {len(parts) - 1} vs. {len(inputs)}")
    text = parts[0]
    for value, dtype, rest in zip(inputs, T, parts[1:]):
        text += tensor_text(value, dtype, summarize) + rest
    return np.array(text.encode("utf-8", "surrogateescape"), object)


StringFormat = define(
    "StringFormat", "inputs: T... -> output: string",
    attrs="T: list(type); template: string = '%s'; placeholder: string = '%s'; summarize: int = 3",
    infer=lambda c: (), kernel=_format_kernel, vjp=lambda call, g: [None] * len(call.inputs), traits=(SHOWS,),
)  # fmt: skip


def format(
    template: str, inputs: TensorLike = (), placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A scalar string: `template` with each `placeholder` replaced by the next of `inputs`, as `print` writes it.

    >>> import graphrt as tf
    >>> tf.strings.format("x = {}", tf.constant([1, 2])).numpy()
    b'x = [1 2]'

    Raises:
      ValueError: there are more or fewer placeholders than inputs.
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    errors.expect(template, str, "template", "a text")
    wanted = template.count(placeholder)
    if wanted != len(values):
        raise ValueError(
            errors.at_user_line(
                f"The template expects {wanted} tensors, but the inputs only has {len(values)}. "
                "Please ensure the number of placeholders in template matches inputs length."
            )
        )
    return _filled(template, placeholder, values, summarize, name)


def _filled(template: str, placeholder: str, values: list[Any], summarize: int, name: str | None = None) -> Tensor:
    """`template` with its placeholders replaced by tensors, and by what ragged and sparse tensors say of themselves."""
    if not any(isinstance(v, structure.Dispatching) for v in values):
        return StringFormat(values, template=template, placeholder=placeholder, summarize=summarize, name=name)
    pieces = template.split(placeholder)
    texts: list[Any] = []
    text = pieces[0]
    run: list[Any] = []
    for value, rest in zip(values, pieces[1:]):
        if isinstance(value, structure.Dispatching):
            texts += [_filled(text, placeholder, run, summarize), value.printed(summarize)]
            text, run = rest, []
        else:
            text += placeholder + rest
            run.append(value)
    return StringJoin([*texts, _filled(text, placeholder, run, summarize)], name=name)


# --- print -----------------------------------------------------------------------------------------------------------
_LEVELS = {"log(info)": logging.INFO, "log(warning)": logging.WARNING, "log(error)": logging.ERROR}


def _print_kernel(text: Array, *, output_stream: str, end: str) -> tuple[()]:
    target, line = output_stream, lossless_text(np.asarray(text).item()) + end
    if target in ("stdout", "stderr"):
        stream = sys.stdout if target == "stdout" else sys.stderr
        if stream is not None:
            stream.write(line)
            stream.flush()
    elif target in _LEVELS:
        logging.getLogger("graphrt").log(_LEVELS[target], "%s", line.rstrip("\n"))
    elif target.startswith("file://"):
        telling(target, lambda: _append(local_path(target), line), str)
    else:
        raise bad(f"Unknown output stream: {target}")
    return ()


def _append(path: str, line: str) -> None:
    with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(line)


PrintV2 = define(
    "PrintV2", "input: string ->", attrs="output_stream: string = 'stderr'; end: string = '\\n'",
    infer=lambda c: [], kernel=_print_kernel, traits=(STATEFUL,),
    file_access=FileAccess("prints into a file", lambda c: str(c.attrs["output_stream"]).startswith("file:")),
)  # fmt: skip


def _stream_name(stream: object) -> str:
    if isinstance(stream, str):
        if stream.startswith("file://"):
            return stream
    elif stream is sys.stdout or stream is sys.__stdout__:
        return "stdout"
    elif stream is sys.stderr or stream is sys.__stderr__:
        return "stderr"
    else:
        for level in ("info", "warning", "error"):
            if getattr(stream, "__name__", None) == level and callable(stream):
                return f"log({level})"
    raise ValueError(
        errors.at_user_line(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, "
            "sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of 'file://<filepath>'."
        )
    )


class _Mark:
    """Stands for a tensor while the text around it is written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__tf_tensor__")


def _template(value: Any, placeholder: str, found: list[Any]) -> str:
    """What is written for one argument of `print`: placeholders for tensors, which are appended to `found`."""
    if isinstance(value, str):
        return value
    if _is_tensor(value):
        found.append(convert_to_tensor(value))
        return placeholder
    if isinstance(value, structure.Dispatching):
        found.append(value)
        return placeholder
    if not structure.is_nested(value):
        return pprint.pformat(value)
    leaves = structure.flatten(value)
    marked = []
    for leaf in leaves:
        if _is_tensor(leaf):
            found.append(convert_to_tensor(leaf))
            marked.append(_Mark(placeholder))
        elif isinstance(leaf, structure.Dispatching):
            found.append(leaf)
            marked.append(_Mark(placeholder))
        else:
            marked.append(leaf)
    return pprint.pformat(structure.pack_like(value, marked))


@provide
@bounded
def print(*inputs: Any, **kwargs: Any) -> Operation | None:
    """Writes its arguments, tensors and structures of them too, when it runs: in a graph, each time the graph does.

    >>> import graphrt as tf, sys
    >>> tf.print("x:", tf.constant([1.5, 2.0]), output_stream=sys.stdout)
    x: [1.5 2]

    Args:
      *inputs: anything.
      output_stream: sys.stderr (the default), sys.stdout, "file://path", or a logging function.
      summarize: how many elements are written at each end of a dimension; -1 for all.
      sep: between the arguments.
      end: after the last.
      name: of the operation.

    Raises:
      ValueError: another keyword is given, or the stream is not supported.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(errors.at_user_line(f"Unrecognized keyword arguments for tf.print: {kwargs}"))
    target = _stream_name(stream)
    if len(inputs) == 1 and _is_tensor(inputs[0]):
        only = convert_to_tensor(inputs[0])
        if only.dtype is string and only.dims == ():
            return PrintV2(only, output_stream=target, end="\n" if end is None else end, name=name)
    texts = [v for v in inputs if isinstance(v, str)] + [repr(v) for v in inputs if structure.is_nested(v)] + [sep]
    placeholder, count = "{}", 0
    while any(placeholder in t for t in texts):
        placeholder, count = f"{{{count}}}", count + 1
    found: list[Any] = []
    template = sep.join(_template(v, placeholder, found) for v in inputs)
    text = _filled(template, placeholder, found, summarize)
    return PrintV2(text, output_stream=target, end="\n" if end is None else end, name=name)


# --- Assert ----------------------------------------------------------------------------------------------------------
def _assert_kernel(condition: Array, data: list[Any], *, T: list[DType], summarize: int) -> tuple[()]:
    if np.ndim(condition):
        raise bad(f"In[0] should be a scalar: {list(np.shape(condition))}")
    if not condition:
        shown = " ".join(f"[{summary_text(v, t, summarize)}]" for v, t in zip(data, T))
        raise bad(f"assertion failed: {shown}")
    return ()


AssertOp = define(
    "Assert", "condition: bool, data: T... ->", attrs="T: list(type) >= 1; summarize: int = 3",
    infer=lambda c: [], kernel=_assert_kernel, traits=(STATEFUL, SHOWS),
)  # fmt: skip


def Assert(condition: TensorLike, data: Any, summarize: int | None = None, name: str | None = None) -> Operation | None:
    """Fails, when it runs, unless `condition` holds; the tensors `data` are shown then.

    >>> import graphrt as tf
    >>> tf.debugging.Assert(tf.constant(True), ["never shown"])

    Raises:
      InvalidArgumentError: `condition` does not hold.
    """
    most = 3 if summarize is None else summarize
    if current_graph() is None:
        holds = condition
        if _is_tensor(condition) or isinstance(condition, (np.ndarray, np.generic)):
            holds = bool(convert_to_tensor(condition))
        if not holds:
            shown = "\n".join(_data_line(v, most) for v in data)
            raise bad(errors.at_user_line(f"Expected '{condition!s}' to be true. Summarized data: {shown}"))
        return None
    with scope(name, "Assert"):
        tensor = as_tensor(condition)
        values = [convert_to_tensor(v) for v in data]
        known = static_array(tensor)
        if known is not None and known.ndim == 0 and bool(known):
            return no_op()
        return AssertOp(tensor, values, summarize=most, name="Assert")


@provide
def assert_that(
    condition: TensorLike, data: Any, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """`Assert`, for other families of ops."""
    return Assert(condition, data, summarize, name)


def _data_line(value: TensorLike, most: int) -> str:
    tensor = convert_to_tensor(value)
    array = static_array(tensor)
    assert array is not None
    if not array.ndim:
        return str(array[()])
    flat = array.ravel()
    shown = [str(v) for v in (flat if most < 0 else flat[:most])]
    return ", ".join(shown + (["..."] if 0 <= most < flat.size else []))
