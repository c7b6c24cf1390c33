"""`tf.autograph`: conversion of Python control flow."""

from __future__ import annotations

from types import SimpleNamespace

from autograph import Feature, do_not_convert, set_loop_options, set_verbosity, trace
from graphrt.function.converting import to_code, to_graph

experimental = SimpleNamespace(Feature=Feature, do_not_convert=do_not_convert, set_loop_options=set_loop_options)

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]
