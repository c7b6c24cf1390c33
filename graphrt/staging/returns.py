"""What a converted function returns when whether it did so is known only when the graph runs."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.staging import values as st
from graphrt.staging.known import known_flag
from graphrt.staging.unset import missing_return
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.likes import TensorLike


def return_value(
    value: Tensor | dict[str, Tensor | list[Tensor]] | tuple[Tensor, Tensor], did_return: TensorLike
) -> Any:
    """What a converted function returns when whether it did so is symbolic.

    Raises:
      BranchMismatchError: on some path the function ends without a `return`.
    """
    if st.is_undefined_return(value):
        return None
    if isinstance(did_return, SymbolicTensor) and known_flag(did_return):
        return value
    if st.is_empty(value) and isinstance(did_return, SymbolicTensor):
        raise _missing("other", st.type_text(value))  # nothing is in it that could tell where it comes from
    missing = None
    for leaf in st.leaves_of(value) if st.is_stageable(value) else []:
        if isinstance(leaf, SymbolicTensor):
            missing = missing_return(leaf) or missing
    if missing is None:
        return value
    raise _missing(missing.branch, st.type_text(value), missing.location)


def _missing(branch: str, found: str, location: tuple[str, int] | None = None) -> Exception:
    where = "" if location is None else f"\n  at {errors.shown_place(*location)}"
    return errors.BranchMismatchError(
        f"the {branch} branch must also have a return statement: the function returns {found} on one path, and reaches its "
        "end without `return` on another, where Python returns None. Add a `return` at the end of the function: of the "
        f"same type, or `return None` if that is meant.{where}"
    )
