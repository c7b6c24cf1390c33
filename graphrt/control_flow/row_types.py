"""`map_fn` along the first dimension of batchable extension types: along that of all their tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.spec import CompositeSpec, TensorSpec, element_of


def has_rows(value: object) -> bool:
    """Whether a value is made of tensors that have their first dimension in common."""
    return bool(getattr(value, "_has_rows", False))


def over_tensors(
    map_fn: Callable[..., Any], fn: Callable[[Any], Any], elems: object, announced: Any, **options: object
) -> Tensor:
    """What `map_fn(fn, elems)` means, by `map_fn` of the tensors that `elems` is made of."""
    specs: Any = structure.map_structure(_row_spec, elems) if announced is None else announced

    def row(tensors: list[Any]) -> list[Any]:
        result = fn(structure.pack_like(elems, tensors, expand_composites=True))
        structure.assert_same_structure(specs, result, check_types=False)
        return structure.flatten(result, expand_composites=True)

    flat = [part for spec in structure.flatten(specs) for part in _parts(spec)]
    outputs = map_fn(row, structure.flatten(elems, expand_composites=True), fn_output_signature=flat, **options)
    supply = iter(outputs)
    return structure.map_structure(lambda spec: _built(spec, supply), specs)


def _row_spec(value: Any) -> Any:
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, CompositeSpec):
        return element_of(spec)
    return TensorSpec(value.shape[1:], value.dtype)


def _parts(spec: DType) -> list[Any]:
    return list(spec.component_specs) if isinstance(spec, CompositeSpec) else [spec]


def _built(spec: DType, supply: Any) -> Tensor:
    if isinstance(spec, CompositeSpec):
        return spec.from_components([next(supply) for _ in spec.component_specs])
    return next(supply)
