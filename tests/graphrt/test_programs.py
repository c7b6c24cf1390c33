"""Whole programs give what they give with TensorFlow: values, dtypes, shapes, and everything they print."""

import json
import math
import pathlib
import sys

import pytest

import graphrt as tf

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
sys.path.insert(0, str(GOLDEN))
import programs  # noqa: E402

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
            where, found, wanted,
        )
    else:
        assert found == wanted, (where, found, wanted)


@pytest.mark.parametrize("name", list(programs.PROGRAMS))
def test_program_gives_what_tensorflow_gives(name, capfd):
    result = json.loads(json.dumps(programs.plain(programs.PROGRAMS[name](tf))))
    out, err = capfd.readouterr()
    wanted = EXPECTED[name]
    assert_same(result, wanted["result"], name)
    assert out == wanted["stdout"]
    assert err == wanted["stderr"]


def test_every_program_is_recorded():
    assert set(programs.PROGRAMS) == set(EXPECTED)
