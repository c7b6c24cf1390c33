# Written by tests/stubs.py from graphrt/api/exports.py.
"""Every op by the name it has in graphs, called with keywords only."""
from typing import Any as _Any
def __getattr__(name: str) -> _Any: ...
