"""`list` and `tuple` of what a graph iterates over.

list(map(f, x))     tuple(x)      ->      a Python list or tuple when the length is known, else a staged list
"""

from __future__ import annotations

from typing import Any

from autograph.backends import register_counterpart
from graphrt import errors
from graphrt.ir.op import ops, provide  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.chosen_lists import ChosenList
from graphrt.staging.items import taken
from graphrt.staging.iterables import comprehension, staged_iterable
from graphrt.staging.lists import StagedList, as_python
from graphrt.staging.rows import learned_list
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import weak_type
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown
from graphrt.types.structure import Stream


def datasets() -> Any:
    """`graphrt.staging.dataset_loops`, imported with the first dataset: most programs have none."""
    from graphrt.staging import dataset_loops as found  # lazy: see above

    return found


def staged(iterable: object) -> StagedIterable:
    """`iterable`, which may be a dataset, as something that a staged `for` loops over."""
    return datasets().iterable_of(iterable) if isinstance(iterable, Stream) else staged_iterable(iterable)


def elements(iterable: object) -> Any:
    """The elements in a Python list if their number is known, else in a staged list."""
    iterable = taken(iterable)
    if isinstance(iterable, StagedList):
        return iterable.copy() if isinstance(iterable, ChosenList) else iterable.listed()
    if isinstance(iterable, (list, tuple, dict, set, frozenset)):  # Python's own, whatever their elements
        return list(iterable)
    if isinstance(iterable, SymbolicTensor) and (iterable.dims == () or (iterable.dims or [None])[0] is not None):
        return list(iterable)
    found = staged(iterable)
    return comprehension(found, lambda item: item, None) if found.static_length() is None else list(found)


def _list(iterable: object) -> Any:
    return as_python(elements(iterable))


def _tuple(iterable: TensorLike) -> tuple[Tensor, ...]:
    found = elements(iterable)
    return tuple(found) if isinstance(found, list) else found


@provide
def repeated_sequence(elements: list[Any] | tuple[Any, ...], times: Tensor) -> Any:
    """`elements * times`, where `times` is a number to the user, such as `len` gives; None where it is a tensor.

    Raises:
      TypeError: no list whose length only the graph knows can hold the elements.
    """
    if not isinstance(times, SymbolicTensor) or weak_type(times) is None or times.dims != () or times.dtype.kind != "i":
        return None
    if not elements:
        return type(elements)()
    try:
        pattern = learned_list([], list(elements))
    except (TypeError, ValueError):
        pattern = None
    if pattern is None:
        text = (
            f"a list whose length only the running graph knows holds tensors of one dtype, found {shown(elements)}: begin "
            "with numbers of the dtype that it will have, `[0] * n`, or with `[]`, and append"
        )
        raise TypeError(errors.at_user_line(text))
    return pattern.filled(list(elements)) * ops.Maximum(times, 0)


def register() -> None:
    """Makes the counterparts known to converted code."""
    register_counterpart(list, _list)
    register_counterpart(tuple, _tuple)
