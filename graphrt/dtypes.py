"""`tf.dtypes`: element types.

>>> import graphrt as tf
>>> tf.dtypes.as_dtype("float").name
'float32'
"""

from graphrt.ops.casting import cast, complex, saturate_cast
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

__all__ = [
    "DType", "as_dtype", "bfloat16", "bool", "cast", "complex", "complex64", "complex128", "double", "float16",
    "float32", "float64", "half", "int8", "int16", "int32", "int64", "resource", "saturate_cast", "string", "uint8",
    "uint16", "uint32", "uint64", "variant",
]  # fmt: skip
