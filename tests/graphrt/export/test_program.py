"""Programs of NumPy alone: what they import, what they compute, and what is said of what cannot become one.

Covers: graphrt/export/sources.py, graphrt/export/standins.py, graphrt/export/literals.py, graphrt/export/__init__.py.
"""

import ast
import os
import subprocess
import sys

import numpy as np
import pytest

import graphrt as tf
from graphrt.export import to_program
from graphrt.export.literals import array_text
from tests import whole
from tests.golden import op_samples_runner as runner
from tests.golden.op_samples_cases import CASES


def written(concrete, folder):
    """The path, and the namespace of the program, which imports nothing but NumPy."""
    path = os.path.join(folder, "model.py")
    to_program(concrete, path, "run")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(n) for n in imports] == ["import numpy as np"]
    assert "graphrt." not in text
    namespace = {"__name__": "model", "__file__": path}
    exec(compile(text, path, "exec"), namespace)
    return namespace["run"]


def plain(tensor):
    return np.array(tensor.numpy(), object) if tensor.dtype == tf.string else np.asarray(tensor.numpy())


def problem(found, wanted):
    """What is wrong with a result, or None."""
    wanted = plain(wanted)
    if wanted.dtype == object:
        return None if np.array(found, object).tolist() == wanted.tolist() else f"{found}, not {wanted}"
    found = np.asarray(found)
    same = found.dtype == wanted.dtype and found.shape == wanted.shape and found.tobytes() == wanted.tobytes()
    return None if same else f"{found!r}, not {wanted!r}"


# --- all ops ---------------------------------------------------------------------------------------------------------
def sample_function(op, index):
    """A traced function of a sample of `op`, and the tensors to call it with; None where it fails in TensorFlow too."""
    inputs, attrs = CASES[op][index]
    flat = []

    def collect(value):
        if isinstance(value, list):
            return [collect(v) for v in value]
        if isinstance(value, tf.Tensor):
            flat.append(value)
            return (len(flat) - 1,)
        return value

    def fill(value, args):
        if isinstance(value, list):
            return [fill(v, args) for v in value]
        return args[value[0]] if isinstance(value, tuple) else value

    try:
        form = [collect(runner.tensor(tf, v, (op, index, i))) for i, v in enumerate(inputs)]
        traced = tf.function(
            lambda *args: list(runner.call(tf, op, [fill(v, args) for v in form], attrs)), autograph=False
        )
        concrete = traced.get_concrete_function(*flat)
        return concrete, flat, concrete(*flat)
    except Exception:  # a sample of an error
        return None


NOT_NUMPY = ("no bfloat16", "importlib.util.find_spec", "base64.")


@pytest.mark.parametrize("part", range(4))
def test_samples_of_all_ops_give_the_same_bits(part, tmp_path):
    wrong, right = [], set()
    for op in sorted(CASES)[part::4]:
        for index in range(min(2, len(CASES[op]))):
            found = sample_function(op, index)
            if found is None:
                continue
            concrete, flat, wanted = found
            try:
                run = written(concrete, tmp_path)
            except tf.errors.UnimplementedError as error:
                if not any(reason in str(error) for reason in NOT_NUMPY):
                    wrong.append(f"{op} {index}: {error}")
                continue
            results = run(*[plain(t) for t in flat])
            problems = [p for p in map(problem, results, wanted) if p]
            wrong += [f"{op} {index}: {p}" for p in problems]
            right.add(op)
            if not whole.is_asked():
                break
    assert not wrong
    assert len(right) > 50


# --- control flow, calls, state ----------------------------------------------------------------------------------------
@tf.function
def called(x):
    return tf.nn.relu(x) + 1.0


@tf.function
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@tf.function
def collatz(n):
    steps, path = 0, tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    while n > 1:
        path = path.write(steps, n)
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
        if steps > 50:
            break
    return {"steps": steps, "path": path.stack()}


@tf.function
def nested(x):
    total = x
    for i in tf.range(3):
        for j in tf.range(i):
            if tf.reduce_sum(total) > 10.0:
                continue
            total = called(total) * tf.cast(j + 1, tf.float32)
    return [total, (tf.switch_case(tf.size(x) % 3, [lambda: x, lambda: x * 2.0, lambda: x - 1.0]),)]


@tf.function
def texts(words):
    joined = tf.strings.reduce_join(words, separator="-")
    return tf.strings.upper(words), tf.strings.length(words), tf.strings.substr(joined, 0, 3), tf.strings.as_string(7)


PROGRAMS = [
    (called, [np.float32([-1, 2])]), (factorial, [np.int32(6)]), (collatz, [np.int32(27)]), (collatz, [np.int32(1)]),
    (nested, [np.float32([[0.5, -3], [1, 2]])]), (texts, [np.array([b"ab", b"c\xff"], object)]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "given"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs_with_control_flow(function, given, tmp_path):
    tensors = [tf.constant(g) for g in given]
    concrete = function.get_concrete_function(*tensors)
    wanted = tf.nest.flatten(concrete(*tensors))
    found = written(concrete, tmp_path)(*given)
    assert [p for f, w in zip(tf.nest.flatten(found), wanted, strict=True) if (p := problem(f, w))] == []


def test_variables_are_variables_of_the_program(tmp_path):
    count = tf.Variable([0, 0])

    @tf.function
    def add(x):
        count.assign_add(x)
        return count.read_value() * 2

    concrete = add.get_concrete_function(tf.TensorSpec([2], tf.int32))
    run = written(concrete, tmp_path)
    assert run([1, 2]).tolist() == [2, 4]
    assert run(np.array([1, 2], np.int32)).tolist() == [4, 8]
    assert count.numpy().tolist() == [0, 0]


def test_it_runs_where_nothing_but_numpy_is(tmp_path):
    weights = tf.Variable(np.random.default_rng(0).random((100, 40), np.float32))
    concrete = tf.function(lambda x: {"y": tf.nn.softmax(x @ weights)}).get_concrete_function(
        tf.TensorSpec([None, 100])
    )
    files = to_program(concrete, tmp_path / "model.py", "predict")
    assert sorted(os.path.basename(f) for f in files) == ["model.npz", "model.py"]
    x = np.random.default_rng(1).random((3, 100), np.float32)
    np.save(tmp_path / "x.npy", x)
    code = (
        "import sys, numpy as np; sys.path.insert(0, '.'); import model; "
        "np.save('y.npy', model.predict(np.load('x.npy'))['y']); "
        "assert not [m for m in sys.modules if m.split('.')[0] in ('graphrt', 'autograph', 'gast', 'google')]"
    )
    subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, check=True, env={**os.environ, "PYTHONPATH": ""})
    assert np.load(tmp_path / "y.npy").tobytes() == concrete(tf.constant(x))["y"].numpy().tobytes()


def test_arguments_are_checked(tmp_path):
    concrete = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([None, 2], tf.int32))
    run = written(concrete, tmp_path)
    assert run([[1, 2]]).tolist() == [[2, 4]]
    with pytest.raises(ValueError, match=r"x: an array of shape \(2,\), of \(None, 2\)"):
        run([1, 2])
    with pytest.raises(TypeError, match="x: an array of float64, of int32"):
        run([[0.5, 1]])


def test_what_cannot_be_is_listed_before_anything_is_written(tmp_path):
    @tf.function
    def f(x):
        y = tf.numpy_function(lambda v: v, [x], tf.float32)
        z = tf.strings.regex_replace("abc", tf.strings.as_string(y), "")
        return y, z

    path = tmp_path / "model.py"
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        to_program(f.get_concrete_function(tf.TensorSpec([])), path)
    text = str(caught.value)
    assert "(PyFunc)" in text
    assert "(RegexReplace)" in text
    assert text.count("test_program.py:") == 2
    assert not path.exists()
    with pytest.raises(TypeError, match="expects a concrete function"):
        to_program(f, path)


@pytest.mark.parametrize("array", [
    np.float32([1.5, -0.0, np.inf, np.nan, 0.1]), np.array(3, np.uint8), np.float64(1 / 3), np.array([], np.int64),
    np.zeros((0, 3), np.float16), np.array([b"a'\0", b""], object), np.array([[b"x"]], object), np.complex64([1j, np.inf]),
    np.bool_(True), np.array([[True]]), np.int64(-(2**63)), np.float32(-np.inf), np.array(b"x", object),
])  # fmt: skip
def test_arrays_are_written_to_the_last_bit(array):
    made = eval(array_text(array), {"np": np})
    assert (made.dtype, made.shape, type(made)) == (array.dtype, array.shape, type(array))
    assert made.tolist() == array.tolist() if array.dtype == object else made.tobytes() == array.tobytes()


def test_unusual_nans_and_large_arrays_are_stored():
    assert array_text(np.array([0x7FC12345], np.uint32).view(np.float32)) is None
    assert array_text(np.zeros(1000)) is None
