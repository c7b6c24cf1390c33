"""Expressions whose nodes are compared by name, type, inputs and attributes: `(expression, parameters)`.

A parameter is `name:dtype[dimensions]`, with `?` for an unknown rank.
"""

CASES = [
    ("x + 1", "x:float32[2,3]"), ("1 + x", "x:float32[2,3]"), ("x - y", "x:float32[None,3];y:float32[3]"),
    ("x * y", "x:float32[None,1];y:float32[1,None]"), ("x / y", "x:int32[2];y:int32[]"), ("x / 2", "x:int32[2]"),
    ("x // 2", "x:int32[None]"), ("x % 2", "x:int32[None]"), ("x ** 2", "x:float32[2]"), ("-x", "x:float32[2]"),
    ("abs(x)", "x:float32[2]"), ("abs(x)", "x:complex64[2]"), ("~x", "x:bool[2]"), ("~x", "x:int32[2]"),
    ("x & y", "x:bool[2];y:bool[2]"), ("x & y", "x:int32[2];y:int32[2]"), ("x ^ y", "x:bool[2];y:bool[2]"),
    ("x ^ y", "x:int32[2];y:int32[2]"), ("x | True", "x:bool[2]"), ("x < y", "x:float32[?];y:float32[2]"),
    ("x == y", "x:float32[2];y:float32[2]"), ("x == y", "x:float32[None];y:float32[None]"), ("x == 1", "x:float32[None]"),
    ("x != y", "x:float32[2];y:float32[3]"), ("x == None", "x:float32[2]"), ("x * 2", "x:bool[2]"), ("x + 'a'", "x:string[2]"),
    ("x + y", "x:float32[2];y:float32[3]"), ("x + y", "x:float32[2];y:int32[2]"), ("x + 1.5", "x:int32[2]"),
    ("x + 'a'", "x:int32[2]"), ("x + True", "x:float32[]"), ("x + 2**40", "x:int32[]"),
    ("x + np.array([1, 2])", "x:float32[2]"), ("np.array([1.0, 2.0]) + x", "x:float32[2]"),
    ("tf.add(x, 2)", "x:float32[2]"), ("tf.add(2, x)", "x:float32[2]"), ("tf.add(x, 2, name='total')", "x:float32[2]"),
    ("tf.multiply(x, 2, name='total')", "x:float32[2]"), ("tf.divide(x, 2)", "x:int32[2]"), ("tf.exp(x)", "x:float32[?]"),
    ("tf.math.divide_no_nan(x, 2.0)", "x:float32[2]"), ("tf.math.multiply_no_nan(x, 2.0)", "x:float32[2]"),
    ("tf.math.reciprocal_no_nan(x)", "x:float32[2]"), ("tf.math.xlog1py(x, 2.0)", "x:float32[2]"),
    ("tf.math.logical_xor(x, y)", "x:bool[2];y:bool[2]"), ("tf.math.log_sigmoid(x)", "x:float32[2]"),
    ("tf.reduce_sum(x)", "x:float32[2,3]"), ("tf.reduce_sum(x, 1)", "x:float32[None,3]"),
    ("tf.reduce_sum(x, [0], True)", "x:float32[None,3]"), ("tf.reduce_sum(x)", "x:float32[?]"),
    ("tf.reduce_sum(x, 0)", "x:float32[?]"), ("tf.reduce_sum(x, i)", "x:float32[2,3];i:int32[]"),
    ("tf.reduce_sum(x, i)", "x:float32[2,3];i:int32[1]"), ("tf.reduce_sum(x, i, keepdims=True)", "x:float32[2,3];i:int32[]"),
    ("tf.reduce_sum(x, 5)", "x:float32[2,3]"), ("tf.reduce_sum(x, [0, 0])", "x:float32[2,3]"),
    ("tf.reduce_mean(x, axis=-1)", "x:float32[None,None]"), ("tf.reduce_max(x, name='top')", "x:float32[2]"),
    ("tf.reduce_any(x)", "x:bool[2]"), ("tf.reduce_sum(x)", "x:float32[]"), ("tf.math.reduce_std(x)", "x:float32[2,3]"),
    ("tf.math.reduce_variance(x, 0)", "x:float32[2,3]"), ("tf.reduce_logsumexp(x, 1)", "x:float32[2,3]"),
    ("tf.reduce_logsumexp(x, 1, True)", "x:float32[2,None]"), ("tf.math.count_nonzero(x)", "x:float32[2,3]"),
    ("tf.argmax(x)", "x:float32[2,3]"), ("tf.argmax(x, 1, tf.int32)", "x:float32[None,3]"),
    ("tf.argmax(x, i)", "x:float32[2,3];i:int32[]"), ("tf.argmax(x)", "x:float32[?]"), ("tf.argmax(x, 3)", "x:float32[2,3]"),
    ("tf.cumsum(x)", "x:float32[None,3]"), ("tf.cumsum(x, 1, True, name='c')", "x:float32[None,3]"),
    ("tf.cumsum(x, 4)", "x:float32[None,3]"), ("tf.cast(x, tf.int32)", "x:float32[None]"),
    ("tf.cast(x, tf.float32)", "x:float32[None]"), ("tf.cast(3, tf.float32)", ""), ("tf.cast([1.5], tf.int64, name='k')", ""),
    ("tf.saturate_cast(x, tf.uint8)", "x:float32[2]"), ("tf.bitcast(x, tf.uint8)", "x:float32[None]"),
    ("tf.bitcast(x, tf.int64)", "x:float32[None,2]"), ("tf.complex(x, x)", "x:float32[2]"), ("tf.complex(1.0, 2.0)", ""),
    ("tf.math.real(x)", "x:complex64[2]"), ("tf.math.imag(x)", "x:complex128[2]"), ("tf.math.angle(x)", "x:complex64[2]"),
    ("tf.math.conj(x)", "x:complex64[2]"), ("tf.math.real(x)", "x:float32[2]"), ("tf.add_n([x, y])", "x:float32[2];y:float32[None]"),
    ("tf.add_n([x])", "x:float32[2]"), ("tf.add_n([x], name='z')", "x:float32[2]"), ("tf.add_n([x, y])", "x:float32[2];y:float32[3]"),
    ("tf.clip_by_value(x, 0.0, 1.0)", "x:float32[None]"), ("tf.scalar_mul(2.0, x)", "x:float32[2]"),
    ("tf.math.erfinv(x)", "x:float32[2]"), ("tf.math.polyval([x, x, 1.0], x)", "x:float32[2]"),
    ("tf.math.bincount(x)", "x:int32[6]"), ("tf.math.bincount(x, minlength=3, maxlength=5)", "x:int32[6]"),
    ("tf.math.segment_sum(x, [0, 1])", "x:float32[2,3]"), ("tf.math.segment_sum(x, i)", "x:float32[2,3];i:int32[2]"),
    ("tf.math.unsorted_segment_sum(x, i, 4)", "x:float32[2,3];i:int32[2]"),
    ("tf.histogram_fixed_width(x, [0.0, 1.0], nbins=5)", "x:float32[6]"),
    ("tf.random.uniform([2, 3])", ""), ("tf.random.uniform(s)", "s:int32[2]"), ("tf.random.uniform([2], -1.0, 3.0)", ""),
    ("tf.random.uniform([2, 3], 0, 7, dtype=tf.int32, seed=5)", ""), ("tf.random.normal([2, 3], 1.0, 2.0, seed=1)", ""),
    ("tf.random.truncated_normal([2])", ""), ("tf.random.shuffle(x)", "x:float32[None,3]"),
    ("tf.random.categorical(x, 5)", "x:float32[None,3]"), ("tf.random.gamma([2], x)", "x:float32[3]"),
    ("tf.random.poisson([2], x)", "x:float32[3]"), ("tf.random.stateless_uniform([2, 3], (1, 2))", ""),
    ("tf.random.stateless_uniform([2, 3], (1, 2), 0, 9, tf.int32)", ""), ("tf.random.stateless_normal([2, 3], (1, 2))", ""),
    ("tf.random.stateless_categorical(x, 5, (1, 2))", "x:float32[2,3]"),
    ("tf.bitwise.left_shift(x, 2)", "x:int32[2]"), ("tf.bitwise.invert(x)", "x:int32[2]"),
    ("tf.zeros([tf.shape(x)[0] * 2, 3])", "x:float32[None,3]"), ("tf.zeros([tf.shape(x)[1] + 1])", "x:float32[None,3]"),
    ("tf.zeros(tf.shape(x) * 2)", "x:float32[None,3]"), ("tf.zeros([tf.maximum(tf.shape(x)[1], 5)])", "x:float32[None,3]"),
    ("tf.zeros([tf.cast(tf.cast(tf.shape(x)[1], tf.int64), tf.int32) // 2])", "x:float32[None,3]"),
    ("tf.convert_to_tensor([x, 1.0])", "x:float32[]"), ("tf.convert_to_tensor([[x, 1.0], [2.0, x]])", "x:float32[]"),
    ("tf.constant(3)", ""), ("tf.constant([1, 2], tf.float32, name='c')", ""), ("tf.constant(7, shape=[2, 2])", ""),
    ("tf.convert_to_tensor(x, tf.int32)", "x:float32[]"), ("tf.convert_to_tensor([1, 2], name='n')", ""),
]  # fmt: skip

ATTRIBUTES = ("keep_dims", "exclusive", "reverse", "incompatible_shape_error", "seed", "seed2")


def specs_of(tf, text):
    """The names and specs of the parameters."""
    found = []
    for part in filter(None, text.split(";")):
        name, _, rest = part.partition(":")
        kind, _, dims = rest.partition("[")
        dims = dims.rstrip("]")
        shape = None if dims == "?" else [None if d == "None" else int(d) for d in dims.split(",") if d]
        found.append((name, tf.TensorSpec(shape, getattr(tf, kind), name=name)))
    return found
