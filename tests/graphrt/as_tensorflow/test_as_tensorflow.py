"""`import tensorflow as tf` where `graphrt.as_tensorflow` was asked for: each in a process of its own."""

import json
import os
import subprocess
import sys

import pytest

import graphrt as tf
from tests import ROOT, fresh_process


def run(*command, cwd):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if command[0] == "-S":
        done = subprocess.run([sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True)
    else:
        done = fresh_process.run("graphrt", *command, cwd=cwd, env=environment)
    return done.returncode, done.stdout + done.stderr


SCRIPT = """
import importlib.metadata, importlib.util, pickle, sys
import tensorflow as tf
import tensorflow.compat.v2 as tf2, tensorflow.experimental.numpy as tnp, tensorflow.losses, tensorflow.optimizers.schedules
import tensorflow.compat.v1.logging
import tensorflow.keras.layers as layers
from tensorflow.keras.layers import Dense
from tensorflow.keras import layers as same
import keras, keras.layers, keras.optimizers.schedules
from keras import layers as again
from keras.models import Sequential
from tensorflow.config.experimental import list_physical_devices
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.eager import context
import graphrt

assert context.context().executing_eagerly() and context.context().device_spec.device_type is None
assert not tf.function(lambda: tf.constant(context.context().executing_eagerly() or context.executing_eagerly()))()
assert tf2 is tf and same is layers is graphrt.keras.layers and Dense is layers.Dense
assert keras is tf.keras is graphrt.keras and again is layers and Sequential is keras.Sequential
assert tf.stack([1]).shape == [1]


class Pair(tf.experimental.ExtensionType):
    value: tf.Tensor


@tf.experimental.dispatch_for_api(tf.stack)
def stacked_pairs(values: list[Pair], axis=0):
    return Pair(tf.stack([v.value for v in values], axis))


assert tf.stack([Pair(1), Pair(2)]).value.shape == [2]  # though tf.stack was asked for before
assert layers.__spec__.name == "graphrt.keras.layers"
assert tf.__version__ == importlib.metadata.version("tensorflow") == "2.20.0"
assert tf.version.VERSION == sys.modules["tensorflow.version"].VERSION == "2.20.0" != graphrt.version.VERSION
assert tf.version.GRAPH_DEF_VERSION == graphrt.version.GRAPH_DEF_VERSION
assert importlib.util.find_spec("tensorflow").name == "tensorflow" and importlib.util.find_spec("tensorflow.nope") is None
assert type(tf.constant(1)) is EagerTensor and EagerTensor.__module__.startswith("tensorflow.")
assert type(tf.Variable(1)).__module__ == "tensorflow.python.ops.variables"
values = tf.constant([1]), tf.float32, tf.TensorShape([1]), tf.TensorSpec([1])
assert pickle.loads(pickle.dumps(values))[1:] == values[1:]
assert tnp.array([1]).dtype is tf.int64
for name in ("tensorflow.nope", "tensorflow.python.nope", "tensorflow.keras.nope"):
    try:
        importlib.import_module(name)
        raise SystemExit(name)
    except ModuleNotFoundError as error:
        assert ("private" in str(error)) == (".python." in name), error


@tf.function
def f(x):
    v = tf.zeros([2])
    if x > 0:
        v += 1.0
    return v


assert f(tf.constant(1)).numpy().tolist() == [1, 1]
assert graphrt.as_tensorflow() is tf
print(__name__, sys.argv[1:])
"""


def test_a_script(tmp_path):
    (tmp_path / "beside.py").write_text("import tensorflow\n")
    (tmp_path / "script.py").write_text("import beside\n" + SCRIPT)
    assert run("-m", "graphrt.as_tensorflow", "script.py", "a", "-b", cwd=tmp_path) == (0, "__main__ ['a', '-b']\n")
    assert run("-m", "graphrt.as_tensorflow", "-m", "script", "c", cwd=tmp_path) == (0, "__main__ ['c']\n")
    code, text = run("-m", "graphrt.as_tensorflow", "nothing.py", cwd=tmp_path)
    assert code == 2 and "no such file" in text


SPAWNING = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import tensorflow as tf
from {beside} import beside


@tf.function
def twice(x):
    return x * 2 if x > 0 else x


def of(n):
    return int(twice(tf.constant(n))), tf.__version__, beside, sys.argv[1:]


if __name__ == "__main__":
    assert __package__ == "{package}" and multiprocessing.get_context("spawn").Process
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        print(*pool.map(of, [3, -1]))
"""


def test_processes_that_are_spawned_have_the_name(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (tmp_path / "beside.py").write_text("import tensorflow\nbeside = 1\n")
    (package / "__init__.py").write_text("beside = 1\n")
    (tmp_path / "a script.of.txt").write_text(SPAWNING.format(beside="beside", package=""))
    (package / "__main__.py").write_text(SPAWNING.format(beside=".", package="pack"))
    told = "(6, '2.20.0', 1, ['a']) (-1, '2.20.0', 1, ['a'])\n"
    for what in (["a script.of.txt"], ["-m", "pack"]):
        assert run("-m", "graphrt.as_tensorflow", *what, "a", cwd=tmp_path) == (0, told)


def test_folders_with_a_main_run(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "other.py").write_text("import tensorflow as tf\n")
    (folder / "__main__.py").write_text("from other import tf\nprint(__name__, tf.__version__)\n")
    assert run("-m", "graphrt.as_tensorflow", "app", cwd=tmp_path) == (0, "__main__ 2.20.0\n")
    for missing in ("nope", "pack.nope"):
        code, text = run("-m", "graphrt.as_tensorflow", "-m", missing, cwd=tmp_path)
        assert code == 1 and "No module named" in text


ARRAYS = """
import numpy as np
import tensorflow as tf

x, v, a = tf.constant([1.0, 3.0]), tf.Variable([1.0, 3.0]), np.ones(2, "float32")
for value in (x, v):
    assert {1: "word"}[np.argmax(value)] == "word" and type(np.mean(value)) is np.float32
    for found in (np.sum([value], 0), np.stack([value, value]), np.where(value > 1, 1, 2), np.squeeze(value)):
        assert type(found) is np.ndarray
    for found in (a * value, np.float32(2) * value, value**a, a - value):
        assert isinstance(found, tf.Tensor)
    np.testing.assert_allclose(value, [1, 3])
for function in (np.sum, np.mean, lambda x: tf.experimental.numpy.dot(x, x), lambda x: tf.keras.ops.reshape(x, (2, 1))):
    with tf.GradientTape() as tape:
        y = function(v)
    assert tape.gradient(y, v) is not None
assert isinstance(a > x, tf.Tensor)
tf.experimental.numpy.experimental_enable_numpy_behavior()
for found in (x.astype(np.float64), x.reshape(2, 1), x.sum(), tf.experimental.numpy.array(x, copy=True)):
    assert isinstance(found, tf.Tensor)


@tf.function
def f(x):
    assert isinstance(np.tanh(x), tf.Tensor)
    return np.sum(np.tanh(x)) + np.sum(v)


assert np.isclose(f(x), np.sum(np.tanh([1, 3])) + 4)
"""


def test_numpy_reads_tensors(tmp_path):
    (tmp_path / "script.py").write_text(ARRAYS)
    assert run("-m", "graphrt.as_tensorflow", "script.py", cwd=tmp_path) == (0, "")


def test_never_on_import(tmp_path):
    code = "import graphrt.as_tensorflow, sys; graphrt.constant(1); assert 'tensorflow' not in sys.modules; import tensorflow"
    found, text = run("-S", "-c", code, cwd=tmp_path)
    assert found == 1 and "No module named" in text


def test_tensorflow_itself_is_not_replaced(tmp_path):
    (tmp_path / "tensorflow.py").write_text("")
    found, text = run("-c", "import tensorflow, graphrt\ngraphrt.as_tensorflow()", cwd=tmp_path)
    assert found == 1 and "imported already" in text


def test_tests(tmp_path):
    (tmp_path / "conftest.py").write_text("import tensorflow.keras\n")
    (tmp_path / "test_it.py").write_text(
        "import tensorflow as tf\ndef test_it():\n    assert tf.constant(1).numpy() == 1\n"
    )
    found, text = run("-m", "pytest", "-q", "-p", "graphrt.as_tensorflow", "-p", "no:cacheprovider", cwd=tmp_path)
    assert found == 0 and "1 passed" in text


def test_every_namespace_is_a_module(tmp_path):
    recorded = json.loads((ROOT / "tests" / "golden" / "public_names.json").read_text())["names"]
    there = [path for path in recorded if path and _value(path) is not None]
    assert len(there) > 60
    code = f"import importlib\nfor path in {there}:\n    importlib.import_module('graphrt.' + path)"
    assert run("-c", code, cwd=tmp_path) == (0, "")


def _value(path):
    found = tf
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def test_older_names():
    v1 = tf.compat.v1
    v1.enable_v2_behavior()
    assert v1.executing_eagerly_outside_functions() is True
    with pytest.raises(RuntimeError, match="TensorFlow 2's behaviour only"):
        v1.disable_v2_behavior()
    assert v1.reduce_sum([[1, 2]], reduction_indices=1, keep_dims=True).numpy().tolist() == [[3]]
    assert v1.math.log is tf.math.log and v1.random_normal is tf.random.normal
    assert v1.where([True, False], [[1, 1], [2, 2]], [[3, 3], [4, 4]]).numpy().tolist() == [[1, 1], [4, 4]]
    with pytest.raises(AttributeError, match="inert part"):
        v1.placeholder  # noqa: B018
    with v1.Session(config=v1.ConfigProto()).as_default() as session:
        assert session.run({"a": tf.constant(1)}) == {"a": 1}
        with pytest.raises(RuntimeError, match="tf.function"):
            session.run(tf.constant(1), feed_dict={"x": 1})


def test_the_default_strategy():
    strategy = tf.distribute.get_strategy()
    with strategy.scope() as inside:
        v = tf.Variable(1.0)
    assert inside is strategy and not tf.distribute.has_strategy()
    step = tf.function(
        lambda x: strategy.run(lambda y: v + tf.distribute.get_replica_context().all_reduce("SUM", y), (x,))
    )
    assert step(tf.constant(2.0)).numpy() == 3.0
    assert strategy.reduce(tf.distribute.ReduceOp.MEAN, tf.constant([1.0, 3.0]), axis=0).numpy() == 2.0
    with pytest.raises(tf.errors.UnimplementedError, match="one CPU"):
        tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def test_creators_of_variables():
    made = []

    def outer(next_creator, **kwargs):
        made.append(("outer", kwargs["name"]))
        return next_creator(**kwargs)

    def inner(next_creator, **kwargs):
        made.append(("inner", kwargs["name"]))
        return next_creator(**{**kwargs, "name": "renamed", "trainable": False})

    with tf.variable_creator_scope(outer), tf.variable_creator_scope(inner):
        v = tf.Variable(1.0, name="given")
    assert made == [("inner", "given"), ("outer", "renamed")]
    assert (v.name, v.trainable, tf.Variable(1.0).trainable) == ("renamed:0", False, True)


def test_missing_names_say_why():
    with pytest.raises(AttributeError, match="one CPU"):
        tf.tpu  # noqa: B018
    with pytest.raises(AttributeError, match="not have it yet"):
        tf.raw_ops.DenseCountSparseOutput  # noqa: B018
    with pytest.raises(AttributeError, match=r"TensorFlow 1 \(docs/missing.md\)"):
        tf.raw_ops.ApplyAdam  # noqa: B018
    with pytest.raises(AttributeError) as error:
        tf.reduce_summ  # noqa: B018
    assert str(error.value) == "module 'graphrt' has no attribute 'reduce_summ'"


def test_the_page_is_up_to_date():
    assert run("-m", "tests.missing_page", "--check", cwd=ROOT) == (0, "")
