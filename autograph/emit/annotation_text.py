"""Annotations as the text of `to_code` has them, which is TensorFlow's: converted like values.

x: f(y) = 1            ->    x: ag__.converted_call(ag__.ld(f), (ag__.ld(y),), None, fscope) = 1
def g(x: a or b())     ->    def g(x: ag__.or_(lambda: a, lambda: b())):

Compiled code and modules that are converted keep what the user wrote, which those who read annotations want.
"""

from __future__ import annotations

from autograph.converters.calls import Calls
from autograph.converters.conditional_expressions import ConditionalExpressions
from autograph.converters.converter import Context, Converter
from autograph.converters.functions import Functions
from autograph.converters.lists import Lists
from autograph.converters.logical_expressions import LogicalExpressions
from autograph.converters.slices import Slices
from autograph.converters.thunks import ExpressionConverter
from autograph.converters.variables import Variables
from autograph.pyct.nodes import Node
from autograph.pyct.trees import copied

_OF_PARAMETERS: tuple[type[Converter], ...] = (ConditionalExpressions, LogicalExpressions)
_OF_VARIABLES: tuple[type[Converter], ...] = (Functions, Calls, *_OF_PARAMETERS, Variables)


def of_parameter(annotation: Node, context: Context) -> Node:
    """The annotation of a parameter or a result: its calls stay, as the function's scope is not there yet."""
    return _converted(annotation, context, _OF_PARAMETERS, "", False)


def of_variable(annotation: Node, context: Context, scope: str, in_class: bool) -> Node:
    """The annotation of a variable of the function with this `scope`, or of a class in it."""
    return _converted(annotation, context, _OF_VARIABLES, scope, in_class)


def _converted(
    annotation: Node, context: Context, converters: tuple[type[Converter], ...], scope: str, in_class: bool
) -> Node:
    node = copied(annotation)
    of_lists: tuple[type[Converter], ...] = (Lists, Slices)
    for kind in (*of_lists, *converters):
        if not kind.applies(context.options):
            continue
        converter = kind(context)
        if isinstance(converter, Functions):
            converter.depth = 1
        elif isinstance(converter, Lists):
            converter.deferred = 1  # nothing is set here
        elif isinstance(converter, Calls):
            converter.scope = scope
        elif isinstance(converter, ExpressionConverter):
            converter.in_class_body = in_class
        node = converter.visit(node)
    return node
