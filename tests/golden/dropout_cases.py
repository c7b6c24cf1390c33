"""The cases of dropout, and what is looked at in each: run by `record_dropout.py` and by the test.

A case is: an expression in `x`; the dtype and shape of `x`, and its shape in a signature; the global seed.
"""

import numpy as np

D = "tf.nn.dropout"
G = "tf.nn.experimental.general_dropout"
S = "tf.nn.experimental.stateless_dropout"
OWN = "lambda shape, dtype: 1 - tf.random.uniform(shape, dtype=dtype, seed=1)"
SHAPE = [2, 3]


def case(expression, dtype="float32", shape=SHAPE, spec="same", seed=7):
    return expression, dtype, shape, shape if spec == "same" else spec, seed


FLOATS = ("float16", "bfloat16", "float32", "float64")
NUMBERS = ("0", "0.", "0.999", "1e-8", "1 - 1e-9", "np.float32(.25)", "np.float64(.25)", "True", "False", "1", "1.", "1.5", "-0.1", "'a'", "None", "[.5]", "np.array(.5)", "np.array([.5])", "float('nan')", "float('inf')", "0.5j")  # fmt: skip
TENSORS = ("tf.constant(.25)", "tf.constant(0.)", "tf.constant(1.)", "tf.constant(1.5)", "tf.constant(-.5)", "tf.constant([.5])", "tf.constant(.5, tf.float64)", "tf.constant(.5, tf.float16)", "tf.constant(1)", "tf.reduce_mean(x)")  # fmt: skip
NOISE = ("[1, 3]", "[2, 1]", "[1, 1]", "[3]", "[1]", "[]", "[None, 1]", "(1, None)", "(None, None)", "[2, None]", "tf.TensorShape([None, 1])", "tf.constant([2, 1])", "tf.constant([2, 1], tf.int64)", "np.array([1, 3])", "[tf.constant(1), 3]", "[None, tf.constant(1)]", "[tf.shape(x)[0], 1]", "tf.shape(x)", "[0, 3]", "[0, 1]", "[4, 3]", "[2, 2, 3]", "[2, 3, 1]", "[1, 2, 3]", "[None]", "[None, None, None]", "[-1, 3]", "[2., 1.]", "'a'", "tf.constant([])")  # fmt: skip

CASES = [
    *[case(f"{D}(x, .4, seed=3)", dtype, shape, seed=seed)
      for dtype, shape in (("float32", SHAPE), ("float16", SHAPE), ("bfloat16", [7]), ("float64", [2, 1, 5]), ("float32", []), ("float32", [0]), ("float32", [2, 0, 3]), ("float32", [60]))
      for seed in (7, 0, None)],
    *[case(f"{D}(x, .4, seed={s})", seed=seed) for s in ("0", "1", "-1", "2**31 - 1", "2**31", "2**40", "-2**40", "1.5", "True", "np.int64(3)", "tf.constant(3)") for seed in (7, None)],
    *[case(f"{D}(x, .4)", dtype, seed=seed) for dtype in FLOATS for seed in (7, 0, -3, 2**31, 2**40)],
    *[case(f"[{D}(x, .4), {D}(x, .4, seed=1), {D}(x, .4), {D}(x, .4, seed=1)][{i}]") for i in range(4)],
    *[case(f"{D}(x, {rate}, seed=3)") for rate in NUMBERS + TENSORS],
    *[case(f"{D}(x, .4, seed=3, noise_shape={n})") for n in NOISE],
    *[case(f"{D}(x, .4, seed=3, noise_shape={n})", spec=s) for n in ("[1, 3]", "[2, 1]", "[3]", "[tf.shape(x)[0], 1]", "[2, 3]", "[1, None]", "[4, 3]", "[2, 2, 3]") for s in ([None, 3], [2, None], None)],
    *[case(f"{D}(x, .4, seed=3)", spec=s) for s in ([None, 3], [None, None], None)],
    *[case(f"{D}(x, {rate}, seed=3)", dtype) for dtype in (*FLOATS, "int32", "complex64", "bool", "string", "uint8") for rate in ("0.25", "0", "tf.constant(.5)", "tf.cast(.5, x.dtype)", "2.")],
    case(f"{D}(x, rate=.4, seed=3, name='mine')"), case(f"{D}([1., 2., 3.] * x[0], .4, None, 3)"), case(f"{D}(x=x, rate=.9, noise_shape=None, seed=3)"),
    case(f"{D}(x, .4, seed=3, noise_shape=[2, 1, 3, 1])", shape=[2, 4, 3, 2]), case(f"{D}(x, .4, seed=3, noise_shape=[None, 1, None, 1])", shape=[2, 4, 3, 2]),
    *[case(f"{S}(x, {rate}, seed=[1, 2])", seed=None) for rate in (".4", "0", "1.", "'a'", "tf.constant(.4)", "tf.constant(.4, tf.float64)", "np.float32(.4)")],
    *[case(f"{S}(x, .4, seed={s})", seed=None) for s in ("(0, 0)", "[-1, 5]", "tf.constant([1, 2], tf.int64)", "[1]", "7", "[1, 2, 3]", "[1.5, 2.]", "[2**40, 1]")],
    *[case(f"{S}(x, .4, seed=[1, 2])", dtype, seed=None) for dtype in (*FLOATS, "int32", "complex64")],
    *[case(f"{S}(x, .4, seed=[1, 2], noise_shape={n})", seed=None) for n in ("[1, 3]", "[None, 1]", "[2, 1]", "tf.constant([2, 1])", "[4, 3]")],
    *[case(f"{S}(x, .4, seed=[1, 2], rng_alg={a})", seed=None) for a in ("'philox'", "'auto_select'", "tf.random.Algorithm.PHILOX", "1", "'nothing'", "None")],
    case(f"{S}(x, .4, seed=[1, 2])", spec=None, seed=None), case(f"{S}(x, .4, [1, 2], name='mine')", seed=None),
    *[case(f"{G}(x, {rate}, {OWN})", seed=None) for rate in (".4", "0.", "1", "tf.constant(.25)", "tf.constant(.4, tf.float64)", "None")],
    *[case(f"{G}(x, .4, {OWN})", dtype, seed=None) for dtype in (*FLOATS, "int32")],
    *[case(f"{G}(x, .4, {OWN}, noise_shape={n})", seed=None) for n in ("[1, 3]", "[None, 1]", "[2, 1]", "[2, 2, 3]")],
    case(f"{G}(x, .4, tf.random.uniform, name='mine')"), case(f"{G}(x, .4, None)"), case(f"{G}(x, .4, lambda shape, dtype: tf.zeros([5]))"),
]  # fmt: skip


def argument(tf, dtype, shape):
    size = int(np.prod(shape))
    values = [f"s{i}" for i in range(size)] if dtype == "string" else np.arange(1, size + 1) / 8
    return tf.cast(tf.reshape(tf.constant(values), shape), dtype)


def shown(tensor):
    array = np.asarray(tensor.numpy())
    return {"dtype": tensor.dtype.name, "shape": list(array.shape), "values": array.astype("float64").reshape(-1).tolist()}  # fmt: skip


def outcome(call):
    try:
        return call()
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}


def look(tf, one):
    """What comes out of a case: values and gradient of two eager calls, two traced calls, and the traced nodes."""
    expression, dtype, shape, spec, seed = one
    x = argument(tf, dtype, shape)

    def function(x):
        return eval(expression, {"tf": tf, "np": np, "x": x})

    def twice(call):
        tf.random.set_seed(seed)
        return [call(), call()]

    def with_gradient():
        with tf.GradientTape() as tape:
            if x.dtype.is_floating:
                tape.watch(x)
            found = function(x)
        return [shown(found), shown(tape.gradient(found, x, 3 * tf.ones_like(found), unconnected_gradients="zero"))]

    def traced():
        tf.random.set_seed(seed)
        compiled = tf.function(function, autograph=False, input_signature=[tf.TensorSpec(spec, dtype, name="x")])
        concrete = compiled.get_concrete_function()
        nodes = [" ".join([o.name, o.type, *(i.name for i in o.inputs)]) for o in concrete.graph.get_operations()]
        dims = concrete.structured_outputs.shape
        return {"nodes": nodes, "dims": None if dims.rank is None else dims.as_list()}

    def run():
        compiled = tf.function(function, autograph=False, input_signature=[tf.TensorSpec(spec, dtype, name="x")])
        return twice(lambda: shown(compiled(x)))

    return {"eager": outcome(lambda: twice(with_gradient)), "graph": outcome(traced), "run": outcome(run)}
