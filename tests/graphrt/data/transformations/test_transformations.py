"""Pipelines against what TensorFlow made of them (`tests/golden/record_data.py`).

Covers: graphrt/data/arguments.py, graphrt/data/dataset.py, graphrt/data/declaration.py, graphrt/data/elements.py,
  graphrt/data/experimental.py, graphrt/data/options.py, graphrt/data/pipeline.py, graphrt/data/seeds.py,
  graphrt/data/structure.py, graphrt/data/structured_function.py.
"""

import json

import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden.data_cases import CASES
from tests.golden.record_data import outcome

RECORDED = json.loads((GOLDEN / "data.json").read_text())

# Where this runtime means to differ; docs/data.md says why.
DIFFERENT = {
    # a dataset of datasets cannot be batched: said when it is made, not when it is read
    "batch_of_windows": {"raises": ["TypeError"], "when": "made"},
    # internal AttributeErrors there, errors about the function's result here
    "filter_no_scalar": {"raises": ["ValueError"], "when": "made"},
    "nested_flat_map_no_dataset": {"raises": ["TypeError"], "when": "made"},
    # a mistake of the program, found while tracing, as in `scan`
    "value_reduce_structure": {"raises": ["TypeError"], "when": "made"},
}


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name):
    expected, found = RECORDED[name], json.loads(json.dumps(outcome(tf, CASES[name])))
    if name in DIFFERENT:
        assert found == DIFFERENT[name]
        return
    if "raises" in expected:
        assert "raises" in found, found
        assert found.pop("when", None) == expected.get("when")
        recorded = expected["raises"]
        assert recorded[0] in found.pop("raises")
        expected = {k: v for k, v in expected.items() if k not in ("raises", "when")}
    assert found == expected


def test_every_case_is_recorded():
    assert list(RECORDED) == list(CASES)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda n: tf.data.Dataset.range(n), "stop"),
        (lambda n: tf.data.Dataset.range(5).batch(n), "batch_size"),
        (lambda n: tf.data.Dataset.range(5).padded_batch(n), "batch_size"),
        (lambda n: tf.data.Dataset.range(5).take(n), "count"),
        (lambda n: tf.data.Dataset.range(5).window(n), "size"),
        (lambda n: tf.data.Dataset.range(5).shuffle(n), "buffer_size"),
        (lambda n: tf.data.Dataset.range(5).batch(2).rebatch([n]), "batch_sizes"),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_sizes_are_scalars(make, name, traced):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{name} must be a scalar"):
        (tf.function(lambda n: make(n).cardinality()) if traced else make)(tf.constant([2], tf.int64))


def test_functions_know_the_shape_of_sparse_elements():
    rows = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0, 2], [0, 0, 3]]))
    assert rows.map(lambda x: (x * 2, tf.sparse.to_dense(x))).element_spec == (
        tf.SparseTensorSpec([3], tf.int32), tf.TensorSpec([3], tf.int32)
    )  # fmt: skip
    batches = rows.batch(2)
    dense = batches.map(tf.sparse.to_dense)
    assert (batches.element_spec.shape.as_list(), dense.element_spec.shape.as_list()) == ([None, 3], [None, 3])
    assert [x.tolist() for x in dense.as_numpy_iterator()] == [[[1, 0, 2], [0, 0, 3]]]


def test_what_has_no_rows_or_cannot_be_padded():
    scalars = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([1, 0, 2]))
    with pytest.raises(ValueError, match="Unbatching a sparse tensor is only supported for rank >= 1"):
        scalars.unbatch()
    windows = tf.data.Dataset.range(5).window(2)
    with pytest.raises(TypeError, match="only supported for datasets that produce tensor elements"):
        windows.bucket_by_sequence_length(lambda x: 1, [2], [2, 2])
    with pytest.raises(TypeError, match="elements have a single component"):
        windows.sparse_batch(2, [2])


def test_ragged_and_sparse_elements_are_cut_into_sizes_that_go_round():
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3], [4, 5, 6]]))
    assert [x.numpy().tolist() for x in ragged.rebatch([1, 2])] == [[1], [2, 3], [4], [5, 6]]
    assert [x.to_list() for x in ragged.batch(3).rebatch([1, 2])] == [[[1, 2]], [[], [3]], [[4, 5, 6]]]
    sparse = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2], [3, 0]])).batch(3)
    assert [tf.sparse.to_dense(x).numpy().tolist() for x in sparse.rebatch([2, 1])] == [[[1, 0], [0, 2]], [[3, 0]]]


def test_rows_of_what_holds_none_and_known_sizes():
    pairs = tf.data.Dataset.range(3).map(lambda x: (x, None))
    assert [(x.numpy().tolist(), y) for x, y in pairs.batch(2).rebatch(3)] == [([0, 1, 2], None)]
    assert [(x.numpy(), y) for x, y in pairs.batch(2).unbatch()] == [(0, None), (1, None), (2, None)]
    assert tf.data.Dataset.range(8).batch(4, True).rebatch(2).element_spec.shape.as_list() == [2]


def test_what_is_forgotten_or_of_another_structure():
    with pytest.raises(TypeError, match="returns None, where an element has at least one tensor"):
        tf.data.Dataset.range(3).map(lambda x: None)
    with pytest.raises(ValueError, match="does not have the structure of the elements"):
        tf.data.Dataset.from_tensors({"a": [1, 2]}).padded_batch(2, padded_shapes=[None])


MANY = 2**40
WIDE = {
    "prefetch": lambda d: d.prefetch(MANY),
    "map": lambda d: d.map(lambda x: x, num_parallel_calls=MANY),
    "shuffle": lambda d: d.shuffle(MANY).filter(lambda x: x >= 0),
    "interleave": lambda d: d.interleave(tf.data.Dataset.from_tensors, MANY),
    "parallel interleave": lambda d: d.interleave(tf.data.Dataset.from_tensors, MANY, num_parallel_calls=MANY),
    "batch": lambda d: d.batch(MANY).unbatch(),
}


@pytest.mark.parametrize("name", WIDE)
def test_sizes_cost_what_there_is(name):
    assert sorted(WIDE[name](tf.data.Dataset.range(5)).as_numpy_iterator()) == [0, 1, 2, 3, 4]


def test_padding_is_held_to_the_limit_of_bytes():
    lists = tf.data.Dataset.range(1, 3).map(tf.range)
    with (
        tf.config.limits(bytes=1000),
        pytest.raises(tf.errors.ResourceExhaustedError, match="the padded batch would take"),
    ):
        list(lists.padded_batch(2, [1000]))


def test_how_many_rows_unbatch_gives():
    ragged, sparse = tf.ragged.constant([[1, 2], [], [3]]), tf.sparse.from_dense([[1, 0], [0, 2]])
    for value, count in ((ragged, 3), (sparse, 2), ((tf.zeros((3, 2)), ragged), 3), ((tf.zeros((3, 2)), None), 3)):
        dataset = tf.data.Dataset.from_tensors(value).unbatch()
        assert int(dataset.cardinality()) == count == len(list(dataset))
    with pytest.raises(ValueError, match=r"one number of rows, found \[2, 3\]"):
        tf.data.Dataset.from_tensors(([1, 2], [1, 2, 3])).unbatch()
