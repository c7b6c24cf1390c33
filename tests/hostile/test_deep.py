"""Structures that are too deep, or hold themselves, where users meet them: a ValueError that says so."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphrt as tf
from autograph.errors import SourceNotFoundError
from graphrt.keras.models.weights_h5 import parts_by_path
from graphrt.saving.objects import walk
from tests.hostile import deep, swept

DEPTH = 5_000  # the trial's own takes longer
DOORS: dict[str, Callable[[Any], Any]] = {
    "convert_to_tensor": tf.convert_to_tensor,
    "Variable": tf.Variable,
    "flatten": tf.nest.flatten,
    "map_structure": lambda s: tf.nest.map_structure(lambda v: v, s),
    "assert_same_structure": lambda s: tf.nest.assert_same_structure(s, s),
    "ragged.constant": tf.ragged.constant,
    "keras.ops.add": lambda s: tf.keras.ops.add(s, 1),
    "tf.function": lambda s: tf.function(lambda x: 1)(s),
    "get_concrete_function": lambda s: tf.function(lambda x: 1).get_concrete_function(s),
    "from_tensors": tf.data.Dataset.from_tensors,
    "map": lambda s: tf.data.Dataset.range(2).map(lambda x: s),
    "add": lambda s: tf.constant(1.0) + s,
    "numpy": lambda s: np.add(tf.constant(1.0), s),
    "tnp": lambda s: tf.experimental.numpy.add(s, 1.0),
    "stack": tf.stack,
    "DeviceSpec": lambda s: tf.DeviceSpec(job=s),
    "TensorSpec": lambda s: repr(tf.TensorSpec([1], name=s)),
    "TensorShape": tf.TensorShape,
    "type_spec": tf.type_spec_from_value,
    "name of a variable": lambda s: tf.Variable(1.0, name=s),
    "variables": lambda s: _module(s).variables,
    "submodules": lambda s: _module(s).submodules,
    "layer": lambda s: _layer(s).variables,
    "call": lambda s: _layer(s)(s),
    "parts": lambda s: list(parts_by_path(_layer(s))),
    "objects": lambda s: list(walk([s])),
    "visible devices": tf.config.set_visible_devices,
    "print": tf.print,
    "Module": tf.Module,
    "TensorArray": lambda s: tf.TensorArray(s),
    "as_dtype": tf.as_dtype,
    "VariableAggregation": tf.VariableAggregation,
    "VariableSynchronization": tf.VariableSynchronization,
    "ExternalStatePolicy": tf.data.experimental.ExternalStatePolicy,
    "AutotuneAlgorithm": tf.data.experimental.AutotuneAlgorithm,
    "ReduceOp": tf.distribute.ReduceOp,
    "UnconnectedGradients": tf.UnconnectedGradients,
    "TextLineDataset": tf.data.TextLineDataset,
    "edit_distance": lambda s: tf.edit_distance(s, s),
    "table of a dataset": tf.data.experimental.index_table_from_dataset,
    "do_not_convert": tf.autograph.experimental.do_not_convert,
    "set_verbosity": tf.autograph.set_verbosity,
    "to_code": tf.autograph.to_code,
    "array_api.add": lambda s: tf.array_api.add(s, s),
    "array_api.arange": tf.array_api.arange,
    "ForwardAccumulator": lambda s: tf.autodiff.ForwardAccumulator(s, s),
    "array_api.isdtype": lambda s: tf.array_api.isdtype(tf.float32, s),
    "array_api.squeeze": lambda s: tf.array_api.squeeze(tf.constant([1.0]), s),
    "array_api.moveaxis": lambda s: tf.array_api.moveaxis(tf.constant([[1.0]]), s, 0),
    "array_api.permute_dims": lambda s: tf.array_api.permute_dims(tf.constant([[1.0]]), s),
    "matrix_power": lambda s: tf.array_api.linalg.matrix_power(tf.constant([[1.0]]), s),
    "array_api.linspace": lambda s: tf.array_api.linspace(s, 1, 3),
    "tnp.arange": tf.experimental.numpy.arange,
    "keras.ops.percentile": lambda s: tf.keras.ops.percentile(s, tf.constant(50.0)),
    "ZeroPadding1D": tf.keras.layers.ZeroPadding1D,
    "Dice": tf.keras.losses.Dice,
}


def _module(held: Any) -> tf.Module:
    module = tf.Module()
    module.held = held
    return module


def _layer(held: Any) -> tf.keras.layers.Layer:
    layer = tf.keras.layers.Layer()
    layer.held = held
    return layer


@pytest.mark.parametrize("kind", ["a deep list", "a deep dict", "a deep tuple", "a list in itself", "a dict in itself"])
def test_doors(kind: str) -> None:
    said = []
    for name, door in DOORS.items():
        try:
            door(deep.structures(DEPTH)[kind])
        except (TypeError, ValueError, SourceNotFoundError) as error:  # never a RecursionError
            said.append((name, str(error)))
    about = [name for name, text in said if "holds itself" in text or f"nested {DEPTH + 1} levels deep" in text]
    assert {"flatten", "map_structure", "tf.function", "from_tensors"} & set(about) or "list" in kind
    assert len(said) > 8


def test_the_trial_of_one_function() -> None:
    assert list(deep.trial(["nest.flatten"], DEPTH)) == []


def test_an_array_that_holds_itself() -> None:
    told = []
    for name, door in DOORS.items():
        try:
            door(deep.structures(DEPTH)["an array in itself"])
        except (
            TypeError,
            ValueError,
            SourceNotFoundError,
        ):  # never a RecursionError, and NumPy does not end the process
            told.append(name)
    assert {"numpy", "tnp", "VariableAggregation", "array_api.arange", "array_api.linspace"} <= set(told)


@pytest.mark.parametrize("kind", ["a deep tuple", "a list in itself", "an array in itself"])
def test_isin(kind: str) -> None:
    with pytest.raises((ValueError, tf.errors.UnimplementedError)):  # or that such an array has no number
        tf.array_api.isin(tf.constant([1.0]), deep.structures(DEPTH)[kind])


def test_what_ends_a_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    every = {"ends": lambda value: os._exit(3), "nest.flatten": tf.nest.flatten}
    monkeypatch.setattr(deep, "callables", lambda: every)
    assert list(deep.apart(list(every), DEPTH)) == ["ends ends the process: 3"]


def test_folders_of_children_that_are_killed_go_away() -> None:
    made = []

    def main() -> int:
        made.append(tempfile.gettempdir())
        child = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import tempfile, os; tempfile.mkdtemp(); print(flush=True); os.kill(os.getpid(), 9)",
            ],
            stdout=subprocess.PIPE,
        )
        child.communicate()
        assert len(os.listdir(made[0])) == 1
        return child.returncode

    before = tempfile.gettempdir()
    assert swept(main)() == -9
    assert not os.path.exists(made[0]) and made[0].startswith(before) and tempfile.gettempdir() == before


def test_an_option_takes_one_value() -> None:
    with pytest.raises(TypeError, match="ReduceOp takes one value, found 3"):
        tf.distribute.ReduceOp("SUM", [1], type=[1])  # type: ignore[call-overload]


def test_an_array_that_holds_itself_where_a_number_stands() -> None:
    # NumPy adds to such a one until the stack is full, which no error tells: in a process of its own
    program = """
import numpy as np
import graphrt as tf
a = np.empty(2, object)
a[:] = [a, 1.0]
x, words = tf.constant([1.0, 2.0]), [tf.ragged.constant([["a"]])]
many = tf.io.serialize_many_sparse(tf.sparse.from_dense([[1.0]]))
for name, call in {
    "ragged_rank": lambda: tf.ragged.constant([[1]], ragged_rank=a),
    "d": lambda: tf.array_api.fft.fftfreq(3, d=a),
    "rd": lambda: tf.array_api.fft.rfftfreq(3, d=a),
    "rank": lambda: tf.io.deserialize_many_sparse(many, tf.float32, a),
    "axis": lambda: tf.keras.layers.concatenate([x, x], a),
    "maxlen": lambda: tf.keras.utils.pad_sequences([[1]], a),
    "end_index": lambda: tf.keras.utils.timeseries_dataset_from_array(np.arange(9), None, 3, end_index=a),
    "pos_weight": lambda: tf.nn.weighted_cross_entropy_with_logits(x, x, a),
    "num_buckets": lambda: tf.ragged.cross_hashed(words, a),
    "hash_key": lambda: tf.ragged.cross_hashed(words, 3, a),
    "seed": lambda: tf.random.create_rng_state(a, "philox"),
    "key": lambda: tf.strings.to_hash_bucket_strong(["a"], 3, a),
    "min_delta": lambda: tf.keras.callbacks.EarlyStopping(min_delta=a),
    "timeout": lambda: next(tf.train.checkpoints_iterator(".", timeout=a)),
}.items():
    try:
        call()
    except (ValueError, TypeError):
        print(name)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    wanted = "ragged_rank d rd rank axis maxlen end_index pos_weight num_buckets hash_key seed key min_delta timeout"
    assert (ended.stdout.split(), ended.returncode) == (wanted.split(), 0), ended.stderr


@pytest.mark.parametrize(
    "call",
    [
        lambda s: tf.strings.length(["a"], unit=s),
        lambda s: tf.debugging.check_numerics(tf.constant(1.0), s),
        lambda s: tf.array_api.arange(3, device=s),
        lambda s: tf.keras.config.set_image_data_format(s),
    ],
)
def test_options_that_are_too_deep(call: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        call(deep.structures(DEPTH)["a deep list"])


@pytest.mark.parametrize(
    "space", ["layers", "metrics", "losses", "optimizers", "initializers", "regularizers", "constraints", "callbacks"]
)
def test_arguments_of_constructors_that_are_too_deep(space: str) -> None:
    found = []
    for name, cls in ((n, getattr(getattr(tf.keras, space), n)) for n in dir(getattr(tf.keras, space))):
        if not isinstance(cls, type) or not cls.__module__.startswith("graphrt."):
            continue
        parameters = [
            p for p in inspect.signature(cls).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        ]
        required = {p.name: 2 for p in parameters if p.default is p.empty}
        for parameter in parameters:
            for kind in ("a deep tuple", "a deep list"):
                try:
                    cls(**required | {parameter.name: deep.structures(DEPTH)[kind]})
                except (ValueError, TypeError, AttributeError):
                    pass
                except RecursionError:
                    found.append(f"{name}({parameter.name}=)")
    assert not found


def test_features_that_are_none() -> None:
    feature = tf.autograph.experimental.Feature
    for value in (*deep.structures(DEPTH).values(), "x", None, object()):
        with pytest.raises(ValueError, match="is not a valid Feature"):
            feature(value)
