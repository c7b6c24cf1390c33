"""Trees of `gast` and of `ast`: classes of nodes, children, and visitors that dispatch by class.

    class Names(Visitor):
        def visit_Name(self, node): ...

A method is looked up once for each class of nodes, by the names of the class and of those it derives from. A `Transformer`
method returns the node, a replacement, or a list of statements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias, TypeVar

import gast

from autograph.pyct import deep

Node: TypeAlias = gast.AST  # of either kind of tree

Value = TypeVar("Value")

DEF_NODES = (gast.FunctionDef, gast.AsyncFunctionDef)
COMPREHENSION_NODES = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
LOOP_NODES = (gast.For, gast.AsyncFor, gast.While)
BLOCK_NODES = (gast.If, *LOOP_NODES)


# Nodes of generated code


class Form(gast.AST):
    """Base of node classes that stand for more than their text: their fields are given in order, or by name."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _attributes: ClassVar[tuple[str, ...]] = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, *values: object, **named: object) -> None:
        for field, value in (*zip(self._fields, values, strict=False), *named.items()):
            setattr(self, field, value)


class Operator(Form, gast.expr):
    """A call of an operator: of what generated code reaches through one module, `ag__.operator(...)`."""

    _fields: ClassVar[tuple[str, ...]] = ("operator", "args", "keywords")


class OperatorName(Form, gast.expr):
    """An operator that is not called here: `ag__.operator`."""

    _fields: ClassVar[tuple[str, ...]] = ("operator",)


class Scoped(Form, gast.stmt):
    """Statements inside something of generated code's own making, which lets them do what they do."""

    _fields: ClassVar[tuple[str, ...]] = ("body",)


class Thunk(gast.Lambda):
    """A part of the function at hand that is handed to an operator."""


class Part(gast.FunctionDef):
    """The same, of statements."""


class Learned(dict[type, Value]):
    """A table of classes of nodes, with what the function says of each that it is made of; asked once, for speed."""

    def __init__(self, learn: Callable[[Any], Value]) -> None:
        self.learn = learn

    def __missing__(self, kind: type) -> Value:
        found = self[kind] = self.learn(kind)
        return found


class Visitor:
    """Calls `visit_<Class>` for each node, `generic_visit` where there is none; passes over operators and contexts."""

    _methods: ClassVar[Learned[Callable[..., Any]]]

    def __init_subclass__(cls) -> None:
        cls._methods = Learned(cls._find)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        if deep.is_deep():
            vars(made)["visit"] = deep.in_stretches(made.visit)
        return made

    def visit(self, node: Node) -> Any:
        """Visits one node."""
        return self._methods[node.__class__](self, node)

    @classmethod
    def _find(cls, kind: type) -> Callable[..., Any]:
        named = (getattr(cls, f"visit_{base.__name__}", None) for base in kind.__mro__)
        return next(filter(None, named), cls.generic_visit)

    def generic_visit(self, node: Node) -> Any:
        """Visits the children in source order."""
        for child in children(node):
            self.visit(child)

    def meanwhile(self, **values: Any) -> _Meanwhile:
        """Has attributes of this visitor have other values in the block."""
        return _Meanwhile(self, values)

    def visit_all(self, nodes: list[Any]) -> None:
        """Visits each of `nodes`."""
        for node in nodes:
            self.visit(node)


class _Meanwhile:
    __slots__ = ("outer", "values", "visitor")

    def __init__(self, visitor: Visitor, values: dict[str, Any]) -> None:
        self.visitor, self.values = visitor, values

    def __enter__(self) -> None:
        self.outer = {name: getattr(self.visitor, name) for name in self.values}
        vars(self.visitor).update(self.values)

    def __exit__(self, *error: object) -> None:
        vars(self.visitor).update(self.outer)


class Transformer(Visitor):
    """A visitor whose results replace the nodes, in place."""

    def generic_visit(self, node: Node) -> Any:
        """Replaces the children by what visiting them gives."""
        return self._replace(node, fields_with_nodes[node.__class__])

    def visit_fields(self, node: Node, /, *fields: str, **meanwhile: Any) -> Any:
        """Replaces what some fields hold; `meanwhile` are values that attributes of this visitor have until then."""
        if not meanwhile:
            return self._replace(node, fields)
        with _Meanwhile(self, meanwhile):
            return self._replace(node, fields)

    def _replace(self, node: Node, fields: tuple[str, ...]) -> Node:
        values = node.__dict__
        for field in fields:
            value = values.get(field)
            if value.__class__ is list:
                if value:
                    values[field] = self.visit_list(value)
            elif isinstance(value, ast.AST):
                values[field] = self.visit(value)
        return node

    def visit_list(self, nodes: list[Any]) -> list[Any]:
        """Visits the items of a list field; a list given for an item is spliced in."""
        result: list[Any] = []
        for item in nodes:
            if isinstance(item, ast.AST) and (item._fields or item._attributes):
                item = self.visit(item)
                if item.__class__ is list:
                    result.extend(item)
                    continue
            result.append(item)
        return result


def argument_expressions(args: Node) -> list[Any]:
    """The default values of a parameter list, in the order Python evaluates them."""
    return [*args.defaults, *(d for d in args.kw_defaults if d is not None)]


def parameters(args: Node) -> list[Any]:
    """The parameters of a function, in the order in which they are written."""
    found = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [arg for arg in found if arg is not None]


def annotation_expressions(function: Node) -> list[Any]:
    """What a function is annotated with; nothing for a lambda."""
    found = [arg.annotation for arg in parameters(function.args)] + [getattr(function, "returns", None)]
    return [annotation for annotation in found if annotation is not None]


def parts_of_target(target: Node) -> list[Any]:
    """What a target sets or deletes: itself, or what is in the lists and tuples that it is."""
    if isinstance(target, (gast.Tuple, gast.List)):
        return [part for item in target.elts for part in parts_of_target(item)]
    return [target]


def evaluated_outside(node: Node) -> list[Any]:
    """What a definition of a function or class, or a lambda, evaluates where it stands, but for annotations."""
    decorators = getattr(node, "decorator_list", [])
    if isinstance(node, gast.ClassDef):
        return [*decorators, *node.bases, *(keyword.value for keyword in node.keywords)]
    return [*decorators, *argument_expressions(node.args)]


def children(node: Node) -> list[Any]:
    """The child nodes but operators and contexts, in field order."""
    result = []
    values = node.__dict__  # quicker than attributes
    for field in fields_with_nodes[node.__class__]:
        value = values.get(field)
        if value.__class__ is list:
            for item in value:
                if isinstance(item, ast.AST):
                    result.append(item)
        elif isinstance(value, ast.AST):
            result.append(value)
    return result


_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def statements_in(node: Node) -> list[Any]:
    """The statements that a statement holds, and the handlers and cases that hold some."""
    values = node.__dict__
    return [item for field in _BLOCKS for item in values.get(field, ())]


# Fields that never hold nodes.
PLAIN_FIELDS = frozenset(
    ("arg", "asname", "attr", "conversion", "id", "is_async", "kind", "level", "module", "simple", "type_comment")
)
_WITHOUT_NODES = PLAIN_FIELDS | {"ctx", "op", "ops", "type_ignores"}


@Learned
def fields_with_nodes(kind: Any) -> tuple[str, ...]:
    """The fields of a class of nodes that may hold others, but for operators and contexts."""
    is_constant = issubclass(kind, (gast.Constant, ast.Constant))
    return () if is_constant else tuple(f for f in kind._fields if f not in _WITHOUT_NODES)


def walk(node: Node) -> list[Any]:
    """Every node of the tree, parents first."""
    result = [node]
    for item in result:
        result += children(item)
    return result
