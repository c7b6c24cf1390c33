# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.api.xla import (
    compile as compile, jit_scope as jit_scope
)
