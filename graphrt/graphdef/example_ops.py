"""The ops that parse examples: `ParseExampleV2`, `ParseSequenceExampleV2`, `DecodeJSONExample`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.graphdef.example_messages import example_class
from graphrt.ir.op import define
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.types.dtype import INDEX, DType, float32, int64, string
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims

if TYPE_CHECKING:
    from graphrt.ir.graph import InferContext

__all__: list[str] = []

_FIELDS = {"bytes_list": string, "float_list": float32, "int64_list": int64}
_WORDS = {string: "string", float32: "float", int64: "int64"}
_KINDS = (float32, int64, string)


# --- reading messages ------------------------------------------------------------------------------------------------
def _message(kind: str, data: bytes) -> Any:
    try:
        return example_class(kind).FromString(data)
    except Exception as error:  # protobuf's class of the error differs between its implementations
        raise bad(f"Could not parse example input, value: '{shown(data)}'") from error


def _texts(value: Array) -> list[str]:
    found = np.asarray(value, object).reshape(-1).tolist()
    return [v.decode("utf-8", "surrogateescape") if isinstance(v, bytes) else str(v) for v in found]


def _values(feature: Any, dtype: DType, where: str) -> list[Any] | None:
    """The values of a feature; None where it is missing; InvalidArgumentError where it is of another type."""
    field = feature.WhichOneof("kind") if feature is not None else None
    if field is None:
        return None
    found = _FIELDS[field]
    if found is not dtype:
        raise bad(f"{where}.  Data types don't match. Data type: {_WORDS[found]} but expected type: {_WORDS[dtype]}")
    return list(getattr(feature, field).value)


def _array(values: list[Any], dtype: DType, shape: tuple[int, ...] | None = None) -> Array:
    out: Any = np.empty(len(values), dtype.as_numpy_dtype)
    out[:] = values
    return out if shape is None else out.reshape(tuple(shape))


class _Reader:
    """The features of one message after the other, and what its messages of errors say of the place."""

    def __init__(self, features: list[Any], names: list[str], single: bool) -> None:
        self.features = features
        self.names = names
        self.single = single

    def where(self, key: str, index: int) -> str:
        if self.single:
            return f"Key: {key}"
        return f"{self.named(index)}, Key: {key}, Index: {index}"

    def named(self, index: int) -> str:
        return f"Name: {self.names[index] if index < len(self.names) else '<unknown>'}"

    def rows(self, key: str, dtype: DType) -> list[list[Any] | None]:
        """The values under `key` in each message."""
        found = []
        for i, one in enumerate(self.features):
            feature = one.feature.get(key)
            found.append(_values(feature, dtype, self.where(key, i)))
        return found

    def dense(self, key: str, dtype: DType, shape: tuple[int, ...], default: Array) -> Any:
        """[batch, *shape], or [batch, longest, ...] where the first dimension is open."""
        if shape and (shape[0] is None or shape[0] < 0):
            return self._padded(key, dtype, tuple(shape[1:]), default)
        size = int(np.prod(shape, dtype=np.int64))
        parts: list[Any] = []
        for i, row in enumerate(self.rows(key, dtype)):
            if row is None:
                if np.size(default) == 0:
                    text = f"Feature: {key} (data type: {_WORDS[dtype]}) is required but could not be found."
                    raise bad(text if self.single else f"{self.named(i)}, {text}")
                row = np.broadcast_to(np.reshape(default, -1), (size,)).tolist()
            if len(row) != size:
                if self.single:
                    word = {string: "bytes", float32: "float", int64: "int64"}[dtype]
                    raise bad(f"Key: {key}.  Can't parse serialized Example: Some {word}_list slice was not parsed.")
                raise bad(
                    f"{self.where(key, i)}.  Number of {_WORDS[dtype]} values != expected.  Values size: {len(row)} but "
                    f"output shape: {text_of(tuple(shape))}"
                )
            parts += row
        lead = () if self.single else (len(self.features),)
        return _array(parts, dtype, (*lead, *shape))

    def _padded(self, key: str, dtype: DType, tail: tuple[int, ...], default: Any) -> Any:
        step = int(np.prod(tail, dtype=np.int64))
        rows = [row or [] for row in self.rows(key, dtype)]
        for i, row in enumerate(rows):
            if step == 0 or len(row) % step:
                raise bad(
                    f"{self.where(key, i)}.  Number of {_WORDS[dtype]} values is not a multiple of stride length. Saw "
                    f"{len(row)} values but output shape is: {text_of((-1, *tail))}"
                )
        longest = max((len(row) for row in rows), default=0)
        blank: Any = b"" if dtype is string else 0
        fill = np.reshape(default, -1).tolist()[0] if np.size(default) else blank
        parts = [v for row in rows for v in (*row, *[fill] * (longest - len(row)))]
        lead = () if self.single else (len(rows),)
        return _array(parts, dtype, (*lead, longest // step, *tail))

    def sparse(self, key: str, dtype: DType) -> tuple[Any, Any, Any]:
        rows = [row or [] for row in self.rows(key, dtype)]
        values = _array([v for row in rows for v in row], dtype)
        if self.single:
            return np.arange(len(values), dtype=np.int64)[:, None], values, np.array([len(values)], np.int64)
        places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
        longest = max((len(row) for row in rows), default=0)
        return np.array(places, np.int64).reshape(-1, 2), values, np.array([len(rows), longest], np.int64)

    def ragged(self, key: str, dtype: DType, splits: DType) -> tuple[Any, Any]:
        rows = [row or [] for row in self.rows(key, dtype)]
        ends = np.cumsum([0, *map(len, rows)]).astype(splits.as_numpy_dtype)
        return _array([v for row in rows for v in row], dtype), ends[:0] if self.single else ends


def _parse(
    serialized: Array, names: Array, sparse_keys: Array, dense_keys: Array, ragged_keys: Array,
    dense_defaults: list[Array], *, Tdense: list[DType], sparse_types: list[Any], ragged_value_types: list[Any],
    ragged_split_types: list[Any], dense_shapes: list[tuple[()] | tuple[int, ...]]
) -> list[Any]:  # fmt: skip
    single = np.ndim(serialized) == 0
    data = [np.asarray(serialized, object).item()] if single else np.asarray(serialized, object).tolist()
    reader = _Reader([_message("Example", d).features for d in data], _texts(names), single)
    sparse = [reader.sparse(k, t) for k, t in zip(_texts(sparse_keys), sparse_types)]
    dense = [reader.dense(*given) for given in zip(_texts(dense_keys), Tdense, dense_shapes, dense_defaults)]
    ragged = [reader.ragged(*given) for given in zip(_texts(ragged_keys), ragged_value_types, ragged_split_types)]
    return [*(s[0] for s in sparse), *(s[1] for s in sparse), *(s[2] for s in sparse), *dense,
            *(r[0] for r in ragged), *(r[1] for r in ragged)]  # fmt: skip


def _lead(c: Any) -> Dims:
    return c.dims(0)


def _dense_dims(lead: Dims, shape: tuple[int, ...]) -> Dims:
    if lead is None or shape is None:
        return None
    tail = tuple(None if d is None or d < 0 else d for d in shape)
    return (*lead, *tail)


def _parse_infer(c: InferContext) -> list[Dims]:
    lead, a = c.dims(0), c.attrs
    rank = None if lead is None else len(lead) + 1
    sparse = a["num_sparse"]
    ragged = len(a["ragged_value_types"])
    batch = None if lead is None or not lead or lead[0] is None else lead[0] + 1
    return [
        *[(None, rank)] * sparse, *[(None,)] * sparse, *[(rank,)] * sparse,
        *[_dense_dims(lead, s) for s in a["dense_shapes"]], *[(None,)] * ragged,
        *[(0,) if lead == () else (batch,)] * ragged,
    ]  # fmt: skip


ParseExampleV2 = define(
    "ParseExampleV2",
    "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
    "dense_defaults: Tdense... -> sparse_indices: num_sparse * int64, sparse_values: sparse_types..., "
    "sparse_shapes: num_sparse * int64, dense_values: Tdense..., ragged_values: ragged_value_types..., "
    "ragged_row_splits: ragged_split_types...",
    attrs="Tdense: list(type); num_sparse: int >= 0; sparse_types: list(type); ragged_value_types: list(type); "
    "ragged_split_types: list(type); dense_shapes: list(shape)",
    allowed={"Tdense": _KINDS, "sparse_types": _KINDS, "ragged_value_types": _KINDS, "ragged_split_types": INDEX},
    infer=_parse_infer, kernel=_parse, vjp=lambda call, *g: [None] * len(call.inputs),
)  # fmt: skip


# --- sequences -------------------------------------------------------------------------------------------------------
class _Lists:
    """The feature lists of one message after the other."""

    def __init__(self, messages: list[Any], single: bool) -> None:
        self.messages = messages
        self.single = single

    def rows(self, key: str, dtype: DType, needed: bool) -> list[list[list[Any]]]:
        found: list[list[list[Any]]] = []
        for i, one in enumerate(self.messages):
            if key not in one.feature_list:
                if needed:
                    raise bad(
                        f"Name: <unknown>, Feature list '{key}' is required but could not be found.  Did you mean to "
                        "include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
                    )
                found.append([])
                continue
            steps = one.feature_list[key].feature
            where = f"Name: <unknown>, Feature list: {key}, Index: {i}"
            found.append([_values(step, dtype, where) or [] for step in steps])
        return found

    def dense(self, key: str, dtype: DType, shape: tuple[()], optional: bool) -> tuple[Any, Any]:
        size = int(np.prod(shape, dtype=np.int64))
        rows = self.rows(key, dtype, not optional)
        longest = max((len(r) for r in rows), default=0)
        blank: Any = b"" if dtype is string else 0
        parts: list[Any] = []
        for row in rows:
            for t, step in enumerate(row):
                if len(step) != size:
                    raise bad(
                        f"Name: <unknown>, Key: {key}, Index: {t}.  Number of values != expected.  values size: "
                        f"{len(step)} but output shape: {text_of(tuple(shape))}"
                    )
                parts += step
            parts += [blank] * (size * (longest - len(row)))
        lengths = np.array([len(r) for r in rows], np.int64)
        lead = (longest,) if self.single else (len(rows), longest)
        return _array(parts, dtype, (*lead, *shape)), lengths[0] if self.single else lengths

    def sparse(self, key: str, dtype: DType) -> tuple[Any, Any, Any]:
        rows = self.rows(key, dtype, False)
        places = [(i, t, j) for i, row in enumerate(rows) for t, step in enumerate(row) for j in range(len(step))]
        values = _array([v for row in rows for step in row for v in step], dtype)
        steps = max((len(r) for r in rows), default=0)
        widest = max((len(step) for row in rows for step in row), default=0)
        where, shape = np.array(places, np.int64).reshape(-1, 3), np.array([len(rows), steps, widest], np.int64)
        return (where[:, 1:], values, shape[1:]) if self.single else (where, values, shape)

    def ragged(self, key: str, dtype: DType, splits: DType) -> tuple[Any, Any, Any]:
        rows = self.rows(key, dtype, False)
        kind = splits.as_numpy_dtype
        outer = np.cumsum([0, *(len(r) for r in rows)]).astype(kind)
        inner = np.cumsum([0, *(len(step) for row in rows for step in row)]).astype(kind)
        values = _array([v for row in rows for step in row for v in step], dtype)
        return values, outer[:0] if self.single else outer, inner


def _parse_sequences(
    serialized: Array, debug_name: Array, context_sparse_keys: Any, context_dense_keys: Array,
    context_ragged_keys: Array, sparse_keys: Array, dense_keys: Array, ragged_keys: Array, optional: Array,
    context_dense_defaults: list[Any], *, Tcontext_dense: list[Any], context_sparse_types: list[Any],
    context_ragged_value_types: list[Any], context_ragged_split_types: list[Any], context_dense_shapes: list[Any],
    feature_list_dense_types: list[DType], feature_list_sparse_types: list[Any],
    feature_list_ragged_value_types: list[Any], feature_list_ragged_split_types: list[Any],
    feature_list_dense_shapes: list[tuple[()]]
) -> list[Any]:  # fmt: skip
    single = np.ndim(serialized) == 0
    data = [np.asarray(serialized, object).item()] if single else np.asarray(serialized, object).tolist()
    messages = [_message("SequenceExample", d) for d in data]
    context = _Reader([m.context for m in messages], _texts(debug_name), single)
    lists = _Lists([m.feature_lists for m in messages], single)
    one = [context.sparse(*g) for g in zip(_texts(context_sparse_keys), context_sparse_types)]
    two = [
        context.dense(*g)
        for g in zip(_texts(context_dense_keys), Tcontext_dense, context_dense_shapes, context_dense_defaults)
    ]
    three = [
        context.ragged(*g)
        for g in zip(_texts(context_ragged_keys), context_ragged_value_types, context_ragged_split_types)
    ]
    four = [lists.sparse(*g) for g in zip(_texts(sparse_keys), feature_list_sparse_types)]
    flags = np.reshape(optional, -1).tolist()
    five = [
        lists.dense(*g) for g in zip(_texts(dense_keys), feature_list_dense_types, feature_list_dense_shapes, flags)
    ]
    six = [
        lists.ragged(*g)
        for g in zip(_texts(ragged_keys), feature_list_ragged_value_types, feature_list_ragged_split_types)
    ]
    return [
        *(v[i] for i in range(3) for v in one), *two, *(v[i] for i in range(2) for v in three),
        *(v[i] for i in range(3) for v in four), *(v[i] for i in range(2) for v in five),
        *(v[i] for i in range(3) for v in six),
    ]  # fmt: skip


def _sequences_infer(c: Any) -> list[Dims]:
    lead, a = c.dims(0), c.attrs
    rank = None if lead is None else len(lead)
    more = [None if rank is None else rank + i for i in range(3)]
    few, many = a["Ncontext_sparse"], a["Nfeature_list_sparse"]
    ragged, lists = len(a["context_ragged_value_types"]), len(a["feature_list_ragged_value_types"])
    dense = [None if lead is None or s is None else (*lead, None, *s) for s in a["feature_list_dense_shapes"]]
    return [
        *[(None, more[1])] * few, *[(None,)] * few, *[(more[1],)] * few,
        *[_dense_dims(lead, s) for s in a["context_dense_shapes"]], *[(None,)] * (2 * ragged),
        *[(None, more[2])] * many, *[(None,)] * many, *[(more[2],)] * many, *dense, *[lead] * len(dense),
        *[(None,)] * (3 * lists),
    ]  # fmt: skip


_LISTS = ["Tcontext_dense", "context_sparse_types", "context_ragged_value_types", "context_ragged_split_types"]
_MORE = [
    "feature_list_dense_types",
    "feature_list_sparse_types",
    "feature_list_ragged_value_types",
    "feature_list_ragged_split_types",
]
ParseSequenceExampleV2 = define(
    "ParseSequenceExampleV2",
    "serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, "
    "context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, "
    "feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, "
    "context_dense_defaults: Tcontext_dense... -> context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types..., context_sparse_shapes: Ncontext_sparse * int64, "
    "context_dense_values: Tcontext_dense..., context_ragged_values: context_ragged_value_types..., "
    "context_ragged_row_splits: context_ragged_split_types..., "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types..., "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types..., feature_list_dense_lengths: Nfeature_list_dense * int64, "
    "feature_list_ragged_values: feature_list_ragged_value_types..., "
    "feature_list_ragged_outer_splits: feature_list_ragged_split_types..., "
    "feature_list_ragged_inner_splits: feature_list_ragged_split_types...",
    attrs="Ncontext_sparse: int >= 0 = 0; Tcontext_dense: list(type) = []; context_sparse_types: list(type) = []; "
    "context_ragged_value_types: list(type) = []; context_ragged_split_types: list(type) = []; "
    "context_dense_shapes: list(shape) = []; Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; "
    "feature_list_dense_types: list(type) = []; feature_list_sparse_types: list(type) = []; "
    "feature_list_ragged_value_types: list(type) = []; feature_list_ragged_split_types: list(type) = []; "
    "feature_list_dense_shapes: list(shape) = []",
    allowed={n: INDEX if "split" in n else _KINDS for n in (*_LISTS, *_MORE)},
    infer=_sequences_infer, kernel=_parse_sequences, vjp=lambda call, *g: [None] * len(call.inputs),
)  # fmt: skip


# --- JSON ------------------------------------------------------------------------------------------------------------
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")


def _check_json(value: Any) -> None:
    """Refuses what the parser of protocol buffers lets pass: what is no object, and bytes that are no base 64."""
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, found {type(value).__name__}")
    waiting: list[tuple[str, Any]] = list(value.items())
    while waiting:
        key, found = waiting.pop()
        if isinstance(found, dict):
            waiting += [(key if k == "value" else k, v) for k, v in found.items()]
        elif isinstance(found, list) and key in ("bytesList", "bytes_list"):
            for text in found:
                if isinstance(text, str) and not _BASE64.fullmatch(text):
                    raise ValueError(f"{text!r} is not base 64")


def _from_json(texts: Array) -> Array:
    from google.protobuf import json_format  # lazy: only programs with JSON examples pay for it

    found: Any = np.asarray(texts, object)
    out = np.empty(found.shape, object)
    for at in np.ndindex(*found.shape):
        try:
            _check_json(json.loads(found[at]))
            out[at] = json_format.Parse(found[at], example_class("Example")()).SerializeToString(deterministic=True)
        except (json_format.ParseError, ValueError, RecursionError) as error:
            raise bad(f"Error while parsing JSON: {error}") from None
    return out


DecodeJSONExample = define(
    "DecodeJSONExample", "json_examples: string -> binary_examples: string", infer=_lead, kernel=_from_json,
    vjp=lambda call, g: [None],
)  # fmt: skip
