"""Layers that look up tokens in a vocabulary: `StringLookup`, `IntegerLookup`.

    tokens        "a"  "b"  "a"  "z"
    vocabulary    [UNK] a b                 what is given, or what `adapt` has counted, the most frequent first
    indices       1    2    1    0          or vectors of them: one_hot, multi_hot, count, tf_idf

Before the tokens stand, in `int` mode, the mask token (if there is one) and the indices for tokens that are not in the
vocabulary; the other modes have no place for the mask.
"""

from __future__ import annotations

import abc
import collections
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Unpack

import numpy as np

import graphrt as tf
from graphrt.keras.layers.base import Layer
from graphrt.keras.layers.options import LayerOptions
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown

__all__ = ["IntegerLookup", "StringLookup"]

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


def mapped(value: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """`function` of the elements of a tensor, which may be ragged or sparse."""
    if isinstance(value, tf.RaggedTensor):
        return value.with_flat_values(function(value.flat_values))
    if isinstance(value, tf.SparseTensor):
        return tf.SparseTensor(value.indices, function(value.values), value.dense_shape)
    return function(value)


def batches_of(data: Any, steps: int | None = None) -> Iterable[Any]:
    """What `adapt` is given, part by part: the batches of a dataset, or an array at once."""
    if isinstance(data, tf.data.Dataset):
        return iter(data if steps is None else data.take(steps))
    return iter([data if isinstance(data, (Tensor, tf.RaggedTensor, tf.SparseTensor)) else tf.convert_to_tensor(data)])


class _Lookup(Layer, abc.ABC):
    """What both have in common.

    Attributes:
      tokens: the vocabulary without special tokens, as Python values; None before there is one.
    """

    _key: tf.DType = tf.string
    _takes_sparse = True

    def __init__(
        self, max_tokens: int | None, num_oov_indices: int, mask_token: Any, oov_token: Any, vocabulary: Any,
        idf_weights: Any, invert: bool, output_mode: str, sparse: bool, pad_to_max_tokens: bool,
        **kwargs: Unpack[LayerOptions],
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.max_tokens, self.num_oov_indices = max_tokens, num_oov_indices
        for token, what in ((mask_token, "mask_token"), (oov_token, "oov_token")):
            if isinstance(token, (list, tuple, dict, set)):
                raise ValueError(f"`{what}` must be one token, or None, found {shown(token)}")
        self.mask_token, self.oov_token = mask_token, oov_token
        self.invert, self.output_mode = invert, output_mode
        self._numbers = tf.as_dtype(self.dtype if output_mode == "tf_idf" else "int64")  # whatever the layer's dtype is
        self.sparse, self.pad_to_max_tokens = sparse, pad_to_max_tokens
        self._check_arguments(vocabulary, idf_weights)
        self.tokens: list[Any] | None = None
        self.idf: np.ndarray[Any, Any] | None = None
        self._table: Any = None
        self.reset_state()
        self.autocast = False
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def _check_arguments(self, vocabulary: Any, idf_weights: Any) -> None:
        if self.max_tokens is not None and self.max_tokens <= 1:
            raise ValueError(f"If set, `max_tokens` must be greater than 1. Received: max_tokens={self.max_tokens}")
        if self.pad_to_max_tokens and self.max_tokens is None:
            raise ValueError("If pad_to_max_tokens is True, must set `max_tokens`.")
        if self.num_oov_indices < 0:
            raise ValueError(
                "`num_oov_indices` must be greater than or equal to 0. "
                f"Received: num_oov_indices={self.num_oov_indices}"
            )
        if self.output_mode not in MODES:
            raise ValueError(f"Unknown arg for output_mode: {shown(self.output_mode)}; expected one of {MODES}")
        if self.invert and self.output_mode != "int":
            raise ValueError(
                f"`output_mode` must be `'int'` when `invert` is true. Received: {shown(self.output_mode)}"
            )
        if self.sparse and self.output_mode == "int":
            raise ValueError("`sparse` may only be true if `output_mode` is `'one_hot'`, `'multi_hot'`, `'count'` or "
                             f"`'tf_idf'`. Received: sparse={self.sparse} and output_mode={self.output_mode}")  # fmt: skip
        if idf_weights is not None and self.output_mode != "tf_idf":
            raise ValueError("`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: "
                             f"idf_weights={idf_weights} and output_mode={self.output_mode}")  # fmt: skip
        if vocabulary is not None and self.output_mode == "tf_idf" and idf_weights is None:
            raise ValueError("`idf_weights` must be set if output_mode is 'tf_idf' and a vocabulary is given")

    # --- the vocabulary ---
    @property
    def _special(self) -> list[Any]:
        """The tokens before those of the vocabulary."""
        mask = [self.mask_token] if self.mask_token is not None and self.output_mode == "int" else []
        return mask + [self.oov_token] * self.num_oov_indices

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The tokens, by index.

        Args:
          include_special_tokens: whether those that stand for the mask and for unknown tokens are among them.
        """
        known = list(self.tokens or ())
        if not include_special_tokens:
            return known
        if self.tokens is None:
            return self._special
        return self._special + known

    def vocabulary_size(self) -> int:
        """How many indices there are, those of special tokens counted."""
        return len(self._special) + len(self.tokens or ())

    def set_vocabulary(self, vocabulary: Any, idf_weights: TensorLike | None = None) -> None:
        """Replaces the vocabulary by tokens, or by the lines of a file; special tokens may stand at its beginning.

        Raises:
          ValueError: a token stands there twice, or special tokens are not where they belong; the vocabulary is empty, or
            too long; weights are missing, or there are not as many.
        """
        tokens = self._read(vocabulary)
        repeated = sorted({t for t, n in collections.Counter(tokens).items() if n > 1 and t != self.oov_token}, key=str)
        if repeated:
            raise ValueError(
                "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The repeated terms "
                f"are: {repeated}"
            )
        weights = None if idf_weights is None else np.asarray(idf_weights, np.float32)
        rest = self._without_special(tokens)
        if not rest:
            raise ValueError("Cannot set an empty vocabulary. Received: vocabulary=[]")
        if self.max_tokens is not None and len(self._special) + len(rest) > self.max_tokens:
            raise ValueError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary size is "
                f"{len(self._special) + len(rest)}; `max_tokens` is {self.max_tokens}."
            )
        if self.output_mode == "tf_idf":
            if weights is None:
                raise ValueError("`idf_weights` must be set if output_mode is 'tf_idf'.")
            if len(weights) not in (len(tokens), len(rest)):
                raise ValueError(
                    "`idf_weights` must be the same length as vocabulary. "
                    f"len(idf_weights) is {len(weights)}; len(vocabulary) is {len(tokens)}"
                )
            weights = self._padded(weights[len(weights) - len(rest) :])
        self._install(rest, weights)

    def _padded(self, weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Weights of the tokens with those of unknown tokens, which have the mean, before them."""
        mean = np.mean(weights, dtype=np.float32)
        return np.concatenate([np.full(self.num_oov_indices, mean, np.float32), weights])

    def _without_special(self, tokens: list[Any]) -> list[Any]:
        special = self._special
        mask = [self.mask_token] if self.mask_token is not None else []
        for begin in (special, mask + [self.oov_token] * self.num_oov_indices, [self.oov_token]):
            if begin and tokens[: len(begin)] == begin:
                tokens = tokens[len(begin) :]
                break
        else:
            if special and special[0] == self.mask_token and tokens[:1] == special[:1]:
                raise ValueError(
                    f"Found reserved mask token {shown(self.mask_token)} at index 0, but the reserved OOV token "
                    f"{shown(self.oov_token)} is not at the places after it: {tokens[: len(special)]!r}"
                )
        for token, what in ((self.oov_token, "OOV"), (self.mask_token, "mask")):
            if token is not None and token in tokens and (what == "mask" or self.invert):
                raise ValueError(
                    f"Found reserved {what} token at unexpected location in `vocabulary`. Note that passed `vocabulary` "
                    f"does not need to include the OOV and mask tokens. Either remove all mask and OOV tokens, or include "
                    f"them only at the start of the vocabulary in precisely this order: {special}. Received: "
                    f"{what}_token={token} at vocabulary index {tokens.index(token)}"
                )
        return tokens

    def _read(self, vocabulary: Any) -> list[Any]:
        if isinstance(vocabulary, str):
            with tf.io.gfile.GFile(vocabulary, "r") as file:
                lines = [line.rstrip("\r\n") for line in file]
            return [self._token(line) for line in lines]
        if isinstance(vocabulary, (Tensor, tf.Variable)):
            vocabulary = vocabulary.numpy()
        return [self._token(v) for v in np.asarray(vocabulary, object).reshape(-1).tolist()]

    @abc.abstractmethod
    def _token(self, value: Any) -> Any:
        """A token as Python has it."""

    def _install(self, tokens: list[Any], weights: np.ndarray[Any, Any] | None) -> None:
        first = len(self._special)
        with tf.init_scope():
            keys = tf.constant(tokens, self._key)
            places = tf.range(first, first + len(tokens), dtype=tf.int64)
            if self.invert:
                mask = self.mask_token is not None
                if mask:
                    keys = tf.concat([tf.constant([self.mask_token], self._key), keys], 0)
                    places = tf.concat([tf.constant([0], tf.int64), places], 0)
                unknown = tf.constant(self.oov_token if self.oov_token is not None else -1, self._key)
                self._table = tf.lookup.StaticHashTable(
                    tf.lookup.KeyValueTensorInitializer(places, keys), unknown
                )  # fmt: skip
            else:
                if self.mask_token is not None and self.output_mode == "int":
                    keys = tf.concat([tf.constant([self.mask_token], self._key), keys], 0)
                    places = tf.concat([tf.constant([0], tf.int64), places], 0)
                self._table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, places), -1)
        self.tokens, self.idf = tokens, weights

    # --- learning one ---
    def reset_state(self) -> None:
        """Forgets what was counted."""
        self._counts: collections.Counter[Any] = collections.Counter()
        self._in_documents: collections.Counter[Any] = collections.Counter()
        self._documents = 0

    def update_state(self, data: Any) -> None:
        """Counts the tokens of a batch; each row is a document."""
        rows = data.to_list() if isinstance(data, tf.RaggedTensor) else None
        if rows is None:
            if isinstance(data, tf.SparseTensor):
                data = tf.sparse.to_dense(data)
            array = np.asarray(data if not isinstance(data, Tensor) else data.numpy())
            rows = array.reshape(len(array) if array.ndim else 1, -1).tolist()
        for row in rows:
            tokens = [self._token(t) for t in (row if isinstance(row, list) else [row])]
            self._counts.update(tokens)
            self._in_documents.update(set(tokens))
            self._documents += 1

    def finalize_state(self) -> None:
        """Makes a vocabulary of what was counted, the most frequent tokens first."""
        if not self._documents:
            return
        reserved = {self.mask_token, self.oov_token} - {None}
        counted = [t for t in self._counts if t not in reserved]
        tokens = sorted(counted, key=lambda t: (self._counts[t], _sortable(t)), reverse=True)
        if self.max_tokens is not None:
            tokens = tokens[: self.max_tokens - len(self._special)]
        weights = None
        if self.output_mode == "tf_idf":
            weights = np.array(
                [math.log(1 + self._documents / (1 + self._in_documents[t])) for t in tokens], np.float32
            )
            weights = self._padded(weights)
        self._install(tokens, weights)
        self.reset_state()

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learns the vocabulary of an array or a dataset, in place of the one before."""
        self.reset_state()
        for batch in batches_of(data, steps):
            self.update_state(batch)
        self.finalize_state()

    # --- looking up ---
    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, (list, tuple, np.ndarray, str, bytes, int)):
            wanted = tf.int64 if self.invert else self._key
            inputs = tf.convert_to_tensor(inputs) if isinstance(inputs, np.ndarray) else tf.constant(inputs, wanted)
        return super().__call__(inputs, *args, **kwargs)

    def call(self, inputs: Any) -> Any:
        """Indices of tokens, tokens of indices, or vectors."""
        if self._table is None:
            raise ValueError(
                "You must set the layer's vocabulary before calling it. Either pass a `vocabulary` argument to "
                f"{self.name!r}, or call `layer.adapt(dataset)` with some sample data."
            )
        if self.invert:
            return mapped(inputs, lambda x: self._table.lookup(tf.cast(x, tf.int64)))
        found = mapped(inputs, self._indices)
        return found if self.output_mode == "int" else self._encoded(found)

    def _indices(self, tokens: Tensor) -> Tensor:
        keys = tokens if tokens.dtype is self._key else tf.cast(tokens, self._key)
        found = self._table.lookup(keys)
        first = len(self._special) - self.num_oov_indices
        if self.num_oov_indices == 0:
            unknown = tf.reduce_any(found < 0)
            message = "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values, consider setting "
            with tf.control_dependencies([tf.debugging.Assert(~unknown, [message + "`num_oov_indices=1`.", keys])]):
                return tf.identity(found)
        if self.num_oov_indices == 1:
            return tf.where(found < 0, tf.constant(first, tf.int64), found)
        return tf.where(found < 0, self._bucket(keys) + first, found)

    @abc.abstractmethod
    def _bucket(self, keys: Tensor) -> Tensor:
        """Which of several indices an unknown token has."""

    def _encoded(self, found: Any) -> Any:
        depth = self.vocabulary_size()
        if self.pad_to_max_tokens and self.max_tokens is not None:
            depth = self.max_tokens
        dtype = self._numbers
        if isinstance(found, tf.SparseTensor):
            found = tf.RaggedTensor.from_sparse(found)
        if isinstance(found, tf.RaggedTensor):
            hot = tf.reduce_sum(tf.ragged.map_flat_values(tf.one_hot, found, depth, dtype=dtype), axis=1)
            hot = hot.to_tensor() if isinstance(hot, tf.RaggedTensor) else hot
        else:
            hot = self._dense(found, depth, dtype)
        if self.output_mode == "multi_hot":
            hot = tf.cast(hot > 0, dtype)
        if self.output_mode == "tf_idf":
            weights = np.zeros(depth, np.float32)
            weights[: len(self.idf)] = self.idf  # type: ignore[arg-type]
            hot = hot * tf.cast(weights, dtype)
        return tf.sparse.from_dense(hot) if self.sparse else hot

    def _dense(self, found: Tensor, depth: int, dtype: tf.DType) -> Tensor:
        hot = tf.one_hot(found, depth, dtype=dtype)
        rank = found.shape.rank
        if self.output_mode == "one_hot":
            return tf.squeeze(hot, -2) if rank and found.shape[-1] == 1 else hot
        return hot if rank == 0 else tf.reduce_sum(hot, axis=-2)

    # --- keeping ---
    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer, with the vocabulary it has."""
        config = super().get_config()
        weights = None
        if self.idf is not None:
            weights = self.idf[self.num_oov_indices :].tolist()
        size = self.vocabulary_size() if self.tokens is not None else None
        return {**config, "vocabulary": self.tokens, "idf_weights": weights, "vocabulary_size": size}

    def save_assets(self, dir_path: str) -> None:
        """Writes the vocabulary into a file of a folder."""
        with tf.io.gfile.GFile(tf.io.gfile.join(dir_path, "vocabulary.txt"), "w") as file:
            file.write("\n".join(map(str, self.get_vocabulary())))

    def load_assets(self, dir_path: str) -> None:
        """Reads what `save_assets` wrote."""
        self.set_vocabulary(tf.io.gfile.join(dir_path, "vocabulary.txt"))


def _plain_hashing(method: str, salt: object) -> None:
    if method != "floormod" or salt is not None:
        raise ValueError(
            f"`oov_method` is 'floormod' and `salt` None here: tokens that are not known are told apart by one hash. Found "
            f"oov_method={shown(method)}, salt={shown(salt)}"
        )


def _sortable(token: Any) -> Any:
    return token.encode("utf-8", "surrogateescape") if isinstance(token, str) else token


class StringLookup(_Lookup):
    """Strings as indices of a vocabulary, or as vectors; with `invert`, indices as strings.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> layer([["a", "z", "b"]]).numpy().tolist()
    [[1, 0, 2]]
    >>> layer = tf.keras.layers.StringLookup(output_mode="count")
    >>> layer.adapt(["x", "y", "x"])
    >>> layer.get_vocabulary(), layer([["x", "x", "y"]]).numpy().tolist()
    (['[UNK]', 'x', 'y'], [[0, 2, 1]])

    Args:
      vocabulary_size, oov_method, salt: what configurations of Keras tell; only `floormod` and no salt are known.

    Raises:
      ValueError: arguments contradict each other, or there is no vocabulary when it is called.
    """

    _key = tf.string

    def __init__(
        self, max_tokens: int | None = None, num_oov_indices: int = 1, mask_token: str | None = None,
        oov_token: str = "[UNK]", vocabulary: Sequence[str] | str | None = None, idf_weights: TensorLike | None = None,
        invert: bool = False, output_mode: str = "int", pad_to_max_tokens: bool = False, sparse: bool = False,
        encoding: str = "utf-8", vocabulary_size: int | None = None, oov_method: str = "floormod", salt: None = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:  # fmt: skip
        self.encoding = encoding
        _plain_hashing(oov_method, salt)
        super().__init__(
            max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, idf_weights, invert, output_mode, sparse,
            pad_to_max_tokens, **kwargs
        )  # fmt: skip

    def _token(self, value: Any) -> Any:
        return value.decode(self.encoding, "surrogateescape") if isinstance(value, bytes) else str(value)

    def _bucket(self, keys: Tensor) -> Tensor:
        return tf.strings.to_hash_bucket_fast(keys, self.num_oov_indices)


class IntegerLookup(_Lookup):
    """Integers as indices of a vocabulary, or as vectors; with `invert`, indices as integers.

    >>> import graphrt as tf
    >>> tf.keras.layers.IntegerLookup(vocabulary=[10, 20])([20, 5]).numpy().tolist()
    [2, 0]

    Args:
      vocabulary_size, oov_method, salt: what configurations of Keras tell; only `floormod` and no salt are known.

    Raises:
      ValueError: arguments contradict each other, or there is no vocabulary when it is called.
    """

    _key = tf.int64

    def __init__(
        self, max_tokens: int | None = None, num_oov_indices: int = 1, mask_token: int | None = None,
        oov_token: int = -1, vocabulary: Sequence[int] | str | None = None, vocabulary_dtype: str = "int64",
        idf_weights: TensorLike | None = None, invert: bool = False, output_mode: str = "int", sparse: bool = False,
        pad_to_max_tokens: bool = False, vocabulary_size: int | None = None, oov_method: str = "floormod",
        salt: None = None, **kwargs: Unpack[LayerOptions],
    ) -> None:  # fmt: skip
        _plain_hashing(oov_method, salt)
        if vocabulary_dtype not in ("int32", "int64"):
            raise ValueError(f"`vocabulary_dtype` must be 'int32' or 'int64', found {shown(vocabulary_dtype)}")
        self.vocabulary_dtype = vocabulary_dtype
        super().__init__(
            max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, idf_weights, invert, output_mode, sparse,
            pad_to_max_tokens, **kwargs
        )  # fmt: skip

    def _token(self, value: Any) -> Any:
        return int(value)

    def _bucket(self, keys: Tensor) -> Tensor:
        return tf.math.floormod(keys, self.num_oov_indices)
