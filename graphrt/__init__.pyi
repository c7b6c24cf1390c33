# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.autodiff.backprop import (
    RegisterGradient as RegisterGradient, no_gradient as no_gradient
)
from graphrt.autodiff.custom import (
    custom_gradient as custom_gradient, recompute_grad as recompute_grad
)
from graphrt.autodiff.symbolic import (
    AggregationMethod as AggregationMethod, gradients as gradients, hessians as hessians
)
from graphrt.autodiff.tape import (
    GradientTape as GradientTape, UnconnectedGradients as UnconnectedGradients
)
from graphrt.control_flow.branches import (
    case as case, cond as cond, switch_case as switch_case
)
from graphrt.control_flow.functional import (
    foldl as foldl, foldr as foldr, map_fn as map_fn, scan as scan, vectorized_map as vectorized_map
)
from graphrt.control_flow.while_loop import (
    while_loop as while_loop
)
from graphrt.data.optional import (
    OptionalSpec as OptionalSpec
)
from graphrt.function.concrete import (
    ConcreteFunction as ConcreteFunction
)
from graphrt.function.function import (
    Function as Function, function as function
)
from graphrt.graphdef.imported import (
    import_graph_def as import_graph_def
)
from graphrt.graphdef.tensors import (
    make_ndarray as make_ndarray, make_tensor_proto as make_tensor_proto
)
from graphrt.ops.array.concat_split import (
    concat as concat, parallel_stack as parallel_stack, split as split, stack as stack, unstack as unstack
)
from graphrt.ops.array.creation import (
    eye as eye, fill as fill, linspace as linspace, one_hot as one_hot, ones as ones, ones_like as ones_like,
    range as range, sequence_mask as sequence_mask, zeros as zeros, zeros_like as zeros_like
)
from graphrt.ops.array.dynamic_partition import (
    dynamic_partition as dynamic_partition, dynamic_stitch as dynamic_stitch, unravel_index as unravel_index
)
from graphrt.ops.array.gather_scatter import (
    gather as gather, gather_nd as gather_nd, scatter_nd as scatter_nd,
    tensor_scatter_nd_add as tensor_scatter_nd_add, tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min, tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update
)
from graphrt.ops.array.identity import (
    ensure_shape as ensure_shape, grad_pass_through as grad_pass_through, guarantee_const as guarantee_const,
    identity as identity, identity_n as identity_n, stop_gradient as stop_gradient, timestamp as timestamp,
    tuple_ as _tuple
)
tuple = _tuple
from graphrt.ops.array.indexed_slices import (
    IndexedSlices as IndexedSlices, IndexedSlicesSpec as IndexedSlicesSpec
)
from graphrt.ops.array.padding import (
    pad as pad, reverse as reverse, reverse_sequence as reverse_sequence, roll as roll
)
from graphrt.ops.array.repetition import (
    meshgrid as meshgrid, repeat as repeat, tile as tile
)
from graphrt.ops.array.selection import (
    where as where
)
from graphrt.ops.array.shape import (
    broadcast_dynamic_shape as broadcast_dynamic_shape, broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to, expand_dims as expand_dims, rank as rank, reshape as reshape, shape as shape,
    shape_n as shape_n, size as size, squeeze as squeeze, transpose as transpose
)
from graphrt.ops.array.slicing import (
    boolean_mask as boolean_mask, newaxis as newaxis, slice as slice, strided_slice as strided_slice
)
from graphrt.ops.array.sorting import (
    argsort as argsort, searchsorted as searchsorted, sort as sort, unique as unique,
    unique_with_counts as unique_with_counts
)
from graphrt.ops.assertions import (
    assert_equal as assert_equal, assert_greater as assert_greater, assert_less as assert_less,
    assert_rank as assert_rank
)
from graphrt.ops.image.transforms import (
    extract_volume_patches as extract_volume_patches
)
from graphrt.ops.io.libraries import (
    load_library as load_library, load_op_library as load_op_library
)
from graphrt.ops.io.printing import (
    Assert as Assert, print as print
)
from graphrt.ops.linalg.einsum import (
    einsum as einsum, tensordot as tensordot
)
from graphrt.ops.linalg.matmul import (
    matmul as matmul
)
from graphrt.ops.linalg.matrix_functions import (
    eig as eig, eigvals as eigvals, sqrtm as _matrix_square_root
)
matrix_square_root = _matrix_square_root
from graphrt.ops.linalg.norms import (
    norm as norm
)
from graphrt.ops.lists.tensor_array import (
    TensorArray as TensorArray, TensorArraySpec as TensorArraySpec
)
from graphrt.ops.math.arg_extrema import (
    argmax as argmax, argmin as argmin
)
from graphrt.ops.math.arithmetic import (
    add as add, add_n as add_n, atan2 as atan2, clip_by_value as clip_by_value, maximum as maximum,
    minimum as minimum, multiply as multiply, pow as pow, scalar_mul as scalar_mul, subtract as subtract
)
from graphrt.ops.math.casting import (
    bitcast as bitcast, cast as cast, complex as complex, saturate_cast as saturate_cast
)
from graphrt.ops.math.clip import (
    clip_by_global_norm as clip_by_global_norm, clip_by_norm as clip_by_norm
)
from graphrt.ops.math.comparison import (
    equal as equal, greater as greater, greater_equal as greater_equal, less as less, less_equal as less_equal,
    not_equal as not_equal
)
from graphrt.ops.math.cumulative import (
    cumsum as cumsum
)
from graphrt.ops.math.division import (
    divide as divide, realdiv as realdiv, truediv as truediv, truncatediv as truncatediv, truncatemod as truncatemod
)
from graphrt.ops.math.elementwise import (
    abs as abs, acos as acos, acosh as acosh, asin as asin, asinh as asinh, atan as atan, atanh as atanh, cos as cos,
    cosh as cosh, exp as exp, floor as floor, negative as negative, round as round, sigmoid as sigmoid, sign as sign,
    sin as sin, sinh as sinh, sqrt as sqrt, square as square, tan as tan, tanh as tanh
)
from graphrt.ops.math.histogram import (
    histogram_fixed_width as histogram_fixed_width, histogram_fixed_width_bins as histogram_fixed_width_bins
)
from graphrt.ops.math.logical import (
    logical_and as logical_and, logical_not as logical_not, logical_or as logical_or
)
from graphrt.ops.math.reduction import (
    reduce_all as reduce_all, reduce_any as reduce_any, reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max, reduce_mean as reduce_mean, reduce_min as reduce_min, reduce_prod as reduce_prod,
    reduce_sum as reduce_sum
)
from graphrt.ops.nn.initializers import (
    constant_initializer as constant_initializer, ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer, random_uniform_initializer as random_uniform_initializer,
    zeros_initializer as zeros_initializer
)
from graphrt.ops.nn.space_to_batch import (
    batch_to_space as batch_to_space, required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch as space_to_batch, space_to_batch_nd as space_to_batch_nd
)
from graphrt.ops.python.functions import (
    numpy_function as numpy_function, py_function as py_function
)
from graphrt.ops.ragged.tensor import (
    RaggedTensor as RaggedTensor, RaggedTensorSpec as RaggedTensorSpec
)
from graphrt.ops.random.distributions import (
    random_index_shuffle as random_index_shuffle
)
from graphrt.ops.signal.fft import (
    fftnd as fftnd, ifftnd as ifftnd, irfftnd as irfftnd, rfftnd as rfftnd
)
from graphrt.ops.sparse.sets import (
    edit_distance as edit_distance
)
from graphrt.ops.sparse.tensor import (
    SparseTensor as SparseTensor, SparseTensorSpec as SparseTensorSpec
)
from graphrt.ops.strings.hashing import (
    fingerprint as fingerprint
)
from graphrt.ops.strings.numbers import (
    as_string as as_string
)
from graphrt.saving.freezing import (
    freeze as freeze
)
from graphrt.resources.critical_section import (
    CriticalSection as CriticalSection
)
from graphrt.state.module import (
    Module as Module
)
from graphrt.state.policies import (
    VariableAggregation as VariableAggregation, VariableSynchronization as VariableSynchronization
)
from graphrt.state.variable import (
    Variable as Variable, variable_creator_scope as variable_creator_scope
)
from graphrt.tensor.context import (
    executing_eagerly as executing_eagerly, init_scope as init_scope
)
from graphrt.tensor.conversions import (
    register_tensor_conversion_function as register_tensor_conversion_function
)
from graphrt.tensor.convert import (
    constant as constant, convert_to_tensor as convert_to_tensor
)
from graphrt.tensor.device_spec import (
    DeviceSpec as DeviceSpec
)
from graphrt.tensor.func_graph import (
    FuncGraph as FuncGraph, FuncGraph as _Graph
)
Graph = _Graph
from graphrt.tensor.queries import (
    device as device, get_logger as get_logger, get_static_value as get_static_value,
    inside_function as inside_function, is_symbolic_tensor as is_symbolic_tensor, is_tensor as is_tensor,
    type_spec_from_value as type_spec_from_value
)
from graphrt.tensor.scopes import (
    control_dependencies as control_dependencies, get_current_name_scope as get_current_name_scope, group as group,
    name_scope as name_scope, no_op as no_op
)
from graphrt.tensor.tensor import (
    Operation as Operation, Tensor as Tensor, TensorLike as TensorLike
)
from graphrt.types.dtype import (
    DType as DType, as_dtype as as_dtype, bfloat16 as bfloat16, bool_ as _bool, complex128 as complex128,
    complex64 as complex64, double as double, float16 as float16, float32 as float32, float64 as float64,
    half as half, int16 as int16, int32 as int32, int64 as int64, int8 as int8, qint16 as qint16, qint32 as qint32,
    qint8 as qint8, quint16 as quint16, quint8 as quint8, resource as resource, string as string, uint16 as uint16,
    uint32 as uint32, uint64 as uint64, uint8 as uint8, variant as variant
)
bool = _bool
from graphrt.types.shape import (
    TensorShape as TensorShape
)
from graphrt.types.spec import (
    TensorSpec as TensorSpec, TypeSpec as TypeSpec
)
from graphrt.viewing.notebook import (
    load_ipython_extension as load_ipython_extension
)
from graphrt.viewing.page import (
    view as view
)
from graphrt.viewing.profiling import (
    profile as profile
)
from graphrt.viewing.progress import (
    progress as progress
)
from graphrt import array_api as array_api
from graphrt import as_tensorflow as as_tensorflow
from graphrt import audio as audio
from graphrt import autodiff as autodiff
from graphrt import autograph as autograph
from graphrt import bitwise as bitwise
from graphrt import compat as compat
from graphrt import config as config
from graphrt import data as data
from graphrt import debugging as debugging
from graphrt import distribute as distribute
from graphrt import dtypes as dtypes
from graphrt import errors as errors
from graphrt import experimental as experimental
from graphrt import export as export
from graphrt import graph_util as graph_util
from graphrt import image as image
from graphrt.keras import initializers as initializers
from graphrt import integrations as integrations
from graphrt import io as io
from graphrt import keras as keras
from graphrt import linalg as linalg
from graphrt import lookup as lookup
from graphrt.keras import losses as losses
from graphrt import math as math
from graphrt.keras import metrics as metrics
from graphrt import nest as nest
from graphrt import nn as nn
from graphrt.keras import optimizers as optimizers
from graphrt import quantization as quantization
from graphrt import queue as queue
from graphrt import ragged as ragged
from graphrt import random as random
from graphrt import raw_ops as raw_ops
from graphrt import saved_model as saved_model
from graphrt import sets as sets
from graphrt import signal as signal
from graphrt import sparse as sparse
from graphrt import strings as strings
from graphrt import summary as summary
from graphrt import sysconfig as sysconfig
from graphrt import test as test
from graphrt import train as train
from graphrt import types as types
from graphrt import version as version
from graphrt import xla as xla
from graphrt.version import __version__ as __version__
