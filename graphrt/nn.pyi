# Written by tests/stubs.py from graphrt/api/exports.py.
"""Ops of neural networks."""
from graphrt.ops.array.sorting import (
    in_top_k as in_top_k, top_k as top_k
)
from graphrt.ops.math.elementwise import (
    sigmoid as sigmoid, tanh as tanh
)
from graphrt.ops.math.reduction import (
    zero_fraction as zero_fraction
)
from graphrt.ops.nn.activations import (
    crelu as crelu, elu as elu, gelu as gelu, leaky_relu as leaky_relu, log_softmax as log_softmax, relu as relu,
    relu6 as relu6, selu as selu, silu as silu, softmax as softmax, softplus as softplus, softsign as softsign,
    swish as swish
)
from graphrt.ops.nn.bias import (
    bias_add as bias_add
)
from graphrt.ops.nn.candidate_sampling import (
    all_candidate_sampler as all_candidate_sampler, compute_accidental_hits as compute_accidental_hits,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler, nce_loss as nce_loss,
    sampled_softmax_loss as sampled_softmax_loss
)
from graphrt.ops.nn.convolution import (
    atrous_conv2d as atrous_conv2d, conv1d as conv1d, conv2d as conv2d, conv2d_transpose as conv2d_transpose
)
from graphrt.ops.nn.convolution_3d import (
    conv3d as conv3d, conv3d_transpose as conv3d_transpose
)
from graphrt.ops.nn.convolution_by_rank import (
    convolution as convolution
)
from graphrt.ops.nn.convolution_transpose import (
    atrous_conv2d_transpose as atrous_conv2d_transpose, conv1d_transpose as conv1d_transpose,
    conv_transpose as conv_transpose
)
from graphrt.ops.nn.ctc import (
    collapse_repeated as collapse_repeated, ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_greedy_decoder as ctc_greedy_decoder, ctc_loss as ctc_loss, ctc_unique_labels as ctc_unique_labels
)
from graphrt.ops.nn.depth_to_space import (
    depth_to_space as depth_to_space, space_to_depth as space_to_depth
)
from graphrt.ops.nn.depthwise import (
    depthwise_conv2d as depthwise_conv2d, depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input, separable_conv2d as separable_conv2d
)
from graphrt.ops.nn.dilation import (
    dilation2d as dilation2d, erosion2d as erosion2d
)
from graphrt.ops.nn.dropout import (
    dropout as dropout
)
from graphrt.ops.nn.embedding import (
    embedding_lookup as embedding_lookup
)
from graphrt.ops.nn.fractional_pooling import (
    fractional_avg_pool as fractional_avg_pool, fractional_max_pool as fractional_max_pool
)
from graphrt.ops.nn.local_response_normalization import (
    local_response_normalization as local_response_normalization, lrn as lrn
)
from graphrt.ops.nn.losses import (
    compute_average_loss as compute_average_loss, l2_loss as l2_loss, log_poisson_loss as log_poisson_loss,
    scale_regularization_loss as scale_regularization_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
)
from graphrt.ops.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    batch_normalization as batch_normalization, l2_normalize as l2_normalize,
    layer_normalization as layer_normalization, moments as moments, normalize_moments as normalize_moments,
    sufficient_statistics as sufficient_statistics, weighted_moments as weighted_moments
)
from graphrt.ops.nn.pool import (
    pool as pool, with_space_to_batch as with_space_to_batch
)
from graphrt.ops.nn.pooling import (
    avg_pool as avg_pool, avg_pool1d as avg_pool1d, avg_pool2d as avg_pool2d, max_pool as max_pool,
    max_pool1d as max_pool1d, max_pool2d as max_pool2d
)
from graphrt.ops.nn.pooling_3d import (
    avg_pool3d as avg_pool3d, max_pool3d as max_pool3d
)
from graphrt.ops.nn.pooling_with_argmax import (
    max_pool_with_argmax as max_pool_with_argmax
)
from graphrt.ops.nn.space_to_batch import (
    batch_to_space as batch_to_space, space_to_batch as space_to_batch
)
from graphrt.ops.nn.statistics import (
    approx_max_k as approx_max_k, approx_min_k as approx_min_k, isotonic_regression as isotonic_regression
)
from graphrt.ops.sparse.lookup import (
    embedding_lookup_sparse as embedding_lookup_sparse, safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
)
from graphrt.api import nn_experimental as nn_experimental
experimental = nn_experimental
