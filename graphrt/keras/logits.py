"""Logits that travel with the shares made of them: losses of logits are exact where shares are tiny, and have gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import graphrt as tf
from graphrt.tensor.tensor import Tensor

SOFTMAX, SIGMOID = "Softmax", "Sigmoid"  # names: those of operations, which users read too


class _Origin(NamedTuple):
    kind: str
    logits: Tensor
    axis: int | None


def _from_start(axis: int, rank: int | None) -> int:
    """The axis as a number that is one for all its names, where the rank is known."""
    return axis if rank is None else axis % max(rank, 1)


def keep_logits(shares: Tensor, kind: str, logits: Tensor, axis: Any = -1) -> Tensor:
    """The shares, which know from now on what they were made of."""
    along = None if kind == SIGMOID else _from_start(int(axis), logits.shape.rank)
    shares._made_of = _Origin(kind, logits, along)  # type: ignore[attr-defined]
    return shares


def logits_of(shares: Any, kind: str, axis: int = -1) -> Any:
    """The logits that a softmax along `axis`, or a sigmoid, was taken of; None where `shares` are something else."""
    rank = shares.shape.rank
    origin = getattr(shares, "_made_of", None)
    if origin is not None:
        same = origin.kind == kind and origin.axis in (None, _from_start(axis, rank))
        return origin.logits if same else None
    last = axis == -1 or (rank is not None and axis == rank - 1)  # the op knows no other
    if (kind == SIGMOID or last) and tf.is_symbolic_tensor(shares) and shares.op.type == kind:
        return shares.op.inputs[0]
    return None


def logits_or_shares(from_logits: bool, output: Any, kind: str, axis: int = -1) -> tuple[Any, bool]:
    """What a loss is to be computed of, and whether these are logits: those that `output` was made of, if known."""
    logits = None if from_logits else logits_of(output, kind, axis)
    return (output, from_logits) if logits is None else (logits, True)
