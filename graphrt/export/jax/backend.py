"""The backend of `jit_compile="xla"`: a trace compiled by XLA, on the devices that JAX has."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.jax.function import Replayed
from graphrt.export.jax.package import jax
from graphrt.export.jax.replay import Handle
from graphrt.function.compiled import Executable
from graphrt.function.concrete import ConcreteFunction

__all__ = ["compile"]


def compile(concrete: ConcreteFunction) -> Executable:
    """What runs `concrete`: see `Backend.compile`. XLA compiles when shapes are first met.

    Raises:
      MissingExtraError: jax is not installed.
      UnimplementedError: nodes have no counterpart; the message lists all, with the lines they come from.
    """
    replayed = Replayed(concrete)
    compiled = jax.jit(lambda tensors, variables: replayed(tensors, variables))
    handles = [v.number if isinstance(v, Handle) else None for v in replayed.given]
    first = replayed.count

    def run(*raw: Any) -> tuple[Any, ...]:
        tensors = [np.asarray(v) for v in raw[:first]]
        storages: dict[int, Any] = {n: v for n, v in zip(handles, raw[first:]) if n is not None}
        before = [storages[i].value for i in range(len(storages))]
        with replayed.wide(tensors):
            outputs, after = compiled(tensors, [np.asarray(v) for v in before])
            results = tuple([np.asarray(v)[()] for v in outputs])
        if replayed.changes:
            for i, value in enumerate(after):
                storages[i].assign(np.asarray(value))
        return results

    return run
