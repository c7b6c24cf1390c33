"""Assertions about tensors: run at once they raise at once, while tracing they become `Assert` nodes.

What is known while tracing (ranks, dtypes, constants) is checked then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ALIASES, PER_ELEMENT, STATEFUL, OpDef, define
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.io.printing import assert_that
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.logical import logical_or
from graphrt.ops.math.reduction import reduce_all
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.scopes import group, no_op
from graphrt.tensor.tensor import EagerTensor, Operation, Tensor, TensorLike, raw_of, static_array
from graphrt.types.dtype import FLOATING, DType, as_dtype
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape
from graphrt.types.structure import Rows

__all__ = [
    "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
    "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative",
    "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank",
    "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_shapes",
    "assert_type", "check_numerics", "is_numeric_tensor",
]  # fmt: skip


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _name(tensor: Any) -> str:
    """What messages call a tensor; one that was made outside of the graph has no name."""
    if isinstance(tensor, EagerTensor):
        return f"shape={tensor.shape} dtype={tensor.dtype.name}"
    return str(getattr(tensor, "name", tensor))


def _array(tensor: Any) -> Array:
    return np.asarray(raw_of(tensor))


# --- element-wise comparisons ----------------------------------------------------------------------------------------
def _shown(array: Array, most: int) -> str:
    flat = np.ravel(array)
    return str(flat if most < 0 else flat[:most])


def _compare_now(op: Any, sign: str, x: Any, y: Any, message: str | None, summarize: int | None) -> None:
    holds = np.asarray(raw_of(op(x, y)))
    if holds.all():
        return
    most = 3 if summarize is None else summarize
    a, b = np.asarray(raw_of(x)), np.asarray(raw_of(y))
    lines = [str(message)] if message else []
    lines.append(f"Condition x {sign} y did not hold.")
    if holds.ndim:
        wrong = np.argwhere(~holds)
        wrong = wrong if most < 0 else wrong[:most]
        full_a, full_b = np.broadcast_to(a, holds.shape), np.broadcast_to(b, holds.shape)
        lines += [
            f"Indices of first {len(wrong)} different values:", str(wrong),
            "Corresponding x values:", str(full_a[tuple(wrong.T)]),
            "Corresponding y values:", str(full_b[tuple(wrong.T)]),
        ]  # fmt: skip
    count_a, count_b = (a.size, b.size) if most < 0 else (min(a.size, most), min(b.size, most))
    lines += [
        f"First {count_a} elements of x:", _shown(a, most), f"First {count_b} elements of y:", _shown(b, most),
    ]  # fmt: skip
    raise bad(errors.at_user_line("\n".join(lines)))


def _compare(
    op: Any, sign: str, x: Any, y: object, message: Any, summarize: Any, name: str | None, default: str,
    left: str = "x", right: str = "y",
) -> Operation | None:  # fmt: skip
    with scope(name, default):
        first = as_tensor(x, y.dtype if isinstance(y, Tensor) and not isinstance(x, Tensor) else None, name=left)
        second = as_tensor(y, None if isinstance(y, Tensor) else first.dtype, name=right)
        if isinstance(first, Rows) or isinstance(second, Rows):
            holds = op(first, second).flat_values  # which raises where the rows have different lengths
            text = f"{message} " if message else ""
            shown: list[Any] = [f"{text}Condition x {sign} y did not hold element-wise:"]
            shown += [v.printed(3) if isinstance(v, Rows) else v for v in (first, second)]
            return assert_that(reduce_all(holds), shown, summarize=summarize)
        if current_graph() is None:
            _compare_now(op, sign, first, second, message, summarize)
            return None
        holds = op(first, second)
        condition = reduce_all(holds)
        data: list[Any] = [message] if message else []
        data += [f"Condition x {sign} y did not hold element-wise:"]
        data += [f"{left} ({_name(first)}) = ", first, f"{right} ({_name(second)}) = ", second]
        _check_static(holds, sign, (first, second), (left, right), message)
        return assert_that(condition, data, summarize=summarize)


def _check_static(
    holds: Tensor, sign: str, values: tuple[Tensor, Tensor], names: tuple[str, ...], message: str | None
) -> None:
    known = static_array(holds)
    if known is None or np.all(known):
        return
    arrays = [static_array(v) for v in values]
    lines = [str(message)] if message else []
    lines.append(f"Condition x {sign} y did not hold element-wise:")
    for n, v, a in zip(names, values, arrays):
        lines += [f"{n} ({_name(v)}) = ", str(a)]
    raise bad(errors.at_user_line("\n".join(lines)))


def assert_equal(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                 name: str | None = None) -> Operation | None:  # fmt: skip
    """Fails unless `x == y` holds for all elements.

    >>> import graphrt as tf
    >>> tf.debugging.assert_equal([1, 2], [1, 2])

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _compare(Equal, "==", x, y, message, summarize, name, "assert_equal")


def assert_none_equal(x: TensorLike, y: TensorLike, summarize: int | None = None, message: str | None = None,
                      name: str | None = None) -> Any:  # fmt: skip
    """Fails unless `x != y` holds for all elements.

    >>> import graphrt as tf
    >>> tf.debugging.assert_none_equal([1, 2], [2, 3])

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _compare(NotEqual, "!=", x, y, message, summarize, name, "assert_none_equal")


def assert_less(x: TensorLike, y: TensorLike, message: str | None = None, summarize: TensorLike | None = None,
                name: str | None = None) -> Operation | None:  # fmt: skip
    """Fails unless `x < y` holds for all elements.

    >>> import graphrt as tf
    >>> tf.debugging.assert_less([1, 2], 3)

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _compare(Less, "<", x, y, message, summarize, name, "assert_less")


def assert_less_equal(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                      name: str | None = None) -> Any:  # fmt: skip
    """Fails unless `x <= y` holds for all elements.

    >>> import graphrt as tf
    >>> tf.debugging.assert_less_equal([1, 2], 2)

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _compare(LessEqual, "<=", x, y, message, summarize, name, "assert_less_equal")


def assert_greater(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                   name: str | None = None) -> Any:  # fmt: skip
    """Fails unless `x > y` holds for all elements.

    >>> import graphrt as tf
    >>> tf.debugging.assert_greater([1, 2], 0)

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _compare(Greater, ">", x, y, message, summarize, name, "assert_greater")


def assert_greater_equal(x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
                         name: str | None = None) -> Any:  # fmt: skip
    """Fails unless `x >= y` holds for all elements.

    >>> import graphrt as tf
    >>> tf.debugging.assert_greater_equal([1, 2], 1)

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _compare(GreaterEqual, ">=", x, y, message, summarize, name, "assert_greater_equal")


def _sign(
    op: OpDef, sign: str, x: TensorLike, message: str | None, summarize: int | None, name: str | None, default: str
) -> Operation | None:
    with scope(name, default):
        value = as_tensor(x, name="x")
        value = getattr(value, "flat_values", value)  # of a ragged tensor
        zero = convert_to_tensor(0, value.dtype, name="Const")
        if current_graph() is None:
            holds = np.asarray(raw_of(op(value, zero)))
            if holds.all():
                return None
            raise bad(
                errors.at_user_line(
                    f"{message or ''}\nCondition x {sign} 0 did not hold element-wise:\nx (shape={value.shape} "
                    f"dtype={value.dtype.name}) = \n{_shown(_array(value), 3 if summarize is None else summarize)}"
                )
            )
        holds = op(value, zero)
        known = static_array(holds)
        if known is not None and not np.all(known):
            raise bad(
                errors.at_user_line(
                    f"{message or ''}\nCondition x {sign} 0 did not hold element-wise:\nx ({_name(value)}) = \n"
                    f"{static_array(value)}"
                )
            )
        data = [message or "", f"Condition x {sign} 0 did not hold element-wise:", f"x ({_name(value)}) = ", value]
        return assert_that(reduce_all(holds), data, summarize=summarize)


def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Fails unless all elements are above 0.

    >>> import graphrt as tf
    >>> tf.debugging.assert_positive([1, 2])

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _sign(Greater, ">", x, message, summarize, name, "assert_positive")


def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails unless all elements are below 0.

    >>> import graphrt as tf
    >>> tf.debugging.assert_negative([-1, -2])

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _sign(Less, "<", x, message, summarize, name, "assert_negative")


def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails unless all elements are 0 or above.

    >>> import graphrt as tf
    >>> tf.debugging.assert_non_negative([0, 2])

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _sign(GreaterEqual, ">=", x, message, summarize, name, "assert_non_negative")


def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails unless all elements are 0 or below.

    >>> import graphrt as tf
    >>> tf.debugging.assert_non_positive([0, -2])

    Raises:
      InvalidArgumentError: it does not hold.
    """
    return _sign(LessEqual, "<=", x, message, summarize, name, "assert_non_positive")


def assert_near(
    x: TensorLike, y: TensorLike, rtol: TensorLike | None = None, atol: TensorLike | None = None,
    message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:  # fmt: skip
    """Fails unless `abs(x - y) <= atol + rtol * abs(y)` for all elements; both default to 10 units in the last place.

    >>> import graphrt as tf
    >>> tf.debugging.assert_near([1.], [1.0000001])

    Raises:
      InvalidArgumentError: it does not hold.
    """
    with scope(name, "assert_near"):
        first = as_tensor(x, name="x")
        second = as_tensor(y, None if isinstance(y, Tensor) else first.dtype, name="y")
        eps = 10.0 * float(np.finfo(first.dtype.as_numpy_dtype).eps) if first.dtype.is_floating else 0.0
        relative = cast(eps if rtol is None else rtol, first.dtype)
        absolute = cast(eps if atol is None else atol, first.dtype)
        near = abs_(first - second) <= absolute + relative * abs_(second)
        data = [
            message or "", f"x and y not equal to tolerance rtol = {eps if rtol is None else rtol}, atol = "
            f"{eps if atol is None else atol}", f"x ({_name(first)}) = ", first, f"y ({_name(second)}) = ", second,
        ]  # fmt: skip
        return assert_that(reduce_all(near), data, summarize=summarize)


# --- ranks and shapes ------------------------------------------------------------------------------------------------
def _rank_check(
    x: TensorLike, wanted: list[int], fits: Callable[..., Any], words: str, message: str | None, name: str | None,
    default: str
) -> Operation | None:  # fmt: skip
    with scope(name, default):
        value = as_tensor(x, name="x")
        prefix = _prefix(message)
        label = "" if isinstance(value, EagerTensor) else _name(value)
        if value.dims is not None and all(w is not None for w in wanted):
            have = len(value.dims)
            if not fits(have, [int(w) for w in wanted]):
                raise ValueError(
                    errors.at_user_line(
                        f"{prefix}Tensor {label} must have rank {words}.  Received rank {have}, shape {value.shape}"
                    )
                )
            return no_op() if current_graph() is not None else None
        rank = rank_(value)
        holds = [_rank_condition(rank, w, default) for w in wanted]
        condition = holds[0]
        for h in holds[1:]:
            condition = logical_or(condition, h)
        data = [f"{prefix}Tensor {label} must have rank {words}.", "Received shape: ", shape_(value)]
        return assert_that(condition, data)


def _rank_condition(rank: Any, wanted: Any, default: str) -> Any:
    return GreaterEqual(rank, wanted) if default.endswith("at_least") else Equal(rank, wanted)


def _static_rank(rank: Any) -> Any:
    found = static_array(rank) if isinstance(rank, Tensor) else rank
    if found is None:
        return None
    array = np.asarray(found)
    if array.ndim:
        raise ValueError(errors.at_user_line("Rank must be a scalar."))
    if array.dtype.kind not in "iu":
        raise TypeError(errors.at_user_line("Rank must be an integer."))
    return int(array)


def assert_rank(
    x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Fails unless `x` has rank `rank`.

    >>> import graphrt as tf
    >>> tf.debugging.assert_rank([1, 2], 1)

    Raises:
      ValueError: the rank is known, and another.
      InvalidArgumentError: the rank turns out to be another.
    """
    return _rank_check(x, [_static_rank(rank)], lambda r, w: r == w[0], str(_static_rank(rank)), message, name,
                       "assert_rank")  # fmt: skip


def assert_rank_at_least(x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Fails unless `x` has at least rank `rank`.

    >>> import graphrt as tf
    >>> tf.debugging.assert_rank_at_least([1, 2], 1)

    Raises:
      ValueError: the rank is known, and lower.
      InvalidArgumentError: the rank turns out to be lower.
    """
    return _rank_check(x, [_static_rank(rank)], lambda r, w: r >= w[0], f"at least {_static_rank(rank)}", message,
                       name, "assert_rank_at_least")  # fmt: skip


def assert_rank_in(x: TensorLike, ranks: Any, message: str | None = None, name: str | None = None) -> Any:
    """Fails unless the rank of `x` is one of `ranks`.

    >>> import graphrt as tf
    >>> tf.debugging.assert_rank_in([1, 2], (0, 1))

    Raises:
      ValueError: the rank is known, and another.
      InvalidArgumentError: the rank turns out to be another.
    """
    wanted = [_static_rank(r) for r in ranks]
    return _rank_check(x, wanted, lambda r, w: r in w, f"in {tuple(wanted)}", message, name, "assert_rank_in")


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Tensor:
    """Fails unless `tensor` is known to be a scalar; gives it back.

    >>> import graphrt as tf
    >>> tf.debugging.assert_scalar(1).numpy().item()
    1

    Raises:
      ValueError: it has another rank.
    """
    value = as_tensor(tensor)
    if value.dims != ():
        prefix = _prefix(message)
        what = "" if isinstance(value, EagerTensor) else f" for {_name(value)}"
        raise ValueError(errors.at_user_line(f"{prefix}Expected scalar shape{what}, saw shape: {value.shape}."))
    return value


def assert_shapes(shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
                  name: str | None = None) -> None:  # fmt: skip
    """Fails unless the tensors have the given shapes, in which equal symbols stand for equal sizes.

    A size is a number, a symbol, or None or "." for any; "..." or "*" at the start or end stands for any dimensions.

    >>> import graphrt as tf
    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", "M")), (tf.ones([3]), ("M",))])

    Raises:
      ValueError: what is known while tracing does not fit.
      InvalidArgumentError: a size turns out to be another.
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    with scope(name, "assert_shapes"):
        seen: dict[str, tuple[Any, str]] = {}
        checks: list[Any] = []
        for tensor, wanted in pairs:
            value = as_tensor(tensor)
            _check_shape(value, _symbols(wanted), seen, checks, message, summarize)
        return group(*checks) if checks and current_graph() is not None else None


def _symbols(wanted: Any) -> list[Any]:
    if isinstance(wanted, (int, str)) and not isinstance(wanted, bool):
        wanted = [wanted] if isinstance(wanted, int) or wanted in ("...", "*") else list(wanted)
    if isinstance(wanted, TensorShape):
        wanted = wanted.as_list()
    return ["..." if s == "*" else s for s in wanted]


def _check_shape(value: Tensor, symbols: list[Any], seen: dict[str, Any], checks: list[Any], message: str | None,
                 summarize: int | None) -> None:  # fmt: skip
    prefix = _prefix(message)
    label = f"shape={value.shape} dtype={value.dtype.name}" if isinstance(value, EagerTensor) else _name(value)
    open_left = bool(symbols) and symbols[0] == "..."
    open_right = len(symbols) > 1 and symbols[-1] == "..."
    core = symbols[1:] if open_left else symbols
    core = core[:-1] if open_right else core
    if "..." in core or (open_left and open_right):
        raise ValueError(errors.at_user_line(f"{prefix}'...' may stand only at one end of a shape, found {symbols}"))
    if value.dims is not None:
        have = len(value.dims)
        if have < len(core) or (have != len(core) and not open_left and not open_right):
            words = f"at least {len(core)}" if open_left or open_right else str(len(core))
            raise ValueError(
                errors.at_user_line(
                    f"{prefix}Tensor {label} must have rank {words}.  Received rank {have}, shape {value.shape}"
                )
            )
    shape = shape_(value)
    for i, symbol in enumerate(core):
        if symbol is None or symbol == ".":
            continue
        at = i - len(core) if open_left else i
        size = None if value.dims is None else value.dims[at]
        key = str(symbol)
        if isinstance(symbol, int) or key.isdigit():
            expected, by = int(symbol), "explicitly"
        elif key in seen:
            expected, by = seen[key]
        else:
            seen[key] = (size if size is not None else getitem(shape, at), f"by tensor {label} dimension {at}")
            continue
        if isinstance(expected, int) and size is not None:
            if expected != size:
                raise ValueError(
                    errors.at_user_line(
                        f"{prefix}Specified {by}.  Tensor {label} dimension {at} must have size {expected}.  "
                        f"Received size {size}, shape {value.shape}"
                    )
                )
            continue
        now = size if size is not None else getitem(shape, at)
        checks.append(
            assert_that(
                Equal(now, expected),
                [f"{prefix}Tensor {label} dimension {at} must have the size specified {by}", "Received shape: ", shape],
                summarize=summarize,
            )
        )


# --- dtypes ----------------------------------------------------------------------------------------------------------
def assert_type(tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None) -> Any:
    """Fails unless `tensor` has dtype `tf_type`.

    >>> import graphrt as tf
    >>> tf.debugging.assert_type([1, 2], tf.int32)

    Raises:
      TypeError: it has another dtype.
    """
    wanted, value = as_dtype(tf_type), as_tensor(tensor)
    if value.dtype is not wanted:
        prefix = _prefix(message)
        label = "tensor" if isinstance(value, EagerTensor) else _name(value)
        raise TypeError(errors.at_user_line(f"{prefix}{label} must be of type {shown(wanted)}; got {value.dtype!r}"))
    return no_op() if current_graph() is not None else None


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Fails unless `x` has an integer dtype.

    >>> import graphrt as tf
    >>> tf.debugging.assert_integer([1, 2])

    Raises:
      TypeError: it has another dtype.
    """
    value = as_tensor(x)
    if not value.dtype.is_integer:
        prefix = _prefix(message)
        label = "tensor" if isinstance(value, EagerTensor) else _name(value)
        raise TypeError(
            errors.at_user_line(f'{prefix}Expected "x" to be integer type.  Found: {label} of dtype {value.dtype!r}')
        )
    return no_op() if current_graph() is not None else None


def assert_same_float_dtype(tensors: Any = None, dtype: DTypeLike | None = None) -> DType:
    """Fails unless all `tensors` have one floating-point dtype (that of `dtype`, if given); gives it back.

    >>> import graphrt as tf
    >>> tf.debugging.assert_same_float_dtype([tf.ones([1])])
    tf.float32

    Raises:
      ValueError: they have not.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    first = None
    for t in tensors or ():
        if t is None:
            continue
        t = t if hasattr(t, "dtype") else as_tensor(t)
        if wanted is None:
            wanted, first = as_dtype(t.dtype), t
        elif t.dtype is not wanted:
            what = f" as {first!r}" if first is not None else ""
            raise ValueError(
                errors.at_user_line(f"{shown(t)}, type={t.dtype!r}, must be of the same type ({shown(wanted)}){what}.")
            )
    wanted = wanted or as_dtype("float32")
    if not wanted.is_floating:
        raise ValueError(errors.at_user_line(f"Expected floating point type, got {shown(wanted)}."))
    return wanted


def assert_proper_iterable(values: TensorLike) -> None:
    """Fails unless `values` is something other than a tensor, an array or a string that can be iterated over.

    >>> import graphrt as tf
    >>> tf.debugging.assert_proper_iterable([1, 2])

    Raises:
      TypeError: it is not.
    """
    if isinstance(values, (Tensor, np.ndarray, str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(errors.at_user_line(f'Expected argument "values" to be iterable.  Found: {type(values)}'))


def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Whether `tensor` is a tensor of numbers.

    >>> import graphrt as tf
    >>> tf.debugging.is_numeric_tensor(tf.constant("a"))
    False
    """
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


# --- CheckNumerics ---------------------------------------------------------------------------------------------------
def _check_kernel(x: Array, *, message: str) -> Array:
    if not np.isfinite(x).all():
        found = []
        if np.isinf(x).any():
            found.append("Inf")
        if np.isnan(x).any():
            found.append("NaN")
        raise bad(f"{message} : Tensor had {' and '.join(found)} values")
    return x


CheckNumerics: OpDef = define(
    "CheckNumerics", "tensor: T -> output: T", attrs="T: type; message: string", allowed={"T": FLOATING},
    infer=lambda c: c.dims(0), kernel=_check_kernel,
    vjp=lambda call, g: [
        CheckNumerics(g, message=f"Not a number (NaN) or infinity (Inf) values detected in gradient. "
                                 f"{call.attrs['message']}")
    ],
    traits=(ALIASES, STATEFUL, PER_ELEMENT),
)  # fmt: skip


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`tensor`; fails, when it runs, if an element is infinite or not a number.

    >>> import graphrt as tf
    >>> tf.debugging.check_numerics([1., 2.], "bad").numpy().tolist()
    [1.0, 2.0]

    Raises:
      InvalidArgumentError: an element is not finite; the text begins with `message`.
    """
    return CheckNumerics(tensor, message=message, name=name)


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x`; fails, when it runs, if an element is infinite or not a number.

    >>> import graphrt as tf
    >>> tf.debugging.assert_all_finite([1., 2.], "bad").numpy().tolist()
    [1.0, 2.0]

    Raises:
      InvalidArgumentError: an element is not finite; the text begins with `message`.
    """
    with scope(name, "VerifyFinite"):
        return check_numerics(x, message)
