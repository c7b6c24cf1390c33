"""Examples parsed into tensors: `tf.io.parse_example` and its relatives, and what they are told of features."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.graphdef.example_ops import DecodeJSONExample, ParseExampleV2, ParseSequenceExampleV2
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.gather_scatter import tensor_scatter_nd_update
from graphrt.ops.array.padding import roll
from graphrt.ops.array.repetition import repeat
from graphrt.ops.array.shape import Reshape, expand_dims
from graphrt.ops.array.shape import size as size_
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.math.arithmetic import maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.cumulative import cumsum
from graphrt.ops.math.reduction import reduce_max, reduce_sum
from graphrt.ops.math.segments import unsorted_segment_sum
from graphrt.ops.ragged.tensor import RaggedTensor
from graphrt.ops.sparse.functions import reorder
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import as_dtype, float32, int32, int64, string
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.shape import dims_of

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "VarLenFeature",
    "decode_json_example", "parse_example", "parse_sequence_example", "parse_single_example",
    "parse_single_sequence_example",
]  # fmt: skip


# --- what is said of features ----------------------------------------------------------------------------------------
class VarLenFeature(NamedTuple):
    """A feature with any number of values, parsed as a sparse tensor.

    >>> import graphrt as tf
    >>> tf.io.VarLenFeature(tf.int64)
    VarLenFeature(dtype=tf.int64)
    """

    dtype: Any


class FixedLenFeature(NamedTuple):
    """A feature of one shape, parsed as a tensor; without a default it must be there.

    >>> import graphrt as tf
    >>> tf.io.FixedLenFeature([2], tf.float32).shape
    [2]
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of values of one shape, parsed as a tensor that is filled up to the longest.

    >>> import graphrt as tf
    >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """Two features, one with indices and one with values, parsed as one sparse tensor.

    >>> import graphrt as tf
    >>> tf.io.SparseFeature("at", "value", tf.float32, size=10).size
    10
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class _Keyed(NamedTuple):
    key: str


class _RowSplits(_Keyed):
    pass


class _RowLengths(_Keyed):
    pass


class _RowStarts(_Keyed):
    pass


class _RowLimits(_Keyed):
    pass


class _ValueRowIds(_Keyed):
    pass


class _UniformRowLength(NamedTuple):
    length: int


class RaggedFeature(
    collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])
):
    """A feature with any number of values, parsed as a ragged tensor; `partitions` divide it further.

    >>> import graphrt as tf
    >>> tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.RowLengths("lengths")]).partitions[0].key
    'lengths'
    """

    RowSplits: ClassVar[Any] = _RowSplits
    RowLengths: ClassVar[Any] = _RowLengths
    RowStarts: ClassVar[Any] = _RowStarts
    RowLimits: ClassVar[Any] = _RowLimits
    ValueRowIds: ClassVar[Any] = _ValueRowIds
    UniformRowLength: ClassVar[Any] = _UniformRowLength

    def __new__(
        cls, dtype: Any, value_key: str | None = None, partitions: Any = (), row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> RaggedFeature:  # fmt: skip
        for one in partitions:
            if not isinstance(one, (_Keyed, _UniformRowLength)):
                raise TypeError(
                    errors.at_user_line(f"partitions must be a list of partition objects. Got {shown(partitions)}")
                )
        return super().__new__(cls, as_dtype(dtype), value_key, tuple(partitions), as_dtype(row_splits_dtype), validate)


# --- what goes into the op, and what comes out -----------------------------------------------------------------------
def _kind(dtype: Any, key: str) -> Any:
    """A dtype that features may have."""
    found = as_dtype(dtype)
    if found not in (float32, int64, string):
        raise errors.DTypeMismatchError(
            errors.at_user_line(f"feature {key} has dtype {found.name}, but features are float32, int64 or string")
        )
    return found


class _Request:
    """The keys of an op, collected from features."""

    def __init__(self, lists: bool) -> None:
        self.lists = lists  # feature lists of sequences: one dimension more
        self.sparse: dict[str, Any] = {}
        self.dense: dict[str, tuple[Any, Any, Any, bool]] = {}  # dtype, shape, default, whether it may be missing
        self.ragged: dict[str, tuple[Any, Any]] = {}

    def add(self, name: str, feature: FixedLenFeature | FixedLenSequenceFeature) -> None:
        if isinstance(feature, VarLenFeature):
            self._sparse(name, feature.dtype)
        elif isinstance(feature, SparseFeature):
            self._add_sparse(feature)
        elif isinstance(feature, RaggedFeature):
            self._add_ragged(name, feature)
        elif isinstance(feature, FixedLenFeature) and not self.lists:
            self._add_fixed(name, feature)
        elif isinstance(feature, FixedLenSequenceFeature):
            self._add_sequence(name, feature)
        else:
            raise ValueError(errors.at_user_line(f"{name}: no feature that is supported here: {shown(feature)}"))

    def _sparse(self, key: str, dtype: Any) -> None:
        if not dtype:
            raise ValueError(errors.at_user_line(f"Missing type for feature {key}."))
        kind = _kind(dtype, key)
        if self.sparse.setdefault(key, kind) is not kind:
            raise ValueError(
                errors.at_user_line(f"Conflicting type {shown(kind)} vs {shown(self.sparse[key])} for feature {key}.")
            )

    def _add_sparse(self, feature: SparseFeature) -> None:
        keys = feature.index_key if isinstance(feature.index_key, (list, tuple)) else [feature.index_key]
        for key in sorted(keys):
            self._sparse(key, int64)
        self._sparse(feature.value_key, feature.dtype)

    def _add_ragged(self, name: str, feature: RaggedFeature) -> None:
        self.ragged[feature.value_key or name] = (_kind(feature.dtype, name), feature.row_splits_dtype)
        for part in feature.partitions:
            if isinstance(part, _Keyed):
                self.ragged[part.key] = (int64, feature.row_splits_dtype)

    def _add_fixed(self, name: str, feature: FixedLenFeature) -> None:
        if not feature.dtype:
            raise ValueError(errors.at_user_line(f"Missing type for feature {name}."))
        if feature.shape is None:
            raise ValueError(errors.at_user_line(f"Missing shape for feature {name}."))
        dims: Any = dims_of(feature.shape)
        if dims and dims[0] is None:
            raise ValueError(
                errors.at_user_line(
                    f"First dimension of shape for feature {name} unknown. Consider using FixedLenSequenceFeature. "
                    f"Received feature={shown(feature)}."
                )
            )
        if dims is None or None in dims:
            raise ValueError(
                errors.at_user_line(
                    f"All dimensions of shape for feature {name} need to be known, found {feature.shape}."
                )
            )
        kind = _kind(feature.dtype, name)
        default = feature.default_value
        if default is None:
            given: Any = np.zeros(0, kind.as_numpy_dtype)
        else:
            given = as_tensor(default, kind)
            given = given if given.dims == dims else Reshape(given, np.array(dims, np.int32))
        self.dense[name] = (kind, dims, given, False)

    def _add_sequence(self, name: str, feature: FixedLenSequenceFeature) -> None:
        if feature.shape is None:
            raise ValueError(errors.at_user_line(f"Missing shape for feature {name}."))
        if not self.lists and not feature.allow_missing:
            raise ValueError(
                errors.at_user_line("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            )
        kind, dims = _kind(feature.dtype, name), dims_of(feature.shape)
        if dims is None or None in dims:
            raise ValueError(
                errors.at_user_line(
                    f"All dimensions of shape for feature {name} need to be known, found {feature.shape}."
                )
            )
        default = feature.default_value
        given = np.zeros(0, kind.as_numpy_dtype) if default is None else as_tensor(default, kind)
        self.dense[name] = (kind, dims if self.lists else (None, *dims), given, feature.allow_missing)


def _request(features: dict[Any, Any], lists: bool) -> _Request:
    found = _Request(lists)
    if not isinstance(features, Mapping):
        raise ValueError(
            errors.at_user_line(f"features must be a dictionary from names to features, found {shown(features)}")
        )
    for name in sorted(features):
        found.add(name, features[name])
    return found


class _Parsed(NamedTuple):
    """The tensors that came out, by key."""

    sparse: dict[str, Any]
    dense: dict[str, Any]
    ragged: dict[str, Any]
    lengths: dict[str, Any]


def _result(name: str, feature: FixedLenFeature | FixedLenSequenceFeature, parsed: _Parsed, single: bool) -> Tensor:
    if isinstance(feature, VarLenFeature):
        return parsed.sparse[name]
    if isinstance(feature, SparseFeature):
        return _joined(feature, parsed.sparse)
    if isinstance(feature, RaggedFeature):
        return _partitioned(parsed.ragged, feature, feature.value_key or name, single)
    return parsed.dense[name]


def _joined(feature: SparseFeature, sparse: dict[str, Any]) -> Any:
    """Indices and values as one sparse tensor; the batch comes first."""
    several = isinstance(feature.index_key, (list, tuple))
    keys = feature.index_key if several else [feature.index_key]
    sizes = feature.size if several else [feature.size]
    values = sparse[feature.value_key]
    batch = values.indices[:, :-1]
    places = concat([batch, *[expand_dims(sparse[k].values, 1) for k in keys]], 1)
    shape = concat([values.dense_shape[:-1], as_tensor(np.array(sizes, np.int64))], 0)
    made = SparseTensor(places, values.values, shape)
    return made if feature.already_sorted else reorder(made)


def _partitioned(ragged: dict[str, Any], feature: RaggedFeature, key: str, single: bool) -> Any:
    """Values divided by the partitions, the innermost first, and by the batch last."""
    values, splits = ragged[key]
    kind = feature.row_splits_dtype
    if not feature.partitions:
        return values if single else RaggedTensor.from_row_splits(values, splits, validate=False)
    made, inside = values, _lengths(values, splits, kind, single)  # how many elements each example has by now
    for part in reversed(feature.partitions):
        if isinstance(part, _UniformRowLength):
            if isinstance(made, Tensor):  # nothing is ragged yet
                made = Reshape(made, [-1, part.length, *(made.dims or ())[1:]])
            else:
                made = RaggedTensor.from_uniform_row_length(made, part.length, validate=feature.validate)
            inside = inside // part.length
            continue
        numbers, ends = ragged[part.key]
        ends = stack([0, size_(numbers)]) if single else ends
        rows = RaggedTensor.from_row_splits(cast(numbers, kind), cast(ends, kind), validate=False)
        lengths, inside = _row_lengths(part, rows, inside, kind)
        made = RaggedTensor.from_row_lengths(made, lengths, validate=feature.validate)
    return made if single else RaggedTensor.from_row_lengths(made, inside, validate=False)


def _lengths(values: Any, splits: Any, kind: Any, single: bool) -> Any:
    if single:
        return cast(expand_dims(size_(values), 0), kind)
    return splits[1:] - splits[:-1]


def _row_lengths(part: Any, rows: Any, inside: Any, kind: Any) -> tuple[Any, Any]:
    """The lengths of all rows, and how many rows each example has."""
    if isinstance(part, _RowLengths):
        return rows.flat_values, rows.row_lengths()
    if isinstance(part, _RowSplits):
        return (rows[:, 1:] - rows[:, :-1]).flat_values, rows.row_lengths() - 1
    flat, counts = rows.flat_values, rows.row_lengths()
    firsts = rows.row_splits[:-1]
    if isinstance(part, (_RowStarts, _RowLimits)):
        # the element before (or after) each one; at the edges of an example 0 (or all that is inside)
        filled = boolean_mask(firsts, counts > 0)
        edges = expand_dims(filled, 1)
        if isinstance(part, _RowLimits):
            before = tensor_scatter_nd_update(roll(flat, 1, 0), edges, zeros_like(filled))
            return flat - before, counts
        lasts = expand_dims(filled + boolean_mask(counts, counts > 0) - 1, 1)
        after = tensor_scatter_nd_update(roll(flat, -1, 0), lasts, boolean_mask(inside, counts > 0))
        return after - flat, counts
    numbers = maximum(cast(reduce_max(rows.to_tensor(-1), 1), kind) + 1, 0)
    offsets = cumsum(numbers, exclusive=True)
    whole = flat + repeat(offsets, counts)
    ones = ones_like(whole)
    return unsorted_segment_sum(ones, whole, reduce_sum(numbers)), numbers


def _sparse_of(request: _Request, found: list[Any], at: int) -> tuple[dict[str, Any], int]:
    n = len(request.sparse)
    parts = zip(request.sparse, found[at : at + n], found[at + n : at + 2 * n], found[at + 2 * n : at + 3 * n])
    return {k: SparseTensor(i, v, s) for k, i, v, s in parts}, at + 3 * n


def _keys(names: dict[Any, Any]) -> Array:
    array: Any = np.empty(len(names), object)
    array[:] = [n.encode() for n in names]
    return array


# --- public ----------------------------------------------------------------------------------------------------------
def _parse(
    serialized: TensorLike, features: dict[str, FixedLenFeature], example_names: Any, name: str | None, single: bool
) -> dict[str, Any]:
    if not features:
        raise ValueError(errors.at_user_line(f"Argument `features` cannot be None or falsy. Got {features}"))
    data = as_tensor(serialized, string)
    request = _request(features, False)
    names = np.zeros(0, object) if example_names is None else as_tensor(example_names, string)
    found = ParseExampleV2(
        data, names, _keys(request.sparse), _keys(request.dense), _keys(request.ragged),
        [d[2] for d in request.dense.values()], num_sparse=len(request.sparse),
        sparse_types=list(request.sparse.values()), Tdense=[d[0] for d in request.dense.values()],
        dense_shapes=[d[1] for d in request.dense.values()],
        ragged_value_types=[r[0] for r in request.ragged.values()],
        ragged_split_types=[r[1] for r in request.ragged.values()], name=name,
    )  # fmt: skip
    found = found if isinstance(found, list) else [found]
    sparse, at = _sparse_of(request, found, 0)
    dense = dict(zip(request.dense, found[at:]))
    at, n = at + len(dense), len(request.ragged)
    ragged = dict(zip(request.ragged, zip(found[at : at + n], found[at + n :])))
    parsed = _Parsed(sparse, dense, ragged, {})
    return {k: _result(k, features[k], parsed, single or data.dims == ()) for k in _result_order(features)}


def _result_order(features: dict[Any, Any]) -> list[str]:
    """Sparse features come first, then dense ones, then ragged ones, each in the order of their names."""
    rank = {VarLenFeature: 0, SparseFeature: 0, RaggedFeature: 2}
    return sorted(features, key=lambda k: (rank.get(type(features[k]), 1), k))


def parse_example(
    serialized: TensorLike, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Tensor | Any]:
    """Parses a vector of serialized `Example` messages into a dictionary of batched tensors.

    >>> import graphrt as tf
    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"a": feature})).SerializeToString()
    >>> tf.io.parse_example([example, example], {"a": tf.io.FixedLenFeature([2], tf.int64)})["a"].numpy().tolist()
    [[1, 2], [1, 2]]

    Raises:
      InvalidArgumentError: a message cannot be read, lacks a feature, or has one of another type or length.
      ValueError: `features` is empty, or one of them says too little.
    """
    return _parse(serialized, features, example_names, name, False)


def parse_single_example(
    serialized: TensorLike, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Tensor | Any]:
    """Parses one serialized `Example` message into a dictionary of tensors.

    >>> import graphrt as tf
    >>> feature = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"a": feature})).SerializeToString()
    >>> tf.io.parse_single_example(example, {"a": tf.io.FixedLenFeature([], tf.float32)})["a"].numpy()
    np.float32(0.5)

    Raises:
      InvalidArgumentError: the message cannot be read, lacks a feature, or has one of another type or length.
      ValueError: `serialized` is no scalar, `features` is empty, or one of them says too little.
    """
    data = as_tensor(serialized, string)
    if data.dims is not None and data.dims != ():
        raise ValueError(errors.at_user_line(f"Input serialized must be a scalar, found shape {data.shape}"))
    return _parse(data, features, example_names, name, True)


def parse_sequence_example(
    serialized: TensorLike, context_features: Any = None,
    sequence_features: dict[str, Any] | None = None, example_names: Any = None,
    name: str | None = None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Parses a vector of serialized `SequenceExample` messages: the context, the sequences, and their lengths.

    >>> import graphrt as tf
    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[v])) for v in (1, 2)]
    >>> lists = tf.train.FeatureLists(feature_list={"t": tf.train.FeatureList(feature=steps)})
    >>> data = [tf.train.SequenceExample(feature_lists=lists).SerializeToString()]
    >>> features = {"t": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> _, found, lengths = tf.io.parse_sequence_example(data, sequence_features=features)
    >>> found["t"].numpy().tolist(), lengths["t"].numpy().tolist()
    ([[1, 2]], [2])

    Raises:
      InvalidArgumentError: a message cannot be read, lacks a feature, or has one of another type or length.
      ValueError: no features are asked for.
    """
    return _parse_sequences(serialized, context_features, sequence_features, example_names, name)


def parse_single_sequence_example(
    serialized: TensorLike, context_features: Any = None,
    sequence_features: dict[str, Any] | None = None, example_name: Any = None,
    name: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Parses one serialized `SequenceExample` message: the context and the sequences.

    >>> import graphrt as tf
    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[v])) for v in (1, 2)]
    >>> lists = tf.train.FeatureLists(feature_list={"t": tf.train.FeatureList(feature=steps)})
    >>> data = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    >>> features = {"t": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> tf.io.parse_single_sequence_example(data, sequence_features=features)[1]["t"].numpy().tolist()
    [1, 2]

    Raises:
      InvalidArgumentError: the message cannot be read, lacks a feature, or has one of another type or length.
      ValueError: no features are asked for, or `serialized` is no scalar.
    """
    data = as_tensor(serialized, string)
    if data.dims is not None and data.dims != ():
        raise ValueError(errors.at_user_line(f"Input serialized must be a scalar, found shape {data.shape}"))
    return _parse_sequences(data, context_features, sequence_features, example_name, name)[:2]


def _parse_sequences(
    serialized: TensorLike, context_features: Any, sequence_features: Any, names: Any, name: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    context_features, sequence_features = context_features or {}, sequence_features or {}
    if not context_features and not sequence_features:
        raise ValueError(errors.at_user_line("Both `context_features` and `sequence_features` arguments are missing."))
    data = as_tensor(serialized, string)
    single = data.dims == ()
    one, two = _request(context_features, False), _request(sequence_features, True)
    found = ParseSequenceExampleV2(
        data, np.zeros(0, object) if names is None else as_tensor(names, string), _keys(one.sparse), _keys(one.dense),
        _keys(one.ragged), _keys(two.sparse), _keys(two.dense), _keys(two.ragged),
        np.array([d[3] for d in two.dense.values()], np.bool_), [d[2] for d in one.dense.values()],
        Ncontext_sparse=len(one.sparse), context_sparse_types=list(one.sparse.values()),
        Tcontext_dense=[d[0] for d in one.dense.values()], context_dense_shapes=[d[1] for d in one.dense.values()],
        context_ragged_value_types=[r[0] for r in one.ragged.values()],
        context_ragged_split_types=[r[1] for r in one.ragged.values()], Nfeature_list_sparse=len(two.sparse),
        Nfeature_list_dense=len(two.dense), feature_list_sparse_types=list(two.sparse.values()),
        feature_list_dense_types=[d[0] for d in two.dense.values()],
        feature_list_dense_shapes=[d[1] for d in two.dense.values()],
        feature_list_ragged_value_types=[r[0] for r in two.ragged.values()],
        feature_list_ragged_split_types=[r[1] for r in two.ragged.values()], name=name,
    )  # fmt: skip
    found = found if isinstance(found, list) else [found]
    sparse, at = _sparse_of(one, found, 0)
    dense = dict(zip(one.dense, found[at:]))
    at, n = at + len(one.dense), len(one.ragged)
    ragged = dict(zip(one.ragged, zip(found[at : at + n], found[at + n : at + 2 * n])))
    at += 2 * n
    context = _Parsed(sparse, dense, ragged, {})
    sparse, at = _sparse_of(two, found, at)
    n = len(two.dense)
    dense, lengths = dict(zip(two.dense, found[at:])), dict(zip(two.dense, found[at + n : at + 2 * n]))
    at, n = at + 2 * n, len(two.ragged)
    rows = zip(found[at : at + n], found[at + n : at + 2 * n], found[at + 2 * n :])
    lists = {
        key: RaggedTensor.from_row_splits(values, inner, validate=False)
        if single
        else RaggedTensor.from_nested_row_splits(values, [outer, inner], validate=False)
        for key, (values, outer, inner) in zip(two.ragged, rows)
    }
    rest = _Parsed(sparse, dense, {}, {})
    sequences = {}
    for k in _result_order(sequence_features):
        feature = sequence_features[k]
        ragged_one = isinstance(feature, RaggedFeature)
        sequences[k] = lists[feature.value_key or k] if ragged_one else _result(k, feature, rest, single)
    first = {k: _result(k, context_features[k], context, single) for k in _result_order(context_features)}
    return first, sequences, lengths


def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """`Example` messages written as JSON, as serialized messages.

    >>> import graphrt as tf
    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": [1]}}}}}'
    >>> data = tf.io.decode_json_example(text)
    >>> tf.io.parse_single_example(data, {"a": tf.io.FixedLenFeature([], tf.int64)})["a"].numpy()
    np.int64(1)

    Raises:
      InvalidArgumentError: the text is no such message.
    """
    return DecodeJSONExample(json_examples, name=name)
