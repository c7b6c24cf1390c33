# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.linear_operators.iterative import (
    conjugate_gradient as conjugate_gradient
)
