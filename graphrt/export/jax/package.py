"""JAX, which the extra `[xla]` brings. Where it is not installed there are stand-ins: tables of rules can be read."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from graphrt import errors

__all__ = ["jax", "jnp", "lax", "need_jax"]


class Absent:
    """What stands for a module that is not installed: its attributes are like it, and calls raise."""

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> None:
        """Raises the error that says what to install.

        Raises:
          MissingExtraError: always.
        """
        need_jax()


def need_jax() -> None:
    """Checks that JAX is there.

    Raises:
      MissingExtraError: it is not installed.
    """
    if isinstance(jax, Absent):
        raise errors.MissingExtraError(
            "to_jax, and jit_compile='xla', need the package jax: pip install 'graphrt[xla]'"
        )


jax: Any = Absent()
jnp: Any = jax
lax: Any = jax
try:
    jax, jnp, lax = import_module("jax"), import_module("jax.numpy"), import_module("jax.lax")
except ImportError:
    pass
