"""A backend that stages into the text of a Python program: small enough to read, and what it writes can be run.

run(f, 3)     traces `f` with a staged argument `a0`, then runs the recorded program with a0 = 3
"""

from __future__ import annotations

import contextlib

from autograph.backends.protocol import StagingBackend
from autograph.errors import BranchMismatchError, LoopMismatchError, StagingError
from autograph.operators.variables import Undefined, UndefinedReturnValue


class Text:
    """A staged value: an expression of the recorded program."""

    def __init__(self, expression):
        self.expression = expression

    def __repr__(self):
        return f"Text({self.expression})"

    def __bool__(self):
        raise StagingError(f"the truth of {self.expression} is not known yet")

    def __iter__(self):
        raise StagingError(f"the elements of {self.expression} are not known yet")

    __hash__ = None


def text_of(value):
    if isinstance(value, Text):
        return value.expression
    if isinstance(value, (Undefined, UndefinedReturnValue)):
        raise StagingError(f"{value!r} has no text")
    if isinstance(value, tuple):
        return "(" + "".join(text_of(v) + ", " for v in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return repr(value)


def _binary(symbol):
    def forward(self, other):
        return Text(f"({text_of(self)} {symbol} {text_of(other)})")

    def backward(self, other):
        return Text(f"({text_of(other)} {symbol} {text_of(self)})")

    return forward, backward


for _name, _symbol in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
}.items():
    _forward, _backward = _binary(_symbol)
    setattr(Text, f"__{_name}__", _forward)
    setattr(Text, f"__r{_name}__", _backward)
for _name, _symbol in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Text, f"__{_name}__", _binary(_symbol)[0])
Text.__neg__ = lambda self: Text(f"(-{self.expression})")
Text.__getitem__ = lambda self, key: Text(f"{self.expression}[{text_of(key)}]")


class TextBackend(StagingBackend):
    name = "text"
    staged_types = (Text,)

    def __init__(self):
        self.lines = []
        self.depth = 0
        self.count = 0

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    @contextlib.contextmanager
    def block(self, head):
        self.emit(head)
        self.depth += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.emit("pass")
        self.depth -= 1

    def fresh(self, stem="t"):
        self.count += 1
        return f"{stem}{self.count}"

    def named(self, value, stem="t"):
        """A variable of the program that holds the value now."""
        name = self.fresh(stem)
        self.emit(f"{name} = {text_of(value)}")
        return Text(name)

    def _branch(self, head, body, names, nouts, init, get_state, set_state):
        set_state(init)
        with self.block(head):
            body()
            values = get_state()[: len(names)]
            for name, value in zip(names, values):
                if isinstance(value, UndefinedReturnValue):
                    value = None
                if not isinstance(value, Undefined):
                    self.emit(f"{name} = {text_of(value)}")
        return values

    def if_stmt(self, cond, body, orelse, get_state, set_state, symbol_names, nouts):
        init = get_state()
        names = [self.fresh("s") for _ in symbol_names]
        first = self._branch(f"if {text_of(cond)}:", body, names, nouts, init, get_state, set_state)
        second = self._branch("else:", orelse, names, nouts, init, get_state, set_state)
        final = []
        for position, (a, b) in enumerate(zip(first, second)):
            missing = [isinstance(v, Undefined) for v in (a, b)]
            if any(missing) and not all(missing) and position < nouts:
                raise BranchMismatchError(f"{symbol_names[position]!r} is set in one branch only")
            if any(missing):
                final.append(Undefined(symbol_names[position]))
            else:
                final.append(Text(names[position]))
        set_state(tuple(final))

    def _loop(self, head, before, body, get_state, set_state, symbol_names, after=None):
        init = get_state()
        variables = []
        for name, value in zip(symbol_names, init):
            if isinstance(value, UndefinedReturnValue):
                value = None
            if isinstance(value, Undefined):
                variables.append(Undefined(name))
            else:
                variables.append(self.named(value, "v"))
        set_state(tuple(variables))
        with self.block(head):
            before()
            body()
            for name, variable, value in zip(symbol_names, variables, get_state()):
                if isinstance(variable, Undefined):
                    continue
                if isinstance(value, Undefined):
                    raise LoopMismatchError(f"{name!r} loses its value in the loop")
                self.emit(f"{variable.expression}_next = {text_of(value)}")
            for variable in variables:
                if isinstance(variable, Text):
                    self.emit(f"{variable.expression} = {variable.expression}_next")
            set_state(tuple(variables))
            if after is not None:
                after()
        set_state(tuple(variables))

    def _leave_unless(self, test):
        value = test()
        with self.block(f"if not {text_of(value)}:"):
            self.emit("break")

    def while_stmt(self, test, body, get_state, set_state, symbol_names, opts):
        self._loop("while True:", lambda: self._leave_unless(test), body, get_state, set_state, symbol_names)

    def for_stmt(self, iter_, extra_test, body, get_state, set_state, symbol_names, opts):
        target = self.fresh("i")
        self._loop(
            f"for {target} in {text_of(iter_)}:",
            lambda: None,
            lambda: body(Text(target)),
            get_state,
            set_state,
            symbol_names,
            None if extra_test is None else lambda: self._leave_unless(extra_test),
        )

    def assert_stmt(self, test, message_thunk):
        self.emit(f"assert {text_of(test)}, {text_of(message_thunk())}")

    def _lazily(self, head, start, thunk):
        name = self.fresh()
        if start is not None:
            self.emit(f"{name} = {text_of(start)}")
        with self.block(head.format(name)):
            self.emit(f"{name} = {text_of(thunk())}")
        return Text(name)

    def if_exp(self, cond, if_true, if_false, expr_repr):
        name = self.fresh()
        for head, thunk in ((f"if {text_of(cond)}:", if_true), ("else:", if_false)):
            with self.block(head):
                self.emit(f"{name} = {text_of(thunk())}")
        return Text(name)

    def and_(self, a_value, b_thunk):
        return self._lazily("if {}:", a_value, b_thunk)

    def or_(self, a_value, b_thunk):
        return self._lazily("if not {}:", a_value, b_thunk)

    def not_(self, a):
        return Text(f"(not {text_of(a)})")

    def eq(self, a, b):
        return Text(f"({text_of(a)} == {text_of(b)})")

    def not_eq(self, a, b):
        return Text(f"({text_of(a)} != {text_of(b)})")

    def contains(self, x, container):
        return Text(f"({text_of(x)} in {text_of(container)})")

    def print_(self, *objects, **kwargs):
        self.emit(f"print({', '.join(map(text_of, objects))})")

    def map_(self, function, *iterables):
        self.unsupported("`map`", "write a loop")

    def get_item(self, target, key):
        return Text(f"{text_of(target)}[{text_of(key)}]")

    def set_item(self, target, key, value):
        copy = self.named(Text(f"list({text_of(target)})"))
        self.emit(f"{copy.expression}[{text_of(key)}] = {text_of(value)}")
        return copy

    def list_append(self, list_, x):
        return Text(f"({text_of(list_)} + [{text_of(x)}])")

    def list_pop(self, list_, i, *, element_dtype=None, element_shape=None):
        position = -1 if i is None else i
        element = self.named(Text(f"{text_of(list_)}[{text_of(position)}]"))
        rest = self.named(
            Text(f"[v for k, v in enumerate({text_of(list_)}) if k != {text_of(position)} % len({text_of(list_)})]")
        )
        return rest, element

    def new_list(self, elements):
        return Text(f"list({text_of(elements)})")

    def list_stack(self, list_, *, element_dtype=None, strict=True):
        return Text(f"tuple({text_of(list_)})")


def _function(name):
    def method(self, *args, **kwargs):
        parts = [*map(text_of, args), *(f"{key}={text_of(value)}" for key, value in kwargs.items())]
        return Text(f"{name}({', '.join(parts)})")

    return method


for _name in "abs all any bool enumerate float int iter len max min next range reversed round sorted sum zip".split():
    setattr(TextBackend, _name + "_", _function(_name))


def trace(backend, function, *args):
    """The text of the program that `function` records when its arguments are staged."""
    backend.lines, backend.depth, backend.count = [], 0, 0
    result = function(*(Text(f"a{position}") for position in range(len(args))))
    backend.emit(f"result = {text_of(result)}")
    return "\n".join(backend.lines)


def run(backend, function, *args):
    """Traces `function` and runs the recorded program on `args`."""
    program = trace(backend, function, *args)
    namespace = {f"a{position}": value for position, value in enumerate(args)}
    exec(program, namespace)
    return namespace["result"]
