"""Sources that are nested deeply are converted, in threads of their own, and no limit is changed for others.

Covers: autograph/pyct/shallow.py.
"""

import linecache
import sys
import threading

import pytest

import autograph
from autograph.pyct import deep
from tests import whole


class Recorder:
    """Notes what is done with it, in order."""

    def __init__(self):
        self.done = []

    def __getattr__(self, name):
        self.done.append(name)
        return self

    def __getitem__(self, key):
        self.done.append(key)
        return self

    def __call__(self, *args):
        self.done.append(args)
        return self

    def __add__(self, other):
        self.done.append(("+", other))
        return self

    def __neg__(self):
        self.done.append("-")
        return self


TEXTS = {
    "operands": lambda n: "return x" + "".join(f" + {i}" for i in range(n)),
    "attributes": lambda n: "return x" + "".join(f".a{i}" for i in range(n)),
    "items": lambda n: "y = 1\n    return y, x" + "".join(f"[{i}]" for i in range(n)),
    "methods": lambda n: "return x" + "".join(f".m{i}({i})" for i in range(n // 2)),
    "signs": lambda n: "return " + "- " * n + "x",
    "elif": lambda n: (
        "y = 0\n    if x is y:\n        y = 1\n"
        + "".join(f"    elif y == {i}:\n        y = {i}\n" for i in range(1, n // 5))
        + f"    elif y == 0:\n        y = x + {n}\n    return y"
    ),
    "calls": lambda n: "return " + "abs(" * 190 + "x.done.__len__()" + ")" * 190,
    "parentheses": lambda n: "return " + "(" * 190 + "x" + " + 1)" * 190,
    "conditions": lambda n: "return " + "".join(f"{i} if x is {i}.0 else " for i in range(50)) + "x + 2",
}


def function_of(body):
    text = f"def f(x):\n    {body}\n"
    filename = f"<deep {len(linecache.cache)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"__name__": "deep"}
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    return namespace["f"]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(
    ("kind", "staging"), [*((kind, False) for kind in whole.some(TEXTS, 5)), ("methods", True), ("elif", True)]
)
def test_deep_functions_do_what_they_did(kind, staging, request):
    if staging:
        request.getfixturevalue("backend")
    f = function_of(TEXTS[kind](1000))
    before = sys.getrecursionlimit(), threading.stack_size()
    twin = autograph.to_graph(f)
    ours, theirs = Recorder(), Recorder()
    result, expected = twin(ours), f(theirs)
    assert ours.done == theirs.done
    assert (result is ours) == (expected is theirs)
    assert (sys.getrecursionlimit(), threading.stack_size()) == before
    assert autograph.to_code(f).startswith("def tf__f(x):")


@pytest.mark.skipif(sys.version_info < (3, 13), reason="Python itself refuses them")
def test_five_thousand_branches():
    f = function_of(TEXTS["elif"](25_000))
    assert autograph.to_graph(f)(-1) == f(-1) == 24_999


def test_functions_are_converted_far_down_the_stack():
    made = [function_of(f"y = {i}\n    while x > y:\n        x -= 1\n    return x") for i in range(8)]

    def down(n, f):
        return autograph.to_graph(f) if n == 0 else down(n - 1, f)

    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    room = sys.getrecursionlimit() - depth
    for f, left in zip(made, (300, 200, 150, 120, 100, 80, 70, 60), strict=True):
        assert down(room - left, f)(20) == f(20)


def test_threads_of_ours_end_and_raise_what_work_raises():
    before = threading.active_count()
    levels = []

    def visit(node):
        levels.append((deep.is_deep(), threading.get_ident()))
        if node == 0:
            raise KeyError("end")
        return deeper(node - 1)

    def work():
        nonlocal deeper
        if not deep.is_deep():
            raise RecursionError
        deeper = deep.in_stretches(visit)
        return deeper(1000)

    deeper = visit
    with pytest.raises(KeyError, match="end"):
        deep.with_deep_stack(work)
    assert len(levels) == 1001
    assert len({thread for _, thread in levels}) > 5
    assert all(is_deep for is_deep, _ in levels)
    assert threading.active_count() == before
    assert not deep.is_deep()
