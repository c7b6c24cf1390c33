"""Rewrites branches and loops as calls of operators, with functions for their bodies.

    if c:                 def get_state():
        x = 1                 return (x,)
                          def set_state(vars_):
                              nonlocal x
                              x, = vars_
                  ->      def if_body():
                              nonlocal x
                              x = 1
                          def else_body():
                              nonlocal x
                              pass
                          ag__.if_stmt(c, if_body, else_body, get_state, set_state, ('x',), 1)

The state of a statement are the variables it may set that are used before or after it. Variables without a value get
one, `ag__.Undefined`, ahead of it. What holds `yield`, or a jump that could not be lowered, stays as it is.
"""

# long: branches and loops share how their state is found

from __future__ import annotations

import functools
import operator
from typing import Any

import gast

from autograph.converters.converter import Context, StatementConverter
from autograph.converters.forms import PerhapsUnset, StagedFor, StagedIf, StagedWhile, State
from autograph.converters.stays import frame_nodes, reads_frame, suspends
from autograph.pyct.analysis.cfg import Block, Graph
from autograph.pyct.analysis.cfg import ControlFlow as ControlFlowGraph
from autograph.pyct.analysis.liveness import Liveness, LivenessWithoutErrors
from autograph.pyct.analysis.reaching_defs import MayBeSet, must_be_set, reached_nodes
from autograph.pyct.analysis.scopes import all_identifiers, walrus_targets
from autograph.pyct.nodes import (
    BLOCK_NODES,
    COMPREHENSION_NODES,
    DEF_NODES,
    LOOP_NODES,
    Node,
    Transformer,
    annotation_expressions,
    children,
    parts_of_target,
    statements_in,
    walk,
)
from autograph.pyct.origin import NOWHERE, header, place, position_of
from autograph.pyct.quote import constant, name, quote
from autograph.pyct.trees import copied


class _Function:
    """The facts about one function that its branches and loops are converted by."""

    def __init__(self, node: Node, context: Context) -> None:
        facts = context.facts
        self.native = _native_statements(node, context)
        self.frozen = reads_frame(node, context.namer)
        self.graph: Graph = facts.get(ControlFlowGraph, node)
        self.live = facts.get(Liveness, node)
        self.live_without_errors = functools.partial(facts.get, LivenessWithoutErrors, node)
        self.may_be_set = facts.get(MayBeSet, node)
        scope = self.graph.scope
        symbols = self.graph.symbols
        dead = context.facts.marks.dead
        unset = sorted(context.facts.marks.read_unset.get(node, ()))
        self.unset = symbols.mask(unset) & self.graph.locals
        self.states = {
            s: self._state(s, b, dead.get(s, set())) for s, b in self.graph.blocks.items() if s not in self.native
        }
        for statement, state in self.states.items():
            if isinstance(statement, gast.While):  # what the test sets, the body reads: they are two functions
                set_by_test = dict.fromkeys(walrus_targets(statement.test))
                state.shared += [t for t in set_by_test if t in scope.bound and t not in state.shared]
                state.shared.sort(key=symbols.index.__getitem__)
        self.declared: dict[str, Any] = {}  # variables, and an annotation without a value that was taken away
        annotated = [n for n in frame_nodes(node.body) if isinstance(n, gast.AnnAssign)]
        self.annotated = {n.target.id for n in annotated if isinstance(n.target, gast.Name)}
        self.annotates = bool(annotated)
        self.before: dict[Any, list[str]] = {}  # statement -> variables to be given a value of some kind ahead of it
        self._find_uncertain(context)
        self._mark_reads(context)

    def _state(self, statement: Node, block: Block, dead: set[str]) -> State:
        graph, symbols = self.graph, self.graph.symbols
        live_in, live_out = self.live[block.entry], self.live[block.after]
        composites = block.modified & symbols.composites
        alive = live_in | live_out
        if not isinstance(statement, gast.While):  # what is evaluated ahead of the body sets variables for it
            alive |= symbols.mask(walrus_targets(_tested(statement)))
        basic = block.modified & ~symbols.composites & alive & ~symbols.mask(sorted(dead))
        passing = self._passing(statement, block, basic & ~live_out)
        basic, live_in = basic & ~passing, live_in & ~passing
        outputs = basic & live_out
        if isinstance(statement, (gast.For, gast.AsyncFor)):  # parts of an element are none of the next one
            targets = [t.id for t in parts_of_target(statement.target) if isinstance(t, gast.Name)]
            live_in &= ~(symbols.mask(targets) & ~graph.gen[block.entry])
        for symbol in symbols.listed(composites):
            bit = symbols.bit(symbol)
            if not symbols.support[symbols.index[symbol.text]] & ~live_in and symbol.text in symbols.examples:
                outputs |= bit
        first, last = symbols.listed(outputs), symbols.listed(basic & ~live_out)
        # A closure that gets away must see the variable itself, not one of a single iteration.
        escaping = block.modified & graph.escaping & (self.graph.locals | graph.lasting)
        undefined = block.modified & graph.locals & ~self.may_be_set[block.entry] & ~graph.inner_writes
        undefined &= ~(self._only_caught(block) & ~(basic | escaping | passing))
        return State(
            symbols=[*first, *last],
            outputs=len(first),
            shared=[s.text for s in symbols.listed(basic | escaping | passing)],
            unshown=frozenset(s.text for s in symbols.listed(passing & ~escaping)),
            assigned=[s.text for s in symbols.listed(basic)],
            undefined=[s.text for s in symbols.listed(undefined)],
            examples={s.text: copied(symbols.examples[s.text]) for s in (*first, *last) if s.is_composite},
            module_level=frozenset(graph.scope.globals),
            whole=position_of(statement),
        )

    def _passing(self, statement: Node, block: Block, used: int) -> int:
        """Of the variables `used` in a statement alone those that need no value from outside unless something fails.

        What one iteration finds may be what the one before has left: there it must be the first to set the variable.
        """
        if not used:
            return 0
        passing = used & ~self.live_without_errors()[block.entry]
        if passing and not isinstance(statement, gast.If):
            elsewhere = 0
            for number, bits in enumerate(self.graph.bind):
                if not block.entry <= number < block.end:
                    elsewhere |= bits
            passing &= ~(self.may_be_set[block.entry] & elsewhere)
        return passing

    def _only_caught(self, block: Block) -> int:
        """The variables that nothing but handlers sets in a statement, and nobody reads anywhere without a value."""
        graph = self.graph
        if not any(block.entry <= number < block.end for number in graph.caught):
            return 0
        caught = others = 0
        for number in range(block.entry, block.end):
            if number in graph.caught:
                caught |= graph.caught[number]
            else:
                others |= graph.bind[number] | graph.unbind[number]
        return caught & ~others & ~self.unset

    def _find_uncertain(self, context: Context) -> None:
        """Finds reads in bodies of variables that not every way sets: each must have a value of some kind."""
        graph, symbols = self.graph, self.graph.symbols
        self.statement_of = {id(block): statement for statement, block in graph.blocks.items()}
        mask = {s: symbols.mask(st.shared) for s, st in self.states.items()}
        extra: dict[int, int] = {}
        direct: dict[int, int] = {}
        for statement, block in graph.blocks.items():
            for body, bits in enumerate(block.direct):
                self._add_direct((block, body), bits, direct)
            if statement in self.states:
                undefined = symbols.mask(self.states[statement].undefined)
                handed_on = symbols.mask(self.states[statement].assigned)
                given = block.read & self.unset | block.modified & handed_on & self.graph.locals
                extra[block.entry] = given | undefined
                self._add_direct(block.parent, undefined, direct)
        cleared: dict[int, int] = {}
        for statement, block in graph.blocks.items():
            if statement in self.states:
                for start in block.starts:
                    cleared[start] = direct.get(start, 0) & ~mask[statement]
        self.must_be_set = must_be_set(graph, extra, cleared)
        reached = reached_nodes(graph)
        for number in reached_nodes(graph, swallowed=True) - reached:
            if self._owner(graph.home[number]) is None:  # only a swallowed error may lead there
                self.must_be_set[number] = 0
        for statement, state in self.states.items():
            block = graph.blocks[statement]
            needed = block.modified & symbols.mask(state.assigned) & self.graph.locals
            if block.entry in reached:
                needed = (needed | block.read & self.unset) & ~self.must_be_set[block.entry]
            needed &= ~symbols.mask(state.undefined)
            state.uncertain = [s.text for s in symbols.listed(needed)]
            context.facts.marks.ever_undefined.update(state.undefined, state.uncertain)
        if self.unset:
            unbound = functools.reduce(operator.or_, graph.unbind, 0)  # by the end of handlers, inside of statements
            context.facts.marks.ever_undefined.update(s.text for s in symbols.listed(unbound & self.unset))
            for statement, number in graph.node_of.items():
                self._find_unset_reads(statement, [statement], number, mask, context)
            for statement, block in graph.blocks.items():
                parts = [_tested(statement), *([statement.target] if hasattr(statement, "target") else [])]
                self._find_unset_reads(statement, parts, block.entry, mask, context)

    def _find_unset_reads(
        self, statement: Node, parts: list[Any], number: int, mask: dict[Any, int], context: Context
    ) -> None:
        """Finds variables that may have no value, and must get some, as a function of ours reads what was another's."""
        # A variable shared with the function around is a captured one here: Python's own error would say so.
        owner = self._owner(self.graph.home[number])
        reads = 0 if owner is None else self.graph.exposed[number] & mask[owner[0]]
        for node in frame_nodes(parts):  # operands that become lambdas
            if isinstance(node, (gast.BoolOp, gast.IfExp)) or (isinstance(node, gast.Compare) and len(node.ops) > 1):
                for name_ in frame_nodes([node]):
                    if isinstance(name_, gast.Name) and isinstance(name_.ctx, gast.Load):
                        reads |= self.graph.symbols.simple(name_.id)
        missing = reads & self.unset & ~self.must_be_set[number]
        if missing:
            names = [s.text for s in self.graph.symbols.listed(missing)]
            self.before[statement] = names
            context.facts.marks.ever_undefined.update(names)

    def _owner(self, place: tuple[Block, int] | None) -> tuple[Any, Block, int] | None:
        """The converted statement whose body a piece of code is in: bodies of native ones belong to those around."""
        while place is not None:
            statement = self.statement_of[id(place[0])]
            if statement in self.states:
                return statement, *place
            place = place[0].parent
        return None

    def _add_direct(self, place: tuple[Block, int] | None, bits: int, direct: dict[int, int]) -> None:
        """Credits bindings to the function they happen in."""
        found = self._owner(place)
        if found is not None:
            _, block, body = found
            start = block.starts[body] if body < len(block.starts) else block.entry
            direct[start] = direct.get(start, 0) | bits

    def _mark_reads(self, context: Context) -> None:
        """Notes which deletions and which values of `+=` meet variables that may have no value."""
        marks = context.facts.marks
        nodes = {
            s: n for s, n in self.graph.node_of.items() if isinstance(s, (gast.Delete, gast.AugAssign, *DEF_NODES))
        }
        nodes.update(self.graph.handlers)
        if not nodes:
            return
        must = must_be_set(self.graph, {}, {})
        symbols = self.graph.symbols
        for statement, number in nodes.items():
            here = must[number] & ~self.graph.inner_writes  # which may delete, too
            if not isinstance(statement, gast.Delete):
                parts = _read_bare(statement)
                names = {n.id for n in frame_nodes(parts) if isinstance(n, gast.Name)}
                # What a function inside the value reads, it may read when the variable has been deleted.
                inside = {n.id for part in parts for n in walk(part) if isinstance(n, gast.Name)} - names
                marks.unproven[statement] = inside | {
                    n for n in names if not self.graph.scope.is_local(n) or not symbols.simple(n) & here
                }
                continue
            for target in (part for whole in statement.targets for part in parts_of_target(whole)):
                if not isinstance(target, gast.Name) or not self.graph.scope.is_local(target.id):
                    continue
                if self.frozen:
                    marks.plain_deletes.add(target)
                else:
                    bit = symbols.simple(target.id)
                    marks.undefined_deletes[target] = not bit & here
                    marks.ever_undefined.add(target.id)
                    here &= ~bit


def _tested(statement: Node) -> Node:
    """What a branch or loop evaluates first."""
    return statement.iter if isinstance(statement, (gast.For, gast.AsyncFor)) else statement.test


def _read_bare(node: Node) -> list[Any]:
    """The parts of a statement or handler whose reads are looked at only where variables may have no value."""
    if isinstance(node, gast.AugAssign):
        return [node.value]
    if isinstance(node, gast.ExceptHandler):
        return [] if node.type is None else [node.type]
    return [*node.decorator_list, *annotation_expressions(node)]


def _native_statements(function: Node, context: Context) -> set[Any]:
    """The branches and loops of a function that must stay, generated ones included."""
    native: set[Any] = set()
    marked = context.facts.marks.native
    parts = statements_in if function in context.facts.marks.never_suspends else children
    stack: list[tuple[Any, tuple[Any, ...]]] = [(s, ()) for s in function.body]
    while stack:
        node, around = stack.pop()
        if suspends(node) or (isinstance(node, gast.Return) and node in context.facts.marks.native_jumps):
            native.update(around)
        elif isinstance(node, (gast.Break, gast.Continue)):
            start = max(i for i, s in enumerate(around) if isinstance(s, LOOP_NODES))
            native.update(around[start:])
        if isinstance(node, BLOCK_NODES):
            if node in marked:
                native.add(node)
            around = (*around, node)
            if isinstance(node, gast.AsyncFor):
                native.update(around)
        if isinstance(node, (*DEF_NODES, gast.Lambda, gast.ClassDef)):
            stack.extend(
                (part, around) for part in frame_nodes([node])[1:] if suspends(part)
            )  # in defaults, bases, ...
            continue
        if isinstance(node, COMPREHENSION_NODES):
            stack.append((node.generators[0].iter, around))
            if isinstance(node, gast.GeneratorExp):
                continue
        stack.extend((c, around) for c in parts(node))
    return native


def _parts_outside_bodies(node: Node) -> list[Any]:
    """The children of a node that stay in the frame of its function."""
    if isinstance(node, StagedFor):
        return [node.iter]
    if isinstance(node, StagedIf):
        return [node.test]
    return [] if isinstance(node, StagedWhile) else children(node)


def _stored_by(node: Node) -> list[str]:
    if isinstance(node, gast.Name):
        return [node.id] if isinstance(node.ctx, gast.Store) else []
    if isinstance(node, (StagedIf, StagedWhile, StagedFor)):
        return [*node.state.undefined, *node.state.uncertain]
    return [node.name] if isinstance(node, PerhapsUnset) else []


class _Unannotated(Transformer):
    """Takes away annotations of variables, which a function must not declare `nonlocal` as well.

    `declared` notes those without a value, which are all that there is of the statement.
    """

    def __init__(self, names: set[str], declared: dict[str, Any]) -> None:
        self.names = names
        self.declared = declared

    def visit_AnnAssign(self, node: Node) -> Node:
        if not isinstance(node.target, gast.Name):  # never evaluated, and yet `:=` in it makes variables
            at = position_of(node.annotation)
            for text in walrus_targets(node.annotation):
                declaration = gast.AnnAssign(name(text, at, gast.Store()), constant(None, at), None, 1)
                self.declared.setdefault(text, gast.copy_location(declaration, node))
                node.annotation = constant(None, at)
            return node
        if node.target.id not in self.names or not node.simple:
            return node
        if node.value is None:
            self.declared[node.target.id] = node
            return []
        return quote("target = value", position_of(node), target=node.target, value=node.value)

    def visit_FunctionDef(self, node: Node) -> Node:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Expr = visit_Assign = visit_FunctionDef
    visit_StagedIf = visit_StagedWhile = visit_StagedFor = visit_FunctionDef

    def generic_visit(self, node: Node) -> Node:
        filled = [block for block in ("body", "finalbody") if isinstance(getattr(node, block, None), list)]
        filled = [block for block in filled if getattr(node, block)]
        super().generic_visit(node)
        for block in filled:
            if not getattr(node, block):
                setattr(node, block, quote("pass", NOWHERE))
        return node


class ControlFlow(StatementConverter):
    """Lowers `if`, `while` and `for`."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.functions: list[_Function | None] = []
        self.namer.fixed("vars_")
        self.namer.fixed("block_vars")

    # Where statements can be found

    def visit_FunctionDef(self, node: Node) -> Node:
        function = _Function(node, self.context)
        self.visit_fields(node, "body", functions=[*self.functions, function])
        if function.declared:
            inside = frame_nodes(node.body, _parts_outside_bodies)
            foreign = {id(t) for n in inside if isinstance(n, gast.comprehension) for t in walk(n.target)}
            stored = {name for n in inside if id(n) not in foreign for name in _stored_by(n)}
            is_local = function.graph.scope.is_local
            only = [n for text, n in function.declared.items() if text not in stored and is_local(text)]
            declarations = [n for n in inside if isinstance(n, (gast.Global, gast.Nonlocal))]
            outside = {text for declaration in declarations for text in declaration.names}
            for annotation in only:
                if not all_identifiers(annotation).isdisjoint(outside):
                    annotation.annotation = gast.Constant(None, None)  # it may not stand before these are declared
            node.body[-1:-1] = only  # before the scope: all that says that the name is that of a variable
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> Node:
        return self.visit_fields(node, "body", functions=[*self.functions, None])

    def visit_list(self, nodes: list[Any]) -> list[Any]:
        """Visits a block; statements whose operands need it are preceded by values for unset variables."""
        function = self.functions[-1] if self.functions else None
        if function is None or not function.before:
            return super().visit_list(nodes)
        result: list[Any] = []
        for node in nodes:
            if isinstance(node, gast.AST):
                result.extend(place(PerhapsUnset(n), header(node)) for n in function.before.get(node, ()))
                new = self.visit(node)
                result.extend(new if isinstance(new, list) else [new])
            else:
                result.append(node)
        return result

    def _visited(self, node: Node) -> State | None:
        """Visits the blocks of a statement; returns its state, if it is lowered itself."""
        self.visit_fields(node, "body", "orelse")
        function = self.functions[-1]
        return None if function is None else function.states.get(node)

    # The three statements

    def visit_If(self, node: Node) -> Node:
        state = self._visited(node)
        if state is None:
            return node
        body, orelse = self._unannotated(node.body, state), self._unannotated(node.orelse, state)
        return place(StagedIf(body, orelse, node.test, state), header(node))

    def visit_While(self, node: Node) -> Node:
        state = self._visited(node)
        if state is None:
            return node
        at = self.marks.headers.get(node) or header(node)
        set_by_test = set(walrus_targets(node.test)).intersection(state.shared)
        options = self.marks.loop_options.get(node, [])
        staged = StagedWhile(self._unannotated(node.body, state), node.test, options, state, set_by_test)
        staged.shown_flag = self.marks.shown_flags.get(node, "")
        return place(staged, at)

    def visit_For(self, node: Node) -> Node:
        state = self._visited(node)
        if state is None:
            return node
        test = self.marks.extra_tests.get(node)
        options = self.marks.loop_options.get(node, [])
        body = self._unannotated(node.body, state)
        shown = copied(node.target)
        staged = StagedFor(node.target, body, test, node.iter, options, state, shown=shown)
        staged.shown_flag = self.marks.shown_flags.get(node, "")
        return place(staged, header(node))

    def _unannotated(self, body: list[Any], state: State) -> list[Any]:
        function = self.functions[-1]
        assert function is not None
        if not function.annotates:
            return body
        return _Unannotated(function.annotated.intersection(state.shared), function.declared).visit_list(body)
