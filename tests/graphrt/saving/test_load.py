"""What TensorFlow wrote is loaded here, and what was written here is loaded in a process without the source.

Covers: graphrt/saving/restored_function.py, graphrt/saving/assets.py, graphrt/graphdef/structured_values.py,
  graphrt/saving/saved_model_file.py
"""

import base64
import collections
import io
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import graphrt as tf
from graphrt.graphdef.schema import message_class
from graphrt.saving.loaded import LoadedSignatures
from tests.golden.record_saved import shown
from tests.golden.saved_cases import CASES

GOLDEN = json.loads((pathlib.Path(__file__).parents[2] / "golden" / "saved_by_tensorflow.json").read_text())


def unpack(name, folder):
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(GOLDEN[name]["files"]))) as archive:
        archive.extractall(folder)


def results(loaded, calls):
    made = []
    for name, args, kwargs in calls:
        tensors = tf.nest.map_structure(tf.constant, args[:1])
        made.append(shown(getattr(loaded, name)(*tensors, *args[1:], **kwargs)))
    return made


def same(found, wanted):
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            same(found[key], value)
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], str) and len(wanted) == 3:
        assert found[:2] == wanted[:2]
        if wanted[0].startswith("float"):
            np.testing.assert_allclose(found[2], wanted[2], rtol=1e-5, atol=1e-6)
        else:
            assert found[2] == wanted[2]
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted):
            same(a, b)
    else:
        assert found == wanted


@pytest.mark.parametrize("name", CASES)
def test_what_tensorflow_saved_runs_here(name, tmp_path):
    unpack(name, tmp_path)
    loaded = tf.saved_model.load(tmp_path / "saved")
    _, calls = CASES[name](tf)
    same(results(loaded, calls), GOLDEN[name]["results"])


@pytest.mark.parametrize("name", CASES)
def test_what_tensorflow_saved_can_be_saved_again(name, tmp_path):
    unpack(name, tmp_path)
    tf.saved_model.save(tf.saved_model.load(tmp_path / "saved"), tmp_path / "again")
    _, calls = CASES[name](tf)
    same(results(tf.saved_model.load(tmp_path / "again"), calls), GOLDEN[name]["results"])


@pytest.mark.parametrize("name", CASES)
def test_what_is_saved_here_runs_here(name, tmp_path):
    made, calls = CASES[name](tf)
    tf.saved_model.save(made, tmp_path / "saved")
    same(results(tf.saved_model.load(tmp_path / "saved"), calls), GOLDEN[name]["results"])


@pytest.mark.parametrize("name", ["affine", "tables"])
def test_checkpoints_of_tensorflow_are_restored(name, tmp_path):
    unpack(name, tmp_path)
    made, calls = CASES[name](tf)
    for variable in made.variables:
        if variable.dtype is not tf.string:
            variable.assign(tf.zeros_like(variable))
    tf.train.Checkpoint(model=made).read(tmp_path / "checkpoint" / "one").assert_consumed()
    same(results(made, calls), GOLDEN[name]["results"])


def test_a_process_without_the_source(tmp_path):
    made, _ = CASES["affine"](tf)
    tf.saved_model.save(
        made, tmp_path / "saved", signatures={"scale": made.scaled.get_concrete_function(tf.TensorSpec([3]))}
    )
    program = (
        "import sys, graphrt as tf; m = tf.saved_model.load(sys.argv[1]); m.w.assign_add(tf.ones_like(m.w));"
        "print(m(tf.ones([1, 2]))['y'].shape, m.signatures['scale'](x=tf.ones([3]))['output_0'].numpy().tolist())"
    )
    run = subprocess.run([sys.executable, "-c", program, str(tmp_path / "saved")], capture_output=True, text=True)
    assert run.stdout == "(1, 3) [2.0, 2.0, 2.0]\n", run.stderr


def test_a_loaded_model_can_be_trained_and_called_in_functions(tmp_path):
    made, _ = CASES["affine"](tf)
    tf.saved_model.save(made, tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")

    @tf.function
    def loss(x):
        return tf.reduce_sum(loaded(x)["y"] ** 2)

    with tf.GradientTape() as tape:
        before = loss(tf.ones([2, 2]))
    (gradient,) = tape.gradient(before, [loaded.w])
    loaded.w.assign_sub(0.01 * gradient)
    assert loss(tf.ones([2, 2])) < before


def test_no_trace_fits(tmp_path):
    made, _ = CASES["affine"](tf)
    tf.saved_model.save(made, tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    with pytest.raises(ValueError, match=r"scaled has 2 traces:\n.*\n.*\n  at .*test_load.py:"):
        loaded.scaled(tf.constant(1, tf.int64))


def test_damage_is_told(tmp_path):
    made, _ = CASES["affine"](tf)
    tf.saved_model.save(made, tmp_path / "saved")
    whole = {p: p.read_bytes() for p in (tmp_path / "saved").rglob("*") if p.is_file()}
    random = np.random.RandomState(0)
    for path, data in whole.items():
        for cut in random.randint(0, len(data), 15):
            check(tmp_path / "saved", path, data[:cut])
        for at in random.randint(0, len(data), 25):
            check(tmp_path / "saved", path, data[:at] + bytes([data[at] ^ 1 << random.randint(8)]) + data[at + 1 :])
        path.write_bytes(data)


def check(folder, path, data):
    path.write_bytes(data)
    try:
        tf.saved_model.load(folder)(tf.ones([1, 2]))
    except (tf.errors.OpError, ValueError, TypeError):
        pass


def test_nothing_outside_the_directory_is_opened(tmp_path):
    (tmp_path / "words").write_text("one\ntwo\n")
    kind = tf.lookup.TextFileIndex
    start = tf.lookup.TextFileInitializer(
        str(tmp_path / "words"), tf.string, kind.WHOLE_LINE, tf.int64, kind.LINE_NUMBER
    )

    class Words(tf.Module):
        def __init__(self):
            super().__init__()
            self.table = tf.lookup.StaticHashTable(start, -1)

        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def number(self, word):
            return self.table.lookup(word)

    tf.saved_model.save(Words(), tmp_path / "saved")
    os.remove(tmp_path / "words")  # the contents of the table were saved, so that the file is not needed
    assert tf.saved_model.load(tmp_path / "saved").number("two").numpy() == 1


def test_assets_travel_with_the_model(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")

    class Notes(tf.Module):
        def __init__(self):
            super().__init__()
            self.file = tf.saved_model.Asset(str(tmp_path / "notes.txt"))

        @tf.function(input_signature=[])
        def where(self):
            return self.file.asset_path

    tf.saved_model.save(Notes(), tmp_path / "saved")
    os.remove(tmp_path / "notes.txt")
    path = tf.saved_model.load(tmp_path / "saved").where().numpy().decode()
    assert path == str(tmp_path / "saved" / "assets" / "notes.txt") and open(path).read() == "hello"


def test_signatures_that_are_none_are_refused(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(module, tmp_path / "m")
    path = tmp_path / "m" / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"signature_map", b"signature_mat"))
    (tmp_path / "m" / "fingerprint.pb").unlink()
    with pytest.raises(tf.errors.InvalidArgumentError, match="what it calls its signatures are none"):
        tf.saved_model.load(tmp_path / "m")


@tf.function
def read_within(path):
    return tf.io.read_file(path)


class Reads(tf.Module):
    def __init__(self, path, other=None):
        super().__init__()
        self.words = tf.saved_model.Asset(path)
        self.other = other

    @tf.function(input_signature=[])
    def text(self):
        found = tf.io.read_file(self.words.asset_path)
        return found if self.other is None else tf.strings.join([found, read_within(tf.constant(self.other))])

    @tf.function(input_signature=[tf.TensorSpec([], tf.bool)])
    def by_calls(self, first):
        path = self.words.asset_path
        return read_within(path) if first else tf.strings.join([read_within(path), "!"])


def test_functions_read_their_assets_and_no_other_file(tmp_path):
    (tmp_path / "words.txt").write_text("some words")
    made = Reads(str(tmp_path / "words.txt"))
    tf.saved_model.save(made, tmp_path / "a", {"serving_default": made.text})
    (tmp_path / "words.txt").rename(tmp_path / "other.txt")
    loaded = tf.saved_model.load(tmp_path / "a")
    assert loaded.text().numpy() == b"some words"
    assert loaded.by_calls(True).numpy() == b"some words" and loaded.by_calls(False).numpy() == b"some words!"
    tf.saved_model.save(Reads(str(tmp_path / "other.txt"), str(tmp_path / "other.txt")), tmp_path / "b")
    loaded = tf.saved_model.load(tmp_path / "b")
    for call in (loaded.text, loaded.text.get_concrete_function):
        with pytest.raises(tf.errors.PermissionDeniedError, match=r"function .*text.* no asset of the SavedModel"):
            call()
    assert loaded.by_calls(True).numpy() == b"some words"


class TakesPaths(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def one(self, path):
        return read_within(path)

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def another(self, path):
        return tf.strings.join([read_within(path), "!"])

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def double(self, x):
        return 2.0 * x


def test_functions_that_open_any_path_are_refused_when_they_are_called(tmp_path):
    (tmp_path / "words.txt").write_text("some words")
    made = TakesPaths()
    signatures = {"serving_default": made.double, "read": made.another}
    tf.saved_model.save(made, tmp_path / "a", signatures)
    loaded = tf.saved_model.load(tmp_path / "a")
    assert loaded.double(2.0).numpy() == 4.0
    assert loaded.signatures["serving_default"](x=tf.constant(3.0))["output_0"].numpy() == 6.0
    for call in (loaded.one, loaded.another, lambda path: loaded.signatures["read"](path=path)):
        with pytest.raises(tf.errors.PermissionDeniedError, match="opens a file that is no asset of the SavedModel"):
            call(tf.constant(str(tmp_path / "words.txt")))


def test_what_mutable_tables_hold_is_loaded(tmp_path):
    made = tf.Module()
    made.counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    made.counts.insert(tf.constant(["a", "b"]), tf.constant([7, 8], tf.int64))
    made.look = tf.function(lambda w: made.counts.lookup(w), input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(made, tmp_path / "a")
    assert tf.saved_model.load(tmp_path / "a").look(tf.constant(["b", "c", "a"])).numpy().tolist() == [8, -1, 7]


def test_tensors_given_by_name_alone_are_in_one_order_everywhere(tmp_path):
    class Named(tf.Module):
        @tf.function
        def f(self, x, *, z, scale=2.0, a):
            return x + z * scale - a * 10

    made, given = Named(), {"z": tf.constant(2.0), "a": tf.constant(3.0)}
    concrete = made.f.get_concrete_function(tf.constant(1.0), **given)
    assert [t.name for t in concrete.inputs] == ["x:0", "a:0", "z:0"]
    assert made.f(tf.constant(1.0), **given).numpy() == concrete(tf.constant(1.0), **given).numpy() == -25
    tf.saved_model.save(made, tmp_path / "a", {"s": concrete})
    loaded = tf.saved_model.load(tmp_path / "a")
    assert loaded.f(tf.constant(1.0), **given).numpy() == -25
    (result,) = loaded.signatures["s"](x=tf.constant(1.0), **given).values()
    assert result.numpy() == -25


def test_named_tuples_of_the_same_name_and_fields_are_taken(tmp_path):
    Pair = collections.namedtuple("Pair", ["x", "y"])
    made = tf.Module()
    made.f = tf.function(lambda d: d["a"][0] + d["p"].x * d["p"].y)
    made.f({"a": [tf.constant(1.0)], "p": Pair(tf.constant(2.0), tf.constant(3.0))})
    tf.saved_model.save(made, tmp_path / "a")
    loaded = tf.saved_model.load(tmp_path / "a")

    def call(kind):
        return loaded.f({"a": [tf.constant(1.0)], "p": kind(tf.constant(2.0), tf.constant(3.0))}).numpy()

    assert call(collections.namedtuple("Pair", ["x", "y"])) == 7.0
    for other in (collections.namedtuple("Pair", ["x", "z"]), collections.namedtuple("Other", ["x", "y"])):
        with pytest.raises(ValueError, match="Could not find matching concrete function"):
            call(other)


def test_nothing_to_load(tmp_path):
    for kind in (OSError, tf.errors.NotFoundError):
        with pytest.raises(kind, match="no SavedModel in"):
            tf.saved_model.load(tmp_path)


def squares(x, v):
    total = tf.constant(0.0)
    for _ in tf.range(3):
        total += tf.reduce_sum(x * v) ** 2
    return total


def square_or_zero(x, v):
    return tf.reduce_sum(x * v) ** 2 if tf.reduce_sum(x) > 0.0 else tf.constant(0.0)


@pytest.mark.parametrize("body", [squares, square_or_zero])
def test_second_gradients_through_variables_in_branches_and_loops(tmp_path, body):
    made = tf.Module()
    made.v = tf.Variable([1.0, 2.0])
    made.f = tf.function(lambda x: body(x, made.v), input_signature=[tf.TensorSpec([2])])
    tf.saved_model.save(made, tmp_path / "a")

    def seconds(module):
        x = tf.constant([1.0, 3.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = module.f(x)
            first = inner.gradient(y, [x, module.v])
        return [t.numpy().tolist() for t in (*first, *outer.gradient(first, [x, module.v]))]

    assert seconds(tf.saved_model.load(tmp_path / "a")) == seconds(made)


def test_one_function_for_variables_of_two_shapes(tmp_path):
    made = tf.Module()
    made.a, made.b = tf.Variable([1.0, 2.0]), tf.Variable([[3.0], [4.0], [5.0]])
    made.f = tf.function(lambda c: tf.cond(c, lambda: made.a * 2.0, lambda: tf.reshape(made.b, [-1])))
    made.f.get_concrete_function(tf.TensorSpec([], tf.bool))
    tf.saved_model.save(made, tmp_path / "a")
    loaded = tf.saved_model.load(tmp_path / "a")
    assert loaded.f(tf.constant(True)).numpy().tolist() == [2.0, 4.0]
    assert loaded.f(tf.constant(False)).numpy().tolist() == [3.0, 4.0, 5.0]


def test_defaults_that_are_tensors_and_arrays(tmp_path):
    made = tf.Module()
    given = np.array([2.0, 3.0], np.float32)
    made.f = tf.function(lambda x, y=tf.constant(5.0), z=given, *, s=tf.constant("a"): (x * y * z, s + "!"))
    made.f(tf.constant(1.0))
    tf.saved_model.save(made, tmp_path / "a")
    number, text = tf.saved_model.load(tmp_path / "a").f(tf.constant(1.0))
    assert (number.numpy().tolist(), text.numpy()) == ([10.0, 15.0], b"a!")


def test_optionals_and_datasets_are_taken(tmp_path):
    number = tf.TensorSpec([], tf.int64)
    made = tf.Module()
    made.first = tf.function(
        lambda o: o.get_value() if o.has_value() else tf.constant(-1, tf.int64),
        input_signature=[tf.OptionalSpec(number)],
    )
    made.total = tf.function(
        lambda d: d.reduce(np.int64(0), lambda a, b: a + b), input_signature=[tf.data.DatasetSpec({"n": number}["n"])]
    )
    made.same = tf.function(lambda o: o, input_signature=[tf.OptionalSpec({"a": (number,)})])
    tf.saved_model.save(made, tmp_path / "a")
    loaded = tf.saved_model.load(tmp_path / "a")
    optional = tf.experimental.Optional
    assert loaded.first(optional.from_value(tf.constant(3, tf.int64))).numpy() == 3
    assert loaded.first(optional.empty(number)).numpy() == -1
    assert loaded.total(tf.data.Dataset.range(4)).numpy() == 6
    assert loaded.same(optional.from_value({"a": (tf.constant(4, tf.int64),)})).get_value()["a"][0].numpy() == 4


def test_a_signature_that_cannot_run_is_there(tmp_path):
    made = LoadedSignatures({"a": tf.errors.UnimplementedError(None, None, "no op 'Nope' exists here")})
    assert "a" in made and "b" not in made and list(made) == ["a"]
    with pytest.raises(tf.errors.UnimplementedError, match="Nope"):
        made["a"]
    with pytest.raises(KeyError):
        made["b"]


def test_signatures_take_names_as_declared_and_as_the_file_spells_them(tmp_path):
    made = tf.Module()
    made.f = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([], name="x-y")])
    tf.saved_model.save(made, tmp_path / "m", signatures=made.f)
    saved = message_class("SavedModel")()
    path = tmp_path / "m" / "saved_model.pb"
    saved.ParseFromString(path.read_bytes())
    functions = saved.meta_graphs[0].object_graph_def.concrete_functions
    wrapper = functions["__inference_signature_wrapper_serving_default"].canonicalized_input_signature
    fields = wrapper.tuple_value.values[1].dict_value.fields
    fields["x_y"].CopyFrom(fields.pop("x-y"))  # as TensorFlow writes it
    for content in (path.read_bytes(), saved.SerializeToString()):
        path.write_bytes(content)
        (tmp_path / "m" / "fingerprint.pb").unlink(missing_ok=True)
        signature = tf.saved_model.load(tmp_path / "m").signatures["serving_default"]
        for name in ("x-y", "x_y"):
            assert signature(**{name: tf.constant(2.0)})["output_0"].numpy() == 4.0
