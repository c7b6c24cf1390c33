"""Which names a function binds, declares, reads, and captures from around it.

def f(x):
    def g(): return x      # Scopes of g: free = {x};  of f: bound = {x, g}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from autograph.pyct.analysis.facts import Analysis, Facts
from autograph.pyct.nodes import Node, Visitor, argument_expressions, walk

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
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)):
            self._parameters(node.args)
            self.visit_all(node.body)
        elif isinstance(node, gast.Lambda):
            self._parameters(node.args)
            self.visit(node.body)
        else:
            self._comprehension(node)

    def _parameters(self, args: Node) -> None:
        for arg in [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]:
            if arg is not None:
                self.scope.params[arg.id] = None
                self.scope.bound[arg.id] = None

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
        self.visit_all(node.decorator_list)
        self.visit_all(argument_expressions(node.args))
        for arg in [*node.args.posonlyargs, *node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]:
            if arg is not None and arg.annotation is not None:
                self.visit(arg.annotation)
        if node.returns is not None:
            self.visit(node.returns)
        self.scope.bound[node.name] = None
        self._child(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: Node) -> None:
        self.visit_all(argument_expressions(node.args))
        self._child(node)

    def visit_ClassDef(self, node: Node) -> None:
        self.visit_all(node.decorator_list)
        self.visit_all(node.bases)
        self.visit_all(node.keywords)
        self.scope.bound[node.name] = None
        self._child(node)

    def visit_ListComp(self, node: Node) -> None:
        self.visit(node.generators[0].iter)
        self._child(node)
        for target in walrus_targets(node):
            self.scope.bound[target] = None

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
        self.scope.globals.update((n, None) for n in node.names)

    def visit_Nonlocal(self, node: Node) -> None:
        self.scope.nonlocals.update((n, None) for n in node.names)

    def visit_alias(self, node: Node) -> None:
        self.scope.bound[bound_by_alias(node)] = None

    def visit_MatchAs(self, node: Node) -> None:
        if node.pattern is not None:
            self.visit(node.pattern)
        if node.name is not None:
            self.scope.bound[node.name] = None

    def visit_MatchStar(self, node: Node) -> None:
        if node.name is not None:
            self.scope.bound[node.name] = None

    def visit_MatchMapping(self, node: Node) -> None:
        self.generic_visit(node)
        if node.rest is not None:
            self.scope.bound[node.rest] = None


def bound_by_alias(alias: Node) -> str:
    """The variable that `import a.b as c` sets."""
    name: str = alias.asname or alias.name.split(".")[0]
    return name


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
        stack.extend(c for f in item._fields for c in _as_list(getattr(item, f, None)))
    return result


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [v for v in value if isinstance(v, gast.AST)]
    return [value] if isinstance(value, gast.AST) else []


def all_identifiers(node: Node) -> set[str]:
    """Every identifier that occurs in a tree in whatever role: generated names must differ from all of them."""
    result: set[str] = set()
    for item in walk(node):
        if isinstance(item, gast.Name):
            result.add(item.id)
        elif isinstance(item, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            result.add(item.name)
        elif isinstance(item, (gast.Global, gast.Nonlocal)):
            result.update(item.names)
        elif isinstance(item, gast.alias):
            result.add(bound_by_alias(item))
        elif isinstance(item, (gast.MatchAs, gast.MatchStar)) and item.name is not None:
            result.add(item.name)
        elif isinstance(item, gast.MatchMapping) and item.rest is not None:
            result.add(item.rest)
    return result
