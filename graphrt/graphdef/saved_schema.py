"""The message types of SavedModels, checkpoints, event files and saved datasets, in the notation of `schema.py`.

Enumerations of which nobody needs the names stand as `int32`, which has the same bytes.
"""

SAVED_MESSAGES = """
SnapshotMetadataRecord: graph_hash=1 string; run_id=2 string; creation_timestamp=3 int64; version=4 int64; \
dtype=5 DataType*; num_elements=6 int64; finalized=1000 bool
FingerprintDef: saved_model_checksum=1 uint64; graph_def_program_hash=2 uint64; signature_def_hash=3 uint64; \
saved_object_graph_hash=4 uint64; checkpoint_hash=5 uint64; version=6 VersionDef; uuid=7 string
SavedModel: saved_model_schema_version=1 int64; meta_graphs=2 MetaGraphDef*
MetaGraphDef: meta_info_def=1 MetaGraphDef.MetaInfoDef; graph_def=2 GraphDef; saver_def=3 SaverDef; \
collection_def=4 map<string,CollectionDef>; signature_def=5 map<string,SignatureDef>; asset_file_def=6 AssetFileDef*; \
object_graph_def=7 SavedObjectGraph
MetaGraphDef.MetaInfoDef: meta_graph_version=1 string; tags=4 string*; tensorflow_version=5 string; \
tensorflow_git_version=6 string; stripped_default_attrs=7 bool; function_aliases=8 map<string,string>
CollectionDef: node_list=1 CollectionDef.NodeList ?kind; bytes_list=2 CollectionDef.BytesList ?kind; \
any_list=5 CollectionDef.AnyList ?kind
CollectionDef.NodeList: value=1 string*
CollectionDef.BytesList: value=1 bytes*
CollectionDef.AnyList: value=1 AnyMessage*
AnyMessage: type_url=1 string; value=2 bytes
VariableDef: variable_name=1 string; initializer_name=2 string; snapshot_name=3 string; is_resource=5 bool; \
initial_value_name=6 string; trainable=7 bool; synchronization=8 int32; aggregation=9 int32
SaverDef: filename_tensor_name=1 string; save_tensor_name=2 string; restore_op_name=3 string; max_to_keep=4 int32; \
sharded=5 bool; keep_checkpoint_every_n_hours=6 float; version=7 int32
SignatureDef: inputs=1 map<string,TensorInfo>; outputs=2 map<string,TensorInfo>; method_name=3 string; \
defaults=4 map<string,TensorProto>
TensorInfo: name=1 string ?encoding; dtype=2 DataType; tensor_shape=3 TensorShapeProto; \
coo_sparse=4 TensorInfo.CooSparse ?encoding; composite_tensor=5 TensorInfo.CompositeTensor ?encoding
TensorInfo.CooSparse: values_tensor_name=1 string; indices_tensor_name=2 string; dense_shape_tensor_name=3 string
TensorInfo.CompositeTensor: type_spec=1 TypeSpecProto; components=2 TensorInfo*
AssetFileDef: tensor_info=1 TensorInfo; filename=2 string
SavedObjectGraph: nodes=1 SavedObject*; concrete_functions=2 map<string,SavedConcreteFunction>
SavedObject: children=1 ObjectReference*; dependencies=15 ObjectReference*; slot_variables=3 SlotVariableReference*; \
user_object=4 SavedUserObject ?kind; asset=5 SavedAsset ?kind; function=6 SavedFunction ?kind; \
variable=7 SavedVariable ?kind; bare_concrete_function=8 SavedBareConcreteFunction ?kind; \
constant=9 SavedConstant ?kind; resource=10 SavedResource ?kind; captured_tensor=12 CapturedTensor ?kind; \
saveable_objects=11 map<string,SaveableObject>; registered_name=13 string; registered_saver=16 string
ObjectReference: node_id=1 int32; local_name=2 string
SlotVariableReference: original_variable_node_id=1 int32; slot_name=2 string; slot_variable_node_id=3 int32
SavedUserObject: identifier=1 string; version=2 VersionDef; metadata=3 string
SavedAsset: asset_file_def_index=1 int32
SavedFunction: concrete_functions=1 string*; function_spec=2 FunctionSpec
CapturedTensor: name=1 string; concrete_function=2 string
SavedConcreteFunction: bound_inputs=2 int32*; canonicalized_input_signature=3 StructuredValue; \
output_signature=4 StructuredValue
SavedBareConcreteFunction: concrete_function_name=1 string; argument_keywords=2 string*; \
allowed_positional_arguments=3 int64; function_spec=4 FunctionSpec
SavedConstant: operation=1 string
SavedVariable: dtype=1 DataType; shape=2 TensorShapeProto; trainable=3 bool; synchronization=4 int32; \
aggregation=5 int32; name=6 string; device=7 string
FunctionSpec: fullargspec=1 StructuredValue; is_method=2 bool; input_signature=5 StructuredValue; jit_compile=6 int32
SavedResource: device=1 string
SaveableObject: save_function=2 int32; restore_function=3 int32
StructuredValue: none_value=1 NoneValue ?kind; float64_value=11 double ?kind; int64_value=12 sint64 ?kind; \
string_value=13 string ?kind; bool_value=14 bool ?kind; tensor_shape_value=31 TensorShapeProto ?kind; \
tensor_dtype_value=32 DataType ?kind; tensor_spec_value=33 TensorSpecProto ?kind; \
type_spec_value=34 TypeSpecProto ?kind; bounded_tensor_spec_value=35 BoundedTensorSpecProto ?kind; \
list_value=51 ListValue ?kind; tuple_value=52 TupleValue ?kind; dict_value=53 DictValue ?kind; \
named_tuple_value=54 NamedTupleValue ?kind; tensor_value=55 TensorProto ?kind; numpy_value=56 TensorProto ?kind
NoneValue:
ListValue: values=1 StructuredValue*
TupleValue: values=1 StructuredValue*
DictValue: fields=1 map<string,StructuredValue>
PairValue: key=1 string; value=2 StructuredValue
NamedTupleValue: name=1 string; values=2 PairValue*
TensorSpecProto: name=1 string; shape=2 TensorShapeProto; dtype=3 DataType
BoundedTensorSpecProto: name=1 string; shape=2 TensorShapeProto; dtype=3 DataType; minimum=4 TensorProto; \
maximum=5 TensorProto
TypeSpecProto: type_spec_class=1 int32; type_state=2 StructuredValue; type_spec_class_name=3 string; \
num_flat_components=4 int32
TrackableObjectGraph: nodes=1 TrackableObject*
TrackableObject: children=1 ObjectReference*; attributes=2 SerializedTensor*; slot_variables=3 SlotVariableReference*; \
registered_saver=4 RegisteredSaver; has_checkpoint_values=5 BoolValue
SerializedTensor: name=1 string; full_name=2 string; checkpoint_key=3 string
RegisteredSaver: name=1 string; object_name=2 string
BoolValue: value=1 bool
CheckpointState: model_checkpoint_path=1 string; all_model_checkpoint_paths=2 string*; \
all_model_checkpoint_timestamps=3 double*; last_preserved_timestamp=4 double
BundleHeaderProto: num_shards=1 int32; endianness=2 int32; version=3 VersionDef
BundleEntryProto: dtype=1 DataType; shape=2 TensorShapeProto; shard_id=3 int32; offset=4 int64; size=5 int64; \
crc32c=6 fixed32; slices=7 TensorSliceProto*
TensorSliceProto: extent=1 Extent*
Extent: start=1 int64; length=2 int64
"""
