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

When many traces differ only in shapes, Python values and objects, one entry serves them all: it collects what they
differ in and finds the program by it, so that a function with a thousand traces is called as fast as one with three:

    def entry(args, kwargs):
        ...
        program = find((v0.shape, a1))
        if program is None: return MISS
        r = program(v0)
        ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.function.trace_types.base import Shapes, TraceType, Unrecognizable
from graphrt.function.trace_types.leaves import LiteralType
from graphrt.ir.code import file_name, quoted
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.types.dtype import DType, numpy_type
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
        self.variables: list[tuple[int, str]] = []
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

    def literal(self, value: Any) -> str:
        """`value` as it stands in the text: written out when small and plain, else bound."""
        return quoted(value) or self.bind(value, "literal")

    def miss_if(self, test: str) -> None:
        self.lines.append(f"if {test}: return MISS")

    def fresh(self, prefix: str) -> str:
        self.count += 1
        if self.count > _LIMIT:
            raise Unrecognizable
        return f"{prefix}{self.count}"

    # --- tests ---
    def check(self, type_: TraceType, dims: Shapes, expression: str, value: Any) -> None:
        """Writes the test that `expression` is of `type_`; tensors go to `values`."""
        type_.write_test(self, dims, expression, value)

    def identity(self, reference: Callable[[], object], expression: str, value: object) -> None:
        self.miss_if(f"{expression} is not {self.bind(reference, 'living')}()")

    def variable(self, type_: Any, expression: str, value: Any) -> None:
        """Where the value of a variable is, if the variable is of this type; the same one stands in the same places."""
        if type(value.handle) is not EagerTensor:
            raise Unrecognizable
        name = self.fresh("s")
        self.miss_if(f"type({expression}) is not {self.bind(type(value), 'variable')}")
        self.lines.append(f"{name} = {expression}.storage")
        dtype, dims = self.bind(type_.dtype, "dtype"), self.literal(type_.dims)
        self.miss_if(
            f"{name}.dtype is not {dtype} or {name}.dims != {dims} or {name}.trainable is not {type_.trainable}"
        )
        for alias, other in self.variables:
            self.miss_if(f"{name} is {'not ' if alias == type_.alias else ''}{other}")
        self.variables.append((type_.alias, name))
        self.values.append(name)

    def python_value(self, kind: type, read: Callable[[], object], expression: str, value: Any) -> None:
        if kind is bool or kind is type(None):
            self.miss_if(f"{expression} is not {self.literal(value)}")
        elif kind in _INLINE:
            self.miss_if(f"type({expression}) is not {kind.__name__} or {expression} != {self.literal(value)}")
        elif kind is float and value == value and value != 0.0:
            self.miss_if(f"type({expression}) is not float or {expression} != {self.bind(read(), 'literal')}")
        elif kind is DType:
            self.miss_if(f"{expression} is not {self.bind(value, 'dtype')}")
        else:
            raise Unrecognizable

    def tensor(self, dtype: DType, dims: Dims, expression: str, value: Any) -> None:
        if dtype.kind == "O":
            raise Unrecognizable
        if type(value) is EagerTensor:
            name = self.fresh("v")
            self.miss_if(f"type({expression}) is not Tensor")
            self.lines.append(f"{name} = {expression}._value")
            self._array(dtype, dims, name, raw_of(value))
            self.values.append(name)
        elif type(value) is np.ndarray:
            if dtype.kind == "S" or not value.dtype.isnative or value.dtype != dtype.as_numpy_dtype:
                raise Unrecognizable  # it has to be converted
            self._array(dtype, dims, expression, value)
            # the caller may change its array later: what the program keeps must be its own
            self.values.append(f"{expression}.copy()" if value.ndim else f"{expression}[()]")
        elif isinstance(value, np.generic) and type(value) is numpy_type(dtype):
            self.miss_if(f"type({expression}) is not {self.bind(type(value), 'scalar')}")
            self.values.append(expression)
        else:
            raise Unrecognizable

    def _array(self, dtype: DType, dims: Dims, name: str, raw: Any) -> None:
        if isinstance(raw, np.generic):
            if dtype.kind == "S":
                raise Unrecognizable
            self.miss_if(f"type({name}) is not {self.bind(type(raw), 'scalar')}")
            return
        if type(raw) is not np.ndarray:
            raise Unrecognizable
        self.miss_if(f"type({name}) is not ndarray or {name}.dtype is not {self.bind(raw.dtype, 'dtype')}")
        shape = raw.shape if self.exact else dims
        if shape is None:
            return
        if None not in shape:
            self.miss_if(f"{name}.shape != {self.literal(shape)}")
            return
        tests = [f"{name}.ndim != {len(shape)}"]
        tests += [f"{name}.shape[{i}] != {self.literal(d)}" for i, d in enumerate(shape) if d is not None]
        self.miss_if(" or ".join(tests))

    # --- results ---
    def result(self, concrete: ConcreteFunction) -> None:
        """Writes the call of the program and the wrapping of its results."""
        outputs = concrete.graph.outputs
        call = f"{self.bind(concrete.executable, 'program')}({', '.join(self.values)})"
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

    def touch(self, used: Callable[[], None] | None) -> None:
        """Writes that the trace was used, where somebody wants to know."""
        if used is not None:
            self.lines.append(f"{self.bind(used, 'used')}()")

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
            return "{" + ", ".join(f"{self.literal(k)}: {by_key[k]}" for k in shape) + "}"
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


class _KeyWriter(_Writer):
    """Writes what calls of one form have in common, and collects what they may differ in: the key."""

    def __init__(self) -> None:
        super().__init__(True)
        self.key: list[str] = []
        self.found: list[Any] = []

    def _part(self, expression: str, value: Any) -> None:
        self.key.append(expression)
        self.found.append(value)

    def identity(self, reference: Callable[[], object], expression: str, value: object) -> None:
        # the trace, and with it this entry, is dropped when the object dies: no other can have its id until then
        self._part(f"id({expression})", id(value))

    def python_value(self, kind: type, read: Callable[[], object], expression: str, value: Any) -> None:
        if kind is type(None):
            self.miss_if(f"{expression} is not None")
        elif kind in _INLINE or kind is bool:
            self.miss_if(f"type({expression}) is not {kind.__name__}")
            self._part(expression, value)
        elif kind is float and value == value and value != 0.0:
            self.miss_if(f"type({expression}) is not float")
            self._part(expression, value)
        elif kind is DType:
            self.miss_if(f"type({expression}) is not {self.bind(DType, 'type')}")
            self._part(expression, value)
        else:
            raise Unrecognizable

    def _array(self, dtype: DType, dims: Dims, name: str, raw: Any) -> None:
        if isinstance(raw, np.generic) or type(raw) is not np.ndarray:
            super()._array(dtype, dims, name, raw)
            return
        self.miss_if(f"type({name}) is not ndarray or {name}.dtype is not {self.bind(raw.dtype, 'dtype')}")
        self._part(f"{name}.shape", raw.shape)


class KeyedCall:
    """A call taken apart: the form it shares with others, the key that tells it from them, and what it runs.

    Attributes:
      form: what one dispatcher can serve.
      key: what tells this call from others of its form.
      target: what the dispatcher finds by the key: the program itself, where all results are wrapped alike (`tail`),
        or a function that runs it and wraps its results.
    """

    __slots__ = ("form", "key", "lines", "names", "target")

    def __init__(self, writer: _KeyWriter, concrete: ConcreteFunction, used: Callable[[], None] | None) -> None:
        key = writer.key[0] if len(writer.key) == 1 else f"({', '.join(writer.key)})"
        self.key = writer.found[0] if len(writer.found) == 1 else tuple(writer.found)
        self.target: Callable[..., Any] | None = None
        tail = None
        if used is None and not concrete.graph.captures:
            self.target = concrete.executable
            tail = _tail(writer, concrete)
        head = [*writer.lines, f"program = find({key})", "if program is None: return MISS"]
        if tail is None:
            self.target = None
            tail = [f"return program({', '.join(writer.values)})"]
        self.lines = head + tail
        self.names = writer.names
        self.form = ("\n".join(self.lines), tuple((name, id(thing)) for name, thing in writer.names.items()))


def _tail(writer: _KeyWriter, concrete: ConcreteFunction) -> list[str] | None:
    """The call of `program` and the wrapping of its results; None when that is a matter of this trace alone."""
    before = len(writer.lines)
    writer._bound[id(concrete.executable)] = "program"
    writer.result(concrete)
    tail = writer.lines[before:]
    del writer.lines[before:]
    return None if id(concrete.finish) in writer._bound or any("finish" in line for line in tail) else tail


class Dispatcher:
    """One entry for many traces that serve calls of one form.

    Attributes:
      entry: the generated test.
      table: from key to target.
    """

    __slots__ = ("entry", "table")

    def __init__(self, call: KeyedCall) -> None:
        self.table: dict[Any, Callable[..., Any]] = {}
        names = call.names | {"find": self.table.get}
        self.entry: Entry = _define("entry", "args, kwargs", call.lines, names, "<graphrt dispatcher>")

    def add(self, call: KeyedCall) -> None:
        """Serves calls like `call` from now on."""
        if len(self.table) >= _TABLE:
            self.table.clear()
        assert call.target is not None
        self.table[call.key] = call.target


_TABLE = 8192  # calls that one dispatcher remembers


def _define(name: str, parameters: str, lines: list[str], names: dict[str, Any], filename: str) -> Any:
    source = f"def {name}({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    exec(compile(source, filename, "exec", dont_inherit=True), names)
    return names[name]


def keyed_call(
    concrete: ConcreteFunction,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    instance: tuple[Any, ...],
    used: Callable[[], None] | None,
) -> KeyedCall | None:
    """The call `(*args, **kwargs)`, which `concrete` serves, taken apart; None when it has no key."""
    kept = (tuple(map(type, args)), tuple(kwargs), "keyed")
    if kept in concrete.entry_forms and concrete.entry_forms[kept] is None:
        return None
    concrete.entry_forms[kept] = None
    if not all(isinstance(outer, EagerTensor) for outer, _ in concrete.graph.captures):
        return None
    writer = _KeyWriter()
    try:
        _write_tests(writer, concrete, *_raws(args, kwargs), instance)
        if not writer.key:
            return None
        call = KeyedCall(writer, concrete, used)
        hash(call.key)
    except (Unrecognizable, TypeError):
        return None
    if call.target is None:
        runs = concrete.entry_forms.setdefault("runs", {})
        if call.form not in runs:
            runs[call.form] = _runner(concrete, len(writer.values), used)
        call.target = runs[call.form]
    concrete.entry_forms[kept] = True
    return call


def _runner(concrete: ConcreteFunction, count: int, used: Callable[[], None] | None) -> Any:
    writer = _Writer(True)
    writer.touch(used)
    parameters = [f"v{i}" for i in range(count)]
    writer.values = [*parameters, *(writer.bind(raw, "captured") for raw in concrete.captured_raw())]
    writer.result(concrete)
    return _define("run", ", ".join(parameters), writer.lines, writer.names, file_name("run", concrete.function_name))


def entry_for(
    concrete: ConcreteFunction,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    instance: tuple[Any, ...],
    exact: bool,
    used: Callable[[], None] | None = None,
) -> Entry | None:
    """The entry for calls like `(*args, **kwargs)`, which `concrete` serves; None when they cannot be told quickly.

    The entry calls `used`, if given, for each call that it serves.
    """
    form = (tuple(map(type, args)), tuple(kwargs), exact)
    if form not in concrete.entry_forms:
        concrete.entry_forms[form] = _make_entry(concrete, args, kwargs, instance, exact, used)
    found: Entry | None = concrete.entry_forms[form]
    return found


def _make_entry(
    concrete: ConcreteFunction,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    instance: tuple[Any, ...],
    exact: bool,
    used: Callable[[], None] | None,
) -> Entry | None:
    if not all(isinstance(outer, EagerTensor) for outer, _ in concrete.graph.captures):
        return None
    writer = _Writer(exact)
    try:
        _write_tests(writer, concrete, *_raws(args, kwargs), instance)
        writer.touch(used)
        for raw in concrete.captured_raw():
            writer.values.append(writer.bind(raw, "captured"))
        writer.result(concrete)
    except (Unrecognizable, TypeError):
        return None
    name = file_name("entry", concrete.function_name)
    entry: Entry = _define("entry", "args, kwargs", writer.lines, writer.names, name)
    return entry


def _raws(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[_Raw], dict[str, _Raw]]:
    raw_args = [_Raw(f"a{i}", v) for i, v in enumerate(args)]
    return raw_args, {k: _Raw(f"k{i}", v) for i, (k, v) in enumerate(kwargs.items())}


def _write_tests(
    writer: _Writer, concrete: ConcreteFunction, args: list[_Raw], kwargs: dict[str, _Raw], instance: tuple[Any, ...]
) -> None:
    if kwargs:
        writer.miss_if(f"len(kwargs) != {len(kwargs)} or len(args) != {len(args)}")
    else:
        writer.miss_if(f"kwargs or len(args) != {len(args)}")
    if args:
        writer.lines.append(f"{', '.join(r.expression for r in args)}, = args")
    for name, raw in kwargs.items():
        writer.miss_if(f"{writer.literal(name)} not in kwargs")
        writer.lines.append(f"{raw.expression} = kwargs[{writer.literal(name)}]")
    positional, keywords = concrete.signature.bind(*instance, *args, **kwargs)
    a = concrete.argument_type
    dims = iter(a.dims)
    pairs = list(zip(a.positional, positional[concrete.skipped :])) + list(zip(a.trees, keywords.values()))
    for type_, item in pairs:
        if isinstance(item, _Raw):
            writer.check(type_, dims, item.expression, item.value)
        elif isinstance(type_, LiteralType):
            continue  # a default
        else:
            writer.check(type_, dims, writer.bind(item, "default"), item)
