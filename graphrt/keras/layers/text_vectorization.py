"""`TextVectorization`: texts as indices of their words.

"The cat, the hat!"  ->  the cat the hat  ->  2 4 2 3  ->  2 4 2 3 0 0      (output_sequence_length=6)
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

import graphrt as tf
from graphrt.keras.layers.base import Layer
from graphrt.keras.layers.lookup import StringLookup, batches_of
from graphrt.keras.layers.options import LayerOptions
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown

__all__ = ["TextVectorization"]

_STANDARDIZE = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLIT = ("whitespace", "character")
_PUNCTUATION = "[" + "".join(f"\\{c}" for c in string.punctuation) + "]"


class TextVectorization(Layer):
    """Texts as indices of their words, or as vectors; the words are given, or learned by `adapt`.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.TextVectorization(output_sequence_length=4)
    >>> layer.adapt(["foo bar", "bar baz!"])
    >>> layer.get_vocabulary()
    ['', '[UNK]', 'bar', 'foo', 'baz']
    >>> layer(["Foo qux bar"]).numpy().tolist()
    [[3, 1, 2, 0]]

    Raises:
      ValueError: arguments contradict each other, or there is no vocabulary when it is called.
    """

    def __init__(
        self, max_tokens: int | None = None,
        standardize: str | Callable[..., Any] | None = "lower_and_strip_punctuation",
        split: str | Callable[..., Any] | None = "whitespace", ngrams: int | Sequence[int] | None = None,
        output_mode: str = "int", output_sequence_length: int | None = None, pad_to_max_tokens: bool = False,
        vocabulary: Sequence[str] | str | None = None, idf_weights: TensorLike | None = None, sparse: bool = False,
        ragged: bool = False, encoding: str = "utf-8", vocabulary_size: int | None = None, **kwargs: Unpack[LayerOptions],
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.max_tokens, self.standardize, self.split = max_tokens, standardize, split
        self.ngrams, self.output_mode, self.encoding = ngrams, output_mode, encoding
        self.output_sequence_length, self.pad_to_max_tokens = output_sequence_length, pad_to_max_tokens
        self.sparse, self.ragged = sparse, ragged
        self._check_own_arguments()
        self.autocast = False
        self._lookup = StringLookup(
            max_tokens=max_tokens, vocabulary=vocabulary, idf_weights=idf_weights, pad_to_max_tokens=pad_to_max_tokens,
            dtype=self.dtype, mask_token="", output_mode=output_mode, sparse=sparse, encoding=encoding,
        )  # fmt: skip

    def _check_own_arguments(self) -> None:
        for name, value, known in (("standardize", self.standardize, _STANDARDIZE), ("split", self.split, _SPLIT)):
            if value is not None and not callable(value) and value not in known:
                raise ValueError(f"`{name}` is None, a callable, or one of {known}; found {shown(value)}")
        if self.output_mode not in ("int", "multi_hot", "count", "tf_idf"):
            raise ValueError(f"Unknown arg for output_mode: {shown(self.output_mode)}")
        if self.ragged and self.output_mode != "int":
            raise ValueError("`ragged` must not be true if `output_mode` is not `'int'`. Received: "
                             f"ragged={self.ragged} and output_mode={self.output_mode}")  # fmt: skip
        if self.output_sequence_length is not None and self.output_mode != "int":
            raise ValueError(
                f"`output_sequence_length` must not be set if `output_mode` is not 'int'. Received: "
                f"output_sequence_length={self.output_sequence_length}."
            )

    # --- the vocabulary ---
    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The words, by index."""
        return self._lookup.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """How many indices there are."""
        return self._lookup.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: TensorLike | None = None) -> None:
        """Replaces the vocabulary by words, or by the lines of a file."""
        self._lookup.set_vocabulary(vocabulary, idf_weights)

    def reset_state(self) -> None:
        """Forgets what was counted."""
        self._lookup.reset_state()

    def update_state(self, data: Any) -> None:
        """Counts the words of a batch of texts."""
        self._lookup.update_state(self._words(_texts(data)))

    def finalize_state(self) -> None:
        """Makes a vocabulary of what was counted."""
        self._lookup.finalize_state()

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learns the vocabulary of texts, or of a dataset of them, in place of the one before."""
        self.reset_state()
        for batch in batches_of(data, steps):
            self.update_state(batch)
        self.finalize_state()

    # --- texts ---
    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, (list, tuple, np.ndarray, str, bytes)):
            inputs = _texts(inputs)
        return super().__call__(inputs, *args, **kwargs)

    def _words(self, texts: Any) -> Any:
        """The words of texts: a ragged tensor where they are split."""
        if self.standardize in ("lower", "lower_and_strip_punctuation"):
            texts = tf.strings.lower(texts)
        if self.standardize in ("strip_punctuation", "lower_and_strip_punctuation"):
            texts = tf.strings.regex_replace(texts, _PUNCTUATION, "")
        if callable(self.standardize):
            texts = self.standardize(texts)
        if self.split is not None:
            if len(texts.shape) > 1:
                if texts.shape[-1] != 1:
                    raise ValueError(
                        "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape "
                        f"dimension must be 1. Received: inputs.shape={texts.shape} with rank={len(texts.shape)}"
                    )
                texts = tf.squeeze(texts, -1)
            if self.split == "whitespace":
                texts = tf.strings.split(texts)
            elif self.split == "character":
                texts = tf.strings.unicode_split(texts, "UTF-8")
            else:
                texts = self.split(texts)  # type: ignore[operator]
        if self.ngrams is not None:
            widths = tuple(range(1, self.ngrams + 1)) if isinstance(self.ngrams, int) else tuple(self.ngrams)
            texts = tf.strings.ngrams(texts, ngram_width=widths, separator=" ")
        return texts

    def call(self, inputs: Any) -> Any:
        """The indices, or vectors."""
        found = self._lookup(self._words(inputs))
        if self.output_mode != "int":
            return found
        length = self.output_sequence_length
        if self.ragged:
            return found if length is None else found[..., :length]
        if isinstance(found, tf.RaggedTensor):
            shape = [None] * (len(found.shape) - 1) + [length]
            return found.to_tensor(default_value=0, shape=shape)
        return found if length is None else _of_length(found, length)

    # --- keeping ---
    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer, with the vocabulary it has."""
        config = super().get_config()
        own = self._lookup.get_config()
        return {**config, **{k: own[k] for k in ("vocabulary", "idf_weights")},
                "vocabulary_size": self.vocabulary_size()}  # fmt: skip

    def save_assets(self, dir_path: str) -> None:
        """Writes the vocabulary into a file of a folder."""
        self._lookup.save_assets(dir_path)

    def load_assets(self, dir_path: str) -> None:
        """Reads what `save_assets` wrote."""
        self._lookup.load_assets(dir_path)


def _texts(data: Any) -> Any:
    if isinstance(data, (Tensor, tf.RaggedTensor)):
        return data
    return tf.convert_to_tensor(np.asarray(data, object) if isinstance(data, np.ndarray) else data, tf.string)


def _of_length(found: Tensor, length: int) -> Tensor:
    """The last dimension cut, or filled with zeros, to a length."""
    cut = found[..., :length]
    missing = length - tf.shape(cut)[-1]
    edges = tf.concat([tf.zeros([len(cut.shape) - 1, 2], tf.int32), [[0, missing]]], 0)
    wide = tf.pad(cut, edges)
    wide.set_shape([*cut.shape[:-1], length])
    return wide
