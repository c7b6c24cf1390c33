"""`tf.nn`: ops of neural networks."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from graphrt.lazy_names import lazy_names as _lazy_names
from graphrt.ops.activations import (
    crelu,
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
)
from graphrt.ops.convolution import (
    atrous_conv2d,
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    conv1d,
    conv2d,
    conv2d_transpose,
    convolution,
    depthwise_conv2d,
    max_pool,
    max_pool1d,
    max_pool2d,
    separable_conv2d,
)
from graphrt.ops.dropout import dropout
from graphrt.ops.elementwise import sigmoid, tanh
from graphrt.ops.nn import (
    batch_normalization,
    bias_add,
    embedding_lookup,
    l2_loss,
    l2_normalize,
    layer_normalization,
    log_poisson_loss,
    moments,
    normalize_moments,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
    weighted_moments,
)
from graphrt.ops.reduction import zero_fraction
from graphrt.ops.sorting import in_top_k, top_k
from graphrt.ops.windows import depth_to_space, local_response_normalization, lrn, space_to_depth

if _TYPE_CHECKING:
    from graphrt.ops.candidates import (  # noqa: F401
        all_candidate_sampler,
        compute_accidental_hits,
        fixed_unigram_candidate_sampler,
        learned_unigram_candidate_sampler,
        nce_loss,
        sampled_softmax_loss,
    )
    from graphrt.ops.ctc import (  # noqa: F401
        collapse_repeated,
        ctc_beam_search_decoder,
        ctc_greedy_decoder,
        ctc_loss,
        ctc_unique_labels,
    )
    from graphrt.ops.morphology import (  # noqa: F401
        atrous_conv2d_transpose,
        conv1d_transpose,
        conv_transpose,
        depthwise_conv2d_backprop_filter,
        depthwise_conv2d_backprop_input,
        dilation2d,
        erosion2d,
        fractional_avg_pool,
        fractional_max_pool,
        pool,
        with_space_to_batch,
    )
    from graphrt.ops.nn_rest import (  # noqa: F401
        approx_max_k,
        approx_min_k,
        batch_norm_with_global_normalization,
        compute_average_loss,
        isotonic_regression,
        scale_regularization_loss,
        sufficient_statistics,
    )
    from graphrt.ops.sparse.lookup import embedding_lookup_sparse, safe_embedding_lookup_sparse  # noqa: F401
    from graphrt.ops.volumes import (  # noqa: F401
        avg_pool3d,
        batch_to_space,
        conv3d,
        conv3d_transpose,
        max_pool3d,
        max_pool_with_argmax,
        space_to_batch,
    )

# imported when they are asked for
_ELSEWHERE = {
    "graphrt.ops.ctc": ("collapse_repeated ctc_beam_search_decoder ctc_greedy_decoder ctc_loss ctc_unique_labels"),
    "graphrt.ops.morphology": (
        "atrous_conv2d_transpose conv1d_transpose conv_transpose depthwise_conv2d_backprop_filter "
        "depthwise_conv2d_backprop_input dilation2d erosion2d fractional_avg_pool fractional_max_pool pool "
        "with_space_to_batch"
    ),
    "graphrt.ops.nn_rest": (
        "approx_max_k approx_min_k batch_norm_with_global_normalization compute_average_loss "
        "isotonic_regression scale_regularization_loss sufficient_statistics"
    ),
    "graphrt.ops.candidates": (
        "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
        "learned_unigram_candidate_sampler nce_loss sampled_softmax_loss"
    ),
    "graphrt.ops.sparse.lookup": "embedding_lookup_sparse safe_embedding_lookup_sparse",
    "graphrt.ops.volumes": (
        "avg_pool3d batch_to_space conv3d conv3d_transpose max_pool3d max_pool_with_argmax space_to_batch "
    ),
}
__getattr__, __dir__ = _lazy_names(__name__, _ELSEWHERE, {"experimental": "graphrt.nn_experimental"})


__all__ = [
    "atrous_conv2d", "avg_pool", "avg_pool1d", "avg_pool2d", "batch_normalization", "bias_add", "conv1d", "conv2d",
    "conv2d_transpose", "convolution", "crelu", "depth_to_space", "depthwise_conv2d", "dropout", "elu",
    "embedding_lookup", "gelu", "in_top_k", "l2_loss", "l2_normalize", "layer_normalization", "leaky_relu",
    "local_response_normalization", "log_poisson_loss", "log_softmax", "lrn", "max_pool", "max_pool1d", "max_pool2d",
    "moments", "normalize_moments", "relu", "relu6", "selu", "separable_conv2d", "sigmoid",
    "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits", "softplus",
    "softsign", "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "swish", "tanh", "top_k",
    "weighted_cross_entropy_with_logits", "weighted_moments", "zero_fraction",
]  # fmt: skip
