"""The variables of one function of the user's: of the one that was converted, or of one inside it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from autograph.conversion.fast.whole import Whole
from autograph.emit.nodes import Read, load, placed_at
from autograph.pyct.nodes import children, walk

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class FunctionScope:
    """What is known of a function, and what its native code will need."""

    def __init__(self, paths: Whole, around: tuple[FunctionScope, ...], node: Any) -> None:
        self.paths = paths
        self.around = around
        self.node = node
        self.depth = 0
        self.loops = 0
        self.inside_comprehension = False
        self.inside_generator = False
        self.held: list[str] = []  # of `remembered`, what must not outlive the loop
        self.remembered: list[str] = []
        self.pairs = 0
        self.asks_unset = False
        self.writes = False  # whether there are write sites
        self.last: Any = None  # the last statement with a place
        self.may_assign = True  # whether a `:=` may be put into the expression at hand
        self.is_lambda = isinstance(node, ast.Lambda)
        self.known: dict[str, Any] = {}  # variables that hold built-in functions and types while the function runs
        self.locals = _parameters(node.args)
        self.shared: set[str] = set()  # variables that functions inside may set
        self.declared: set[str] = set()  # `global` or `nonlocal`
        self.undefined: set[str] = set()
        if not self.is_lambda:
            self._look(node.body, self.declared, True)
            self.locals -= self.declared
        self.enclosing = set().union(*(f.locals for f in around))
        self.may_be_undefined = self.undefined.union(*(f.undefined for f in around))

    def _look(self, body: Iterable[Any], declared: set[str], own: bool) -> None:
        """Finds the variables of the function: those that the thunks in it share are its own."""
        stack = list(body)
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.locals.add(node.name)
                if _is_thunk(node):
                    self._look(node.body, declared, False)
                else:
                    self._look_for_shared(node)
                    stack += [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)]
                continue
            if isinstance(node, ast.ClassDef):
                self.locals.add(node.name)
                self._look_for_shared(node)
                continue
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                if own:
                    declared.update(node.names)
                continue
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    self.locals.add(node.id)
                continue
            if isinstance(node, ast.Lambda):
                stack += [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
                continue
            if isinstance(node, COMPREHENSIONS):
                self.locals.update(n.target.id for n in walk(node) if isinstance(n, ast.NamedExpr))
                continue
            if isinstance(node, (ast.alias, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)):
                self.locals.update(_bound_by(node))
            elif isinstance(node, ast.Assign) and self.paths.operator_called(node.value) in ("Undefined", "ldu"):
                self.undefined.update(t.id for t in node.targets if isinstance(t, ast.Name))
            stack += children(node)

    def _look_for_shared(self, inside: Any) -> None:
        for node in walk(inside):
            if isinstance(node, ast.Nonlocal):
                self.shared.update(node.names)

    def expression(self, node: Any) -> Any:
        """The native twin of an expression."""
        raise AssertionError("made by `Expressions`")

    def callable(self, node: Any) -> Any:
        """The native twin of what is called."""
        raise AssertionError("made by `Expressions`")

    def _each(self, nodes: list[Any]) -> list[Any]:
        found = [self.expression(n) if isinstance(n, ast.AST) else n for n in nodes]
        return nodes if all(map(operator.is_, found, nodes)) else found

    def _is_known(self, node: Any) -> bool:
        """Whether reading this is reading a variable that only this function sets, or one of a module."""
        if not isinstance(node, ast.Name) or node.id in self.shared:
            return False
        return node.id in self.locals or node.id not in self.enclosing

    def _unless_unset(self, node: Any) -> Any:
        """`ag__.ld(x)` where a printed form may have left a value of a backend's that stands for none, else `x`."""
        self.asks_unset = True
        return placed_at(Read(load(self.paths.unset), node, node.args[0]), node)

    def _ag(self, operator: str, args: list[Any]) -> Any:
        return ast.Call(ast.Attribute(load(self.paths.operators), operator, ast.Load()), args, [])


def _parameters(args: Any) -> set[str]:
    found = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return {a.arg for a in found if a is not None}


def _bound_by(node: Any) -> Iterator[str]:
    if isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    else:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            yield name


def _is_thunk(node: Any) -> bool:
    return not node.decorator_list  # the user's get at least `ag__.autograph_artifact`
