"""Makes graphs known to converted code: at first which modules are theirs, with the first trace all that stages.

Nothing is staged before something is traced: a program that only computes never loads what stages.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any

from autograph.backends import register_backend, registered_backends, unregister_backend
from graphrt.staging.handled import HandledByGraphs
from graphrt.tensor.context import around_a_trace, watch_traces


class _Nothing:
    """No value is of this type: before the first trace none is staged."""


class _BeforeTheFirstTrace(HandledByGraphs):
    """Stands for the backend until it is loaded: says which modules it has, and that nothing is staged."""

    staged_types = (_Nothing,)

    def is_active(self) -> bool:
        return False


_loading = threading.RLock()
_before = _BeforeTheFirstTrace()


def _first_trace() -> AbstractContextManager[Any]:
    from graphrt.staging import backend, eager_calls, number_functions, plain_calls, sequences  # lazy: see above
    from graphrt.staging.stand_ins import watch  # lazy: as these

    with _loading:
        if _before in registered_backends():  # another thread may have come first; what was interrupted is done again
            for calls in (plain_calls, number_functions, sequences, eager_calls):
                calls.register()
            register_backend(backend.BACKEND)
            watch()
            unregister_backend(_before)
    return around_a_trace()


def start() -> None:
    """Has the backend loaded by the first trace."""
    register_backend(_before)
    watch_traces(_first_trace, lambda value: value)
