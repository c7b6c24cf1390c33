# Written by tests/stubs.py from graphrt/api/exports.py.
"""What programs say to TensorFlow's compiler."""
from graphrt.api import xla_experimental as xla_experimental
experimental = xla_experimental
