# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.ops.nn_rest import (
    general_dropout as general_dropout, stateless_dropout as stateless_dropout
)
