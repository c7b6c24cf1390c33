"""docs/adding_a_layer.md: the file of the page, added to the folder of layers, is a layer in every respect."""

import doctest

from tests.docs import fresh

PROGRAM = """
import doctest, tempfile, os
import graphrt as tf
from graphrt.keras.layers import scaling

layers = tf.keras.layers
print(layers.Scaling is scaling.Scaling, "Scaling" in layers.__all__, "Scaling" in dir(layers))
print(doctest.testmod(scaling))

layer = layers.Scaling(initial=3.0)
print(layer(tf.constant([[1.0, 2.0]])).numpy().tolist(), [w.name for w in layer.trainable_weights])
again = layers.deserialize(layers.serialize(layer))
print(type(again).__name__, again.initial)

tf.keras.utils.set_random_seed(7)
model = tf.keras.Sequential([tf.keras.Input([2]), layers.Scaling(initial=0.5), layers.Dense(1)])
print(model.count_params(), model.compute_output_shape((None, 2)))
model.compile(tf.keras.optimizers.SGD(0.05), "mse")
x = tf.random.stateless_normal([64, 2], [1, 2])
history = model.fit(x, x[:, :1] * 2.0 - x[:, 1:], epochs=20, verbose=0)
print(history.history["loss"][-1] < 0.1 * history.history["loss"][0])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    print(float(tf.reduce_max(tf.abs(tf.keras.models.load_model(path)(x) - model(x)))) == 0.0)
traced = tf.function(layer, input_signature=[tf.TensorSpec([None, 2])]).get_concrete_function()
print(traced.output_shapes.as_list())
try:
    layers.Scaling(initial="three")
except TypeError as error:
    print(error)
"""


def test_one_file_is_a_layer(tmp_path):
    packages = fresh.Packages(tmp_path)
    packages.write("graphrt/keras/layers/scaling.py", fresh.blocks("adding_a_layer.md")[0])
    assert packages.run(PROGRAM).splitlines() == [
        "True True True",
        str(doctest.TestResults(failed=0, attempted=3)),
        "[[3.0, 6.0]] ['scale']",
        "Scaling 3.0",
        "5 (None, 1)",
        "True",
        "True",
        "[None, 2]",
        "initial is a number, found 'three'",
    ]


def test_two_files_cannot_make_the_same_name_public(tmp_path):
    packages = fresh.Packages(tmp_path)
    packages.write("graphrt/keras/layers/other_dense.py", '__all__ = ["Dense"]\n\n\nclass Dense:\n    pass\n')
    program = "try:\n    import graphrt.keras.layers\nexcept ValueError as error:\n    print(error)\n"
    told = "graphrt.keras.layers.Dense is made public twice, again by graphrt.keras.layers.other_dense\n"
    assert packages.run(program) == told
