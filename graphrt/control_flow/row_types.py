"""`map_fn` along the first dimension of batchable extension types: along that of what they are encoded as."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.spec import CompositeSpec, TensorSpec, element_of, encoder_of, stack_of


def has_rows(value: object) -> bool:
    """Whether `value`, or those of a spec, say themselves how they are taken apart and stacked."""
    return _encoder(spec_of(value)) is not None


def spec_of(value: object) -> Any:
    """The spec of a value of an extension type; others stay as they are."""
    return getattr(value, "_type_spec", None) if isinstance(value, structure.Composite) else value


def _encoder(spec: object) -> Any:
    return encoder_of(spec) if isinstance(spec, CompositeSpec) else None


def over_tensors(
    map_fn: Callable[..., Any], fn: Callable[[Any], Any], elems: object, announced: Any, **options: object
) -> Tensor:
    """What `map_fn(fn, elems)` means, by `map_fn` of what `elems` and the results are encoded as."""
    specs: Any = structure.map_structure(_row_spec, elems) if announced is None else announced
    wanted = structure.flatten(specs)

    def row(parts: list[Any]) -> list[Any]:
        supply = iter(parts)
        values = [_decoded(_row_spec(e), supply) if has_rows(e) else next(supply) for e in structure.flatten(elems)]
        result = fn(structure.pack_like(elems, values))
        structure.assert_same_structure(specs, result, check_types=False)
        return [part for s, value in zip(wanted, structure.flatten(result)) for part in _encoded(s, value, 0)]

    parts = [part for e in structure.flatten(elems) for part in _encoded(spec_of(e), e, 1)]
    flat = [part for spec in wanted for part in _codes(spec)]
    outputs = map_fn(row, parts, fn_output_signature=flat, **options)
    dims = next((t.shape.as_list() for t in outputs if isinstance(t, Tensor) and t.shape.rank), [None])
    supply = iter(outputs)
    found = [_decoded(stack_of(s, dims[0]), supply) if _encoder(s) is not None else next(supply) for s in wanted]
    return structure.pack_like(specs, found)


def _row_spec(value: Any) -> Any:
    spec = spec_of(value)
    if isinstance(spec, CompositeSpec):
        return element_of(spec)
    return TensorSpec(value.shape[1:], value.dtype)


def _codes(spec: DType) -> list[Any]:
    encoder = _encoder(spec)
    return [spec] if encoder is None else structure.flatten(encoder.encoding_specs(spec))


def _encoded(spec: object, value: object, minimum_rank: int) -> list[Any]:
    encoder = _encoder(spec)
    return [value] if encoder is None else structure.flatten(encoder.encode(spec_of(value), value, minimum_rank))


def _decoded(spec: Any, supply: Iterator[Any]) -> Any:
    encoder = _encoder(spec)
    codes = encoder.encoding_specs(spec)
    return encoder.decode(spec, structure.pack_like(codes, [next(supply) for _ in structure.flatten(codes)]))
