"""What does the first call cost?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def cases(tf: Any) -> dict[str, Callable[[], Any]]:
    """Names and functions of no argument; each makes a function and calls it once."""
    x = tf.constant(1.0)

    def line() -> Any:
        return tf.function(lambda x: x * 2.0 + 1.0)(x)

    def control_flow() -> Any:
        @tf.function
        def f(x):
            total = 0.0
            while x > 0.0:
                if total > 10.0:
                    total = total - x
                else:
                    total = total + x
                x = x - 1.0
            return total

        return f(x)

    def hundred_ops() -> Any:
        @tf.function
        def f(x):
            for _ in range(50):
                x = x * 2.0 + 1.0
            return x

        return f(x)

    return {
        "first call: one line": line,
        "first call: loop and branch": control_flow,
        "first call: 100 ops": hundred_ops,
    }


def jax_cases(jax: Any) -> dict[str, Callable[[], Any]]:
    """The same questions to JAX."""
    x = jax.numpy.float32(1.0)

    def hundred(x):
        for _ in range(50):
            x = x * 2.0 + 1.0
        return x

    return {
        "first call: one line": lambda: jax.jit(lambda x: x * 2.0 + 1.0)(x).block_until_ready(),
        "first call: 100 ops": lambda: jax.jit(lambda x: hundred(x))(x).block_until_ready(),
    }
