"""Programs whose GraphDef is compared with TensorFlow's: each is `(name, function of tf giving f, input specs)`.

The functions are written against a module `tf`, so that the same text runs on TensorFlow (which records the golden
texts) and on graphrt (which is compared with them).
"""


def simple_relu(tf):
    @tf.function
    def simple_relu(x):
        if tf.greater(x, 0):
            return x
        else:
            return 0

    return simple_relu, [tf.TensorSpec([], tf.int32)]


def add_one(tf):
    @tf.function
    def add_one(x):
        return x + 1

    return add_one, [tf.TensorSpec([None, 3], tf.float32)]


def power(tf):
    @tf.function
    def power(x, y):
        if tf.equal(y, 0):
            return tf.ones_like(x)
        pow_x = x
        for _ in range(1):
            pow_x = pow_x * x
        return pow_x

    return power, [tf.TensorSpec([2, 2], tf.int32), tf.TensorSpec([], tf.int32)]


def fizzbuzz(tf):
    @tf.function
    def fizzbuzz(n):
        for i in tf.range(1, n + 1):
            print("Tracing for loop")
            if i % 15 == 0:
                tf.print("fizzbuzz")
            elif i % 3 == 0:
                tf.print("fizz")
            else:
                tf.print(i)

    return fizzbuzz, [tf.TensorSpec([], tf.int32)]


def collatz(tf):
    @tf.function
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    return collatz, [tf.TensorSpec([], tf.int64)]


def nested_cond(tf):
    @tf.function
    def nested(x, y):
        if x > 0.0:
            if y > 0.0:
                z = x + y
            else:
                z = x - y
        else:
            z = y
        return z * 2.0

    return nested, [tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)]


def nested_while(tf):
    @tf.function
    def nested(n):
        total = tf.constant(0)
        i = tf.constant(0)
        while i < n:
            j = tf.constant(0)
            while j < i:
                total += j
                j += 1
            i += 1
        return total

    return nested, [tf.TensorSpec([], tf.int32)]


def tensor_array(tf):
    @tf.function
    def squares(n):
        ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(i, i * i)
        return ta.stack()

    return squares, [tf.TensorSpec([], tf.int32)]


def rnn(tf):
    @tf.function
    def rnn(xs, state):
        xs = tf.transpose(xs, [1, 0, 2])
        out = tf.TensorArray(tf.float32, tf.shape(xs)[0])
        for i in tf.range(tf.shape(xs)[0]):
            state = tf.tanh(xs[i] + state)
            out = out.write(i, state)
        return tf.transpose(out.stack(), [1, 0, 2]), state

    return rnn, [tf.TensorSpec([None, None, 4], tf.float32), tf.TensorSpec([None, 4], tf.float32)]


def rows(tf):
    @tf.function
    def rows(m):
        total = tf.zeros([3])
        for row in m:
            if tf.reduce_sum(row) < 0.0:
                continue
            total += row
        return total

    return rows, [tf.TensorSpec([None, 3], tf.float32)]


def break_loop(tf):
    @tf.function
    def first_over(xs, limit):
        found = -1
        for i in tf.range(tf.shape(xs)[0]):
            if xs[i] > limit:
                found = i
                break
        return found

    return first_over, [tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)]


def variables(tf):
    v = tf.Variable(1.0, name="v")

    @tf.function
    def step(x):
        v.assign_add(x)
        if x > 0.0:
            v.assign(v * 2.0)
        return v + x

    return step, [tf.TensorSpec([], tf.float32)]


def prints(tf):
    @tf.function
    def hello(x):
        tf.print("hello", x)
        y = x * 2
        tf.print("bye", y)
        return y

    return hello, [tf.TensorSpec([], tf.int32)]


def calls(tf):
    @tf.function
    def inner(x):
        return tf.nn.relu(x) + 1.0

    @tf.function
    def outer(x, y):
        return inner(x) * inner(y), inner(tf.concat([x, y], 0))

    return outer, [tf.TensorSpec([2], tf.float32), tf.TensorSpec([2], tf.float32)]


def switch_case(tf):
    @tf.function
    def pick(i, x):
        return tf.switch_case(i, [lambda: x + 1.0, lambda: x * 2.0, lambda: -x])

    return pick, [tf.TensorSpec([], tf.int32), tf.TensorSpec([3], tf.float32)]


def asserts(tf):
    @tf.function
    def checked(x):
        tf.debugging.Assert(x > 0, ["x must be positive", x])
        return tf.math.log(tf.cast(x, tf.float32))

    return checked, [tf.TensorSpec([], tf.int32)]


def cond_print(tf):
    @tf.function
    def report(x):
        if x > 0:
            tf.print("positive")
        else:
            tf.print("not positive")
        return x

    return report, [tf.TensorSpec([], tf.int32)]


def constants(tf):
    @tf.function
    def values():
        return (
            tf.constant(1.5), tf.constant([1, 2, 3]), tf.constant([True, False]), tf.constant("a\"b\n\xe9"),
            tf.constant([0.1, -0.0, float("inf"), float("nan")]), tf.constant([], tf.float32),
            tf.constant([[1 + 2j]]), tf.constant(7, tf.int8), tf.constant([250], tf.uint8), tf.constant(0.1, tf.float64),
            tf.constant(1.5, tf.float16), tf.constant([1, 2], tf.uint64), tf.constant(2**40), tf.constant([b"x", b"\xff"]),
            tf.constant(-0.0), tf.constant(float("nan")), tf.constant(1e-7), tf.constant(16777217.0), tf.constant(0.1),
            tf.constant(False), tf.constant(0), tf.zeros([2, 3]), tf.constant(5, tf.uint32), tf.constant(3, tf.int64),
        )

    return values, []


def arrays(tf):
    @tf.function
    def arrays(x):
        a = tf.reshape(x, [-1, 2])
        b = tf.reduce_sum(a, axis=1, keepdims=True)
        c = a[:, 0:1] + b
        d = tf.concat([a, c], axis=1)
        e = tf.transpose(d) @ d
        return tf.stack([e, e]), tf.argmax(e, axis=1), tf.where(e > 1.0, e, 0.0), tf.cast(e, tf.int32)

    return arrays, [tf.TensorSpec([None, 4], tf.float32)]


def structures(tf):
    @tf.function
    def structured(x, options, *rest):
        return {"b": x + options["k"], "a": (rest[0], rest[1] * 2)}

    spec = tf.TensorSpec([], tf.float32)
    return structured, [spec, {"k": spec}, spec, spec]


def early_return(tf):
    @tf.function
    def sign(x):
        if x > 0:
            return 1
        if x < 0:
            return -1
        return 0

    return sign, [tf.TensorSpec([], tf.float32)]


def logical(tf):
    @tf.function
    def logical(a, b):
        if a > 0 and not (b > 0 or a == b):
            return a
        return b

    return logical, [tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)]


def while_print(tf):
    @tf.function
    def countdown(n):
        tf.print("start")
        while n > 0:
            tf.print(n)
            n -= 1
        tf.print("end")
        return n

    return countdown, [tf.TensorSpec([], tf.int32)]


def closure(tf):
    scale = tf.constant([2.0, 3.0])
    v = tf.Variable([1.0, 1.0])

    @tf.function
    def closure(x):
        if x > 0.0:
            return v * scale
        return v - x

    return closure, [tf.TensorSpec([], tf.float32)]


def control_dependencies(tf):
    v = tf.Variable(1.0)

    @tf.function
    def ordered(x):
        v.assign_add(x)
        b = v.read_value()
        with tf.control_dependencies([b]):
            y = tf.identity(x)
        v.assign(b * y)
        return y, v

    return ordered, [tf.TensorSpec([], tf.float32)]


def strings(tf):
    @tf.function
    def greet(names):
        joined = tf.strings.join(["hello ", names])
        return tf.strings.length(joined), tf.strings.reduce_join(joined, separator=";")

    return greet, [tf.TensorSpec([None], tf.string)]


def loop_with_tuple(tf):
    @tf.function
    def fibonacci(n):
        a, b = tf.constant(0, tf.int64), tf.constant(1, tf.int64)
        for _ in tf.range(n):
            a, b = b, a + b
        return a

    return fibonacci, [tf.TensorSpec([], tf.int32)]


def maximum_iterations(tf):
    @tf.function
    def limited(x):
        return tf.while_loop(lambda y: y < 100.0, lambda y: (y * 2.0,), (x,), maximum_iterations=5)

    return limited, [tf.TensorSpec([], tf.float32)]


def gradients(tf):
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x) * x)
        return tape.gradient(y, x)

    return slope, [tf.TensorSpec([3], tf.float32)]


PROGRAMS = [
    simple_relu, add_one, power, fizzbuzz, collatz, nested_cond, nested_while, tensor_array, rnn, rows, break_loop,
    variables, prints, calls, switch_case, asserts, cond_print, constants, arrays, structures, early_return, logical,
    while_print, closure, control_dependencies, strings, loop_with_tuple, maximum_iterations, gradients,
]  # fmt: skip
