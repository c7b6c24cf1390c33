# Written by tests/stubs.py from graphrt/api/exports.py.
"""Element types."""
from graphrt.ops.math.casting import (
    cast as cast, complex as complex, saturate_cast as saturate_cast
)
from graphrt.types.dtype import (
    DType as DType, QUANTIZED_DTYPES as QUANTIZED_DTYPES, as_dtype as as_dtype, bfloat16 as bfloat16, bool_ as _bool,
    complex128 as complex128, complex64 as complex64, double as double, float16 as float16, float32 as float32,
    float64 as float64, half as half, int16 as int16, int32 as int32, int64 as int64, int8 as int8, qint16 as qint16,
    qint32 as qint32, qint8 as qint8, quint16 as quint16, quint8 as quint8, resource as resource, string as string,
    uint16 as uint16, uint32 as uint32, uint64 as uint64, uint8 as uint8, variant as variant
)
bool = _bool
