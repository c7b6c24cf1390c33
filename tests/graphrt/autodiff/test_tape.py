"""What tapes say and refuse, and what they do at the edges."""

import threading

import numpy as np
import pytest

import graphrt as tf

HERE = __file__


def recorded(function, *values, **options):
    xs = [tf.constant(v) for v in values]
    with tf.GradientTape(**options) as tape:
        tape.watch(xs)
        y = function(*xs)
    return tape, y, xs


def test_a_tape_used_twice_names_both_lines():
    tape, y, (x,) = recorded(lambda x: x * x, 3.0)
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only be used") as caught:
        tape.gradient(y, x)
    assert str(caught.value).count(HERE) >= 2
    assert "persistent=True" in str(caught.value)


def test_a_tape_that_was_never_entered_says_so():
    with pytest.raises(RuntimeError, match="never entered"):
        tf.GradientTape().gradient(tf.constant(1.0), tf.constant(1.0))


def test_a_tape_may_be_entered_again():
    x = tf.constant(2.0)
    tape = tf.GradientTape()
    for power in (2.0, 3.0):
        with tape:
            tape.watch(x)
            y = x**power
        assert tape.gradient(y, x).numpy() == power * 2.0 ** (power - 1)


@pytest.mark.parametrize(
    ("sources", "name"), [(3.0, "sources is 3.0"), ([None], r"sources\[0\]"), ({"a": "x"}, r"\['a'\]")]
)
def test_what_cannot_be_a_source_is_named(sources, name):
    tape, y, _ = recorded(lambda x: x * x, 3.0)
    with pytest.raises(TypeError, match=name):
        tape.gradient(y, sources)


def test_what_cannot_be_a_target_is_named():
    tape, _, (x,) = recorded(lambda x: x * x, 3.0)
    with pytest.raises(TypeError, match=r"target\['a'\] is 3.0"):
        tape.gradient({"a": 3.0}, x)


def test_an_op_without_gradient_is_named_with_its_line():
    @tf.function
    def f(x):
        return tf.math.igammac(tf.math.igamma(x, x), x)  # its second derivative has no rule

    x = tf.constant(1.5)
    with pytest.raises(LookupError, match="No gradient defined for operation.*IgammaGradA"):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            g = inner.gradient(y, x)
        outer.gradient(g, x)


def test_integers_are_not_watched(caplog):
    x = tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None
    assert "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32" in caplog.text


def test_a_tape_of_a_graph_cannot_be_asked_outside():
    kept = []

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        kept.append(tape)
        return y

    x = tf.constant(3.0)
    y = f(x)
    with pytest.raises(
        tf.errors.InaccessibleTensorError if hasattr(tf.errors, "InaccessibleTensorError") else TypeError,
        match="inference_f",
    ):
        kept[-1].gradient(y, x)


def test_output_gradients_must_fit():
    tape, y, (x,) = recorded(lambda x: x * x, 3.0, persistent=True)
    with pytest.raises(ValueError, match="2 gradients"):
        tape.gradient(y, x, output_gradients=[tf.constant(1.0)] * 2)
    with pytest.raises(TypeError, match="float64"):
        tape.gradient(y, x, output_gradients=tf.constant(1.0, tf.float64))
    assert tape.gradient(y, x, output_gradients=2.0).numpy() == 12.0
    assert tape.gradient([y, y], x, output_gradients=[None, tf.constant(2.0)]).numpy() == 18.0


def test_a_persistent_tape_inside_its_context_differentiates_its_own_gradients():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return v * x**3

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        dy = tape.gradient(y, x)
    assert tape.gradient(dy, [x, v])[0].numpy() == 36.0
    assert tape.gradient(dy, [x, v])[1].numpy() == 27.0


def test_third_order_of_a_function_with_state():
    v = tf.Variable(1.5)

    @tf.function
    def f(x):
        y = x
        for _ in tf.range(2):
            y = y * x * v
        return y  # x³ v²

    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as c:
                c.watch(x)
                y = f(x)
            g = c.gradient(y, x)
        h = b.gradient(g, x)
    np.testing.assert_allclose(a.gradient(h, x).numpy(), 6 * 2.25)


def test_effects_happen_once(capfd):
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        for _ in tf.range(2):
            v.assign_add(1.0)
            x = x * x
        return x

    tape, y, (x,) = recorded(f, 3.0)
    assert tape.gradient(y, x).numpy() == 108.0
    assert v.numpy() == 2.0


def test_gradients_see_the_value_a_variable_had():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        y = v * x
        v.assign(10.0)
        return y * v

    tape, y, (x,) = recorded(f, 3.0)
    v.assign(99.0)
    assert tape.gradient(y, x).numpy() == 20.0


def test_tensor_arrays_pass_functions():
    @tf.function
    def fill(x):
        return tf.TensorArray(tf.float32, 2).write(0, x * x).write(1, x)

    @tf.function
    def product(array):
        return array.read(0) * array.read(1)

    tape, y, (x,) = recorded(lambda x: product(fill(x)), 3.0)
    assert tape.gradient(y, x).numpy() == 27.0


def test_gradients_inside_a_branch_of_tensors_outside():
    @tf.function
    def f(x):
        y = x * x
        z = x
        while z < 100.0:
            if z > 1.0:
                (g,) = tf.gradients(y, [x])
                z = z * g
            else:
                z = z + 1.0
        return z

    assert f(tf.constant(3.0)).numpy() == 108.0


def test_gradients_inside_a_loop_of_a_loop_outside():
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x
        total = tf.constant(0.0)
        for _ in tf.range(2):
            total += tape.gradient(y, x)
        return total

    assert f(tf.constant(2.0)).numpy() == 64.0


def test_stop_gradients_and_unconnected_sources_of_a_graph():
    @tf.function
    def f(x, z):
        a = x * x
        b = a * x
        return tf.gradients(b, [x, a], stop_gradients=[a]), tf.gradients(b, [z]) == [None]

    (gx, ga), unconnected = f(tf.constant(3.0), tf.constant(1.0))
    assert gx.numpy() == 9.0 and ga.numpy() == 3.0 and unconnected


def test_hessians():
    h = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3) * x[0], x))(tf.constant([1.0, 2.0]))[0]
    np.testing.assert_allclose(h.numpy(), [[12.0, 12.0], [12.0, 12.0]])


def test_jacobians_of_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)])
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x, 1, keepdims=True)
        return tape.jacobian(y, x), tape.batch_jacobian(y, x)

    x = np.arange(6.0).reshape(2, 3)
    whole, batched = f(tf.constant(x))
    assert whole.shape == (2, 3, 2, 3) and batched.shape == (2, 3, 3)
    for i in range(2):
        np.testing.assert_allclose(whole.numpy()[i, :, i], batched.numpy()[i])
        wanted = np.diag(np.cos(x[i]) * x[i].sum()) + np.sin(x[i])[:, None]
        np.testing.assert_allclose(batched.numpy()[i], wanted)


def test_what_nobody_watched_has_no_gradient():
    v, fixed, c = tf.Variable(2.0), tf.Variable(3.0, trainable=False), tf.constant(5.0)
    called = tf.function(lambda: v * fixed * c)
    for run in (lambda: v * fixed * c, called, called.get_concrete_function()):
        with tf.GradientTape(persistent=True) as tape:
            y = run()
        assert [g if g is None else float(g) for g in tape.gradient(y, [v, fixed, c])] == [15.0, None, None]
        assert float(tape.gradient(y, c, unconnected_gradients="zero")) == 0.0
        assert tape.jacobian(y, c) is None
        assert float(tape.gradient(y, y)) == 1.0
        assert float(tape.gradient(c, c)) == 1.0
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            hidden = c * v
        y = hidden * v
    assert [g if g is None else float(g) for g in tape.gradient(y, [hidden, v])] == [None, 10.0]


def test_jacobian_of_nothing():
    tape, y, (x,) = recorded(lambda x: x * 2.0, np.zeros((0, 3)))
    assert tape.jacobian(y, x).shape == (0, 3, 0, 3)


def test_registered_rules():
    @tf.RegisterGradient("IgammaGradA")
    def rule(op, grad):
        return [None, grad * 0.0]

    from graphrt.autodiff import backprop

    try:
        with pytest.raises(KeyError):
            tf.RegisterGradient("IgammaGradA")(rule)
        with pytest.raises(KeyError):
            tf.no_gradient("Sin")
        with pytest.raises(TypeError):
            tf.no_gradient(3)
    finally:
        del backprop.registered["IgammaGradA"]


def test_custom_gradients_are_freed_with_their_graph():
    import gc

    from graphrt.autodiff.backprop import named_rules

    @tf.custom_gradient
    def square(x):
        return x * x, lambda g: 2.0 * g * x

    gc.collect()
    before = len(named_rules)
    f = tf.function(lambda x: square(x) * 2.0)
    tape, y, (x,) = recorded(f, 3.0)
    assert tape.gradient(y, x).numpy() == 12.0
    assert len(named_rules) > before
    del f, tape, y
    gc.collect()
    assert len(named_rules) == before


def test_threads_take_gradients_of_one_function():
    @tf.function
    def f(x):
        y = x
        for _ in tf.range(3):
            if y > 2.0:
                y = y * x
            else:
                y = y + x
        return y

    found, failures = [], []

    def work(value):
        try:
            tape, y, (x,) = recorded(f, value)
            found.append((value, tape.gradient(y, x).numpy()))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(float(v),)) for v in (1.0, 1.5, 3.0, 4.0) * 3]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures
    expected = {v: recorded(f.python_function, v) for v, _ in found}
    for v, g in found:
        tape, y, (x,) = recorded(f, v)
        assert g == tape.gradient(y, x).numpy()


def test_rows_of_a_tensor_are_recorded():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(1.0)
        for row in x:
            y = y * row
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [6.0, 3.0, 2.0])


def test_forward_mode_in_graphs_over_loops_and_gradients():
    @tf.function
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in tf.range(3):
                    y = y * x
            g = tape.gradient(y, x)
        return acc.jvp(y), acc.jvp(g)

    first, second = f(tf.constant(2.0))
    assert first.numpy() == 32.0 and second.numpy() == 48.0


def test_forward_mode_refuses_what_does_not_fit():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with pytest.raises(TypeError, match="sources"):
        tf.autodiff.ForwardAccumulator(3.0, 1.0)


def test_indexed_slices():
    rows = tf.IndexedSlices([[1.0, 2.0], [3.0, 4.0]], [1, 1], [3, 2])
    assert tf.convert_to_tensor(rows).numpy().tolist() == [[0.0, 0.0], [4.0, 6.0], [0.0, 0.0]]
    v = tf.Variable(tf.zeros([3, 2]))
    v.scatter_add(rows)
    assert v.numpy()[1].tolist() == [4.0, 6.0]
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    assert tape.gradient(y, x, output_gradients=rows).numpy()[1].tolist() == [8.0, 12.0]
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(tf.IndexedSlices([1.0], [0]))


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_a_loop_without_back_propagation_is_a_constant(wrap):
    def f(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (0, x), back_prop=False)[1]

    tape, y, (x,) = recorded(wrap(f), 2.0)
    assert y.numpy() == 8.0 and tape.gradient(y, x) is None


SCALE = tf.Variable(2.0)


@tf.function
def staged_tree(n, x):
    if n <= 0:
        return x * SCALE
    return staged_tree(n - 1, x * 0.5) * staged_tree(n - 2, tf.sin(x)) + x


def python_tree(n, x):
    return x * SCALE if n <= 0 else python_tree(n - 1, x * 0.5) * python_tree(n - 2, tf.sin(x)) + x


def test_functions_that_call_themselves():
    def derivatives(function, n, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(n, x)
            first = inner.gradient(y, [x, SCALE])
        return [*first, outer.gradient(first[0], x)]

    x = tf.constant(1.3)
    wanted = [float(d) for d in derivatives(python_tree, 3, x)]
    found = [float(d) for d in derivatives(staged_tree, tf.constant(3), x)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    found = tf.function(lambda x: derivatives(staged_tree, tf.constant(3), x))(x)
    np.testing.assert_allclose([float(d) for d in found], wanted, rtol=1e-5)


def test_recursion_with_effects_has_no_gradient():
    @tf.function
    def f(n, x):
        if n <= 0:
            return x * 1.0
        SCALE.assign_add(0.0)
        return f(n - 1, x) * x

    with pytest.raises(LookupError, match="calls itself.*has effects"):
        x = tf.constant(1.3)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(tf.constant(3), x)
        tape.gradient(y, x)


def test_a_tape_entered_again_goes_on_recording():
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * x
    assert tape.gradient(z, x).numpy() == 27.0


def test_output_gradients_must_fit_their_targets():
    for shape, wrong in (([], [2]), ([3], [2]), ([2, 3], [3, 2])):
        tape, y, x = recorded(lambda x: x * x, np.ones(shape))
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit the shape"):
            tape.gradient(y, x, output_gradients=tf.ones(wrong, tf.float64))


def test_a_batch_jacobian_takes_a_variable():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def f():
        with tf.GradientTape() as tape:
            y = v * v * tf.constant([1.0, 2.0])
        return tape.batch_jacobian(y, v)

    for run in (f, tf.function(f)):
        found = run()
        assert found.shape == (2, 2, 2)
        assert found.numpy().tolist() == [[[2.0, 0.0], [0.0, 8.0]], [[6.0, 0.0], [0.0, 16.0]]]


def test_a_batch_jacobian_of_a_variable_itself_is_one():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def f():
        with tf.GradientTape() as tape:
            _ = v * 2.0
        return tape.batch_jacobian(v, v)

    for run in (f, tf.function(f)):
        assert run().numpy().tolist() == [[[1.0, 0.0], [0.0, 1.0]]] * 2
    with tf.GradientTape() as tape, pytest.raises(ValueError, match=r"Shape \(2,\) must have rank at least 2"):
        tape.batch_jacobian(tf.Variable([1.0, 2.0]), v)


def test_a_batch_jacobian_without_connection_is_zero():
    tape, _, x = recorded(lambda x: x * x, np.ones([2, 2]))
    assert not tape.batch_jacobian(tf.ones([2, 3], tf.float64), x[0]).numpy().any()


def test_tangents_have_the_dtype_of_their_primals():
    with pytest.raises(ValueError, match="float64"):
        tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.constant(1.0, tf.float64))


@pytest.mark.parametrize("watch", [True, False])
def test_variables_that_are_recomputed_are_seen_by_tapes(watch):
    v = tf.Variable(2.0)
    square = tf.recompute_grad(lambda x: x * x)

    def f():
        with tf.GradientTape(watch_accessed_variables=watch) as tape:
            if not watch:
                tape.watch(v)
            y = square(v)
        return tape.gradient(y, v)

    for run in (f, tf.function(f)):
        assert run().numpy() == 4.0
    with tf.GradientTape() as tape:
        y = square(tf.Variable(2.0, trainable=False))
    assert tape.gradient(y, v) is None
