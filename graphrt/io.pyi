# Written by tests/stubs.py from graphrt/api/exports.py.
"""Files, encodings, tensors and images as bytes."""
from graphrt.data.readers.tfrecords import (
    TFRecordOptions as TFRecordOptions, TFRecordWriter as TFRecordWriter
)
from graphrt.graphdef.examples import (
    FixedLenFeature as FixedLenFeature, FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature, SparseFeature as SparseFeature, VarLenFeature as VarLenFeature,
    decode_json_example as decode_json_example, parse_example as parse_example,
    parse_sequence_example as parse_sequence_example, parse_single_example as parse_single_example,
    parse_single_sequence_example as parse_single_sequence_example
)
from graphrt.graphdef.sparse_tensors import (
    deserialize_many_sparse as deserialize_many_sparse, serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse
)
from graphrt.graphdef.tensors import (
    parse_tensor as parse_tensor, serialize_tensor as serialize_tensor
)
from graphrt.graphdef.written import (
    write_graph as write_graph
)
from graphrt.ops.image.codecs.jpeg_gif_webp import (
    decode_and_crop_jpeg as decode_and_crop_jpeg, decode_gif as decode_gif, decode_jpeg as decode_jpeg,
    decode_webp as decode_webp, encode_jpeg as encode_jpeg, extract_jpeg_shape as extract_jpeg_shape
)
from graphrt.ops.image.codecs.png_bmp import (
    decode_bmp as decode_bmp, decode_image as decode_image, decode_png as decode_png, encode_png as encode_png,
    is_jpeg as is_jpeg
)
from graphrt.ops.io.files import (
    decode_compressed as decode_compressed, decode_csv as decode_csv, decode_raw as decode_raw,
    matching_files as matching_files, read_file as read_file, write_file as write_file
)
from graphrt.ops.strings.base64 import (
    decode_base64 as decode_base64, encode_base64 as encode_base64
)
from graphrt.state.file_names import (
    match_filenames_once as match_filenames_once
)
from graphrt.api import io_gfile as io_gfile
gfile = io_gfile
