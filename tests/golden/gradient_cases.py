"""Uses of the gradient API, one a function of `tf`; each gives nested lists of numbers, None, or names of errors."""

# ruff: noqa
import numpy as np

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def plain(tf, value):
    if isinstance(value, dict):
        return {k: plain(tf, value[k]) for k in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [plain(tf, v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    array = np.asarray(tf.convert_to_tensor(value))
    if array.dtype.kind == "c":
        return [array.real.tolist(), array.imag.tolist()]
    return array.tolist()


def run(tf):
    out = {}
    for name, function in CASES.items():
        try:
            out[name] = plain(tf, function(tf))
        except Exception as error:
            out[name] = {"error": [k.__name__ for k in type(error).__mro__ if k is not object]}
    return out


def watched(tf, *values, **options):
    tape = tf.GradientTape(**options)
    return tape, [tf.constant(v) for v in values]


@case
def twice(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    return tape.gradient(y, x)


@case
def persistent(tf):
    tape, (x,) = watched(tf, 3.0, persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
        z = y * x
    return [tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y)]


@case
def integer_source(tf):
    tape, (x,) = watched(tf, 3)
    with tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@case
def integer_target(tf):
    tape, (x,) = watched(tf, 3.5)
    with tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32) * 2
    return tape.gradient(y, x)


@case
def watch_a_number(tf):
    tape = tf.GradientTape()
    with tape:
        tape.watch(3.0)


@case
def no_target(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
    return tape.gradient(None, x)


@case
def never_entered(tf):
    tape, (x,) = watched(tf, 3.0)
    return tape.gradient(x, x)


@case
def entered_twice(tf):
    tape = tf.GradientTape()
    with tape:
        with tape:
            pass


@case
def reset_outside(tf):
    tf.GradientTape().reset()


@case
def reset_inside(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x * x * x
        w = z + y
    return tape.gradient(w, x)


@case
def stop_outside(tf):
    with tf.GradientTape().stop_recording():
        pass


@case
def stop_inside(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * y
        w = z * y
    return tape.gradient(w, x)


@case
def target_is_source(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
    return tape.gradient(x, x)


@case
def not_watched(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        y = x * x
    return tape.gradient(y, x)


@case
def unconnected_zero(tf):
    tape, (x, z) = watched(tf, 3.0, [1.0, 2.0])
    v = tf.Variable([1.0, 2.0, 3.0])
    with tape:
        tape.watch([x, z])
        y = x * x
    return tape.gradient(y, [x, z, v], unconnected_gradients=tf.UnconnectedGradients.ZERO)


@case
def unconnected_wrong(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        y = x * x
    return tape.gradient(y, x, unconnected_gradients="some")


@case
def structures(tf):
    tape, (x, y) = watched(tf, 3.0, [1.0, 2.0])
    with tape:
        tape.watch({"a": x, "b": [y]})
        t = {"p": x * y, "q": (tf.sin(x),)}
    return tape.gradient(t, {"a": x, "b": [y, (x,)]})


@case
def output_gradients(tf):
    tape, (x,) = watched(tf, [3.0, 4.0])
    with tape:
        tape.watch(x)
        y = x * x
        z = x * 2.0
    return tape.gradient([y, z], x, output_gradients=[tf.constant([1.0, 10.0]), tf.constant([0.5, 0.25])])


@case
def variables_watched(tf):
    a, b, c = tf.Variable(1.0, name="a"), tf.Variable(2.0, trainable=False, name="b"), tf.Variable(3.0, name="c")
    with tf.GradientTape() as tape:
        y = a * b
    names = [v.name for v in tape.watched_variables()]
    return [names, tape.gradient(y, [a, b, c])]


@case
def variables_not_watched(tf):
    a = tf.Variable(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = a * 2.0
    return [len(tape.watched_variables()), tape.gradient(y, a)]


@case
def variable_watched_by_hand(tf):
    a = tf.Variable(1.0, trainable=False)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(a)
        y = a * a * 2.0
    return tape.gradient(y, a)


@case
def variable_assigned(tf):
    a = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = a * a
        a.assign(5.0)
        z = a * y
    return tape.gradient(z, a)


@case
def variable_in_function(tf):
    a, b = tf.Variable(2.0, name="a"), tf.Variable(3.0, name="b")

    @tf.function
    def f(x):
        return a * x * x

    with tf.GradientTape() as tape:
        y = f(b)
    return [[v.name for v in tape.watched_variables()], tape.gradient(y, [a, b])]


@case
def nested_tapes(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = tf.sin(x) * x**4
            dy = first.gradient(y, x)
        d2y = second.gradient(dy, x)
    return [dy, d2y, third.gradient(d2y, x)]


@case
def nested_tapes_of_a_function(tf):
    x = tf.constant(1.3)
    v = tf.Variable(0.7)

    @tf.function
    def f(x):
        y = x
        for i in tf.range(3):
            if y > 2.0:
                y = y * v + x
            else:
                y = y * x
        return tf.sin(y)

    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = f(x)
            dy = first.gradient(y, x)
        d2y = second.gradient(dy, [x, v])
    return [dy, d2y, third.gradient(d2y[0], x)]


@case
def second_order_with_one_persistent_tape(tf):
    x = tf.constant(2.0)

    @tf.function
    def f(x):
        return x**3 * tf.sin(x)

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        dy = tape.gradient(y, x)
    return [dy, tape.gradient(dy, x)]


@case
def jacobian_vector(tf):
    tape, (x,) = watched(tf, [1.0, 2.0, 3.0])
    with tape:
        tape.watch(x)
        y = tf.stack([x[0] * x[1], tf.reduce_sum(x * x)])
    return tape.jacobian(y, x)


@case
def jacobian_structure(tf):
    tape, (x, m) = watched(tf, [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]])
    with tape:
        tape.watch([x, m])
        y = tf.linalg.matvec(m, x)
    return tape.jacobian(y, {"x": x, "m": m})


@case
def jacobian_scalar(tf):
    tape, (x,) = watched(tf, 2.0)
    with tape:
        tape.watch(x)
        y = x**3
    return tape.jacobian(y, x)


@case
def jacobian_unconnected(tf):
    tape, (x, z) = watched(tf, [1.0, 2.0], [[3.0]])
    with tape:
        tape.watch([x, z])
        y = x * x
    return tape.jacobian(y, [x, z], unconnected_gradients="zero")


@case
def jacobian_in_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    return f(tf.constant([1.0, 2.0, 3.0]))


@case
def batch_jacobian(tf):
    tape, (x,) = watched(tf, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tape:
        tape.watch(x)
        y = tf.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2, x[:, 1]], axis=1)
    return tape.batch_jacobian(y, x)


@case
def batch_jacobian_rank(tf):
    tape, (x,) = watched(tf, [1.0, 2.0])
    with tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)


@case
def batch_jacobian_sizes(tf):
    tape, (x,) = watched(tf, [[1.0, 2.0], [3.0, 4.0]])
    with tape:
        tape.watch(x)
        y = x[:1] * 2.0
    return tape.batch_jacobian(y, x)


@case
def hessian_by_jacobian(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3) * x[0]
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


@case
def gradients_at_once(tf):
    x = tf.constant(2.0)
    return tf.gradients(x * x, x)


@case
def gradients_in_function(tf):
    @tf.function
    def f(x, y):
        a = x * y
        b = tf.sin(a) * x
        return tf.gradients([a, b], [x, y]), tf.gradients(b, [a, x]), tf.gradients(b, x, stop_gradients=[a])

    return f(tf.constant(2.0), tf.constant(3.0))


@case
def gradients_with_grad_ys(tf):
    @tf.function
    def f(x):
        return tf.gradients([x * x, x**3], [x], grad_ys=[tf.constant(10.0), None])

    return f(tf.constant(2.0))


@case
def gradients_unconnected(tf):
    @tf.function
    def f(x, y):
        return tf.gradients(x * x, [x, y], unconnected_gradients=tf.UnconnectedGradients.ZERO)

    return f(tf.constant(2.0), tf.constant([3.0, 4.0]))


@case
def gradients_none(tf):
    @tf.function
    def f(x, y):
        return [g is None for g in tf.gradients(x * x, [x, y])]

    return f(tf.constant(2.0), tf.constant([3.0, 4.0]))


@case
def custom_gradient(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = f(x) * 2.0
    return [y, tape.gradient(y, x)]


@case
def custom_gradient_keywords(tf):
    @tf.custom_gradient
    def f(x, y, scale=1.0):
        return x * y * scale, lambda dy: (dy * 2.0, dy * 3.0)

    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = f(x, x, scale=5.0)
    return [y, tape.gradient(y, x)]


@case
def custom_gradient_wrong_number(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dy: dy * 2.0

    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = f(x, x)
    return tape.gradient(y, x)


@case
def custom_gradient_variable_refused(tf):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy: dy * 2.0

    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@case
def custom_gradient_variable(tf):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 2.0, [dy * 7.0 for _ in variables]

        return x * v, grad

    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, v])


@case
def custom_gradient_two_results(tf):
    @tf.custom_gradient
    def f(x):
        def grad(da, db):
            return da * 10.0 + db * 100.0

        return (x * 2.0, x * 3.0), grad

    tape, (x,) = watched(tf, 3.0, persistent=True)
    with tape:
        tape.watch(x)
        a, b = f(x)
        c = a * b
    return [tape.gradient(a, x), tape.gradient(b, x), tape.gradient(c, x)]


@case
def custom_gradient_second_order(tf):
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            return dy * x * x * x

        return x * x, grad

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return [g, outer.gradient(g, x)]


@case
def custom_gradient_in_function(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    @tf.function
    def g(x):
        if x > 1.0:
            y = f(x)
        else:
            y = x
        return y * 2.0

    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = g(x)
    return tape.gradient(y, x)


@case
def recompute(tf):
    v = tf.Variable(1.5)
    f = tf.recompute_grad(lambda x: tf.sin(x) * v)
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = f(x) * x
    return tape.gradient(y, [x, v])


@case
def pass_through(tf):
    f = tf.grad_pass_through(lambda x: tf.round(x) * 10.0)
    tape, (x,) = watched(tf, 3.4)
    with tape:
        tape.watch(x)
        y = f(x) * 2.0
    return [y, tape.gradient(y, x)]


@case
def stop_gradient(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = tf.stop_gradient(x * x) * x
    return tape.gradient(y, x)


@case
def forward(tf):
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as acc:
        y = tf.sin(x) * tf.reduce_sum(x)
        z = tf.constant(1.0)
    return [acc.jvp(y), acc.jvp(z), acc.jvp(z, "zero"), acc.jvp({"a": y, "b": x})]


@case
def forward_of_variable(tf):
    v = tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as acc:
        y = v * v * v
    return acc.jvp(y)


@case
def forward_of_function(tf):
    @tf.function
    def f(x):
        y = x
        for i in tf.range(3):
            y = y * x
        return y

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = f(x)
    return acc.jvp(y)


@case
def forward_over_reverse(tf):
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x) * tf.reduce_sum(tf.sin(x))
        g = tape.gradient(y, x)
    return acc.jvp(g)


@case
def forward_nested(tf):
    x = tf.constant(1.3)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
            y = tf.sin(x) * x**3
        d = inner.jvp(y)
    return [d, outer.jvp(d), outer.jvp(y)]


@case
def complex_numbers(tf):
    z = tf.constant(1.0 + 2.0j)
    out = []
    for f in (tf.abs, lambda z: z * z, tf.math.real, lambda z: tf.math.conj(z) * z, tf.exp):
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = f(z)
        out.append(tape.gradient(y, z))
    return out


@case
def accumulates(tf):
    tape, (x,) = watched(tf, 3.0)
    with tape:
        tape.watch(x)
        y = sum([x * x for _ in range(4)], x)
    return tape.gradient(y, x)


@case
def tape_in_function_and_outside(tf):
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3 * tf.sin(x)
        return tape.gradient(y, x)

    tape, (x,) = watched(tf, 1.5)
    with tape:
        tape.watch(x)
        g = slope(x)
    return [g, tape.gradient(g, x)]


@case
def captured_tensor(tf):
    c = tf.constant(4.0)

    @tf.function
    def f(x):
        return x * c * c

    tape, (x,) = watched(tf, 1.5)
    with tape:
        tape.watch([x, c])
        y = f(x)
    return tape.gradient(y, [x, c])


@case
def outer_tensor_watched_inside(tf):
    c = tf.constant(4.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = x * c * c
        return tape.gradient(y, c)

    return f(tf.constant(1.5))


@case
def several_functions(tf):
    f = tf.function(lambda x: (x * x, tf.sin(x)))
    g = tf.function(lambda a, b: a * b)
    tape, (x,) = watched(tf, 1.5)
    with tape:
        tape.watch(x)
        y = g(*f(x))
    return tape.gradient(y, x)


@case
def result_not_needed(tf):
    f = tf.function(lambda x, y: (x * x, y * y))
    tape, (x, y) = watched(tf, 1.5, 2.0)
    with tape:
        tape.watch([x, y])
        a, b = f(x, y)
    return tape.gradient(a, x)


@case
def norm_at_zero_is_finite(tf):
    tape, (x,) = watched(tf, [3.0, 4.0])
    with tape:
        tape.watch(x)
        y = tf.norm(x)
    return tape.gradient(y, x)


@case
def training_step(tf):
    w = tf.Variable([[0.5], [-0.5]])
    b = tf.Variable([0.1])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = tf.constant([[1.0], [2.0], [3.0]])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(x, w) + b - y) ** 2)
        grads = tape.gradient(loss, [w, b])
        for v, g in zip([w, b], grads):
            v.assign_sub(0.01 * g)
        return loss

    losses = [step() for _ in range(5)]
    return [losses, w, b]


@case
def training_loop_in_graph(tf):
    w = tf.Variable(5.0)

    @tf.function
    def train(n):
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                loss = (w - 2.0) ** 2
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    return [train(tf.constant(10)), w]
