"""The text of a native program: lines, names, sizes, and the loops over points.

    a = x * y                     n = x.shape[0]
    b = a + 1            ->       b = empty(n, float32)
                                  for i in range(n):
                                      b[i] = x[i] * y[i] + float32(1.0)

Points whose shape is certainly the same are written into one loop, unless something between them needs the whole array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from graphrt.ir.code import Code, Names, Template, commas, identifier
from graphrt.native import machine
from graphrt.native.terms import Call, Dim, ListTerm, Point, Size, Sizes, Step, Term, same_size, same_sizes

INDENT = "    "
_MOST = 40  # points in one loop: more of them need more registers than there are

ASSIGNED = Template("{} = {}")
STORED = Template("{}[{}] = {}")
ITEM = Template("{}[{}]")
FOR = Template("for {} in range({}):")
IF = Template("if {}:")
ELSE = Template("else:")()
WHILE = Template("while True:")()
BREAK = Template("break")()
PASS = Template("pass")()
RAISE = Template("raise {}")
CALLED = Template("{}({})")
TUPLE = Template("({})")
TUPLE_OF_ONE = Template("({},)")
_SHAPE = Template("{}.shape[{}]")
_UNEQUAL = Template("{} != {}")
_NEGATIVE = Template("(-{})")
_PRODUCT = Template("{} * {}")
_STRIDE = Template("0 if {} == 1 else 1")
_SCALED = Template("{} * {}")
NUMBER = Template("{}")
_IS_ONE = Template("{} == 1")
_NEITHER = Template("{0} != {1} and {0} != 1")
RETURN = Template("return {}")
_DEF = Template("def {}({}):")
FAILURE = identifier("ArithmeticError")  # what a program raises when NumPy is to say what is wrong


class Loop:
    """One of NumPy's own inner loops, as the program calls it.

    Attributes:
      form: "vector" `f(*arrays, out)`, "scalar" `f(*numbers)`, "fold" `f(start, array, first, count)`, or "matmul".
      ufunc: the name of NumPy's function.
      dtype: of its operands.
    """

    __slots__ = ("dtype", "form", "ufunc")

    def __init__(self, form: str, ufunc: str, dtype: str) -> None:
        self.form = form
        self.ufunc = ufunc
        self.dtype = dtype

    @property
    def name(self) -> Code:
        """What the program calls it."""
        return identifier(f"{self.form}_{self.ufunc}_{self.dtype}")


class Scope:
    """The sizes that are known by a name in one block of the text.

    Attributes:
      outer: the block around it.
      sizes: the names.
    """

    __slots__ = ("outer", "sizes")

    def __init__(self, outer: Scope | None) -> None:
        self.outer = outer
        self.sizes: dict[Dim, Code] = {}

    def find(self, dim: Dim) -> Code | None:
        """The name of `dim`, here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if dim in scope.sizes:
                return scope.sizes[dim]
            scope = scope.outer
        return None


class Text:
    """Collects the lines of one native function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.loops: dict[str, Loop] = {}
        self.constants: list[tuple[Code, np.ndarray[Any, Any]]] = []
        self.scope = Scope(None)
        self.depth = 1
        self.fresh = Names().fresh
        for taken in machine.TAKEN:
            self.fresh(taken)

    # --- lines ---
    def line(self, text: Code) -> None:
        """Adds a statement."""
        self.lines.append(INDENT * self.depth + text)

    @contextmanager
    def block(self, header: Code) -> Iterator[None]:
        """Adds `header` and indents what the `with` block adds; sizes named there are not known after it."""
        self.line(header)
        start = len(self.lines)
        self.depth += 1
        self.scope = Scope(self.scope)
        try:
            yield
            if len(self.lines) == start:
                self.line(PASS)
        finally:
            self.depth -= 1
            assert self.scope.outer is not None
            self.scope = self.scope.outer

    def assign(self, code: Code, hint: str = "v") -> Code:
        """A new name for `code`."""
        name = self.fresh(hint)
        self.line(ASSIGNED(name, code))
        return name

    def fail_if(self, test: Code) -> None:
        """Leaves the program when `test` holds: NumPy then finds out what is wrong."""
        with self.block(IF(test)):
            self.line(RAISE(FAILURE))

    def use(self, form: str, ufunc: str, dtype: str) -> Code:
        """The name of one of NumPy's loops."""
        loop = Loop(form, ufunc, dtype)
        self.loops[loop.name] = loop
        return loop.name

    # --- sizes and arrays ---
    def size(self, size: Size) -> Code:
        """What a size is called, or the number that it is."""
        if isinstance(size, int):
            return NUMBER(size)
        found = self.scope.find(size)
        if found is None:
            found = self.scope.sizes[size] = self._size(size)
        return found

    def _size(self, dim: Dim) -> Code:
        if dim.made is not None:
            return self.assign(dim.made(self), "n")
        if dim.of is not None:
            return self.assign(_SHAPE(self.array(dim.of), dim.axis), "n")
        name = self.fresh("n")
        parts = [self.size(s) for s in dim.among]
        self.line(ASSIGNED(name, parts[0]))
        for part in parts[1:]:
            with self.block(IF(_IS_ONE(name))):
                self.line(ASSIGNED(name, part))
            self.fail_if(_NEITHER(part, name))
        return name

    def sizes(self, dims: Sizes) -> Code:
        """A shape as an argument of `empty`."""
        if len(dims) == 1:
            return self.size(dims[0])
        return TUPLE(commas([self.size(d) for d in dims]))

    def count(self, dims: Sizes) -> Code:
        """The product of sizes."""
        known = 1
        names = []
        for d in dims:
            if isinstance(d, int):
                known *= d
            else:
                names.append(self.size(d))
        if not names:
            return NUMBER(known)
        code = names[0]
        for name in names[1:]:
            code = _PRODUCT(code, name)
        return code if known == 1 else _PRODUCT(code, known)

    def require(self, size: Size, other: Size) -> None:
        """Leaves the program unless two sizes are equal."""
        if not same_size(size, other):
            self.fail_if(_UNEQUAL(self.size(size), self.size(other)))

    def empty(self, dims: Sizes, dtype: str, hint: str = "v") -> Code:
        """A new array."""
        return self.assign(CALLED(identifier("empty"), commas([self.sizes(dims), type_name(dtype)])), hint)

    def array(self, term: Term) -> Code:
        """The name of an array (or the code of a number), which is made now if all of its elements are equal."""
        if isinstance(term, ListTerm):
            return term.parts[0]
        if term.code is None:
            assert term.uniform is not None, term
            name = self.empty(term.dims, term.dtype, term.hint)
            with self.block(FOR(index := self.fresh("i"), self.count(term.dims))):
                self.line(STORED(self.flat(name, term.dims), index, self.number(term.uniform)))
            if self.scope.outer is None:  # what is made in a block may not be there after it
                term.code = name
            return name
        return term.code

    def number(self, term: Term) -> Code:
        """The code of a number."""
        assert term.code is not None, term
        return term.code

    def flat(self, name: Code, dims: Sizes) -> Code:
        """The same array with one axis."""
        return name if len(dims) == 1 else flat_view(name)

    # --- blocks of steps ---
    def steps(
        self, steps: Sequence[Step], wanted: Sequence[Term], over: Mapping[Term, Term] = MappingProxyType({})
    ) -> list[Code]:
        """Writes what `wanted` needs of `steps`; returns what `wanted` are called.

        `over` is as `overwritten` gives it: terms are written to the arrays of others.
        """
        items = _scheduled(_needed(steps, wanted))
        outside = _outside(items, wanted)
        for item in items:
            if isinstance(item, _Group):
                self._loop(item, outside, over)
            elif isinstance(item, Point):
                out = item.outs[0]
                out.code = self.assign(item.rule(*[self.number(a) for a in item.args]), out.hint)
            else:
                assert isinstance(item, Call)
                item.emit(self)
        return [self.array(t) for t in wanted]

    def _loop(self, group: _Group, outside: set[Term], over: Mapping[Term, Term]) -> None:
        dims = group.dims
        made = {p.outs[0] for p in group.points}
        given = list(dict.fromkeys(a for p in group.points for a in p.args if a not in made and a.dims))
        arrays = [a for a in given if a.uniform is None]
        stored = [p.outs[0] for p in group.points if p.outs[0] in outside]
        codes = {a: self.number(a.uniform) for a in given if a.uniform is not None}
        names = {a: self.array(a) for a in arrays}
        for out in stored:
            there = self.array(over[out]) if out in over else self.empty(dims, out.dtype, out.hint)
            out.code = names[out] = there
        inner = dict(codes)
        if all(same_sizes(a.dims, dims) for a in arrays):
            flats = {t: self._flattened(names[t], dims) for t in (*arrays, *stored)}
            index = self.fresh("i")
            with self.block(FOR(index, self.count(dims))):
                for a in arrays:
                    inner[a] = self.assign(ITEM(flats[a], index), "e")
                self._points(group, inner)
                for out in stored:
                    self.line(STORED(flats[out], index, inner[out]))
            return
        self._nested(group, arrays, stored, names, inner)

    def _flattened(self, name: Code, dims: Sizes) -> Code:
        return name if len(dims) == 1 else self.assign(self.flat(name, dims), "flat")

    def _nested(
        self, group: _Group, arrays: list[Term], stored: list[Term], names: dict[Term, Code], inner: dict[Term, Code]
    ) -> None:
        """A loop for each axis; what does not change along the inner axes is read outside of their loops."""
        dims = group.dims
        indices = [self.fresh("i") for _ in dims]
        subscripts: dict[Term, list[Code]] = {}
        level: dict[Term, int] = {}
        for a in arrays:
            skipped = len(dims) - len(a.dims)
            subscripts[a] = []
            level[a] = -1
            for axis, size in enumerate(a.dims):
                at = axis + skipped
                if same_size(size, 1):
                    subscripts[a].append(NUMBER(0))
                    continue
                level[a] = at
                if same_size(size, dims[at]):
                    subscripts[a].append(indices[at])
                else:
                    step = self.assign(_STRIDE(self.size(size)), "s")
                    subscripts[a].append(_SCALED(indices[at], step))
        self._level(group, 0, indices, subscripts, level, names, inner, stored)

    def _level(
        self, group: _Group, at: int, indices: list[Code], subscripts: dict[Term, list[Code]], level: dict[Term, int],
        names: dict[Term, Code], inner: dict[Term, Code], stored: list[Term],
    ) -> None:  # fmt: skip
        for a, deepest in level.items():
            if deepest == at - 1:
                inner[a] = self.assign(ITEM(names[a], commas(subscripts[a])), "e")
        if at < len(indices):
            with self.block(FOR(indices[at], self.size(group.dims[at]))):
                self._level(group, at + 1, indices, subscripts, level, names, inner, stored)
            return
        self._points(group, inner)
        for out in stored:
            self.line(STORED(names[out], commas(indices), inner[out]))

    def _points(self, group: _Group, inner: dict[Term, Code]) -> None:
        for point in group.points:
            args = [inner[a] if a in inner else self.number(a) for a in point.args]
            inner[point.outs[0]] = self.assign(point.rule(*args), "e")

    # --- the whole ---
    def function(self, name: str, parameters: Sequence[Code], results: Sequence[Code]) -> str:
        """The text of the function whose lines these are."""
        given = [*parameters, *(n for n, _ in self.constants)]
        self.line(RETURN(TUPLE_OF_ONE(results[0]) if len(results) == 1 else TUPLE(commas(results))))
        return "\n".join([_DEF(identifier(name), commas(given)), *self.lines]) + "\n"


def flat_view(array: Code) -> Code:
    """The same array, which lies in one piece, with one axis."""
    return CALLED(identifier("flat_view"), array)


def type_name(dtype: str) -> Code:
    """What the program calls a dtype."""
    return identifier("bool_" if dtype == "bool" else dtype)


def literal(value: Any) -> Code:
    """A number of NumPy as the program writes it, with its type."""
    dtype = value.dtype.name
    if dtype == "bool":
        return NUMBER(bool(value))
    plain = value.item()
    if isinstance(plain, complex):
        return CALLED(type_name(dtype), CALLED(identifier("complex"), commas([_float(plain.real), _float(plain.imag)])))
    return CALLED(type_name(dtype), _float(plain) if isinstance(plain, float) else NUMBER(plain))


def _float(plain: float) -> Code:
    if np.isfinite(plain):
        return NUMBER(plain)
    text = identifier("nan") if plain != plain else identifier("inf")
    return _NEGATIVE(text) if plain < 0 else text


# --- which steps, in which loops -------------------------------------------------------------------------------------
class _Group:
    """Points over one shape."""

    __slots__ = ("dims", "points")

    def __init__(self, dims: Sizes, points: list[Point]) -> None:
        self.dims = dims
        self.points = points


def _needed(steps: Sequence[Step], wanted: Sequence[Term]) -> list[Step]:
    alive: set[Step] = set()
    stack = [_source(t) for t in wanted]
    while stack:
        step = stack.pop()
        if step is not None and step not in alive:
            alive.add(step)
            stack += _sources(step)
    return [s for s in steps if s in alive]


def _source(term: Term) -> Step | None:
    return term.step if term.uniform is None else term.uniform.step


def _sources(step: Step) -> list[Step | None]:
    """What must run before `step`: what makes its arguments, and the arrays whose sizes it needs."""
    found = [_source(a) for a in step.args]
    for term in (*step.args, *step.outs):
        found += [s for size in term.dims for s in _makers(size) if s is not step]
    return found


def _makers(size: Size) -> list[Step | None]:
    if isinstance(size, int):
        return []
    if size.of is not None:
        return [_source(size.of)]
    return [s for other in size.among for s in _makers(other)]


def _scheduled(steps: list[Step]) -> list[_Group | Step]:
    """Steps in an order in which each finds its arguments made, points over one shape together."""
    items: list[_Group | Step] = []
    place: dict[Step, int] = {}
    for step in steps:
        ready = max((place.get(s, -1) for s in _sources(step) if s is not None), default=-1)
        at = len(items)
        if isinstance(step, Point) and step.outs[0].dims:
            dims = step.outs[0].dims
            for candidate in range(max(ready, 0), len(items)):
                item = items[candidate]
                if isinstance(item, _Group) and len(item.points) < _MOST and same_sizes(item.dims, dims):
                    item.points.append(step)
                    at = candidate
                    break
            else:
                items.append(_Group(dims, [step]))
        else:
            items.append(step)
        place[step] = at
    return items


def _outside(items: list[_Group | Step], wanted: Sequence[Term]) -> set[Term]:
    """The terms that are used elsewhere than in the loop that makes them."""
    found = set(wanted)
    for item in items:
        if isinstance(item, _Group):
            made = {p.outs[0] for p in item.points}
            found.update(a for p in item.points for a in p.args if a not in made)
        else:
            found.update(item.args)
    return found


def overwritten(steps: Sequence[Step], results: Sequence[Term], variables: Sequence[Term]) -> dict[Term, Term]:
    """Those of the results of a loop's steps that may be written to the array that their variable has had.

    Such a result is computed element by element, and nothing but points reads the variable, none of them later. What is
    more than a point may give views of what it takes, which others keep.
    """
    items = _scheduled(_needed(steps, results))
    reads: dict[Term, int] = {}  # the last item that reads a term
    made: dict[Term, int] = {}
    taken = {a for item in items if isinstance(item, Call) for a in item.args}
    for at, item in enumerate(items):
        if isinstance(item, _Group):
            reads.update((a, at) for p in item.points for a in p.args)
            made.update((p.outs[0], at) for p in item.points)
    return {
        result: variable
        for result, variable in zip(results, variables)
        if made.get(result, -1) >= reads.get(variable, 0)
        and not taken & {result, variable}
        and variable not in results
        and list(results).count(result) == 1
        and (result.dtype, len(result.dims)) == (variable.dtype, len(variable.dims))
        and same_sizes(result.dims, variable.dims)
    }
