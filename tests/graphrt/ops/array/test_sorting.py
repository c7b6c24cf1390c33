"""The greatest elements and sorted ones, in the order of a stable sort, however they are found."""

import numpy as np
import pytest

import graphrt as tf

RANDOM = np.random.default_rng(0)


def stable(x, k):
    """Rows sorted downwards by Python, of equal elements the first first, and NaN last."""
    flat = x.reshape(-1, x.shape[-1])
    places = [
        sorted(range(len(r)), key=lambda i: (bool(r[i] != r[i]), -float(r[i]) if r[i] == r[i] else 0.0))[:k]
        for r in flat
    ]
    return np.array(places, np.int32).reshape(*x.shape[:-1], k)


def arrays():
    yield RANDOM.standard_normal((5, 40)).astype(np.float32)
    yield RANDOM.integers(0, 4, (3, 2, 40)).astype(np.int32)
    yield RANDOM.integers(0, 3, (2, 33)).astype(np.float64)
    yield np.where(RANDOM.random((4, 40)) < 0.2, np.nan, RANDOM.standard_normal((4, 40)))
    yield RANDOM.choice([0.0, -0.0, 1.0], (4, 40)).astype(np.float32)
    yield RANDOM.integers(0, 5, (3, 40)).astype(np.float16)
    yield np.full((2, 40), np.inf, np.float32)
    yield np.full((3, 200), -np.inf)
    yield np.maximum(RANDOM.standard_normal((3, 205)) - 2, 0).astype(np.float32)
    yield np.zeros((0, 40), np.uint8)


@pytest.mark.parametrize("x", list(arrays()), ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize("k", [0, 1, 3, 9, 20, 33])
def test_top_k(x, k):
    found = tf.math.top_k(x, k)
    places = stable(x, k)
    np.testing.assert_array_equal(found.indices, places)
    assert found.values.numpy().tobytes() == np.take_along_axis(x, places, -1).tobytes()
    values = tf.function(lambda x: tf.math.top_k(x, k).values)(x)
    assert values.numpy().tobytes() == found.values.numpy().tobytes()


@pytest.mark.parametrize("x", list(arrays()), ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_sorting_in_a_function_gives_the_bits_of_sorting_at_once(x, direction):
    found = tf.sort(x, direction=direction)
    again = tf.function(lambda x: tf.sort(x, direction=direction))(x)
    assert again.numpy().tobytes() == found.numpy().tobytes()
    if not np.isnan(x.astype(float)).any():
        np.testing.assert_array_equal(found, np.sort(x, -1) if direction == "ASCENDING" else np.sort(x, -1)[..., ::-1])


def test_too_few_are_refused_alike():
    f = tf.function(lambda x, k: tf.math.top_k(x, k).values)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least k columns"):
        f(tf.ones([3]), tf.constant(4))


@pytest.mark.parametrize(
    ("call", "name", "fields"),
    [
        (lambda: tf.math.top_k([3.0, 1.0]), "TopKV2", "values indices"),
        (lambda: tf.unique([1, 1]), "Unique", "y idx"),
        (lambda: tf.unique_with_counts([1, 1]), "UniqueWithCounts", "y idx count"),
        (lambda: tf.linalg.qr(tf.eye(2)), "Qr", "q r"),
        (lambda: tf.linalg.lu(tf.eye(2)), "Lu", "lu p"),
        (lambda: tf.linalg.slogdet(tf.eye(2)), "LogMatrixDeterminant", "sign log_abs_determinant"),
        (
            lambda: tf.image.combined_non_max_suppression(tf.zeros([1, 1, 1, 4]), tf.ones([1, 1, 1]), 1, 1),
            "CombinedNonMaxSuppression",
            "nmsed_boxes nmsed_scores nmsed_classes valid_detections",
        ),
    ],
)
def test_several_results_have_names(call, name, fields):
    for found in (call(), tf.function(call)()):
        assert (type(found).__name__, " ".join(found._fields)) == (name, fields)
        assert getattr(found, fields.split()[-1]) is found[-1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_distinct_numbers_of_a_narrow_range_are_found_in_order(dtype):
    info = np.iinfo(dtype)
    generator = np.random.default_rng(4)
    for low, high in ((info.min, info.min + 50), (info.max - 50, info.max)):
        x = generator.integers(low, high, 300, dtype=dtype, endpoint=True)
        values, places, counts = tf.unique_with_counts(x)
        assert values.numpy().tolist() == list(dict.fromkeys(x.tolist())) and values.numpy().dtype == dtype
        assert values.numpy()[places.numpy()].tolist() == x.tolist()
        assert counts.numpy().tolist() == [x.tolist().count(v) for v in values.numpy().tolist()]
