"""The array API standard: every name, its signature, and what it gives eagerly and in graphs."""

import inspect
import json

import numpy as np
import pytest
from numpy.lib import NumpyVersion

import graphrt as tf
from tests import GOLDEN
from tests.graphrt.numpy_api.array_api import array_api_cases as cases

xp = tf.array_api
SIGNATURES = json.loads((GOLDEN / "array_api_signatures.json").read_text())


def entity(name):
    found = xp
    for part in name.split("."):
        found = getattr(found, part)
    return found


def test_every_name_of_the_standard_has_its_signature():
    wrong = []
    for name, parameters in SIGNATURES.items():
        found = entity(name)
        if parameters is not None:
            ours = [
                [p.name, p.kind.name, p.default is not p.empty] for p in inspect.signature(found).parameters.values()
            ]
            if (
                name == "expand_dims"
            ):  # by position, too, and at 0 where nothing is said: both of 2024.12 and of 2025.12
                assert ours[1] == ["axis", "POSITIONAL_OR_KEYWORD", True]
            elif ours != parameters:
                wrong.append((name, ours, parameters))
    assert not wrong
    names = {n for n in SIGNATURES if "." not in n} | {"linalg", "fft"}
    assert set(xp.__all__) - names == {"__array_namespace_info__"} - names


def test_every_function_is_asked_something():
    asked = " ".join([c for calls, _ in cases.CASES.values() for c in calls] + list(cases.MAKERS) + list(cases.FACTS))
    missing = [n for n, p in SIGNATURES.items() if p is not None and f"xp.{n}(" not in asked]
    assert not missing


OLD = {
    "unstack",
    "cumulative_sum",
    "cumulative_prod",
    "clip",
    "floor",
    "ceil",
    "trunc",
}  # not of the standard before 2.1


@pytest.mark.parametrize("name", cases.CASES)
def test_function(name):
    if name in OLD and NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("NumPy 2.0 gives other answers, or none")
    calls, dtypes = cases.CASES[name]
    wrong = []
    for dtype in dtypes:
        arrays = {n: tf.constant(v) for n, v in cases.arrays(dtype).items()}
        for call in calls:
            expected = cases.wanted(call, dtype)
            code = compile(call, name, "eval")
            names = [n for n in arrays if n in code.co_names]

            def traced(*xs):
                return cases.leaves(eval(code, {"xp": xp, **dict(zip(names, xs))}))

            runs = {"eager": lambda: traced(*[arrays[n] for n in names])}
            if dtype in (dtypes[0], dtypes[-1]):  # graphs take the same way; two dtypes show that they are made
                graph = tf.function(traced, autograph=False)
                runs["graph"] = lambda: graph(*[arrays[n] for n in names])
            for mode, run in runs.items():
                try:
                    problem = cases.difference(run(), expected)
                except Exception as error:
                    problem = f"{type(error).__name__}: {str(error)[:200]}"
                if problem:
                    wrong.append(f"{call} {dtype} {mode}: {problem}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("call", cases.MAKERS)
def test_makers(call):
    dtype, values = cases.MAKERS[call]
    found = np.asarray(eval(call, {"xp": xp, "np": np}))
    expected = np.asarray(values, dtype)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    if expected.dtype.kind == "f":
        assert np.signbit(found).tolist() == np.signbit(expected).tolist()


@pytest.mark.parametrize("call", cases.FACTS)
def test_facts(call):
    found = eval(call, {"xp": xp, "np": np})
    assert found == cases.FACTS[call]


@pytest.mark.parametrize("call", cases.REFUSED)
def test_refused(call):
    with pytest.raises(cases.REFUSED[call]):
        eval(call, {"xp": xp, "np": np})


def test_gradients_flow():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = xp.sum(xp.linalg.inv(x) * xp.sort(x))
    assert tape.gradient(y, x).shape == (2, 2)
