"""Tree walking: dispatch by node class, with the method looked up once per class.

    class Names(Visitor):
        def visit_Name(self, node): ...

A `Transformer` method returns the node, a replacement, or a list of statements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import gast

FUNCTION_NODES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
DEF_NODES = (gast.FunctionDef, gast.AsyncFunctionDef)
COMPREHENSION_NODES = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
LOOP_NODES = (gast.For, gast.AsyncFor, gast.While)


class Visitor:
    """Calls `visit_<Class>` for each node, `generic_visit` where there is none; passes over operators and contexts."""

    _methods: ClassVar[dict[type, Callable[..., Any]]]

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    def visit(self, node: Any) -> Any:
        """Visits one node."""
        kind = node.__class__
        method = self._methods.get(kind)
        if method is None:
            method = self._methods[kind] = getattr(type(self), f"visit_{kind.__name__}", type(self).generic_visit)
        return method(self, node)

    def generic_visit(self, node: Any) -> Any:
        """Visits the children in source order."""
        for child in children(node):
            self.visit(child)

    def visit_all(self, nodes: list[Any]) -> None:
        """Visits each of `nodes`."""
        for node in nodes:
            self.visit(node)


class Transformer(Visitor):
    """A visitor whose results replace the nodes, in place."""

    def generic_visit(self, node: Any) -> Any:
        """Replaces the children by what visiting them gives."""
        fields = _fields_with_nodes.get(node.__class__)
        if fields is None:
            fields = _learn_fields(node.__class__)
        for field in fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                if value:
                    setattr(node, field, self.visit_list(value))
            elif isinstance(value, gast.AST):
                setattr(node, field, self.visit(value))
        return node

    def visit_list(self, nodes: list[Any]) -> list[Any]:
        """Visits the items of a list field; a list given for an item is spliced in."""
        result: list[Any] = []
        for item in nodes:
            if isinstance(item, gast.AST) and (item._fields or item._attributes):
                item = self.visit(item)
                if item.__class__ is list:
                    result.extend(item)
                    continue
            result.append(item)
        return result


def argument_expressions(args: Any) -> list[Any]:
    """The default values of a parameter list, in the order Python evaluates them."""
    return [*args.defaults, *(d for d in args.kw_defaults if d is not None)]


def parameters(args: Any) -> list[Any]:
    """The parameters of a function, in the order in which they are written."""
    found = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [arg for arg in found if arg is not None]


def annotation_expressions(function: Any) -> list[Any]:
    """What a function is annotated with; nothing for a lambda."""
    found = [arg.annotation for arg in parameters(function.args)] + [getattr(function, "returns", None)]
    return [annotation for annotation in found if annotation is not None]


def children(node: Any) -> list[Any]:
    """The child nodes but operators and contexts, in field order."""
    result = []
    fields = _fields_with_nodes.get(node.__class__)
    if fields is None:
        fields = _learn_fields(node.__class__)
    for field in fields:
        value = getattr(node, field, None)
        if value.__class__ is list:
            if value:
                result += [item for item in value if isinstance(item, gast.AST)]
        elif isinstance(value, gast.AST):
            result.append(value)
    return result


# For each class of nodes the fields that may hold others, but for operators and contexts.
_fields_with_nodes: dict[type, tuple[str, ...]] = {}
_WITHOUT_NODES = frozenset(
    {
        "arg",
        "attr",
        "asname",
        "conversion",
        "ctx",
        "id",
        "is_async",
        "kind",
        "level",
        "module",
        "op",
        "ops",
        "simple",
        "type_comment",
        "type_ignores",
    }
)


def _learn_fields(kind: Any) -> tuple[str, ...]:
    fields = () if kind is gast.Constant else tuple(f for f in kind._fields if f not in _WITHOUT_NODES)
    _fields_with_nodes[kind] = fields
    return fields


def walk(node: Any) -> list[Any]:
    """Every node of the tree, parents first."""
    result = [node]
    for item in result:
        result.extend(children(item))
    return result
