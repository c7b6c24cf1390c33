# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.api import experimental_numpy_random as experimental_numpy_random
random = experimental_numpy_random
from typing import Any as _Any
def __getattr__(name: str) -> _Any: ...
