"""Facts: the results of analyses, computed at most once for each state of the tree.

class Scopes(Analysis[dict[...]]): ...
facts.get(Scopes, function_node)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from autograph.pyct.nodes import Node

Result = TypeVar("Result")


class Analysis(Generic[Result]):
    """One analysis of a function (or of any tree): a stateless class with `compute`."""

    @staticmethod
    def compute(node: Node, facts: Facts) -> Result:
        """The facts about `node`; may ask `facts` for what other analyses found."""
        raise TypeError("an analysis says how it is computed")


@dataclass
class Marks:
    """What converters tell later ones about nodes; unlike facts, marks outlive changes of the tree."""

    extra_tests: dict[Any, Any] = field(default_factory=dict)  # `for` -> condition to go on
    headers: dict[Any, Any] = field(default_factory=dict)  # `while` -> the position of the condition the user wrote
    shown_flags: dict[Any, str] = field(default_factory=dict)  # loop -> flag of `return`, which only the text tests
    loop_options: dict[Any, list[Any]] = field(default_factory=dict)  # loop -> keywords of set_loop_options
    native_jumps: set[Any] = field(default_factory=set)  # return, break, continue that have to stay what they are
    never_suspends: set[Any] = field(default_factory=set)  # functions that hold no `yield` nor the like
    native: dict[Any, Any] = field(default_factory=dict)  # branches and loops that have to stay: the reason
    read_unset: dict[Any, set[str]] = field(default_factory=dict)  # function -> variables read before they may be set
    dead: dict[Any, set[str]] = field(default_factory=dict)  # branch or loop -> variables it sets and nobody uses
    undefined_deletes: dict[Any, bool] = field(default_factory=dict)  # target of `del` -> it may have no value
    plain_deletes: set[Any] = field(default_factory=set)  # targets of `del`, variables of functions that look at frames
    unproven: dict[Any, set[str]] = field(default_factory=dict)  # x += v -> names in v that may have no value
    ever_undefined: set[str] = field(default_factory=set)  # names some generated line leaves without a value
    set_in_expressions: set[str] = field(default_factory=set)  # names that parts of staged expressions set with `:=`


class Facts:
    """The table of all facts about one tree."""

    def __init__(self) -> None:
        self.marks = Marks()
        self._results: dict[tuple[type, Any], Any] = {}

    def get(self, analysis: type[Analysis[Result]], node: Node) -> Result:
        """The result of `analysis` on `node`."""
        key = (analysis, node)
        if key not in self._results:
            self._results[key] = analysis.compute(node, self)
        result: Result = self._results[key]
        return result

    def drop(self) -> None:
        """Forgets everything: the tree has changed."""
        self._results.clear()
