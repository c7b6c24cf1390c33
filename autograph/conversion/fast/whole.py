"""What the functions inside one converted function have in common."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from types import CodeType
from typing import Any

from autograph.emit.sites import Sites
from autograph.pyct.nodes import children

_MOST_NAMES = 100
_PLACEHOLDER = "constant of autograph"


class Whole:
    """The names and objects that native code refers to."""

    def __init__(
        self,
        operators: str,
        new_name: Callable[[str], str],
        make_scope: Callable[[Any], Any],
        resolve: Callable[[str], Any],
    ) -> None:
        self.operators = operators
        self.new_name = new_name
        self.make_scope = make_scope  # from the call of `ag__.FunctionScope`: the object
        self.resolve = resolve  # from the name of a global: what it means now
        self.constants: list[Any] = []
        self.sites = Sites(self.constant, new_name)
        self.test = new_name("ag__test")
        self.operand = new_name("ag__operand")
        self.unset = new_name("ag__unset")
        self.argument = new_name("ag__argument")
        self.kind = new_name("ag__kind")
        self.kept = new_name("ag__kept")
        self.iterated = new_name("ag__iterated")
        self.tracing = new_name("ag__tracing")
        self._names_in: dict[Any, frozenset[str]] = {}
        self._passing: dict[str, list[str]] = {}
        self._pairs: list[tuple[str, str]] = []
        self._known: dict[int, str] = {}

    def names_in(self, node: Any) -> frozenset[str]:
        """All names that are mentioned in a statement."""
        found = self._names_in.get(node)
        if found is None:
            names: set[str] = set()
            stack = [node]
            while stack:
                part = stack.pop()
                if isinstance(part, ast.Name):
                    names.add(part.id)
                elif isinstance(part, ast.Nonlocal):
                    names.update(part.names)
                elif isinstance(part, ast.FunctionDef) and part is not node:
                    names |= self.names_in(part)
                else:
                    stack += children(part)
            found = self._names_in[node] = frozenset(names)
        return found

    def with_constants(self, code: CodeType) -> CodeType:
        """The compiled function with the objects it refers to among its constants, where placeholders stand."""
        if not self.constants:
            return code
        constants: list[Any] = []
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                constant = self.with_constants(constant)
            elif type(constant) is tuple and len(constant) == 2 and constant[0] == _PLACEHOLDER:
                constant = self.constants[constant[1]]
            constants.append(constant)
        if all(map(operator.is_, constants, code.co_consts)):
            return code
        return code.replace(co_consts=tuple(constants))

    def constant(self, value: Any) -> Any:
        """A node for an object that no text can stand for."""
        self.constants.append(value)
        placeholder: Any = (_PLACEHOLDER, len(self.constants) - 1)
        return ast.Constant(placeholder)

    def is_scope(self, node: Any) -> bool:
        """Whether this is the scope of a function."""
        if isinstance(node, ast.Constant) and type(node.value) is tuple and node.value[:1] == (_PLACEHOLDER,):
            return hasattr(self.constants[node.value[1]], "entries")
        return isinstance(node, ast.Name) and "scope" in node.id

    def passing_name(self, root: str) -> str:
        """A name for a variable of one statement; after many the old ones come again."""
        made = self._passing.setdefault(root, [])
        if len(made) < _MOST_NAMES:
            made.append(self.new_name(root))
            return made[-1]
        made.append(made.pop(0))
        return made[-1]

    def pair(self, position: int) -> tuple[str, str]:
        """Two names that belong together."""
        while len(self._pairs) <= position:
            self._pairs.append((self.new_name("ag__asked"), self.new_name("ag__found")))
        return self._pairs[position]

    def name_of(self, value: Any) -> str:
        """The name of a variable for one and the same object in all functions."""
        if id(value) not in self._known:
            self._known[id(value)] = self.new_name(f"ag__{value.__name__}")
        return self._known[id(value)]

    def operator_called(self, node: Any) -> str | None:
        """The name of the operator that `node` calls, or None."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == self.operators:
                return node.func.attr
        return None
