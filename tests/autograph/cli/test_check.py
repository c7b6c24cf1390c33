"""`autograph check` on the command line."""

import json
import os
import subprocess
import sys

import pytest

from autograph import errors
from tests import ROOT, fresh_process

PATH = str(ROOT)
FINE = "def f(x):\n    if x > 0:\n        x = 1\n    return x\n"
FAULTY = "def f(xs):\n    return [x for x in xs if x > 0]\n"
LINE = (
    "2:30: AG414 the condition `x > 0` of a comprehension is tested by Python (write a loop, or turn on Feature.LISTS)"
)


BACKEND = ("--backend", "any")


def run(*arguments, stdin="", cwd=None, **env):
    given = ("-m", "autograph", "check", *BACKEND, *arguments)
    environment = {**os.environ, "PYTHONPATH": PATH, "PYTHONIOENCODING": "utf-8", **env}
    return fresh_process.run("autograph.cli.formats", *given, stdin=stdin, cwd=cwd, env=environment)


@pytest.fixture
def tree(tmp_path):
    """A package with a good and a bad module, a module that cannot be parsed, and things to pass over."""
    package = tmp_path / "pkg"
    (package / "sub").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('this package must not be imported')\n")
    (package / "fine.py").write_text(FINE)
    (package / "sub" / "__init__.py").write_text("")
    (package / "sub" / "faulty.py").write_text(FAULTY)
    (package / ".hidden").mkdir()
    (package / ".hidden" / "bad.py").write_text(FAULTY)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "bad.py").write_text(FAULTY)
    (package / "notes.txt").write_text("not Python")
    return tmp_path


def test_no_findings(tree):
    done = run("pkg/fine.py", cwd=tree)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "checked 1 function in 1 file: 1 construct can be staged, 0 findings\n"


def test_findings_of_a_file(tree):
    done = run("pkg/sub/faulty.py", cwd=tree)
    assert (done.returncode, done.stdout) == (1, f"pkg/sub/faulty.py:{LINE}\n")


@pytest.mark.parametrize("target", ["pkg", "./pkg", ".", "pkg/sub", "pkg.sub", "pkg.sub.faulty", "pkg.sub.faulty:f"])
def test_folders_packages_and_modules(tree, target):
    done = run(target, cwd=tree)
    place = {"./pkg": "./pkg/sub/faulty.py", ".": "./pkg/sub/faulty.py"}.get(target, "pkg/sub/faulty.py")
    assert (done.returncode, done.stdout) == (1, f"{place}:{LINE}\n")


def test_a_package_elsewhere_on_the_path(tree, tmp_path_factory):
    done = run("pkg", cwd=tmp_path_factory.mktemp("away"), PYTHONPATH=os.pathsep.join([PATH, str(tree)]))
    assert (done.returncode, done.stdout) == (1, f"{tree}/pkg/sub/faulty.py:{LINE}\n")


def test_standard_input():
    assert run("-", stdin=FAULTY).stdout == f"<stdin>:{LINE}\n"
    assert run("-:f", stdin=FAULTY).returncode == 1
    assert run("-:f", stdin="def f(x): return x\n" + FAULTY.replace("def f", "def g")).returncode == 0


def test_several_targets_each_checked_once(tree):
    done = run("pkg/sub/faulty.py", "pkg/fine.py", "pkg/sub/faulty.py", cwd=tree)
    assert done.stdout.count("AG414") == 1 and "in 2 files" in done.stderr


def test_functions_are_listed_on_request(tree):
    done = run("pkg/fine.py", "--functions", cwd=tree)
    assert done.stdout == "pkg/fine.py:1: f: converted\npkg/fine.py:2:5: staged: if\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.py"], "nothing.py"),
        (["no_such_module"], "no_such_module"),
        (["json:nothing_there"], "nothing_there"),
        (["sys"], "built in"),
        ([], "TARGET"),
        (["json", "--format", "xml"], "xml"),
        (["json", "--select", "AG9"], "AG9"),
        (["json", "--feature", "SPEED"], "SPEED"),
        (["1/2"], "1/2"),
    ],
)  # fmt: skip
def test_usage_errors_take_one_line_and_status_2(arguments, words):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and words in done.stderr


def test_an_empty_folder_is_a_usage_error(tmp_path):
    assert run(tmp_path).returncode == 2


def test_a_file_that_python_refuses_is_a_finding(tree):
    (tree / "pkg" / "broken.py").write_text("def f(:\n")
    (tree / "pkg" / "odd.py").write_bytes(b"# coding: no-such-codec\nx = 1\n")
    done = run("pkg", cwd=tree)
    assert done.returncode == 1
    assert "pkg/broken.py:1:7: AG401" in done.stdout and "pkg/odd.py:1:1: AG401" in done.stdout


def test_select_and_ignore(tree):
    assert run("pkg", "--select", "AG41", cwd=tree).returncode == 1
    assert run("pkg", "--select", "AG42,AG401", cwd=tree).returncode == 0
    assert run("pkg", "--ignore", "ag414", cwd=tree).returncode == 0


def test_features(tree):
    (tree / "a.py").write_text("def f(x):\n    assert x > 0\n")
    assert run("a.py", cwd=tree).returncode == 1
    assert run("a.py", "--feature", "ASSERT_STATEMENTS", cwd=tree).returncode == 0


def test_json(tree):
    done = run("pkg", "--format", "json", cwd=tree)
    document = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert document["version"] == 1
    assert document["summary"] == {"files": 4, "functions": 2, "staged": 1, "findings": 1}
    files = {f["file"]: f for f in document["files"]}
    assert files["pkg/fine.py"]["functions"] == [{
        "name": "f", "line": 1, "decision": "converted", "python": [],
        "staged": [{"what": "if", "line": 2, "column": 5, "meaning": "staged"}],
    }]  # fmt: skip
    assert [f["code"] for f in files["pkg/sub/faulty.py"]["findings"]] == ["AG414"]


def test_sarif(tree):
    (tree / "with space.py").write_text(FAULTY)
    done = run("with space.py", "--format", "sarif", cwd=tree)
    document = json.loads(done.stdout)
    assert (done.returncode, document["version"], len(document["runs"])) == (1, "2.1.0", 1)
    found = document["runs"][0]
    rules = found["tool"]["driver"]["rules"]
    result = found["results"][0]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "AG414"
    assert [r["id"] for r in rules] == sorted(
        k.code
        for k in vars(errors).values()
        if isinstance(k, type) and issubclass(k, errors.Finding) and k.code != "AG400"
    )
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "with%20space.py"
    assert place["region"] == {"startLine": 2, "startColumn": 30, "endLine": 2, "endColumn": 35}
    assert result["level"] == "note" and "comprehension" in result["message"]["text"]
    assert "Uri" not in done.stdout  # the schema wants absolute ones


def test_links_to_nothing_in_a_folder_are_findings(tree):
    (tree / "gone.py").symlink_to("nowhere.py")
    done = run(".", "--select", "AG401", cwd=tree)
    assert done.stdout.startswith("./gone.py:1:1: AG401 Python cannot read this: No such file or directory")
    assert run("gone.py", cwd=tree).stderr == "autograph: error: cannot read gone.py: No such file or directory\n"


@pytest.mark.parametrize(
    "closed, status, printed",
    [
        ("demo.py >&-", 0, "checked 1 function in 1 file: 1 construct can be staged, 0 findings\n"),
        ("demo.py 2>&-", 0, ""),
        ("nowhere.py 2>&-", 2, ""),
        ("- <&-", 2, "autograph: error: cannot read <stdin>: it is closed\n"),
    ],
)
def test_closed_streams(tmp_path, closed, status, printed):
    (tmp_path / "demo.py").write_text("def f(x):\n    return 1 if x else 2\n")
    command = f"{sys.executable} -m autograph check {closed}"
    environment = {**os.environ, "PYTHONPATH": PATH}
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (status, printed)


def test_patterns_and_files_that_are_no_text(tree):
    (tree / "broken.py").write_bytes(b"x = '\xfc'\n")
    (tree / "note.txt").write_text("no program")
    done = run("*", "--select", "AG401", cwd=tree)
    assert done.stdout.startswith(
        "broken.py:1:1: AG401 Python cannot read this: it is not text in its declared encoding"
    )
    assert run("**/faulty.py", cwd=tree).stdout == f"pkg/sub/faulty.py:{LINE}\n"
    assert run("no*.py", cwd=tree).stderr == "autograph: error: no file matches no*.py\n"


def test_github(tree):
    (tree / "a,b.py").write_text(FAULTY)
    done = run("a,b.py", "--format", "github", cwd=tree)
    assert done.stdout == f"::notice file=a%2Cb.py,line=2,endLine=2,col=30,endColumn=35,title=AG414::{LINE[6:]}\n"


def test_output_file(tree):
    done = run("pkg", "--format", "json", "-o", "found.json", cwd=tree)
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads((tree / "found.json").read_text())["summary"]["findings"] == 1
    assert run("pkg", "-o", "no/such/folder.txt", cwd=tree).returncode == 2


def test_neither_colour_nor_progress_without_a_terminal(tree):
    done = run("pkg", cwd=tree)
    assert "\033" not in done.stdout + done.stderr and "checking" not in done.stderr


def test_progress_and_colour_on_a_terminal(tree):
    pty = pytest.importorskip("pty")
    (tree / "tqdm.py").write_text("raise ImportError")  # which would draw the bar where it is installed
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "autograph", "check", *BACKEND, "pkg"], stdout=slave, stderr=slave, cwd=tree,
        env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "PYTHONPATH": PATH, "TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(master)
    assert child.wait(60) == 1
    assert b"checking [####" in seen and b"4/4" in seen and b"\033[36mAG414" in seen


def test_help_teaches_with_examples():
    done = run("--help")
    assert done.returncode == 0
    assert "autograph check package.module:Model.call" in done.stdout and "Exit status" in done.stdout


RECURSION = "import graphrt as tf\n\n\n@tf.function\ndef f(n):\n    return 1 if n < 2 else n * f(n - 1)\n"


def test_what_the_backend_handles_is_not_told(tmp_path):
    """The backend is found as an entry point of what is installed: here of a distribution written for this test."""
    (tmp_path / "small_backend.py").write_text(
        "from autograph.backends import Handles, StagingBackend\nclass Small(StagingBackend):\n"
        "    handles = Handles.RAISES\n    recursive = ('graphrt.function',)\nSMALL = Small()\nOTHER = 3\n"
    )
    info = tmp_path / "small-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: small\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[autograph.backends]\nsmall = small_backend:SMALL\nother = small_backend:OTHER\n"
    )
    path = f"{tmp_path}{os.pathsep}{PATH}"
    assert run("-", "--backend", "small", stdin=RECURSION, PYTHONPATH=path).returncode == 0
    assert "AG426" in run("-", stdin=RECURSION, PYTHONPATH=path).stdout
    raising = "def f(x):\n  if x < 0:\n    raise ValueError\n  return x\n"
    assert run("-", "--backend", "small", stdin=raising, PYTHONPATH=path).stdout == ""
    assert "AG420" in run("-", "--backend", "any", stdin=raising, PYTHONPATH=path).stdout
    wrong = run("-", "--backend", "smal", stdin=raising, PYTHONPATH=path)
    assert wrong.returncode == 2 and "no backend named 'smal' is installed; there are any, " in wrong.stderr
    assert "not a StagingBackend but 3" in run("-", "--backend", "other", stdin=raising, PYTHONPATH=path).stderr


def test_codecs_without_text(tmp_path):
    """`codecs` finds some for a cookie that give no text: they are told as others that cannot be read."""
    (tmp_path / "turned.py").write_text("# -*- coding: rot13 -*-\n" + FAULTY)
    why = "it is not text in its declared encoding (encoding problem: rot13)"
    done = run("turned.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"autograph: error: cannot read turned.py: {why}\n")
    assert run(".", cwd=tmp_path).stdout == f"./turned.py:1:1: AG401 Python cannot read this: {why}\n"
    done = run("turned", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith("turned.py:1: syntax error: encoding problem: it gives no text\n")


def test_module_that_is_no_python(tmp_path):
    (tmp_path / "unknown.py").write_text("# -*- coding: klingon -*-\n" + FAULTY)
    done = run("unknown", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "autograph: error: unknown:1: syntax error: unknown encoding: klingon\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_in_folders_are_not_waited_for(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    os.mkfifo(tmp_path / "pipe.py")
    done = run(".", cwd=tmp_path)
    assert done.stdout == f"./faulty.py:{LINE}\n./pipe.py:1:1: AG401 Python cannot read this: it is no regular file\n"


def test_packages_with_links_to_themselves(tmp_path):
    (tmp_path / "round" / "inner").mkdir(parents=True)
    for place in ("round", "round/inner"):
        (tmp_path / place / "__init__.py").write_text("")
    (tmp_path / "round" / "part.py").write_text(FAULTY)
    os.symlink("..", tmp_path / "round" / "inner" / "again")
    done = run("round", "--format", "json", cwd=tmp_path.parent, PYTHONPATH=f"{PATH}{os.pathsep}{tmp_path}")
    assert [len(report["findings"]) for report in json.loads(done.stdout)["files"]].count(1) == 1
