"""Which names a function binds, declares, reads, and captures from around it.

def f(x):
    def g(): return x      # Scopes of g: free = {x};  of f: bound = {x, g}
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from autograph.pyct.analysis.facts import Analysis, Facts
from autograph.pyct.nodes import (
    DEF_NODES,
    Node,
    Visitor,
    annotation_expressions,
    argument_expressions,
    children,
    evaluated_outside,
    parameters,
    walk,
)

Names = dict[str, None]  # an ordered set


@dataclass
class Scope:
    """The names of one function, lambda, class body or comprehension."""

    params: Names = field(default_factory=dict)
    bound: Names = field(default_factory=dict)
    globals: Names = field(default_factory=dict)
    nonlocals: Names = field(default_factory=dict)
    reads: Names = field(default_factory=dict)
    inner: list[Scope] = field(default_factory=list)
    is_class: bool = False
    is_comprehension: bool = False

    def is_local(self, name: str) -> bool:
        """Whether `name` is a variable of this very scope."""
        return name in self.bound and name not in self.globals and name not in self.nonlocals

    @property
    def free(self) -> Names:
        """The names this scope takes from around it, those of inner scopes included."""
        names = {n: None for n in self.reads if not self.is_local(n) and n not in self.globals}
        names.update((n, None) for n in self.nonlocals)
        for scope in self.inner:
            for name in scope.free:
                if self.is_class or (not self.is_local(name) and name not in self.globals):
                    names[name] = None
        return names

    @property
    def kept(self) -> Names:
        """Of a class: the names that functions in it take from around, which may be read when the class is made."""
        names: Names = {}
        for scope in self.inner:
            names.update(scope.kept if scope.is_class else scope.free)
        return names

    @property
    def outside_writes(self) -> Names:
        """The names of enclosing functions that this scope, or one inside it, assigns."""
        names = {n: None for n in self.nonlocals if n in self.bound}
        for scope in self.inner:
            names.update((n, None) for n in scope.outside_writes if self.is_class or not self.is_local(n))
        return names


class Scopes(Analysis[Scope]):
    """The scope of a function, lambda, class or comprehension node."""

    @staticmethod
    def compute(node: Node, facts: Facts) -> Scope:
        """Collects the names of `node`."""
        collector = _Collector(facts)
        collector.enter(node)
        return collector.scope


class _Collector(Visitor):
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.scope = Scope()

    def enter(self, node: Node) -> None:
        if isinstance(node, gast.ClassDef):
            self.scope.is_class = True
            self.visit_all(node.body)
        elif isinstance(node, DEF_NODES):
            self._parameters(node)
            self.visit_all(node.body)
        elif isinstance(node, gast.Lambda):
            self._parameters(node)
            self.visit(node.body)
        else:
            self._comprehension(node)

    def _parameters(self, node: Node) -> None:
        self.scope.params = dict.fromkeys(arg.id for arg in parameters(node.args))
        self.scope.bound.update(self.scope.params)

    def _comprehension(self, node: Node) -> None:
        self.scope.is_comprehension = True
        first, *rest = node.generators
        self.visit(first.target)
        self.visit_all(first.ifs)
        for generator in rest:
            self.visit(generator)
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                self.visit(getattr(node, part))

    def _child(self, node: Node) -> None:
        self.scope.inner.append(self.facts.get(Scopes, node))

    def visit_FunctionDef(self, node: Node) -> None:
        self.visit_all([*evaluated_outside(node), *annotation_expressions(node)])
        self.scope.bound[node.name] = None
        self._child(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Node) -> None:
        self.visit_all(evaluated_outside(node))
        self._child(node)

    def visit_ClassDef(self, node: Node) -> None:
        self.visit_all(evaluated_outside(node))
        self.scope.bound[node.name] = None
        self._child(node)

    def visit_ListComp(self, node: Node) -> None:
        self.visit(node.generators[0].iter)
        self._child(node)
        self.scope.bound.update(dict.fromkeys(walrus_targets(node)))

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_Name(self, node: Node) -> None:
        if isinstance(node.ctx, gast.Load):
            self.scope.reads[node.id] = None
        else:
            self.scope.bound[node.id] = None

    def visit_NamedExpr(self, node: Node) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_Global(self, node: Node) -> None:
        self.scope.globals.update(dict.fromkeys(node.names))

    def visit_Nonlocal(self, node: Node) -> None:
        self.scope.nonlocals.update(dict.fromkeys(node.names))

    def visit_alias(self, node: Node) -> None:
        self.generic_visit(node)
        self.scope.bound.update(dict.fromkeys(names_bound_by(node)))

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = visit_alias


def names_bound_by(node: Node) -> tuple[str, ...]:
    """The variables that a node itself sets, rather than its parts."""
    if isinstance(node, gast.Name):
        return () if isinstance(node.ctx, gast.Load) else (node.id,)
    if isinstance(node, gast.alias):
        return () if node.name == "*" else (node.asname or node.name.partition(".")[0],)
    if isinstance(node, (*DEF_NODES, gast.ClassDef, gast.MatchAs, gast.MatchStar)):
        return () if node.name is None else (node.name,)
    return (node.rest,) if isinstance(node, gast.MatchMapping) and node.rest is not None else ()


def walrus_targets(node: Node) -> list[str]:
    """The names that `:=` inside a comprehension sets in the function around it."""
    result = []
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, gast.NamedExpr):
            result.append(item.target.id)
        if isinstance(item, gast.Lambda):
            stack.extend(argument_expressions(item.args))
            continue
        stack.extend(children(item))
    return result


def all_identifiers(node: Node) -> set[str]:
    """Every identifier that occurs in a tree in whatever role: generated names must differ from all of them."""
    result: set[str] = set()
    for item in walk(node):
        if isinstance(item, gast.Name):
            result.add(item.id)
        elif isinstance(item, (gast.Global, gast.Nonlocal)):
            result.update(item.names)
        else:
            result.update(names_bound_by(item))
    return result
