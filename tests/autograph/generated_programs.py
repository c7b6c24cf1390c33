"""Random programs, run as they are and converted: results, exceptions, effects and lines must be the same.

    python tests/autograph/generated_programs.py 1000 2000      programs of seeds 1000 to 1999
"""

from __future__ import annotations

import linecache
import random
import sys
import traceback

import autograph
from autograph.backends import registry

NAMES = ("a", "b", "c", "d")


class Stop(Exception):
    """Raised when a program has run long enough."""


class Manager:
    """A context manager that notes what happens to it, and may swallow exceptions."""

    def __init__(self, log, swallows):
        self.log = log
        self.swallows = swallows

    def __enter__(self):
        self.log.append("enter")
        return 7

    def __exit__(self, kind, error, tb):
        self.log.append(("exit", kind and kind.__name__))
        if self.swallows == 2:
            raise ValueError("exit")
        return self.swallows and kind is not None and issubclass(kind, (KeyError, ValueError))


class Item:
    """Something with an attribute and items."""

    def __init__(self):
        self.x = 1
        self.items = {0: 2, 1: 0}

    def __getitem__(self, key):
        return self.items[key]

    def __setitem__(self, key, value):
        self.items[key] = value

    def __delitem__(self, key):
        del self.items[key]


class Generator:
    """Writes one random function."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.calls = 0
        self.functions = 0
        self.in_comprehension = 0
        self.kind = self.random.choice(["plain"] * 6 + ["generator"])

    def pick(self, *options):
        return self.random.choice(options)

    def name(self):
        return self.random.choice(NAMES)

    def expression(self, depth=0):
        if depth > 2:
            return self.pick(self.name(), str(self.random.randint(-2, 5)))
        deeper = lambda: self.expression(depth + 1)
        kind = self.random.randint(0, 27)
        if kind < 8:
            return self.name()
        if kind < 11:
            return str(self.random.randint(-2, 5))
        if kind == 11:
            return f"({deeper()} {self.pick('+', '-', '*')} {deeper()})"
        if kind == 12:
            return f"({deeper()} {self.pick('<', '>', '==', '!=', '<=')} {deeper()})"
        if kind == 13:
            return f"({deeper()} {self.pick('<', '<=', '==')} {deeper()} {self.pick('<', '!=')} {deeper()})"
        if kind == 14:
            return f"({deeper()} {self.pick('and', 'or')} {deeper()})"
        if kind == 15:
            return f"(not {deeper()})"
        if kind == 16:
            return f"({deeper()} if {deeper()} else {deeper()})"
        if kind in (17, 18):
            self.calls += 1
            return f"T({self.calls}, {deeper()})"
        if kind in (19, 20):
            self.in_comprehension += 1
            target = self.name()
            if kind == 19:
                text = f"len([{deeper()} for {target} in R({deeper()})])"
            else:
                text = f"sum({deeper()} for {target} in R({deeper()}) if {deeper()})"
            self.in_comprehension -= 1
            return text
        if kind == 21:
            return f"(lambda {self.name()}: {deeper()})({deeper()})"
        if kind == 22 and not self.in_comprehension:
            return f"({self.name()} := {deeper()})"
        if kind == 23:
            return "o.x"
        if kind == 24:
            return "o[0]"
        if kind == 25:
            return f"T(*[{deeper()}], **dict(k={deeper()}))"
        if kind == 27:
            return f"K(lambda: {deeper()})"
        if kind == 26:
            return f"len(f'{{{self.name()}}}{{{self.name()}!r}}')"
        return self.name()

    def block(self, indent, depth, in_loop, in_finally=False):
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth, in_loop, in_finally)

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def statement(self, indent, depth, in_loop, in_finally):
        simple = depth > 3
        kind = self.random.randint(0, 14 if simple else 34)
        line, e = self.line, self.expression
        body = lambda loop=in_loop, final=in_finally: self.block(indent + 1, depth + 1, loop, final)
        if kind < 5:
            line(indent, f"{self.name()} = {e()}")
        elif kind == 5:
            line(indent, f"{self.name()} {self.pick('+', '-', '*')}= {e()}")
        elif kind == 6:
            line(indent, e())
        elif kind == 7:
            if self.random.random() < 0.5:
                line(indent, f"if {e()}:")
                indent += 1
            line(indent, f"return {e()}" if self.random.random() < 0.9 else "return")
        elif kind == 8:
            if self.random.random() < 0.7:
                line(indent, f"if {e()}:")
                indent += 1
            line(indent, self.pick("break", "continue") if in_loop else "pass")
        elif kind == 9:
            if self.random.random() < 0.7:
                line(indent, f"if {e()} > 2:")
                indent += 1
            line(indent, self.pick(f"raise {self.pick('ValueError', 'KeyError', 'TypeError')}({e()})", f"assert {e()}"))
        elif kind == 10:
            line(indent, self.pick(f"o.x = {e()}", f"o[{self.random.randint(0, 2)}] = {e()}", f"o.x += {e()}", f"o[{e()}] = 1"))
        elif kind == 11:
            line(indent, self.pick(f"del {self.name()}", "del o[0]", f"{self.name()} = 1"))
        elif kind == 12:
            line(indent, f"{self.name()}, {self.name()} = {e()}, {e()}")
        elif kind == 13:
            line(indent, f"yield {e()}" if self.kind == "generator" else f"{self.name()}: int = {e()}")
        elif kind == 14:
            line(indent, f"log.append(({e()}, {e()}))")
        elif kind < 20:
            line(indent, f"if {e()}:")
            body()
            for _ in range(self.random.choice((0, 0, 1))):
                line(indent, f"elif {e()}:")
                body()
            if self.random.random() < 0.5:
                line(indent, "else:")
                body()
        elif kind < 23:
            line(indent, f"for {self.pick(self.name(), self.name(), 'o.x', 'o[0]')} in R({e()}):")
            body(True)
            if self.random.random() < 0.3:
                line(indent, "else:")
                body()
        elif kind < 25:
            line(indent, f"while {e()}:")
            self.calls += 1
            line(indent + 1, f"T({self.calls}, 0)")
            body(True)
            if self.random.random() < 0.3:
                line(indent, "else:")
                body()
        elif kind < 28:
            self.try_statement(indent, depth, in_loop, in_finally)
        elif kind == 28:
            target = self.pick("", f" as {self.name()}")
            line(indent, f"with M(log, {self.pick('True', 'False', '2')}){target}:")
            body()
        elif kind < 31:
            self.function(indent, depth)
        elif kind == 31:
            line(indent, "class Q:")
            line(indent + 1, f"z = {self.name()}")
            line(indent + 1, f"def m(self): return {e()}")
            line(indent, "log.append(Q.z)")
            line(indent, "log.append(Q().m())")
        elif kind == 32:
            line(indent, f"match {self.pick(e(), f'({e()}, {e()})', '{0: 1}')}:")
            for _ in range(self.random.randint(1, 3)):
                pattern = self.pick("0", "1 | 2", "None", f"({self.name()}, _)", f"[*{self.name()}]", "int()", "{0: 1}", f"int() as {self.name()}")
                guard = self.pick("", "", f" if {e()}")
                line(indent + 1, f"case {pattern}{guard}:")
                self.block(indent + 2, depth + 1, in_loop, in_finally)
            if self.random.random() < 0.5:
                line(indent + 1, self.pick("case _:", f"case {self.name()}:"))
                self.block(indent + 2, depth + 1, in_loop, in_finally)
        elif kind == 33:
            line(indent, f"K(lambda: {self.name()})")
        else:
            line(indent, f"for i, ({self.name()}, {self.name()}) in enumerate([(1, 2), (3, {e()})]):")
            body(True)

    def try_statement(self, indent, depth, in_loop, in_finally):
        line = self.line
        deeper = lambda final=in_finally: self.block(indent + 1, depth + 1, in_loop, final)
        line(indent, "try:")
        deeper()
        handled = self.random.random() < 0.8
        if handled:
            error = self.pick("ValueError", "KeyError", "(ValueError, TypeError)", "NameError", "Exception")
            line(indent, f"except {error}{self.pick('', ' as ' + self.name())}:")
            if error == "Exception":
                self.line(indent + 1, "S()")
            deeper()
            if self.random.random() < 0.2:
                line(indent + 1, "raise")
            if self.random.random() < 0.3:
                line(indent, "else:")
                deeper()
        if not handled or self.random.random() < 0.4:
            line(indent, "finally:")
            if self.random.random() < 0.85:
                self.calls += 1
                line(indent + 1, f"T({self.calls}, 0)")
            else:
                deeper(True)

    def function(self, indent, depth):
        self.functions += 1
        name = f"g{self.functions}"
        parameter = self.name()
        self.line(indent, f"def {name}({parameter}{self.pick('', '=' + self.expression())}):")
        outer = [n for n in NAMES if n != parameter]
        if self.random.random() < 0.4:
            self.line(indent + 1, f"nonlocal {self.random.choice(outer)}")
        kind, self.kind = self.kind, "plain"
        self.block(indent + 1, depth + 2, False)
        self.kind = kind
        self.line(indent, self.pick(f"{self.name()} = {name}({self.expression()})", f"K({name})", f"{name}(1)"))

    def source(self):
        for n in NAMES:
            if self.random.random() < 0.85:
                self.line(2, f"{n} = {self.random.randint(0, 3)}")
        for _ in range(self.random.randint(2, 6)):
            self.statement(2, 0, False, False)
        if self.kind == "generator":
            self.line(2, "yield 0")
        return (
            "def make(log, T, R, K, S, M, o):\n    def f(a=0):\n        if 0: b = c = d = 0\n"
            + "\n".join(self.lines) + "\n    return f\n"
        )


def outcome(make, convert):
    """What running a program gives: the value or exception, the line it came from, and everything it did."""
    log = []
    closures = []
    steps = [0]

    def T(n, value=None, k=None):
        steps[0] += 1
        if steps[0] > 300:
            raise Stop
        log.append((n, repr(value), k))
        return value

    def R(n):
        steps[0] += 1
        if steps[0] > 300:
            raise Stop
        return range(min(n, 3)) if isinstance(n, int) else n

    def K(closure):
        closures.append(closure)
        return len(closures)

    def S():
        if steps[0] > 300:
            raise Stop

    for function in (T, R, K, S):
        autograph.do_not_convert(function)
    f = make(log, T, R, K, S, Manager, Item())
    if convert:
        f = autograph.convert(f)
    result = attempt(lambda: run(f, log), make)
    for closure in closures[:20]:
        log.append(attempt(lambda: closure() if closure.__name__ == "<lambda>" else closure(2), make))
    return result, show(log)


def run(f, log):
    value = f(1)
    if hasattr(value, "__next__"):
        for item in value:
            log.append(("yield", show(item)))
            if len(log) > 400:
                break
        return "generated"
    return value


def show(value):
    """A text for a value that does not depend on where it lies in memory."""
    text = repr(value)
    return text.split(" at 0x")[0]


def attempt(call, make):
    try:
        return show(call())
    except Stop:
        return "stopped"
    except RecursionError:
        return "recursion"
    except Exception as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == make.__code__.co_filename]
        context = type(error.__context__).__name__ if error.__context__ is not None else None
        return type(error).__name__, show(str(error)), lines[-1:], context


def program(seed):
    """The text of a program."""
    return Generator(seed).source()


def compare(seed):
    """None, or how the converted program of `seed` differs."""
    text = program(seed)
    filename = f"<generated {seed}>"
    try:
        code = compile(text, filename, "exec")
    except SyntaxError:
        return None
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"__name__": "generated"}
    exec(code, namespace)
    expected = outcome(namespace["make"], False)
    before = registry.always_staging(True)
    try:
        for staging in (True, False):
            registry.always_staging(staging)
            found = outcome(namespace["make"], True)
            if found != expected and "recursion" not in repr(expected) and "recursion" not in repr(found):
                body = "converted" if staging else "plain"
                return f"{text}\n--- expected\n{expected}\n--- found in the {body} body\n{found}"
    finally:
        registry.always_staging(before)
        del linecache.cache[filename]
    return None


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("error", autograph.ConversionWarning)
    first, last = int(sys.argv[1]), int(sys.argv[2])
    failed = 0
    valid = 0
    for number in range(first, last):
        try:
            difference = compare(number)
        except Exception as problem:
            difference = f"{program(number)}\n--- {type(problem).__name__}: {problem}"
        if difference:
            failed += 1
            print(f"##### {number}\n{difference}\n", flush=True)
    print(last - first, "programs,", failed, "differ")
