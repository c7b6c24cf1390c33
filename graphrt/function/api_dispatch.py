"""`tf.experimental.dispatch_for_*`: what public functions do when they are given extension types.

A function that nobody dispatches stays as it is. The first handler for it puts a function in its place, in every
namespace of graphrt that has it, which asks the handlers before it does what the function does.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import types
import typing
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.tensor.tensor import Tensor
from graphrt.types.nesting import shown
from graphrt.types.spec import TypeSpec

_Handler = Callable[..., Any]

# where a function of one tensor, element by element, may be found; what other arguments it takes are handed on
_UNARY = """
    abs acos acosh as_string asin asinh atan atanh cast cos cosh exp floor logical_not negative ones_like round
    saturate_cast sigmoid sign sin sinh sqrt square tan tanh zeros_like math.angle math.bessel_i0 math.bessel_i0e
    math.bessel_i1 math.bessel_i1e math.ceil math.conj math.digamma math.erf math.erfc math.erfcinv math.erfinv
    math.expm1 math.imag math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid
    math.ndtri math.real math.reciprocal math.reciprocal_no_nan math.rint math.rsqrt math.softplus math.softsign
    nn.elu nn.gelu nn.leaky_relu nn.relu nn.relu6 nn.selu nn.silu nn.swish strings.length strings.lower
    strings.regex_full_match strings.strip strings.to_hash_bucket strings.to_hash_bucket_fast strings.to_number
    strings.unicode_script strings.upper bitwise.invert image.adjust_brightness image.adjust_gamma
    image.convert_image_dtype image.random_brightness debugging.check_numerics io.decode_base64 io.decode_compressed
    io.encode_base64 io.is_jpeg
""".split()  # noqa: SIM905
_BINARY = """
    add atan2 complex divide equal greater greater_equal less less_equal logical_and logical_or maximum minimum multiply
    not_equal pow realdiv scalar_mul subtract truediv truncatediv truncatemod math.divide_no_nan math.floordiv
    math.floormod math.logical_xor math.mod math.multiply_no_nan math.nextafter math.squared_difference math.xdivy
    math.xlog1py math.xlogy math.zeta nn.sigmoid_cross_entropy_with_logits bitwise.bitwise_and bitwise.bitwise_or
    bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift
""".split()  # noqa: SIM905
_ASSERTIONS = """
    debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal debugging.assert_less
    debugging.assert_less_equal debugging.assert_near debugging.assert_none_equal
""".split()  # noqa: SIM905


class _Api:
    """A public function, and the handlers that are asked before it."""

    __slots__ = ("function", "handlers", "parameters")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.parameters = list(inspect.signature(function).parameters)
        self.handlers: list[tuple[_Handler, Callable[..., Any]]] = []  # what the user gave, and what answers

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the handlers, or else the function, give."""
        for _, answer in self.handlers:
            found = answer(args, kwargs)
            if found is not NotImplemented:
                return found
        return self.function(*args, **kwargs)


_lock = threading.RLock()
# by the function, and by what stands in its place
_apis: dict[Callable[..., Any], _Api] = {}  # state: locked by _lock


def _api_of(function: Any) -> _Api:
    found = _apis.get(function) if callable(function) and getattr(type(function), "__hash__", None) else None
    if found is not None:
        return found
    module = getattr(function, "__module__", "") or ""
    if not isinstance(function, types.FunctionType) or module.partition(".")[0] != "graphrt":
        raise ValueError(errors.at_user_line(f"{shown(function)} does not support dispatch."))
    with _lock:
        return _apis.get(function) or _put_in_place(function)


def _put_in_place(function: Callable[..., Any]) -> _Api:
    """Lets handlers be asked before `function`, wherever a module of graphrt has it."""
    api = _Api(function)

    @functools.wraps(function)
    def dispatching(*args: Any, **kwargs: Any) -> Any:
        return api.call(args, kwargs)

    with _lock:
        _apis[function] = _apis[dispatching] = api
    for name, space in sorted(dict(sys.modules).items()):
        if space is not None and (name == "graphrt" or name.startswith("graphrt.")):
            for key, value in dict(vars(space)).items():
                if value is function:
                    setattr(space, key, dispatching)
    return api


def _named(name: str) -> Any:
    root = sys.modules["graphrt"]
    for part in name.split("."):
        root = getattr(root, part)
    return root


# --- which values a handler is for -----------------------------------------------------------------------------------
def _matches(value: Any, annotation: Any) -> bool:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_matches(value, p) for p in parts)
    if origin in (list, typing.List):  # noqa: UP006
        return isinstance(value, (list, tuple)) and bool(value) and all(_matches(v, parts[0]) for v in value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(parts) and all(map(_matches, value, parts))
    if isinstance(annotation, TypeSpec):
        return annotation.is_compatible_with(value)
    return isinstance(annotation, type) and isinstance(value, annotation)


def _plain(value: Any) -> bool:
    """Whether a value is a tensor, or holds tensors alone."""
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    return isinstance(value, Tensor)


def _bound(parameters: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return {**dict(zip(parameters, args)), **kwargs}


def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[_Handler], _Handler]:
    """A decorator: the function is called instead of `api` when the arguments are of the types of a signature.

    A signature is a dictionary from parameters to types (`{"x": Masked}`, `{"values": list[Masked]}`); without one, the
    annotations of the function count. Names that a program imported from graphrt before keep what they were.

    >>> import graphrt as tf
    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.shape)
    ... def masked_shape(input: Masked, out_type=tf.int32, name=None):
    ...     return tf.shape(input.values, out_type)
    >>> tf.shape(Masked([1, 2], [True, False])).numpy().tolist()
    [2]

    Raises:
      ValueError: `api` is no function of graphrt, the parameters differ from its own, or there is no signature.
    """
    target = _api_of(api)

    def register(function: _Handler) -> _Handler:
        names = list(inspect.signature(function).parameters)
        wanted = target.parameters
        if names != wanted and names != [p for p in wanted if p != "name"]:
            raise ValueError(
                errors.at_user_line(
                    f"Dispatch function's signature {inspect.signature(function)} does not match API's signature "
                    f"{inspect.signature(target.function)}."
                )
            )
        found = list(signatures)
        if not found:
            hints = typing.get_type_hints(function)
            hints.pop("return", None)
            if not hints:
                raise ValueError(
                    errors.at_user_line(
                        "must annotate at least one parameter of the dispatch function, or give a signature"
                    )
                )
            found = [hints]
        for signature in found:
            for key in signature:
                if key not in wanted:
                    raise ValueError(
                        errors.at_user_line(f"signature includes annotation for unknown parameter {shown(key)}.")
                    )

        def answer(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            given = _bound(wanted, args, kwargs)
            for signature in found:
                if all(key in given and _matches(given[key], kind) for key, kind in signature.items()) and (
                    not all(_plain(given[key]) for key in signature)  # which the function itself answers
                ):
                    if "name" not in names:
                        given.pop("name", None)
                    return function(**given)
            return NotImplemented

        with _lock:
            target.handlers = [*target.handlers, (function, answer)]
        return function

    return register


def _register_all(names: list[str], function: _Handler, kinds: tuple[Any, ...]) -> None:
    for name in names:
        api = _api_of(_named(name))

        def answer(args: tuple[Any, ...], kwargs: dict[str, Any], api: _Api = api) -> Any:
            first = api.parameters[: len(kinds)]
            given = _bound(api.parameters, args, kwargs)
            if not all(key in given and _matches(given[key], kind) for key, kind in zip(first, kinds)):
                return NotImplemented
            values = [given.pop(key) for key in first]
            called = functools.partial(api.function, **given) if given else api.function
            return function(called, *values)

        with _lock:
            api.handlers = [*api.handlers, (function, answer)]


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[_Handler], _Handler]:
    """A decorator: `handler(function, x)` answers for all functions of one tensor, element by element, of an `x_type`.

    >>> import graphrt as tf
    >>> class Marked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Marked)
    ... def marked_unary(function, x):
    ...     return Marked(function(x.values))
    >>> tf.abs(Marked([-1, 2])).values.numpy().tolist()
    [1, 2]
    """

    def register(function: _Handler) -> _Handler:
        _register_all(_UNARY, function, (x_type,))
        return function

    return register


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[_Handler], _Handler]:
    """A decorator: `handler(function, x, y)` answers for all functions of two tensors, element by element.

    >>> import graphrt as tf
    >>> class Pair(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Pair, Pair)
    ... def pair_binary(function, x, y):
    ...     return Pair(function(x.values, y.values))
    >>> tf.add(Pair([1]), Pair([2])).values.numpy().tolist()
    [3]
    """

    def register(function: _Handler) -> _Handler:
        _register_all(_BINARY, function, (x_type, y_type))
        return function

    return register


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[_Handler], _Handler]:
    """A decorator: `handler(function, x, y)` answers for the assertions that compare two tensors.

    >>> import graphrt as tf
    >>> class Checked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Checked, Checked)
    ... def checked_assertion(function, x, y):
    ...     return function(x.values, y.values)
    >>> tf.debugging.assert_equal(Checked([1]), Checked([1]))
    """

    def register(function: _Handler) -> _Handler:
        _register_all(_ASSERTIONS, function, (x_type, y_type))
        return function

    return register


def unregister_dispatch_for(dispatch_target: _Handler) -> None:
    """Takes a handler back.

    >>> import graphrt as tf
    >>> class Own(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.rank)
    ... def own_rank(input: Own, name=None):
    ...     return tf.rank(input.values)
    >>> tf.experimental.unregister_dispatch_for(own_rank)

    Raises:
      ValueError: it is no handler.
    """
    found = False
    with _lock:
        for api in dict.fromkeys(_apis.values()):
            kept = [(given, answer) for given, answer in api.handlers if given is not dispatch_target]
            found = found or len(kept) < len(api.handlers)
            api.handlers = kept
    if not found:
        raise ValueError(
            errors.at_user_line(f"Function {shown(dispatch_target)} was not registered using `dispatch_for_api`.")
        )


__all__ = [
    "dispatch_for_api", "dispatch_for_binary_elementwise_apis", "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis", "unregister_dispatch_for",
]  # fmt: skip
