"""Something that happens where Python collects garbage: a finalizer, or whatever another thread does while one runs."""

from __future__ import annotations

import gc
from collections.abc import Callable


def while_collecting(call: Callable[[], object], meanwhile: Callable[[], object], first: int = 40) -> None:
    """Calls `call` again and again, with `meanwhile` where it makes its first object, its second, and so on to `first`.

    Python up to 3.11 collects wherever an object is made, later ones between two steps of a function.
    """
    before, enabled = gc.get_threshold(), gc.isenabled()

    def collecting(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and gc.isenabled():
            gc.disable()
            meanwhile()

    held: list[list[tuple[int, int]]] = []
    gc.callbacks.append(collecting)
    try:
        for number in range(first):
            gc.disable()
            held.append([(i, number) for i in range(2500)])  # pairs that were dropped are used again
            gc.set_threshold(gc.get_count()[0] + number, *before[1:])
            gc.enable()
            call()
    finally:
        gc.callbacks.remove(collecting)
        gc.set_threshold(*before)
        (gc.enable if enabled else gc.disable)()
