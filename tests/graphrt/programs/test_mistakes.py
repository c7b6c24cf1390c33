"""Short programs with one mistake each: the error has the line of the mistake, and says what was found and what to write."""

import traceback

import pytest

import graphrt as tf

# the line with the mistake ends in `# here`; then what the message says, in this order
MISTAKES = {
    "a generator": (
        "@tf.function\ndef f(x):\n    yield x\nf(tf.constant(1))  # here",
        ["return value of type generator", "f:1 runs when it is gone through", "Return a list of all values"],
    ),
    "a list that grows by numbers and texts": (
        "@tf.function\ndef f(n):\n    names = []\n    for i in tf.range(n):  # here\n        names.append(i)\n"
        "        names.append('a')\n    return names\nf(tf.constant(2))",
        ["'names' is a list of 0 elements before the loop", "holds tensors of one dtype", "the Python str 'a'"],
    ),
    "two lists in a dictionary": (
        "@tf.function\ndef f(n):\n    rows = {'a': []}\n    for i in tf.range(n):  # here\n        rows['a'] += [i, 'a']\n"
        "    return rows\nf(tf.constant(2))",
        ["rows['a']", "is a list of 0 elements before the loop"],
    ),
    "an element of a variable": (
        "v = tf.Variable([1.0, 2.0])\nv[0] = 3.0  # here",
        ["'Variable' object does not support item assignment", "v[...].assign(value)"],
    ),
    "an element of a variable in a function": (
        "v = tf.Variable([1.0, 2.0])\n@tf.function\ndef f(x):\n    if x > 0:\n        v[0] = 3.0  # here\n    return x\n"
        "f(tf.constant(1))",
        ["'Variable' object does not support item assignment", "v[...].assign(value)"],
    ),
    "gradients and variables in the wrong order": (
        "v = tf.Variable(1.0)\ntf.keras.optimizers.Adam().apply_gradients([(v, tf.constant(1.0))])  # here",
        ["`grads_and_vars` must be pairs of a gradient and its tf.Variable", "EagerTensor"],
    ),
    "a layer without parentheses": (
        "tf.keras.Sequential([tf.keras.layers.Flatten])  # here",
        ["Only instances of `keras.Layer`", "Flatten"],
    ),
    "a weight of a shape in a shape": (
        "class L(tf.keras.layers.Layer):\n    def build(self, shape):\n        self.w = self.add_weight((2, shape))  # here\n"
        "    def call(self, x):\n        return x @ self.w\nL()(tf.ones([1, 2]))",
        ["Cannot convert (2, (1, 2)) to a shape", "invalid dimension (1, 2)", "layer 'l'"],
    ),
    "a call without a return": (
        "class M(tf.keras.Model):\n    def call(self, x):\n        x * 2\nm = M()\nm.compile('sgd', 'mse')\n"
        "m.fit(tf.ones([1, 2]), tf.ones([1, 2]), verbose=0)  # here",
        ["Loss 'mse' is given None as `y_pred`", "no `return`?"],
    ),
    "a cast of a text": (
        "tf.cast(tf.constant('1.5'), tf.float32)  # here",
        ["Cast string to float32 is not supported", "use tf.strings.to_number(x, tf.float32)"],
    ),
    "a name of TensorFlow 1": (
        "x = tf.constant(1.0)\ntf.log(x)  # here",
        ["no attribute 'log'", "of TensorFlow 1; in TensorFlow 2 tf.math.log takes its place"],
    ),
    "labels of the wrong shape": (
        "tf.keras.losses.SparseCategoricalCrossentropy()(tf.constant([0.1, 0.9]), tf.constant([0, 1, 1]))  # here",
        ["must have the same shape up until the last dimension", "y_true.shape=(2,)", "y_pred.shape=(3,)"],
    ),
    "too many indices": ("x = tf.ones([2])\nx[0, 0]  # here", ["Index out of range using input dim 1", "only 1 dims"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name, tmp_path):
    text, told = MISTAKES[name]
    file = tmp_path / "f"
    file.write_text(text)
    with pytest.raises(Exception) as raised:  # noqa: PT011  any error
        exec(compile(text, str(file), "exec"), {"tf": tf, "__name__": "program"})
    error, message = raised.value, str(raised.value)
    for part in told:
        assert part in message, message
        message = message.partition(part)[2]
    line = 1 + text[: text.index("# here")].count("\n")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(file)]
    assert frames[-1].lineno == line or f"{file}:{line}" in str(error)
    assert error.__suppress_context__ or error.__context__ is None
