# Written by tests/stubs.py from graphrt/api/exports.py.
"""What programs of TensorFlow 2 still take from TensorFlow 1."""
from graphrt.api.compat import (
    dimension_value as dimension_value
)
from graphrt.api.dimension import (
    Dimension as Dimension, dimension_at_index as dimension_at_index,
    placeholder_with_default as placeholder_with_default
)
from graphrt.api.tensorflow1 import (
    ConfigProto as ConfigProto, Session as Session, argmax as argmax, argmin as argmin, assign as assign,
    assign_add as assign_add, assign_sub as assign_sub, control_flow_v2_enabled as control_flow_v2_enabled,
    disable_control_flow_v2 as disable_control_flow_v2, disable_eager_execution as disable_eager_execution,
    disable_resource_variables as disable_resource_variables, disable_tensor_equality as disable_tensor_equality,
    disable_v2_behavior as disable_v2_behavior, disable_v2_tensorshape as disable_v2_tensorshape,
    enable_control_flow_v2 as enable_control_flow_v2, enable_eager_execution as enable_eager_execution,
    enable_resource_variables as enable_resource_variables, enable_tensor_equality as enable_tensor_equality,
    enable_v2_behavior as enable_v2_behavior, enable_v2_tensorshape as enable_v2_tensorshape,
    executing_eagerly_outside_functions as executing_eagerly_outside_functions, gather as gather,
    global_variables_initializer as global_variables_initializer,
    initialize_all_variables as initialize_all_variables, local_variables_initializer as local_variables_initializer,
    name_scope as name_scope, reduce_all as reduce_all, reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp, reduce_max as reduce_max, reduce_mean as reduce_mean,
    reduce_min as reduce_min, reduce_prod as reduce_prod, reduce_sum as reduce_sum,
    resource_variables_enabled as resource_variables_enabled, set_random_seed as set_random_seed,
    tables_initializer as tables_initializer, to_bfloat16 as to_bfloat16, to_complex128 as to_complex128,
    to_complex64 as to_complex64, to_double as to_double, to_float as to_float, to_int32 as to_int32,
    to_int64 as to_int64, where as where
)
from graphrt import (
    AggregationMethod as AggregationMethod, Assert as Assert, CriticalSection as CriticalSection, DType as DType,
    DeviceSpec as DeviceSpec, GradientTape as GradientTape, Graph as Graph, IndexedSlices as IndexedSlices,
    IndexedSlicesSpec as IndexedSlicesSpec, Module as Module, no_gradient as _NoGradient,
    no_gradient as _NotDifferentiable, Operation as Operation, OptionalSpec as OptionalSpec,
    RaggedTensor as RaggedTensor, RaggedTensorSpec as RaggedTensorSpec, RegisterGradient as RegisterGradient,
    SparseTensor as SparseTensor, SparseTensorSpec as SparseTensorSpec, Tensor as Tensor, TensorArray as TensorArray,
    TensorArraySpec as TensorArraySpec, TensorShape as TensorShape, TensorSpec as TensorSpec, TypeSpec as TypeSpec,
    UnconnectedGradients as UnconnectedGradients, Variable as Variable, VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization, abs as abs, acos as acos, acosh as acosh, add as add,
    add_n as add_n, argsort as argsort, as_dtype as as_dtype, as_string as as_string, asin as asin, asinh as asinh,
    atan as atan, atan2 as atan2, atanh as atanh, bfloat16 as bfloat16, bitcast as bitcast, bool as bool,
    broadcast_dynamic_shape as broadcast_dynamic_shape, broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to, case as case, cast as cast, clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm, clip_by_value as clip_by_value, complex as complex, complex128 as complex128,
    complex64 as complex64, concat as concat, control_dependencies as control_dependencies, cos as cos, cosh as cosh,
    cumsum as cumsum, custom_gradient as custom_gradient, divide as divide, double as double,
    dynamic_partition as dynamic_partition, dynamic_stitch as dynamic_stitch, edit_distance as edit_distance,
    einsum as einsum, ensure_shape as ensure_shape, equal as equal, executing_eagerly as executing_eagerly,
    exp as exp, extract_volume_patches as extract_volume_patches, eye as eye, fftnd as fftnd, fill as fill,
    fingerprint as fingerprint, float16 as float16, float32 as float32, double as _float64, floor as floor,
    foldl as foldl, foldr as foldr, function as function, get_logger as get_logger,
    get_static_value as get_static_value, grad_pass_through as grad_pass_through, greater as greater,
    greater_equal as greater_equal, group as group, guarantee_const as guarantee_const, float16 as _half,
    histogram_fixed_width as histogram_fixed_width, histogram_fixed_width_bins as histogram_fixed_width_bins,
    identity as identity, identity_n as identity_n, ifftnd as ifftnd, import_graph_def as import_graph_def,
    init_scope as init_scope, int16 as int16, int32 as int32, int64 as int64, int8 as int8, irfftnd as irfftnd,
    is_symbolic_tensor as is_symbolic_tensor, is_tensor as is_tensor, less as less, less_equal as less_equal,
    linspace as _lin_space, linspace as linspace, logical_and as logical_and, logical_not as logical_not,
    logical_or as logical_or, make_ndarray as make_ndarray, make_tensor_proto as make_tensor_proto, map_fn as map_fn,
    matmul as matmul, matrix_square_root as matrix_square_root, maximum as maximum, meshgrid as meshgrid,
    minimum as minimum, multiply as multiply, negative as negative, no_gradient as no_gradient, no_op as no_op,
    not_equal as not_equal, numpy_function as numpy_function, one_hot as one_hot, ones as ones,
    parallel_stack as parallel_stack, pow as pow, print as print, py_function as py_function,
    random_index_shuffle as random_index_shuffle, range as range, rank as rank, realdiv as realdiv,
    recompute_grad as recompute_grad, register_tensor_conversion_function as register_tensor_conversion_function,
    repeat as repeat, required_space_to_batch_paddings as required_space_to_batch_paddings, reshape as reshape,
    resource as resource, reverse as reverse, reverse as _reverse_v2, rfftnd as rfftnd, roll as roll, round as round,
    saturate_cast as saturate_cast, scalar_mul as scalar_mul, scan as scan, scatter_nd as scatter_nd,
    searchsorted as searchsorted, sequence_mask as sequence_mask, shape_n as shape_n, sigmoid as sigmoid,
    sign as sign, sin as sin, sinh as sinh, slice as slice, sort as sort, space_to_batch_nd as space_to_batch_nd,
    split as split, sqrt as sqrt, square as square, stack as stack, stop_gradient as stop_gradient,
    strided_slice as strided_slice, string as string, subtract as subtract, switch_case as switch_case, tan as tan,
    tanh as tanh, tensor_scatter_nd_add as _tensor_scatter_add, tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max, tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub, tensor_scatter_nd_update as tensor_scatter_nd_update,
    tensor_scatter_nd_sub as _tensor_scatter_sub, tensor_scatter_nd_update as _tensor_scatter_update,
    tensordot as tensordot, tile as tile, timestamp as timestamp, truediv as truediv, truncatediv as truncatediv,
    truncatemod as truncatemod, type_spec_from_value as type_spec_from_value, uint16 as uint16, uint32 as uint32,
    uint64 as uint64, uint8 as uint8, unique as unique, unique_with_counts as unique_with_counts,
    unravel_index as unravel_index, unstack as unstack, variant as variant, vectorized_map as vectorized_map,
    where as _where_v2, zeros as zeros
)
NoGradient = _NoGradient
NotDifferentiable = _NotDifferentiable
float64 = _float64
half = _half
lin_space = _lin_space
reverse_v2 = _reverse_v2
tensor_scatter_add = _tensor_scatter_add
tensor_scatter_sub = _tensor_scatter_sub
tensor_scatter_update = _tensor_scatter_update
where_v2 = _where_v2
from graphrt.debugging import (
    assert_proper_iterable as assert_proper_iterable, assert_same_float_dtype as assert_same_float_dtype,
    check_numerics as check_numerics, is_numeric_tensor as is_numeric_tensor
)
from graphrt.errors import (
    OpError as OpError
)
from graphrt.image import (
    random_crop as random_crop
)
from graphrt.io import (
    FixedLenFeature as FixedLenFeature, FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature, VarLenFeature as VarLenFeature, decode_base64 as decode_base64,
    decode_compressed as decode_compressed, decode_json_example as decode_json_example,
    deserialize_many_sparse as deserialize_many_sparse, encode_base64 as encode_base64,
    matching_files as matching_files, parse_single_sequence_example as parse_single_sequence_example,
    parse_tensor as parse_tensor, read_file as read_file, serialize_tensor as serialize_tensor,
    write_file as write_file
)
from graphrt.linalg import (
    cholesky as cholesky, cholesky_solve as cholesky_solve, cross as cross, tensor_diag as _diag,
    tensor_diag_part as _diag_part, global_norm as global_norm, band_part as _matrix_band_part,
    det as _matrix_determinant, diag as _matrix_diag, diag_part as _matrix_diag_part, inv as _matrix_inverse,
    set_diag as _matrix_set_diag, solve as _matrix_solve, lstsq as _matrix_solve_ls,
    matrix_transpose as matrix_transpose, triangular_solve as _matrix_triangular_solve, qr as qr,
    eigh as _self_adjoint_eig, eigvalsh as _self_adjoint_eigvals, svd as svd, trace as trace
)
diag = _diag
diag_part = _diag_part
matrix_band_part = _matrix_band_part
matrix_determinant = _matrix_determinant
matrix_diag = _matrix_diag
matrix_diag_part = _matrix_diag_part
matrix_inverse = _matrix_inverse
matrix_set_diag = _matrix_set_diag
matrix_solve = _matrix_solve
matrix_solve_ls = _matrix_solve_ls
matrix_triangular_solve = _matrix_triangular_solve
self_adjoint_eig = _self_adjoint_eig
self_adjoint_eigvals = _self_adjoint_eigvals
from graphrt.math import (
    accumulate_n as accumulate_n, angle as angle, betainc as betainc, ceil as ceil, conj as conj, cumprod as cumprod,
    digamma as digamma, divide_no_nan as _div_no_nan, erf as erf, erfc as erfc, expm1 as expm1, floordiv as floordiv,
    floormod as floormod, igamma as igamma, igammac as igammac, imag as imag,
    invert_permutation as invert_permutation, is_finite as is_finite, is_inf as is_inf, is_nan as is_nan,
    is_non_decreasing as is_non_decreasing, is_strictly_increasing as is_strictly_increasing, lbeta as lbeta,
    lgamma as lgamma, log as log, log1p as log1p, log_sigmoid as log_sigmoid, logical_xor as logical_xor,
    floormod as _mod, polygamma as polygamma, real as real, reciprocal as reciprocal, rint as rint, rsqrt as rsqrt,
    segment_max as segment_max, segment_mean as segment_mean, segment_min as segment_min,
    segment_prod as segment_prod, segment_sum as segment_sum, squared_difference as squared_difference,
    unsorted_segment_max as unsorted_segment_max, unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min, unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n, unsorted_segment_sum as unsorted_segment_sum, zeta as zeta
)
div_no_nan = _div_no_nan
mod = _mod
from graphrt.quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient
)
from graphrt.queue import (
    FIFOQueue as FIFOQueue, PaddingFIFOQueue as PaddingFIFOQueue, PriorityQueue as PriorityQueue,
    QueueBase as QueueBase, RandomShuffleQueue as RandomShuffleQueue
)
from graphrt.random import (
    gamma as _random_gamma, normal as _random_normal, shuffle as _random_shuffle, uniform as _random_uniform,
    truncated_normal as truncated_normal
)
random_gamma = _random_gamma
random_normal = _random_normal
random_shuffle = _random_shuffle
random_uniform = _random_uniform
from graphrt.signal import (
    fft as fft, fft2d as fft2d, fft3d as fft3d, ifft as ifft, ifft2d as ifft2d, ifft3d as ifft3d
)
from graphrt.sparse import (
    fill_empty_rows as _sparse_fill_empty_rows, mask as _sparse_mask, maximum as _sparse_maximum,
    minimum as _sparse_minimum, reorder as _sparse_reorder, reset_shape as _sparse_reset_shape,
    reshape as _sparse_reshape, retain as _sparse_retain, slice as _sparse_slice, softmax as _sparse_softmax,
    sparse_dense_matmul as _sparse_tensor_dense_matmul, to_dense as _sparse_tensor_to_dense,
    to_indicator as _sparse_to_indicator, transpose as _sparse_transpose
)
sparse_fill_empty_rows = _sparse_fill_empty_rows
sparse_mask = _sparse_mask
sparse_maximum = _sparse_maximum
sparse_minimum = _sparse_minimum
sparse_reorder = _sparse_reorder
sparse_reset_shape = _sparse_reset_shape
sparse_reshape = _sparse_reshape
sparse_retain = _sparse_retain
sparse_slice = _sparse_slice
sparse_softmax = _sparse_softmax
sparse_tensor_dense_matmul = _sparse_tensor_dense_matmul
sparse_tensor_to_dense = _sparse_tensor_to_dense
sparse_to_indicator = _sparse_to_indicator
sparse_transpose = _sparse_transpose
from graphrt.strings import (
    regex_replace as regex_replace, join as _string_join, strip as _string_strip,
    to_hash_bucket_fast as _string_to_hash_bucket_fast, to_hash_bucket_strong as _string_to_hash_bucket_strong
)
string_join = _string_join
string_strip = _string_strip
string_to_hash_bucket_fast = _string_to_hash_bucket_fast
string_to_hash_bucket_strong = _string_to_hash_bucket_strong
from graphrt.api import compat_v1_debugging as compat_v1_debugging
debugging = compat_v1_debugging
from graphrt.api import compat_v1_errors as compat_v1_errors
errors = compat_v1_errors
from graphrt.api import compat_v1_image as compat_v1_image
image = compat_v1_image
from graphrt.api import compat_v1_io as compat_v1_io
io = compat_v1_io
from graphrt.api import compat_v1_linalg as compat_v1_linalg
linalg = compat_v1_linalg
from graphrt.api import compat_v1_logging as compat_v1_logging
logging = compat_v1_logging
from graphrt.api import compat_v1_math as compat_v1_math
math = compat_v1_math
from graphrt.api import compat_v1_nn as compat_v1_nn
nn = compat_v1_nn
from graphrt.api import compat_v1_random as compat_v1_random
random = compat_v1_random
from graphrt.api import compat_v1_sparse as compat_v1_sparse
sparse = compat_v1_sparse
from graphrt.api import compat_v1_strings as compat_v1_strings
strings = compat_v1_strings
from graphrt.api import compat_v1_train as compat_v1_train
train = compat_v1_train
