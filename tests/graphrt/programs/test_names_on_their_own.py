"""Public names that programs seldom call by themselves: what they give, and what they say where a class leaves them open."""

import numpy as np
import pytest

import graphrt as tf


def test_effects_of_a_graph():
    v = tf.Variable(1.0)
    graph = tf.function(lambda x: v.assign_add(x) + x * 2.0).get_concrete_function(tf.TensorSpec([])).graph
    kinds = [node.type for node in graph.effects()]
    assert "AssignAddVariableOp" in kinds and "Mul" not in kinds


def test_specs_of_slices_are_compared():
    wide, narrow = tf.IndexedSlicesSpec([None, 2], tf.float32), tf.IndexedSlicesSpec([3, 2], tf.float32)
    assert narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow)
    assert not narrow.is_subtype_of(tf.IndexedSlicesSpec([3, 2], tf.int32))
    both = narrow.most_specific_common_supertype([tf.IndexedSlicesSpec([4, 2], tf.float32)])
    assert both.is_subtype_of(wide) and wide.is_subtype_of(both)
    assert narrow.most_specific_common_supertype([tf.TensorSpec([3, 2])]) is None


def test_there_are_no_sessions():
    with pytest.raises(RuntimeError, match="no sessions"):
        tf.sparse.from_dense([[1, 0]]).eval()

    class Case(tf.test.TestCase):
        def runTest(self):
            with self.session() as session:
                assert session is None

    assert Case().run().wasSuccessful()


def test_a_type_of_ones_own_says_nothing_by_itself():
    class Spec(tf.TypeSpec):
        def _serialize(self):
            return (1,)

    with pytest.raises(TypeError, match="Spec does not say which values it describes"):
        Spec().value_type  # noqa: B018
    one = Spec()
    assert one.is_compatible_with(one) and not one.is_compatible_with(3)


def test_a_shape_is_not_printed_by_a_graph():
    shape = tf.experimental.DynamicRaggedShape.from_tensor(tf.ragged.constant([[1], [2, 3]]))
    with pytest.raises(TypeError, match="DynamicRaggedShape cannot be printed"):
        shape.printed(3)


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (lambda: tf.keras.Initializer()([2]), "must define `__call__"),
        (lambda: tf.keras.Layer().call(1), "does not have a `call"),
        (lambda: tf.keras.Optimizer(0.1).update_step(0.0, tf.Variable(1.0), 0.1), "must define `update_step"),
    ],
)
def test_what_a_class_leaves_open_is_told(use, told):
    with pytest.raises(NotImplementedError, match=told):
        use()


def test_weights_of_an_optimizer_are_given_and_taken():
    made, other = tf.keras.optimizers.SGD(0.1, momentum=0.5), tf.keras.optimizers.SGD(0.1, momentum=0.5)
    for optimizer in (made, other):
        optimizer.build([tf.Variable([1.0, 2.0])])
    w = tf.Variable([1.0, 2.0])
    trained = tf.keras.optimizers.SGD(0.1, momentum=0.5)
    trained.apply([tf.constant([1.0, 1.0])], [w])
    other.set_weights(trained.get_weights())
    for found, wanted in zip(other.get_weights(), trained.get_weights(), strict=True):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="set_weights"):
        made.set_weights([])


def test_the_signature_of_a_model():
    assert tf.keras.Sequential([tf.keras.layers.Dense(1)]).default_signature() is None
    model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    assert model.default_signature()(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[3.0]]


def test_layers_that_hold_others():
    layers = tf.keras.layers
    stacked = layers.StackedRNNCells([layers.GRUCell(2), layers.GRUCell(3)])
    assert stacked.draw_masks(tf.ones([1, 2]), True) == (None, None)
    inner = layers.Dense(3)
    layers.Wrapper(inner).build([None, 2])
    assert inner.kernel.shape == [2, 3]
    texts = layers.TextVectorization(output_mode="int")
    texts.set_vocabulary(["a", "b"])
    assert texts(["b a c"]).numpy().tolist() == [[3, 2, 1]]


def test_a_writer_is_open_from_the_start(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    assert writer.init() is None and list(tmp_path.iterdir())
    writer.close()


def test_main_runs_the_tests_of_the_main_module(monkeypatch):
    asked = []
    monkeypatch.setattr("unittest.main", lambda **options: asked.append(options))
    tf.test.main(["program", "Sums"])
    assert asked == [{"argv": ["program", "Sums"]}]
