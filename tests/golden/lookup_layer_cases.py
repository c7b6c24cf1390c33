"""Programs of the layers that look up tokens, and what TensorFlow (Keras 3) gave; kept in `lookup_layers.json`."""

CASES = """
L.StringLookup(vocabulary=["a", "b"])([["a", "z"]])
L.StringLookup(vocabulary=["a", "b"]).get_vocabulary()
L.StringLookup(vocabulary=["a", "b"], mask_token="").get_vocabulary()
L.StringLookup(vocabulary=["a", "b"], mask_token="")(tf.constant(["", "q", "b"]))
L.StringLookup(vocabulary=["a", "b"], num_oov_indices=3)(tf.constant(["x", "y", "z", "b", "w"]))
L.StringLookup(vocabulary=["a", "b"], num_oov_indices=3).get_vocabulary()
L.StringLookup(vocabulary=["a", "b"], num_oov_indices=0)(tf.constant(["a", "b"]))
L.StringLookup(vocabulary=["a", "b"], num_oov_indices=0)(tf.constant(["a", "c"]))
L.StringLookup(vocabulary=["[UNK]", "a", "b"])(tf.constant(["a", "c"]))
L.StringLookup(vocabulary=["", "[UNK]", "a", "b"], mask_token="")(tf.constant(["a", "c", ""]))
L.StringLookup(vocabulary=["a", "[UNK]", "b"])
L.StringLookup(vocabulary=["a", "b", "a"])
L.StringLookup(vocabulary=["a", "b"], max_tokens=2)
L.StringLookup(vocabulary=["a", "b"], invert=True)(tf.constant([[1, 2], [0, 5]]))
L.StringLookup(vocabulary=["a", "b"], invert=True, mask_token="")(tf.constant([[1, 2], [0, 5]]))
L.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")(tf.constant(["a", "c", "b"]))
L.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")(tf.constant([["a"], ["c"]]))
L.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot")(tf.constant([["a", "c"], ["a", "a"]]))
L.StringLookup(vocabulary=["a", "b"], output_mode="count")(tf.constant([["a", "c"], ["a", "a"]]))
L.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot", pad_to_max_tokens=True, max_tokens=6)(tf.constant([["a"]]))
L.StringLookup(vocabulary=["a", "b"], output_mode="tf_idf", idf_weights=[0.5, 0.25])(tf.constant([["a", "c", "a"]]))
L.StringLookup(vocabulary=["a", "b"], output_mode="count", mask_token="")(tf.constant([["a", "c", "a"]]))
L.StringLookup(vocabulary=["a", "b"]).vocabulary_size()
L.StringLookup(vocabulary=["a", "b"])(tf.ragged.constant([["a"], ["b", "q"]])).to_list()
L.StringLookup(output_mode="nothing")
L.StringLookup(max_tokens=1)
L.StringLookup(invert=True, output_mode="count")
adapted(L.StringLookup(), ["b", "a", "b", "c", "c", "b"]).get_vocabulary()
adapted(L.StringLookup(max_tokens=3), ["b", "a", "b", "c", "c", "b"]).get_vocabulary()
adapted(L.StringLookup(mask_token="b"), ["b", "a", "b", "c", "c", "b"]).get_vocabulary()
adapted(L.StringLookup(), [["b", "a"], ["b", "c"]]).get_vocabulary()
adapted(L.StringLookup(output_mode="tf_idf"), [["b", "a"], ["b", "c"]])(tf.constant([["b", "b", "c", "q"]]))
adapted(L.StringLookup(), tf.data.Dataset.from_tensor_slices(["x", "y", "y"]).batch(2)).get_vocabulary()
L.StringLookup(vocabulary=["a", "b"])(tf.constant("b"))
L.IntegerLookup(vocabulary=[10, 20])([10, 5])
L.IntegerLookup(vocabulary=[10, 20]).get_vocabulary()
L.IntegerLookup(vocabulary=[10, 20], mask_token=0).get_vocabulary()
L.IntegerLookup(vocabulary=[10, 20], mask_token=0)(tf.constant([[0, 10], [7, 20]]))
L.IntegerLookup(vocabulary=[10, 20], num_oov_indices=2)(tf.constant([1, 2, 3, 10]))
L.IntegerLookup(vocabulary=[10, 20], invert=True)(tf.constant([0, 1, 2, 9]))
L.IntegerLookup(vocabulary=[10, 20], output_mode="multi_hot")(tf.constant([[10, 5], [20, 20]]))
L.IntegerLookup(vocabulary=[10, 20], output_mode="one_hot")(tf.constant([10, 5]))
adapted(L.IntegerLookup(), [3, 1, 3, 2, 2, 3]).get_vocabulary()
adapted(L.TextVectorization(max_tokens=10, output_sequence_length=4), ["foo bar", "bar baz!"])(["foo qux"])
adapted(L.TextVectorization(), ["foo bar", "bar baz!"]).get_vocabulary()
adapted(L.TextVectorization(), ["foo bar", "bar baz!"])(tf.constant(["bar foo baz", "x"]))
adapted(L.TextVectorization(), ["foo bar", "bar baz!"])(tf.constant([["bar foo baz"], ["x"]]))
adapted(L.TextVectorization(ngrams=2), ["foo bar baz", "bar baz"]).get_vocabulary()
adapted(L.TextVectorization(ngrams=(1, 3)), ["foo bar baz", "bar baz"]).get_vocabulary()
adapted(L.TextVectorization(split="character"), ["abca"]).get_vocabulary()
adapted(L.TextVectorization(standardize=None), ["Foo foo!"]).get_vocabulary()
adapted(L.TextVectorization(standardize="lower"), ["Foo foo!"]).get_vocabulary()
adapted(L.TextVectorization(standardize="strip_punctuation"), ["Foo foo!"]).get_vocabulary()
adapted(L.TextVectorization(standardize=lambda x: tf.strings.upper(x)), ["Foo foo!"]).get_vocabulary()
adapted(L.TextVectorization(split=lambda x: tf.strings.split(x, "-")), ["a-b c"]).get_vocabulary()
adapted(L.TextVectorization(split=None), ["a b", "c"]).get_vocabulary()
adapted(L.TextVectorization(output_mode="multi_hot"), ["foo bar", "bar baz"])(tf.constant(["bar bar q", "foo"]))
adapted(L.TextVectorization(output_mode="count"), ["foo bar", "bar baz"])(tf.constant(["bar bar q", "foo"]))
adapted(L.TextVectorization(output_mode="tf_idf"), ["foo bar", "bar baz"])(tf.constant(["bar bar q", "foo"]))
adapted(L.TextVectorization(output_mode="count", pad_to_max_tokens=True, max_tokens=6), ["foo"])(tf.constant(["foo foo"]))
adapted(L.TextVectorization(ragged=True), ["foo bar", "bar"])(tf.constant(["foo bar", "q"])).to_list()
adapted(L.TextVectorization(max_tokens=3), ["foo bar", "bar"]).get_vocabulary()
L.TextVectorization(vocabulary=["foo", "bar"])(tf.constant(["bar baz foo"]))
L.TextVectorization(vocabulary=["foo", "bar"], output_sequence_length=2)(tf.constant(["bar baz foo", "x"]))
L.TextVectorization(vocabulary=["foo", "bar"])(tf.constant("bar baz"))
L.TextVectorization(vocabulary=["foo", "bar"]).get_vocabulary(include_special_tokens=False)
L.TextVectorization(output_mode="count", output_sequence_length=3)
L.TextVectorization(standardize="nothing")
L.TextVectorization(vocabulary=["foo", "bar"]).vocabulary_size()
""".strip().splitlines()


def adapted(layer, data):
    layer.adapt(data)
    return layer


def result(tf, case):
    """What a case gives, as JSON: dtype and values of tensors, values of others, `refused` where it fails."""
    try:
        value = eval(case, {"tf": tf, "L": tf.keras.layers, "adapted": adapted})
    except Exception:
        return "refused"
    if isinstance(value, (list, int)):
        return [v.decode() if isinstance(v, bytes) else v if isinstance(v, (list, str)) else int(v) for v in value] if (
            isinstance(value, list)
        ) else value
    if not hasattr(value, "numpy"):
        return type(value).__name__
    array = value.numpy()
    if array.dtype == object:
        return ["string", [v.decode() for v in array.reshape(-1)]]
    return [array.dtype.name, [round(float(v), 5) for v in array.reshape(-1)], list(array.shape)]
