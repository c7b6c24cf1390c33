"""The message types of GraphDef, written as a table and turned into protobuf classes.

    NodeDef: name=1 string; op=2 string; input=3 string*; attr=5 map<string,AttrValue>

A field is `name=number type`; `*` repeats it, `map<key,value>` is a map, `?oneof` makes it a member of that oneof.
Field numbers and names are those of the format, so that files are read by everything that reads GraphDefs.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from graphrt.errors import InternalError
from graphrt.graphdef.saved_schema import SAVED_MESSAGES

PACKAGE = "tensorflow"

MESSAGES = """
GraphDef: node=1 NodeDef*; library=2 FunctionDefLibrary; version=3 int32; versions=4 VersionDef
VersionDef: producer=1 int32; min_consumer=2 int32; bad_consumers=3 int32*
NodeDef: name=1 string; op=2 string; input=3 string*; device=4 string; attr=5 map<string,AttrValue>; \
experimental_debug_info=6 NodeDef.ExperimentalDebugInfo; experimental_type=7 FullTypeDef
NodeDef.ExperimentalDebugInfo: original_node_names=1 string*; original_func_names=2 string*
AttrValue: list=1 AttrValue.ListValue ?value; s=2 bytes ?value; i=3 int64 ?value; f=4 float ?value; b=5 bool ?value; \
type=6 DataType ?value; shape=7 TensorShapeProto ?value; tensor=8 TensorProto ?value; placeholder=9 string ?value; \
func=10 NameAttrList ?value
AttrValue.ListValue: s=2 bytes*; i=3 int64*; f=4 float*; b=5 bool*; type=6 DataType*; shape=7 TensorShapeProto*; \
tensor=8 TensorProto*; func=9 NameAttrList*
NameAttrList: name=1 string; attr=2 map<string,AttrValue>
TensorShapeProto: dim=2 TensorShapeProto.Dim*; unknown_rank=3 bool
TensorShapeProto.Dim: size=1 int64; name=2 string
TensorProto: dtype=1 DataType; tensor_shape=2 TensorShapeProto; version_number=3 int32; tensor_content=4 bytes; \
float_val=5 float*; double_val=6 double*; int_val=7 int32*; string_val=8 bytes*; scomplex_val=9 float*; \
int64_val=10 int64*; bool_val=11 bool*; dcomplex_val=12 double*; half_val=13 int32*; \
resource_handle_val=14 ResourceHandleProto*; variant_val=15 VariantTensorDataProto*; uint32_val=16 uint32*; \
uint64_val=17 uint64*; float8_val=18 bytes
ResourceHandleProto: device=1 string; container=2 string; name=3 string; hash_code=4 uint64; maybe_type_name=5 string; \
dtypes_and_shapes=6 ResourceHandleProto.DtypeAndShape*
ResourceHandleProto.DtypeAndShape: dtype=1 DataType; shape=2 TensorShapeProto
VariantTensorDataProto: type_name=1 string; metadata=2 bytes; tensors=3 TensorProto*
FunctionDefLibrary: function=1 FunctionDef*; gradient=2 GradientDef*; registered_gradients=3 RegisteredGradient*
GradientDef: function_name=1 string; gradient_func=2 string
RegisteredGradient: gradient_func=1 string; registered_op_type=2 string
FunctionDef: signature=1 OpDef; node_def=3 NodeDef*; ret=4 map<string,string>; attr=5 map<string,AttrValue>; \
control_ret=6 map<string,string>; arg_attr=7 map<uint32,FunctionDef.ArgAttrs>; \
resource_arg_unique_id=8 map<uint32,uint32>
FunctionDef.ArgAttrs: attr=1 map<string,AttrValue>
OpDef: name=1 string; input_arg=2 OpDef.ArgDef*; output_arg=3 OpDef.ArgDef*; attr=4 OpDef.AttrDef*; summary=5 string; \
description=6 string; deprecation=8 OpDeprecation; is_aggregate=16 bool; is_stateful=17 bool; is_commutative=18 bool; \
allows_uninitialized_input=19 bool; control_output=20 string*; is_distributed_communication=21 bool
OpDef.ArgDef: name=1 string; description=2 string; type=3 DataType; type_attr=4 string; number_attr=5 string; \
type_list_attr=6 string; handle_data=7 ResourceHandleProto.DtypeAndShape*; is_ref=16 bool; \
experimental_full_type=17 FullTypeDef
OpDef.AttrDef: name=1 string; type=2 string; default_value=3 AttrValue; description=4 string; has_minimum=5 bool; \
minimum=6 int64; allowed_values=7 AttrValue
OpDeprecation: version=1 int32; explanation=2 string
FullTypeDef: type_id=1 FullTypeId; args=2 FullTypeDef*; s=3 string ?attr; i=4 int64 ?attr
"""

ENUMS = {
    "DataType": (
        "DT_INVALID=0 DT_FLOAT=1 DT_DOUBLE=2 DT_INT32=3 DT_UINT8=4 DT_INT16=5 DT_INT8=6 DT_STRING=7 DT_COMPLEX64=8 "
        "DT_INT64=9 DT_BOOL=10 DT_QINT8=11 DT_QUINT8=12 DT_QINT32=13 DT_BFLOAT16=14 DT_QINT16=15 DT_QUINT16=16 "
        "DT_UINT16=17 DT_COMPLEX128=18 DT_HALF=19 DT_RESOURCE=20 DT_VARIANT=21 DT_UINT32=22 DT_UINT64=23 "
        "DT_FLOAT8_E5M2=24 DT_FLOAT8_E4M3FN=25 DT_INT4=29 DT_UINT4=30"
    ),
    "FullTypeId": (
        "TFT_UNSET=0 TFT_PRODUCT=3 TFT_TENSOR=1000 TFT_ARRAY=1001 TFT_SHAPE_TENSOR=1005 TFT_BOOL=200 TFT_UINT8=201 "
        "TFT_UINT16=202 TFT_UINT32=203 TFT_UINT64=204 TFT_INT8=205 TFT_INT16=206 TFT_INT32=207 TFT_INT64=208 "
        "TFT_HALF=209 TFT_FLOAT=210 TFT_DOUBLE=211 TFT_COMPLEX64=212 TFT_COMPLEX128=213 TFT_STRING=214 "
        "TFT_BFLOAT16=215 TFT_DATASET=10102"
    ),
}
ENUMS["DataType"] += "".join(  # references, as TensorFlow 1 has them
    f" {name}_REF={100 + int(number)}" for name, number in (p.split("=") for p in ENUMS["DataType"].split()[1:])
)
FULL_TYPE_OF = {
    "float16": "HALF", "float32": "FLOAT", "float64": "DOUBLE", "bool": "BOOL", "string": "STRING",
}  # fmt: skip

_SCALARS = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed32": 7, "bool": 8, "string": 9, "bytes": 12,
    "uint32": 13, "sint64": 18,
}  # fmt: skip
_MESSAGE, _ENUM, _OPTIONAL, _REPEATED = 11, 14, 1, 3


def _fill_enum(enum: Any, name: str, text: str) -> None:
    enum.name = name
    for part in text.split():
        key, _, number = part.partition("=")
        value = enum.value.add()
        value.name, value.number = key, int(number)


def _set_type(field: Any, type_: str, package: str) -> None:
    if type_ in _SCALARS:
        field.type = _SCALARS[type_]
    else:
        field.type = _ENUM if type_ in ENUMS else _MESSAGE
        field.type_name = f".{package}.{type_}"


def _add_field(message: Any, text: str, full_name: str, oneofs: dict[str, int], package: str) -> None:
    name, _, rest = text.strip().partition("=")
    number, type_, *member = rest.split()
    field = message.field.add()
    field.name, field.number, field.label = name, int(number), _OPTIONAL
    if type_.startswith("map<"):
        key, _, value = type_[4:-1].partition(",")
        entry = message.nested_type.add()
        entry.name = "".join(w.capitalize() for w in name.split("_")) + "Entry"
        entry.options.map_entry = True
        for number_, (part, part_type) in enumerate((("key", key), ("value", value)), 1):
            inner = entry.field.add()
            inner.name, inner.number, inner.label = part, number_, _OPTIONAL
            _set_type(inner, part_type, package)
        field.label, field.type, field.type_name = _REPEATED, _MESSAGE, f".{package}.{full_name}.{entry.name}"
        return
    if type_.endswith("*"):
        field.label = _REPEATED
    _set_type(field, type_.rstrip("*"), package)
    if member:
        oneof = member[0][1:]
        if oneof not in oneofs:
            oneofs[oneof] = len(message.oneof_decl)
            message.oneof_decl.add().name = oneof
        field.oneof_index = oneofs[oneof]


def file_descriptor(messages: str, file: str = "graphrt/graph.proto", package: str = PACKAGE) -> Any:
    """The table `messages` as a `FileDescriptorProto` (proto3)."""
    proto = descriptor_pb2.FileDescriptorProto(name=file, package=package, syntax="proto3")
    for name, text in ENUMS.items():
        _fill_enum(proto.enum_type.add(), name, text)
    found: dict[str, Any] = {}
    for line in messages.strip().splitlines():
        full_name, _, fields = line.partition(":")
        outer, _, inner = full_name.rpartition(".")
        message = found[outer].nested_type.add() if outer else proto.message_type.add()
        message.name = inner
        found[full_name] = message
        oneofs: dict[str, int] = {}
        for field in filter(str.strip, fields.split(";")):
            _add_field(message, field, full_name, oneofs, package)
    return proto


_P = ParamSpec("_P")
_T = TypeVar("_T")


def once(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """`function`, called once for each of its arguments, by one thread: two classes of one message do not fit each other.

    >>> @once
    ... def made(name):
    ...     print("made")
    ...     return [name]
    >>> made("a") is made("a")
    made
    True
    """
    kept = functools.cache(function)

    @functools.wraps(function)
    def asked(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with _making:
            return kept(*args, **kwargs)  # type: ignore[arg-type]

    return asked


_making = threading.RLock()


def pool_of(messages: str, file: str, package: str) -> Any:
    """A pool of its own that holds the table `messages`: others in the process may hold the same names."""
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file_descriptor(messages, file, package).SerializeToString())
    return pool


def class_of(pool: Any, name: str) -> type:
    """The class of the message of the full name `name` in `pool`.

    Raises:
      InternalError: there is none.
    """
    try:
        descriptor = pool.FindMessageTypeByName(name)
    except KeyError:
        raise InternalError(None, None, f"no message {name!r} is declared") from None
    factory: Any = message_factory
    if hasattr(factory, "GetMessageClass"):
        return factory.GetMessageClass(descriptor)
    return factory.MessageFactory(pool).GetPrototype(descriptor)  # protobuf before 4.22


@once
def _pool() -> Any:
    return pool_of(MESSAGES + SAVED_MESSAGES.lstrip(), "graphrt/graph.proto", PACKAGE)


# state: bounded by the messages there are
@once
def message_class(name: str) -> type:
    """The class of message `name` ('GraphDef', 'NodeDef', ...)."""
    return class_of(_pool(), f"{PACKAGE}.{name}")


def enum_number(enum: str, name: str) -> int:
    """The number of a name of an enumeration."""
    return int(_pool().FindEnumTypeByName(f"{PACKAGE}.{enum}").values_by_name[name].number)
