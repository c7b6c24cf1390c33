"""Programs whose results TensorFlow gave under each mode of `experimental_enable_numpy_behavior`; kept in `promotion.json`."""

MODES = {"all": ("all", False), "safe": ("safe", False), "legacy": ("legacy", False), "float32": ("legacy", True)}
DTYPES = """
    bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128
""".split()
WEAK = {"int32*": "tf.constant(1)", "float32*": "tf.constant(1.0)", "complex128*": "tf.constant(1j)"}
# two weak dtypes that no constant has
WEAK |= {"float64*": "tf.constant(1, tf.int32) + 1.0"}

EXPRESSIONS = """
tf.constant(5)
tf.constant([1, 2.5])
tf.constant(5, tf.int32)
tf.constant([True])
tf.constant(np.int8(1))
tf.constant(tf.constant(10, tf.int16), tf.float32)
tf.convert_to_tensor(5)
tf.range(3)
tf.constant(5) + 1
tf.constant(5, tf.int8) + 1
tf.constant(5, tf.int32) + 1.1
tf.constant(5, tf.int32) + tf.constant(1.1)
tf.constant([5], tf.int32) + [1.5]
tf.constant([5], tf.int8) + [1]
2.5 + tf.constant(1, tf.int32)
tf.constant(1, tf.int32) + np.float64(1.5)
tf.constant(1, tf.int32) == tf.constant(1.0, tf.float64)
tf.constant(1.0, tf.float64) + 1j
tf.add(np.array(1, np.int8), tf.constant(1))
tf.multiply(2, 3.5)
tf.square(3)
tf.abs(tf.constant(-1))
tf.reshape(tf.constant([1, 2]), [2])
tf.reduce_sum(tf.constant([1, 2]))
tf.cast(tf.constant(1), tf.float32)
tf.constant(5) / 2
tf.constant(5, tf.int32) / 2
tf.constant(5, tf.int8) / tf.constant(2, tf.float16)
tf.constant(5) // 2
tf.constant(2) % 3
tf.constant(2) ** tf.constant(0.5)
-tf.constant(2)
tf.ones([1, 1]) @ tf.ones([1, 1], tf.float64)
tf.concat([tf.constant([1]), tf.constant([1.0])], 0)
tf.Variable(1) + 1.5
tf.Variable(10, dtype=tf.int32).assign_add(tf.constant(5, tf.int16)).numpy()
tf.Variable(10, dtype=tf.int32).assign(2.5).numpy()
tf.function(lambda x: x + 1)(tf.constant(5))
tf.function(lambda x: x + 1.5)(tf.constant(5, tf.int32))
tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))
tnp.array(1)
tnp.array(1.0)
tnp.array([1, 2]) + tnp.array(1.5)
tnp.arange(3)
tnp.zeros(2)
tnp.zeros(2, int)
tnp.full((2,), 3)
tnp.sqrt(4)
tnp.mean([1, 2])
tnp.sum(tf.constant([1, 2]))
tnp.result_type(1, 2.0)
tnp.result_type(tf.int32, tf.float32)
tnp.where(tnp.array([True]), tf.constant(1, tf.int32), tf.constant(2.5, tf.float32))
""".strip().splitlines()


def result(tf, tnp, np, expression):
    """What an expression gives, as text: dtype, `*` if weak, values; the class of what it raises."""
    try:
        value = eval(expression, {"tf": tf, "tnp": tnp, "np": np})
    except Exception as error:
        return "TypeError" if isinstance(error, TypeError) else "refused"
    if not hasattr(value, "dtype"):
        return str(value)
    weak = "*" if "weak=True" in repr(value) else ""
    name = getattr(value.dtype, "name", value.dtype)
    return f"{name}{weak} {np.asarray(value.numpy() if hasattr(value, 'numpy') else value).tolist()}"


def table(tf, tnp, np):
    """The dtypes of sums of all pairs."""
    made = {n: f"tf.cast(tf.constant(1), '{n}')" for n in DTYPES} | WEAK
    return {
        f"{a} {b}": result(tf, tnp, np, f"({x}) + ({y})").partition(" ")[0]
        for a, x in made.items() for b, y in made.items()
    }  # fmt: skip
