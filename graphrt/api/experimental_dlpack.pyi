# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.api.dlpack import (
    from_dlpack as from_dlpack, to_dlpack as to_dlpack
)
