"""Writes a graph as Python text: one statement a node, kernels and constants as globals of the text.

    %add: AddV2(x, add/y)                  def f(x):
    %Sum: Sum(add, Const)           ->         add = x + add_y
                                               Sum = k_Sum(add, Const, keep_dims=False)
                                               return (Sum,)

An op says how it looks by its `emit` rule, `(emitter, node, inputs) -> list[Code] | None`: `inputs` are names, the
result is one expression an output, made by templates (`graphrt.ir.code`): nothing else gets into the text. An op that
holds graphs writes them in place with `emitter.graph`, so a `While` becomes a `while` statement. Without a rule a node
is a call of its kernel.
"""

# long: one class, the writer of programs, whose parts share what is being written
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from graphrt.errors import InternalError
from graphrt.executor.batches import Batch, Shares, batched
from graphrt.executor.buffers import Buffers, writer_of
from graphrt.executor.chains import Blocks, Chain, chained
from graphrt.executor.metering import step
from graphrt.executor.plan import Plan, make_plan, may_be_large
from graphrt.executor.scalar_loops import (
    Counter,
    check_of,
    counter_of,
    divided,
    is_comparison,
    known,
    may_divide_by_zero,
    numbers_of,
    read_of,
    rule_of,
    wrapping,
)
from graphrt.executor.side_by_side import Together, paired, run, taken
from graphrt.ir import verify
from graphrt.ir.code import NONE, Code, Names, Template, bare, commas, computed, identifier, quoted, require
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.growth import guard_of
from graphrt.ir.op import FORWARDS, LOOP, QUIET, Infix
from graphrt.tensor.func_graph import Const, Placeholder
from graphrt.types.nesting import shown
from graphrt.types.shape import compatible

MAX_DEPTH = 12  # CPython allows 20 nested loops: what is deeper becomes a function of its own
INDENT = "    "

# What lines look like.
_ASSIGNED = Template("{} = {}")
_DELETED = Template("del {}")
_CALLED = Template("{}({})")
_CALLED_INTO = Template("{}({}, out={})")
_CHECKED = Template("{}({}, {})")
_HANDED = Template("{}({})")
_KINDS = {kind: identifier(name) for kind, name in (("i", "int"), ("u", "int"), ("b", "bool"), ("f", "float"))}
_DEFINED = Template("def {}({}):")
_GIVEN_BACK = Template("return {}")
_KEYWORD = Template("{}={}")
_LIST = Template("[{}]")
_QUOTIENT = Template("{0} if {1} else {2}")
_ONE = Template("{},")
_TUPLE = Template("({})")
_TUPLE_OF_ONE = Template("({},)")
_PASS = Template("pass")()

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_Origin: TypeAlias = "tuple[Any, ...] | None"  # what a line is for: a node, and the names of its inputs


class _Scope:
    """One graph being written: what its values are called, and which names it made."""

    __slots__ = ("buffers", "holders", "is_small", "names")

    def __init__(self, names: dict[Value, Code], is_small: bool = False) -> None:
        self.names = names
        self.is_small = is_small  # whether nothing here is worth to be dropped early, or written over
        self.buffers = Buffers()
        self.holders: dict[str, int] = {}  # names that this scope made and may delete -> values that go by them


class Emitter:
    """Collects the lines of a program. Ops use `line`, `block`, `fresh`, `bind`, `graph`, `call` and `assign`."""

    def __init__(
        self, callee: Callable[[Graph, dict[str, Any], str], Any] | None = None, is_bare: bool = False
    ) -> None:  # fmt: skip
        self.namespace: dict[str, Any] = {}
        self.table: list[_Origin] = []  # what each line of the text is for
        self.text: list[str] = []
        self.may_warn = False
        self.is_foreign = False  # whether the graph being written comes from a file
        self.is_holding = False  # whether a node takes what has to be given back when the program fails
        self.is_bare = is_bare  # whether the program does nothing but compute: it checks no sizes and no results
        self._callee = callee
        self._parameters: list[Code] = []  # of the program
        self._unique = Names().fresh
        self._bound: dict[int, Code] = {}
        self._scalars: dict[tuple[str, bytes], Any] = {}
        self._lines: list[str] = []
        self._origin: list[_Origin] = []
        self._prefix = ""
        self._depth = 0
        self._current: _Origin = None
        self._numbers: set[Value] | None = None  # in a loop: those of its values that are numbers of Python
        self._indices: set[Value] = set()  # those that are counted up from zero, or from above it
        self._rows: dict[Node, Code] = {}  # what reads the row that a loop is at: how that is called
        self._plan: Plan | None = None  # of the graph at work
        self._ending: tuple[_Scope, Sequence[Value]] = _Scope({}), ()  # the scope at work, and what dies at its node
        self._given: set[str] = set()  # those of `_loose` that may hold large arrays
        self._loose: set[str] = set()  # names that the rule at work made (`fresh`) or was given by `graph`

    # --- what ops use ---
    def line(self, text: Code) -> None:
        """Adds a statement.

        Raises:
          TypeError: it was not made by a template.
        """
        require(text)
        self._lines.append(self._prefix + text)
        self._origin.append(self._current)

    @contextmanager
    def block(self, header: Code) -> Iterator[None]:
        """Adds `header` (colon included) and indents what the `with` block adds below it."""
        self.line(header)
        start, prefix = len(self._lines), self._prefix
        self._prefix += INDENT
        self._depth += 1
        try:
            yield
            if len(self._lines) == start:
                self.line(_PASS)
        finally:
            self._prefix = prefix
            self._depth -= 1

    def fresh(self, hint: str = "v") -> Code:
        """A name for a local variable, not used before."""
        name = self._unique(hint)
        self._loose.add(name)
        return name

    def bind(self, thing: object, hint: str = "c") -> Code:
        """A name under which the program finds `thing`: one name for one object."""
        name = self._bound.get(id(thing))
        if name is None:
            name = self._unique(hint)
            self._bound[id(thing)] = name
            self.namespace[name] = thing  # keeps `thing` alive, so its id stays its own
        return name

    def literal(self, value: object, hint: str = "attr") -> Code:
        """`value` as a Python expression: written out when small and plain, else bound."""
        return quoted(value) or self.bind(value, hint)

    def is_scalar(self, value: Value) -> bool:
        """Whether `value` certainly has rank 0, so that it is a NumPy scalar."""
        return value.dims == ()

    def assign(self, names: Sequence[Code], expressions: Sequence[Code]) -> None:
        """Assigns all `expressions` to all `names` at once. Results of `graph` are moved: use them no more."""
        pairs = [(n, e) for n, e in zip(names, expressions, strict=True) if n != e]
        written: set[str] = set()
        ordered = True
        for name, expression in pairs:
            if written and not written.isdisjoint(_WORD.findall(expression)):
                ordered = False
                break
            written.add(name)
        if ordered:
            for name, expression in pairs:
                self.line(_ASSIGNED(name, expression))
        else:
            self.line(_ASSIGNED(commas(n for n, _ in pairs), commas(e for _, e in pairs)))
        moved = [e for e in dict.fromkeys(e for _, e in pairs) if e in self._given]
        if moved:
            self._given.difference_update(moved)
            self._loose.difference_update(moved)
            self.line(_DELETED(commas(moved)))

    def release(self, names: Sequence[Code]) -> None:
        """Drops those inputs of the node being written, named `names`, that nothing uses after it.

        For a rule that is done with its inputs long before its last line, as a loop is.
        """
        scope, dying = self._ending
        held = [n for n in dict.fromkeys(names) if n in scope.holders]
        large = []
        for name in held:
            ending = [v for v in dying if scope.names.get(v) == name]
            if len(ending) == scope.holders[name]:
                del scope.holders[name]
                if any(may_be_large(v) for v in ending):
                    large.append(name)
        if large:
            self.line(_DELETED(commas(large)))

    def may_write_over(self, value: Value) -> bool:
        """Whether the rule at work may write over the array of `value`, an input of its node that nobody needs any more."""
        scope, dying = self._ending
        name = scope.names.get(value)
        return (
            value in dying
            and may_be_large(value)
            and scope.buffers.is_own(value)
            and scope.holders.get(name or "") == 1
        )

    def as_kind_of(self, wanted: Value, value: Value, code: Code) -> Code:
        """`code`, which stands for `value`, as what stands for `wanted` is: a number of Python, or one of NumPy."""
        numbers = self._numbers or ()
        if (wanted in numbers) == (value in numbers):
            return code
        if wanted not in numbers:
            return _HANDED(self.bind(value.dtype.as_numpy_dtype, value.dtype.name), code)
        number = known(value)
        return _HANDED(_KINDS[value.dtype.kind], code) if number is None else self.literal(number)

    def counter_of(self, loop: Node) -> Counter | None:
        """What `loop` counts with, where Python's `range` counts so."""
        if self._numbers is None or self.is_foreign:
            return None
        found = counter_of(loop)
        if found is None or self.is_used(loop.outputs[found.position]):
            return None
        counted = loop.attrs["body"].inputs[found.position]
        given = () if found.limit is None else (loop.attrs["body"].inputs[found.limit],)
        if not self._numbers.issuperset((counted, *given)):
            return None
        start = known(loop.inputs[found.position].source)
        if start is not None and start >= 0:
            self._indices.add(counted)
        read = read_of(loop, found) if self._depth + 1 < MAX_DEPTH else None
        if read is None:
            return found
        node, rows = read
        row = self._rows[node] = self._unique(node.name)
        return replace(found, rows=rows, row=row)

    def row_of(self, node: Node) -> Code | None:
        """The name of what `node` reads, where the loop around it goes over the rows."""
        return self._rows.get(node)

    def is_index(self, value: Value) -> bool:
        """Whether `value` certainly is not below zero, as a counter is that begins there."""
        return value.source in self._indices

    def is_alike(self, wanted: Value, value: Value) -> bool:
        """Whether `as_kind_of` changes nothing."""
        return self._numbers is None or (wanted in self._numbers) == (value in self._numbers)

    def count_step(self) -> None:
        """Counts an iteration or a call, in graphs that come from files."""
        if self.is_foreign:
            self.line(_CALLED(self.bind(step, "step"), commas([])))

    def is_used(self, value: Value) -> bool:
        """Whether anything needs `value`, an output of the node being written."""
        return self._plan is not None and self._plan.uses.get(value, 0) > 0

    def graph(self, graph: Graph, inputs: Sequence[Code], wanted: Sequence[int] | None = None) -> list[Code]:
        """Writes the nodes of `graph` here, with `inputs` for its placeholders; returns the names of its outputs.

        With `wanted` (positions in `graph.outputs`) only these outputs are computed, and their names returned.
        """
        results = graph.outputs if wanted is None else [graph.outputs[i] for i in wanted]
        if self._depth >= MAX_DEPTH:
            return self._outlined(graph, inputs, results)
        scope = _Scope(dict(zip(graph.inputs, inputs, strict=True)))
        self._write(graph, scope, results)
        outputs = [scope.names[v] for v in results]
        for value, name in zip(results, outputs):
            if name in scope.holders:
                self._loose.add(name)
                if may_be_large(value):
                    self._given.add(name)
        return outputs

    def call(self, graph: Graph, inputs: Sequence[Code]) -> list[Code]:
        """Calls the program of `graph`, which is compiled when first called; returns the names of its outputs."""
        if self._callee is None:
            return self._outlined(graph, inputs, graph.outputs)
        name = self._bound.get(id(graph))
        if name is None:
            name = self._unique(f"call_{graph.name}")
            self._bound[id(graph)] = name
            self.namespace[name] = self._callee(graph, self.namespace, name)
        self.may_warn = True  # and may fail: the program must be able to tell where
        self.count_step()
        return self._call(name, inputs, graph.outputs)

    # --- the program ---
    def program(self, graph: Graph, name: str) -> str:
        """Writes the whole of `graph` as a function; returns the function's name. Then `text` is complete."""
        self.is_foreign = graph.is_foreign
        function = self._unique(name)
        head, body, origins, result = self._function(graph, function, graph.outputs)
        fails = self.may_warn or any(o is not None for o in origins)
        resources = [n for n, v in zip(self._parameters, graph.inputs, strict=True) if v.dtype.kind == "O"]
        self.text.append(head)
        self.table.append(None)
        if not fails:
            self._extend(body, origins)
            self._extend([INDENT + result], [None])
            return function
        indent, before, after = self._guards(result)
        if self.is_holding:
            before, after = ["try:", *_inner(before)], [*_inner(after), *_LET_GO]
            indent += INDENT
        if graph.is_atomic:
            begun = ["before = running_change()", "try:", f"{INDENT}begin_change({commas(resources)})"]
            before, after = [*begun, *_inner(before)], [*_inner(after), *_UNDONE]
            indent += INDENT
        self._extend(_inner(before), [None] * len(before))
        self._extend([indent + text for text in body], origins)
        self._extend(_inner(after), [None] * len(after))
        return function

    def add_function(self, graph: Graph, name: Code) -> None:
        """Writes `graph` as a function called `name`, which only computes: floats may warn, nothing is undone."""
        head, body, origins, result = self._function(graph, name, graph.outputs)
        self._extend([head, *body, INDENT + result, ""], [None, *origins, None, None])

    def _guards(self, result: str) -> tuple[str, list[str], list[str]]:
        """How much further in the body stands, and the lines before and behind it."""
        # An interrupt may come when any call returns: what is changed is read before, and set back whatever happened.
        before, begun, ended = [], [], []
        if self.may_warn:
            before, begun = ["mode = get_error_mode()", "token = None"], ["token = set_error_mode(IGNORE)"]
            ended = ["reset_error_mode(token) if token else set_error_mode(mode)"]
        if self.is_foreign:
            before, begun, ended = (
                [*before, "meter = running_meter()"], [*begun, "begin_meter()"], [*ended, "restore_meter(meter)"],
            )  # fmt: skip
        after = [INDENT + result, "except Exception as error:", f"{INDENT}explain(error)"]
        if ended:
            after += ["finally:", *_inner(ended)]
        return INDENT, [*before, "try:", *_inner(begun)], after

    def _function(
        self, graph: Graph, name: Code, results: Sequence[Value]
    ) -> tuple[str, list[str], list[_Origin], str]:
        saved = self._saved()
        self._lines, self._origin, self._prefix, self._depth = [], [], INDENT, 1
        self._current, self._loose, self._given = None, set(), set()
        try:
            parameters = [self._unique(v.node.name) for v in graph.inputs]
            if not self._parameters:
                self._parameters = parameters  # those of the program: it is begun before what is outlined of it
            scope = _Scope(dict(zip(graph.inputs, parameters, strict=True)))
            self._write(graph, scope, results)
            head = _DEFINED(name, commas(parameters))
            return head, self._lines, self._origin, _GIVEN_BACK(_tuple([scope.names[v] for v in results]))
        finally:
            self._restore(saved)

    def _saved(self) -> tuple[Any, ...]:
        return self._lines, self._origin, self._prefix, self._depth, self._current, self._loose, self._given

    def _restore(self, saved: tuple[Any, ...]) -> None:
        self._lines, self._origin, self._prefix, self._depth, self._current, self._loose, self._given = saved

    def _outlined(self, graph: Graph, inputs: Sequence[Code], results: Sequence[Value]) -> list[Code]:
        name = self._unique(graph.name)
        head, body, origins, result = self._function(graph, name, results)
        self._extend([head, *body, INDENT + result, ""], [None, *origins, None, None])
        return self._call(name, inputs, results)

    def _call(self, function: Code, inputs: Sequence[Code], results: Sequence[Value]) -> list[Code]:
        outputs = [self.fresh(v.node.name) for v in results]
        call = _CALLED(function, commas(inputs))
        targets = _ONE(outputs[0]) if len(outputs) == 1 else commas(outputs)
        self.line(_ASSIGNED(targets, call) if outputs else call)
        self._given.update(n for n, v in zip(outputs, results) if may_be_large(v))
        return outputs

    def _extend(self, lines: list[str], origins: list[_Origin]) -> None:
        self.text += lines
        self.table += origins

    # --- nodes ---
    def _write(self, graph: Graph, scope: _Scope, results: Sequence[Value]) -> None:
        plan = make_plan(graph, results)
        given = set(graph.inputs)
        outer_plan, self._plan = self._plan, plan
        names = scope.names
        scope.is_small = not plan.may_be_large
        is_plain = scope.is_small and not verify.ENABLED
        items: Any = zip(plan.nodes, plan.dying)
        if not self.is_bare and plan.may_be_large:
            items = chained(plan, batched(plan, results), results)
        for node, dying in paired(items) if plan.may_wait and not self.is_bare else items:
            if isinstance(node, Chain):
                self._chain(node, Blocks(node), scope)
            elif isinstance(node, Batch):
                self._chain(node, Shares(node), scope)
            elif isinstance(node, Together):
                self._together(node, scope)
            elif node.op is Const:
                names[node.outputs[0]] = self._constant(node)
                continue
            elif FORWARDS in node.op.traits and len(node.outputs) == 1:
                self._alias(scope, node.outputs[0], names[node.inputs[0]])
            elif node.outputs and node.outputs[0] in given:
                continue
            elif self._numbers and self._is_on_numbers(node):
                self._compute_number(node, scope)
            elif is_plain and type(node.op.emit) is Infix and len(node.inputs) == 2 and node.outputs[0].dims == ():
                self._compute(node, scope, node.op.emit)
            else:
                self._emit(node, scope, dying)
            if dying:
                self._drop(dying, scope)
        self._plan = outer_plan

    def _compute(self, node: Node, scope: _Scope, rule: Infix) -> None:
        """Writes what most nodes of a large graph are, as `_emit` does: an operator on scalars."""
        x, y = node.inputs
        if x.dtype.kind in "SO" or y.dtype.kind in "SO":
            self._emit(node, scope, ())
            return
        if QUIET not in node.op.traits:
            self.may_warn = True
        first, second = scope.names[x], scope.names[y]
        line = computed(self._name(scope, node.outputs[0]), first, rule.symbol, second)
        self._lines.append(self._prefix + line)
        self._origin.append((node, first, second))

    def _is_on_numbers(self, node: Node) -> bool:
        return not (self._numbers or set()).isdisjoint((*node.inputs, *node.outputs)) and rule_of(node) is not None

    def _compute_number(self, node: Node, scope: _Scope) -> None:
        """Writes a node with a value that is a number of Python."""
        rule, numbers, out = rule_of(node), self._numbers or set(), node.outputs[0]
        assert rule is not None
        saved, self._current = self._current, (node, *(scope.names[v] for v in node.inputs))
        if QUIET not in node.op.traits:
            self.may_warn = True
        compared = next((v for v in node.inputs if not v.node.is_constant), out) if is_comparison(node) else out
        # what chooses or is compared may be of a kind of its own; constants are of any
        alike = [compared if v.node.is_constant else v for v in node.inputs]
        given = list(map(self.as_kind_of, alike, node.inputs, [scope.names[v] for v in node.inputs]))
        text = rule(*given)
        if may_divide_by_zero(node) and out in numbers:
            text = _QUOTIENT(text, given[1], _HANDED(self.bind(divided, "divided"), commas(given)))
        if out not in numbers and compared in numbers:
            text = given[0] if len(given) == 1 else text  # of a cast
            text = _HANDED(self.bind(out.dtype.as_numpy_dtype, out.dtype.name), text)
        name = self._name(scope, out)
        self.line(_ASSIGNED(name, text))
        check = check_of(node, name) if out in numbers else None
        if check is not None:
            with self.block(check):
                self.line(_ASSIGNED(name, _HANDED(self.bind(wrapping(out.dtype), f"{out.dtype.name}_wrapped"), name)))
        self._current = saved

    def _emit(self, node: Node, scope: _Scope, dying: Sequence[Value], into: Code | None = None) -> None:
        """Writes a node; with `into` its result goes there, if that can be."""
        op = node.op
        inputs = list(map(scope.names.__getitem__, node.inputs))
        target = None if scope.is_small else scope.buffers.target(node, dying)
        saved = self._current, self._ending
        loose, given = self._loose, self._given
        self._current, self._ending = (node, *inputs), (scope, dying)
        if loose:
            self._loose = set()
        if given:
            self._given = set()
        if QUIET not in op.traits:
            self.may_warn = True
        guard = None if self.is_bare else guard_of(node, self.is_foreign)
        if guard is not None:
            self.line(_CALLED(self.bind(guard, "check_size"), commas(inputs)))
        rule = op.emit
        if into is not None:
            if (computes := writer_of(node)) is not None:
                kernel = self.bind(computes, _writer_name(computes, node))
                rule = partial(_over_buffer, _CALLED_INTO(kernel, commas(inputs), into))
        elif target is not None and scope.holders.get(scope.names[target[1]]) == 1:
            writer, buffer = target
            kernel = self.bind(writer, _writer_name(writer, node))
            rule = partial(_over_buffer, _CALLED_INTO(kernel, commas(inputs), scope.names[buffer]))
        if op.structure == LOOP and self._numbers is None and not self.is_bare:
            self._numbers = numbers_of(node)
            texts: list[Code] | None = rule(self, node, inputs) if rule is not None else None
            self._numbers = None
        else:
            texts = rule(self, node, inputs) if rule is not None else None
        if texts is None and op.scalar_emit is not None and _is_scalar(node):
            text = op.scalar_emit(self, node, inputs)
            texts = None if text is None else [text]
        if texts is None:
            self._kernel_call(node, inputs, scope)
        else:
            for value, text in zip(node.outputs, texts, strict=True):
                require(text)
                if text.isidentifier():
                    self._alias(scope, value, text, adopt=True)
                else:
                    self.line(_ASSIGNED(self._name(scope, value), bare(text)))
        if verify.ENABLED:
            self._check(node.outputs, scope)
        self._current, self._ending = saved
        if self._loose is loose:
            loose.clear()  # it was empty
        if self._given is given:
            given.clear()
        self._loose, self._given = loose, given

    def _check(self, values: list[Value], scope: _Scope) -> None:
        if verify.ENABLED and not self.is_bare:
            for value in values:
                if scope.names[value] != NONE and value.dtype.kind != "O":
                    promised = self.bind(value, "expected")
                    self.line(_CHECKED(self.bind(check, "check"), promised, scope.names[value]))

    def _chain(self, chain: Chain | Batch, runs: Blocks | Shares, scope: _Scope) -> None:
        """A function for one block of rows, or share of images, and its call for all of them."""
        saved, first = self._saved(), chain.nodes[0]
        self._lines, self._origin, self._prefix, self._depth = [], [], INDENT, 1
        self._loose, self._given = set(), set()
        was_bare, self.is_bare = self.is_bare, True  # what is checked is checked of the whole
        try:
            function = self._unique("block")
            parameters = [self._unique(v.node.name) for v in chain.inputs]
            into = {v: self._unique(f"{v.node.name}_out") for v in chain.outputs}
            inner = _Scope({v: scope.names[v] for v in chain.constants} | dict(zip(chain.inputs, parameters)))
            for node, dying in zip(chain.nodes, chain.dying):
                self._emit(node, inner, dying, into.get(node.outputs[0]))
                self._drop(dying, inner)
            head = _DEFINED(function, commas([*parameters, *into.values()]))
            result = INDENT + _GIVEN_BACK(_tuple([inner.names[v] for v in chain.outputs]))
            self._extend([head, *self._lines, result, ""], [None, *self._origin, None, None])
        finally:
            self._restore(saved)
            self.is_bare = was_bare
        inputs = [scope.names[v] for v in chain.inputs]
        saved_origin, self._current = self._current, (first, *(scope.names.get(v, NONE) for v in first.inputs))
        for node in chain.nodes if isinstance(chain, Batch) else [v.node for v in chain.outputs]:
            guard = guard_of(node, self.is_foreign)
            if guard is not None:
                self.line(_CALLED(self.bind(guard, "check_size"), commas([])))
        for value in chain.outputs:
            scope.buffers.hold(value)
        for value in chain.inputs:
            scope.buffers.share(value)
        outputs = [self._name(scope, v) for v in chain.outputs]
        targets = _ONE(outputs[0]) if len(outputs) == 1 else commas(outputs)
        self.line(_ASSIGNED(targets, _CALLED(self.bind(runs, runs.name), commas([function, *inputs]))))
        self._check(chain.outputs, scope)
        self._current = saved_origin

    def _together(self, group: Together, scope: _Scope) -> None:
        """One call for all the nodes, and then a line for each that takes its results."""
        calls, found = [], []
        for node in group.nodes:
            scope.buffers.target(node, [])
            kernel = partial(node.op.compute, **{k: node.attrs[k] for k in node.op.kernel_attrs})
            grouped = node.op.group([scope.names[v] for v in node.inputs], node.attrs)
            inputs = [_LIST(commas(a)) if isinstance(a, list) else a for a in grouped]
            calls.append(_TUPLE(commas([self.bind(kernel, f"k_{node.type}"), _LIST(commas(inputs))])))
            found.append(self.fresh("found"))
        self.may_warn = True
        saved = self._current
        self._current = group.nodes[0], *(scope.names[v] for v in group.nodes[0].inputs)
        self.line(_ASSIGNED(commas(found), _CALLED(self.bind(run, "run"), commas(calls))))
        for node, name in zip(group.nodes, found):
            self._current = node, *(scope.names[v] for v in node.inputs)
            result = _CALLED(self.bind(taken, "taken"), name)
            names = [self._name(scope, v) for v in node.outputs]
            if not names:
                self.line(result)
            elif len(names) == 1:
                self.line(_ASSIGNED(names[0], _CALLED(self.bind(_only, "only"), result)))
            else:
                self.line(_ASSIGNED(commas(names), result))
            self._check(node.outputs, scope)
        self.line(_DELETED(commas(found)))
        self._current = saved

    def _kernel_call(self, node: Node, inputs: list[Code], scope: _Scope) -> None:
        op = node.op
        if op.kernel is None:
            raise ValueError(
                f"node {node.name!r} cannot run: op {node.type} has no kernel"
                + (", and it is not an input of the graph" if node.op is Placeholder else "")
            )
        grouped = op.group(inputs, node.attrs)
        arguments = [_LIST(commas(a)) if isinstance(a, list) else a for a in grouped]
        arguments += [_KEYWORD(identifier(k), self.literal(node.attrs[k], f"{node.name}_{k}")) for k in op.kernel_attrs]
        kernel = f"np_{op.kernel.__name__}" if isinstance(op.kernel, np.ufunc) else f"k_{node.type}"
        call = _CALLED(self.bind(op.kernel, kernel), commas(arguments))
        names = [self._name(scope, v) for v in node.outputs]
        if not names:
            self.line(call)
        elif len(names) == 1 and (op.outputs[0].is_list or len(op.outputs) > 1):
            self.line(_ASSIGNED(names[0], _CALLED(self.bind(_only, "only"), call)))
        else:
            self.line(_ASSIGNED(commas(names), call))

    def _constant(self, node: Node) -> Code:
        value = node.attrs["value"]
        if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype != object:
            value = value[()]
        if isinstance(value, np.generic):
            key = value.dtype.str, value.tobytes()
            value = self._scalars.setdefault(key, value)
        return self.bind(value, _constant_name(value, node.name))

    # --- names ---
    def _name(self, scope: _Scope, value: Value) -> Code:
        node = value.node
        made = self._unique(node.name if len(node.outputs) == 1 else f"{node.name}_{value.index}")
        scope.names[value] = made
        scope.holders[made] = 1
        return made

    def _alias(self, scope: _Scope, value: Value, name: Code, adopt: bool = False) -> None:
        """Lets `value` go by `name`. With `adopt` the scope owns it from now on, when the rule at work made it."""
        scope.names[value] = name
        if name in scope.holders:
            scope.holders[name] += 1
        elif adopt and name in self._loose:
            self._loose.discard(name)
            self._given.discard(name)
            scope.holders[name] = 1

    def _drop(self, dying: Sequence[Value], scope: _Scope) -> None:
        dead = []
        for value in dying:
            name = scope.names.get(value)
            if name is None or name not in scope.holders:
                continue
            scope.holders[name] -= 1
            if scope.holders[name] == 0:
                del scope.holders[name]
                if may_be_large(value):
                    dead.append(name)
        if dead:
            self.line(_DELETED(commas(dead)))


def check(value: Value, found: Any) -> None:
    """Compares what a node gave with the static type it promised; part of programs under `GRAPHRT_VERIFY=1` only.

    Raises:
      InternalError: they differ.
    """
    kind = np.dtype(value.dtype.as_numpy_dtype)
    if not isinstance(found, (np.ndarray, np.generic)) or found.dtype != kind:
        raise InternalError(None, None, f"{value!r} is {getattr(found, 'dtype', type(found).__name__)}: {shown(found)}")
    if not compatible(value.dims, found.shape):
        raise InternalError(None, None, f"{shown(value)} has shape {found.shape}")


# What ends a program that undoes what it has written when it fails, and one that gives back what it holds.
_UNDONE = (
    "except BaseException:", f"{INDENT}undo_change(before)", f"{INDENT}raise",
    "finally:", f"{INDENT}leave_change(before)",
)  # fmt: skip
_LET_GO = ("except BaseException as error:", f"{INDENT}let_go(error)", f"{INDENT}raise")


def _inner(lines: list[str]) -> list[str]:
    return [INDENT + line for line in lines]


def _tuple(names: list[Code]) -> Code:
    return _TUPLE_OF_ONE(names[0]) if len(names) == 1 else _TUPLE(commas(names))


def _over_buffer(call: Code, *_: object) -> list[Code]:
    return [call]


def _writer_name(writer: Callable[..., Any], node: Node) -> str:
    return f"np_{writer.__name__}" if isinstance(writer, np.ufunc) else f"k_{node.type}_over"


def _constant_name(value: object, hint: str) -> str:
    """What a constant is called: numbers by dtype and value, the others by their node."""
    if isinstance(value, np.bool_):
        return str(value)
    if isinstance(value, (np.integer, np.floating)):
        text = repr(value.item()).replace("-", "m").replace("+", "")
        if len(text) < 16:
            return f"{value.dtype.name}_{text}"
    return hint


def _only(results: Any) -> Any:
    return results[0] if isinstance(results, (list, tuple)) else results


def _is_scalar(node: Node) -> bool:
    return all(v.dims == () for v in (*node.inputs, *node.outputs))
