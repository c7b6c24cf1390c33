"""Messages of examples, and features asked of them: expressions over `tf`, which TensorFlow and graphrt evaluate."""

import numpy as np


def example(tf, kind="Example", context=None, lists=None, **features):
    """A serialized message of plain values."""

    def feature(values):
        if values and isinstance(values[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if values and isinstance(values[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values)) if values is not None else tf.train.Feature()

    if kind == "Example":
        return tf.train.Example(features=tf.train.Features(feature={k: feature(v) for k, v in features.items()})).SerializeToString()
    steps = {k: tf.train.FeatureList(feature=[feature(v) for v in rows]) for k, rows in (lists or {}).items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={k: feature(v) for k, v in (context or {}).items()}),
        feature_lists=tf.train.FeatureLists(feature_list=steps)).SerializeToString()


DATA = {
    "one": lambda tf: example(tf, a=[1, 2], s=[b"x"], f=[0.5, 1.5, -2.0], e=[], n=None),
    "batch": lambda tf: [example(tf, a=[1, 2], s=[b"x"], f=[0.5], i=[3, 1], w=[0.25, 4.0]), example(tf, a=[5, 6], f=[2.0, 3.0, 4.0], s=[b"p", b"q"], i=[7], w=[9.0]), example(tf, a=[7, 8], i=[], w=[])],
    "parts": lambda tf: [example(tf, v=[1, 2, 3, 4, 5, 6], l=[2, 0, 4], p=[0, 2, 2, 6], b=[0, 2, 2], u=[2, 2, 6], r=[0, 0, 2, 2, 2, 2]), example(tf, v=[7, 8], l=[1, 1], p=[0, 1, 2], b=[0, 1], u=[1, 2], r=[0, 1]), example(tf, v=[], l=[], p=[0], b=[], u=[], r=[])],
    "part": lambda tf: example(tf, v=[1, 2, 3, 4, 5, 6], l=[2, 0, 4], p=[0, 2, 2, 6], b=[0, 2, 2], u=[2, 2, 6], r=[0, 0, 2, 2, 2, 2], o=[1, 2]),
    "sequence": lambda tf: example(tf, "S", {"n": [7], "c": [b"u", b"v"]}, {"t": [[1, 2], [3, 4]], "w": [[0.5], [], [1.0, 2.0]], "z": []}),
    "sequences": lambda tf: [example(tf, "S", {"n": [7]}, {"t": [[1, 2], [3, 4]], "w": [[0.5], [1.5]]}), example(tf, "S", {"n": [8], "c": [b"u"]}, {"t": [[5, 6]], "w": []})],
    "none": lambda tf: np.zeros(0, object),
}  # fmt: skip
I = "tf.io."
FIX, VAR, SEQ, RAG, SPA = f"{I}FixedLenFeature", f"{I}VarLenFeature", f"{I}FixedLenSequenceFeature", f"{I}RaggedFeature", f"{I}SparseFeature"
FEATURES = [
    f"{{'a': {FIX}([2], tf.int64)}}", f"{{'a': {FIX}([1, 2], tf.int64), 's': {VAR}(tf.string)}}", f"{{'a': {VAR}(tf.int64), 'f': {VAR}(tf.float32), 'q': {VAR}(tf.float32)}}",
    f"{{'f': {FIX}([], tf.float32)}}", f"{{'f': {FIX}([3], tf.float32)}}", f"{{'f': {FIX}([1], tf.float32, [9.])}}", f"{{'q': {FIX}([2], tf.int64, [5, 6]), 'z': {FIX}([], tf.string, 'none')}}", f"{{'q': {FIX}([2], tf.int64)}}",
    f"{{'a': {FIX}([2], tf.float32)}}", f"{{'a': {VAR}(tf.string)}}", f"{{'a': {FIX}([3], tf.int64)}}", f"{{'a': {SEQ}([], tf.int64, True), 'f': {SEQ}([], tf.float32, True, default_value=-1.)}}", f"{{'a': {SEQ}([2], tf.int64, True)}}",
    f"{{'f': {SEQ}([2], tf.float32, True)}}", f"{{'s': {SEQ}([], tf.string, True), 'q': {SEQ}([3], tf.int64, True)}}", f"{{'a': {SEQ}([], tf.int64)}}", f"{{'a': {RAG}(tf.int64), 's': {RAG}(tf.string, row_splits_dtype=tf.int64), 'q': {RAG}(tf.float32)}}",
    f"{{'x': {RAG}(tf.float32, 'f')}}", f"{{'x': {SPA}('i', 'w', tf.float32, 10)}}", f"{{'x': {SPA}(['i', 'i'], 'w', tf.float32, [10, 11])}}", f"{{'x': {SPA}('i', 'w', tf.float32, 10, already_sorted=True)}}", "{}", "None",
    f"{{'a': {FIX}([None], tf.int64)}}", f"{{'e': {FIX}([0], tf.int64), 'n': {FIX}([], tf.int64, 4)}}", f"{{'e': {VAR}(tf.int64), 'n': {VAR}(tf.float32)}}", f"{{'n': {FIX}([], tf.int64)}}",
]  # fmt: skip
PARTITIONS = [
    "RowLengths('l')", "RowSplits('p')", "RowStarts('b')", "RowLimits('u')", "ValueRowIds('r')", "UniformRowLength(2)",
]  # fmt: skip
NESTED = [
    ["UniformRowLength(1)", "RowLengths('l')"], ["RowLengths('o')", "RowLengths('l')"], ["UniformRowLength(3)", "UniformRowLength(2)"],
]  # fmt: skip
SEQUENCES = [
    ("None", f"{{'t': {SEQ}([2], tf.int64)}}"), (f"{{'n': {FIX}([], tf.int64), 'c': {VAR}(tf.string)}}", f"{{'t': {SEQ}([2], tf.int64)}}"), ("None", f"{{'t': {VAR}(tf.int64), 'w': {VAR}(tf.float32)}}"),
    (f"{{'c': {FIX}([], tf.string, 'd'), 'n': {RAG}(tf.int64)}}", f"{{'w': {RAG}(tf.float32), 't': {RAG}(tf.int64)}}"), ("None", f"{{'q': {SEQ}([2], tf.int64)}}"), ("None", f"{{'q': {SEQ}([2], tf.int64, True), 't': {SEQ}([2], tf.int64)}}"),
    ("None", f"{{'t': {SEQ}([3], tf.int64)}}"), ("None", f"{{'t': {SEQ}([2], tf.float32)}}"), ("None", "None"), (f"{{'n': {FIX}([2], tf.int64)}}", "None"),
]  # fmt: skip
CASES = [
    *[("one", f"tf.io.parse_single_example(data, {f})") for f in FEATURES], *[("batch", f"tf.io.parse_example(data, {f})") for f in FEATURES],
    *[("none", f"tf.io.parse_example(tf.constant(data, tf.string), {f})") for f in FEATURES[:4]], ("one", f"tf.io.parse_example(data, {FEATURES[1]})"), ("batch", f"tf.io.parse_single_example(data, {FEATURES[1]})"),
    *[(d, f"tf.io.parse_{n}example(data, {{'x': {RAG}(tf.int64, 'v', partitions=[{I}RaggedFeature.{p}])}})") for p in PARTITIONS for d, n in (("part", "single_"), ("parts", ""))],
    *[("part", f"tf.io.parse_single_example(data, {{'x': {RAG}(tf.int64, 'v', partitions=[{', '.join(f'{I}RaggedFeature.{p}' for p in ps)}])}})") for ps in NESTED],
    *[("sequence", f"tf.io.parse_single_sequence_example(data, {c}, {s})") for c, s in SEQUENCES], *[("sequences", f"tf.io.parse_sequence_example(data, {c}, {s})") for c, s in SEQUENCES],
]  # fmt: skip


def shown(value):
    """A result as JSON."""
    if isinstance(value, dict):
        return {k: shown(value[k]) for k in sorted(value)}
    if isinstance(value, tuple) and not hasattr(value, "indices"):
        return [shown(v) for v in value]
    if hasattr(value, "dense_shape"):
        return {"sparse": [shown(value.indices), shown(value.values), shown(value.dense_shape)]}
    if hasattr(value, "nested_row_splits"):
        return {"ragged": [shown(value.flat_values), [shown(s) for s in value.nested_row_splits]]}
    array = np.asarray(value)
    flat = [v.decode() if isinstance(v, bytes) else v for v in array.reshape(-1).tolist()]
    return {"dtype": value.dtype.name, "shape": list(array.shape), "values": flat}


def static(value):
    """The static shapes of a traced result."""
    if isinstance(value, dict):
        return {k: static(value[k]) for k in sorted(value)}
    if isinstance(value, tuple) and not hasattr(value, "indices"):
        return [static(v) for v in value]
    if hasattr(value, "dense_shape"):
        return [static(value.indices), static(value.values)]
    if hasattr(value, "nested_row_splits"):
        return static(value.flat_values)
    return None if value.shape.rank is None else value.shape.as_list()


def answer(tf, case):
    name, expression = case
    data = DATA[name](tf)
    out = {}
    try:
        out["eager"] = shown(eval(expression, {"tf": tf, "data": data}))
    except Exception as error:
        out["eager"] = {"error": type(error).__name__}
    f = tf.function(lambda data: eval(expression, {"tf": tf, "data": data}), autograph=False)
    try:
        concrete = f.get_concrete_function(tf.TensorSpec([] if isinstance(data, bytes) else [None], tf.string))
        out["static"] = static(concrete.structured_outputs)
        out["graph"] = shown(f(tf.constant(data, tf.string)))
    except Exception as error:
        out["graph"] = {"error": type(error).__name__}
    return out
