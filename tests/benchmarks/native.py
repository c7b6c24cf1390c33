"""Native code beside the NumPy program, hand-written Numba and `jax.jit`, as Markdown.

    python -m tests.benchmarks.native [ROUNDS] [ROW ...]

Needs Numba; JAX is measured where it is installed. Results are compared first. Rounds alternate between the peers; a cell is
the median of all rounds, in microseconds. Latencies come last: the first call of a first and of a second function, and of the
first in a second process that finds the machine code on the disk.
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import graphrt as tf
from tests import ROOT
from tests.graphrt.native.programs import CASES


def floats(*shape):
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def axpy(a, x, b, y, c):
    return a * x + b * y + c


def chain(x):
    for _ in range(5):
        x = x * 1.01 + 0.5
        x = tf.maximum(x, 0.1) - x * x * 0.01
    return x


def column_sums(x):
    return tf.reduce_sum(x * x, 0), tf.reduce_sum(x, 1), tf.reduce_max(x)


def long_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(1000):
            y = y * 0.999 + tf.sin(y) * 0.001
    return tape.gradient(y, x)


def rows():
    """By name: a function and its arguments."""
    one = {name: (f, tuple(tf.constant(t).numpy() for t in args())) for name, (f, args) in CASES.items()}
    found = {name: one[name] for name in ("power", "collatz", "primes", "mandelbrot", "newton", "layer norm", "mlp")}
    for n in (5, 1000, 100_000):
        found[f"tanh loop {n}"] = (CASES["tanh loop"][0], (floats(n), np.int32(100)))
        found[f"chain {n}"] = (chain, (floats(n),))
        found[f"a*x+b*y+c {n}"] = (axpy, (np.float32(2), floats(n), np.float32(3), floats(n), np.float32(1)))
    found["rnn"] = one["rnn"]
    found["reductions 512"] = (column_sums, (floats(512, 512),))
    found["softmax 512"] = (tf.nn.softmax, (floats(512, 512),))
    found["gradient of 1000 iterations"] = (long_gradient, (np.float32(0.7),))
    return found


# --- peers -----------------------------------------------------------------------------------------------------------
def by_hand():
    """What one would write with Numba, for some of the rows."""
    import numba

    @numba.njit
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    @numba.njit
    def primes(n):
        count = 0
        for i in range(2, n):
            is_prime, j = True, 2
            while j * j <= i:
                if i % j == 0:
                    is_prime = False
                    break
                j += 1
            count += is_prime
        return count

    @numba.njit
    def power(x, n):
        r = np.ones_like(x)
        for _ in range(n):
            for i in range(x.shape[0]):
                for j in range(x.shape[1]):
                    r[i, j] *= x[i, j]
        return r

    @numba.njit
    def newton(c):
        x = c
        while abs(x * x - c) > 1e-9 * c:
            x = 0.5 * (x + c / x)
        return x

    @numba.njit
    def tanh_loop(x, n):
        x = x.copy()
        for _ in range(n):
            for i in range(x.size):
                x[i] = np.float32(np.tanh(x[i]) + np.float32(0.1))
        return x

    @numba.njit
    def axpy_(a, x, b, y, c):
        out = np.empty_like(x)
        for i in range(x.size):
            out[i] = a * x[i] + b * y[i] + c
        return out

    found = {"collatz": collatz, "primes": primes, "power": power, "newton": newton}
    for n in (5, 1000, 100_000):
        found[f"tanh loop {n}"], found[f"a*x+b*y+c {n}"] = tanh_loop, axpy_
    return found


def in_jax():
    """The same rows for `jax.jit`, for those that it takes without being written anew."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def collatz(n):
        return lax.while_loop(
            lambda s: s[0] != 1,
            lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1),
            (n, jnp.int32(0)),
        )[1]

    def chain_(x):
        for _ in range(5):
            x = x * 1.01 + 0.5
            x = jnp.maximum(x, 0.1) - x * x * 0.01
        return x

    def layer_norm(x, scale, shift):
        mean = x.mean(-1, keepdims=True)
        variance = jnp.square(x - mean).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift

    def rnn(xs, h, w, u):
        def step(h, x):
            h = jnp.tanh(x @ w + h @ u)
            return h, h

        h, out = lax.scan(step, h, xs)
        return out, h

    def loop(x):
        step = lambda i, y: y * 0.999 + jnp.sin(y) * 0.001  # noqa: E731
        return lax.fori_loop(0, 1000, step, x)

    found = {
        "collatz": collatz, "layer norm": layer_norm, "rnn": rnn, "softmax 512": lambda x: jax.nn.softmax(x),
        "power": lambda x, n: lax.fori_loop(0, n, lambda i, r: r * x, jnp.ones_like(x)),
        "reductions 512": lambda x: ((x * x).sum(0), x.sum(1), x.max()),
        "gradient of 1000 iterations": jax.grad(loop),
    }  # fmt: skip
    for n in (5, 1000, 100_000):
        found[f"tanh loop {n}"] = lambda x, n: lax.fori_loop(0, n, lambda i, y: jnp.tanh(y) + 0.1, x)
        found[f"chain {n}"] = chain_
        found[f"a*x+b*y+c {n}"] = lambda a, x, b, y, c: a * x + b * y + c

    def waiting(function):
        compiled = jax.jit(function)
        return lambda *args: jax.block_until_ready(compiled(*args))

    return {name: waiting(f) for name, f in found.items()}


# --- measuring -------------------------------------------------------------------------------------------------------
def flat(result):
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in flat(part)]
    return [np.asarray(result.numpy() if isinstance(result, tf.Tensor) else result)]


def seconds(function, args):
    """The time of one call, from as many as take a millisecond."""
    count = 1
    while True:
        begin = time.perf_counter()
        for _ in range(count):
            function(*args)
        taken = time.perf_counter() - begin
        if taken > 1e-3:
            return taken / count
        count *= 4


def row(function, args, peers, rounds):
    tensors = tuple(map(tf.constant, args))
    ways = {
        "native": (tf.function(function, jit_compile=True), tensors), "NumPy program": (tf.function(function), tensors),
    }  # fmt: skip
    ways.update({name: (peer, args) for name, peer in peers.items()})
    wanted = flat(ways["NumPy program"][0](*tensors))
    for name, (way, given) in ways.items():
        for _ in range(3):
            found = flat(way(*given))
        for a, b in zip(wanted, found):
            np.testing.assert_allclose(a, b, 1e-3, 1e-3, err_msg=name)
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (way, given) in ways.items():
            times[name].append(seconds(way, given))
    return {name: statistics.median(t) * 1e6 for name, t in times.items()}


LATENCY = """
import sys, time, numpy as np
import graphrt as tf
from graphrt.native import building
if sys.argv[1] == "compiled":
    building.numba_compiler()
f = tf.function(lambda x: tf.tanh(x) * 2.0 + x, jit_compile=True)
g = tf.function(lambda x: tf.reduce_sum(x * x, 0), jit_compile=True)
x = tf.constant(np.ones((8, 8), np.float32))
for function in (f, g):
    begin = time.perf_counter()
    function(x)
    print(time.perf_counter() - begin)
"""


def latencies():
    """The seconds of a first call: of a first function, a second one, and of both from the disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "GRAPHRT_NATIVE_CACHE": folder}
        command = [sys.executable, "-c", LATENCY]
        runs = [
            subprocess.run([*command, way], env=environment, capture_output=True, text=True, check=True).stdout.split()
            for way in ("compiled", "from the disk")
        ]
    return [float(t) for run in runs for t in run]


def main(arguments):
    rounds = int(arguments[0]) if arguments else 5
    peers = {"Numba by hand": by_hand()}
    if importlib.util.find_spec("jax") is not None:
        peers["jax.jit"] = in_jax()
    names = ["native", "NumPy program", *peers]
    print(f"| row | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for name, (function, args) in rows().items():
        if arguments[1:] and not any(name.startswith(a) for a in arguments[1:]):
            continue
        found = row(function, args, {p: known[name] for p, known in peers.items() if name in known}, rounds)
        print(f"| {name} | {' | '.join(f'{found[n]:.1f}' if n in found else '-' for n in names)} |", flush=True)
    first, second, kept, kept_second = latencies()
    print(
        f"\nFirst call: {first:.2f} s, of a second function {second:.2f} s; from the disk {kept:.3f} s, {kept_second:.3f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
