"""What all converters share: the base class, the context of one conversion, and the way text becomes a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, ClassVar

from autograph.options import ConversionOptions, Feature
from autograph.pyct.analysis.facts import Facts
from autograph.pyct.namer import Namer
from autograph.pyct.nodes import Node, Transformer


@dataclass
class Context:
    """One function (with all functions inside it) on its way through the pipeline."""

    options: ConversionOptions
    namer: Namer
    filename: str = "<unknown>"
    resolve: Callable[[str], Any] | None = None  # value of a global or captured name; raises NameError
    in_place: bool = False  # the function stays in its module: keeps its name, decorators and defaults
    is_hidden: Callable[[str], bool] = lambda name: False  # whether the name of a builtin means something else
    evaluates_annotations: bool = False  # those of functions inside: they are not merely text
    code: CodeType | None = None  # what Python made of the function, unless it stays in its module
    own_variables: list[str] = field(default_factory=list)  # of a lambda, which CPython took for its own
    operators: str = "ag__"  # what the operators are called in the end
    facts: Facts = field(default_factory=Facts)


class Converter(Transformer):
    """One rewrite of a function's tree.

    `concerns` are the node classes without which there is nothing to do (where there are none, it always runs),
    `eliminates` the node classes that do not remain (but for marked ones), `feature` the optional
    feature without which it does not run.
    """

    concerns: ClassVar[tuple[type, ...]] = ()
    eliminates: ClassVar[tuple[type, ...]] = ()
    feature: ClassVar[Feature | None] = None

    def __init__(self, context: Context) -> None:
        self.context = context
        self.namer = context.namer
        self.marks = context.facts.marks

    @classmethod
    def applies(cls, options: ConversionOptions) -> bool:
        """Whether the converter runs with these options."""
        return cls.feature is None or options.uses(cls.feature)

    @classmethod
    def title(cls) -> str:
        """The name users give it: that of its file."""
        return cls.__module__.rpartition(".")[2]

    def visit_AnnAssign(self, node: Node) -> Node:
        """Annotations keep their text, which may be all that is kept of them."""
        return self.visit_fields(node, "target", "value")

    def visit_definitions(self, node: Node, *kinds: type) -> Node:
        """Visits only the definitions of such `kinds` in the body of a class."""
        self.visit_all([statement for statement in node.body if isinstance(statement, kinds)])
        return node

    def convert(self, root: Node) -> Node:
        """The converted tree of a function, lambda or whole piece of code."""
        return self.visit(root)


class StatementConverter(Converter):
    """A converter that looks at statements alone, and so passes over what can hold none."""

    def visit_Expr(self, node: Node) -> Node:
        """The statement as it is."""
        return node

    visit_Assign = visit_AugAssign = visit_AnnAssign = visit_Return = visit_Raise = visit_Lambda = visit_Expr
