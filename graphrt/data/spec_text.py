"""Specs of elements as JSON, for the files that describe a saved dataset."""

from __future__ import annotations

import collections
import json
from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.element_parts import is_sparse
from graphrt.types.dtype import as_dtype
from graphrt.types.spec import TensorSpec


def to_text(spec: object) -> str:
    """`spec` as JSON.

    Raises:
      TypeError: elements of this spec cannot be saved.
    """
    return json.dumps(_encoded(spec))


def from_text(text: str) -> TensorSpec:
    """The spec that `to_text` wrote; DataLossError when it is no such text."""
    try:
        return _decoded(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise errors.DataLossError(None, None, f"the spec of the saved dataset cannot be read: {error}") from None


def _dims(spec: Any) -> Any:
    return None if spec.dims is None else list(spec.dims)


def _encoded(spec: Any) -> Any:
    if isinstance(spec, TensorSpec) and spec.dtype.kind != "O":
        return {"tensor": _dims(spec), "dtype": spec.dtype.name}
    if isinstance(spec, st.NoneTensorSpec):
        return {"none": True}
    if getattr(spec, "ragged_rank", None) is not None:
        return {
            "ragged": _dims(spec), "dtype": spec.dtype.name, "rank": spec.ragged_rank,
            "splits": spec.row_splits_dtype.name,
        }  # fmt: skip
    if is_sparse(spec):
        return {"sparse": _dims(spec), "dtype": spec.dtype.name}
    if isinstance(spec, dict):
        return {"dict": [[k, _encoded(v)] for k, v in spec.items()]}
    if isinstance(spec, tuple) and hasattr(spec, "_fields"):
        return {"namedtuple": type(spec).__name__, "fields": list(spec._fields), "parts": [_encoded(v) for v in spec]}
    if isinstance(spec, tuple):
        return {"tuple": [_encoded(v) for v in spec]}
    raise TypeError(errors.at_user_line(f"elements of {spec!r} cannot be saved: only tensors and structures of them"))


def _decoded(value: Any) -> Any:
    if "tensor" in value:
        return TensorSpec(value["tensor"], as_dtype(value["dtype"]))
    if "none" in value:
        return st.NoneTensorSpec()
    if "ragged" in value:
        from graphrt.ops.ragged.tensor import RaggedTensorSpec  # lazy: few programs have ragged tensors

        return RaggedTensorSpec(value["ragged"], value["dtype"], value["rank"], as_dtype(value["splits"]))
    if "sparse" in value:
        from graphrt.ops.sparse.tensor import SparseTensorSpec  # lazy: few programs have sparse tensors

        return SparseTensorSpec(value["sparse"], value["dtype"])
    if "dict" in value:
        return {k: _decoded(v) for k, v in value["dict"]}
    if "namedtuple" in value:
        made = collections.namedtuple(value["namedtuple"], value["fields"])  # type: ignore[misc]
        return made(*[_decoded(v) for v in value["parts"]])
    return tuple(_decoded(v) for v in value["tuple"])
