"""What does a cached call cost?"""

from tests.benchmarks.rows import row

TRACES = 100


@row("call: x + 1")
def one_tensor(tf):
    x, f = tf.constant(1.0), tf.function(lambda x: x + 1)
    return lambda: f(x)


@one_tensor.jax
def _(jax):
    x, f = jax.numpy.float32(1.0), jax.jit(lambda x: x + 1)
    return lambda: f(x)


@row("call: five tensors")
def five_tensors(tf):
    many, f = [tf.constant(float(i)) for i in range(5)], tf.function(lambda a, b, c, d, e: a + b + c + d + e)
    return lambda: f(*many)


@five_tensors.jax
def _(jax):
    many, f = [jax.numpy.float32(i) for i in range(5)], jax.jit(lambda a, b, c, d, e: a + b + c + d + e)
    return lambda: f(*many)


@row("call: nested dictionary")
def nested(tf):
    x = tf.constant(1.0)
    nest = {"a": x, "b": {"c": x, "d": [x]}}
    f = tf.function(lambda n: {"sum": n["a"] + n["b"]["c"], "parts": [n["b"]["d"][0]]})
    return lambda: f(nest)["sum"]


@nested.jax
def _(jax):
    x = jax.numpy.float32(1.0)
    nest = {"a": x, "b": {"c": x, "d": [x]}}
    f = jax.jit(lambda n: {"sum": n["a"] + n["b"]["c"], "parts": [n["b"]["d"][0]]})
    return lambda: f(nest)["sum"]


@row("call: Python integer")
def python_integer(tf):
    x, f = tf.constant(1.0), tf.function(lambda x, n: x * n)
    return lambda: f(x, 3)


@python_integer.jax
def _(jax):
    x, f = jax.numpy.float32(1.0), jax.jit(lambda x, n: x * n, static_argnums=1)
    return lambda: f(x, 3)


@row("call: one of 100 traces")
def crowded(tf):
    x, f = tf.constant(1.0), tf.function(lambda x, n: x * n)
    for _ in range(3):
        for n in range(TRACES):
            f(x, n)
    return lambda: f(x, 70)


@row("call: keyword")
def keyword(tf):
    x, f = tf.constant(1.0), tf.function(lambda x, n: x * n)
    return lambda: f(x, n=3)


@row("call: method")
def method(tf):
    x = tf.constant(1.0)

    class Scale:
        def __init__(self):
            self.k = tf.constant(2.0)

        @tf.function
        def run(self, x):
            return x * self.k

    scale = Scale()
    return lambda: scale.run(x)


@row("call: variable", rtol=None)
def variable(tf):
    x, v = tf.constant(1.0), tf.Variable(0.0)
    f = tf.function(lambda x: v.assign_add(x))
    return lambda: f(x)


@row("call: concrete function")
def concrete(tf):
    x = tf.constant(1.0)
    f = tf.function(lambda x: x + 1).get_concrete_function(x)
    return lambda: f(x)


@row("eager x + 1")
def eager(tf):
    x = tf.constant(1.0)
    return lambda: x + 1


@eager.jax
def _(jax):
    x = jax.numpy.float32(1.0)
    return lambda: x + 1
