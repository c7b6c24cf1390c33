"""Attention: each query takes a mean of values, weighted by how well their keys fit it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack

import graphrt as tf
from graphrt.keras import constraints, initializers, ops, random, regularizers
from graphrt.keras.configurable import serialize
from graphrt.keras.layers.base import Layer
from graphrt.keras.layers.core import EinsumDense
from graphrt.keras.layers.options import LayerOptions
from graphrt.keras.masks import mask_of
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import ShapeLike, TensorLike
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.keras.initializers import GlorotUniform, Zeros

__all__ = [
    "AdditiveAttention",
    "Attention",
    "MultiHeadAttention",
]


def _hidden(scores: Any) -> float:
    """What is taken from scores that must not count."""
    return 65504.0 if scores.dtype == tf.float16 else 1.0e9


class Attention(Layer):
    """Dot-product attention on `[query, value]` or `[query, value, key]`, each (batch, steps, features).

    >>> import graphrt as tf
    >>> tf.keras.layers.Attention()([tf.ones([1, 2, 3]), tf.ones([1, 4, 3])]).shape
    TensorShape([1, 2, 3])

    Raises:
      ValueError: the inputs are no list of two or three, or `score_mode` is not known.
    """

    def __init__(
        self, use_scale: bool = False, score_mode: str = "dot", dropout: float = 0.0, seed: int | None = None,
        **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if score_mode not in ("dot", "concat"):
            raise ValueError(f"Invalid value for argument score_mode. Expected one of {{'dot', 'concat'}}. "
                             f"Received: score_mode={score_mode}")  # fmt: skip
        self.use_scale, self.score_mode, self.dropout, self.seed = use_scale, score_mode, dropout, seed
        if dropout > 0:
            self.seed_generator = random.SeedGenerator(seed)
        self.supports_masking = True
        self.scale: Any = None
        self.concat_score_weight: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the scale, if wanted."""
        _three(input_shape, self.name)
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(name="concat_score_weight", shape=(), initializer="ones")

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        if self.score_mode == "dot":
            scores = tf.matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        total = tf.expand_dims(query, -2) + tf.expand_dims(key, -3)
        if self.scale is not None:
            total *= self.scale
        return self.concat_score_weight * tf.reduce_sum(tf.tanh(total), axis=-1)

    def call(
        self, inputs: Any, mask: Any = None, return_attention_scores: bool = False, training: Any = False,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """The weighted means of the values, and the weights if asked for."""
        query, value, key = _three(inputs, self.name)
        if mask is not None and (not isinstance(mask, (list, tuple)) or not 2 <= len(mask) <= 3):
            raise ValueError(
                f"The mask of layer {self.name!r} must be a list of length 2 or 3, namely [query_mask, value_mask]. "
                f"Received: mask={mask}."
            )
        scores = self._scores(query, key)
        allowed = None
        value_mask = mask[1] if mask is not None and len(mask) > 1 else None
        if value_mask is not None:
            allowed = tf.expand_dims(tf.cast(value_mask, tf.bool), -2)
        if use_causal_mask:
            rows, columns = tf.shape(scores)[-2], tf.shape(scores)[-1]
            causal = tf.expand_dims(tf.range(rows)[:, None] >= tf.range(columns)[None, :], 0)
            allowed = causal if allowed is None else tf.logical_and(allowed, causal)
        if allowed is not None:
            scores -= _hidden(scores) * tf.cast(tf.logical_not(allowed), scores.dtype)
        weights = tf.nn.softmax(scores, axis=-1)
        if training and self.dropout > 0:
            weights = random.dropout(weights, self.dropout, seed=self.seed_generator)
        result = tf.matmul(weights, value)
        query_mask = mask[0] if mask is not None else None
        if query_mask is not None:
            result *= tf.cast(tf.expand_dims(query_mask, -1), result.dtype)
        return (result, weights) if return_attention_scores else result

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """The mask of the queries."""
        if not isinstance(mask, (list, tuple)) or mask[0] is None:
            return None
        return ops.convert_to_tensor(mask[0])


def _three(inputs: Any, name: str) -> tuple[Any, Any, Any]:
    if not isinstance(inputs, list) or not 2 <= len(inputs) <= 3:
        raise ValueError(
            f"Layer {shown(name)} must be called on a list of inputs of length 2 or 3: [query, value] or "
            f"[query, value, key]. Received: {inputs}."
        )
    return inputs[0], inputs[1], inputs[2] if len(inputs) > 2 else inputs[1]


class AdditiveAttention(Attention):
    """Attention whose scores are sums of tanh(query + key), times the weight `scale`.

    >>> import graphrt as tf
    >>> tf.keras.layers.AdditiveAttention()([tf.ones([1, 2, 3]), tf.ones([1, 4, 3])]).shape
    TensorShape([1, 2, 3])

    Raises:
      ValueError: the inputs are no list of two or three.
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer, the seed among them."""
        return {**super().get_config(), "seed": serialize(self.seed)}

    def build(self, input_shape: Any) -> None:
        """Makes the scale, if wanted."""
        _three(input_shape, self.name)
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=(input_shape[0][-1],), initializer="glorot_uniform")

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        total = tf.tanh(tf.expand_dims(query, -2) + tf.expand_dims(key, -3))
        return tf.reduce_sum(total if self.scale is None else self.scale * total, axis=-1)


class MultiHeadAttention(Layer):
    """Attention in several learned projections at once; call it with `query`, `value` and, if it differs, `key`.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    >>> layer(tf.ones([1, 3, 8]), tf.ones([1, 5, 8])).shape
    TensorShape([1, 3, 8])

    Raises:
      ValueError: a size is not positive; `use_gate` or `sliding_window` are asked for.
    """

    __saved_names__ = MappingProxyType(
        {f"{name}_dense": f"_{name}_dense" for name in ("query", "key", "value", "output")}
    )
    _told_if_other = frozenset({"flash_attention"})

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | Sequence[int] | None = None,
        attention_axes: Any = None,
        sliding_window: None = None,
        flash_attention: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        for name, value in (("num_heads", num_heads), ("key_dim", key_dim)):
            if value <= 0:
                raise ValueError(f"`{name}` of layer {self.name!r} must be a positive integer. Received: {value}")
        if use_gate or sliding_window is not None:
            raise ValueError(
                f"layer {self.name!r} has no gates and looks at all steps: `use_gate` must be False and `sliding_window` "
                f"None, found use_gate={shown(use_gate)}, sliding_window={shown(sliding_window)}"
            )
        self.use_gate, self.sliding_window = False, None
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim or key_dim
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self.output_shape = (output_shape,) if isinstance(output_shape, int) else output_shape
        self.attention_axes = (attention_axes,) if isinstance(attention_axes, int) else attention_axes
        self.flash_attention = flash_attention
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        if dropout > 0:
            self.seed_generator = random.SeedGenerator(seed)
        self.supports_masking = True

    def _dense(self, equation: str, shape: ShapeLike, bias_axes: str, name: str) -> EinsumDense:
        def again(initializer: Any) -> GlorotUniform | Zeros:  # each projection begins with numbers of its own
            return type(initializer).from_config(initializer.get_config())

        return EinsumDense(
            equation, output_shape=shape, bias_axes=bias_axes if self.use_bias else None, name=name,
            kernel_initializer=again(self.kernel_initializer), bias_initializer=again(self.bias_initializer),
            kernel_regularizer=self.kernel_regularizer, bias_regularizer=self.bias_regularizer,
            kernel_constraint=self.kernel_constraint, bias_constraint=self.bias_constraint, dtype=self.dtype,
        )  # fmt: skip

    def build(self, query_shape: Any, value_shape: Any, key_shape: Any = None) -> None:  # type: ignore[override]
        """Makes the projections of queries, keys, values and of the output."""
        key_shape = value_shape if key_shape is None else key_shape
        rank = len(query_shape)
        free = "abcdefgh"[: rank - 1]
        into = f"{free}x,xyz->{free}yz"
        rest = [None] * (rank - 2)
        if self.attention_axes is None:
            self.attention_axes = tuple(range(1, rank - 1))
        heads = self.num_heads
        self.query_dense = self._dense(into, [*rest, heads, self.key_dim], "yz", "query")
        self.query_dense.build(query_shape)
        self.key_dense = self._dense(into, [*rest, heads, self.key_dim], "yz", "key")
        self.key_dense.build(key_shape)
        self.value_dense = self._dense(into, [*rest, heads, self.value_dim], "yz", "value")
        self.value_dense.build(value_shape)
        output = list(self.output_shape) if self.output_shape is not None else [query_shape[-1]]
        letters = "lmnop"[: len(output)]
        self.output_dense = self._dense(
            f"{free}yz,yz{letters}->{free}{letters}", [*rest, *output], letters, "attention_output"
        )
        self.output_dense.build((*query_shape[:-1], heads, self.value_dim))

    def _equations(self, rank: int) -> tuple[str, str]:
        """How queries meet keys, and weights meet values: batch axes are shared, attended ones are not."""
        axes = [a % rank for a in self.attention_axes]
        target = "abcdefgh"[:rank]
        source = "".join("ijklmnop"[a] if a in axes else target[a] for a in range(rank))
        batch = "".join(target[a] for a in range(rank) if a not in axes)
        query_free = "".join(target[a] for a in axes)
        key_free = "".join(source[a] for a in axes)
        scores = f"{batch}y{query_free}{key_free}"
        return f"{source}yz,{target}yz->{scores}", f"{scores},{source}yz->{target}yz"

    def call(
        self, query: Tensor, value: Tensor, key: Any = None, query_mask: Any = None, value_mask: Any = None,
        key_mask: Any = None, attention_mask: Any = None, return_attention_scores: bool = False, training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """The attended values, and the weights if asked for."""
        key = value if key is None else key
        query_mask = mask_of(query) if query_mask is None else query_mask
        value_mask = mask_of(value) if value_mask is None else value_mask
        key_mask = mask_of(key) if key_mask is None and key is not value else key_mask
        allowed = self._allowed(query, value, query_mask, value_mask, key_mask, attention_mask, use_causal_mask)
        q, k, v = self.query_dense(query), self.key_dense(key), self.value_dense(value)
        first, second = self._equations(len(query.shape) - 1)
        scores = tf.einsum(first, k, q * (1.0 / math.sqrt(self.key_dim)))
        if allowed is not None:
            axes = -len(self.attention_axes) * 2 - 1
            for _ in range(len(scores.shape) - len(allowed.shape)):
                allowed = tf.expand_dims(allowed, axes)
            scores += (1.0 - tf.cast(allowed, scores.dtype)) * (-3.0e4 if scores.dtype == tf.float16 else -1.0e9)
        weights = self._softmax(scores)
        if allowed is not None and (return_attention_scores or self.dropout > 0 or len(query.shape) != 3):
            weights = tf.where(allowed, weights, tf.zeros([], weights.dtype))  # queries that see nothing get nothing
        kept = weights
        if self.dropout > 0 and training:
            kept = random.dropout(weights, self.dropout, seed=self.seed_generator)
        output = self.output_dense(tf.einsum(second, kept, v))
        return (output, weights) if return_attention_scores else output

    def _softmax(self, scores: Tensor) -> Tensor:
        count = len(self.attention_axes)
        if count == 1:
            return tf.nn.softmax(scores, axis=-1)
        axes = list(range(-count, 0))
        return tf.exp(scores - tf.reduce_logsumexp(scores, axis=axes, keepdims=True))

    def _allowed(
        self, query: Any, value: Any, query_mask: Any, value_mask: Any, key_mask: Any, attention_mask: Any,
        causal: bool,
    ) -> Any:  # fmt: skip
        """Which queries may look at which values, of all that was said about it; None for all."""
        masks = []
        if query_mask is not None:
            masks.append(tf.expand_dims(tf.cast(query_mask, tf.bool), -1))
        if value_mask is not None:
            masks.append(tf.expand_dims(tf.cast(value_mask, tf.bool), -2))
        if key_mask is not None:
            masks.append(tf.expand_dims(tf.cast(key_mask, tf.bool), -2))
        if causal:
            rows, columns = tf.shape(query)[1], tf.shape(value)[1]
            masks.append(tf.range(rows)[:, None] >= tf.range(columns)[None, :])
            masks[-1] = tf.expand_dims(masks[-1], 0)
        if attention_mask is not None:
            masks.append(tf.cast(attention_mask, tf.bool))
        found = None
        for mask in masks:
            found = mask if found is None else tf.logical_and(found, mask)
        return found

    def compute_mask(self, inputs: TensorLike, previous_mask: Any = None) -> Any:
        """The mask of the queries."""
        return previous_mask
