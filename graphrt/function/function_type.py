"""The signature of a concrete function: the types of its parameters, of its result, and of what it captured."""

from __future__ import annotations

import collections
import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from graphrt.function.trace_types.base import Described, TraceType
from graphrt.function.trace_types.leaves import LiteralType, TensorType
from graphrt.tensor.tensor import Tensor
from graphrt.types import experimental, structure
from graphrt.types.spec import TensorSpec, TypeSpec

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction

_EMPTY = inspect.Parameter.empty
_KINDS = {k.name: k for k in (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY,
)}  # fmt: skip


class ArgumentSpec:
    """The type of an argument that is no tensor: `Literal[2]`, `List[...]`; `value` is that of a literal."""

    __slots__ = ("_text", "value")

    def __init__(self, text: str, value: Any = None) -> None:
        self._text = text
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArgumentSpec) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return self._text


class Parameter:
    """A parameter of a function.

    Attributes:
      name, kind: as those of `inspect.Parameter`.
      type_constraint: a `TensorSpec`, or what describes another type; None when any type will do.
      optional: whether the Python function has a default for it.
      default: that default, where the type does not say it.
    """

    __slots__ = ("default", "kind", "name", "optional", "type_constraint")

    def __init__(self, name: str, kind: Any, optional: bool, type_constraint: Any, default: Any = _EMPTY) -> None:
        self.name = name
        self.kind = kind
        self.optional = optional
        self.type_constraint = type_constraint
        self.default = default

    def plain(self) -> inspect.Parameter:
        """This parameter as `inspect.Parameter` has it, annotated with its type."""
        known = getattr(self.type_constraint, "value", None) if self.optional else _EMPTY
        return inspect.Parameter(
            self.name, self.kind, annotation=_EMPTY if self.type_constraint is None else self.type_constraint,
            default=known if self.default is _EMPTY else self.default,
        )  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name}, kind={self.kind.name}, optional={self.optional!r}, "
            f"type_constraint={self.type_constraint!r})"
        )


class FunctionType:
    """The parameters of a function with their types, the type of the result, and the captures.

    Of a concrete function the types are those it was traced for; of another function any type will do.

    >>> import graphrt as tf
    >>> f = tf.function(lambda x, n=2: n)
    >>> f.function_type
    (x, n=2)
    >>> f.get_concrete_function([3]).function_type
    (x: List[Literal[3]], n: Literal[2]) -> TensorSpec(shape=(), dtype=tf.int32, name=None)

    Attributes:
      parameters: name -> `Parameter`, in order.
      captures: number -> `TensorSpec` of the tensors that the function is given with each call.
    """

    def __init__(
        self, parameters: Iterable[Parameter], result: Any = _EMPTY, captures: Iterable[TensorSpec] = ()
    ) -> None:
        self.parameters = collections.OrderedDict((p.name, p) for p in parameters)
        self.captures = collections.OrderedDict((str(i), spec) for i, spec in enumerate(captures))
        self._result = result

    @classmethod
    def of_concrete(cls, concrete: ConcreteFunction) -> FunctionType:
        """That of a traced function."""
        a, s = concrete.argument_type, concrete.signature
        skipped = concrete.skipped
        dims = iter(list(zip(a.dims, a.given_names)))
        declared = {p.name: p.kind.name for p in s.parameters}
        parameters = []
        for i, tree in enumerate(a.positional):
            name = s.name_of(i + skipped)
            kind = declared.get(name, "POSITIONAL_ONLY") if s.varargs is None else "POSITIONAL_ONLY"
            parameters.append(Parameter(name, _KINDS[kind], name in s.defaults, _constraint(tree, dims)))
        constraints = s.as_declared({name: _constraint(tree, dims) for name, tree in zip(a.keywords, a.trees)})
        for name, constraint in constraints.items():
            parameters.append(Parameter(name, _KINDS["KEYWORD_ONLY"], name in s.defaults, constraint))
        captures = [TensorSpec(outer.dims, outer.dtype) for outer, _ in concrete.graph.captures]
        return cls(parameters, concrete.graph.structured_outputs, captures)

    @classmethod
    def of_parameters(cls, parameters: Iterable[inspect.Parameter], specs: Iterable[Any] = ()) -> FunctionType:
        """That of a function with these parameters: the first ones take values of `specs`, the others of any type."""
        typed = itertools.zip_longest(parameters, specs)
        return cls(Parameter(p.name, p.kind, p.default is not _EMPTY, t, p.default) for p, t in typed if p is not None)

    @classmethod
    def from_callable(cls, obj: Callable[..., Any], *, follow_wrapped: bool = True) -> FunctionType:
        """That of a Python function."""
        return cls.of_parameters(inspect.signature(obj, follow_wrapped=follow_wrapped).parameters.values())

    @property
    def output(self) -> Any:
        """The type of the result; None where it is not known."""
        if self._result is _EMPTY:
            return None
        if isinstance(self._result, Tensor):
            return TensorSpec(self._result.dims, self._result.dtype)
        return ArgumentSpec(_output_text(self._result))

    @property
    def signature(self) -> inspect.Signature:
        """The parameters as `inspect.Signature` has them, annotated with their types."""
        returned = _EMPTY if self._result is _EMPTY else self.output
        return inspect.Signature([p.plain() for p in self.parameters.values()], return_annotation=returned)

    @property
    def return_annotation(self) -> Any:
        """The type of the result; `inspect.Signature.empty` where it is not known."""
        return self.signature.return_annotation

    def bind(self, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """The arguments by parameter.

        Raises:
          TypeError: they do not fit.
        """
        return self.signature.bind(*args, **kwargs)

    def bind_partial(self, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """The arguments by parameter; some may be missing.

        Raises:
          TypeError: they do not fit.
        """
        return self.signature.bind_partial(*args, **kwargs)

    def __str__(self) -> str:
        if self._result is _EMPTY:
            return str(self.signature)
        parts = []
        kinds = [p.kind.name for p in self.parameters.values()]
        for i, p in enumerate(self.parameters.values()):
            if p.kind.name == "KEYWORD_ONLY" and "KEYWORD_ONLY" not in kinds[:i]:
                parts.append("*")
            parts.append(f"{p.name}: {p.type_constraint!r}")
            if p.kind.name == "POSITIONAL_ONLY" and "POSITIONAL_ONLY" not in kinds[i + 1 :]:
                parts.append("/")
        return f"({', '.join(parts)}) -> {_output_text(self._result)}"

    def verbose(self) -> str:
        """On several lines, with the captures."""
        lines = ["Input Parameters:"]
        lines += [f"  {p.name} ({p.kind.name}): {p.type_constraint!r}" for p in self.parameters.values()]
        lines += ["Output Type:", f"  {None if self._result is _EMPTY else _output_text(self._result)}", "Captures:"]
        lines += [f"  {key}: {spec!r}" for key, spec in self.captures.items()] or ["  None"]
        return "\n".join(lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionType) and self.verbose() == other.verbose()

    def __hash__(self) -> int:
        return hash(self.verbose())

    def __repr__(self) -> str:
        return str(self)


def _constraint(type_: TraceType, dims: Described) -> TensorSpec | ArgumentSpec:
    if isinstance(type_, TensorType):
        shape, name = next(dims)
        return TensorSpec(shape, type_.dtype, name)
    return ArgumentSpec(type_.describe(dims), type_.value if isinstance(type_, LiteralType) else None)


def _output_text(value: Any) -> str:
    if value is None:
        return "Literal[None]"
    if isinstance(value, Tensor):
        return repr(TensorSpec(value.dims, value.dtype))
    if isinstance(value, structure.Nullable):
        return f"Optional[{_output_text(value.value)}]"
    if isinstance(value, structure.Composite):
        spec = getattr(value, "_type_spec", None)
        return repr(spec) if isinstance(spec, TypeSpec) else type(value).__name__
    parts = structure.children(value)
    if isinstance(value, dict):
        return f"Dict[{', '.join(f'[{k!r}, {_output_text(v)}]' for k, v in parts)}]"
    kind: type = type(value)
    name = "List" if kind is list else "Tuple" if kind is tuple else kind.__name__
    return f"{name}[{', '.join(_output_text(v) for _, v in parts)}]"


experimental.FunctionType.register(FunctionType)
