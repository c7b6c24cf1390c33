"""What do first calls and imports cost?"""

import subprocess
import sys

from tests.benchmarks.rows import row


@row("first call: one line", once=True)
def line(tf):
    x = tf.constant(1.0)
    return lambda: tf.function(lambda x: x * 2.0 + 1.0)(x)


@line.jax
def _(jax):
    x = jax.numpy.float32(1.0)
    return lambda: jax.jit(lambda x: x * 2.0 + 1.0)(x)


@row("first call: three levels", once=True)
def levels(tf):
    x = tf.constant(3.0)

    def call():
        @tf.function
        def f(x):
            total = 0.0
            while x > 0.0:
                for i in tf.range(3):
                    if total > 10.0:
                        total = total - x
                    else:
                        total = total + x
                x = x - 1.0
            return total

        return f(x)

    return call


def _ops(count, text):
    @row(f"first call: {text} ops", once=True, rtol=1e-2)
    def ops(tf):
        x = tf.constant(1.0)

        def call():
            @tf.function
            def f(x):
                for _ in range(count // 2):
                    x = x * 0.5 + 1.0
                return x

            return f(x)

        return call

    if count <= 1000:

        @ops.jax
        def _(jax):
            def many(x):
                for _ in range(count // 2):
                    x = x * 0.5 + 1.0
                return x

            x = jax.numpy.float32(1.0)
            return lambda: jax.jit(lambda x: many(x))(x)

    return ops


many_ops = [_ops(1000, "1k"), _ops(10_000, "10k"), _ops(100_000, "100k")]


@row("import", once=True, own=True, rtol=None)
def importing(tf):
    name = tf.__name__.partition(".")[0]
    return lambda: _seconds(name)


@importing.numpy
def _():
    return lambda: _seconds("numpy")


@importing.jax
def _(jax):
    return lambda: _seconds("jax")


def _seconds(name):
    text = f"import time; start = time.perf_counter(); import {name}; print(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])
