"""Programs written for `tf`, run with TensorFlow to record what they give and with graphrt to compare.

Each takes the module and returns a structure of results; what it prints is recorded too.
"""

import numpy as np

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


@program
def simple_relu(tf):
    @tf.function
    def simple_relu(x):
        if tf.greater(x, 0):
            return x
        else:
            return 0

    return [simple_relu(tf.constant(1)), simple_relu(tf.constant(-1))], [o.type for o in ops_of(simple_relu, tf.TensorSpec([], tf.int32))]


def ops_of(function, *specs):
    return function.get_concrete_function(*specs).graph.get_operations()


@program
def power(tf):
    @tf.function
    def power(x, y):
        result = tf.eye(10, dtype=tf.dtypes.int32)
        for _ in range(y):
            result = tf.matmul(x, result)
        return result

    x = tf.random.uniform(shape=[10, 10], minval=-1, maxval=1, dtype=tf.dtypes.int32)
    assert x.shape == (10, 10)
    x = tf.reshape(tf.range(100), [10, 10]) % 7 - 3
    return power(x, 5), power(x, 0), power(x, 100)


@program
def tanh_loop(tf):
    @tf.function
    def f(x):
        while tf.reduce_sum(x) > 1:
            tf.print(x)
            x = tf.tanh(x)
        return x

    return f(tf.constant([0.25, 0.5, 0.75, 1.0])), f(tf.constant([0.1]))


@program
def fizzbuzz(tf):
    @tf.function
    def fizzbuzz(n):
        for i in tf.range(1, n + 1):
            print("Tracing for loop")
            if i % 15 == 0:
                print("Tracing fizzbuzz branch")
                tf.print("fizzbuzz")
            elif i % 3 == 0:
                print("Tracing fizz branch")
                tf.print("fizz")
            elif i % 5 == 0:
                print("Tracing buzz branch")
                tf.print("buzz")
            else:
                print("Tracing default branch")
                tf.print(i)

    fizzbuzz(tf.constant(5))
    fizzbuzz(tf.constant(20))
    return 0


@program
def collatz(tf):
    @tf.function
    def collatz(n):
        steps = tf.constant(0, tf.int64)
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    return [collatz(tf.constant(k, tf.int64)) for k in (1, 2, 7, 27, 97, 837799)]


@program
def dynamic_rnn(tf):
    batch_size, seq_len, feature_size = 2, 3, 4

    def rnn_step(inp, state):
        return inp + state

    @tf.function
    def dynamic_rnn(rnn_step, input_data, initial_state):
        input_data = tf.transpose(input_data, [1, 0, 2])
        max_seq_len = input_data.shape[0]
        states = tf.TensorArray(tf.float32, size=max_seq_len)
        state = initial_state
        for i in tf.range(max_seq_len):
            state = rnn_step(input_data[i], state)
            states = states.write(i, state)
        return tf.transpose(states.stack(), [1, 0, 2])

    data = tf.reshape(tf.range(24, dtype=tf.float32), [batch_size, seq_len, feature_size])
    return dynamic_rnn(rnn_step, data, tf.zeros([batch_size, feature_size]))


@program
def outer_inner(tf):
    def inner_function(x, y, b):
        x = tf.matmul(x, y)
        x = x + b
        return x

    @tf.function
    def outer_function(x):
        y = tf.constant([[2.0], [3.0]])
        b = tf.constant(4.0)
        return inner_function(x, y, b)

    def undecorated(x):
        if x > 0:
            return x * 2
        return -x

    @tf.function
    def calls(x):
        return undecorated(x) + undecorated(-x)

    return outer_function(tf.constant([[1.0, 2.0]])), calls(tf.constant(3.0)), calls(tf.constant(-5.0))


@program
def next_collatz(tf):
    @tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
    def next_collatz(x):
        print("Tracing with", x)
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    results = [next_collatz(tf.constant([1, 2])), next_collatz(tf.constant([5]))]
    for bad in (tf.constant([[1, 2], [3, 4]]), tf.constant([1.0, 2.0])):
        try:
            next_collatz(bad)
            results.append("no error")
        except (TypeError, ValueError):
            results.append("refused")
    return results


@program
def nested_loops(tf):
    @tf.function
    def primes(n):
        count = 0
        total = 0
        for i in tf.range(2, n):
            prime = True
            for j in tf.range(2, i):
                if j * j > i:
                    break
                if i % j == 0:
                    prime = False
                    break
            if not prime:
                continue
            count += 1
            total += i
        return count, total

    @tf.function
    def triangle(n):
        s = tf.constant(0)
        i = tf.constant(0)
        while i < n:
            j = tf.constant(0)
            while tf.constant(True):
                if j > i:
                    break
                j += 1
                if j % 2 == 0:
                    continue
                s += j
            i += 1
        return s

    return primes(tf.constant(50)), triangle(tf.constant(6)), triangle(tf.constant(0))


@program
def variable_in_loop(tf):
    v = tf.Variable(0)

    @tf.function
    def accumulate(n):
        for i in tf.range(n):
            if i % 2 == 1:
                v.assign_add(i)
        return v + 1

    first = accumulate(tf.constant(5))
    second = accumulate(tf.constant(3))
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def double_until(limit):
        while tf.reduce_max(w) < limit:
            w.assign(w * 2.0)
        return w.read_value()

    return first, second, v.numpy(), double_until(tf.constant(20.0)), w.numpy()


@program
def conditionals(tf):
    @tf.function
    def sign(x):
        if x > 0:
            y = 1
        elif x < 0:
            y = -1
        else:
            y = 0
        return y

    @tf.function
    def logic(x, y):
        a = x > 0 and y > 0
        b = x > 0 or y > 0
        c = not a
        d = x if a else y
        return a, b, c, d

    pairs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    return (
        [sign(tf.constant(k)) for k in (-5, 0, 5)],
        [logic(tf.constant(a), tf.constant(b)) for a, b in pairs],
    )


@program
def early_return(tf):
    @tf.function
    def f(x):
        if x > 10:
            return x * 2
        if x > 5:
            y = x + 1
            if y > 8:
                return y * 3
            x = y
        x = x - 1
        return x

    return [f(tf.constant(k)) for k in (12, 9, 8, 7, 6, 5, 0)]


@program
def structures(tf):
    @tf.function
    def f(d, lst, t):
        return {"sum": d["a"] + d["b"], "pair": (lst[0] * 2, t[1]), "none": None}

    return f({"b": tf.constant(1), "a": tf.constant(2)}, [tf.constant(3.0)], (tf.constant(1), tf.constant([4, 5])))


@program
def loop_over_tensor(tf):
    @tf.function
    def total(x):
        s = tf.constant(0.0)
        last = tf.constant(0.0)
        for row in x:
            s += tf.reduce_sum(row)
            last = row[0]
        return s, last

    return total(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])), total(tf.zeros([0, 2]))


@program
def loop_with_structures(tf):
    @tf.function
    def fib(n):
        pair = (tf.constant(0), tf.constant(1))
        state = {"calls": 0}
        for _ in tf.range(n):
            pair = (pair[1], pair[0] + pair[1])
            state["calls"] += 1
        return pair[0], state["calls"]

    return [fib(tf.constant(n)) for n in (0, 1, 10, 30)]


@program
def range_forms(tf):
    @tf.function
    def collect(start, stop, step):
        out = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        k = 0
        for i in tf.range(start, stop, step):
            out = out.write(k, i)
            k += 1
        return out.stack(), k

    return [
        collect(tf.constant(a), tf.constant(b), tf.constant(c))
        for a, b, c in ((0, 5, 1), (5, 0, -1), (1, 10, 3), (10, 1, -4), (3, 3, 1))
    ]


@program
def python_loop_is_unrolled(tf):
    @tf.function
    def f(x):
        for i in range(3):
            x = x + i
        return x

    return f(tf.constant(1)), [o.type for o in ops_of(f, tf.TensorSpec([], tf.int32))]


@program
def trace_counts(tf):
    traces = []

    @tf.function
    def f(x):
        traces.append(1)
        return x + x

    f(tf.constant(1))
    f(tf.constant(2))
    f(tf.constant(1.0))
    f(tf.constant([1.0]))
    f(tf.constant([2.0]))
    f(tf.constant("a"))
    f(3)
    f(3)
    f(4)
    return len(traces), f.experimental_get_tracing_count()


@program
def cond_and_while_loop(tf):
    @tf.function
    def f(x):
        y = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
        i, z = tf.while_loop(lambda i, z: i < 4, lambda i, z: (i + 1, z * 2), [tf.constant(0), y])
        return y, i, z

    return f(tf.constant(3)), f(tf.constant(-3))


@program
def tensor_array_ops(tf):
    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.float32, size=n)
        for i in tf.range(n):
            ta = ta.write(i, tf.cast(i, tf.float32) ** 2)
        return ta.stack(), ta.size(), ta.gather([0, 2])

    return f(tf.constant(4))


@program
def while_with_break_and_return(tf):
    @tf.function
    def find(x, target):
        i = tf.constant(0)
        found = tf.constant(-1)
        while i < tf.shape(x)[0]:
            if x[i] == target:
                found = i
                break
            i += 1
        return found

    x = tf.constant([5, 3, 8, 1])
    return [find(x, tf.constant(k)) for k in (5, 1, 8, 9)]


@program
def newton(tf):
    @tf.function
    def sqrt(a):
        x = a
        while tf.abs(x * x - a) > 1e-5 * a:
            x = 0.5 * (x + a / x)
        return x

    return [sqrt(tf.constant(v)) for v in (2.0, 9.0, 100.0)]


@program
def side_effects_in_order(tf):
    v = tf.Variable(1)

    @tf.function
    def f(x):
        tf.print("start", x)
        v.assign_add(x)
        if v > 3:
            tf.print("big", v)
            v.assign(0)
        else:
            tf.print("small", v.read_value())
        tf.print("end", v)
        return v.read_value()

    return f(tf.constant(1)), f(tf.constant(5)), v.numpy()


@program
def methods_and_closures(tf):
    class Dense(tf.Module):
        def __init__(self, n, m):
            super().__init__(name="dense")
            self.w = tf.Variable(tf.ones([n, m]) * 0.5, name="w")
            self.b = tf.Variable(tf.zeros([m]), name="b")

        @tf.function
        def __call__(self, x):
            y = tf.matmul(x, self.w) + self.b
            if tf.reduce_sum(y) > 5.0:
                y = tf.nn.relu(y - 1.0)
            return y

    layer = Dense(3, 2)
    scale = tf.constant(3.0)

    @tf.function
    def scaled(x):
        return layer(x) * scale

    return (
        layer(tf.ones([1, 3])), layer(tf.ones([4, 3]) * 2), scaled(tf.ones([2, 3])),
        [v.name for v in layer.variables], len(layer.trainable_variables),
    )


@program
def unknown_shapes(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def f(x):
        n = tf.shape(x)[0]
        s = tf.zeros([tf.shape(x)[1]])
        for i in tf.range(n):
            s = s + x[i]
        return s / tf.cast(n, tf.float32), str(x.shape)

    return f(tf.ones([3, 2]))[0], f(tf.reshape(tf.range(12.0), [4, 3]))[0]


@program
def print_formats(tf):
    @tf.function
    def f(x):
        tf.print("x:", x, "shape:", tf.shape(x), sep="|")
        tf.print({"a": x, "b": [1, 2.5]}, (x[0], "s"), True, None if False else 3)
        tf.print(tf.range(20), summarize=2)
        tf.print(tf.range(20), summarize=-1, end="!\n")
        tf.print(tf.constant([1.5, 1e10, -0.0, float("inf"), float("nan"), 1e-7]))
        tf.print(tf.constant(["a", "b"]), tf.constant(True), tf.constant([[True, False]]))
        tf.print(tf.zeros([2, 0]), tf.constant(3.0), tf.constant(1 / 3, tf.float64))

    f(tf.constant([1, 2]))
    return 0


def plain(value):
    """`value` as JSON data: arrays with dtype and shape, and Python values as they are."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, bytes):
        return {"bytes": value.decode()}
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        items = [v.decode() if isinstance(v, bytes) else v for v in array.ravel().tolist()]
        return {"dtype": array.dtype.name, "shape": list(array.shape), "values": items}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value
