"""Public functions on edge values, at once, traced and traced without known ranks: TensorFlow's values and errors."""

import builtins
import importlib.util
import re

import numpy as np
import pytest

import graphrt as tf
from tests import whole
from tests.golden import public_edge_runner as runner
from tests.graphrt.ops.test_ops_edge_values import problem_with

HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None
GROUPS: dict[tuple[str, str], list[runner.Call]] = {}  # by the file, and how the text of a call begins
for _name in runner.files():
    for _call in runner.calls(_name):
        GROUPS.setdefault((_name, re.split(r"[(\[]", _call.text)[0]), []).append(_call)
RECORDED = {name: runner.recorded(name) for name in runner.files()}
MEANT = {
    (name, text, number): reason
    for name in runner.files()
    for reason, calls in runner.differences(name).items()
    for text, numbers in calls.items()
    for number in numbers
}
TOGETHER = 20  # functions that one test is about: what is wrong says the call
BLOCKS = [(name, part) for name in runner.files() for part in range(0, sum(n == name for n, _ in GROUPS), TOGETHER)]
each_block = pytest.mark.parametrize(("name", "part"), BLOCKS)


def starts(name, part):
    return [start for n, start in GROUPS if n == name][part : part + TOGETHER]


def error_class(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name, None)


def problem(ours, theirs):
    """What is wrong with a result, or None."""
    if isinstance(ours, str) or isinstance(theirs, str):
        same = isinstance(ours, str) and isinstance(theirs, str)
        kinds = [error_class(v) for v in (ours, theirs)] if same else [None, None]
        if same and (ours == theirs or (None not in kinds and issubclass(*kinds))):
            return None
        return f"{ours}, not {theirs}"
    if len(ours) != len(theirs):
        return f"{len(ours)} leaves, not {len(theirs)}"
    for a, b in zip(ours, theirs):
        told = problem_with([a], [b]) if isinstance(a, list) and isinstance(b, list) else a != b and f"{a}, not {b}"
        if told:
            return told
    return None


def usable(name, call):
    """The cases that are looked at, with what TensorFlow gave."""
    numbers = call.numbers()
    assert len(RECORDED[name][call.text]) == len(numbers)
    for number, theirs in zip(numbers, RECORDED[name][call.text]):
        if theirs is not None and (HAS_BFLOAT16 or all(v.dtype != "bfloat16" for v in call.cases[number])):
            yield number, theirs


@each_block
def test_as_tensorflow(name, part):
    wrong = []
    for call in (call for start in starts(name, part) for call in GROUPS[name, start]):
        for number, theirs in usable(name, call):
            told = problem(runner.eager(tf, call, number), theirs)
            if told and (name, call.text, number) not in MEANT:
                wrong.append(f"{call.text}: {number} {call.cases[number]}: {told}")
    assert not wrong, "\n".join(wrong)


def traced(call, numbers, known):
    """The results of some cases, by one traced function of all their arguments.

    `known` says of each case whether the shapes of its arguments are; else not even the ranks are.
    """
    given = [v for number in numbers for v in call.cases[number]]
    kinds = [k for number, k in zip(numbers, known) for _ in call.cases[number]]
    specs = [tf.TensorSpec(v.array.shape if k else None, v.dtype) for v, k in zip(given, kinds)]

    def function(*tensors):
        left = iter(tensors)
        return [runner.evaluated(tf, call, [next(left) for _ in call.cases[number]]) for number in numbers]

    with np.errstate(all="ignore"):
        found = tf.function(function, input_signature=specs, autograph=False)(*(runner.tensor(tf, v) for v in given))
    return [[runner.shown(leaf) for leaf in leaves] for leaves in found]


@each_block
def test_traced_is_eager(name, part):
    wrong = []
    for start in starts(name, part):
        for turn, call in enumerate(GROUPS[name, start]):
            wrong += differences_of(name, call, turn) if call.traced and start not in LEFT_OUT else []
    assert not wrong, "\n".join(wrong)


def differences_of(name, call, turn):
    """Where a traced call gives something else than the same one at once."""
    numbers = whole.some((number for number, _ in usable(name, call)), 1, turn)
    found = {number: runner.eager(tf, call, number) for number in numbers}
    given = [number for number, result in found.items() if not isinstance(result, str)]
    for known in ([number % 2 == 0 for number in given], [True] * len(given)):
        try:
            results = traced(call, given, known) if given else []
            break
        except Exception as error:
            if not any(word in str(error) for word in NEEDS):
                return [f"{call.text}: {type(error).__name__}: {error}"]
    else:
        return []
    pairs = ((number, problem(result, found[number])) for number, result in zip(given, results))
    return [f"{call.text}: {number} {call.cases[number]}: traced {told}" for number, told in pairs if told]


# What functions say that cannot be traced, or not without known shapes.
NEEDS = (
    "must be known", "known rank", "is statically known", "'images' contains no shape", "of a static shape",
    "Number of mask dimensions must be specified", "Cannot infer argument `num`", "a symbolic tensor has no elements",
    "Using a symbolic `tf.Tensor` as", "needs values that are known", "only be used in eager mode",
    "Python functions must return zero or more Tensors", "its rank is not known", "found shape <unknown>",
)  # fmt: skip
TRACED_DIFFERS = {
    "the dtype of what is a Python number at once": (
        "kops.shape", "tnp.size", "tnp.ndim", "tnp.shape", "kops.dtype", "tf.broadcast_static_shape",
    ),
    "a scalar where a traced function takes no tensor of an unknown rank for one": ("kops.repeat",),
    "an empty list of indices has no dtype in a graph": ("tf.gather",),
    "refused while tracing, where nothing is looked at eagerly": (
        "tf.linalg.tensor_diag_part", "tf.reverse_sequence", "tf.image.adjust_hue", "tf.image.adjust_saturation",
        "tf.image.stateless_random_hue", "tf.image.stateless_random_saturation", "tnp.flip", "tnp.fliplr", "tnp.tensordot",
        "tf.signal.inverse_stft_window_fn",
    ),
    "layers and losses of Keras need the ranks": (
        "tf.keras.losses.sparse_categorical_crossentropy", "tf.keras.metrics.top_k_categorical_accuracy", "tnp.vander",
        "tf.nn.safe_embedding_lookup_sparse",
    ),
    "the parts of what is no number, which NumPy has at once": ("kops.imag", "kops.real", "tnp.imag", "tnp.real"),
    "it asks whether it is traced": ("tf.is_symbolic_tensor",),
    "the rows of nothing have a shape in a graph": ("tf.map_fn",),
    "a number is no condition in a graph": ("tf.cond",),
    "the greatest of nothing, in a ragged tensor": ("tf.reduce_max",),
    "a window of one element, with a beta that is NaN": ("tf.signal.kaiser_window",),
    "NaN parts of complex numbers, computed in another order": ("tf.keras.losses.MeanSquaredError",),
}  # fmt: skip
LEFT_OUT = {start for starts in TRACED_DIFFERS.values() for start in starts}
