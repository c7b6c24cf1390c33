# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.resources.tables import (
    DenseHashTable as DenseHashTable, MutableHashTable as MutableHashTable
)
