"""Walks one function: notes what chooses by a value, and finds what works on plain values only.

    def rows(xs):
        for x in xs:         AG410: the `for` stays a Python loop: it holds `yield`
            if x > 0:        AG410: so does the `if`
                yield x

What stays Python is decided by `converters/stays.py`, the same marks that conversion obeys.
"""

# long: one method for each construct that may stay Python, with what is said of it

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from typing import Any

import gast

from autograph import errors
from autograph.backends.protocol import Handles, StagingBackend
from autograph.checking.findings import Construct, Finding, FunctionReport
from autograph.checking.plainness import Plainness
from autograph.converters import stays
from autograph.converters.stays import frame_nodes, reads_frame
from autograph.converters.thunks import looks_at_frame
from autograph.options import ConversionOptions, Feature
from autograph.pyct.analysis.facts import Facts
from autograph.pyct.names import qualified_name
from autograph.pyct.nodes import BLOCK_NODES, DEF_NODES, LOOP_NODES, Node, children, evaluated_outside
from autograph.pyct.unparse import unparse

_OF_LISTS = frozenset(  # and dictionaries and deques
    ("append", "extend", "insert", "update", "setdefault", "remove", "clear", "appendleft", "extendleft")
)
_MUTATORS = _OF_LISTS | {"add", "discard", "popitem"}
_ALL_ERRORS = frozenset(("Exception", "BaseException"))
_DIVISIONS = frozenset(("ZeroDivisionError", "ArithmeticError")) | _ALL_ERRORS
_POWERS = frozenset(("OverflowError",)) | _DIVISIONS
_RUN_TIME_ERRORS = {  # what Python raises for an operation, and a staged one does not
    gast.Div: _DIVISIONS, gast.FloorDiv: _DIVISIONS, gast.Mod: _DIVISIONS, gast.Pow: _POWERS,
    gast.Subscript: frozenset(("IndexError", "LookupError")) | _ALL_ERRORS,
}  # fmt: skip
_SCALARS = frozenset(("int", "float", "complex", "bool", "str", "bytes"))
_NOT_RAISED_BY_USERS = frozenset(("StopIteration", "StopAsyncIteration", "NotImplementedError"))
_DISPLAYS = (gast.Tuple, gast.List, gast.Set)

_KINDS: dict[str, type[errors.Finding]] = {
    "suspends": errors.SuspendingBlockFinding,
    "frame": errors.FrameReaderFinding,
    "finally": errors.JumpOutOfFinallyFinding,
}


def text_of(node: Node, longest: int = 40) -> str:
    """The source of an expression, cut where it gets long."""
    text = " ".join(unparse(node).split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


@dataclass
class FunctionCheck:
    """The walk through one function or lambda; functions defined in it are left to the caller, in `nested`."""

    node: Node
    report: FunctionReport
    filename: str
    facts: Facts
    plain: Plainness
    options: ConversionOptions
    owner: str | None  # the class a method belongs to
    converted: frozenset[tuple[str, int, int]] | None  # the operators in the converted code, if there is any
    backend: StagingBackend
    findings: list[Finding] = field(default_factory=list)
    nested: list[Any] = field(default_factory=list)
    branches: list[Any] = field(default_factory=list)  # the `if` statements that may be staged
    loops: list[Any] = field(default_factory=list)  # the loops that may be staged
    siblings: dict[Any, list[Any]] = field(default_factory=dict)  # statement -> the block it is in
    staged_loops: set[Any] = field(default_factory=set)  # loops of comprehensions that conversion makes operators of
    around: tuple[Any, ...] = ()  # what the statement at hand stands in
    places: dict[Any, tuple[Any, ...]] = field(default_factory=dict)  # branch or loop -> what it stands in
    # A variable, the line, what the statement stands in.
    reads: list[tuple[str, int, tuple[Any, ...]]] = field(default_factory=list)
    catching: list[Any] = field(default_factory=list)  # the handlers around the statement at hand
    is_recursive: bool = False  # whether the backend lets it call itself
    in_class_body: bool = False
    told_of_frame: bool = False

    def walk(self) -> None:
        """Looks at the whole body."""
        if isinstance(self.node, gast.Lambda):
            self.expression(self.node.body)
        else:
            self.block(self.node.body, ())
        self.report.constructs.sort(key=lambda c: (c.line, c.column))

    # What is noted

    def found(self, kind: type[errors.Finding], node: Node, reason: str, suggestion: str = "") -> None:
        """Notes a finding at a node."""
        place = node
        while not hasattr(place, "lineno"):
            place = children(place)[0]
        start, end = (place.lineno, place.col_offset + 1), (place.end_lineno, place.end_col_offset + 1)
        self.findings.append(Finding(kind, self.filename, *start, *end, self.report.name, reason, suggestion))

    def construct(self, what: str, node: Node, meaning: str, reason: str = "") -> None:
        """Notes something that chooses."""
        self.report.constructs.append(Construct(what, node.lineno, node.col_offset + 1, meaning, reason))

    def judged(self, what: str, node: Node, plain: bool) -> None:
        """Notes something that chooses and may be staged."""
        meaning = ("plain", "only plain values decide it") if plain else ("staged", "")
        self.construct(what, node, *meaning)

    # Statements

    def block(self, body: list[Any], around: tuple[Any, ...]) -> None:
        """Walks statements; `around` are the branches and loops around them that may be staged, innermost last."""
        for node in body:
            if isinstance(node, gast.stmt):
                self.siblings[node] = body
                self.statement(node, around)

    def statement(self, node: Node, around: tuple[Any, ...]) -> None:
        """Walks one statement."""
        self.around = self.places[node] = around
        if isinstance(node, BLOCK_NODES):
            self.branch(node, around)
        elif isinstance(node, DEF_NODES):
            self.definition(node, None)
        elif isinstance(node, gast.ClassDef):
            self.class_body(node)
        elif isinstance(node, gast.Match):
            self.match(node, around)
        elif isinstance(node, (gast.Try, gast.TryStar)):
            self.try_statement(node, around)
        elif isinstance(node, (gast.With, gast.AsyncWith)):
            for item in node.items:
                self.expression(item.context_expr)
            self.block(node.body, around)
        else:
            for child in children(node):
                self.expression(child)
            if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
                self.reads.append((node.target.id, node.lineno, around))
            self.simple(node, around)

    def simple(self, node: Node, around: tuple[Any, ...]) -> None:
        """The findings about a statement without a body."""
        if isinstance(node, gast.Assert):
            self.assertion(node)
        if not around:
            return
        block = around[-1]
        words = _words(block)
        if isinstance(node, gast.Raise):
            if self.is_handled(node, block):
                return
            self.found(
                errors.RaiseInBranchFinding,
                node,
                f"the `raise` happens while {words} on line {block.lineno} is staged, whatever "
                f"{'its condition is' if not isinstance(block, gast.For) else 'the loop runs over'}",
                "check with `assert` and Feature.ASSERT_STATEMENTS, or with an assertion of the backend",
            )
        elif isinstance(node, gast.Expr) and isinstance(node.value, gast.Call):
            self.mutation(node.value, around)

    def is_handled(self, node: Node, block: Node) -> bool:
        """Whether the backend makes a `raise` in a staged statement an error of the staged program."""
        if Handles.RAISES not in self.backend.handles or not isinstance(block, gast.If):
            return False
        if any(_catches(handler, node) for handler in self.catching):
            return False
        raised = node.exc.func if isinstance(node.exc, gast.Call) else node.exc
        return not (isinstance(raised, gast.Name) and raised.id in _NOT_RAISED_BY_USERS)

    def branch(self, node: Node, around: tuple[Any, ...]) -> None:
        """`if`, `while` and `for`."""
        is_for = isinstance(node, (gast.For, gast.AsyncFor))
        decider = node.iter if is_for else node.test
        plain = self.plain.iterates_plainly(decider) if is_for else self.plain.chooses_plainly(decider)
        what = {"If": "if", "While": "while", "For": "for", "AsyncFor": "async for"}[type(node).__name__]
        self.expression(decider)
        if self.in_class_body:
            self.construct(what, node, "python", stays.OF_CLASS.reason)
            if not plain:
                self.found(
                    errors.ClassBodyFinding,
                    node,
                    f"the `{what}` on `{text_of(decider)}` stays a Python statement: {stays.OF_CLASS.reason}",
                    stays.OF_CLASS.suggestion,
                )
            inner = around
        elif node in self.facts.marks.native or isinstance(node, gast.AsyncFor) or not self.is_converted(what, decider):
            stay = self.facts.marks.native.get(node) or stays.suspending_rest(frame_nodes(self.node.body))
            kind = _KINDS[stay.kind]
            self.construct(what, node, "python", stay.reason)
            if not plain and not (kind is errors.FrameReaderFinding and self.told_of_frame):
                self.told_of_frame |= kind is errors.FrameReaderFinding
                where = f"the `{what}` on `{text_of(decider)}`"
                self.found(kind, node, f"{where} stays a Python statement: {stay.reason}", stay.suggestion)
            inner = around
        elif plain and not (isinstance(node, gast.While) and self.ends_by_choice(node.body)):
            self.judged(what, node, True)
            inner = around
        else:
            self.judged(what, node, False)
            (self.loops if isinstance(node, LOOP_NODES) else self.branches).append(node)
            inner = (*around, node)
        self.block(node.body, inner)
        self.block(node.orelse, around if isinstance(node, LOOP_NODES) else inner)

    def ends_by_choice(self, body: list[Any]) -> bool:
        """Whether a loop is left by a `break` or `return` under a condition that may be staged."""
        for node in frame_nodes(body):
            if isinstance(node, gast.If) and not self.plain.chooses_plainly(node.test):
                returns = any(isinstance(n, gast.Return) for n in frame_nodes([*node.body, *node.orelse]))
                if returns or breaks([node]):
                    return True
        return False

    def is_converted(self, what: str, decider: Any) -> bool:
        """Whether conversion made an operator of a statement that nothing in it forbids."""
        return self.converted is None or (f"{what}_stmt", decider.lineno, decider.col_offset) in self.converted

    def definition(self, node: Node, owner: str | None) -> None:
        """A function defined in this one, or in a class in it."""
        for part in evaluated_outside(node):
            self.expression(part)
        self.nested.append((node, owner))

    def class_body(self, node: Node) -> None:
        """The statements of a class inside the function."""
        for part in evaluated_outside(node):
            self.expression(part)
        outer, self.in_class_body = self.in_class_body, True
        for statement in node.body:
            if isinstance(statement, DEF_NODES):
                self.siblings[statement] = node.body
                self.definition(statement, node.name)
            else:
                self.block([statement], ())
        self.in_class_body = outer

    def match(self, node: Node, around: tuple[Any, ...]) -> None:
        """`match`: values and alternatives of values are staged, patterns that take apart are not."""
        self.expression(node.subject)
        plain = self.plain.is_plain(node.subject)
        for case in node.cases:
            pattern = case.pattern
            if case.guard is not None:
                self.expression(case.guard)
            if isinstance(pattern, gast.MatchAs) and pattern.pattern is None:
                pass
            elif self.in_class_body or reads_frame(self.node):
                self.construct("case", pattern, "python", "its function or class keeps its statements")
            elif not _is_comparison(pattern):
                self.construct("case", pattern, "python", "the pattern takes the subject apart")
                if not plain and self.is_matched_by_python(pattern, node.subject):
                    self.found(
                        errors.PatternFinding,
                        pattern,
                        f"the pattern `{text_of(pattern)}` is matched by Python",
                        "compare the parts that may be staged in the guard, or with `if`",
                    )
            else:
                self.judged("case", pattern, plain)
            self.block(case.body, around)

    def is_matched_by_python(self, pattern: Node, subject: Node) -> bool:
        """Whether a pattern asks more of a value that may be staged than what it is equal to.

        `subject`: the expression that it matches, if one says it. No staged value is a dictionary, or of the user's types.
        """
        if isinstance(pattern, gast.MatchAs):
            return pattern.pattern is not None and self.is_matched_by_python(pattern.pattern, subject)
        if isinstance(pattern, gast.MatchOr) and not _is_comparison(pattern):
            return any(isinstance(p, gast.MatchValue) for p in frame_nodes([pattern])) or any(
                self.is_matched_by_python(p, subject) for p in pattern.patterns
            )
        if isinstance(pattern, gast.MatchSequence):
            if subject is None or not isinstance(subject, _DISPLAYS):
                return subject is None or not self.plain.is_plain(subject)
            parts: list[Any] = (
                subject.elts if len(subject.elts) == len(pattern.patterns) else [None] * len(pattern.patterns)
            )
            return any(map(self.is_matched_by_python, pattern.patterns, parts))
        if isinstance(pattern, gast.MatchMapping) and pattern.rest is not None:
            return any(isinstance(p, (gast.MatchValue, gast.MatchSequence)) for p in frame_nodes(pattern.patterns))
        if isinstance(pattern, gast.MatchMapping):
            return any(self.is_matched_by_python(p, None) for p in pattern.patterns)
        if isinstance(pattern, gast.MatchClass):
            inner = [*pattern.patterns, *pattern.kwd_patterns]
            is_scalar = isinstance(pattern.cls, gast.Name) and pattern.cls.id in _SCALARS
            return is_scalar or any(self.is_matched_by_python(p, None) for p in inner)
        return False

    def try_statement(self, node: Node, around: tuple[Any, ...]) -> None:
        """`try`: what it catches is raised while staging."""
        staged = len(self.branches), len(self.loops)
        outer, self.catching = self.catching, [*self.catching, *node.handlers]
        self.block(node.body, around)
        self.catching = outer
        blocks = [*self.branches[staged[0] :], *self.loops[staged[1] :]]
        raised = [n for n in frame_nodes(blocks) if isinstance(n, gast.Raise)]
        operations = {
            type(n.op) if isinstance(n, gast.BinOp) else gast.Subscript
            for n in frame_nodes(node.body)
            if isinstance(n, (gast.BinOp, gast.Subscript)) and not self.plain.is_plain(n)
        }
        missed = frozenset().union(*(_RUN_TIME_ERRORS.get(operation, ()) for operation in operations))
        for handler in node.handlers:
            types = [] if handler.type is None else frame_nodes([handler.type])
            caught = [n.id for n in types if isinstance(n, gast.Name)]
            if "ImportError" in caught or "ModuleNotFoundError" in caught:
                pass
            elif (
                any(_catches(handler, n) for n in raised)
                or missed.intersection(caught)
                or (missed and handler.type is None)
            ):
                names = f"`{text_of(handler.type)}`" if handler.type is not None else "everything"
                self.found(
                    errors.ExceptionHandlerFinding,
                    handler,
                    f"the handler of {names} would have to catch what goes wrong when the staged program runs, "
                    "and only catches what is raised while staging",
                    "test for the condition ahead of the operation",
                )
            self.block(handler.body, ())  # runs in Python, if at all
        self.block(node.orelse, around)
        self.block(node.finalbody, around)

    def assertion(self, node: Node) -> None:
        """`assert`: staged on request."""
        plain = self.plain.chooses_plainly(node.test)
        if plain or self.options.uses(Feature.ASSERT_STATEMENTS):
            self.judged("assert", node, plain)
        else:
            self.construct("assert", node, "python", "Feature.ASSERT_STATEMENTS is off")
            self.found(
                errors.AssertionFinding,
                node,
                f"the `assert` of `{text_of(node.test)}` is tested by Python",
                "turn on Feature.ASSERT_STATEMENTS",
            )

    def mutation(self, call: Node, around: tuple[Any, ...]) -> None:
        """A method that changes a container which outlives the innermost staged statement."""
        function = call.func
        if not isinstance(function, gast.Attribute) or function.attr not in _MUTATORS:
            return
        if function.attr == "append" and self.options.uses(Feature.LISTS):
            return
        if (
            Handles.LIST_CHANGES in self.backend.handles
            and function.attr in _OF_LISTS
            and not self.is_set(function.value)
        ):
            return
        symbol = qualified_name(function.value)
        if symbol is None or self.plain.module_names.get(symbol.support[0]) in ("module", "library"):
            return
        block = around[-1]
        names = [n for n in frame_nodes(block.body) if isinstance(n, gast.Name)]
        bound = {n.id for n in names if isinstance(n.ctx, gast.Store)}
        if symbol.support[0] in bound and not symbol.is_composite:
            return
        instead = (
            "collect the values in an array of the backend, or turn on Feature.LISTS"
            if function.attr in ("append", "extend", "insert")
            else "assign a new value to a variable instead"
        )
        self.found(
            errors.MutationInBranchFinding,
            call,
            f"`{text_of(call)}` changes a Python object once, while {_words(block)} on line {block.lineno} "
            "is staged, not when it runs",
            instead,
        )

    def is_set(self, node: Node) -> bool:
        """Whether an expression names what is made as a set here."""
        for n in (
            frame_nodes(self.node.body) if isinstance(node, gast.Name) and isinstance(self.node, DEF_NODES) else ()
        ):
            if isinstance(n, gast.Assign) and any(isinstance(t, gast.Name) and t.id == node.id for t in n.targets):
                maker = n.value.func if isinstance(n.value, gast.Call) else None
                text = "" if maker is None or (symbol := qualified_name(maker)) is None else symbol.text
                if isinstance(n.value, (gast.Set, gast.SetComp)) or text.rpartition(".")[2] == "set":
                    return True
        return False

    # Expressions

    def expression(self, node: Node) -> None:
        """Walks an expression of this function, and the lambdas in it."""
        if node is None:
            return
        choices = [n for n in frame_nodes([node]) if isinstance(n, (gast.IfExp, gast.BoolOp))]
        operands = [p for n in choices for p in (n.values[1:] if isinstance(n, gast.BoolOp) else (n.body, n.orelse))]
        inner = set(frame_nodes(operands))  # read under a condition
        for item in frame_nodes([node]):
            if isinstance(item, gast.Name) and isinstance(item.ctx, gast.Load) and item not in inner:
                self.reads.append((item.id, item.lineno, self.around))
            if isinstance(item, gast.Lambda):
                self.lambda_(item)
            elif isinstance(item, gast.IfExp):
                self.operation("conditional expression", item, [item.test], [item.body, item.orelse])
            elif isinstance(item, gast.BoolOp):
                word = "and" if isinstance(item.op, gast.And) else "or"
                self.operation(word, item, item.values[:-1], item.values)
            elif isinstance(item, gast.UnaryOp) and isinstance(item.op, gast.Not):
                self.judged("not", item, self.plain.chooses_plainly(item.operand))
            elif isinstance(item, gast.Compare) and len(item.ops) > 1:
                operands = [item.left, *item.comparators]
                self.operation("chained comparison", item, [item], operands)
            elif isinstance(item, (gast.ListComp, gast.GeneratorExp)):
                name = "list_comp" if isinstance(item, gast.ListComp) else "gen_exp"
                if self.converted is not None and (name, item.lineno, item.col_offset) in self.converted:
                    self.staged_loops.update(item.generators)
            elif isinstance(item, gast.comprehension):
                self.conditions(item)
            if isinstance(item, gast.Compare):
                self.membership(item)

    def lambda_(self, node: Node) -> None:
        """A lambda is a part of the function it is written in."""
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self.expression(default)
        outer = self.plain, self.in_class_body
        self.plain, self.in_class_body = Plainness(node, self.plain.module_names, self.plain), False
        self.expression(node.body)
        self.plain, self.in_class_body = outer

    def operation(self, what: str, node: Node, deciders: list[Any], operands: list[Any]) -> None:
        """An expression whose operands become functions."""
        plain = all(map(self.plain.chooses_plainly, deciders))
        if self.in_class_body or any(map(looks_at_frame, operands)):
            reason = "it is in the body of a class" if self.in_class_body else "an operand holds `yield` or `await`"
            self.construct(what, node, "python", reason)
            if not plain:
                kind = errors.ClassBodyFinding if self.in_class_body else errors.AssignmentInOperandFinding
                self.found(
                    kind,
                    node,
                    f"the {_quoted(what)} in `{text_of(node)}` stays Python's: {reason}",
                    "choose the value before the class"
                    if self.in_class_body
                    else "compute the operand in a statement ahead",
                )
        else:
            self.judged(what, node, plain)

    def conditions(self, node: Node) -> None:
        """The conditions of one `for` in a comprehension."""
        for condition in node.ifs:
            plain = self.plain.chooses_plainly(condition)
            if node in self.staged_loops:
                self.judged("condition of a comprehension", condition, plain)
                continue
            self.construct("condition of a comprehension", condition, "python", "comprehensions stay Python's")
            if not plain:
                self.found(
                    errors.ComprehensionConditionFinding,
                    condition,
                    f"the condition `{text_of(condition)}` of a comprehension is tested by Python",
                    self.or_lists("write a loop"),
                )

    def membership(self, node: Node) -> None:
        """`x in (1, 2)`."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], (gast.In, gast.NotIn)):
            return
        container = node.comparators[0]
        if not isinstance(container, _DISPLAYS) or self.plain.is_plain(node.left):
            return
        values = [e.value if isinstance(e, gast.Constant) else 0 for e in container.elts]
        if all(value is None or isinstance(value, (str, bytes)) for value in values):
            return
        word = "in" if isinstance(node.ops[0], gast.In) else "not in"
        if self.options.uses(Feature.LISTS) and not self.in_class_body:
            self.construct(word, node, "staged")
            return
        self.found(
            errors.MembershipFinding,
            node,
            f"`{text_of(node)}`: Python compares with each element, and asks for the truth of each comparison",
            self.or_lists("compare with `==` and `or`" if word == "in" else "compare with `!=` and `and`"),
        )

    def or_lists(self, suggestion: str) -> str:
        """A suggestion, and the other one: the feature that stages what it is about."""
        return suggestion if self.options.uses(Feature.LISTS) else f"{suggestion}, or turn on Feature.LISTS"


def _quoted(what: str) -> str:
    return f"`{what}`" if what in ("and", "or") else what


def _words(block: Node) -> str:
    return f"the `{'if' if isinstance(block, gast.If) else 'while' if isinstance(block, gast.While) else 'for'}`"


def breaks(body: list[Any]) -> bool:
    """Whether a block holds a `break` of the loop around it."""
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, gast.Break):
            return True
        if isinstance(node, LOOP_NODES):
            stack.extend(node.orelse)
        elif not isinstance(node, (*DEF_NODES, gast.ClassDef)):
            for field in ("body", "orelse", "handlers", "finalbody", "cases"):
                stack.extend(getattr(node, field, None) or [])
    return False


def _catches(handler: Node, node: Node) -> bool:
    """Whether a handler may catch what a `raise` raises."""
    raised = node.exc.func if isinstance(node.exc, gast.Call) else node.exc
    what = vars(builtins).get(raised.id) if isinstance(raised, gast.Name) else None
    types = (
        [] if handler.type is None else handler.type.elts if isinstance(handler.type, gast.Tuple) else [handler.type]
    )
    caught = [vars(builtins).get(t.id) if isinstance(t, gast.Name) else None for t in types]
    return not types or any(
        not isinstance(t, type) or not isinstance(what, type) or issubclass(what, t) for t in caught
    )


def _is_comparison(pattern: Node) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return all(map(_is_comparison, pattern.patterns))
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))
