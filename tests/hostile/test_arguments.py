"""Arguments of other kinds are refused in words; `python -m tests.hostile.arguments` and `methods` call more often."""

import subprocess
import sys

from tests import ROOT
from tests.hostile.arguments import calls, wrong


def test_a_few_calls_of_each_public_name():
    # in a process of its own: some of them change what holds for all
    command = [sys.executable, "-m", "tests.hostile.arguments", "--seed", "1", "--count", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_what_says_nothing_is_told():
    def bad(x):
        return x.no_such_attribute

    found = wrong("bad", bad, 0, 20)
    assert len(found) == 1 and "no_such_attribute" in found[0]


def test_calls_are_those_of_the_seed():
    def f(x, y=1):
        return x

    one, two = (repr([([type(v) for v in c], list(named)) for c, named in calls("f", f, 3, 9)]) for _ in range(2))
    assert one == two and len(list(calls("f", f, 4, 9))) == 9


def test_a_few_calls_of_each_method():
    command = [sys.executable, "-m", "tests.hostile.methods", "--seed", "1", "--count", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_state_that_is_lost_is_told():
    left = []

    def bad(x):
        left.append(x)
        raise ValueError("no")

    assert "leaves another state" in wrong("bad", bad, 0, 3, lambda: len(left))[0]
    assert wrong("bad", bad, 0, 3) == []
