# Written by tests/stubs.py from graphrt/api/exports.py.
"""Conversion of Python control flow."""
from graphrt.api.autograph import (
    experimental as experimental, set_verbosity as set_verbosity, to_code as to_code, to_graph as to_graph,
    trace as trace
)
