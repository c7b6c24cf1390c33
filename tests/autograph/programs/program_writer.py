"""Writes random programs: every statement and expression of the language, each program from a handful of them.

A program is a module with a function `make`, which returns the function to be tried. What it works on is mostly whole
numbers, so that it gets far; a list `xs`, a dictionary `ds` and an object `o` besides. Everything that may go on for
long calls `T` or `R`, which count. See `generated_programs.py` for what these functions do.
"""

from __future__ import annotations

import dataclasses
import random
import sys

from tests.autograph.programs import program_parts

NAMES = ("a", "b", "c", "d")
PARAMETERS = "log, T, R, K, S, M, o, xs, ds, B, D, E, A, AM, AR, P, X"
_NEWEST = sys.version_info
_SPECS = ("", "!r", ":>4", "=", "!s:<{3}")


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a statement or expression stands."""

    indent: int = 0
    depth: int = 0
    kind: str = "plain"  # of the function around: plain, generator, async, asyncgen, lambda, class
    loop: bool = False
    star: bool = False  # in a handler of `except*`, which nothing may jump out of
    comprehension: int = 0  # depth; 100 where `:=` is not allowed
    method: bool = False
    functions: tuple[str, ...] = ()  # what may be called here
    generators: tuple[str, ...] = ()

    def inner(self, **changes):
        return dataclasses.replace(self, indent=self.indent + 1, depth=self.depth + 1, **changes)


class Writer(program_parts.Parts):
    """Writes one program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0
        self.expressions = self._some(_EXPRESSIONS)
        self.statements = self._some(_STATEMENTS)
        self.simple_statements = [s for s in self.statements if s[0] not in _COMPOUND] or [("assign", 5)]
        self.multiline = self.random.random() < 0.3
        self.size = self.random.choice((1, 2, 2, 3))
        self.deepest = self.random.choice((2, 3, 3, 4))

    def _some(self, weighted):
        """Each program uses some kinds of statements and expressions only, those it uses the more."""
        share = self.random.choice((0.15, 0.3, 0.6))
        return [item for item in weighted if item[1] >= 6 or self.random.random() < share]

    # Choices

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, share):
        return self.random.random() < share

    def name(self):
        return self.random.choice(NAMES)

    def number(self):
        return str(self.random.randint(-2, 5))

    def fresh(self):
        self.count += 1
        return self.count

    def choose(self, weighted):
        return self.random.choices([k for k, _ in weighted], [w for _, w in weighted])[0]

    # Expressions: `e` gives one whose value is mostly a number

    def e(self, at, depth=0):
        if depth > 2 or (depth and self.chance(0.35)):
            return self.pick(self.name(), self.name(), self.number())
        text = getattr(self, "e_" + self.choose(self.expressions))(at, lambda where=at: self.e(where, depth + 1))
        return text

    def e_name(self, at, e):
        return self.name()

    def e_number(self, at, e):
        return self.number()

    def e_constant(self, at, e):
        return self.pick("None", "True", "False", "'s'", "1.5", "...", "b'y'", "''", "10**20")

    def e_binary(self, at, e):
        return f"({e()} {self.pick('+', '-', '+ 1 -', '* 2 +', '// 2 -', '% 3 +', '/', '//', '%', '&', '|', '^')} {e()})"

    def e_unary(self, at, e):
        return f"({self.pick('-', '~', '+', 'not ', '- -')}{e()})"

    def e_compare(self, at, e):
        return f"({e()} {self.pick('<', '>', '==', '!=', '<=', '>=', 'is', 'is not')} {e()})"

    def e_contained(self, at, e):
        return f"({e()} {self.pick('in', 'not in')} {self.pick('xs', 'ds', '(1, 2)', 'o', f'[{e()}]')})"

    def e_chain(self, at, e):
        operators = [self.pick("<", "<=", "==", "!=", ">", "is not") for _ in range(self.random.randint(2, 3))]
        return "(" + e() + "".join(f" {o} {e()}" for o in operators) + ")"

    def e_logical(self, at, e):
        word = self.pick(" and ", " or ")
        return "(" + word.join(e() for _ in range(self.pick(2, 2, 3))) + ")"

    def e_conditional(self, at, e):
        return f"({e()} if {e()} else {e()})"

    def e_trace(self, at, e):
        # Not behind the number: once a function has run often, CPython takes a number and a variable as one instruction.
        gap = "\n    " if self.multiline and self.chance(0.4) else ""
        return f"T({gap}{self.fresh()}, {e()})"

    def e_comprehension(self, at, e):
        deeper = dataclasses.replace(at, comprehension=at.comprehension + 1)
        iterable = dataclasses.replace(at, comprehension=100)
        target = self.pick(self.name(), self.name(), f"({self.name()}, {self.name()})", "i")
        source = f"R({e(iterable)})"
        if target.startswith("("):
            source = f"[({e(iterable)}, {e(iterable)})]"
        loops = f"for {target} in {source}"
        if self.chance(0.3):
            loops += f" if {e(deeper)}"
        if self.chance(0.2):
            loops += f" for {self.name()} in R({e(iterable)})"
        element = e(deeper)
        if self.chance(0.1):
            element = f"[{e(deeper)} for i in R({e(iterable)})]"
        return self.pick(
            f"len([{element} {loops}])", f"sum(({element} {loops}))", f"[{element} {loops}][0]",
            f"sorted({{{e(deeper)} % 5 {loops}}})[0]", f"len({{{e(deeper)}: {element} {loops}}})",
            f"max(({element} {loops}), default=9)", f"any({element} {loops})", f"all([{element} {loops}])",
            f"next(({element} {loops}), 7)",
        )

    def e_lambda(self, at, e):
        inside = dataclasses.replace(at, kind="lambda")
        parameter = self.name()
        return self.pick(
            f"(lambda {parameter}: {e(inside)})({e()})",
            f"(lambda {parameter}={e()}: {e(inside)})()",
            f"(lambda *{parameter}, k=({e()}), **m: {e(inside)})({e()})",
            f"(lambda: {e(inside)})()",
            f"list(map(lambda {parameter}: {e(inside)}, R({e()})))[0]",
            f"sorted(xs, key=lambda {parameter}: {e(inside)})[0]",
            f"len(list(filter(lambda {parameter}: {e(inside)}, xs)))",
        )

    def e_keep(self, at, e):
        return f"K(lambda{self.pick('', f' i={e()}')}: {e(dataclasses.replace(at, kind='lambda'))})"

    def e_walrus(self, at, e):
        return e() if at.comprehension >= 100 or at.kind == "class" else f"({self.name()} := {e()})"

    def e_attribute(self, at, e):
        return self.pick("o.x", "o.p", "o.q", "o.inner.x")

    def e_item(self, at, e):
        return self.pick("o[0]", f"o[{e()}]", f"xs[{e()}]", "xs[0]", f"ds[{e()}]", "ds['k']", f"xs[{e()}:][0]", f"len(xs[:{e()}])")

    def e_stars(self, at, e):
        return self.pick(
            f"T(*[{self.fresh()}, {e()}], **dict(k={e()}))", f"T({self.fresh()}, *[{e()}], k={e()})",
            f"len([*xs, {e()}, *R({e()})])", f"len({{**ds, 'z': {e()}}})", f"T(*({self.fresh()}, {e()}), **{{}})",
            f"max(*xs, {e()})", f"T(value={e()}, n={e()})",
        )

    def e_text(self, at, e):
        spec = self.pick(*_SPECS)
        text = f"len(f'{{{self.name()}{spec}}}_{{{self.name()}!r:>5}}')"
        if _NEWEST >= (3, 14) and self.chance(0.3):
            return f"t'{{{self.name()}{spec}}}'.values[0]"
        return self.pick(text, f"len('%s' % ({e()},))", f"len('{{}}'.format({e()}))")

    def e_builtin(self, at, e):
        return self.pick(
            f"len(str({e()}))", f"abs({e()})", f"int({e()})", f"max({e()}, {e()})", f"min([{e()}, {e()}])",
            f"bool({e()})", f"isinstance({e()}, int)", f"sum(xs, {e()})", f"getattr(o, 'x', {e()})",
            f"hasattr(o, {self.pick('x', 'nope')!r})", f"len(list(zip(xs, R({e()}))))", f"round({e()} / 3)",
            f"dict(k={e()})['k']", f"divmod({e()}, {e()})[0]", f"next(iter(R({e()})), {e()})", f"callable({self.name()})",
            f"tuple(R({e()}))[0]", f"sum(reversed([{e()}, {e()}]))", f"print({e()}, end={self.pick('', ',')!r})",
            f"list(enumerate(xs, {e()}))[0][0]", f"pow({e()}, 2, 7)", f"len(type({e()}).__name__)",
            f"functools.reduce(lambda x, y: x + T({self.fresh()}, y), [1, {e()}])", f"functools.partial(T, {e()})({e()})",
            f"operator.add({e()}, {e()})", f"len(list(itertools.takewhile(lambda i: i < {e()}, xs)))", "vars(o)['x']",
        )

    def e_method(self, at, e):
        return self.pick(
            f"o.m({e()})", f"o({e()})", f"xs.index({e()})", "xs.pop()", f"ds.get({e()}, {e()})", f"o.s({e()})",
            f"o.k({e()})", f"ds.setdefault({e()}, {e()})", f"xs.count({e()})", f"o.inner.m({e()})", f"P({e()}, {e()}).u",
            f"(o + {e()})", f"(o == {e()})", f"(o < {e()})", "len(o)", "(not o)", f"(o @ {e()})", "(-o)",
        )

    def e_call(self, at, e):
        if not at.functions:
            return self.name()
        return f"{self.random.choice(at.functions)}({e()})"

    def e_look(self, at, e):
        return self.pick(
            "X()", "sys._getframe().f_lineno", "len(sys._getframe().f_code.co_name)", "len(__name__)",
            "sys.exc_info()[0] is None", "T(0, sys.exc_info()[0])",
        )

    def e_frame(self, at, e):
        if at.kind == "class":
            return self.name()
        return self.pick(
            "T(0, sorted(locals()))", f"eval('{self.name()}')", f"locals().get('{self.name()}')", "T(0, sorted(vars()))",
            f"'{self.name()}' in dir()",
        )

    def e_suspend(self, at, e):
        if at.comprehension or at.kind not in ("generator", "async", "asyncgen"):
            return self.name()
        if at.kind == "generator":
            options = [f"(yield {e()})", "(yield)"]
            if at.generators:
                options.append(f"(yield from {self.random.choice(at.generators)}({e()}))")
            return self.pick(*options)
        options = [f"(await A({e()}))", f"len([{e()} async for {self.name()} in AR({e()})])"]
        if at.kind == "asyncgen":
            options.append(f"(yield {e()})")
        return self.pick(*options)

    def e_class(self, at, e):
        if not at.method:
            return self.name()
        return self.pick("__class__.z", "super().m(1)", f"super().m({e()})", "super().x", "super(__class__, self).m(1)", "__class__.__p")

    def e_consume(self, at, e):
        if not at.generators:
            return self.name()
        g = self.random.choice(at.generators)
        return self.pick(f"len(list(R({g}({e()}))))", f"next({g}({e()}), {e()})", f"sum({g}({e()}))", f"[*R({g}(1))][-1]")

    # Statements

    def line(self, at, text):
        self.lines.append("    " * at.indent + text)

    def block(self, at):
        for _ in range(self.random.randint(1, self.size)):
            at = self.statement(at) or at
        return at

    def body(self, at, **changes):
        self.block(at.inner(**changes))

    def statement(self, at):
        kinds = self.simple_statements if at.depth >= self.deepest else self.statements
        return getattr(self, "s_" + self.choose(kinds))(at)

    def target(self, at, flat=False):
        options = [self.name()] * 6 + ["o.x", f"o[{self.e(at, 2)}]", "xs[0]", "ds['k']", "o.p", f"xs[{self.e(at, 1)}]"]
        if not flat:
            options += [f"{self.name()}, {self.name()}", f"({self.name()}, *{self.name()})", f"[{self.name()}, o.x]"]
        return self.random.choice(options)

    def s_assign(self, at):
        target = self.target(at)
        if target[0] in "([" or "," in target:
            value = self.pick(f"{self.e(at)}, {self.e(at)}", f"[{self.e(at)}, {self.e(at)}]", "xs[:2]", self.e(at))
        else:
            value = self.e(at)
        if self.chance(0.1):
            target += f" = {self.target(at, True)}"
        self.line(at, f"{target} = {value}")

    def s_augmented(self, at):
        operator = self.pick("+=", "-=", "+=", "//=", "%=", "&=", "|=", "^=", "/=", "<<= 1 +", ">>=")
        value = self.e(at)
        if operator.startswith("<<"):
            operator, value = "<<=", self.pick("1", "0", f"{self.name()} % 3")
        self.line(at, f"{self.target(at, True)} {operator} {value}")

    def s_annotated(self, at):
        self.line(at, self.pick(
            f"{self.name()}: int = {self.e(at)}", f"{self.name()}: {self.e(at)}", f"o.x: {self.e(at, 1)} = {self.e(at)}",
            f"({self.name()}): T(0, 1) = {self.e(at)}",
        ))

    def s_expression(self, at):
        self.line(at, self.e(at))

    def s_log(self, at):
        self.line(at, self.pick(
            f"log.append(({self.e(at)}, {self.e(at)}))", f"print({self.e(at)}, {self.e(at)}, sep='-')",
            f"print(f'{{{self.name()}=}}')",
        ))

    def s_warn(self, at):
        self.line(at, self.pick("warnings.warn('w')", f"warnings.warn(str({self.e(at)}), UserWarning)", "o.warn()"))

    def s_lists(self, at):
        e = lambda: self.e(at)
        self.line(at, self.pick(
            f"xs.append({e()})", f"{self.name()} = xs.pop()", f"xs.insert({e()}, {e()})", f"xs[{e()}:] = [{e()}]",
            f"xs += [{e()}]", f"xs.sort(key=lambda i: {self.e(dataclasses.replace(at, kind='lambda'))})", "xs = []",
            f"xs = [{e()}, {e()}]", f"xs[0] += {e()}", f"ds.update(z={e()})", f"ds |= {{{e()}: 1}}", "xs = list(xs)",
            f"ds['k'] += {e()}", f"ds[{e()}] = {e()}", f"{self.name()} = xs[{e()}]", "xs.reverse()", "xs = xs[1:]",
            f"{self.name()} = xs.pop({e()})",
        ))

    def s_return(self, at):
        if at.kind == "class" or at.star:
            return self.s_assign(at)
        at = self._perhaps(at)
        bare = at.kind == "asyncgen" or self.chance(0.1)
        self.line(at, "return" if bare else f"return {self.e(at)}")

    def _perhaps(self, at, share=0.6):
        if self.chance(share):
            self.line(at, f"if {self.e(at)}:")
            return at.inner()
        return at

    def s_jump(self, at):
        at = self._perhaps(at, 0.75)
        self.line(at, self.pick("break", "continue") if at.loop and not at.star else "pass")

    def s_raise(self, at):
        at = self._perhaps(at, 0.8)
        error = f"{self.pick('ValueError', 'KeyError', 'TypeError', 'E')}({self.e(at)})"
        self.line(at, self.pick(
            f"raise {error}", f"raise {error}", f"raise {error} from {self.pick('None', 'E(1)', self.name(), error)}",
            "raise", f"raise {self.pick('ValueError', 'E')}", f"raise ExceptionGroup('g', [{error}, ValueError({self.e(at)})])",
            "next(iter(()))", "ds['missing']", "undefined_name", "o.nope",
        ))

    def s_assert(self, at):
        self.line(at, f"assert {self.e(at)}{self.pick('', f', {self.e(at)}')}")

    def s_delete(self, at):
        self.line(at, self.pick(
            f"del {self.name()}", f"del {self.name()}", "del o[0]", f"del {self.name()}, {self.name()}", "del o.x",
            f"del ({self.name()}, xs[0])", f"del ds[{self.e(at)}]", "del xs[0]", "del xs[:1]",
        ))

    def s_yield(self, at):
        if at.kind in ("generator", "asyncgen"):
            self.line(at, f"{self.pick('', f'{self.name()} = ')}yield {self.e(at)}")
        elif at.kind == "async":
            self.line(at, f"{self.name()} = await A({self.e(at)})")
        else:
            self.s_assign(at)

    def s_import(self, at):
        self.line(at, self.pick(
            "import math", f"from operator import add as {self.name()}", "import os.path", f"import math as {self.name()}",
            "from math import nothing_there", f"from math import floor; {self.name()} = floor({self.e(at)})",
        ))

    def s_declare(self, at):
        """Declarations stand at the start of functions only; here is a place for what nobody can see."""
        self.line(at, self.pick("pass", "'text'", "...", "1", "if 0: yield_ = 1", f"if 0: {self.name()} = 1"))

    def s_if(self, at):
        self.line(at, f"if {self.e(at)}:")
        self.body(at)
        for _ in range(self.pick(0, 0, 0, 1)):
            self.line(at, f"elif {self.e(at)}:")
            self.body(at)
        if self.chance(0.5):
            self.line(at, "else:")
            self.body(at)

    def s_for(self, at):
        if at.kind in ("async", "asyncgen") and self.chance(0.5):
            self.line(at, f"async for {self.target(at)} in AR({self.e(at)}):")
        else:
            target = self.target(at)
            source = f"R({self.e(at)})"
            if target[0] in "([" or "," in target:
                source = self.pick(f"[(1, 2), ({self.e(at)}, 4)]", "enumerate(R(xs))", "list(ds.items())[:2]", f"zip(R(xs), R({self.e(at)}))")
            elif self.chance(0.3):
                source = self.pick("R(xs)", "list(ds)", "xs[:3]", f"range({self.e(at)} % 4)", "'ab'", "sorted(ds.values(), key=str)[:3]", "R(o)")
            self.line(at, f"for {target} in {source}:")
        self.body(at, loop=True, star=False)
        self._orelse(at)

    def _orelse(self, at):
        if self.chance(0.3):
            self.line(at, "else:")
            self.body(at)

    def s_while(self, at):
        self.line(at, f"while {self.e(at)}:")
        self.line(at.inner(), f"T({self.fresh()}, 0)")
        self.body(at, loop=True, star=False)
        self._orelse(at)

    def s_try(self, at):
        self.line(at, "try:")
        self.body(at)
        kind = self.random.random()
        if kind < 0.15:
            for error in self.random.sample(("ValueError", "(KeyError, TypeError)", "E", "Exception"), self.pick(1, 2)):
                self.line(at, f"except* {error}{self.pick('', f' as {self.name()}')}:")
                self.body(at, star=True, loop=False)
        elif kind < 0.85:
            self._handlers(at)
        if kind < 0.85 and self.chance(0.3):
            self.line(at, "else:")
            self.body(at)
        if kind >= 0.85 or self.chance(0.35):
            self.line(at, "finally:")
            if self.chance(0.7):
                self.line(at.inner(), f"T({self.fresh()}, 0)")
            else:
                self.body(at)

    def _handlers(self, at):
        choices = ("ValueError", "KeyError", "(ValueError, TypeError)", "NameError", "E", f"({self.e(at, 2)}, E)[1]")
        for error in self.random.sample(choices, self.pick(1, 1, 2)):
            self.line(at, f"except {error}{self.pick('', f' as {self.name()}')}:")
            self.body(at)
            if self.chance(0.2):
                self.line(at.inner(), "raise")
        if self.chance(0.35):
            self.line(at, f"except{self.pick('', ' Exception', f' Exception as {self.name()}', ' BaseException')}:")
            self.line(at.inner(), "S()")
            self.body(at)

    def s_with(self, at):
        manager = lambda: f"M(log, {self.pick('True', 'False', '2', '0', self.e(at, 2))}){self.pick('', f' as {self.target(at, True)}')}"
        if at.kind in ("async", "asyncgen") and self.chance(0.5):
            self.line(at, f"async with AM(log, {self.pick('True', 'False')}){self.pick('', f' as {self.name()}')}:")
        else:
            self.line(at, self.pick(
                f"with {manager()}:", f"with {manager()}:", f"with {manager()}, {manager()}:", f"with ({manager()},\n        {manager()}):",
                "with contextlib.suppress(ValueError, E):", f"with {self.e(at, 2)}:",
            ))
        self.body(at)

    def s_match(self, at):
        self.line(at, f"match {self.pick(self.e(at), f'({self.e(at)}, {self.e(at)})', 'ds', 'xs', f'P({self.e(at)}, {self.e(at)})', 'o', repr('s'))}:")
        inner = at.inner()
        for _ in range(self.random.randint(1, 3)):
            self.line(inner, f"case {self.pattern()}{self.pick('', '', f' if {self.e(at)}')}:")
            self.body(inner)
        if self.chance(0.5):
            self.line(inner, self.pick("case _:", f"case {self.name()}:"))
            self.body(inner)

    def pattern(self, depth=0):
        n = self.name
        p = lambda: self.pick("_", n(), str(self.random.randint(0, 3))) if depth else self.pattern(1)
        return self.pick(
            "0", "-1", "1 | 2 | None", "'s'", "1.5", "True", f"({p()}, {p()})", f"[{p()}, *{n()}]", "[*_]", f"int() as {n()}",
            f"int({n()})", f"{{0: {p()}}}", f"{{'k': {p()}, **m}}", f"P({p()}, v={p()})", f"P(u={p()})", "str() | bytes()",
            "o.x", f"[{p()}, ({p()} as {n()})]", "(1 | 2) as " + n(), f"[_, {p()}, *_]", "{}", f"object(x={p()})",
        )

    # Functions and classes

    def parameters(self, at):
        n = self.random.sample(NAMES, 4)
        return self.pick(
            n[0], n[0], f"{n[0]}={self.e(at)}", f"{n[0]}, {n[1]}={self.e(at)}", f"{n[0]}, /, {n[1]}={self.e(at)}",
            f"{n[0]}=1, *{n[1]}", f"{n[0]}, *, {n[1]}={self.e(at)}", f"{n[0]}: int = {self.e(at)}, *{n[1]}, **{n[2]}",
            f"{n[0]}: {self.e(at, 2)}", f"*{n[0]}",
        )

    def s_function(self, at):
        number = self.fresh()
        name = f"g{number}"
        kind = self.pick("plain", "plain", "plain", "generator", "async")
        recursive = kind == "plain" and self.chance(0.2)
        if kind == "plain" and self.chance(0.25):
            self.line(at, self.pick("@D", f"@D2({self.e(at)})", "@functools.lru_cache(None)", "@functools.wraps(T)", "@D\n" + "    " * at.indent + "@D"))
        parameters = self.parameters(at)
        type_parameters = "[Z]" if _NEWEST >= (3, 12) and self.chance(0.1) else ""
        returns = self.pick("", "", f" -> {self.e(at, 2)}")
        self.line(at, f"{'async ' * (kind == 'async')}def {name}{type_parameters}({parameters}){returns}:")
        known = at.functions + (name,) * recursive
        inside = at.inner(kind=kind, loop=False, star=False, comprehension=0, functions=known)
        self._declarations(inside, parameters)
        if recursive:
            self.line(inside, f"T({number}, 0)")
        self.block(dataclasses.replace(inside, depth=inside.depth + 1))
        if kind == "generator":
            self.line(inside, f"yield {self.e(inside)}")
            self.line(at, self.pick(f"{self.name()} = next({name}({self.e(at)}))", f"K({name})", f"xs = list(R({name}(2)))"))
            return dataclasses.replace(at, generators=(*at.generators, name))
        if kind == "async":
            if at.kind in ("async", "asyncgen"):
                self.line(at, f"{self.name()} = await {name}({self.e(at)})")
            else:
                self.line(at, f"K({name})")
            return at
        self.line(at, self.pick(f"{self.name()} = {name}({self.e(at)})", f"K({name})", f"{name}(1)", f"{name}(*xs[:1])"))
        return dataclasses.replace(at, functions=(*at.functions, name))

    def _declarations(self, inside, parameters):
        if self.chance(0.2):
            self.line(inside, "'Text about it.'")
        words = parameters.replace(",", " ").replace("*", " ").replace("=", " ").replace(":", " ").split()
        outer = [n for n in NAMES if n not in words]
        if outer and self.chance(0.4):
            self.line(inside, f"{self.pick('nonlocal', 'nonlocal', 'global')} {self.random.choice(outer)}")

    def s_class(self, at):
        name = f"Q{self.fresh()}"
        inner = at.inner(kind="class", loop=False, star=False, comprehension=0)
        if self.chance(0.15):
            self.line(at, "@dataclasses.dataclass")
            self.line(at, f"class {name}:")
            self.line(inner, f"u: int = {self.e(at)}")
            self.line(inner, f"v: int = {self.e(at)}")
            self.line(inner, "def m(self): return self.u + self.v")
            self.line(at, f"{self.name()} = {name}({self.e(at)}).m()")
            return at
        if self.chance(0.2):
            self.line(at, "@D")
        base = self.pick("", "(B)", "(B, metaclass=type)", f"(B, k={self.e(at)})")
        type_parameters = "[Z]" if _NEWEST >= (3, 12) and self.chance(0.1) else ""
        self.line(at, f"class {name}{type_parameters}{base}:")
        self.line(inner, f"z = __p = {self.e(inner)}")
        if self.chance(0.4):
            self.statement(dataclasses.replace(inner, depth=inner.depth + 1))
        method = inner.inner(kind="plain", method=bool(base))
        parameter = self.name()
        if self.chance(0.4):
            self.line(inner, f"def __init__(self, {parameter}={self.e(inner)}):")
            self.line(method, f"self.__h = self.v = {self.e(method)}")
            self.block(method)
        self.line(inner, f"def m(self, {parameter}=0):")
        self.block(method)
        self.line(method, f"return {self.e(method)} + self.{self.pick('z', '__p', '__h', 'z')}")
        if self.chance(0.4):
            self.line(inner, self.pick("@property", "@staticmethod", "@classmethod", "@functools.cached_property"))
            self.line(inner, f"def w({self.pick('a', 'self', '*a')}):")
            self.line(method, f"return {self.e(method)}")
            self.line(at, f"{self.name()} = {name}().w{self.pick('', '()', '(1)')}")
        self.line(at, self.pick(f"log.append({name}.z)", f"K({name})", f"log.append(sorted(vars({name})))"))
        self.line(at, self.pick(f"{self.name()} = {name}().m({self.e(at)})", f"{name}.m({name}(), 2)", f"K({name}().m)"))
        return at

    # Whole programs

    def source(self):
        shape = self.choose((("function", 12), ("generator", 4), ("async", 3), ("asyncgen", 2), ("method", 3), ("lambda", 2), ("static", 1), ("partial", 1)))
        kind = shape if shape in ("generator", "async", "asyncgen") else "plain"
        at = Place(indent=2, kind=kind)
        head = [f"def make({PARAMETERS}):"]
        if shape == "lambda":
            outside = dataclasses.replace(at, kind="lambda")
            head.append("    a = b = c = 1")
            head.append(f"    f = lambda {self.parameters(outside)}: {self.pick('', 'T(0, 1) and ')}{self.e(outside)}")
            return "\n".join([*head, "    return f", ""])
        scopes = {n: self.pick("local", "local", "local", "local", "nonlocal", "global", "closure") for n in NAMES[1:]}
        outer = [n for n, scope in scopes.items() if scope in ("nonlocal", "closure")]
        if outer:
            head.append(f"    {' = '.join(outer)} = {self.number()}")
        indent = "    "
        parameters = "a=0"
        if shape in ("method", "static"):
            head += ["    class Q(B):", "        z = __p = 3"]
            indent = "        "
            parameters = "self, a=0"
            at = dataclasses.replace(at, indent=3, method=True)
            if shape == "static":
                head.append(f"{indent}@{self.pick('staticmethod', 'classmethod')}")
                parameters = "*a"
        elif self.chance(0.3):
            parameters = self.pick("a=0, *rest, **more", "a, /", "a: int = 0", "a, xs=xs", "a=0, *, k=2")
        head.append(f"{indent}{'async ' * kind.startswith('async')}def f({parameters}):")
        for scope in ("nonlocal", "global"):
            declared = [n for n, s in scopes.items() if s == scope]
            if declared:
                self.line(at, f"{scope} {', '.join(declared)}")
        if not ("xs" in parameters or self.chance(0.6)):
            self.line(at, "xs = [3, 1, 2]; ds = {0: 1, 'k': 2}")
        elif self.chance(0.8):
            self.line(at, "nonlocal ds" if "xs" in parameters else "nonlocal xs, ds")
        for n, scope in scopes.items():
            if scope == "local" and self.chance(0.85):
                self.line(at, f"{n} = {self.random.randint(0, 3)}")
        for _ in range(self.random.randint(2, 5)):
            at = self.statement(at) or at
        if kind in ("generator", "asyncgen"):
            self.line(at, "yield 0")
        result = {"method": "Q().f", "static": "Q.f", "partial": "functools.partial(f)"}.get(shape, "f")
        return "\n".join([*head, *self.lines, f"    return {result}", ""])


# What there is, and how often; what weighs 6 or more is in every program.
_EXPRESSIONS = (
    ("name", 8), ("number", 4), ("constant", 1), ("binary", 4), ("unary", 1), ("compare", 6), ("contained", 1), ("chain", 3),
    ("logical", 4), ("conditional", 3), ("trace", 6), ("comprehension", 4), ("lambda", 3), ("keep", 3), ("walrus", 4),
    ("attribute", 3), ("item", 4), ("stars", 2), ("text", 1), ("builtin", 4), ("method", 4), ("call", 4), ("look", 2),
    ("frame", 1), ("suspend", 5), ("class", 4), ("consume", 3), *program_parts.EXPRESSIONS,
)
_STATEMENTS = (
    ("assign", 8), ("augmented", 4), ("annotated", 1), ("expression", 3), ("log", 3), ("warn", 1), ("lists", 5), ("return", 5),
    ("jump", 5), ("raise", 4), ("assert", 2), ("delete", 3), ("yield", 5), ("import", 1), ("declare", 1), ("if", 7), ("for", 5),
    ("while", 3), ("try", 5), ("with", 3), ("match", 3), ("function", 5), ("class", 3), *program_parts.STATEMENTS,
)
_COMPOUND = frozenset(("if", "for", "while", "try", "with", "match", "function", "class", "drive", "manager", "errors", "kinds", "dispatch"))
