"""Elements whose types say how they are stacked (covers `graphrt/function/batchable_type.py` and `row_types.py`, too)."""

import pytest

import graphrt as tf

D = tf.data.Dataset


class _Ends(tf.experimental.ExtensionTypeBatchEncoder):
    """Encodes both ends of an interval as one tensor."""

    def encode(self, spec, value, minimum_rank=0):
        return {"both": tf.stack([value.low, value.high], axis=-1)}

    def encoding_specs(self, spec):
        return {"both": tf.TensorSpec([*spec.low.shape, 2], spec.low.dtype)}

    def decode(self, spec, encoded_value):
        return Interval(*tf.unstack(encoded_value["both"], axis=-1))


class Interval(tf.experimental.BatchableExtensionType):
    low: tf.Tensor
    high: tf.Tensor
    __batch_encoder__ = _Ends()


class Page(tf.experimental.BatchableExtensionType):
    """Has a ragged field, a nested type and a static shape: the encoder that all types have is enough."""

    words: tf.RaggedTensor
    place: Interval
    shape: tf.TensorShape
    number: int = 3


class _Pairs(tf.experimental.ExtensionTypeBatchEncoder):
    """Batches pairs end to end, not along a new dimension."""

    def batch(self, spec, batch_size):
        return Pairs.Spec(tf.TensorSpec([None if batch_size is None else 2 * batch_size], spec.ends.dtype))

    def unbatch(self, spec):
        return Pairs.Spec(tf.TensorSpec([2], spec.ends.dtype))

    def encode(self, spec, value, minimum_rank=0):
        return tf.reshape(value.ends, [-1, 2]) if minimum_rank else value.ends

    def encoding_specs(self, spec):
        return tf.TensorSpec([2], spec.ends.dtype)

    def decode(self, spec, encoded_value):
        return Pairs(tf.reshape(encoded_value, [-1]))


class Pairs(tf.experimental.BatchableExtensionType):
    ends: tf.Tensor
    __batch_encoder__ = _Pairs()


THREE = Interval([1, 2, 3], [5, 6, 7])


def _seen(dataset):
    return [(x.low.numpy().tolist(), x.high.numpy().tolist()) for x in dataset]


def test_encoded_values_are_batched_and_taken_apart():
    rows = D.from_tensor_slices(THREE)
    assert _seen(rows) == [(1, 5), (2, 6), (3, 7)]
    assert _seen(rows.batch(2)) == [([1, 2], [5, 6]), ([3], [7])]
    assert _seen(D.from_tensors(THREE).unbatch()) == _seen(rows)
    assert _seen(D.from_tensors(THREE).rebatch(2)) == _seen(rows.batch(2))
    assert rows.batch(2, drop_remainder=True).element_spec.low.shape == [2]
    assert rows.batch(2).element_spec.low.shape.as_list() == [None]
    beside = D.from_tensor_slices({"a": THREE, "b": ([1.0, 2.0, 3.0],)}).batch(2)
    assert [(x["a"].high.numpy().tolist(), x["b"][0].numpy().tolist()) for x in beside] == [
        ([5, 6], [1.0, 2.0]),
        ([7], [3.0]),
    ]
    assert [[x.low.numpy().item() for x in window] for window in rows.window(2)] == [[1, 2], [3]]


def test_the_encoder_that_all_types_have():
    pages = Page(tf.ragged.constant([[1], [2, 3]]), Interval([1, 2], [3, 4]), tf.TensorShape([2, 5]))
    rows = D.from_tensor_slices(pages)
    assert [x.words.numpy().tolist() for x in rows] == [[1], [2, 3]]
    assert rows.element_spec.shape == [5]
    (batch,) = rows.batch(2)
    assert batch.words.to_list() == [[1], [2, 3]]
    assert (batch.place.high.numpy().tolist(), batch.number, batch.shape.as_list()) == ([3, 4], 3, [None, 5])
    assert batch.words.row_splits.dtype == tf.int64

    encoder = tf.experimental.ExtensionTypeBatchEncoder()
    spec = tf.type_spec_from_value(pages)
    words, place = encoder.encode(spec, pages)
    assert (words is pages.words, place is pages.place) == (True, True)
    assert encoder.encoding_specs(spec) == (spec.words, spec.place)
    assert encoder.decode(spec, (words, place)).place.low is pages.place.low
    assert encoder.unbatch(encoder.batch(spec, 7)) == spec
    with pytest.raises(ValueError, match="rank >= 1"):
        encoder.unbatch(tf.type_spec_from_value(Interval(1, 2)))


def test_batches_of_another_form():
    pairs = D.from_tensors(Pairs([1, 2])).repeat(3).batch(2)
    assert [x.ends.numpy().tolist() for x in pairs] == [[1, 2, 1, 2], [1, 2]]
    assert [x.ends.numpy().tolist() for x in D.from_tensor_slices(Pairs([1, 2, 3, 4]))] == [[1, 2], [3, 4]]
    sums = tf.map_fn(lambda x: tf.reduce_sum(x.ends), Pairs([1, 2, 3, 4]), fn_output_signature=tf.int32)
    assert sums.numpy().tolist() == [3, 7]


@pytest.mark.parametrize("traced", [False, True])
def test_map_fn(traced):
    def use():
        grown = tf.map_fn(lambda x: Interval(x.low * 2, x.high), THREE)
        spec = Interval.Spec(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
        made = tf.map_fn(lambda x: Interval(x, x + 1), tf.constant([1, 2]), fn_output_signature=spec)
        return grown.low, made.high

    low, high = (tf.function(use) if traced else use)()
    assert (low.numpy().tolist(), high.numpy().tolist()) == ([2, 4, 6], [2, 3])


def test_what_has_no_rows():
    with pytest.raises(TypeError, match="says|encoder"):
        D.from_tensor_slices(THREE).ragged_batch(2)


def test_windows_of_ragged_and_sparse_tensors():
    ragged, sparse = tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([[1, 0], [0, 2], [3, 0]])
    repeated = D.from_tensors(ragged).repeat(3).window(2)
    assert [[x.to_list() for x in window] for window in repeated] == [[ragged.to_list()] * 2, [ragged.to_list()]]
    both = D.from_tensor_slices((sparse, [1, 2, 3])).window(2)
    assert [[tf.sparse.to_dense(x).numpy().tolist() for x in a] for a, _ in both] == [[[1, 0], [0, 2]], [[3, 0]]]
    assert [[x.item() for x in b.as_numpy_iterator()] for _, b in both] == [[1, 2], [3]]
