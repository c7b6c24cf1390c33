"""Programs with control flow to differentiate. They run under TensorFlow and under graphrt: `make(tf)` gives the table."""

# ruff: noqa
import collections

Program = collections.namedtuple("Program", "name function inputs variables staged_only smooth")


def make(tf):
    table = []

    def program(*inputs, variables=(), staged_only=False, smooth=True):
        def keep(function):
            table.append(Program(function.__name__, function, inputs, list(variables), staged_only, smooth))
            return function

        return keep

    f64 = tf.float64

    def const(value):
        return tf.constant(value, f64)

    # --- straight code ---
    @program(0.7)
    def plain(x):
        return tf.sin(x) * x + x**3

    @program([0.3, -0.8, 1.2])
    def plain_vector(x):
        return tf.exp(x) / (1.0 + x * x)

    @program([[0.1, 0.2], [0.3, 0.4]], [[1.0, -1.0], [0.5, 2.0]])
    def matrix_product(a, b):
        return tf.matmul(a, b) @ a

    @program([1.0, 2.0, 3.0])
    def reductions(x):
        return tf.reduce_sum(x * x) * tf.reduce_mean(x) - tf.reduce_max(x) + tf.reduce_prod(x)

    @program([1.0, 2.0, 3.0], 0.5)
    def broadcasting(x, s):
        return x * s + s / x

    @program([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    def slices(x):
        return x[:, 1:] * x[:1, :2] + x[1, 0]

    @program([1.0, 2.0, 3.0])
    def packing(x):
        a, b, c = tf.unstack(x)
        return tf.stack([a * b, b * c, c * a])

    @program([1.0, 2.0], [3.0, 4.0])
    def concatenation(x, y):
        z = tf.concat([x * y, x, y * y], 0)
        return tf.reverse(z, [0]) * z

    @program(2.0)
    def stopped(x):
        return x * tf.stop_gradient(x)

    @program([0.5, 1.5], 2.0)
    def two_results(x, y):
        return x * y, tf.reduce_sum(x) * y * y

    @program([1.0, 2.0, 3.0, 4.0])
    def gathered(x):
        return tf.gather(x, [0, 0, 3]) * tf.gather(x, [1, 2, 2])

    # --- conditionals ---
    @program(1.3)
    def if_taken(x):
        if x > 1.0:
            y = x * x
        else:
            y = tf.sin(x)
        return y

    @program(0.3)
    def if_not_taken(x):
        if x > 1.0:
            y = x * x
        else:
            y = tf.sin(x)
        return y

    @program(0.4)
    def if_without_else(x):
        y = x * 3.0
        if x < 1.0:
            y = y * y
        return y

    @program(0.4)
    def if_constant_branch(x):
        y = x
        if x < 1.0:
            y = const(2.0)
        return y * x

    @program(1.4)
    def if_else_constant_branch(x):
        if x < 1.0:
            y = const(2.0)
        else:
            y = tf.exp(x)
        return y + x

    @program(0.4, 1.2)
    def if_two_variables(x, y):
        a = x * y
        b = x + y
        if a > 0.2:
            a, b = b * x, a * y
        else:
            a = a - 1.0
        return a * b

    @program(1.5)
    def if_nested(x):
        if x > 1.0:
            if x > 2.0:
                y = x**4
            else:
                y = x**3 * tf.sin(x)
        else:
            y = x**2
        return y

    @program(2.5)
    def if_elif(x):
        if x < 1.0:
            y = x
        elif x < 2.0:
            y = x * x
        elif x < 3.0:
            y = x * x * x
        else:
            y = tf.exp(x)
        return y

    @program(0.6)
    def if_early_return(x):
        if x < 1.0:
            return x * x
        return x * x * x

    @program(1.6)
    def if_late_return(x):
        if x < 1.0:
            return x * x
        y = tf.cos(x)
        if y > 0.5:
            return y
        return y * x

    @program(0.6)
    def if_expression(x):
        return x * x if x < 1.0 else x + 2.0

    @program(0.6)
    def if_expression_nested(x):
        return (x * x if x < 0.5 else tf.exp(x) * x) if x < 1.0 else x + 2.0

    @program([0.1, 0.9])
    def if_vector(x):
        if tf.reduce_sum(x) > 0.5:
            y = x * x
        else:
            y = -x
        return y * 2.0

    @program(0.6)
    def cond_lambda(x):
        return tf.cond(x > 0.5, lambda: x * tf.sin(x), lambda: x)

    @program(0.6)
    def cond_structure(x):
        r = tf.cond(x > 0.5, lambda: {"a": x * x, "b": (x, x**3)}, lambda: {"a": x, "b": (x, x)})
        return r["a"] * r["b"][1] + r["b"][0]

    @program(0.6)
    def switch_case_middle(x):
        i = tf.cast(x * 2.0, tf.int32)
        return tf.switch_case(i, [lambda: x, lambda: x * x * x, lambda: tf.sin(x)])

    @program(1.6)
    def switch_case_default(x):
        i = tf.cast(x * 10.0, tf.int32)
        return tf.switch_case(i, {0: lambda: x, 1: lambda: x * x}, default=lambda: tf.exp(x) * x)

    @program(0.6)
    def case_pairs(x):
        return tf.case([(x < 0.5, lambda: x), (x < 1.0, lambda: x**3)], default=lambda: x * 7.0)

    @program(0.6, 0.2)
    def cond_one_source_each(x, y):
        return tf.cond(x > y, lambda: x * x, lambda: y * y)

    @program(0.3, 0.5)
    def and_or(x, y):
        if x < y and y < 1.0:
            z = x * y
        else:
            z = x
        if x > y or not y > 2.0:
            z = z * z + y
        return z

    @program([1.0, -2.0, 3.0])
    def where_mixed(x):
        return tf.where(x > 0.0, x * x, -x * 3.0)

    @program(0.8)
    def if_intermediates(x):
        a = tf.sin(x)
        if a > 0.1:
            b = tf.exp(a)
            c = b * b * a
            y = tf.tanh(c) * b
        else:
            y = a
        return y * a

    # --- while ---
    @program(1.1)
    def while_power(x):
        i = tf.constant(0)
        y = const(1.0)
        while i < 5:
            y = y * x
            i += 1
        return y

    @program(1.1)
    def while_until_large(x):
        y = x
        while y < 10.0:
            y = y * x + 0.5
        return y

    @program(0.5)
    def while_never(x):
        y = x * 3.0
        while y > 10.0:
            y = y * x
        return y

    @program(0.7)
    def while_sin(x):
        i = tf.constant(0)
        while i < 4:
            x = tf.sin(x) * 1.5
            i += 1
        return x

    @program(0.7, 1.3)
    def while_two_variables(x, y):
        i = tf.constant(0)
        while i < 3:
            x, y = x * y, x + y
            i += 1
        return x + y * 2.0

    @program(0.7, 1.3)
    def while_captured(x, y):
        i = tf.constant(0)
        z = y
        while i < 3:
            z = z * x + tf.sin(x)
            i += 1
        return z

    @program([0.7, 0.2], [[1.0, 2.0], [0.5, -1.0]])
    def while_matrix(x, m):
        i = tf.constant(0)
        while i < 3:
            x = tf.tanh(tf.linalg.matvec(m, x))
            i += 1
        return x

    @program(0.9)
    def while_counter_used(x):
        i = tf.constant(0)
        y = x * 0.0
        while i < 5:
            y = y + x ** tf.cast(i, f64)
            i += 1
        return y

    @program(0.9)
    def while_with_if(x):
        i = tf.constant(0)
        y = x
        while i < 5:
            if i % 2 == 0:
                y = y * x
            else:
                y = y + tf.sin(x)
            i += 1
        return y

    @program(0.9)
    def while_if_data_dependent(x):
        i = tf.constant(0)
        y = x
        while i < 6:
            if y > 1.0:
                y = y * 0.5 * x
            else:
                y = tf.exp(y) * x
            i += 1
        return y

    @program(0.9)
    def while_nested(x):
        i = tf.constant(0)
        y = x
        while i < 3:
            j = tf.constant(0)
            while j < 2:
                y = y * x + 0.1
                j += 1
            i += 1
        return y

    @program(0.9)
    def while_nested_dynamic(x):
        i = tf.constant(0)
        y = x
        while i < 4:
            j = tf.constant(0)
            while j < i:
                y = tf.sin(y) + x
                j += 1
            y = y * 1.1
            i += 1
        return y

    @program(0.8)
    def while_three_deep(x):
        y = x
        i = tf.constant(0)
        while i < 2:
            j = tf.constant(0)
            while j < 2:
                k = tf.constant(0)
                while k < 2:
                    y = y * x + 0.3
                    k += 1
                j += 1
            i += 1
        return y

    @program(0.9)
    def while_break(x):
        i = tf.constant(0)
        y = x
        while i < 10:
            y = y * 1.5 + x
            if y > 5.0:
                break
            i += 1
        return y

    @program(0.9)
    def while_continue(x):
        i = tf.constant(0)
        y = x
        while i < 6:
            i += 1
            if i % 2 == 0:
                continue
            y = y * x + 1.0
        return y

    @program(0.9)
    def while_break_continue(x):
        i = tf.constant(0)
        y = x
        while True:
            i += 1
            if i == 2:
                continue
            y = y * 1.3 + tf.sin(x)
            if y > 6.0:
                break
        return y

    @program(0.9)
    def while_return(x):
        i = tf.constant(0)
        y = x
        while i < 10:
            y = y * 1.5 + x
            if y > 5.0:
                return y * x
            i += 1
        return y

    @program(0.7)
    def while_else(x):
        i = tf.constant(0)
        y = x
        while i < 3:
            y = y * x
            i += 1
        else:
            y = y + tf.sin(x)
        return y

    @program(0.7)
    def while_loop_api(x):
        _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x + tf.cos(y)), (tf.constant(0), x))
        return y

    @program(0.7)
    def while_loop_maximum(x):
        _, y = tf.while_loop(
            lambda i, y: True, lambda i, y: (i + 1, y * x + 0.2), (tf.constant(0), x), maximum_iterations=3
        )
        return y

    @program(0.7)
    def while_loop_dynamic_maximum(x):
        n = tf.cast(x * 5.0, tf.int32)
        _, y = tf.while_loop(
            lambda i, y: i < 100, lambda i, y: (i + 1, y * x + 0.2), (tf.constant(0), x), maximum_iterations=n
        )
        return y

    @program(0.7)
    def while_loop_structure(x):
        r = tf.while_loop(
            lambda i, s: i < 3,
            lambda i, s: (i + 1, {"a": s["a"] * x, "b": (s["b"][0] + s["a"],)}),
            (tf.constant(0), {"a": x, "b": (x * 2.0,)}),
        )
        return r[1]["a"] + r[1]["b"][0] ** 2

    @program([1.0, 2.0])
    def while_shape_invariant(x):
        _, y = tf.while_loop(
            lambda i, y: i < 3,
            lambda i, y: (i + 1, tf.concat([y, tf.reduce_sum(y * y, keepdims=True)], 0)),
            (tf.constant(0), x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )
        return y

    @program([1.0, 2.0], 0.5)
    def while_growing_product(x, s):
        _, y = tf.while_loop(
            lambda i, y: i < 2,
            lambda i, y: (i + 1, tf.concat([y * s, x], 0)),
            (tf.constant(0), x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )
        return tf.reduce_sum(y * y)

    @program(0.9)
    def while_unused_variable(x):
        i = tf.constant(0)
        y = x
        z = x * 5.0
        while i < 3:
            z = z * y
            y = y * x
            i += 1
        return y

    @program(0.9)
    def while_output_twice(x):
        i = tf.constant(0)
        y = x
        z = x
        while i < 3:
            y = y * x
            z = y
            i += 1
        return y * z

    @program(0.5)
    def while_newton(x):
        g = x
        i = tf.constant(0)
        while i < 6:
            g = 0.5 * (g + x / g)
            i += 1
        return g

    @program(0.5)
    def while_while(x):
        i = tf.constant(0)
        y = x
        while i < 3:
            y = y + x * y
            i += 1
        j = tf.constant(0)
        while j < 2:
            y = y * y
            j += 1
        return y

    @program(0.4)
    def while_precise(x):
        y = x
        while tf.abs(y - tf.cos(y)) > 1e-3:
            y = tf.cos(y) * (1.0 + 0.0 * x)
        return y * x

    @program(0.4)
    def while_body_makes_constant(x):
        i = tf.constant(0)
        y = x
        while i < 3:
            y = x * 2.0
            i += 1
        return y

    @program(0.4)
    def if_with_while(x):
        y = x
        if x < 1.0:
            i = tf.constant(0)
            while i < 3:
                y = y * x + 1.0
                i += 1
        else:
            y = y * 2.0
        return y

    @program(1.4)
    def if_with_while_not_taken(x):
        y = x
        if x < 1.0:
            i = tf.constant(0)
            while i < 3:
                y = y * x + 1.0
                i += 1
        else:
            y = y * tf.sin(y)
        return y

    @program(0.6)
    def while_if_while(x):
        y = x
        i = tf.constant(0)
        while i < 3:
            if i > 0:
                j = tf.constant(0)
                while j < 2:
                    y = tf.sin(y) * x + 0.5
                    j += 1
            else:
                y = y + x
            i += 1
        return y

    @program(0.6)
    def while_switch(x):
        y = x
        i = tf.constant(0)
        while i < 4:
            y = tf.switch_case(i, [lambda: y * x, lambda: tf.sin(y), lambda: y + x * x, lambda: y])
            i += 1
        return y

    @program([[1.0, 0.5], [0.2, 0.1]])
    def while_rows(m):
        i = tf.constant(0)
        y = const(1.0)
        while i < tf.shape(m)[0]:
            y = y * tf.reduce_sum(m[i] * m[i])
            i += 1
        return y

    # --- for ---
    @program(0.7)
    def for_range(x):
        y = x
        for i in tf.range(4):
            y = y * x + tf.cast(i, f64)
        return y

    @program(0.7)
    def for_range_dynamic(x):
        n = tf.cast(x * 6.0, tf.int32)
        y = x
        for i in tf.range(n):
            y = tf.sin(y) + x
        return y

    @program(0.7)
    def for_range_empty(x):
        n = tf.cast(x * 0.0, tf.int32)
        y = x * 2.0
        for i in tf.range(n):
            y = tf.sin(y) + x
        return y

    @program([0.5, 1.5, 2.5])
    def for_elements(xs):
        y = const(1.0)
        for x in xs:
            y = y * x + tf.sin(x)
        return y

    @program([[0.5, 1.5], [2.5, 0.1], [0.3, 0.2]])
    def for_rows(m):
        y = const([1.0, 2.0])
        for row in m:
            y = y * row + tf.sin(row)
        return y

    @program([0.5, 1.5, 2.5, 3.5])
    def for_break(xs):
        y = const(0.0)
        for x in xs:
            if x > 2.0:
                break
            y = y + x * x
        return y

    @program([0.5, 1.5, 2.5, 3.5])
    def for_continue(xs):
        y = const(0.0)
        for x in xs:
            if x > 2.0 and x < 3.0:
                continue
            y = y + x * x * x
        return y

    @program([0.5, 1.5, 2.5, 3.5])
    def for_return(xs):
        y = const(1.0)
        for x in xs:
            y = y * x
            if x > 2.0:
                return y * x
        return y

    @program([0.5, 1.5], [2.5, 3.5])
    def for_nested(xs, ys):
        t = const(0.0)
        for x in xs:
            for y in ys:
                t = t * 0.5 + x * y
        return t

    @program([0.5, 1.5, 0.3])
    def for_maximum(xs):
        best = const(-1.0)
        for x in xs:
            if x > best:
                best = x
        return best * best

    @program([0.5, 1.5, 0.3], 0.8)
    def for_recurrence(xs, w):
        h = const(0.0)
        for x in xs:
            h = tf.tanh(w * h + x)
        return h

    @program([[0.5, 1.5], [0.3, 0.1], [0.2, 0.7]], [[0.1, 0.2], [0.3, 0.4]], [0.5, 0.6])
    def for_rnn(xs, w, b):
        h = const([0.0, 0.0])
        for x in xs:
            h = tf.tanh(tf.linalg.matvec(w, h) + x * b)
        return h

    @program([0.5, 1.5, 0.3])
    def for_horner(cs):
        x = const(1.7)
        y = const(0.0)
        for c in cs:
            y = y * x + c
        return y

    @program(0.4)
    def for_taylor(x):
        term = const(1.0)
        total = const(1.0)
        for i in tf.range(1, 8):
            term = term * x / tf.cast(i, f64)
            total = total + term
        return total

    @program(0.3)
    def for_logistic(x):
        for _ in tf.range(6):
            x = 3.2 * x * (1.0 - x)
        return x

    @program([0.3, 0.4, 0.2])
    def for_python_range(x):
        for i in range(3):
            x = x * x[i] + 1.0
        return x

    @program(0.7)
    def for_step_range(x):
        y = x
        for i in tf.range(10, 0, -3):
            y = y * x + tf.cast(i, f64) * 0.1
        return y

    @program([1.0, 2.0, 3.0])
    def for_last_element(xs):
        y = const(0.0)
        for x in xs:
            y = x * x
        return y

    @program([0.2, 0.3, 0.4])
    def for_if_else_in_loop(xs):
        a = const(0.0)
        b = const(1.0)
        for x in xs:
            if x > 0.25:
                a = a + x * b
            else:
                b = b * x
        return a * b

    @program([0.2, 0.3, 0.4])
    def for_swapping(xs):
        a = const(1.0)
        b = const(2.0)
        for x in xs:
            a, b = b * x, a + x
        return a * b

    @program([3.0, 1.0, 2.0])
    def for_sum_of_squares_early(xs):
        s = const(0.0)
        done = tf.constant(False)
        for x in xs:
            if not done:
                s = s + x * x
                if s > 9.5:
                    done = tf.constant(True)
        return s

    # --- tensor arrays ---
    @program(0.7)
    def array_write_stack(x):
        ta = tf.TensorArray(f64, 3)
        for i in tf.range(3):
            ta = ta.write(i, x ** (tf.cast(i, f64) + 1.0))
        return ta.stack()

    @program(0.7)
    def array_dynamic(x):
        ta = tf.TensorArray(f64, 0, dynamic_size=True)
        y = x
        for i in tf.range(4):
            y = y * x
            ta = ta.write(i, y + x)
        return ta.stack()

    @program([0.5, 0.6, 0.7])
    def array_unstack_read(xs):
        ta = tf.TensorArray(f64, 3).unstack(xs)
        y = const(1.0)
        for i in tf.range(3):
            y = y * ta.read(i) + 0.5
        return y

    @program([0.5, 0.6, 0.7])
    def array_read_twice(xs):
        ta = tf.TensorArray(f64, 3, clear_after_read=False).unstack(xs)
        y = const(1.0)
        for i in tf.range(3):
            y = y * ta.read(i) + ta.read(0)
        return y

    @program(0.5)
    def array_read_written(x):
        ta = tf.TensorArray(f64, 5, clear_after_read=False)
        ta = ta.write(0, x)
        ta = ta.write(1, x * x)
        for i in tf.range(2, 5):
            ta = ta.write(i, ta.read(i - 1) + ta.read(i - 2) * x)
        return ta.stack()

    @program([0.5, 0.6, 0.7])
    def array_gather(xs):
        ta = tf.TensorArray(f64, 3, clear_after_read=False).unstack(xs)
        return ta.gather([2, 0]) * ta.read(1)

    @program([[0.5, 0.6], [0.7, 0.8]])
    def array_rows(m):
        ta = tf.TensorArray(f64, 2)
        for i in tf.range(2):
            ta = ta.write(i, m[i] * m[0])
        return ta.stack()

    @program([[0.5, 0.6], [0.7, 0.8]])
    def array_concat(m):
        ta = tf.TensorArray(f64, 2)
        for i in tf.range(2):
            ta = ta.write(i, m[i] * tf.sin(m[i]))
        return ta.concat()

    @program([0.5, 0.6, 0.7])
    def array_scatter(xs):
        ta = tf.TensorArray(f64, 3, clear_after_read=False).scatter([2, 0, 1], xs * xs)
        return ta.stack() * xs

    @program([0.5, 0.6, 0.7, 0.8])
    def array_split(xs):
        ta = tf.TensorArray(f64, 2, infer_shape=False).split(xs * xs, [1, 3])
        return tf.reduce_sum(ta.read(1)) * ta.read(0)

    @program(0.5)
    def array_partly_written(x):
        ta = tf.TensorArray(f64, 4, element_shape=[])
        ta = ta.write(1, x * x)
        ta = ta.write(3, tf.sin(x))
        return ta.stack()

    @program(0.5)
    def array_if_in_loop(x):
        ta = tf.TensorArray(f64, 4)
        for i in tf.range(4):
            if i % 2 == 0:
                ta = ta.write(i, x * x)
            else:
                ta = ta.write(i, tf.exp(x))
        return ta.stack()

    @program([0.5, 0.2, 0.1], 0.7)
    def array_scan(xs, a):
        ta = tf.TensorArray(f64, 3)
        h = const(0.0)
        for i in tf.range(3):
            h = a * h + xs[i]
            ta = ta.write(i, h * h)
        return ta.stack()

    @program([0.5, 0.2], 0.7)
    def array_nested_loops(xs, a):
        ta = tf.TensorArray(f64, 2)
        for i in tf.range(2):
            h = xs[i]
            for j in tf.range(3):
                h = h * a + 0.1
            ta = ta.write(i, h)
        return ta.stack()

    @program([0.5, 0.2, 0.9])
    def array_used_in_second_loop(xs):
        ta = tf.TensorArray(f64, 3)
        for i in tf.range(3):
            ta = ta.write(i, tf.sin(xs[i]))
        t = ta.stack()
        y = const(1.0)
        for v in t:
            y = y * v + xs[0]
        return y

    @program(0.5)
    def array_overwritten(x):
        ta = tf.TensorArray(f64, 2, clear_after_read=False)
        ta = ta.write(0, x)
        ta = ta.write(1, x * x)
        ta = ta.write(0, x * x * x)
        return ta.stack()

    @program([0.3, 0.5, 0.7])
    def map_squares(xs):
        return tf.map_fn(lambda x: x * x * xs[0], xs)

    @program([0.3, 0.5, 0.7])
    def foldl_products(xs):
        return tf.foldl(lambda a, x: a * x + 1.0, xs)

    @program([0.3, 0.5, 0.7])
    def scan_sums(xs):
        return tf.scan(lambda a, x: a * x + x, xs)

    # --- variables ---
    v = tf.Variable(0.8, dtype=f64, name="v")
    w = tf.Variable([0.5, -0.3], dtype=f64, name="w")
    m = tf.Variable([[0.5, -0.3], [0.2, 0.9]], dtype=f64, name="m")

    @program(0.7, variables=[v])
    def variable_product(x):
        return x * v * v

    @program(0.7, variables=[v])
    def variable_in_branch(x):
        if x > 0.5:
            y = x * v
        else:
            y = v * 1.0
        return y * y

    @program(0.7, variables=[v, w])
    def variable_in_one_branch(x):
        if x > 0.5:
            y = x * v
        else:
            y = tf.reduce_sum(w)
        return y * y

    @program(0.7, variables=[v])
    def variable_in_loop(x):
        y = x
        for _ in tf.range(3):
            y = y * v + x
        return y

    @program([0.7, 0.1], variables=[m, w])
    def variable_layers(x):
        i = tf.constant(0)
        while i < 3:
            x = tf.tanh(tf.linalg.matvec(m, x) + w)
            i += 1
        return x

    @program(0.7, variables=[v, w])
    def variable_loop_and_branch(x):
        y = x
        for i in tf.range(4):
            if i % 2 == 0:
                y = y * v
            else:
                y = y + tf.reduce_sum(w * w) * y
        return y

    @program([0.7, 0.2], variables=[w])
    def variable_gathered(x):
        return tf.reduce_sum(tf.gather(w, [0, 1, 1])) * x

    @program(0.7, variables=[v])
    def variable_nested_loops(x):
        y = x
        for i in tf.range(2):
            for j in tf.range(2):
                y = y * v + x
        return y

    @program(0.6)
    def variable_assigned_in_function(x):
        return x * x + tf.stop_gradient(v)

    # --- functions ---
    @tf.function
    def helper(a, b):
        return a * tf.sin(b) + b

    @tf.function
    def looping(a, n):
        y = a
        for _ in tf.range(n):
            y = y * a + 0.1
        return y

    @tf.function
    def branching(a):
        if a > 0.5:
            return a * a * v
        return tf.exp(a)

    @tf.function
    def several(a, b):
        return {"sum": a + b, "parts": (a * b, a)}

    @program(0.7, 0.3)
    def call_once(x, y):
        return helper(x, y) * x

    @program(0.7, 0.3)
    def call_twice(x, y):
        return helper(helper(x, y), x * y)

    @program(0.7)
    def call_with_loop(x):
        return looping(x, tf.constant(3)) * x

    @program(0.7, variables=[v])
    def call_with_branch(x):
        return branching(x) * x

    @program(0.3, variables=[v])
    def call_with_branch_not_taken(x):
        return branching(x) * x

    @program(0.7, 0.2)
    def call_several_results(x, y):
        r = several(x, y)
        return r["sum"] * r["parts"][0] + r["parts"][1]

    @program(0.7, 0.2)
    def call_one_of_several_results(x, y):
        return several(x, y)["parts"][0] * 2.0

    @program(0.7)
    def call_in_loop(x):
        y = x
        for _ in tf.range(3):
            y = helper(y, x)
        return y

    @program(0.7)
    def call_in_branch(x):
        if x > 0.5:
            y = helper(x, x * x)
        else:
            y = x
        return y

    @program(0.7)
    def call_loop_in_loop(x):
        y = x
        for _ in tf.range(2):
            y = looping(y, tf.constant(2)) * 0.5
        return y

    @program(0.7, variables=[v])
    def call_branch_in_loop(x):
        y = x
        for _ in tf.range(3):
            y = branching(y) * 0.9 + x
        return y

    @program(0.7)
    def call_plain_python(x):
        def inner(a):
            if a > 0.5:
                return a * x
            return a

        return inner(x) + inner(x * 0.1)

    # --- custom gradients ---
    @tf.custom_gradient
    def square(a):
        def grad(dy):
            return 2.0 * a * dy

        return a * a, grad

    @tf.custom_gradient
    def product(a, b):
        def grad(dy):
            return dy * b, dy * a

        return a * b, grad

    @tf.custom_gradient
    def log1pexp(a):
        e = tf.exp(a)

        def grad(dy):
            return dy * (1.0 - 1.0 / (1.0 + e))

        return tf.math.log(1.0 + e), grad

    @program(0.7)
    def custom_square(x):
        return square(x) * x

    @program(0.7, 0.4)
    def custom_product(x, y):
        return product(x, y) * product(y, y)

    @program(0.7)
    def custom_uses_result_of_forward(x):
        return log1pexp(x * x)

    @program(0.7)
    def custom_in_branch(x):
        if x > 0.5:
            y = square(x) * 3.0
        else:
            y = x
        return y

    @program(0.7)
    def custom_in_loop(x):
        y = x
        for _ in tf.range(3):
            y = square(y) * x + 0.2
        return y

    @program(0.7)
    def custom_nested(x):
        @tf.custom_gradient
        def outer(a):
            def grad(dy):
                return dy * 3.0 * square(a)

            return a * square(a), grad

        return outer(x) * x

    @tf.function
    def calls_custom(a):
        return square(a) + log1pexp(a)

    @program(0.7)
    def custom_in_called_function(x):
        return calls_custom(x) * x

    @program(0.7)
    def custom_in_called_function_in_loop(x):
        y = x
        for _ in tf.range(2):
            y = calls_custom(y)
        return y

    @program(0.7)
    def recomputed(x):
        return tf.recompute_grad(lambda a: tf.sin(a) * a)(x) * x

    @program(0.7)
    def recomputed_in_loop(x):
        f = tf.recompute_grad(lambda a: tf.sin(a) * a + 0.3)
        y = x
        for _ in tf.range(3):
            y = f(y) * x
        return y

    # --- gradients inside ---
    @program(0.7)
    def tape_inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x
        return tape.gradient(y, x) * x

    @program(0.7)
    def tape_inside_loop(x):
        y = x
        for _ in tf.range(3):
            with tf.GradientTape() as tape:
                tape.watch(y)
                z = tf.sin(y) * y
            y = y - 0.1 * tape.gradient(z, y)
        return y

    @program(0.7)
    def tape_inside_branch(x):
        if x > 0.5:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x**4
            r = tape.gradient(y, x)
        else:
            r = x
        return r

    @program(0.7)
    def tape_around_loop(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x + 0.1
        return tape.gradient(y, x)

    @program(0.7)
    def tape_around_branch(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if x > 0.5:
                y = x**3 * tf.sin(x)
            else:
                y = x
        return tape.gradient(y, x)

    @program(0.7, variables=[v])
    def tape_of_variable_inside(x):
        with tf.GradientTape() as tape:
            y = v * v * x
        return tape.gradient(y, v) * v

    @program([0.7, 0.2])
    def hessian_inside(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**3) * x[0]
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    @program([0.3, 0.2])
    def optimizer_steps(x):
        w = x
        for _ in tf.range(3):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = tf.reduce_sum((w * w - const([1.0, 2.0])) ** 2)
            w = w - 0.05 * tape.gradient(loss, w)
        return w

    # --- more shapes of programs ---
    @program([0.9, 0.4, 0.5])
    def softmax_loop(x):
        for _ in tf.range(3):
            x = x + tf.nn.softmax(x) * x
        return x

    @program([[2.0, 0.3], [0.3, 1.0]])
    def matrix_power(a):
        y = a
        for _ in tf.range(2):
            y = y @ a
        return y

    @program(2.0)
    def collatz_like(x):
        y = x
        n = tf.constant(7)
        while n > 1:
            if n % 2 == 0:
                n = n // 2
                y = y * 0.5
            else:
                n = 3 * n + 1
                y = y * x + 1.0
            if y > 50.0:
                y = y * 0.01
        return y

    @program([0.5, 1.5, 2.5])
    def running_maximum(xs):
        best = xs[0]
        total = const(0.0)
        for x in xs:
            best = tf.maximum(best, x * 0.9)
            total = total + best * x
        return total

    @program([0.5, 1.5], staged_only=True)
    def unknown_shape_sum(x):
        y = tf.reshape(x, tf.concat([[-1], tf.shape(x)[:0]], 0))
        i = tf.constant(0)
        while i < 2:
            y = y * y + x
            i += 1
        return y

    @program(0.5, 0.25)
    def logical_chain(x, y):
        z = x
        if y < x < 1.0:
            z = z * y
        return z * x

    @program(0.5)
    def none_until_set(x):
        y = x
        flag = tf.constant(False)
        for i in tf.range(3):
            if not flag:
                y = y * x
                flag = i > 0
        return y

    @program([1.0, 2.0])
    def integer_passenger(x):
        n = tf.constant([1, 2])
        for i in tf.range(3):
            n = n * 2
            x = x * tf.cast(n, f64) * 0.3
        return x

    @program(0.5)
    def dictionary_state(x):
        state = {"a": x, "b": x * 2.0}
        for _ in tf.range(3):
            state = {"a": state["b"] * x, "b": state["a"] + 1.0}
        return state["a"] * state["b"]

    @program(0.5)
    def tuple_state(x):
        p = (x, x * x)
        i = tf.constant(0)
        while i < 3:
            p = (p[1] + x, p[0] * p[1])
            i += 1
        return p[0] + p[1]

    return table
