"""The fast way into a trace: generated code that tests the arguments of a call, runs the program, wraps the results.

For `f(x, n)` called with a float32 scalar and the integer 3 it reads

    def entry(args, kwargs):
        if kwargs or len(args) != 2: return MISS
        a0, a1 = args
        if type(a0) is not Tensor: return MISS
        v0 = a0._value
        if type(v0) is not float32: return MISS
        if type(a1) is not int or a1 != 3: return MISS
        r = program(v0)
        t0 = new(Tensor); t0._value = r[0]; t0._dtype = d0
        return t0

`MISS` sends the call the slow way round, which also serves whatever has no entry. An entry never changes what a call
means: it only recognizes, from the raw arguments, a call that has been resolved before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.function.trace_type import (
    LITERAL,
    MAPPING,
    OBJECT,
    RECORD,
    SEQUENCE,
    TENSOR,
    VARIABLE,
    Tree,
    literal_value,
)
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types.dtype import DType
from graphrt.types.shape import Dims

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction

Entry = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS = _Miss()
_LIMIT = 64  # parts of arguments: longer tests are not faster than the general way
_INLINE = (int, str, bytes)


class _Unsupported(Exception):
    """An argument that only the slow way can recognize."""


class _Raw:
    """A raw argument on its way through the binder: the expression that reads it, and its value now."""

    __slots__ = ("expression", "value")

    def __init__(self, expression: str, value: Any) -> None:
        self.expression = expression
        self.value = value


class _Writer:
    def __init__(self, exact: bool) -> None:
        self.exact = exact  # test whole shapes: another trace serves other shapes
        self.lines: list[str] = []
        self.values: list[str] = []
        self.count = 0
        self.names: dict[str, Any] = {
            "Tensor": EagerTensor,
            "ndarray": np.ndarray,
            "MISS": MISS,
            "new": EagerTensor.__new__,
        }
        self._bound: dict[int, str] = {}

    def bind(self, thing: Any, hint: str) -> str:
        name = self._bound.get(id(thing))
        if name is None:
            name = self._bound[id(thing)] = f"{hint}{len(self._bound)}"
            self.names[name] = thing
        return name

    def miss_if(self, test: str) -> None:
        self.lines.append(f"if {test}: return MISS")

    def fresh(self, prefix: str) -> str:
        self.count += 1
        if self.count > _LIMIT:
            raise _Unsupported
        return f"{prefix}{self.count}"

    # --- tests ---
    def check(self, tree: Tree, dims: Any, expression: str, value: Any) -> None:
        """Writes the test that `expression` is what `tree` says; tensors go to `values`."""
        tag = tree[0]
        if tag == TENSOR:
            self._tensor(tree[1], next(dims), expression, value)
        elif tag == LITERAL:
            self._literal(tree, expression, value)
        elif tag == SEQUENCE and type(value) is tree[1] and tree[1] in (list, tuple):
            self.miss_if(f"type({expression}) is not {tree[1].__name__} or len({expression}) != {len(tree[2])}")
            names = [self.fresh("p") for _ in tree[2]]
            if names:
                self.lines.append(f"{', '.join(names)}, = {expression}")
            for part, name, item in zip(tree[2], names, value):
                self.check(part, dims, name, item)
        elif tag == MAPPING and type(value) is dict and tree[1] is dict:
            self._mapping(tree, dims, expression, value)
        elif tag == RECORD and hasattr(tree[1], "_fields") and type(value) is tree[1]:
            self.miss_if(f"type({expression}) is not {self.bind(tree[1], 'type')}")
            for part, field in zip(tree[2], tree[1]._fields):
                name = self.fresh("p")
                self.lines.append(f"{name} = {expression}.{field}")
                self.check(part, dims, name, getattr(value, field))
        elif tag in (VARIABLE, OBJECT) and tree[2] != "handle":
            self.miss_if(f"{expression} is not {self.bind(tree[1]._reference, 'living')}()")
        else:
            raise _Unsupported

    def _mapping(self, tree: Tree, dims: Any, expression: str, value: Any) -> None:
        self.miss_if(f"type({expression}) is not dict or len({expression}) != {len(tree[2])}")
        for (kind, key), part in zip(tree[2], tree[3]):
            if kind not in _INLINE:
                raise _Unsupported
            name = self.fresh("p")
            if part[0] == LITERAL and part[2] is None:
                self.miss_if(f"{key!r} not in {expression}")
            self.lines.append(f"{name} = {expression}.get({key!r})")
            self.check(part, dims, name, value[key])

    def _literal(self, tree: Tree, expression: str, value: Any) -> None:
        kind = tree[1]
        if kind is bool or kind is type(None):
            self.miss_if(f"{expression} is not {value!r}")
        elif kind in _INLINE:
            text = repr(value) if kind is int or len(value) < 60 else self.bind(value, "literal")
            self.miss_if(f"type({expression}) is not {kind.__name__} or {expression} != {text}")
        elif kind is float and value == value and value != 0.0:
            self.miss_if(
                f"type({expression}) is not float or {expression} != {self.bind(literal_value(tree), 'literal')}"
            )
        elif kind is DType:
            self.miss_if(f"{expression} is not {self.bind(value, 'dtype')}")
        else:
            raise _Unsupported

    def _tensor(self, dtype: DType, dims: Dims, expression: str, value: Any) -> None:
        if dtype.kind == "O":
            raise _Unsupported
        if type(value) is EagerTensor:
            name = self.fresh("v")
            self.miss_if(f"type({expression}) is not Tensor")
            self.lines.append(f"{name} = {expression}._value")
            self._array(dtype, dims, name, value._value)
            self.values.append(name)
        elif type(value) is np.ndarray:
            if dtype.kind == "S" or not value.dtype.isnative or value.dtype != dtype.as_numpy_dtype:
                raise _Unsupported  # it has to be converted
            self._array(dtype, dims, expression, value)
            # the caller may change its array later: what the program keeps must be its own
            self.values.append(f"{expression}.copy()" if value.ndim else f"{expression}[()]")
        elif isinstance(value, np.generic) and type(value) is dtype._numpy:
            self.miss_if(f"type({expression}) is not {self.bind(type(value), 'scalar')}")
            self.values.append(expression)
        else:
            raise _Unsupported

    def _array(self, dtype: DType, dims: Dims, name: str, raw: Any) -> None:
        if isinstance(raw, np.generic):
            if dtype.kind == "S":
                raise _Unsupported
            self.miss_if(f"type({name}) is not {self.bind(type(raw), 'scalar')}")
            return
        if type(raw) is not np.ndarray:
            raise _Unsupported
        self.miss_if(f"type({name}) is not ndarray or {name}.dtype is not {self.bind(raw.dtype, 'dtype')}")
        shape = raw.shape if self.exact else dims
        if shape is None:
            return
        if None not in shape:
            self.miss_if(f"{name}.shape != {shape!r}")
            return
        tests = [f"{name}.ndim != {len(shape)}"]
        tests += [f"{name}.shape[{i}] != {d}" for i, d in enumerate(shape) if d is not None]
        self.miss_if(" or ".join(tests))

    # --- results ---
    def result(self, concrete: ConcreteFunction) -> None:
        """Writes the call of the program and the wrapping of its results."""
        outputs = concrete.graph.outputs
        call = f"{self.bind(concrete.program.function, 'program')}({', '.join(self.values)})"
        if not outputs:
            self.lines.append(call)
        else:
            targets = [f"r{i}" for i in range(len(outputs))]
            self.lines.append(f"{', '.join(targets)}, = {call}")
        for i, value in enumerate(outputs):
            self.lines.append(f"t{i} = new(Tensor)")
            self.lines.append(f"t{i}._value = r{i}")
            self.lines.append(f"t{i}._dtype = {self.bind(value.dtype, 'dtype')}")
        supply = iter([f"t{i}" for i in range(len(outputs))])
        text = self._structure(concrete.graph.structured_outputs, supply)
        if text is None:
            text = f"{self.bind(concrete.finish, 'finish')}([{', '.join(f't{i}' for i in range(len(outputs)))}])"
        self.lines.append(f"return {text}")

    def _structure(self, shape: Any, supply: Any) -> str | None:
        if shape is None:
            return "None"
        if isinstance(shape, Tensor):
            return next(supply)
        kind = type(shape)
        if kind is dict:
            if not all(type(k) in _INLINE for k in shape):
                return None
            by_key = {k: self._structure(shape[k], supply) for k in sorted(shape)}
            if None in by_key.values():
                return None
            return "{" + ", ".join(f"{k!r}: {by_key[k]}" for k in shape) + "}"
        named = isinstance(shape, tuple) and hasattr(shape, "_fields")
        if kind is not list and kind is not tuple and not named:
            return None
        parts = [self._structure(v, supply) for v in shape]
        if any(p is None for p in parts):
            return None
        inside = "".join(f"{p}, " for p in parts)
        if kind is list:
            return f"[{inside}]"
        return f"({inside})" if kind is tuple else f"{self.bind(kind, 'type')}({inside})"


def entry_for(
    concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any], instance: tuple[Any, ...], exact: bool
) -> Entry | None:
    """The entry for calls like `(*args, **kwargs)`, which `concrete` serves; None when they cannot be told quickly."""
    form = (tuple(map(type, args)), tuple(kwargs), exact)
    if form not in concrete.entry_forms:
        concrete.entry_forms[form] = _make_entry(concrete, args, kwargs, instance, exact)
    found: Entry | None = concrete.entry_forms[form]
    return found


def _make_entry(
    concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any], instance: tuple[Any, ...], exact: bool
) -> Entry | None:
    if not all(isinstance(outer, EagerTensor) for outer, _ in concrete.graph.captures):
        return None
    writer = _Writer(exact)
    raw_args = [_Raw(f"a{i}", v) for i, v in enumerate(args)]
    raw_kwargs = {k: _Raw(f"k{i}", v) for i, (k, v) in enumerate(kwargs.items())}
    try:
        _write(writer, concrete, raw_args, raw_kwargs, instance)
    except (_Unsupported, TypeError):
        return None
    source = "def entry(args, kwargs):\n" + "".join(f"    {line}\n" for line in writer.lines)
    exec(compile(source, f"<graphrt entry {concrete.function_name}>", "exec", dont_inherit=True), writer.names)
    entry: Entry = writer.names["entry"]
    return entry


def _write(
    writer: _Writer, concrete: ConcreteFunction, args: list[_Raw], kwargs: dict[str, _Raw], instance: tuple[Any, ...]
) -> None:
    if kwargs:
        writer.miss_if(f"len(kwargs) != {len(kwargs)} or len(args) != {len(args)}")
    else:
        writer.miss_if(f"kwargs or len(args) != {len(args)}")
    if args:
        writer.lines.append(f"{', '.join(r.expression for r in args)}, = args")
    for name, raw in kwargs.items():
        writer.miss_if(f"{name!r} not in kwargs")
        writer.lines.append(f"{raw.expression} = kwargs[{name!r}]")
    positional, keywords = concrete.signature.bind(*instance, *args, **kwargs)
    a = concrete.argument_type
    dims = iter(a.dims)
    pairs = list(zip(a.positional, positional[concrete.skipped :])) + list(zip(a.trees, keywords.values()))
    for tree, item in pairs:
        if isinstance(item, _Raw):
            writer.check(tree, dims, item.expression, item.value)
        elif tree[0] == LITERAL:
            continue  # a default
        else:
            writer.check(tree, dims, writer.bind(item, "default"), item)
    for raw in concrete.captured_raw():
        writer.values.append(writer.bind(raw, "captured"))
    writer.result(concrete)
