"""What does a cached call cost?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TRACES = 100


def cases(tf: Any) -> dict[str, Callable[[], Any]]:
    """Names and functions of no argument; each is called many times."""
    x = tf.constant(1.0)
    many = [tf.constant(float(i)) for i in range(5)]
    nest = {"a": x, "b": {"c": x, "d": [x]}}
    variable = tf.Variable(0.0)

    class Scale:
        def __init__(self) -> None:
            self.k = tf.constant(2.0)

        @tf.function
        def run(self, x: Any) -> Any:
            return x * self.k

    scale = Scale()
    add_one = tf.function(lambda x: x + 1)
    add_five = tf.function(lambda a, b, c, d, e: a + b + c + d + e)
    from_nest = tf.function(lambda n: {"sum": n["a"] + n["b"]["c"], "parts": [n["b"]["d"][0]]})
    times = tf.function(lambda x, n: x * n)
    count = tf.function(lambda x: variable.assign_add(x))
    concrete = add_one.get_concrete_function(x)
    crowded = tf.function(lambda x, n: x * n)
    for _ in range(3):
        for n in range(TRACES):
            crowded(x, n)
    return {
        "x + 1": lambda: add_one(x),
        "five tensors": lambda: add_five(*many),
        "nested dictionary": lambda: from_nest(nest),
        "Python integer": lambda: times(x, 3),
        "one of 100 traces": lambda: crowded(x, 70),
        "keyword": lambda: times(x, n=3),
        "method": lambda: scale.run(x),
        "variable": lambda: count(x),
        "concrete function": lambda: concrete(x),
        "eager x + 1": lambda: x + 1,
    }


def jax_cases(jax: Any) -> dict[str, Callable[[], Any]]:
    """The same questions to JAX."""
    jnp = jax.numpy
    x = jnp.float32(1.0)
    many = [jnp.float32(i) for i in range(5)]
    nest = {"a": x, "b": {"c": x, "d": [x]}}
    add_one = jax.jit(lambda x: x + 1)
    add_five = jax.jit(lambda a, b, c, d, e: a + b + c + d + e)
    from_nest = jax.jit(lambda n: {"sum": n["a"] + n["b"]["c"], "parts": [n["b"]["d"][0]]})
    times = jax.jit(lambda x, n: x * n, static_argnums=1)
    crowded = jax.jit(lambda x, n: x * n, static_argnums=1)
    for n in range(TRACES):
        crowded(x, n)
    return {
        "x + 1": lambda: add_one(x).block_until_ready(),
        "five tensors": lambda: add_five(*many).block_until_ready(),
        "nested dictionary": lambda: from_nest(nest)["sum"].block_until_ready(),
        "Python integer": lambda: times(x, 3).block_until_ready(),
        "one of 100 traces": lambda: crowded(x, 70).block_until_ready(),
        "eager x + 1": lambda: (x + 1).block_until_ready(),
    }
