"""Whole programs give what they give with TensorFlow: values, dtypes, shapes, and everything they print."""

import json
import math
import re

import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import programs

EXPECTED = json.loads((GOLDEN / "programs.json").read_text())


def assert_same(found, wanted, where):
    assert type(found) is type(wanted), (where, found, wanted)
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), (where, found, wanted)
        for key in wanted:
            assert_same(found[key], wanted[key], f"{where}[{key!r}]")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), (where, found, wanted)
        for i, (f, w) in enumerate(zip(found, wanted)):
            assert_same(f, w, f"{where}[{i}]")
    elif isinstance(wanted, float):
        assert math.isclose(found, wanted, rel_tol=1e-5, abs_tol=1e-30) or (math.isnan(found) and math.isnan(wanted)), (
            where,
            found,
            wanted,
        )
    else:
        assert found == wanted, (where, found, wanted)


NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def assert_same_text(found, wanted):
    """The same text; the last digits of a float may differ, as the last bit of a `tanh` does from machine to machine."""
    assert NUMBER.sub("#", found) == NUMBER.sub("#", wanted)
    for f, w in zip(NUMBER.findall(found), NUMBER.findall(wanted), strict=True):
        assert math.isclose(float(f), float(w), rel_tol=2e-6), (found, wanted)


@pytest.mark.parametrize("name", list(programs.PROGRAMS))
def test_program_gives_what_tensorflow_gives(name, capfd):
    result = json.loads(json.dumps(programs.plain(programs.PROGRAMS[name](tf))))
    out, err = capfd.readouterr()
    wanted = EXPECTED[name]
    assert_same(result, wanted["result"], name)
    assert_same_text(out, wanted["stdout"])
    assert_same_text(err, wanted["stderr"])


def test_every_program_is_recorded():
    assert set(programs.PROGRAMS) == set(EXPECTED)
