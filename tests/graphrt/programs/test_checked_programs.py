"""`autograph check` tells of what graphrt does not handle, and of nothing else: each program is checked, and run.

`checked_programs.txt` holds programs that define `f`, with the arguments that `f` is called with: by Python as they are, and
as tensors under `tf.function`. One with a finding raises, or gives something else than Python does, for one of them.
"""

import ast
import pathlib
import re
import runpy

import pytest

import graphrt as tf
from autograph import errors
from autograph.checking import check_text
from graphrt.staging.backend import BACKEND

FILE = pathlib.Path(__file__).parent / "checked_programs.txt"
PROGRAMS = re.findall(r"^\[case (\w+): ([^\n]*)\]\n(.*?)(?=^\[case |\Z)", FILE.read_text(), re.MULTILINE | re.DOTALL)
BY_ITSELF = {"AG400", "AG401", "AG402"}  # the base, and what Python or the converter refuses whatever the values are
HANDLED = {"AG415", "AG419", "AG423", "AG426"}  # by the features that graphrt turns on


def plain(value):
    """A value as Python gives it."""
    if isinstance(value, tf.Tensor):
        value = value.numpy()
    value = value.decode() if isinstance(value, bytes) else value
    return value.tolist() if hasattr(value, "tolist") else value


def result(f, argument, staged):
    """What a call gives. An assertion of the graph stands for any error of the program's own."""
    try:
        return plain(f(argument))
    except tf.errors.InvalidArgumentError:
        return "raised"
    except Exception as error:
        return error if staged else "raised"


def fails(path, argument):
    """Whether `f` of a file does anything else on a tensor, under `tf.function`, than on the value itself."""
    given, staged = (runpy.run_path(str(path))["f"] for _ in range(2))
    return result(given, argument, False) != result(tf.function(staged), tf.constant(argument), True)


@pytest.mark.parametrize(
    ("name", "arguments", "source"), [pytest.param(*program, id=program[0]) for program in PROGRAMS]
)
def test_what_is_reported_fails_and_the_rest_runs(name, arguments, source, tmp_path):
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    found = check_text(source, str(path), backend=BACKEND).findings
    failing = [a for a in ast.literal_eval(f"{arguments},") if fails(path, a)]
    assert bool(failing) == bool(found), (failing, [str(f) for f in found])


def test_every_kind_of_finding_has_a_program():
    reported = {
        finding.code
        for _, _, source in PROGRAMS
        for finding in check_text(source, "checked_programs.py", backend=BACKEND).findings
    }
    kinds = {k.code for k in vars(errors).values() if isinstance(k, type) and issubclass(k, errors.Finding)}
    assert kinds - reported == BY_ITSELF | HANDLED
