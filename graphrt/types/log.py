"""The logger of graphrt. `logging` is imported when there is something to tell: a first call would take longer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging


def logger() -> logging.Logger:
    """The logger."""
    import logging  # lazy: see above

    return logging.getLogger("graphrt")


def is_heard() -> bool:
    """Whether somebody listens to what is told at level INFO: nobody can before `logging` is imported.

    >>> is_heard()
    False
    """
    if "logging" not in sys.modules:
        return False
    import logging  # lazy: see above

    return logger().isEnabledFor(logging.INFO)
