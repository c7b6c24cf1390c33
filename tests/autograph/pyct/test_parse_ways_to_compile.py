"""One text, compiled in every way there is: its functions are found, whatever the unit was that they were compiled in.

Covers: autograph/pyct/codes.py, autograph/pyct/same_code.py, autograph/pyct/texts.py, autograph/pyct/trees.py,
  autograph/pyct/unparse.py.
"""

import __future__

import ast
import code
import contextlib
import doctest
import gc
import importlib.util
import io
import linecache
import os
import py_compile
import runpy
import subprocess
import sys
import textwrap
import types
import warnings
import zipfile

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

import autograph
from autograph.errors import SourceChangedError
from autograph.pyct import texts
from autograph.pyct.codes import codes_in
from autograph.pyct.parse import find_source

TEXT = '''
import json, re, functools
from os import path as join
kind = super

def plain(x, re_=re):
    """A docstring."""
    assert x, "no x"
    if re.match("a", "ab") and join.join("a", "b"):
        return json.dumps([x], indent=functools.reduce(max, [1, 2]))
    return __debug__

def shadowing(json, *re, functools=None, **join):
    for re in re:
        json.update(re.items())
    return lambda path: json.get(path) or join.get(path)

def outer(x):
    import textwrap
    def inner(y: "int" = 1, *, z=None):
        try:
            textwrap.dedent("a").strip()
        except (ValueError, re.error) as error:
            raise json.JSONDecodeError("m", "d", 0) from error
        else:
            return [v.upper() for v in x if v.isalpha()]
        finally:
            x.append(1)
    return inner

class Base:
    def __init__(self, x):
        self.x = self.__hidden(x)

    def __hidden(self, x):
        return re.sub("a", "b", x)

class Derived(Base):
    attribute = [lambda self: self.x.upper(), lambda self: self.x.lower()]

    def __init__(self, x):
        super().__init__(x)
        self.inner = lambda: super().__init__

    def method(self):
        class Local:
            value = json.dumps({})
            def get(self):
                return super().__hash__() + re.__name__.__len__()
        return super(Derived, self).__init__, kind, Local

    @staticmethod
    async def waits(x):
        async with x.opened() as y:
            return [await v.done() async for v in y.items()]

    @property
    def generated(self):
        yield from (re.escape(v) for v in self.x.split())
        yield f"{json.dumps(self.x)!r:>{self.x.count('a')}}"

pair = (lambda x: re.match("a", x), lambda x: json.loads(x))
'''
COUNT = 17  # functions and lambdas


def functions_in(module):
    """A function for each code in a compiled module that is one's text."""
    for found in codes_in(module):
        if found.co_flags & 1 and (found.co_name == "<lambda>" or not found.co_name.startswith("<")):
            if found.co_name != "__annotate__" and found.co_varnames[:2] != ("_it", "_timer"):
                closure = tuple(types.CellType() for _ in found.co_freevars)
                yield types.FunctionType(found, {"__name__": "made"}, closure=closure)


def unit(**options):
    return lambda text, name: [compile(text, name, "exec", dont_inherit=True, **options)]


def statements(mode, wrap):
    def compiled(text, name):
        return [compile(wrap([node]), name, mode, dont_inherit=True) for node in ast.parse(text).body]

    return compiled


def in_a_function(text, name):
    body = [node for node in ast.parse(text).body if not isinstance(node, ast.ImportFrom)]
    module = ast.parse("def inner(_it, _timer):\n    for _ in _it:\n        pass")
    module.body[0].body[0].body = body
    return [compile(module, name, "exec", dont_inherit=True)]


def from_a_file_of_code(level):
    def compiled(text, name, path):
        source = path / "compiled.py"
        source.write_text(text)
        target = py_compile.compile(str(source), str(path / "compiled.pyc"), name, optimize=level, doraise=True)
        loader = importlib.machinery.SourcelessFileLoader("compiled", target)
        return [loader.get_code("compiled")]

    return compiled


def with_assertions_rewritten(text, name):
    tree = ast.parse(text)
    rewrite_asserts(tree, text.encode())
    return [compile(tree, name, "exec", dont_inherit=True)]


def with_postponed_annotations(text, name):
    return unit(flags=__future__.annotations.compiler_flag)(text, name)


WAYS = {
    "module": unit(),
    "without imports": statements("exec", lambda body: ast.Module(body, [])),
    "interactive": statements("single", ast.Interactive),
    "in a function": in_a_function,
    "-O": unit(optimize=1),
    "-OO": unit(optimize=2),
    "session with a future": with_postponed_annotations,
    "session that awaits": unit(flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT),
    "session with both": unit(flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | __future__.annotations.compiler_flag),
    "assertions rewritten": with_assertions_rewritten,
    "pyc": from_a_file_of_code(0),
    "pyc of -OO": from_a_file_of_code(2),
}


@pytest.mark.parametrize("way", WAYS)
def test_functions_are_found_however_they_were_compiled(way, tmp_path, monkeypatch):
    name = f"<{way}>"
    monkeypatch.setitem(linecache.cache, name, (len(TEXT), None, TEXT.splitlines(True), name))
    compiled = WAYS[way]
    given = (TEXT, name, tmp_path) if compiled.__code__.co_argcount == 3 else (TEXT, name)
    found = [f for module in compiled(*given) for f in functions_in(module)]
    if way == "assertions rewritten":
        for f in found:
            f.__globals__["@pytest_ar"] = None
    assert len(found) == COUNT
    assert all(find_source(f).is_all for f in found)


@pytest.mark.parametrize("way", WAYS)
def test_other_functions_are_refused_however_they_were_compiled(way, tmp_path, monkeypatch):
    name = f"<other {way}>"
    other = TEXT
    for old, new in (
        ('"ab"', '"cd"'), ("json.get", "json.pop"), ("isalpha()", "isalpha(1)"), ("__hidden(x)\n\n", "__hidden(1)\n\n"),
        ('sub("a"', 'sub("z"'), ("x.upper", "x.title"), ("x.lower", "x.title"), ("super().__init__(x)\n", "super().__init__(2)\n"),
        ("lambda: super().__init__", "lambda: super().other"), ("__hash__()", "__hash__(3)"), ("v.done", "v.ready"),
        ("escape(v)", "escape(v, v)"), ('match("a", x)', 'match(x, "a")'), ("loads(x)", "loads(-x)"), ('"a", "b"', '"a", "c"'),
    ):  # fmt: skip
        assert old in other
        other = other.replace(old, new)
    monkeypatch.setitem(linecache.cache, name, (len(other), None, other.splitlines(True), name))
    compiled = WAYS[way]
    given = (TEXT, name, tmp_path) if compiled.__code__.co_argcount == 3 else (TEXT, name)
    accepted = []
    for module in compiled(*given):
        for f in functions_in(module):
            with contextlib.suppress(SourceChangedError):
                find_source(f)
                accepted.append(f.__qualname__.rpartition("<locals>.")[2])
    assert accepted == []


ASSERTS = """\
def f(x):
    \"\"\"Says.\"\"\"
    assert x > 1, "not so"
    if x > 5:
        assert False
    g = lambda v: (v, __debug__)
    return g(x)
"""


@pytest.mark.parametrize("level", [0, 1, 2])
def test_assertions_that_were_not_compiled_are_not_made_again(level, monkeypatch):
    name = f"<level {level}>"
    monkeypatch.setitem(linecache.cache, name, (len(ASSERTS), None, ASSERTS.splitlines(True), name))
    names = {"__name__": "made"}
    exec(compile(ASSERTS, name, "exec", optimize=level), names)
    converted = autograph.to_graph(names["f"])
    assert ("assert" in autograph.to_code(names["f"])) == (level == 0)
    assert converted.__doc__ == names["f"].__doc__
    for function in (names["f"], converted):
        assert function(3) == (3, level == 0)
        for x in (0, 6):
            if level:
                assert function(x) == (x, False)
            else:
                with pytest.raises(AssertionError):
                    function(x)


# What differs only in what no instruction shows


CHANGES = [
    ("def f(a, b): return a", "def f(a, *b): return a"),
    ("def f(a, b): return a", "def f(a, *, b): return a"),
    ("def f(a, b): return a", "def f(a, /, b): return a"),
    ("def f(a, **b): return a", "def f(a, *b): return a"),
    ("def f(x): return x", "async def f(x): return x"),
    ("def f(x): return x", "def f(x): x"),
    ("def f(x): return x + 1", "def f(x): return x - 1"),
    ("def f(x): return x.y", "def f(x): return x.z"),
    ("def f(x): return x.y()", "def f(x): return x.y"),
    ("def f(x): return 1", "def f(x): return True"),
    ("def f(x): return 0.0", "def f(x): return -0.0"),
    ("def f(x): return (1, 2)", "def f(x): return [1, 2]"),
    ("def f(x): return x is None", "def f(x): return x is not None"),
    ("def f(x):\n    if x: g()\n    return 1", "def f(x):\n    if not x: g()\n    return 1"),
    ("def f(x):\n    while x: g()", "def f(x):\n    if x: g()"),
    ("def f(x):\n try:\n  a()\n  b()\n except E: c()", "def f(x):\n try:\n  a()\n except E: c()\n else:\n  b()"),
    ("def f(x):\n try: a()\n except E: c()", "def f(x):\n try: a()\n except F: c()"),
    ("def f(x):\n with a: b()\n c()", "def f(x):\n with a:\n  b()\n  c()"),
    ("def f(x):\n  def g(y=1): pass\n  return g", "def f(x):\n  def g(y=2): pass\n  return g"),
    ("def f(x):\n  def g(*y): pass\n  return g", "def f(x):\n  def g(y): pass\n  return g"),
    ("def f(x):\n  class A:\n    b = 1\n  return A", "def f(x):\n  class A:\n    b = 2\n  return A"),
    ("def f(x):\n  global y\n  y = x", "def f(x):\n  y = x"),
    ("def f(x): return lambda: x", "def f(x): return lambda: f"),
    ("def f(x): return [y for y in x if y]", "def f(x): return [y for y in x]"),
    ("def f(x): return {y: 1 for y in x}", "def f(x): return {1: y for y in x}"),
    ("def f(x): x[0] = 1", "def f(x): x[1] = 0"),
    ("def f(x): del x[0]", "def f(x): x[0]"),
    ("def f(x): return g(x, y=1)", "def f(x): return g(x, z=1)"),
    ("def f(x): return g(*x)", "def f(x): return g(x)"),
    ("def f(x): return f'{x!r}'", "def f(x): return f'{x!s}'"),
    ("def f(x): return x < 1 < 2", "def f(x): return x < 1 <= 2"),
    ("def f(x): return x and y", "def f(x): return x or y"),
    ("def f(x): yield x", "def f(x): yield from x"),
]


@pytest.mark.parametrize(("before", "after"), [pair for a, b in CHANGES for pair in ((a, b), (b, a))])
def test_each_change_of_meaning_is_noticed(before, after, tmp_path):
    path = tmp_path / "changing.py"
    (f, *_) = functions_in(compile(before, str(path), "exec"))
    path.write_text(before)
    assert find_source(f).is_all
    path.write_text(after)
    with contextlib.suppress(SourceChangedError):
        assert not find_source(f).is_all, "taken for the same"


# What rewrites functions


class Checked(ast.NodeTransformer):
    """Checks arguments and results, as type checkers do that work on trees."""

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.body.insert(0, ast.parse(f"checked({node.name!r}, locals())").body[0])
        return node

    def visit_Return(self, node):
        return ast.Return(ast.Call(ast.Name("checked", ast.Load()), [ast.Constant("return"), node.value], []))


def test_code_that_does_more_than_its_text_is_converted_with_a_warning(monkeypatch):
    text = "def f(x):\n    for v in x:\n        if v > 0:\n            return v\n    return len([y for y in x])\n"
    name = "<instrumented>"
    monkeypatch.setitem(linecache.cache, name, (1, None, text.splitlines(True), name))
    namespace = {"checked": lambda name, value: value}
    exec(compile(ast.fix_missing_locations(Checked().visit(ast.parse(text))), name, "exec"), namespace)
    f = namespace["f"]
    assert not find_source(f).is_all
    with pytest.warns(
        autograph.errors.InstrumentedCodeWarning, match="AG506 <instrumented>:1: 'f' is converted from its text"
    ):
        assert autograph.convert(f)([-1, 5]) == 5
    with pytest.raises(SourceChangedError, match="does more"), autograph.strictness("strict"):
        autograph.to_code(f)


def test_a_file_that_says_less_than_before_has_changed(tmp_path):
    path = tmp_path / "shorter.py"
    path.write_text("def f(x):\n    print(x)\n    return x\n")
    namespace = runpy.run_path(str(path))
    path.write_text("def f(x):\n    return x\n")
    with pytest.warns(autograph.errors.SourceChangedWarning, match="does more than the text"):
        autograph.convert(namespace["f"])


def test_padding_of_a_profiler_is_nothing():
    def f(x):
        return x + 1

    import opcode

    f.__code__ = f.__code__.replace(co_code=f.__code__.co_code + bytes([opcode.opmap["NOP"], 0]) * 3)
    assert find_source(f).is_all


# What is elsewhere in its file


def test_functions_that_have_moved_are_found(tmp_path):
    path = tmp_path / "moving.py"
    path.write_text(TEXT)
    found = list(functions_in(compile(TEXT, str(path), "exec")))
    for moved in (
        "# one\n\n# more\n" + TEXT,
        TEXT.lstrip("\n"),
        TEXT.replace("kind = super", "kind = super\nother = 1"),
    ):
        path.write_text(moved)
        for f in found:
            source = find_source(f)
            assert source.is_all and f.__code__.co_firstlineno in (
                source.node.lineno,
                *(d.lineno for d in getattr(source.node, "decorator_list", ())),
            )
    path.write_text("def broken(:\n" + TEXT)
    for f in found:
        with pytest.raises(SourceChangedError):
            find_source(f)


def test_functions_compiled_alone_and_written_anew_are_found(tmp_path):
    """As `%autoreload` does it: the code says it is at the first lines of the file."""
    text = "import re\n\n\ndef f(x):\n    return [re.sub('a', \"b\", v)\n            for v in x]  # all\n\n\nclass A:\n    def m(self): return  (1,\n 2)\n"
    path = tmp_path / "reloaded.py"
    path.write_text(text)
    tree = ast.parse(text)
    function, method = tree.body[1], tree.body[2].body[0]
    anew = ast.unparse(function), "class __autoreload_class__:\n" + textwrap.indent(ast.unparse(method), "    ")
    for given in anew:
        (f,) = functions_in(compile(ast.parse(given), str(path), "exec"))
        assert find_source(f).is_all
        assert ("converted_call" if f.__name__ == "f" else "(1, 2)") in autograph.to_code(f)


# Text that no name leads to

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1\n"
SHOWN = "import autograph\n" + SIGN + "print(autograph.to_code(sign).count('if_stmt'), autograph.convert(sign)(-3))\n"


def test_text_of_who_calls_exec():
    namespace = {}

    def executed(given):
        exec(given, namespace)

    executed(SIGN + "import autograph\ntext = autograph.to_code(sign)\n")
    assert "if_stmt" in namespace["text"]
    assert "if_stmt" in autograph.to_code(namespace["sign"])  # as it was found once


def test_text_that_is_still_held():
    text = SIGN
    namespace = {}
    exec(text, namespace)
    other = "def sign(x):\n    return x\n"
    assert "if_stmt" in autograph.to_code(namespace["sign"])


def test_text_is_remembered_as_long_as_the_code_lives():
    def make():
        text = SIGN + "def caller(x): return sign(x)\n"
        sign, caller = functions_in(compile(text, "<string>", "exec"))
        autograph.backends.remember_source(caller)
        return [sign, caller]

    found = make()
    assert ["if_stmt" in autograph.to_code(f) for f in found] == [True, False]
    assert autograph.backends.source_text(found[1]) == SIGN + "def caller(x): return sign(x)\n"
    assert any("def caller" in text for *_, text in texts._remembered.values())
    found.clear()
    gc.collect()
    assert not any("def caller" in text for *_, text in texts._remembered.values())


def test_text_that_nobody_holds():
    namespace = {}
    exec("def sign(x):\n    return " + str(1), namespace)
    with pytest.raises(autograph.errors.SourceNotFoundError, match="no source text"):
        autograph.to_code(namespace["sign"])


def test_doctest():
    text = textwrap.dedent(
        """
        >>> import re, autograph
        >>> def f(x):
        ...     if re.match("a", x):
        ...         return 1
        ...     return 2
        >>> autograph.convert(f)("a"), autograph.to_code(f).count("if_stmt")
        (1, 1)
        """
    )
    test = doctest.DocTestParser().get_doctest(text, {}, "typed", "typed.py", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert doctest.DocTestRunner().run(test).failed == 0


def test_interactive_console():
    said = io.StringIO()
    console = code.InteractiveConsole()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        for line in (
            "import re, autograph",
            "@autograph.convert()",
            *SIGN.splitlines(),
            "",
            "print(sign(3), 'ag_original' in vars(sign))",
        ):
            console.push(line)
    assert said.getvalue() == "1 True\n"


def test_modules_in_archives(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("archived.py", "import re\n" + SIGN)
    monkeypatch.syspath_prepend(str(tmp_path / "archive.zip"))
    import archived

    assert "if_stmt" in autograph.to_code(archived.sign)


FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(autograph.__file__)))


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", SHOWN],
        ["-O", "-c", SHOWN],
        ["-OO", "-c", SHOWN],
        ["-X", "no_debug_ranges", "-c", SHOWN],
        ["FILE"],
        ["-i", "FILE"],
        ["-"],
        [],
        ["-m", "trace", "--count", "--missing", "-C", "FOLDER", "FILE"],
        ["-m", "cProfile", "-o", "FOLDER/out", "FILE"],
        ["-m", "coverage", "run", "--branch", "--data-file", "FOLDER/data", "FILE"],
        ["-m", "runpy", "FILE"],
        ["-m", "pdb", "-c", "continue", "-c", "quit", "FILE"],
    ],
    ids=lambda arguments: " ".join(a for a in arguments if a != SHOWN) or "standard input",
)
def test_programs(arguments, tmp_path):
    (tmp_path / "program.py").write_text(SHOWN)
    given = [a.replace("FILE", str(tmp_path / "program.py")).replace("FOLDER", str(tmp_path)) for a in arguments]
    if given[:2] == ["-m", "runpy"]:
        (tmp_path / "program").mkdir()
        (tmp_path / "program" / "__main__.py").write_text(SHOWN)
        given = [str(tmp_path / "program")]
    environment = {**os.environ, "PYTHONPATH": FOLDER, "PYTHONWARNINGS": "error::autograph.errors.ConversionWarning"}
    environment.pop("PYTHONWARNINGS")
    reads = not arguments or arguments == ["-"]
    with open(tmp_path / "program.py") if reads else open(os.devnull) as given_in:
        done = subprocess.run(
            [sys.executable, *given],
            stdin=given_in,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
    assert "1 -1" in done.stdout.splitlines(), done.stderr
    assert "Warning" not in done.stderr


def test_a_program_from_a_pipe_is_told_what_to_do():
    environment = {**os.environ, "PYTHONPATH": FOLDER}
    done = subprocess.run(
        [sys.executable, "-"], input=SHOWN, capture_output=True, text=True, env=environment, check=False
    )
    assert "AG102 <stdin>:2" in done.stderr and "python file.py" in done.stderr
