"""Pipelines whose behaviour is recorded from TensorFlow (`record_data.py`) and compared (`tests/graphrt/data`).

A case is a function of the `tf` module that gives a dataset, or any structure of tensors; it may raise.
"""

from __future__ import annotations

import collections

import numpy as np

CASES = {}
LIMIT = 40  # elements that are looked at
Point = collections.namedtuple("Point", "x y")


def case(function):
    CASES[function.__name__] = function
    return function


def cases(prefix, **functions):
    for name, function in functions.items():
        CASES[f"{prefix}_{name}"] = function


def R(tf, *args, **kwargs):
    return tf.data.Dataset.range(*args, **kwargs)


def S(tf, value):
    return tf.data.Dataset.from_tensor_slices(value)


def i64(tf, value):
    return tf.constant(value, tf.int64)


cases(
    "range",
    stop=lambda tf: R(tf, 5),
    start_stop=lambda tf: R(tf, 2, 7),
    step=lambda tf: R(tf, 2, 9, 3),
    backwards=lambda tf: R(tf, 5, 0, -2),
    empty=lambda tf: R(tf, 5, 1),
    empty_backwards=lambda tf: R(tf, 1, 5, -1),
    float32=lambda tf: R(tf, 3, output_type=tf.float32),
    int32=lambda tf: R(tf, 1, 4, output_type=tf.int32),
    tensor_arguments=lambda tf: R(tf, tf.constant(3, tf.int64)),
    step_zero=lambda tf: R(tf, 1, 4, 0),
    no_arguments=lambda tf: R(tf),
    four_arguments=lambda tf: R(tf, 1, 2, 3, 4),
    bad=lambda tf: R(tf, "a"),
)
cases(
    "tensors",
    scalar=lambda tf: tf.data.Dataset.from_tensors(1),
    list=lambda tf: tf.data.Dataset.from_tensors([1, 2, 3]),
    tuple=lambda tf: tf.data.Dataset.from_tensors(([1, 2], 3.5)),
    dict=lambda tf: tf.data.Dataset.from_tensors({"b": 1, "a": ["x", "y"]}),
    nested=lambda tf: tf.data.Dataset.from_tensors(({"a": 1}, (2, {"c": 3.0}))),
    numpy=lambda tf: tf.data.Dataset.from_tensors(np.arange(6).reshape(2, 3)),
    none_part=lambda tf: tf.data.Dataset.from_tensors((1, None)),
    ragged_list=lambda tf: tf.data.Dataset.from_tensors([[1], [2, 3]]),
)
cases(
    "slices",
    vector=lambda tf: S(tf, [1, 2, 3]),
    matrix=lambda tf: S(tf, [[1, 2], [3, 4]]),
    strings=lambda tf: S(tf, ["a", "bc"]),
    tuple=lambda tf: S(tf, ([1, 2], [[3.0], [4.0]])),
    dict=lambda tf: S(tf, {"x": [1, 2], "y": ["a", "b"]}),
    namedtuple=lambda tf: S(tf, Point([1, 2], [3, 4])),
    bool_array=lambda tf: S(tf, np.array([True, False])),
    empty=lambda tf: S(tf, np.zeros((0, 2), np.float32)),
    scalar=lambda tf: S(tf, 3),
    lengths=lambda tf: S(tf, ([1, 2], [1, 2, 3])),
)
cases(
    "map",
    add=lambda tf: R(tf, 4).map(lambda x: x + 1),
    to_tuple=lambda tf: R(tf, 3).map(lambda x: (x, x * 2)),
    to_list=lambda tf: R(tf, 3).map(lambda x: [x, x * 2]),
    to_nested_list=lambda tf: R(tf, 3).map(lambda x: (x, [x, x])),
    to_dict=lambda tf: R(tf, 3).map(lambda x: {"a": x, "b": [x, 1]}),
    to_namedtuple=lambda tf: R(tf, 3).map(lambda x: Point(x, 1.0)),
    from_tuple=lambda tf: S(tf, ([1, 2], [3, 4])).map(lambda a, b: a * b),
    from_dict=lambda tf: S(tf, {"a": [1, 2], "b": [3, 4]}).map(lambda d: d["a"] - d["b"]),
    from_namedtuple=lambda tf: S(tf, Point([1, 2], [3, 4])).map(lambda p: p.x + p.y),
    from_nested=lambda tf: S(tf, ([1, 2], ([3, 4], [5, 6]))).map(lambda a, b: a + b[0] * b[1]),
    constant=lambda tf: R(tf, 2).map(lambda x: 7),
    strings=lambda tf: S(tf, ["a", "b"]).map(lambda s: s + "!"),
    parallel=lambda tf: R(tf, 6).map(lambda x: x * x, num_parallel_calls=3),
    autotune=lambda tf: R(tf, 6).map(lambda x: x * x, num_parallel_calls=tf.data.AUTOTUNE),
    control_flow=lambda tf: R(tf, 5).map(lambda x: x if x > 2 else -x),
    unknown_shape=lambda tf: R(tf, 3).map(lambda x: tf.range(x)),
    py_function=lambda tf: R(tf, 3).map(lambda x: tf.py_function(lambda v: v * 2, [x], tf.int64)),
    not_callable=lambda tf: R(tf, 3).map(3),
    arity=lambda tf: R(tf, 3).map(lambda a, b: a),
    divides_by_zero=lambda tf: R(tf, 3).map(lambda x: 6 // x),
    variable=lambda tf: (lambda v: R(tf, 3).map(lambda x: x + v))(tf.Variable(5, dtype=tf.int64)),
    zero_parallel=lambda tf: R(tf, 3).map(lambda x: x, num_parallel_calls=0),
    object=lambda tf: R(tf, 3).map(lambda x: object()),
    dataset=lambda tf: R(tf, 3).map(lambda x: R(tf, x)).flat_map(lambda ds: ds),
)
cases(
    "filter",
    simple=lambda tf: R(tf, 6).filter(lambda x: x % 2 == 0),
    tuple=lambda tf: S(tf, ([1, 2, 3], [3, 2, 1])).filter(lambda a, b: a < b),
    no_bool=lambda tf: R(tf, 3).filter(lambda x: x),
    no_scalar=lambda tf: R(tf, 3).filter(lambda x: [True, False]),
    python_bool=lambda tf: R(tf, 3).filter(lambda x: True),
    take_while=lambda tf: R(tf, 9).take_while(lambda x: x < 4),
    take_while_no_bool=lambda tf: R(tf, 9).take_while(lambda x: x),
)
cases(
    "batch",
    whole=lambda tf: R(tf, 6).batch(3),
    remainder=lambda tf: R(tf, 7).batch(3),
    dropped=lambda tf: R(tf, 7).batch(3, drop_remainder=True),
    tuple=lambda tf: S(tf, ([1, 2, 3], ["a", "b", "c"])).batch(2),
    twice=lambda tf: R(tf, 8).batch(2).batch(2),
    parallel=lambda tf: R(tf, 5).batch(2, num_parallel_calls=2),
    mapped=lambda tf: R(tf, 5).map(lambda x: (x, [x, x])).batch(2, drop_remainder=True),
    tensor_size=lambda tf: R(tf, 5).batch(tf.constant(2, tf.int64), drop_remainder=True),
    zero=lambda tf: R(tf, 5).batch(0),
    negative=lambda tf: R(tf, 5).batch(-2),
    ragged=lambda tf: R(tf, 1, 4).map(lambda x: tf.range(x)).batch(2),
    of_windows=lambda tf: R(tf, 4).window(2).batch(2),
    unbatch=lambda tf: R(tf, 5).batch(2).unbatch(),
    unbatch_dropped=lambda tf: R(tf, 5).batch(2, drop_remainder=True).unbatch(),
    unbatch_tuple=lambda tf: S(tf, ([[1, 2], [3, 4]], [["a", "b"], ["c", "d"]])).unbatch(),
    unbatch_scalar=lambda tf: R(tf, 5).unbatch(),
    rebatch=lambda tf: R(tf, 10).batch(4).rebatch(3),
    rebatch_dropped=lambda tf: R(tf, 10).batch(4).rebatch(3, drop_remainder=True),
    rebatch_sizes=lambda tf: R(tf, 8).batch(4).rebatch([2, 1, 1]),
)


def growing(tf):
    return R(tf, 1, 5).map(lambda x: tf.fill([x], x))


cases(
    "padded",
    default=lambda tf: growing(tf).padded_batch(2),
    shapes=lambda tf: growing(tf).padded_batch(2, padded_shapes=[6]),
    shapes_none=lambda tf: growing(tf).padded_batch(3, padded_shapes=[None], padding_values=i64(tf, -1)),
    scalar=lambda tf: R(tf, 5).padded_batch(2),
    dropped=lambda tf: growing(tf).padded_batch(3, drop_remainder=True),
    tuple=lambda tf: growing(tf).map(lambda x: (x, tf.strings.as_string(x))).padded_batch(
        2, padded_shapes=([None], [None]), padding_values=(i64(tf, 9), "?")),
    too_small=lambda tf: growing(tf).padded_batch(4, padded_shapes=[2]),
    bad_shape=lambda tf: S(tf, [[1, 2], [3, 4]]).padded_batch(2, padded_shapes=[1]),
    bad_rank=lambda tf: R(tf, 4).padded_batch(2, padded_shapes=[3]),
    bad_value=lambda tf: growing(tf).padded_batch(2, padding_values=0.5),
    matrix=lambda tf: R(tf, 1, 4).map(lambda x: tf.ones([x, 2])).padded_batch(3, padded_shapes=[-1, 3]),
)
cases(
    "order",
    shuffle=lambda tf: R(tf, 20).shuffle(5, seed=7),
    shuffle_whole=lambda tf: R(tf, 20).shuffle(100, seed=42),
    shuffle_fixed=lambda tf: R(tf, 10).shuffle(10, seed=3, reshuffle_each_iteration=False).repeat(2),
    shuffle_again=lambda tf: R(tf, 10).shuffle(4, seed=3).repeat(3),
    shuffle_repeated=lambda tf: R(tf, 5).repeat(3).shuffle(4, seed=1),
    shuffle_batches=lambda tf: R(tf, 12).batch(3).shuffle(4, seed=11),
    shuffle_zero=lambda tf: R(tf, 5).shuffle(0),
    shuffle_one=lambda tf: R(tf, 5).shuffle(1, seed=5),
    random=lambda tf: tf.data.Dataset.random(seed=4).take(6),
    random_again=lambda tf: tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(3).repeat(2),
    repeat=lambda tf: R(tf, 3).repeat(2),
    repeat_zero=lambda tf: R(tf, 3).repeat(0),
    repeat_forever=lambda tf: R(tf, 3).repeat(),
    repeat_empty=lambda tf: R(tf, 0).repeat(),
    take=lambda tf: R(tf, 5).take(2),
    take_all=lambda tf: R(tf, 5).take(-1),
    take_more=lambda tf: R(tf, 5).take(9),
    take_forever=lambda tf: R(tf, 5).repeat().take(7),
    skip=lambda tf: R(tf, 5).skip(2),
    skip_all=lambda tf: R(tf, 5).skip(9),
    skip_negative=lambda tf: R(tf, 5).skip(-1),
    shard=lambda tf: R(tf, 10).shard(3, 1),
    shard_last=lambda tf: R(tf, 10).shard(4, 3),
    shard_bad=lambda tf: R(tf, 10).shard(3, 3),
    shard_none=lambda tf: R(tf, 10).shard(0, 0),
    enumerate=lambda tf: S(tf, ["a", "b"]).enumerate(),
    enumerate_start=lambda tf: R(tf, 3).enumerate(start=5),
    unique=lambda tf: S(tf, [1, 37, 2, 37, 2, 1]).unique(),
    unique_strings=lambda tf: S(tf, ["a", "b", "a"]).unique(),
    counter=lambda tf: tf.data.Dataset.counter(3, 4).take(4),
    counter_float=lambda tf: tf.data.Dataset.counter(dtype=tf.float32).take(3),
    cache=lambda tf: R(tf, 3).cache().repeat(2),
    prefetch=lambda tf: R(tf, 3).prefetch(2),
    prefetch_auto=lambda tf: R(tf, 3).prefetch(tf.data.AUTOTUNE),
    prefetch_bad=lambda tf: R(tf, 3).prefetch(-5),
    options=lambda tf: R(tf, 3).with_options(tf.data.Options()),
    apply=lambda tf: R(tf, 6).apply(lambda ds: ds.filter(lambda x: x > 3)),
    apply_bad=lambda tf: R(tf, 6).apply(lambda ds: 3),
)
cases(
    "several",
    zip=lambda tf: tf.data.Dataset.zip(R(tf, 3), R(tf, 5, 10)),
    zip_nested=lambda tf: tf.data.Dataset.zip((R(tf, 3), (R(tf, 2), S(tf, ["a", "b"])))),
    zip_dict=lambda tf: tf.data.Dataset.zip({"a": R(tf, 3), "b": R(tf, 2)}),
    zip_forever=lambda tf: tf.data.Dataset.zip(R(tf, 3), R(tf, 2).repeat()),
    zip_unknown=lambda tf: tf.data.Dataset.zip(R(tf, 3), R(tf, 5).filter(lambda x: x > 1)),
    zip_bad=lambda tf: tf.data.Dataset.zip(R(tf, 3), 5),
    zip_list=lambda tf: tf.data.Dataset.zip([R(tf, 3), R(tf, 3)]),
    zip_nothing=lambda tf: tf.data.Dataset.zip(),
    concatenate=lambda tf: R(tf, 2).concatenate(R(tf, 5, 7)),
    concatenate_shapes=lambda tf: S(tf, [[1, 2]]).concatenate(S(tf, [[1, 2, 3]])),
    concatenate_bad=lambda tf: R(tf, 2).concatenate(S(tf, [1.0])),
    concatenate_structure=lambda tf: R(tf, 2).concatenate(tf.data.Dataset.zip(R(tf, 2), R(tf, 2))),
    concatenate_forever=lambda tf: R(tf, 2).concatenate(R(tf, 2).repeat()),
    choose=lambda tf: tf.data.Dataset.choose_from_datasets(
        [S(tf, ["a", "b"]), S(tf, ["x", "y", "z"])], S(tf, i64(tf, [1, 0, 1, 1, 0]))),
    choose_empty=lambda tf: tf.data.Dataset.choose_from_datasets(
        [S(tf, ["a"]), S(tf, ["x", "y"])], S(tf, i64(tf, [0, 0, 1]))),
    choose_on=lambda tf: tf.data.Dataset.choose_from_datasets(
        [S(tf, ["a"]), S(tf, ["x", "y"])], S(tf, i64(tf, [0, 0, 1])), stop_on_empty_dataset=False),
    choose_nothing=lambda tf: tf.data.Dataset.choose_from_datasets([], R(tf, 2)),
    choose_bad=lambda tf: tf.data.Dataset.choose_from_datasets([R(tf, 2)], S(tf, [0.5])),
    choose_out_of_range=lambda tf: tf.data.Dataset.choose_from_datasets([R(tf, 2)], R(tf, 3, 4)),
    sample_nothing=lambda tf: tf.data.Dataset.sample_from_datasets([]),
    sample_weights=lambda tf: tf.data.Dataset.sample_from_datasets([R(tf, 2), R(tf, 2)], weights=[0.3]),
    sample_one=lambda tf: tf.data.Dataset.sample_from_datasets([R(tf, 3)]),
    sample_certain=lambda tf: tf.data.Dataset.sample_from_datasets([R(tf, 3), R(tf, 9, 12)], [0.0, 1.0], seed=2),
)


def repeated(tf):
    return lambda x: tf.data.Dataset.from_tensors(x).repeat(x)


cases(
    "nested",
    flat_map=lambda tf: R(tf, 4).flat_map(repeated(tf)),
    flat_map_slices=lambda tf: S(tf, [[1, 2], [3, 4]]).flat_map(tf.data.Dataset.from_tensor_slices),
    flat_map_no_dataset=lambda tf: R(tf, 4).flat_map(lambda x: x + 1),
    interleave=lambda tf: R(tf, 1, 6).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(6), cycle_length=2, block_length=4),
    interleave_uneven=lambda tf: R(tf, 0, 6).interleave(repeated(tf), cycle_length=3, block_length=2),
    interleave_three=lambda tf: R(tf, 0, 5).interleave(repeated(tf), cycle_length=3),
    interleave_one=lambda tf: R(tf, 0, 4).interleave(repeated(tf), cycle_length=1, block_length=3),
    interleave_wide=lambda tf: R(tf, 0, 4).interleave(repeated(tf), cycle_length=9, block_length=2),
    interleave_parallel=lambda tf: R(tf, 0, 6).interleave(
        repeated(tf), cycle_length=3, block_length=2, num_parallel_calls=2),
    interleave_zero=lambda tf: R(tf, 0, 4).interleave(repeated(tf), cycle_length=0),
    interleave_block_zero=lambda tf: R(tf, 0, 4).interleave(repeated(tf), cycle_length=2, block_length=0),
    window=lambda tf: R(tf, 7).window(3).flat_map(lambda w: w.batch(3)),
    window_spec=lambda tf: R(tf, 7).window(3),
    window_tuple_spec=lambda tf: S(tf, ([1, 2], ["a", "b"])).window(2),
    window_shift=lambda tf: R(tf, 7).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3)),
    window_far=lambda tf: R(tf, 9).window(2, shift=4).flat_map(lambda w: w.batch(2)),
    window_stride=lambda tf: R(tf, 8).window(3, shift=1, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)),
    window_stride_rest=lambda tf: R(tf, 7).window(3, shift=3, stride=2).flat_map(lambda w: w.batch(3)),
    window_counts=lambda tf: R(tf, 10).window(3, 2, 2),
    window_counts_dropped=lambda tf: R(tf, 10).window(3, 2, 2, drop_remainder=True),
    window_zero=lambda tf: R(tf, 7).window(0),
    window_shift_zero=lambda tf: R(tf, 7).window(2, shift=0),
    window_tuple=lambda tf: S(tf, ([1, 2, 3], ["a", "b", "c"])).window(2).flat_map(
        lambda a, b: tf.data.Dataset.zip(a.batch(2), b.batch(2))),
    group_by_window=lambda tf: R(tf, 10).group_by_window(lambda x: x % 3, lambda k, w: w.batch(4), window_size=2),
    group_by_window_func=lambda tf: R(tf, 12).group_by_window(
        lambda x: x % 2, lambda k, w: w.batch(9), window_size_func=lambda k: k + 2),
    group_by_window_both=lambda tf: R(tf, 10).group_by_window(lambda x: x, lambda k, w: w),
    group_by_window_key=lambda tf: R(tf, 10).group_by_window(
        lambda x: tf.cast(x, tf.int32), lambda k, w: w, window_size=2),
    buckets=lambda tf: growing(tf).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2]),
    buckets_boundary=lambda tf: growing(tf).take(3).bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], [3, 6], [2, 2, 2], pad_to_bucket_boundary=True),
    buckets_sizes=lambda tf: growing(tf).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2]),
    ignore_errors=lambda tf: R(tf, 4).map(lambda x: 6 // x).ignore_errors(),
    scan=lambda tf: R(tf, 5).scan(i64(tf, 0), lambda s, x: (s + x, s * x)),
    scan_tuple=lambda tf: R(tf, 4).scan((i64(tf, 0), 1.0), lambda s, x: ((s[0] + x, s[1] * 2.0), s)),
    scan_no_pair=lambda tf: R(tf, 4).scan(i64(tf, 0), lambda s, x: s + x),
    scan_dtype=lambda tf: R(tf, 4).scan(i64(tf, 0), lambda s, x: (1.5, x)),
)
cases(
    "value",
    reduce=lambda tf: R(tf, 5).reduce(i64(tf, 0), lambda s, x: s + x),
    reduce_tuple=lambda tf: R(tf, 5).reduce((i64(tf, 0), 1), lambda s, x: (s[0] + x, s[1] * 2)),
    reduce_dict=lambda tf: S(tf, {"a": [1, 2], "b": [3, 4]}).reduce({"n": 0}, lambda s, e: {"n": s["n"] + e["a"] * e["b"]}),
    reduce_pairs=lambda tf: S(tf, ([1, 2], [3, 4])).reduce(0, lambda s, e: s + e[0] * e[1]),
    reduce_empty=lambda tf: R(tf, 0).reduce(i64(tf, 7), lambda s, x: s + x),
    reduce_growing=lambda tf: R(tf, 3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0)),
    reduce_dtype=lambda tf: R(tf, 3).reduce(0, lambda s, x: tf.cast(x, tf.float32)),
    reduce_structure=lambda tf: R(tf, 3).reduce((0, 0), lambda s, x: s[0]),
    single=lambda tf: R(tf, 3).batch(3).get_single_element(),
    single_empty=lambda tf: R(tf, 0).get_single_element(),
    single_two=lambda tf: R(tf, 2).get_single_element(),
    get_next_at_end=lambda tf: iter(R(tf, 0)).get_next(),
    optional=lambda tf: iter(R(tf, 1)).get_next_as_optional().get_value(),
    optional_empty=lambda tf: iter(R(tf, 0)).get_next_as_optional().get_value(),
    optional_has=lambda tf: iter(R(tf, 0)).get_next_as_optional().has_value(),
    len=lambda tf: len(R(tf, 7).batch(2)),
    len_infinite=lambda tf: len(R(tf, 7).repeat()),
    len_unknown=lambda tf: len(R(tf, 7).filter(lambda x: True)),
)


def yielding(*values):
    def generator():
        yield from values

    return generator


def failing():
    yield 1
    raise KeyError("gone")


def generated(tf, spec, *values, **kwargs):
    return tf.data.Dataset.from_generator(yielding(*values), output_signature=spec, **kwargs)


cases(
    "generator",
    scalar=lambda tf: generated(tf, tf.TensorSpec([], tf.int32), 1, 2, 3),
    old_style=lambda tf: tf.data.Dataset.from_generator(yielding(1, 2), tf.int64),
    old_shapes=lambda tf: tf.data.Dataset.from_generator(
        yielding((1, [1, 2]), (2, [3, 4])), (tf.int64, tf.float32), (tf.TensorShape([]), tf.TensorShape([None]))),
    tuple=lambda tf: generated(tf, (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.string)), (1, ["a"]), (2, [])),
    dict=lambda tf: generated(tf, {"a": tf.TensorSpec([], tf.float32)}, {"a": 1}, {"a": 2.5}),
    args=lambda tf: tf.data.Dataset.from_generator(
        lambda n: iter(range(n)), output_signature=tf.TensorSpec([], tf.int64), args=(3,)),
    arrays=lambda tf: generated(tf, tf.TensorSpec([2], tf.float32), np.ones(2), np.zeros(2, np.float32)),
    wrong_type=lambda tf: generated(tf, tf.TensorSpec([], tf.int32), 1, "a"),
    wrong_shape=lambda tf: generated(tf, tf.TensorSpec([2], tf.int32), [1, 2], [3]),
    wrong_structure=lambda tf: generated(tf, (tf.TensorSpec([], tf.int32),) * 2, (1, 2), 3),
    raises=lambda tf: tf.data.Dataset.from_generator(failing, output_signature=tf.TensorSpec([], tf.int32)),
    not_callable=lambda tf: tf.data.Dataset.from_generator(3, tf.int32),
    no_types=lambda tf: tf.data.Dataset.from_generator(yielding(1)),
    both=lambda tf: tf.data.Dataset.from_generator(
        yielding(1), tf.int32, output_signature=tf.TensorSpec([], tf.int32)),
    no_specs=lambda tf: tf.data.Dataset.from_generator(yielding(1), output_signature=tf.int32),
)
