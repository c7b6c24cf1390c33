"""Dtypes promote where a program asks for it, as TensorFlow recorded (`tests/golden/promotion_cases.py`)."""

import contextvars
import gc
import json
import threading
import weakref

import graphrt.experimental.numpy as tnp
import numpy as np
import pytest

import graphrt as tf
from autograph.backends.threads import INHERITED
from graphrt.tensor import promotion
from graphrt.tensor.changes import SWITCH
from tests import ROOT
from tests.golden.promotion_cases import MODES, result, table

RECORDED = json.loads((ROOT / "tests/golden/promotion.json").read_text())


@pytest.fixture
def asked():
    yield tnp.experimental_enable_numpy_behavior
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=None)


@pytest.mark.parametrize("mode", ["all", "safe"])
def test_table(mode, asked):
    asked(dtype_conversion_mode=mode)
    found, recorded = table(tf, tnp, np), RECORDED[mode]["table"]
    wrong = {k: (v, found[k]) for k, v in recorded.items() if found[k] != v and "refused" not in (v, found[k])}
    assert not wrong
    assert sum("*" in v for v in recorded.values()) > 20


@pytest.mark.parametrize("mode", MODES)
def test_results(mode, asked):
    name, prefer = MODES[mode]
    asked(dtype_conversion_mode=name, prefer_float32=prefer)
    recorded = RECORDED[mode]["results"]
    found = {e: result(tf, tnp, np, e) for e in recorded}
    refused = ("refused", "TypeError")
    wrong = {
        e: (v, found[e]) for e, v in recorded.items() if found[e] != v and not (v in refused and found[e] in refused)
    }
    assert not wrong


_PREFERRED = {  # as TensorFlow recorded, with `prefer_float32`
    "tnp.sum([1., 2.])": "float32", "tnp.add([1], [2.])": "float32", "tnp.add(tf.constant(1), 2.)": "float64",
    "tnp.add(np.array([1.]), 2.)": "float64", "tnp.linspace(0, 1, 3)": "float32", "tnp.arange(3.)": "float32",
    "tnp.arange(3)": "int64", "tnp.full(2, 1.5)": "float32", "tnp.matmul([[1.]], [[2.]])": "float32",
    "tnp.concatenate([[1.], [2.]])": "float32", "tnp.maximum([1.], 0)": "float32", "tnp.einsum('i,i->', [1.], [2.])": "float32",
    "tnp.where([True], 1., 2.)": "float32", "tnp.sum([1, 2])": "int64", "tnp.mean([1, 2])": "float64", "tnp.power(2, 3.)": "float32",
    "tnp.clip([1., 2.], 0, 1.5)": "float32", "tnp.divide(1, 2)": "float64", "tnp.zeros(3)": "float64",
}  # fmt: skip


@pytest.mark.parametrize("expression", _PREFERRED)
def test_preferred_float32(expression, asked):
    asked(prefer_float32=True)
    assert eval(expression, {"tnp": tnp, "tf": tf, "np": np}).dtype.name == _PREFERRED[expression]


_POSITIONS = [
    [0, 1], [0], [], [[0, 1], [1, 0]], range(2), ((0, 1), (1, 2)), ([0, -1], (1, 2)), (slice(None), (0, 2)), ((0, 1), slice(None), [1, 3]),
    (range(2), 0), (Ellipsis, [0, 1]), (None, [1]), [True, False],
]  # fmt: skip


@pytest.mark.parametrize("key", _POSITIONS, ids=str)
@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_lists_tuples_and_ranges_are_arrays_of_positions(key, traced, asked):
    asked()
    array = np.arange(24).reshape(2, 3, 4)
    found = (tf.function(lambda t: t[key]) if traced else lambda t: t[key])(tf.constant(array))
    np.testing.assert_array_equal(found, array[key])


def test_other_indices_are_refused_as_numpy_does(asked):
    x = tf.zeros([2, 3])
    for key in (1.0, np.zeros(2), [1.5], "a", [0, [[1, 2, 3], [1]]]):
        with pytest.raises(TypeError):
            x[key]
    assert x[[0, 1]].shape == () and x[[0, slice(None)]].shape == [3]
    asked()
    for key in (1.0, np.zeros(2), [1.5], "a", [0, [[1, 2, 3], [1]]]):
        with pytest.raises(IndexError):
            x[key]
    assert x[[0, 1]].shape == [2, 3] and x[[0, slice(None)]].shape == [3]


def test_the_switch_belongs_to_its_context(asked):
    def other():
        seen.append(tf.constant(1).weak)

    seen = []
    asked(dtype_conversion_mode="all")
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert tf.constant(1).weak
    assert seen == [INHERITED]  # a setting, which Python may hand on to threads


def test_functions_have_traces_of_their_own_under_each_mode(asked):
    @tf.function
    def f(x):
        return x + tf.constant(1.5)

    x = tf.constant(1.0, tf.float16)
    with pytest.raises(TypeError):
        f(x)
    asked(dtype_conversion_mode="all")
    assert f(x).dtype == tf.float16
    assert f(x).dtype == tf.float16
    assert f(tf.constant(1)).weak
    assert not f(tf.constant(1.0, tf.float32)).weak
    asked(dtype_conversion_mode=None)
    with pytest.raises(TypeError):
        f(x)


def test_safe_says_what_it_refuses(asked):
    asked(dtype_conversion_mode="safe")
    with pytest.raises(TypeError, match=r"between \(<dtype: 'int32'>, weak=False\) and"):
        tf.constant(1, tf.int32) + 1.5


def test_unknown_modes_are_refused():
    with pytest.raises(ValueError, match="'all', 'legacy', 'safe'"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="loose")


def test_numbers_that_do_not_fit_are_refused(asked):
    asked(dtype_conversion_mode="all")
    with pytest.raises(ValueError, match="does not fit"):
        tf.constant(5, tf.int32) + 2**40


def test_weak_tensors_in_text(asked):
    asked(dtype_conversion_mode="all")
    assert repr(tf.constant(5)) == "<tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True>"
    assert str(tf.constant(5)) == "tf.Tensor(5, shape=(), dtype=int32, weak=True)"


def test_limits_of_dtypes():
    assert tnp.finfo(tf.float32).eps == np.finfo(np.float32).eps
    assert tnp.iinfo(tf.int8).max == 127
    assert tnp.array([1], dtype=tf.float64).dtype == tf.float64


def test_nobody_looks_once_no_context_asks(asked):
    asked(dtype_conversion_mode="all")
    assert SWITCH.promoting is not None
    asked(dtype_conversion_mode=None)
    assert SWITCH.promoting is None and not SWITCH.on
    contextvars.copy_context().run(asked, dtype_conversion_mode="safe")
    gc.collect()
    assert SWITCH.promoting is None and not SWITCH.on


def test_who_begins_to_ask_as_the_last_one_ends(asked, monkeypatch):
    def ask():
        asked(dtype_conversion_mode="all")
        begun.set()
        done.wait(60)
        asked(dtype_conversion_mode=None)

    class Asking(weakref.WeakSet):
        def __iter__(self):  # between what is found and what is made of it
            found = list(super().__iter__())
            if not thread.ident:
                thread.start()
                begun.wait(0.2)
            return iter(found)

    thread, begun, done = threading.Thread(target=ask), threading.Event(), threading.Event()
    monkeypatch.setattr(promotion, "_ASKING", Asking())
    asked(dtype_conversion_mode=None)
    assert begun.wait(60) and SWITCH.promoting is not None
    done.set()
    thread.join(60)
    assert SWITCH.promoting is None
