"""`python -m autograph dump`.

Covers: autograph/cli/console.py, autograph/cli/formats.py, autograph/cli/targets.py.
"""

import ast
import os
import subprocess
import sys

import pytest

from autograph.__main__ import converter_names, main, module_text
from tests import ROOT, fresh_process, whole

PATH = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))

DEMO = '''\
"""Doc of the demo."""
from __future__ import annotations
import math

LIMIT: int = 10


def clamp(x: Later, low=0):
    """Doc of clamp."""
    if x > LIMIT:
        return LIMIT
    return max(x, low)


class Box:
    size = 3

    def __init__(self, width):
        self.width = width

    def area(self):
        total = 0
        for _ in range(self.width):
            total += self.size
        return total

    @staticmethod
    def unit():
        return Box(1)

    class Inner:
        def f(self):
            while True:
                break
            return 'inner'


def generator(n):
    for i in range(n):
        if i % 2:
            yield i


if __name__ == "__main__":
    print(clamp(50), Box(4).area(), list(generator(6)), __doc__)
'''


@pytest.fixture
def demo(tmp_path):
    path = tmp_path / "demo.py"
    path.write_text(DEMO)
    return path


def run(*arguments, stdin=None, env=None, cwd=None):
    environment = {**os.environ, "PYTHONPATH": PATH, **(env or {})}
    return fresh_process.run(
        "autograph.cli.formats", "-m", "autograph", *arguments, stdin=stdin, cwd=cwd, env=environment
    )


def dump(capsys, *arguments):
    assert main(["dump", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_module_runs_by_itself(demo, tmp_path):
    target = tmp_path / "converted.py"
    assert run("dump", demo, "-o", target).returncode == 0
    outputs = [
        subprocess.run(
            [sys.executable, str(path)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": PATH}
        )
        for path in (demo, target)
    ]
    assert outputs[1].stdout == outputs[0].stdout == "10 12 [1, 3, 5] Doc of the demo.\n"
    assert outputs[1].stderr == ""


def test_the_docstring_and_the_import_of_the_operators_come_first(demo, capsys):
    lines = [line for line in dump(capsys, demo).splitlines() if line]
    assert lines[0] == '"""Doc of the demo."""'
    assert lines[1] == "from __future__ import annotations; import autograph.generated as ag__"


LAID_OUT = '''\
"""Doc.

    More, with "quotes" and \\\\ marks.
"""
from __future__ import annotations

import os
import sys
X = 1
# a comment

# and another


def f(x):
    return x

@staticmethod
def g(x):
    return x



class A:
    y = 2
if X: Z = 3

W = 4; V = 5
'''


def test_the_layout_of_a_module_is_kept(tmp_path, capsys):
    path = tmp_path / "laid_out.py"
    path.write_text(LAID_OUT)
    text = dump(capsys, path)
    starts = ("import", "from", "X", "def", "@", "class", "if", "W", "V")
    lines = [line for line in text.splitlines() if line != "@ag__.autograph_artifact"]
    shown = [line for line in lines if not line or line.startswith(starts)]
    assert shown[1:] == [
        "from __future__ import annotations; import autograph.generated as ag__", "", "import os", "import sys", "X = 1",
        "", "", "def f(x):", "", "@staticmethod", "def g(x):", "", "", "", "class A:", "if X:", "", "W = 4", "V = 5",
    ]  # fmt: skip
    assert ast.get_docstring(ast.parse(text), clean=False) == ast.get_docstring(ast.parse(LAID_OUT), clean=False)


def test_every_function_is_converted_once(demo, capsys):
    text = dump(capsys, demo)
    tree = ast.parse(text)
    names = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for name in ("clamp", "area", "unit", "f", "generator", "__init__"):
        assert names.count(name) == 1, name
    assert text.count("ag__.FunctionScope(") == 6
    assert '"""Doc of clamp."""' in text


def test_one_function(demo, capsys):
    text = dump(capsys, f"{demo}:clamp")
    namespace = {"LIMIT": 10}
    exec(text, namespace)
    assert [namespace["clamp"](v) for v in (50, 5, -5)] == [10, 5, 0]
    assert "Box" not in text


def test_one_method(demo, capsys):
    text = dump(capsys, f"{demo}:Box.area")
    ast.parse(text)
    assert "def area(self" in text
    assert "def unit" not in text


def test_nested_class_and_module_target(demo, capsys, monkeypatch):
    monkeypatch.chdir(demo.parent)
    assert "'inner'" in dump(capsys, "demo:Box.Inner.f")
    assert dump(capsys, "demo") == dump(capsys, "demo.py")


LINES = """\
class Line(str):
    def __new__(cls, text):
        return super().__new__(cls, text.upper())


def join(texts):
    found = []
    for line in map(Line, texts):
        found.append(line)
    return found
"""


def test_functions_that_an_iterator_calls_are_whole_functions(tmp_path, capsys):
    (tmp_path / "lines.py").write_text(LINES)
    namespace = {"__name__": "lines"}
    exec(dump(capsys, tmp_path / "lines.py"), namespace)
    assert namespace["join"](["a", "b"]) == ["A", "B"]


def test_package_is_not_imported(tmp_path, capsys, monkeypatch):
    package = tmp_path / "trap"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    (package / "part.py").write_text("def f(x):\n    return x\nraise SystemExit('imported')\n")
    monkeypatch.chdir(tmp_path)
    assert "def f(x)" in dump(capsys, "trap.part:f")
    assert "trap" not in sys.modules


def test_standard_input():
    done = run("dump", "-", stdin="def f(x):\n    if x:\n        return 1\n")
    assert done.returncode == 0
    assert "ag__.if_stmt" in done.stdout
    done = run("dump", "-:g", stdin="def f(x):\n    return x\ndef g():\n    pass\n")
    assert "def g" in done.stdout and "def f" not in done.stdout


def test_after(demo, capsys):
    first, *_, last = dict.fromkeys(converter_names())
    text = dump(capsys, f"{demo}:Box.Inner.f", "--after", "break_statements")
    assert "break_" in text and "ag__.while_stmt" not in text
    assert dump(capsys, f"{demo}:clamp", "--after", last) == dump(capsys, f"{demo}:clamp")


def test_formats(demo, capsys):
    tree = dump(capsys, f"{demo}:clamp", "--format", "ast")
    assert tree.startswith("Module(") and "FunctionDef(" in tree
    difference = dump(capsys, f"{demo}:clamp", "--format", "diff")
    assert difference.splitlines()[0] == f"--- {demo}"
    assert any(line.startswith("-    if x > LIMIT:") for line in difference.splitlines())
    assert "\033[" not in difference


def test_features(demo, capsys):
    assert "ag__.Feature.LISTS" in dump(capsys, f"{demo}:clamp", "--feature", "LISTS")
    assert "recursive=False" in dump(capsys, f"{demo}:clamp", "--no-recursive")


BROKEN = "def f(:\n    pass\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothing.py"], "cannot read nothing.py: No such file or directory"),
        (["broken.py"], "broken.py:1: syntax error: "),
        (["demo.py:clmp"], "no function 'clmp' in demo.py; did you mean 'clamp'?"),
        (["demo.py", "--after", "nonsense"], "no converter named 'nonsense'; expected one of "),
        (["no_such_module_at_all"], "no module named 'no_such_module_at_all' on sys.path"),
        (["sys"], "module 'sys' is built in and has no Python source"),
        (["what is this"], "'what is this' is neither a file nor the name of a module"),
        (["latin.py"], "latin.py:1: syntax error: invalid or missing encoding declaration"),
        (["demo.py", "--format", "xml"], "argument --format: invalid choice: 'xml'"),
        (["demo.py", "-o", "missing/out.py"], "cannot write missing/out.py: No such file or directory"),
        (["."], "neither a file nor"),
        (["nul.py"], "nul.py"),
        ([], "the following arguments are required: TARGET"),
    ],
)
def test_mistakes_are_one_line_and_status_2(arguments, message, demo, monkeypatch, capsys):
    monkeypatch.chdir(demo.parent)
    (demo.parent / "broken.py").write_text(BROKEN)
    (demo.parent / "latin.py").write_bytes(b"x = '\xff'\n")
    (demo.parent / "nul.py").write_bytes(b"x = 1\0\n")
    with pytest.raises(SystemExit) as caught:
        main(["dump", *arguments])
    captured = capsys.readouterr()
    assert caught.value.code == 2
    assert captured.out == ""
    assert captured.err.startswith("autograph: error: ") and message in captured.err
    assert captured.err.count("\n") == 1


def test_help_teaches_with_examples():
    done = run("dump", "--help")
    assert done.returncode == 0
    assert "autograph dump demo.py:Model.call" in done.stdout


def test_no_colour_without_a_terminal(demo):
    assert "\033" not in run("dump", demo, "--format", "diff").stdout
    assert "\033" not in run("dump", "nothing.py").stderr


def test_closed_pipe_is_no_error(demo):
    done = subprocess.run(
        f'"{sys.executable}" -m autograph dump difflib | head -1',
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": PATH},
    )
    assert done.stderr == ""


def test_module_text_of_a_plain_module():
    assert module_text(ast.parse("x = 1")) == "import autograph.generated as ag__\nx = 1\n"
    assert module_text(ast.parse("")) == "import autograph.generated as ag__\n"


SAME_BYTES = """
import autograph, sys
from autograph.__main__ import main
import textwrap
def f(a, b, c, d):
    while a:
        if b:
            c, d, e = 1, 2, 3
            x = y = z = c
        elif c:
            return d
        else:
            q, r, s = a, b, c
    return a, b, c, d
sys.stdout.write(autograph.to_code(textwrap.TextWrapper._wrap_chunks))
sys.stdout.write(autograph.to_code(textwrap.dedent))
main(["dump", "textwrap"])
"""


def test_output_does_not_depend_on_the_hash_seed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SAME_BYTES)
    outputs = {
        subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": PATH, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in whole.some(range(6), 2)
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 5000
