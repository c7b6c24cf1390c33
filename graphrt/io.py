"""`tf.io`: files, encodings, tensors and images as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from graphrt.graphdef.tensors import (
    parse_tensor,
    serialize_tensor,
)
from graphrt.lazy_names import lazy_names as _lazy_names
from graphrt.ops.files import (
    decode_compressed,
    decode_csv,
    decode_raw,
    matching_files,
    read_file,
    write_file,
)
from graphrt.ops.image_files import (
    decode_bmp,
    decode_image,
    decode_png,
    encode_png,
    is_jpeg,
)
from graphrt.ops.strings import (
    decode_base64,
    encode_base64,
)

if _TYPE_CHECKING:
    from graphrt import io_gfile as gfile  # noqa: F401
    from graphrt.data.record_files import TFRecordOptions, TFRecordWriter  # noqa: F401
    from graphrt.graphdef.examples import (  # noqa: F401
        FixedLenFeature,
        FixedLenSequenceFeature,
        RaggedFeature,
        SparseFeature,
        VarLenFeature,
        decode_json_example,
        parse_example,
        parse_sequence_example,
        parse_single_example,
        parse_single_sequence_example,
    )
    from graphrt.graphdef.sparse_tensors import (  # noqa: F401
        deserialize_many_sparse,
        serialize_many_sparse,
        serialize_sparse,
    )
    from graphrt.graphdef.written import write_graph  # noqa: F401
    from graphrt.ops.image_jpeg import (  # noqa: F401
        decode_and_crop_jpeg,
        decode_gif,
        decode_jpeg,
        decode_webp,
        encode_jpeg,
        extract_jpeg_shape,
    )
    from graphrt.state.file_names import match_filenames_once  # noqa: F401

# imported when they are asked for
_ELSEWHERE = {
    "graphrt.data.record_files": "TFRecordOptions TFRecordWriter",
    "graphrt.graphdef.examples": (
        "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature decode_json_example "
        "parse_example parse_sequence_example parse_single_example parse_single_sequence_example"
    ),
    "graphrt.graphdef.sparse_tensors": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
    "graphrt.graphdef.written": "write_graph",
    "graphrt.ops.image_jpeg": (
        "decode_and_crop_jpeg decode_gif decode_jpeg decode_webp encode_jpeg extract_jpeg_shape"
    ),
    "graphrt.state.file_names": "match_filenames_once",
}
__getattr__, __dir__ = _lazy_names(__name__, _ELSEWHERE, {"gfile": "graphrt.io_gfile"})


__all__ = [
    "decode_base64", "decode_bmp", "decode_compressed", "decode_csv", "decode_image", "decode_png", "decode_raw",
    "encode_base64", "encode_png", "is_jpeg", "matching_files", "parse_tensor", "read_file", "serialize_tensor",
    "write_file",
]  # fmt: skip
