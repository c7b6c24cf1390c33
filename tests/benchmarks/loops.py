"""What does an iteration of a staged loop cost?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def cases(tf: Any) -> dict[str, Callable[[], Any]]:
    """Names and functions of no argument; a name that ends in `/ n` is measured per iteration."""

    @tf.function
    def power(x, n):
        result = x
        for _ in tf.range(n - 1):
            result = tf.matmul(result, x)
        return result

    @tf.function
    def collatz(n):
        steps = tf.constant(0)
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    @tf.function
    def newton(x):
        y = x
        for _ in tf.range(100):
            y = 0.5 * (y + x / y)
        return y

    matrix = tf.constant(np.eye(10, dtype=np.int32))
    hundred, start = tf.constant(100), tf.constant(27, tf.int64)
    vector = tf.constant(np.linspace(1.0, 2.0, 1000, dtype=np.float32))
    return {
        "power(x, 100), 10x10 int32": lambda: power(matrix, hundred),
        "collatz(27) / 111": lambda: collatz(start),
        "newton on 1000 floats / 100": lambda: newton(vector),
    }


def jax_cases(jax: Any) -> dict[str, Callable[[], Any]]:
    """The same questions to JAX."""
    lax, jnp = jax.lax, jax.numpy
    power = jax.jit(lambda x, n: lax.fori_loop(0, n - 1, lambda _, r: r @ x, x))

    def step(state):
        n, steps = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    collatz = jax.jit(lambda n: lax.while_loop(lambda s: s[0] != 1, step, (n, jnp.int32(0)))[1])
    newton = jax.jit(lambda x: lax.fori_loop(0, 100, lambda _, y: 0.5 * (y + x / y), x))
    matrix = jnp.eye(10, dtype=jnp.int32)
    vector = jnp.linspace(1.0, 2.0, 1000, dtype=jnp.float32)
    return {
        "power(x, 100), 10x10 int32": lambda: power(matrix, 100).block_until_ready(),
        "collatz(27) / 111": lambda: collatz(27).block_until_ready(),
        "newton on 1000 floats / 100": lambda: newton(vector).block_until_ready(),
    }
