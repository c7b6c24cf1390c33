"""`autograph dump PACKAGE -o DIR`: the dumped package imports and runs in place of the original."""

import os
import subprocess
import sys

import pytest

from tests import ROOT, fresh_process, whole

PATH = str(ROOT)
FILES = {
    "__init__.py": '"""The package."""\nfrom __future__ import annotations\nfrom .shapes import area\nfrom . import sub\n'
                   "def total(xs):\n    t = 0\n    for x in xs:\n        t += area(x)\n    return t\n",
    "shapes.py": "from .sub.units import scale\ndef area(x):\n    if x > 2:\n        return scale(x)\n    return 0\n",
    "__main__.py": "from . import total\nif __name__ == '__main__':\n    print('main', total([1, 2, 3]))\n",
    "sub/__init__.py": "__all__ = ['units']\nfrom . import units\n",
    "sub/units.py": "from .. import shapes\nfrom ..sub import more\ndef scale(x):\n    return more.twice(x) if x else 0\n"
                    "class Unit:\n    __secret = 3\n    def value(self):\n        return self.__secret\n",
    "sub/more.py": "def twice(x):\n    while x < 5:\n        x += x\n    return x\n",
    "sub/data.txt": "not Python",
    "sub/templates/a-script.py": "print(1)\n",
    "bare/deep.py": "def one():\n    return 1 if __name__ else 0\n",
    "broken.py": "def f(:\n",
}  # fmt: skip


def dump(*arguments, cwd=None, path=()):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([PATH, *map(str, path)])}
    return fresh_process.run("autograph.cli.formats", "-m", "autograph", "dump", *arguments, cwd=cwd, env=environment)


def run(code, *path, options=("-c",)):
    done = subprocess.run(
        [sys.executable, *options, code], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), PATH])}, cwd=path[0],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        file = tmp_path / "original" / "pkg" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_a_package_of_ones_own(package):
    done = dump("pkg", "-o", package / "converted", cwd=package / "original")
    assert done.returncode == 0, done.stderr
    written = sorted(p.relative_to(package / "converted").as_posix() for p in (package / "converted").rglob("*.*"))
    assert written == sorted(f"pkg/{name}" for name in FILES)
    assert (package / "converted" / "pkg" / "sub" / "data.txt").read_text() == "not Python"
    assert "pkg.broken is copied as it is" in done.stderr and done.stderr.count("\n") == 1
    code = (
        "import pkg, pkg.bare.deep, pkg.sub.units as u; print(pkg.__doc__, pkg.total([1, 2, 3, 4]), u.Unit().value(), "
        "pkg.bare.deep.one(), pkg.__file__, hasattr(u, 'ag__'))"
    )
    expected = run(code, package / "original")
    assert expected.endswith("False\n")
    converted = run(code, package / "converted")
    assert converted == expected.replace("original", "converted").replace("False", "True")
    assert run("pkg", package / "converted", options=("-m",)) == "main 6\n"


def test_a_subpackage_leaves_its_neighbours_where_they_are(package):
    (package / "original" / "pkg" / "broken.py").unlink()
    done = dump("pkg.sub", "-o", package / "converted", cwd=package / "original")
    assert (done.returncode, done.stderr) == (0, "")
    written = sorted(p.relative_to(package / "converted").as_posix() for p in (package / "converted").rglob("*.py"))
    assert written == [
        "pkg/__init__.py",
        "pkg/sub/__init__.py",
        "pkg/sub/more.py",
        "pkg/sub/templates/a-script.py",
        "pkg/sub/units.py",
    ]
    code = (
        "import pkg; print(pkg.total([3]), 'converted' in pkg.sub.units.__file__, 'converted' in pkg.shapes.__file__)"
    )
    assert run(code, package / "converted", package / "original") == "6 True False\n"


def test_a_package_without_output_is_its_first_module(package):
    done = dump("pkg", cwd=package / "original")
    assert done.returncode == 0 and "def total(xs)" in done.stdout and "ag__.for_stmt" in done.stdout


def test_after_and_features_hold_for_each_module(package):
    (package / "original" / "pkg" / "broken.py").unlink()
    dump("pkg", "-o", package / "converted", "--after", "functions", cwd=package / "original")
    text = (package / "converted" / "pkg" / "sub" / "more.py").read_text()
    assert "while x < 5" in text and "FunctionScope" in text


@pytest.mark.parametrize(("arguments", "words"), [
    (("pkg", "-o", "out", "--format", "ast"), "one module"),
    (("nothing_there", "-o", "out"), "no module named"),
    (("pkg", "-o", "pkg/shapes.py/out"), "shapes.py"),
])  # fmt: skip
def test_usage_errors(package, arguments, words):
    done = dump(*arguments, cwd=package / "original")
    assert (done.returncode, done.stdout) == (2, "") and words in done.stderr.splitlines()[-1]


STANDARD = {
    "json": "import json, json.tool; print(json.loads(json.dumps({'a': [1, 2.5, None, 'ü']}, indent=1)), json.__file__)",
    "email": "import email, email.policy, email.mime.text as t; m = email.message_from_string('Subject: =?utf-8?q?h=C3=BC?='"
             "'\\nTo: a@b.c\\n\\nbody', policy=email.policy.default); print(m['subject'], m['to'].addresses, m.get_content(), "
             "t.MIMEText('ä').as_string(), email.__file__)",
    "xml.etree": "import xml.etree.ElementTree as E, xml.dom.minidom as d; r = E.fromstring('<a><b x=\"1\"/>t</a>'); "
                 "print(E.tostring(r), r.find('.//b[@x]').attrib, d.parseString('<a/>').toxml(), E.__file__)",
    "unittest": "import unittest, unittest.mock as m; k = m.Mock(return_value=3); print(k(1), k.call_args, unittest.__file__)",
    # not `collections`: autograph itself, and an editable install at start-up, import it before anything else
}  # fmt: skip


@pytest.mark.parametrize("name", whole.some(STANDARD, 1))
def test_packages_of_the_standard_library(name, tmp_path):
    done = dump(name, "-o", tmp_path / "converted")
    assert done.returncode == 0, done.stderr
    (tmp_path / "empty").mkdir()
    original = run(STANDARD[name], tmp_path / "empty").rsplit(" ", 1)
    converted = run(STANDARD[name], tmp_path / "converted").rsplit(" ", 1)
    assert converted[0] == original[0]
    assert converted[1].startswith(str(tmp_path / "converted"))
