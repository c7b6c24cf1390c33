"""Functions of a SavedModel: traces without the Python source that they were made of."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Iterable, Iterator
from typing import Any

from graphrt import errors
from graphrt.function.concrete import ArgumentType, ConcreteFunction
from graphrt.function.signature import Signature
from graphrt.function.trace_types.arguments import Arguments
from graphrt.function.trace_types.base import DtypeMismatch, Mismatch
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor, behind, tensor_of
from graphrt.types.nesting import shown
from graphrt.types.shape import covers, merge
from graphrt.types.spec import TensorSpec, TypeSpec
from graphrt.types.structure import children, is_nested, rebuild

__all__ = ["RestoredFunction", "concrete_function", "named_signature", "signature_of"]

_P = inspect.Parameter


def signature_of(spec: Any, what: str) -> Signature:
    """The parameters that a `FullArgSpec` describes.

    Raises:
      InvalidArgumentError: it is none.
    """
    try:
        args, named = list(spec.args), list(spec.kwonlyargs)
        defaults, named_defaults = tuple(spec.defaults or ()), dict(spec.kwonlydefaults or {})
        parameters = [_P(a, _P.POSITIONAL_OR_KEYWORD) for a in args]
        for i, value in enumerate(defaults, len(args) - len(defaults)):
            parameters[i] = parameters[i].replace(default=value)
        if spec.varargs:
            parameters.append(_P(spec.varargs, _P.VAR_POSITIONAL))
        parameters += [_P(k, _P.KEYWORD_ONLY, default=named_defaults.get(k, _P.empty)) for k in named]
        if spec.varkw:
            parameters.append(_P(spec.varkw, _P.VAR_KEYWORD))
        inspect.Signature(parameters)
        return Signature.of(parameters, "restored")
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise errors.InvalidArgumentError(None, None, f"{what}: its parameters are damaged: {error}") from None


def named_signature(keywords: Iterable[str]) -> Signature:
    """Parameters that can be given by name only; a name that Python has no place for comes in a dictionary."""
    names = list(keywords)
    if all(k.isidentifier() and not keyword.iskeyword(k) for k in names):
        return Signature.of([_P(k, _P.KEYWORD_ONLY) for k in names], "restored")

    def bind(*args: Any, **given: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if args or set(given) != set(names):
            raise TypeError(f"it takes the keyword arguments {names}, found {list(given)} and {len(args)} others")
        return (), {k: given[k] for k in names}

    made = Signature.of([_P("arguments", _P.VAR_KEYWORD)], "restored")
    made.bind = bind
    return made


def concrete_function(
    graph: FuncGraph, taken: Any, given: Any, captured: list[Tensor], signature: Signature | None, what: str
) -> ConcreteFunction:
    """The concrete function of an imported graph.

    `taken` and `given` are its signatures, `(args, kwargs)` and the structure of the results, with specs for tensors.

    Raises:
      InvalidArgumentError: they do not go with the graph.
    """
    if not (
        isinstance(taken, tuple) and len(taken) == 2 and isinstance(taken[0], tuple) and isinstance(taken[1], dict)
    ):
        raise errors.InvalidArgumentError(None, None, f"{what}: its signature is damaged")
    args, kwargs = taken
    found = Arguments(specs_allowed=True)
    positional = tuple([found.type_of(v) for v in args])
    named = tuple([found.type_of(v) for v in kwargs.values()])
    if len(found.leaves) + len(captured) != len(graph.inputs):
        raise errors.InvalidArgumentError(
            None, None,
            f"{what}: its signature names {len(found.leaves)} tensors and {len(captured)} captured ones, but it takes "
            f"{len(graph.inputs)}",
        )  # fmt: skip
    if len({id(outer) for outer in captured}) < len(captured):
        raise errors.InvalidArgumentError(None, None, f"{what}: it captures an object twice")
    for value, leaf in zip(graph.inputs, found.leaves):
        if value.dtype is not leaf.dtype:
            raise errors.InvalidArgumentError(
                None, None, f"{what}: it takes {value.dtype.name} where its signature says {leaf.dtype.name}"
            )
    for value, outer in zip(graph.inputs[len(found.leaves) :], captured):
        if value.dtype is not outer.dtype:
            raise errors.InvalidArgumentError(
                None, None, f"{what}: it captures {value.dtype.name}, bound is {outer.dtype.name}"
            )
        if behind(outer) is not None:
            value.info = behind(outer)
        graph.bind_capture(outer, tensor_of(value))
    supply = iter(list(graph.outputs))
    graph.structured_outputs = _filled(given, supply, what)
    if next(supply, None) is not None:
        raise errors.InvalidArgumentError(None, None, f"{what}: it gives more tensors than its signature names")
    argument_type = ArgumentType(positional, tuple(kwargs), named, tuple(found.dims))
    argument_type.given_names = found.names()
    if signature is None:
        signature = named_signature(kwargs)
    made = ConcreteFunction(graph, argument_type, signature, graph.name, 0)
    made.loaded_outputs = given
    return made


def _filled(spec: Any, supply: Iterator[Any], what: str) -> Any:
    """The structure of results, with the outputs of the graph for specs."""
    if isinstance(spec, TensorSpec):
        value = next(supply, None)
        if value is None or value.dtype is not spec.dtype:
            raise errors.InvalidArgumentError(None, None, f"{what}: its results do not go with its signature")
        try:
            value.dims = merge(value.dims, spec.dims)
        except ValueError as error:
            raise errors.InvalidArgumentError(None, None, f"{what}: {error}") from None
        return tensor_of(value)
    if isinstance(spec, TypeSpec):
        described: Any = spec
        return described.from_components([_filled(s, supply, what) for s in described.component_specs])
    if is_nested(spec):
        return rebuild(spec, [_filled(v, supply, what) for _, v in children(spec)])
    return spec


class RestoredFunction:
    """A function of a SavedModel. A call runs the trace that fits its arguments; nothing is traced anew.

    Attributes:
      name: that of the function it was saved from.
      concrete_functions: its traces.
      input_signature: the specs it was declared with, or None.
    """

    def __init__(
        self, name: str, concrete_functions: list[ConcreteFunction], signature: Signature,
        input_signature: tuple[object, ...] | None, missing: list[errors.OpError],
    ) -> None:  # fmt: skip
        self.name = name
        self.__name__ = name
        self.concrete_functions = concrete_functions
        self.input_signature = input_signature
        self.signature = signature
        self._missing = missing

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the trace that fits.

        Raises:
          PermissionDeniedError: the traces open files that do not belong to the SavedModel.
          TypeError: the arguments do not fit the parameters, or the signature that was declared.
          UnimplementedError: the traces use ops that do not exist here.
          ValueError: no trace fits.
        """
        concrete, leaves = self._fitting(args, kwargs)
        return concrete.call_flat(leaves)

    def _fitting(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, list[Any]]:
        try:
            positional, keywords = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(errors.at_user_line(f"{self.name}{self.signature.text()}: {error}")) from None
        for concrete in self.concrete_functions:
            try:
                return concrete, concrete.argument_type.leaves_of(positional, keywords, self.signature, 0)
            except (Mismatch, DtypeMismatch, TypeError):
                continue
        if self._missing:
            raise self._missing[0]
        options = "\n".join(f"  {c.pretty_printed_signature(False)}" for c in self.concrete_functions)
        refusal = TypeError if self.input_signature is not None else ValueError
        raise refusal(
            errors.at_user_line(
                "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
                f"  positional arguments {shown(args)}, keyword arguments {shown(kwargs)}\n"
                f"{self.name} has {len(self.concrete_functions)} traces:\n{options}"
            )
        )

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments like these; `TensorSpec`s stand for tensors.

        Raises:
          ValueError: no trace fits.
        """
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        positional, keywords = self.signature.bind(*args, **kwargs)
        found = Arguments(specs_allowed=True)
        static = tuple([found.type_of(v) for v in positional]), tuple(keywords), tuple(
            [found.type_of(v) for v in keywords.values()]
        )  # fmt: skip
        for concrete in self.concrete_functions:
            own = concrete.argument_type
            if (own.positional, own.keywords, own.trees) == static and all(map(covers, own.dims, found.dims)):
                return concrete
        if self._missing:
            raise self._missing[0]
        raise ValueError(errors.at_user_line(f"{self.name} has no trace for {shown(args)}, {shown(kwargs)}: {self!r}"))

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The traces as text."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self.concrete_functions)

    def __repr__(self) -> str:
        return f"<RestoredFunction {self.name}{self.signature.text()} with {len(self.concrete_functions)} traces>"
