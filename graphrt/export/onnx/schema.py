"""The message types of ONNX files, built from a table as those of GraphDefs are.

A field marked `?` is written even when it holds zero: ONNX tells "zero" from "not given".
"""

from __future__ import annotations

from typing import Any

from graphrt.graphdef.schema import class_of, once, pool_of
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType

IR_VERSION, OPSET, ML_OPSET = 9, 20, 4

MESSAGES = """
ModelProto: ir_version=1 int64; producer_name=2 string; producer_version=3 string; domain=4 string; \
model_version=5 int64; doc_string=6 string; graph=7 GraphProto; opset_import=8 OperatorSetIdProto*; \
metadata_props=14 StringStringEntryProto*; functions=25 FunctionProto*
GraphProto: node=1 NodeProto*; name=2 string; initializer=5 TensorProto*; doc_string=10 string; \
input=11 ValueInfoProto*; output=12 ValueInfoProto*; value_info=13 ValueInfoProto*; \
sparse_initializer=15 SparseTensorProto*
NodeProto: input=1 string*; output=2 string*; name=3 string; op_type=4 string; attribute=5 AttributeProto*; \
doc_string=6 string; domain=7 string; overload=8 string
AttributeProto: name=1 string; ref_attr_name=21 string; doc_string=13 string; type=20 int32; f=2 float ?f_given; \
i=3 int64 ?i_given; s=4 bytes ?s_given; t=5 TensorProto; g=6 GraphProto; sparse_tensor=22 SparseTensorProto; \
tp=14 TypeProto; floats=7 float*; ints=8 int64*; strings=9 bytes*; tensors=10 TensorProto*; graphs=11 GraphProto*; \
sparse_tensors=23 SparseTensorProto*; type_protos=15 TypeProto*
TensorProto: dims=1 int64*; data_type=2 int32; float_data=4 float*; int32_data=5 int32*; string_data=6 bytes*; \
int64_data=7 int64*; name=8 string; doc_string=12 string; raw_data=9 bytes ?raw_given; \
external_data=13 StringStringEntryProto*; data_location=14 int32; double_data=10 double*; uint64_data=11 uint64*
SparseTensorProto: values=1 TensorProto; indices=2 TensorProto; dims=3 int64*
StringStringEntryProto: key=1 string; value=2 string
ValueInfoProto: name=1 string; type=2 TypeProto; doc_string=3 string
TypeProto: tensor_type=1 TypeProto.Tensor ?value; sequence_type=4 TypeProto.Sequence ?value; \
optional_type=9 TypeProto.Optional ?value; denotation=6 string
TypeProto.Tensor: elem_type=1 int32; shape=2 TensorShapeProto
TypeProto.Sequence: elem_type=1 TypeProto
TypeProto.Optional: elem_type=1 TypeProto
TensorShapeProto: dim=1 TensorShapeProto.Dimension*
TensorShapeProto.Dimension: dim_value=1 int64 ?value; dim_param=2 string ?value; denotation=3 string
OperatorSetIdProto: domain=1 string; version=2 int64
FunctionProto: name=1 string; input=4 string*; output=5 string*; attribute=6 string*; attribute_proto=11 AttributeProto*; \
node=7 NodeProto*; doc_string=8 string; opset_import=9 OperatorSetIdProto*; domain=10 string; overload=13 string
"""

FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS = 1, 2, 3, 4, 5, 6, 7, 8  # kinds of attributes

# ONNX's numbers of element types; complex numbers are left out: hardly an op takes them
NUMBERS: dict[DType, int] = {
    dtypes.float32: 1, dtypes.uint8: 2, dtypes.int8: 3, dtypes.uint16: 4, dtypes.int16: 5, dtypes.int32: 6,
    dtypes.int64: 7, dtypes.string: 8, dtypes.bool_: 9, dtypes.float16: 10, dtypes.float64: 11, dtypes.uint32: 12,
    dtypes.uint64: 13, dtypes.bfloat16: 16,
}  # fmt: skip
DTYPES = {number: dtype for dtype, number in NUMBERS.items()}


@once
def _pool() -> Any:
    return pool_of(MESSAGES, "graphrt/onnx.proto", "onnx")


# state: bounded by the messages there are
@once
def message_class(name: str) -> type:
    """The class of message `name` ('ModelProto', 'NodeProto', ...)."""
    return class_of(_pool(), f"onnx.{name}")
