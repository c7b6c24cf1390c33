"""A light graph runtime on NumPy with TensorFlow 2's public names: `import graphrt as tf`.

>>> import graphrt as tf
>>> @tf.function
... def relu(x):
...     if x > 0:
...         return x
...     else:
...         return 0
>>> relu(tf.constant(3)).numpy(), relu(tf.constant(-3)).numpy()
(np.int32(3), np.int32(0))
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

import autograph as _autograph
from graphrt import (
    autodiff,
    autograph,
    bitwise,
    config,
    debugging,
    dtypes,
    errors,
    linalg,
    math,
    nest,
    nn,
    random,
    strings,
    types,
)
from graphrt import graphdef as _graphdef  # noqa: F401  # provides ops.graph_def
from graphrt.autodiff.backprop import RegisterGradient, no_gradient
from graphrt.autodiff.custom import custom_gradient, recompute_grad
from graphrt.autodiff.symbolic import AggregationMethod, gradients, hessians
from graphrt.autodiff.tape import GradientTape, UnconnectedGradients
from graphrt.control_flow.branches import case, cond, switch_case
from graphrt.control_flow.functional import foldl, foldr, map_fn, scan, vectorized_map
from graphrt.control_flow.while_loop import while_loop
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import Function, function
from graphrt.ir.graph import Graph
from graphrt.ops.arithmetic import (
    add,
    add_n,
    atan2,
    clip_by_value,
    maximum,
    minimum,
    multiply,
    pow,
    scalar_mul,
    subtract,
)
from graphrt.ops.assertions import assert_equal, assert_greater, assert_less, assert_rank
from graphrt.ops.casting import bitcast, cast, complex, saturate_cast
from graphrt.ops.clipping import clip_by_global_norm, clip_by_norm
from graphrt.ops.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from graphrt.ops.contraction import einsum, tensordot
from graphrt.ops.counting import histogram_fixed_width, histogram_fixed_width_bins
from graphrt.ops.creation import (
    eye,
    fill,
    linspace,
    one_hot,
    ones,
    ones_like,
    range,
    sequence_mask,
    zeros,
    zeros_like,
)
from graphrt.ops.division import divide, realdiv, truediv, truncatediv, truncatemod
from graphrt.ops.elementwise import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    exp,
    floor,
    negative,
    round,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)
from graphrt.ops.gather_scatter import (
    gather,
    gather_nd,
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from graphrt.ops.indexed_slices import IndexedSlices, IndexedSlicesSpec
from graphrt.ops.indexing import boolean_mask, newaxis, slice, strided_slice, where
from graphrt.ops.joining import concat, meshgrid, repeat, split, stack, tile, unstack
from graphrt.ops.linalg import matmul
from graphrt.ops.logical import logical_and, logical_not, logical_or
from graphrt.ops.matrix_functions import eig, eigvals
from graphrt.ops.norms import norm
from graphrt.ops.padding import pad, reverse, reverse_sequence, roll
from graphrt.ops.partition import dynamic_partition, dynamic_stitch, unravel_index
from graphrt.ops.random import random_index_shuffle
from graphrt.ops.reduction import (
    argmax,
    argmin,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from graphrt.ops.shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    expand_dims,
    rank,
    reshape,
    shape,
    shape_n,
    size,
    squeeze,
    transpose,
)
from graphrt.ops.sorting import argsort, searchsorted, sort, unique, unique_with_counts
from graphrt.ops.special import (
    ensure_shape,
    grad_pass_through,
    identity,
    identity_n,
    numpy_function,
    py_function,
    stop_gradient,
    timestamp,
)
from graphrt.ops.strings import as_string
from graphrt.ops.tensor_array import TensorArray, TensorArraySpec
from graphrt.ops.text_io import Assert, print
from graphrt.staging import eager_calls as _eager_calls
from graphrt.staging import plain_calls as _plain_calls
from graphrt.staging import sequences as _sequences
from graphrt.staging.backend import BACKEND as _BACKEND
from graphrt.state.module import Module
from graphrt.state.variable import Variable, VariableAggregation, VariableSynchronization
from graphrt.tensor.context import executing_eagerly, init_scope
from graphrt.tensor.convert import constant, convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.queries import (
    device,
    get_logger,
    get_static_value,
    inside_function,
    is_symbolic_tensor,
    is_tensor,
    type_spec_from_value,
)
from graphrt.tensor.scopes import control_dependencies, group, name_scope, no_op
from graphrt.tensor.tensor import Operation, Tensor, TensorLike
from graphrt.types.dtype import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from graphrt.types.dtype import bool_ as bool
from graphrt.types.shape import TensorShape
from graphrt.types.spec import TensorSpec, TypeSpec
from graphrt.version import __version__

if _TYPE_CHECKING:
    from graphrt import (  # noqa: F401
        audio,
        compat,
        data,
        experimental,
        graph_util,
        image,
        io,
        keras,
        lookup,
        quantization,
        queue,
        ragged,
        raw_ops,
        sets,
        signal,
        sparse,
        sysconfig,
        test,
        train,
        version,
    )
    from graphrt.data.iterator import OptionalSpec  # noqa: F401
    from graphrt.graphdef.imported import import_graph_def  # noqa: F401
    from graphrt.graphdef.tensors import make_ndarray, make_tensor_proto  # noqa: F401
    from graphrt.ops.block_paddings import required_space_to_batch_paddings  # noqa: F401
    from graphrt.ops.fft import fftnd, ifftnd, irfftnd, rfftnd  # noqa: F401
    from graphrt.ops.hashes import fingerprint  # noqa: F401
    from graphrt.ops.image import extract_volume_patches  # noqa: F401
    from graphrt.ops.ragged.tensor import RaggedTensor, RaggedTensorSpec  # noqa: F401
    from graphrt.ops.sets import edit_distance  # noqa: F401
    from graphrt.ops.sparse.tensor import SparseTensor, SparseTensorSpec  # noqa: F401
    from graphrt.state.critical_section import CriticalSection  # noqa: F401
    from graphrt.tensor.conversions import register_tensor_conversion_function  # noqa: F401
    from graphrt.tensor.device_spec import DeviceSpec  # noqa: F401

_autograph.register_backend(_BACKEND)
_plain_calls.register()
_sequences.register()
_eager_calls.register()

# Namespaces and functions that few programs need are imported when they are asked for: `import graphrt` stays cheap.
_NAMESPACES = (
    "array_api", "audio", "compat", "data", "experimental", "graph_util", "image", "io", "keras", "lookup",
    "quantization", "queue", "ragged", "raw_ops", "sets", "signal", "sparse", "sysconfig", "test", "train", "version",
)  # fmt: skip
_ELSEWHERE = {
    "graphrt.data.iterator": "OptionalSpec",
    "graphrt.ops.image": "extract_volume_patches",
    "graphrt.graphdef.tensors": "make_ndarray make_tensor_proto",
    "graphrt.ops.hashes": "fingerprint",
    "graphrt.ops.ragged.tensor": "RaggedTensor RaggedTensorSpec",
    "graphrt.ops.sets": "edit_distance",
    "graphrt.ops.sparse.tensor": "SparseTensor SparseTensorSpec",
    "graphrt.state.critical_section": "CriticalSection",
    "graphrt.tensor.conversions": "register_tensor_conversion_function",
    "graphrt.tensor.device_spec": "DeviceSpec",
    "graphrt.graphdef.imported": "import_graph_def",
    "graphrt.ops.block_paddings": "required_space_to_batch_paddings",
    "graphrt.ops.grouping": "get_current_name_scope guarantee_const parallel_stack",
    "graphrt.ops.initializers": (
        "constant_initializer ones_initializer random_normal_initializer random_uniform_initializer zeros_initializer"
    ),
    "graphrt.ops.volumes": "batch_to_space space_to_batch space_to_batch_nd",
    "graphrt.ops.fft": "fftnd ifftnd irfftnd rfftnd",
}
_RENAMED = {
    "tuple": ("graphrt.ops.grouping", "tuple_"),
    "matrix_square_root": ("graphrt.ops.matrix_functions", "sqrtm"),
}
_OF_KERAS = ("initializers", "losses", "metrics", "optimizers")  # namespaces that stand in `keras`, too
_HOMES = {name: module for module, names in _ELSEWHERE.items() for name in names.split()}


def __getattr__(name: str) -> _Any:
    if name in _NAMESPACES:
        return _import_module(f"graphrt.{name}")  # which also makes it an attribute of this module
    if name in _OF_KERAS:
        return _import_module(f"graphrt.keras.{name}")
    if name in _RENAMED:  # names that shadow Python's, whose modules spell them otherwise
        home, real = _RENAMED[name]
        return getattr(_import_module(home), real)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMESPACES, *_HOMES, *_OF_KERAS, *_RENAMED})


__all__ = [
    "AggregationMethod",
    "Assert",
    "ConcreteFunction",
    "DType",
    "FuncGraph",
    "Function",
    "GradientTape",
    "Graph",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "Module",
    "Operation",
    "RegisterGradient",
    "Tensor",
    "TensorArray",
    "TensorArraySpec",
    "TensorLike",
    "TensorShape",
    "TensorSpec",
    "TypeSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "as_string",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "autodiff",
    "autograph",
    "bfloat16",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "complex",
    "complex64",
    "complex128",
    "concat",
    "cond",
    "config",
    "constant",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "debugging",
    "device",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "eig",
    "eigvals",
    "einsum",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "greater",
    "greater_equal",
    "group",
    "half",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "init_scope",
    "inside_function",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_symbolic_tensor",
    "is_tensor",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "map_fn",
    "math",
    "matmul",
    "maximum",
    "meshgrid",
    "minimum",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_gradient",
    "no_op",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "pow",
    "print",
    "py_function",
    "random",
    "random_index_shuffle",
    "range",
    "rank",
    "realdiv",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "repeat",
    "reshape",
    "resource",
    "reverse",
    "reverse_sequence",
    "roll",
    "round",
    "saturate_cast",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "strings",
    "subtract",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "tile",
    "timestamp",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "type_spec_from_value",
    "types",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "variant",
    "vectorized_map",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]  # fmt: skip
