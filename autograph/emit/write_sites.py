"""Has converted code tell of the variables that it writes and of the objects that it makes: see `operators/effects.py`.

    global G                  if ag__.open_journals:
    G = x                         ag__.note_global('G')
                              G = x
    {}                        ag__.made({})                 an object of the trace's own
    def f(**kw):              ag__.made(kw)                 first of all
    lambda **kw: y            lambda **kw: ag__.made(kw) is None or y
    y = f(x)                  y = f(x)
                              if ag__.id_of(ag__.type_of(y)) in ag__.container_types:
                                  ag__.bound(y)             the same, if nobody else has it

What is written to attributes and items is told by the sites of `emit/sites.py`. The variables that `set_state` sets are
those of the function. What else it names is written by the statement's own code, so a backend that keeps a journal passes
`ag__.KEEP` for it, and nothing is set.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

from autograph.emit.unit import Frame, Unit
from autograph.pyct import deep
from autograph.pyct.names import is_own_name, own
from autograph.pyct.nodes import statements_in, walk

Declared = dict[str, bool | None]  # None for a global, else whether the variable is one of a function that runs now
_SETTER = {"if_stmt": 4, "while_stmt": 3, "while_stmt_from": 5, "for_stmt": 4}  # which argument sets the state
_STAGED = frozenset(_SETTER)
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TAKING_DISPLAYS = frozenset({*_STAGED, "new_list", "ConversionOptions", "list_comp"})
_LOAD = ast.Load()
_PARTS = (ast.Attribute, ast.Subscript)
_NEW_LIST = ast.Call(ast.Name("list"), [], [])  # stands for what a star makes
_MAY_MAKE = (ast.Call, ast.BinOp, ast.Subscript, ast.IfExp, ast.BoolOp)


class WriteSites:
    """Puts the sites into the `ast` tree of one converted function.

    `captured` are the variables that the function was given by functions around it.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.captured = unit.captured
        self._items = 0
        self.declared: Declared = {}  # by the function at hand

    def new_name(self, root: str) -> str:
        """A variable of ours that no other part of a statement has."""
        self._items += 1
        return own(f"{root} {self._items}")

    def function(self, node: Any, makes: bool) -> Any:
        """The whole function, changed in place; `makes`: there are displays in it, or `:=`."""
        node = _Displays(self).visit(node) if makes else node
        if not isinstance(node, ast.Lambda):
            self._function(node)
        return node

    def piece(self, body: list[Any], frame: Frame) -> list[Any]:
        """The statements of a piece of a function."""
        displays = _Displays(self)
        body = [displays.visit(node) for node in body]
        self.declared = {**dict.fromkeys(frame.module_level), **{n: n not in self.captured for n in frame.captured}}
        return self._block(body)

    def _function(self, node: Any) -> None:
        around, self.declared = self.declared, _declared(node, self.captured)
        node.body = self._block(node.body)
        if node.args.kwarg is not None:  # a dict that the call has made
            kept = ast.Name(node.args.kwarg.arg, ast.Load())
            told = ast.Expr(ast.Call(self._ag("made"), [kept], []))
            node.body.insert(ast.get_docstring(node, clean=False) is not None, _placed_whole(told, node))
        self.declared = around

    # --- blocks ---
    def _block(self, body: list[Any]) -> list[Any]:
        found: list[Any] = []
        staged = [call for s in body if (call := self._staged(s)) is not None]
        setters = {call.args[_SETTER[call.func.operator]].id for call in staged}
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if not is_own_name(node.name):
                    self._function(node)
                elif node.name in setters:
                    self._make_selective(node)
                else:
                    node.body = self._block(node.body)
                found.append(node)
                if not is_own_name(node.name):
                    found.append(
                        placed(ast.Expr(ast.Call(self._ag("made"), [ast.Name(node.name, ast.Load())], [])), node)
                    )
                continue
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self._function(inner)
                node.decorator_list.append(placed(self._ag("made"), node))
                found.append(node)
                continue
            if getattr(node, "returns", None) is True:  # what became of a `return` of the user's
                notes = list(self._notes_of_names(node))
                found += [self._if_open(notes, node), node] if notes else [node]
                continue
            found += self._statement(node)
        return found

    def _staged(self, node: Any) -> Any:
        if isinstance(node, ast.Expr) and self._called(node.value) in _STAGED:
            return node.value
        return None

    def _called(self, node: Any) -> str | None:
        return getattr(node.func, "operator", None) if isinstance(node, ast.Call) else None

    # --- statements ---
    def _statement(self, node: Any) -> list[Any]:
        """What takes the place of a statement: the statement itself, as a rule, and what comes before and after it."""
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if isinstance(inner, list) and inner:
                setattr(node, field, self._block(inner))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            part.body = self._block(part.body)
        notes = list(self._notes_of_names(node))
        result = [self._if_open(notes, node), node] if notes else [node]
        for name, value in _bound_anew(node):
            if self._called(value) in (None, "converted_call", "iter_", "get_item"):
                result.append(self._bound(name, len(getattr(node, "targets", (name,))), node))
        return result

    def _if_open(self, notes: list[Any], place: Any) -> Any:
        return _placed_whole(ast.If(self._ag("open_journals"), notes, []), place)

    def _note(self, operator: str, *args: Any) -> Any:
        return ast.Expr(ast.Call(self._ag(operator), [copy.deepcopy(a) for a in args], []))

    def _ag(self, name: str) -> Any:
        return self.unit.operator(name)

    # --- variables of other scopes ---
    def _notes_of_names(self, node: Any) -> Iterator[Any]:
        if not self.declared:
            return
        names: dict[str, None] = {}
        if isinstance(node, ast.Assign) and self._called(node.value) == "ld" and len(node.targets) == 1:
            read: Any = node.value
            if getattr(node.targets[0], "id", None) == getattr(read.args[0], "id", ""):
                return  # of `x += 1`, which is told of
        for part in _own_parts(node):
            names.update((name, None) for name in _bound_names(part) if name in self.declared)
        for name in names:
            if self.declared[name] is None:
                yield self._note("note_global", ast.Constant(name))
            else:
                read = ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Name(name, ast.Load()))
                yield self._note("note_variable", read, ast.Constant(self.declared[name]))

    def _make_selective(self, setter: Any) -> None:
        """Has `set_state` leave alone what it is given `ag__.KEEP` for; its default names the symbols that may be left."""
        last = setter.body[-1]
        if not isinstance(last, ast.Assign) or not isinstance(last.targets[0], ast.Tuple):
            return
        left: list[Any] = []
        stores: list[Any] = []
        elements: list[Any] = []
        for target in last.targets[0].elts:
            foreign = isinstance(target, ast.Name) and self.declared.get(target.id, True) is not True
            if isinstance(target, ast.Name) and not foreign:
                elements.append(target)
                continue
            name = self.new_name("state")
            elements.append(ast.Name(name, ast.Store()))
            left.append(ast.Constant(ast.unparse(target)))
            given = ast.Compare(ast.Name(name, ast.Load()), [ast.IsNot()], [self._ag("KEEP")])
            stores.append(ast.If(given, [ast.Assign([target], ast.Name(name, ast.Load()))], []))
        if left:
            last.targets = [ast.Tuple(elements, ast.Store())]
            setter.body += stores
            setter.args.args.append(ast.arg(own("left")))
            setter.args.defaults.append(ast.Tuple(left, ast.Load()))

    # --- objects of the trace's own ---
    def _bound(self, name: str, names: int, node: Any) -> Any:
        kind = ast.Call(self._ag("id_of"), [ast.Call(self._ag("type_of"), [ast.Name(name, ast.Load())], [])], [])
        test = ast.Compare(kind, [ast.In()], [self._ag("container_types")])
        more = [ast.Constant(names)] if names > 1 else []
        told = ast.Expr(ast.Call(self._ag("bound"), [ast.Name(name, ast.Load()), *more], []))
        return _placed_whole(ast.If(test, [told], []), node)


class _Displays(ast.NodeTransformer):
    """Has displays and `:=` tell of what is made, but for what is only looked at."""

    def __init__(self, sites: WriteSites) -> None:
        self.sites = sites
        self.passed: set[Any] = set()
        self.done: dict[Any, Any] = {}  # some nodes stand in several places
        if deep.is_deep():
            vars(self)["visit"] = deep.in_stretches(self.visit)

    def visit(self, node: Any) -> Any:
        if node not in self.done:
            made = self.done[node] = self._visited(node)
            self.done[made] = made
        return self.done[node]

    def _visited(self, node: Any) -> Any:
        if isinstance(node, ast.arg):  # annotations are looked at later
            return node
        if isinstance(node, (ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef)):
            field = "annotation" if isinstance(node, ast.AnnAssign) else "returns"
            kept = getattr(node, field)
            setattr(node, field, None)
            self.generic_visit(node)
            setattr(node, field, kept)
            return node
        if type(node).__name__ in ("TypeAlias", "TypeVar"):
            return node
        if isinstance(node, ast.Compare):
            self.passed.update((node.left, *node.comparators))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self.passed.add(node.iter)
        elif isinstance(node, ast.Subscript):
            self.passed.add(node.value)
        elif isinstance(node, ast.Call) and self.sites._called(node) in _TAKING_DISPLAYS:
            self.passed.update(node.args)
        self.generic_visit(node)
        if isinstance(node, ast.NamedExpr) and isinstance(node.value, _MAY_MAKE) and not is_own_name(node.target.id):
            node.value = placed(ast.Call(placed(self.sites._ag("about_to_bind"), node), [node.value], []), node)
        if isinstance(node, ast.Lambda) and node.args.kwarg is not None:
            told = self._made(ast.Name(node.args.kwarg.arg, ast.Load()), node.body)
            node.body = placed(
                ast.BoolOp(ast.Or(), [ast.Compare(told, [ast.Is()], [ast.Constant(None)]), node.body]), node.body
            )
        is_display = isinstance(node, _DISPLAYS) and isinstance(getattr(node, "ctx", _LOAD), ast.Load)
        if not is_display or node in self.passed:
            return node
        return self._made(node, node)

    def _made(self, node: Any, place: Any) -> Any:
        return placed(ast.Call(placed(self.sites._ag("made"), place), [node], []), place)


def _declared(node: Any, captured: frozenset[str]) -> Declared:
    """The variables of other scopes that a function of the user's sets; see `Declared`."""
    found: Declared = {}
    stack = list(node.body)
    inside_thunks: list[Any] = []
    while stack:
        part = stack.pop()
        if isinstance(part, ast.Global):
            found.update(dict.fromkeys(part.names))
        elif isinstance(part, ast.Nonlocal):
            if part not in inside_thunks:
                found.update((n, n not in captured) for n in part.names)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if is_own_name(part.name):
                stack += part.body
                inside_thunks += [n for n in part.body if isinstance(n, ast.Nonlocal)]
        elif not isinstance(part, ast.ClassDef):
            stack += statements_in(part)
    return found


def placed(node: Any, place: Any) -> Any:
    if getattr(place, "lineno", -1) > 0:
        ast.copy_location(node, place)
    return node


def _placed_whole(node: Any, place: Any) -> Any:
    for part in ast.walk(node):
        if "lineno" in part._attributes:
            placed(part, place)
    return node


def _own_parts(node: Any) -> list[Any]:
    """The statement itself, if it is no block; else its expressions."""
    if not any(isinstance(getattr(node, field, None), list) for field in ("body", "cases", "handlers")):
        return [node]
    parts = [value for _, value in ast.iter_fields(node) if isinstance(value, ast.expr)]
    return [*parts, *getattr(node, "items", ())]


def _bound_names(node: Any) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.alias):
            yield part.asname or part.name.partition(".")[0]


def _bound_anew(node: Any) -> Iterator[tuple[str, Any]]:
    """The variables that an assignment gives what may have been made for them, each with that."""
    targets: list[Any]
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    elif isinstance(node, ast.Assign):
        targets = node.targets
    else:
        return
    if len(targets) > 1 and not all(isinstance(t, ast.Name) for t in targets):
        return
    for name, value in _pairs(targets[0], node.value):
        if isinstance(name, ast.Name) and isinstance(value, _MAY_MAKE) and not getattr(value, "tells", False):
            if not is_own_name(name.id) or getattr(node, "tells", False):
                yield name.id, value


def _pairs(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """The targets in `target`, each with what it is given, or with what is taken apart for it."""
    if isinstance(target, ast.Starred):  # a new list
        yield target.value, _NEW_LIST
    elif not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
    else:
        parts, values = target.elts, getattr(value, "elts", [])
        star = next((i for i, t in enumerate(parts) if isinstance(t, ast.Starred)), None)
        if star is not None and len(values) >= len(parts) - 1:
            rest = len(parts) - star - 1
            values = [*values[:star], None, *values[len(values) - rest :]]
        if len(values) != len(parts) or any(isinstance(v, ast.Starred) for v in values):
            values = [value] * len(parts)
        for part, given in zip(parts, values):
            yield from _pairs(part, given)
