"""`tf.nn.experimental`: dropout whose numbers are given."""

from __future__ import annotations

from graphrt.ops.dropout import general_dropout, stateless_dropout

__all__ = ["general_dropout", "stateless_dropout"]
