"""The control flow graph of one function, with its variables as bits of integers.

A node is a simple statement or the evaluated part of a compound one. `gen` holds the symbols it reads, `bind` those it
sets. Each node has normal successors and one exceptional successor, which sees the state before as well as after it.

Symbols are numbered in the order of their first appearance in the source; that order is what every list of variables
in generated code follows.
"""

# long: one method for each kind of statement that moves control, and of expression that reads or sets

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import gast

from autograph.pyct.analysis.facts import Analysis, Facts
from autograph.pyct.analysis.scopes import Scope, Scopes, names_bound_by, walrus_targets
from autograph.pyct.names import QN, qualified_name
from autograph.pyct.nodes import (
    COMPREHENSION_NODES,
    DEF_NODES,
    Learned,
    Node,
    Operator,
    OperatorName,
    Visitor,
    annotation_expressions,
    argument_expressions,
    children,
    evaluated_outside,
    walk,
)

# Calls that use up a generator expression before they return: what it captures is read at once.
_CONSUMERS = frozenset(("all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"))


class Symbols:
    """The symbols of a function and their bits."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self.names: list[QN] = []
        self.support: list[int] = []
        self.examples: dict[str, Any] = {}
        self.composites = 0

    def bit(self, name: QN) -> int:
        """The bit of a symbol, numbered now if it is new."""
        position = self.index.get(name.text)
        if position is None:
            position = self._add(name)
        return 1 << position

    def simple(self, text: str) -> int:
        """The bit of a simple name."""
        position = self.index.get(text)
        return 1 << (self._add(QN(text, (text,))) if position is None else position)

    def _add(self, name: QN) -> int:
        support = 0
        if name.is_composite:
            for part in name.support:
                support |= self.simple(part)
        position = len(self.names)
        self.index[name.text] = position
        self.names.append(name)
        self.support.append(support)
        if name.is_composite:
            self.composites |= 1 << position
        return position

    def mask(self, names: Iterable[str]) -> int:
        """The bits of simple names."""
        result = 0
        for text in names:
            result |= self.simple(text)
        return result

    def listed(self, mask: int) -> list[QN]:
        """The symbols of a mask, in order of appearance."""
        result = []
        while mask:
            low = mask & -mask
            result.append(self.names[low.bit_length() - 1])
            mask ^= low
        return result


@dataclass
class Block:
    """What is known of a compound statement: its nodes, and the symbols its bodies set and read."""

    entry: int
    header: int
    after: int = -1
    end: int = -1  # its nodes are numbered from `entry` up to here, but for `after`
    modified: int = 0
    read: int = 0
    parent: tuple[Block, int] | None = None  # the block around, and which of its bodies this one is in
    starts: list[int] = field(default_factory=list)  # the first node of each body
    direct: list[int] = field(default_factory=list)  # what each body sets itself, not by a block inside it


@dataclass
class Graph:
    """The graph of a function."""

    scope: Scope
    symbols: Symbols = field(default_factory=Symbols)
    gen: list[int] = field(default_factory=list)
    bind: list[int] = field(default_factory=list)
    unbind: list[int] = field(default_factory=list)
    captured: list[int] = field(default_factory=list)
    confined: int = 0  # of `captured`: what only functions do that nobody but this one can call
    exposed: list[int] = field(default_factory=list)
    perhaps: dict[int, int] = field(default_factory=dict)  # of what a node sets, what it may not set after all
    succ: list[list[int]] = field(default_factory=list)
    exc: list[int] = field(default_factory=list)
    blocks: dict[Any, Block] = field(default_factory=dict)
    node_of: dict[Any, int] = field(default_factory=dict)
    home: list[tuple[Block, int] | None] = field(default_factory=list)  # the block around each node, and which body
    evaluating: set[int] = field(default_factory=set)  # nodes that run something, rather than join or part ways
    repeated: dict[int, int] = field(default_factory=dict)  # header of a `for` -> the node of what it runs over
    caught: dict[int, int] = field(default_factory=dict)  # beginnings and ends of handlers: the variable of the error
    handlers: dict[Any, int] = field(default_factory=dict)  # handler -> its first node
    swallowing: set[int] = field(default_factory=set)  # ends of `with`: reached from inside only by swallowed errors
    exit: int = -1
    escaping: int = 0
    lasting: int = 0  # outlives the call: declared global or nonlocal
    inner_writes: int = 0  # set by functions and classes within, whenever those run

    @cached_property
    def order(self) -> list[int]:
        """The nodes, each after those that lead to it (loops aside): in this order facts travel in few rounds.

        Code that cannot be reached comes first; the exit is left out.
        """
        order: list[int] = []
        seen = {self.exit}
        stack: list[tuple[int, Iterator[int]]] = []
        for root in (1, *range(1, len(self.gen))):
            if root in seen:
                continue
            seen.add(root)
            stack.append((root, iter(self.leads_to(root))))
            while stack:
                node, successors = stack[-1]
                for successor in successors:
                    if successor not in seen:
                        seen.add(successor)
                        stack.append((successor, iter(self.leads_to(successor))))
                        break
                else:
                    order.append(node)
                    stack.pop()
        order.reverse()
        return order

    @cached_property
    def locals(self) -> int:
        """The variables of this very function."""
        return self.symbols.mask(name for name in self.scope.bound if self.scope.is_local(name))

    def leads_to(self, node: int, swallowed: bool = True) -> list[int]:
        """The nodes that may come next, also after an exception, which a manager may have `swallowed`."""
        target = self.exc[node]
        following = self.succ[node] if swallowed or node not in self.swallowing else []
        return [*following, target] if target > 0 else following

    def spread(self, given: list[int], taken: list[int] | None = None) -> list[int]:
        """For each node the symbols that some way to it is `given` by the nodes on it, and none on it has `taken` since."""
        entering = [0] * len(given)
        changed = True
        while changed:
            changed = False
            for number in self.order:
                found = entering[number] | given[number]
                left = found if taken is None else found & ~taken[number]
                for successor in self.leads_to(number):
                    passed = found if successor == self.exc[number] else left  # what fails may have taken nothing
                    if passed & ~entering[successor]:
                        entering[successor] |= passed
                        changed = True
        return entering


class ControlFlow(Analysis[Graph]):
    """The graph of a function definition."""

    @staticmethod
    def compute(node: Node, facts: Facts) -> Graph:
        """Builds the graph of the body of `node`."""
        return _Builder(node, facts).graph


class _Jumps(NamedTuple):
    """Where `break` and `continue` lead."""

    after: int
    head: int


class _Activity(Visitor):
    """Collects what one evaluated piece of code reads and sets."""

    def __init__(self, builder: _Builder) -> None:
        self.builder = builder
        self.symbols = builder.graph.symbols
        self.gen = 0
        self.exposed = 0  # what is read and not set before within the same piece
        self.bind = 0
        self.perhaps = 0  # of these what may not be set after all
        self.unbind = 0
        self.captured = 0

    def visit_Name(self, node: Node) -> None:
        bit = self.symbols.simple(node.id)
        if isinstance(node.ctx, gast.Load):
            self.gen |= bit | self.builder.lambda_reads.get(node.id, 0)
            self.exposed |= bit & ~(self.bind & ~self.perhaps)
            self.builder.weak_writes(node.id)
        elif isinstance(node.ctx, gast.Del):
            self.gen |= bit  # it has to be there
            self.unbind |= bit
        else:
            self.bind |= bit
            self.perhaps &= ~bit

    def visit_Attribute(self, node: Node) -> None:
        name = qualified_name(node)
        if name is not None:
            bit = self.symbols.bit(name)
            if isinstance(node.ctx, gast.Load):
                self.gen |= bit
            else:
                self.bind |= bit
                self.symbols.examples.setdefault(name.text, node)
        self.generic_visit(node)

    visit_Subscript = visit_Attribute

    def visit_Assign(self, node: Node) -> None:
        self.visit(node.value)
        self.visit_all(node.targets)

    def visit_AugAssign(self, node: Node) -> None:
        name = qualified_name(node.target)
        if name is not None:
            bit = self.symbols.bit(name)
            self.gen |= bit
            self.exposed |= bit
        self.visit(node.target)  # first: its object and index are evaluated ahead of the value
        self.visit(node.value)

    def visit_AnnAssign(self, node: Node) -> None:
        annotation = _Activity(self.builder)
        annotation.visit(node.annotation)
        self.gen |= annotation.gen  # never evaluated, and yet read for TensorFlow
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)
            return
        name = qualified_name(node.target)
        if name is not None:  # sets nothing, and yet it belongs to the state
            for block, _ in self.builder.open_blocks:
                block.modified |= self.symbols.bit(name)
            self.symbols.examples.setdefault(name.text, node.target)
        if not isinstance(node.target, gast.Name):
            self.generic_visit(node.target)

    def visit_NamedExpr(self, node: Node) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_BoolOp(self, node: Node) -> None:
        self.visit(node.values[0])
        self._perhaps(node.values[1:])

    def visit_IfExp(self, node: Node) -> None:
        self.visit(node.test)
        self._perhaps([node.body])
        self._perhaps([node.orelse])

    def visit_Compare(self, node: Node) -> None:
        self.visit(node.left)
        self.visit(node.comparators[0])
        self._perhaps(node.comparators[1:])

    def _perhaps(self, nodes: list[Any]) -> None:
        """Visits what may not be evaluated: a variable that `:=` sets there keeps its value then."""
        surely = self.bind & ~self.perhaps
        before = self.bind
        self.visit_all(nodes)
        self.gen |= self.bind & ~before
        self.perhaps |= self.bind & ~surely

    def visit_FunctionDef(self, node: Node) -> None:
        self.visit_all(evaluated_outside(node))
        around, self.gen = self.gen, 0
        self.visit_all(annotation_expressions(node))
        self.captured |= self.builder.read_in(node) | self.gen  # TensorFlow: what the function reads when it runs
        self.gen |= around
        self.bind |= self.symbols.simple(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> None:
        self.visit_all(evaluated_outside(node))
        free = self.builder.free_in(node)
        self.gen |= free
        self.exposed |= free
        kept = self.builder.kept_in(node)
        self.builder.graph.escaping |= kept
        self.captured |= kept  # its methods may be called by whoever has one of its objects
        self.bind |= self.symbols.simple(node.name)

    def visit_Lambda(self, node: Node) -> None:
        self.visit_all(evaluated_outside(node))
        self._captures(node)

    def _captures(self, node: Node) -> None:
        free = self.builder.free_in(node)
        self.gen |= free
        self.exposed |= free & ~(self.bind & ~self.perhaps)

    def visit_ListComp(self, node: Node) -> None:
        self.visit(node.generators[0].iter)
        self._captures(node)
        for target in walrus_targets(node):
            self.perhaps |= self.symbols.simple(target) & ~self.bind
            self.bind |= self.symbols.simple(target)
            self.gen |= self.symbols.simple(target)  # it may run over nothing

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_alias(self, node: Node) -> None:
        self.generic_visit(node)
        self.bind |= self.symbols.mask(names_bound_by(node))

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = visit_alias


_SURVEYED = (gast.Name, gast.Attribute, gast.Subscript, gast.Call, gast.alias, gast.Lambda, gast.ClassDef, Operator)


@Learned
def _says_more(kind: Any) -> bool:
    """Whether nodes of a class say more of the variables than their children do."""
    return issubclass(kind, (*_SURVEYED, *DEF_NODES, *COMPREHENSION_NODES)) or hasattr(kind, "consumed")


def _yields(function: Node) -> bool:
    """Whether what a call gives runs later."""
    return any(isinstance(node, (gast.Yield, gast.YieldFrom)) for node in walk(function))


class _Builder:
    def __init__(self, function: Node, facts: Facts) -> None:
        self.facts = facts
        scope = facts.get(Scopes, function)
        self.graph = Graph(scope)
        self.lambda_reads: dict[str, int] = {}
        self.function_writes: dict[str, int] = {}
        self.open_blocks: list[tuple[Block, int]] = []
        self.loops: list[_Jumps] = []
        self.graph.exit = self._node()
        self.exc = self.graph.exit
        self.cleanups: list[int] = []
        parameters = self.graph.symbols.mask(scope.params)
        self._survey(function.body)
        self.graph.lasting = self.graph.symbols.mask({**scope.globals, **scope.nonlocals})
        self._link(self._block(function.body, [self._node(bind=parameters)]), self.graph.exit)

    # Symbols

    def scope_of(self, node: Node) -> Scope:
        return self.facts.get(Scopes, node)

    def free_in(self, node: Node) -> int:
        """What a function, class or comprehension takes from around it."""
        return self.graph.symbols.mask(self.scope_of(node).free)

    def read_in(self, node: Node) -> int:
        """The same, and what the lambdas read that are among it."""
        return self._with_lambdas(list(self.scope_of(node).free))

    def kept_in(self, node: Node) -> int:
        """The same, of what functions in a class take from around that."""
        scope = self.scope_of(node)
        return self._with_lambdas([name for name in scope.kept if name in scope.free])

    def _with_lambdas(self, names: list[str]) -> int:
        found = 0
        for name in names:
            if not found & self.graph.symbols.simple(name):
                found |= self.graph.symbols.simple(name)
                names += [symbol.text for symbol in self.graph.symbols.listed(self.lambda_reads.get(name, 0))]
        return found

    def weak_writes(self, name: str) -> None:
        writes = self.function_writes.get(name)
        if writes:
            for block, _ in self.open_blocks:
                block.modified |= writes

    def _survey(self, body: list[Any]) -> None:
        """Numbers the symbols in source order; finds what closures read and which of them get away."""
        lambdas: list[tuple[Any, Any, int]] = []
        definitions: list[tuple[Any, int]] = []
        in_classes = 0
        wrapped: dict[Any, Any] = {}  # lambda -> its mark around it
        called: set[Any] = set()
        bare_reads: set[str] = set()
        stack: list[tuple[Any, Any]] = [(s, None) for s in reversed(body)]
        while stack:
            node, parent = stack.pop()
            kind = node.__class__
            if not _says_more[kind]:
                for child in reversed(children(node)):
                    stack.append((child, node))
                continue
            if kind is gast.Name:
                self.graph.symbols.simple(node.id)
                if isinstance(node.ctx, gast.Load) and getattr(parent, "func", None) is not node:
                    bare_reads.add(node.id)
            elif kind is gast.Attribute or kind is gast.Subscript:
                name = qualified_name(node)
                if name is not None:
                    self.graph.symbols.bit(name)
            elif kind is gast.Call and isinstance(node.func, gast.Name) and node.func.id in _CONSUMERS:
                called.update(a for a in node.args if isinstance(a, gast.GeneratorExp))
            elif kind is gast.alias:
                self.graph.symbols.mask(names_bound_by(node))
            elif kind is Operator and node.operator == "autograph_artifact" and node.args:
                wrapped[node.args[0]] = node
                stack.append((node.args[0], parent))
                continue
            called.update(getattr(node, "consumed", tuple)())
            if isinstance(node, (gast.Lambda, gast.GeneratorExp)):
                if node not in called:
                    lambdas.append((node, parent, self.free_in(node)))
                if isinstance(node, gast.Lambda):
                    stack.extend((d, node) for d in reversed(argument_expressions(node.args)))
                    continue
            if isinstance(node, (*DEF_NODES, gast.ClassDef)):
                self.graph.symbols.simple(node.name)
                writes = self.graph.symbols.mask(self.facts.get(Scopes, node).outside_writes)
                if writes:
                    self.graph.inner_writes |= writes
                    self.function_writes[node.name] = self.function_writes.get(node.name, 0) | writes
                if isinstance(node, DEF_NODES):
                    definitions.append((node, self.free_in(node)))
                else:
                    in_classes |= self.kept_in(node)
                stack.extend((d, node) for d in reversed(evaluated_outside(node)))
                continue
            if isinstance(node, COMPREHENSION_NODES):
                stack.append((node.generators[0].iter, node))
                inner = [c for c in children(node) if not isinstance(c, gast.comprehension)]
                closures = (n for part in inner for n in walk(part) if isinstance(n, (gast.Lambda, gast.GeneratorExp)))
                lambdas.extend((closure, None, self.free_in(closure)) for closure in closures)
                continue
            stack.extend((c, node) for c in reversed(children(node)))
        scope = self.graph.scope
        passed_on = bare_reads.union(*(inner.free for inner in scope.inner), scope.globals, scope.nonlocals)
        elsewhere = in_classes
        for node, free in definitions:
            # What it gives may run on, or be marked by others than us.
            gives = node.__class__ is not gast.FunctionDef or self.scope_of(node).inner or _yields(node)
            if gives or node.name in passed_on or any(not isinstance(d, OperatorName) for d in node.decorator_list):
                elsewhere |= free
            self.graph.confined |= free
        self.graph.confined &= ~elsewhere
        for node, parent, free in lambdas:
            value = wrapped.get(node, node)
            named = isinstance(parent, gast.Assign) and parent.value is value and isinstance(node, gast.Lambda)
            targets = [t.id for t in parent.targets if isinstance(t, gast.Name)] if named else []
            if named and len(targets) == len(parent.targets):
                for target in targets:
                    self.lambda_reads[target] = self.lambda_reads.get(target, 0) | free
                if passed_on.isdisjoint(targets) and not self.scope_of(node).inner and not _yields(node):
                    continue
            self.graph.escaping |= free

    # Nodes

    def _node(self, gen: int = 0, bind: int = 0, unbind: int = 0, captured: int = 0, exposed: int = 0) -> int:
        graph = self.graph
        number = len(graph.gen)
        graph.gen.append(gen)
        graph.bind.append(bind)
        graph.unbind.append(unbind)
        graph.captured.append(captured)
        graph.exposed.append(exposed)
        graph.home.append(self.open_blocks[-1] if number and self.open_blocks else None)
        graph.succ.append([])
        graph.exc.append(self.exc if number else -1)
        changed = bind | unbind
        if changed and number:
            for block, _ in self.open_blocks:
                block.modified |= changed
            if self.open_blocks:
                block, body = self.open_blocks[-1]
                block.direct[body] |= changed
        if gen:
            for block, _ in self.open_blocks:
                block.read |= gen
        return number

    def _link(self, frontier: list[int], target: int) -> None:
        for node in frontier:
            if target not in self.graph.succ[node]:
                self.graph.succ[node].append(target)

    def _evaluate(self, parts: list[Any], frontier: list[int]) -> int:
        if parts == [None]:
            number = self._node()
            self._link(frontier, number)
            return number
        activity = _Activity(self)
        for part in parts:
            if part is not None:
                activity.visit(part)
        number = self._node(activity.gen, activity.bind, activity.unbind, activity.captured, activity.exposed)
        self.graph.evaluating.add(number)
        self._link(frontier, number)
        if activity.perhaps:
            self.graph.perhaps[number] = activity.perhaps
        return number

    # Statements

    def _block(self, body: list[Any], frontier: list[int]) -> list[int]:
        for statement in body:
            method = _method_for(statement.__class__)
            if method is None:
                number = self._evaluate([statement], frontier)
                self.graph.node_of[statement] = number
                frontier = [number]
            else:
                frontier = method(self, statement, frontier)
        return frontier

    def _open(self, node: Node, entry: int) -> Block:
        block = self.graph.blocks[node] = Block(entry, entry)
        block.parent = self.open_blocks[-1] if self.open_blocks else None
        return block

    def _body(self, block: Block, body: list[Any], frontier: list[int], target: Node = None) -> list[int]:
        block.direct.append(0)
        self.open_blocks.append((block, len(block.direct) - 1))
        start = self._evaluate([target], frontier)
        block.starts.append(start)
        frontier = self._block(body, [start])
        self.open_blocks.pop()
        return frontier

    def _join(self, block: Block, frontier: list[int]) -> list[int]:
        block.end = len(self.graph.gen)
        block.after = self._node()
        self._link(frontier, block.after)
        return [block.after]

    def _If(self, node: Node, frontier: list[int]) -> list[int]:
        test = self._evaluate([node.test], frontier)
        block = self._open(node, test)
        ends = self._body(block, node.body, [test]) + self._body(block, node.orelse, [test])
        return self._join(block, ends)

    def _While(self, node: Node, frontier: list[int]) -> list[int]:
        entry = self._node()
        self._link(frontier, entry)
        block = self._open(node, entry)
        block.after, block.header = self._node(), self._node()
        self._link([entry], block.header)
        self.loops.append(_Jumps(block.after, block.header))
        block.direct.append(0)
        self.open_blocks.append((block, 0))  # what `:=` in the test sets is set by the loop
        test = self._evaluate([node.test], [block.header])
        self.open_blocks.pop()
        block.starts.append(test)
        self._link(self._body(block, node.body, [test]), block.header)
        self.loops.pop()
        self._link(self._block(node.orelse, [test]), block.after)
        block.end = len(self.graph.gen)
        return [block.after]

    def _For(self, node: Node, frontier: list[int]) -> list[int]:
        entry = self._evaluate([node.iter], frontier)
        block = self._open(node, entry)
        block.after = self._node()
        block.header = self._evaluate([self.facts.marks.extra_tests.get(node)], [entry])
        self.graph.evaluating.add(block.header)  # the next element
        self.graph.repeated[block.header] = entry
        self.loops.append(_Jumps(block.after, block.header))
        self._link(self._body(block, node.body, [block.header], node.target), block.header)
        self.loops.pop()
        self._link(self._block(node.orelse, [block.header]), block.after)
        block.end = len(self.graph.gen)
        return [block.after]

    _AsyncFor = _For

    def _With(self, node: Node, frontier: list[int]) -> list[int]:
        for item in node.items:
            frontier = [self._evaluate([item.context_expr, item.optional_vars], frontier)]
        # Any context manager may swallow an exception: what runs after the statement can then see the state in it.
        after = self._node()
        outer, self.exc = self.exc, self._node()
        self._link([self.exc], after)
        self.graph.swallowing.add(self.exc)
        frontier = self._block(node.body, frontier)
        self.exc = outer
        self._link(frontier, after)
        return [after]

    _AsyncWith = _With

    def _Scoped(self, node: Node, frontier: list[int]) -> list[int]:
        return self._block(node.body, frontier)

    def _Try(self, node: Node, frontier: list[int]) -> list[int]:
        outer = self.exc
        cleanup = -1
        if node.finalbody:
            cleanup = self._node()
            self.cleanups.append(cleanup)
            self.exc = cleanup
        around = self.exc
        ends: list[int] = []
        if node.handlers:
            dispatch = self._node()
            self.exc = dispatch
            start = self._node()
            self._link(frontier, start)
            frontier = self._block(node.body, [start])
            self.exc = around
            for handler in node.handlers:
                ends += self._handler(handler, [dispatch])
        else:
            frontier = self._block(node.body, frontier)
        ends += self._block(node.orelse, frontier)
        if not node.finalbody:
            return ends
        self.cleanups.pop()
        self.exc = outer
        self._link(ends, cleanup)
        frontier = self._block(node.finalbody, [cleanup])
        last = self._node()
        self._link(frontier, last)
        # The `finally` may have been entered by a jump or an exception, and goes on from there.
        self._link([last], self.cleanups[-1] if self.cleanups else self.graph.exit)
        if outer != self.graph.exit:
            self._link([last], outer)
        for jumps in self.loops:
            self._link([last], jumps.after)
            self._link([last], jumps.head)
        return [last]

    _TryStar = _Try

    def _handler(self, handler: Node, frontier: list[int]) -> list[int]:
        number = self._evaluate([handler.type, handler.name], frontier)
        self.graph.handlers[handler] = number
        frontier = self._block(handler.body, [number])
        if handler.name is None:
            return frontier
        variable = self.graph.symbols.simple(handler.name.id)
        end = self._node(unbind=variable)
        self.graph.caught[number] = self.graph.caught[end] = variable
        self._link(frontier, end)
        return [end]

    def _Match(self, node: Node, frontier: list[int]) -> list[int]:
        frontier = [self._evaluate([node.subject], frontier)]
        ends: list[int] = []
        for case in node.cases:
            pattern = self._evaluate([case.pattern, case.guard], frontier)
            # A pattern that fails may have set some of its names.
            skip = self._node()
            self._link([*frontier, pattern], skip)
            ends += self._block(case.body, [pattern])
            frontier = [skip]
        return ends + frontier

    # Jumps

    def _jump(self, node: Node, frontier: list[int], target: int) -> list[int]:
        number = self._evaluate([node], frontier)
        self.graph.node_of[node] = number
        self._link([number], self.cleanups[-1] if self.cleanups else target)
        return []

    def _Return(self, node: Node, frontier: list[int]) -> list[int]:
        return self._jump(node, frontier, self.graph.exit)

    def _Raise(self, node: Node, frontier: list[int]) -> list[int]:
        self.graph.node_of[node] = self._evaluate([node], frontier)
        return []

    def _Break(self, node: Node, frontier: list[int]) -> list[int]:
        return self._jump(node, frontier, self.loops[-1].after)

    def _Continue(self, node: Node, frontier: list[int]) -> list[int]:
        return self._jump(node, frontier, self.loops[-1].head)


@cache
def _method_for(kind: type) -> Callable[[_Builder, Any, list[int]], list[int]] | None:
    """What builds the graph of a statement of several parts; None for a simple one."""
    named = (getattr(_Builder, f"_{base.__name__}", None) for base in kind.__mro__)
    return next(filter(None, named), None)
