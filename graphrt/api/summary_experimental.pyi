# Written by tests/stubs.py from graphrt/api/exports.py.
"""The step of summaries, and summaries as bytes."""
from graphrt.summaries.writers import (
    get_step as get_step, set_step as set_step, summary_scope as summary_scope, write_raw_pb as write_raw_pb
)
