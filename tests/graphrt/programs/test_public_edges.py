"""Public functions on edge values, at once, traced and traced without known ranks: TensorFlow's values and errors."""

import pytest

import graphrt as tf
from tests import public_edges, whole
from tests.golden import public_edge_runner as runner

GROUPS: dict[tuple[str, str], list[runner.Call]] = {}  # by the file, and how the text of a call begins
for _name in runner.files():
    for _call in runner.calls(_name):
        GROUPS.setdefault((_name, public_edges.start_of(_call.text)), []).append(_call)
RECORDED = {name: runner.recorded(name) for name in runner.files()}
MEANT = {name: public_edges.meant(name) for name in runner.files()}
TOGETHER = 20  # functions that one test is about: what is wrong says the call
BLOCKS = [(name, part) for name in runner.files() for part in range(0, sum(n == name for n, _ in GROUPS), TOGETHER)]
each_block = pytest.mark.parametrize(("name", "part"), BLOCKS)


def starts(name, part):
    return [start for n, start in GROUPS if n == name][part : part + TOGETHER]


@each_block
def test_as_tensorflow(name, part):
    wrong = []
    for call in (call for start in starts(name, part) for call in GROUPS[name, start]):
        for number, theirs in public_edges.usable(call, RECORDED[name][call.text]):
            told = public_edges.problem(runner.eager(tf, call, number), theirs)
            if told and (call.text, number) not in MEANT[name]:
                wrong.append(f"{call.text}: {number} {call.cases[number]}: {told}")
    assert not wrong, "\n".join(wrong)


@each_block
def test_traced_is_eager(name, part):
    wrong = []
    begun = starts(name, part)
    for start in begun if name != "gradients" else whole.some(begun, 5):  # they are long programs
        for turn, call in enumerate(GROUPS[name, start]):
            if call.traced and start not in LEFT_OUT:
                cases = public_edges.usable(call, RECORDED[name][call.text])
                wrong += public_edges.differences_when_traced(call, whole.some((n for n, _ in cases), 1, turn))
    assert not wrong, "\n".join(wrong)


TRACED_DIFFERS = {
    "the dtype of what is a Python number at once": (
        "kops.shape", "tnp.size", "tnp.ndim", "tnp.shape", "kops.dtype", "tf.broadcast_static_shape",
    ),
    "a scalar where a traced function takes no tensor of an unknown rank for one": ("kops.repeat",),
    "an empty list of indices has no dtype in a graph": ("tf.gather",),
    "refused while tracing, where nothing is looked at eagerly": (
        "tf.linalg.tensor_diag_part", "tf.reverse_sequence", "tf.image.adjust_hue", "tf.image.adjust_saturation",
        "tf.image.stateless_random_hue", "tf.image.stateless_random_saturation", "tnp.flip", "tnp.fliplr", "tnp.tensordot",
        "tf.signal.inverse_stft_window_fn", "grad(lambda x: tf.reverse",
    ),
    "layers and losses of Keras need the ranks": (
        "tf.keras.losses.sparse_categorical_crossentropy", "tf.keras.metrics.top_k_categorical_accuracy", "tnp.vander",
        "tf.nn.safe_embedding_lookup_sparse",
    ),
    "the parts of what is no number, which NumPy has at once": ("kops.imag", "kops.real", "tnp.imag", "tnp.real"),
    "the text of Python, which is a tensor when it leaves a traced function": ('"x" % a', 'b"\\xff" % a'),
    "labels and logits that broadcast, of unknown ranks": (
        "grad(lambda x, y: tf.nn.softmax_cross_entropy_with_logits",
    ),
    "it asks whether it is traced": ("tf.is_symbolic_tensor",),
    "the rows of nothing have a shape in a graph": ("tf.map_fn",),
    "a number is no condition in a graph": ("tf.cond",),
    "the greatest of nothing, in a ragged tensor": ("tf.reduce_max",),
    "a window of one element, with a beta that is NaN": ("tf.signal.kaiser_window",),
    "NaN parts of complex numbers, computed in another order": ("tf.keras.losses.MeanSquaredError",),
}  # fmt: skip
LEFT_OUT = {start for starts in TRACED_DIFFERS.values() for start in starts}
