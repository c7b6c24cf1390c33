"""What the pieces of one converted function have in common, and what is known of each function in it."""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from autograph import generated
from autograph.converters import forms
from autograph.converters.stays import frame_nodes
from autograph.emit.nodes import placed_at
from autograph.operators.frames import Places
from autograph.operators.function_scope import new_scope
from autograph.operators.pieces import Piece
from autograph.options import ConversionOptions
from autograph.pyct.analysis import scopes
from autograph.pyct.analysis.facts import Facts
from autograph.pyct.analysis.scopes import Scopes
from autograph.pyct.names import own
from autograph.pyct.nodes import COMPREHENSION_NODES, Node, children, parameters

PLACEHOLDER = "constant of autograph"
THUNK = own("thunk")  # the parameter that tells lambdas handed to operators from the user's


_adding = threading.Lock()


@dataclass
class Unit:
    """One converted function, with all functions inside it.

    Attributes:
      filename: the file of the function.
      code_flags: the flags of its code.
      places: its variables, and those of the functions in it.
      generated: the names of variables that converters made.
      perhaps_unset: the user's variables that some staged statement leaves without a value.
      options: how the function is converted.
      guards: whether the types that Python knows best are never staged.
      pieces_only: whether all that may be staged is left to pieces.
      captured: the variables that it was given by functions around it.
      is_nested: whether its blocks are so many, one in the other, that there is no room for more in each.
      unread: those of its variables set with `:=` in staged expressions that are never read.
      constants: what the code refers to that no text can stand for.
      scopes: the scopes of the functions, by the names that the text has for them.
    """

    filename: str
    code_flags: int
    places: Places
    generated: set[str]
    perhaps_unset: set[str]
    options: ConversionOptions
    guards: bool
    pieces_only: bool
    captured: frozenset[str]
    is_nested: bool = False
    unread: set[str] = field(default_factory=set)
    constants: list[object] = field(default_factory=list)
    scopes: dict[str, Any] = field(default_factory=dict)
    _known: dict[int, Node] = field(default_factory=dict)

    def constant(self, value: object) -> Node:
        """A node for an object."""
        node = self._known.get(id(value))
        if node is None:
            with _adding:  # pieces are compiled by several threads
                self.constants.append(value)
                placeholder: Node = (PLACEHOLDER, len(self.constants) - 1)
            node = self._known[id(value)] = ast.Constant(placeholder)
        return node

    def loaded(self, places: set[int]) -> None:
        """Lets go of the pieces at `places`, in loaded code: they hold this, and garbage is not looked for in code."""
        for place in places:
            value = self.constants[place]
            if isinstance(value, Piece):
                self.constants[place] = None
                del self._known[id(value)]

    def variable(self, name: str) -> str:
        """What a variable is called in compiled code: what converters made has a name that no user can write."""
        return own(name) if name in self.generated else name

    def operator(self, name: str, place: Node = None) -> Node:
        """The operator of this name.

        Read anew each time is `staging`, which is another one as soon as something can be staged, and every table: code
        with a table among its constants cannot be hashed, and asks a constant for its truth but once.
        """
        value = getattr(generated, name)
        made: Node = ast.Attribute(self.constant(generated), name, ast.Load())
        if name != "staging" and callable(value):
            made = ast.Constant(self.constant(value).value)
        made.operator = name
        return placed_at(made, place)

    def method(self, owner: Node, name: str) -> Node:
        """A method of what a constant stands for."""
        return self.constant(getattr(self.constants[owner.value[1]], name))

    def call(self, name: str, args: list[Node], place: Node = None) -> Node:
        """A call of the operator of this name."""
        made = ast.Call(self.operator(name, place), args, [])
        return made if place is None else placed_at(made, place)

    def open_scope(self, node: forms.FunctionScope | forms.LambdaScope, title: str) -> Any:
        """The scope of a function."""
        made = self.scopes[node.label] = new_scope(title, node.label, node.options)
        return made


@dataclass
class Frame:
    """One function of compiled code: of the user's, or a part of one.

    Attributes:
      name: that of the user's function, with `qualname`.
      owner: the innermost class around, for private names.
      is_part: whether the code runs while a statement is staged; variables without a value hold something then.
      locals: the variables of the function.
      own: those among them that no function inside it sets.
      read_unset: those that may be read before they are set.
      around: those of the functions around it.
      module_level: those declared `global`.
      captured: those declared `nonlocal`.
      uses: which variables of ours are to be set where the function begins.
      depth: counts what needs names of its own.
      known: the types of variables that surely have one, where they have it.
      lasting: the variables that nothing takes their value.
      settled: the variables that surely have a value, where they have it.
      inside_class: the qualified name of the class in it that is being compiled.
      first: the argument that `super()` takes for the object, if there is one.
    """

    name: str
    qualname: str
    owner: str | None
    is_part: bool = False
    is_lambda: bool = False
    locals: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    read_unset: set[str] = field(default_factory=set)
    around: frozenset[str] = frozenset()
    module_level: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    uses: dict[str, Node] = field(default_factory=dict)
    depth: int = 0
    known: dict[str, type] = field(default_factory=dict)
    lasting: set[str] = field(default_factory=set)
    settled: set[str] = field(default_factory=set)
    inside_class: str = ""
    first: str = ""

    def has_value(self, name: str) -> bool:
        """Whether a variable of the user's surely has a value here."""
        return name in self.settled and name in self.lasting and not self.is_part

    def inner_qualname(self, name: str) -> str:
        """The qualified name of what is defined in this function, or in the class in it that is being compiled."""
        if self.inside_class:
            return f"{self.inside_class}.{name}"
        return name if name in self.module_level else f"{self.qualname}.<locals>.{name}"


_STAGED = frozenset((forms.StagedIf, forms.StagedWhile, forms.StagedFor))
_LOSING = frozenset((gast.ExceptHandler, forms.Unset, gast.Name))


def learn_variables(frame: Frame, function: Node, facts: Facts) -> None:
    """Finds the variables of a function."""
    scope = facts.get(Scopes, function)
    frame.first = next((arg.id for arg in (*function.args.posonlyargs, *function.args.args)), "")
    frame.module_level = set(scope.globals)
    frame.captured = set(scope.nonlocals)
    body = function.body if isinstance(function.body, list) else []
    given: set[str] = set()
    losing = set()
    for part in frame_nodes(body):
        kind = part.__class__
        if kind in _STAGED:
            given.update(part.state.undefined, part.state.uncertain)
        elif kind in _LOSING:
            losing.add(_losing(part))
            if kind is forms.Unset:
                given.add(part.name)
        elif kind is forms.PerhapsUnset:
            given.add(part.name)
    frame.locals = given.union(scope.bound) - frame.module_level - frame.captured
    known = facts.marks.read_unset.get(function)  # None where nothing was lowered
    frame.read_unset = frame.locals - {arg.id for arg in parameters(function.args)} if known is None else known
    frame.own = frame.locals.difference(*(inner.outside_writes for inner in scope.inner))
    frame.lasting = frame.own - losing


def _losing(node: Node) -> str | None:
    """The variable that a node takes its value, or that is perhaps taken it."""
    if isinstance(node, gast.ExceptHandler):
        return None if node.name is None else str(node.name.id)
    if isinstance(node, forms.Unset):
        return str(node.name) if node.deletes else None
    return str(node.id) if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Del) else None


def names_bound_by(node: Node) -> Iterable[str]:
    """The variables that a node itself sets."""
    return (node.name,) if isinstance(node, (forms.Unset, forms.PerhapsUnset)) else scopes.names_bound_by(node)


def names_in(nodes: Iterable[Node]) -> set[str]:
    """All variables that are mentioned in pieces of code, those of functions inside them included."""
    found: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, gast.Name):
            found.add(node.id)
        else:
            found.update(names_bound_by(node))
            if isinstance(node, (gast.Global, gast.Nonlocal)):
                found.update(node.names)
            elif node.__class__ in _STAGED:
                found |= names_of_state(node.state)
            elif isinstance(node, gast.ClassDef):  # whose methods have a `super()` of their own
                found |= names_in(children(node)) - {"super", "__class__"}
                found |= {n.id for n in frame_nodes([node]) if isinstance(n, gast.Name)}
                own = set(frame_nodes(node.body)).difference(*map(_of_comprehension, frame_nodes(node.body)))
                found |= {"__class__" for n in own if getattr(n, "id", None) == "__class__"}
                continue
        stack += children(node)
    return found


def _of_comprehension(node: Node) -> list[Node]:
    """What the frame of a comprehension evaluates, which is all but what it is given to iterate over."""
    if not isinstance(node, COMPREHENSION_NODES):
        return []
    result: list[Node] = []
    stack = list(children(node))
    while stack:
        item = stack.pop()
        if item is not node.generators[0].iter:
            result.append(item)
            stack += children(item)
    return result


def names_of_state(state: forms.State) -> set[str]:
    """The variables that the functions for the state of a statement mention."""
    found = {*state.shared, *state.undefined, *state.uncertain, *state.assigned}
    return found.union(*(names_in([example]) for example in state.examples.values()))
