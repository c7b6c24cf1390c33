"""The rewrites, one a file, and their order."""

from __future__ import annotations

from autograph.converters.asserts import Asserts
from autograph.converters.break_statements import BreakStatements
from autograph.converters.calls import Calls
from autograph.converters.comprehensions import Comprehensions
from autograph.converters.conditional_expressions import ConditionalExpressions
from autograph.converters.continue_statements import ContinueStatements
from autograph.converters.control_flow import ControlFlow
from autograph.converters.converter import Context, Converter
from autograph.converters.directives import Directives
from autograph.converters.functions import Functions
from autograph.converters.lists import Lists
from autograph.converters.logical_expressions import LogicalExpressions
from autograph.converters.long_chains import LongChains
from autograph.converters.match_statements import MatchStatements
from autograph.converters.return_statements import ReturnStatements
from autograph.converters.slices import Slices
from autograph.converters.staged_comprehensions import StagedComprehensions
from autograph.converters.stays import Native
from autograph.converters.variables import Variables
from autograph.pyct.nodes import Node, walk

PIPELINE: tuple[type[Converter], ...] = (
    Comprehensions,  # before all: none of the others may see a name twice; runs only where Python needs it
    MatchStatements,  # first: it produces `if`
    LongChains,  # before anything counts branches
    Native,  # judges the statements before any jump is lowered; the converters of jumps obey
    Functions,  # gives every function its scope object, which calls and returns mention
    Directives,  # before the loops are taken apart
    BreakStatements,  # before continue: it produces `continue`
    Asserts,  # runs only with Feature.ASSERT_STATEMENTS
    ContinueStatements,  # before return: the flags of a loop's body nest inside those of the function
    ReturnStatements,  # before control flow: it produces `if`
    Lists,  # runs only with Feature.LISTS; before calls: it knows `append` and `pop`
    Slices,  # runs only with Feature.LISTS
    StagedComprehensions,  # runs only with Feature.LISTS; before calls, which then find the functions it made
    Calls,  # before control flow: conditions move into functions, where the scope object is not at hand by position
    ControlFlow,
    ConditionalExpressions,  # after control flow, whose facts do not look into lambdas
    LogicalExpressions,
    Variables,  # last: wraps the reads all others left
)


def run_pipeline(root: Node, context: Context, after: str | None = None) -> Node:
    """Applies the converters in order; stops after the one called `after`."""
    found = {node.__class__ for node in walk(root)}
    for converter in PIPELINE:
        concerned = not converter.concerns or not found.isdisjoint(converter.concerns)
        if concerned and converter.applies(context.options):
            root = converter(context).convert(root)
            context.facts.drop()
        if converter.title() == after:
            break
    return root


def stage_names() -> tuple[str, ...]:
    """The names `after` takes, in order."""
    return tuple(converter.title() for converter in PIPELINE)


__all__ = ["PIPELINE", "Context", "Converter", "run_pipeline", "stage_names"]
