# Written by tests/stubs.py from graphrt/api/exports.py.
"""Sets as the rows of tensors."""
from graphrt.ops.sparse.sets import (
    difference as difference, intersection as intersection, size as size, union as union
)
