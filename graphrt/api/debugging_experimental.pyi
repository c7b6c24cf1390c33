# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.api.dump_debug_info import (
    disable_dump_debug_info as disable_dump_debug_info, enable_dump_debug_info as enable_dump_debug_info
)
