# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.nn import (
    all_candidate_sampler as all_candidate_sampler, approx_max_k as approx_max_k, approx_min_k as approx_min_k,
    atrous_conv2d as atrous_conv2d, atrous_conv2d_transpose as atrous_conv2d_transpose, avg_pool1d as avg_pool1d,
    avg_pool3d as avg_pool3d, avg_pool as _avg_pool_v2, batch_normalization as batch_normalization,
    bias_add as bias_add, collapse_repeated as collapse_repeated, compute_accidental_hits as compute_accidental_hits,
    compute_average_loss as compute_average_loss, conv1d_transpose as conv1d_transpose,
    conv_transpose as conv_transpose, ctc_beam_search_decoder as _ctc_beam_search_decoder_v2,
    ctc_greedy_decoder as ctc_greedy_decoder, ctc_unique_labels as ctc_unique_labels,
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
    depthwise_conv2d_backprop_filter as _depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_backprop_input as _depthwise_conv2d_native_backprop_input, elu as elu,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler, l2_loss as l2_loss,
    l2_normalize as l2_normalize, leaky_relu as leaky_relu,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    local_response_normalization as local_response_normalization, log_poisson_loss as log_poisson_loss,
    local_response_normalization as _lrn, max_pool1d as max_pool1d, max_pool2d as max_pool2d,
    max_pool3d as max_pool3d, max_pool as _max_pool_v2, normalize_moments as normalize_moments, relu as relu,
    relu6 as relu6, scale_regularization_loss as scale_regularization_loss, selu as selu, sigmoid as sigmoid,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits, silu as silu, softplus as softplus,
    softsign as softsign, swish as swish, tanh as tanh, top_k as top_k, with_space_to_batch as with_space_to_batch,
    zero_fraction as zero_fraction
)
avg_pool_v2 = _avg_pool_v2
ctc_beam_search_decoder_v2 = _ctc_beam_search_decoder_v2
depthwise_conv2d_native_backprop_filter = _depthwise_conv2d_native_backprop_filter
depthwise_conv2d_native_backprop_input = _depthwise_conv2d_native_backprop_input
lrn = _lrn
max_pool_v2 = _max_pool_v2
from graphrt.random import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler
)
