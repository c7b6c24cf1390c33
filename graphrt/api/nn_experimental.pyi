# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.ops.nn.dropout import (
    general_dropout as general_dropout, stateless_dropout as stateless_dropout
)
