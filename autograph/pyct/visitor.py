"""Tree walking: dispatch by node class, with the method looked up once per class.

    class Names(Visitor):
        def visit_Name(self, node): ...

A `Transformer` method returns the node, a replacement, or a list of statements.
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar

import gast

FUNCTION_NODES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
DEF_NODES = (gast.FunctionDef, gast.AsyncFunctionDef)
COMPREHENSION_NODES = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
LOOP_NODES = (gast.For, gast.AsyncFor, gast.While)


class Visitor:
    """Calls `visit_<Class>` for each node, `generic_visit` where there is none."""

    _methods: ClassVar[dict[type, str]]

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    def visit(self, node: Any) -> Any:
        """Visits one node."""
        kind = node.__class__
        name = self._methods.get(kind)
        if name is None:
            name = f"visit_{kind.__name__}"
            if not hasattr(self, name):
                name = "generic_visit"
            self._methods[kind] = name
        return getattr(self, name)(node)

    def generic_visit(self, node: Any) -> Any:
        """Visits the children in source order."""
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, gast.AST):
                        self.visit(item)
            elif isinstance(value, gast.AST):
                self.visit(value)

    def visit_all(self, nodes: list[Any]) -> None:
        """Visits each of `nodes`."""
        for node in nodes:
            self.visit(node)


class Transformer(Visitor):
    """A visitor whose results replace the nodes, in place."""

    def generic_visit(self, node: Any) -> Any:
        """Replaces the children by what visiting them gives."""
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                if value:
                    setattr(node, field, self.visit_list(value))
            elif isinstance(value, gast.AST):
                setattr(node, field, self.visit(value))
        return node

    def visit_list(self, nodes: list[Any]) -> list[Any]:
        """Visits the items of a list field; a list given for an item is spliced in."""
        result: list[Any] = []
        for item in nodes:
            if isinstance(item, gast.AST):
                item = self.visit(item)
                if isinstance(item, list):
                    result.extend(item)
                    continue
                if item is None:
                    continue
            result.append(item)
        return result


def walk_frame(node: Any, found: Callable[[Any], None]) -> None:
    """Calls `found` on the nodes that run in the frame of `node`'s function: not on bodies of inner ones.

    Of inner functions, lambdas and classes the parts evaluated outside (defaults, decorators, bases) are walked; class
    bodies and the first iterable of a generator expression run at once, but in a namespace of their own.
    """
    stack = [node]
    while stack:
        node = stack.pop()
        found(node)
        if isinstance(node, DEF_NODES):
            stack.extend(reversed(node.decorator_list))
            stack.extend(reversed(argument_expressions(node.args)))
        elif isinstance(node, gast.Lambda):
            stack.extend(reversed(argument_expressions(node.args)))
        elif isinstance(node, gast.ClassDef):
            stack.extend(reversed([*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]))
        else:
            stack.extend(reversed(children(node)))


def argument_expressions(args: Any) -> list[Any]:
    """The default values of a parameter list, in the order Python evaluates them."""
    return [*args.defaults, *(d for d in args.kw_defaults if d is not None)]


def children(node: Any) -> list[Any]:
    """The child nodes, in field order."""
    result = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            result.extend(item for item in value if isinstance(item, gast.AST))
        elif isinstance(value, gast.AST):
            result.append(value)
    return result


def walk(node: Any) -> list[Any]:
    """Every node of the tree, parents first."""
    result = [node]
    for item in result:
        result.extend(children(item))
    return result
