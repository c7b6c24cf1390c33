"""What is measured: a row is one program, written for TensorFlow's names, by hand in NumPy, and for JAX.

    @row("a * x + b * y + c, 1e6")
    def axby(tf):                      # for graphrt and for TensorFlow; gives the function that is timed
        ...
        return lambda: f(x, y)

    @axby.numpy
    def _():
        ...

What the function returns is compared between the libraries before anything is timed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

MODULES = ("calls", "loops", "arrays", "models", "images", "data", "tracing", "files")

Maker = Callable[..., Callable[[], Any]]


class Row:
    """One program.

    Attributes:
      name: unique.
      programs: library -> maker, which takes the library's module (but for numpy) and gives the timed function.
      count: what one call does this many of; times are of one.
      once: whether each call is a first call, so that none is made to warm up.
      own: whether the function gives the seconds that it took itself.
      rtol: how far results may be apart; None if there is nothing to compare.
    """

    def __init__(self, name: str, maker: Maker, count: int, once: bool, own: bool, rtol: float | None) -> None:
        self.name = name
        self.programs: dict[str, Maker] = {"tf": maker}
        self.count = count
        self.once = once
        self.own = own
        self.rtol = rtol
        self.group = maker.__module__.rpartition(".")[2]

    def numpy(self, maker: Maker) -> Maker:
        """Adds the program as one writes it by hand in NumPy."""
        self.programs["numpy"] = maker
        return maker

    def jax(self, maker: Maker) -> Maker:
        """Adds the program for JAX."""
        self.programs["jax"] = maker
        return maker

    def program(self, library: str) -> Maker | None:
        """The program for one of graphrt, tensorflow, jax and numpy; None if there is none."""
        return self.programs.get("tf" if library in ("graphrt", "tensorflow") else library)


def row(
    name: str, *, count: int = 1, once: bool = False, own: bool = False, rtol: float | None = 1e-4
) -> Callable[[Maker], Row]:
    """Declares a row; what is decorated is the program for TensorFlow's names."""
    return lambda maker: Row(name, maker, count, once, own, rtol)


def all_rows() -> dict[str, Row]:
    """Every row by its name, in order.

    Raises:
      ValueError: two have one name.
    """
    found: dict[str, Row] = {}
    for module in MODULES:
        for value in vars(importlib.import_module(f"tests.benchmarks.rows.{module}")).values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, Row):
                    if one.name in found:
                        raise ValueError(f"two rows are called {one.name!r}")
                    found[one.name] = one
    return found
