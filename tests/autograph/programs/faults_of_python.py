"""Where CPython itself runs a program otherwise than the language says, conversion need not repeat it.

Since 3.12 comprehensions are part of the function around. Where one sets a variable by the name of one that is shared with
other functions, CPython mixes the two up: it reads the wrong one afterwards, or leaves a cell where the value was when the
comprehension fails. With names of its own for what each comprehension sets, the same program does what it says. And what
`locals()` tells in a comprehension leaves out what another one inside of it sets, whoever has a variable of that name.
"""

from __future__ import annotations

import ast
import itertools
import sys

HAS_FAULTS = sys.version_info >= (3, 12)


def without_mixing(text):
    """The tree of a program in which what comprehensions set has names that stand nowhere else."""
    return _OwnNames().visit(ast.parse(text))


def without_looking(text):
    """The text of a program in which no comprehension asks for the names of all variables."""
    tree = ast.parse(text)
    calls = [n for c in ast.walk(tree) if isinstance(c, _COMPREHENSIONS) for n in ast.walk(c) if _looks(n)]
    for call in calls:
        call.func = ast.Name("dict", ast.Load())
    return ast.unparse(ast.fix_missing_locations(tree)) if calls else text


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _looks(node):
    return isinstance(node, ast.Call) and ast.unparse(node) in ("locals()", "vars()", "dir()")


class _OwnNames(ast.NodeTransformer):
    def __init__(self):
        self.names = {}
        self.numbers = itertools.count()

    def visit_Name(self, node):
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def _within(self, names, node, *skipped):
        """Visits the parts of a node with other names in force."""
        outer, self.names = self.names, names
        for field, value in ast.iter_fields(node):
            if field not in skipped and isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
            elif field not in skipped and isinstance(value, list):
                value[:] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
        self.names = outer
        return node

    def _comprehension(self, node):
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        set_here = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        own = isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp))
        names = {**self.names, **{n: f"{n}_{next(self.numbers)}" if own else n for n in sorted(set_here)}}
        outer, self.names = self.names, names
        first.target, first.ifs = self.visit(first.target), [self.visit(test) for test in first.ifs]
        node.generators[1:] = [self.visit(g) for g in node.generators[1:]]
        self.names = outer
        return self._within(names, node, "generators")

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Lambda(self, node):
        args = node.args
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self.visit(d) for d in args.kw_defaults]
        given = {arg.arg for arg in ast.walk(args) if isinstance(arg, ast.arg)}
        return self._within({n: to for n, to in self.names.items() if n not in given}, node, "args")
