"""`at`: one element by its number."""

from __future__ import annotations

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, source_of
from graphrt.data.pipeline import Element, iterate
from graphrt.tensor.tensor import Tensor


def at(dataset: Dataset, index: int) -> Tensor:
    """Element number `index`.

    >>> import graphrt as tf
    >>> tf.data.experimental.at(tf.data.Dataset.range(9), 4).numpy()
    np.int64(4)

    Raises:
      OutOfRangeError: there are not so many.
    """
    number = int(index)
    run, elements = iterate(source_of(dataset))
    try:
        found: Element | None = None
        for position, element in enumerate(elements):
            if position == number:
                found = element
                break
    finally:
        del elements
        run.close()
    if found is None:
        size = source_of(dataset).count()
        raise errors.OutOfRangeError(None, None, errors.at_user_line(f"Index out of range [0, {size}):{number}"))
    return st.packer(dataset.element_spec)(found)
