"""Names: `dense`, `dense_1`, ... for objects that were given none, and paths such as `model/dense/kernel`."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator
from contextvars import ContextVar

from graphrt.types.leaving import block, setting

# Held while weights are made: threads that call a layer, or step with an optimizer, for the first time make them once.
building = threading.RLock()
_lock = threading.Lock()
_counts: dict[str, int] = {}  # state: locked by _lock
_path: ContextVar[tuple[str, ...]] = ContextVar("graphrt_keras_path", default=())


def snake_case(name: str) -> str:
    """`LayerNormalization` as `layer_normalization`, `Conv2D` as `conv2d`."""
    name = re.sub(r"\W+", "", name)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def auto_name(prefix: str) -> str:
    """`prefix` at its first use, `prefix_1` at the second."""
    count = get_uid(prefix) - 1
    return f"{prefix}_{count}" if count else prefix


def get_uid(prefix: str = "") -> int:
    """How often this was asked for `prefix`, with this time.

    >>> import graphrt as tf
    >>> tf.keras.utils.clear_session()
    >>> tf.keras.backend.get_uid("block"), tf.keras.backend.get_uid("block")
    (1, 2)
    """
    with _lock:
        _counts[prefix] = count = _counts.get(prefix, 0) + 1
    return count


def forget_names() -> None:
    """Starts to count anew."""
    with _lock:
        _counts.clear()


@block
def path_scope(name: str) -> Generator[None, None, None]:
    """Variables made in the block have `name/` in their paths, once when it is entered twice in a row."""
    outer = _path.get()
    with setting(_path, outer if outer[-1:] == (name,) else (*outer, name)):
        yield from (None,)


def path_of(name: str) -> str:
    """The path of a variable made here under this name."""
    return "/".join((*_path.get(), name))
