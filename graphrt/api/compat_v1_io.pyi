# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.io import (
    FixedLenFeature as FixedLenFeature, FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature, SparseFeature as SparseFeature, TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter, VarLenFeature as VarLenFeature, decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_base64 as decode_base64, decode_bmp as decode_bmp, decode_compressed as decode_compressed,
    decode_gif as decode_gif, decode_image as decode_image, decode_jpeg as decode_jpeg,
    decode_json_example as decode_json_example, decode_png as decode_png, decode_webp as decode_webp,
    deserialize_many_sparse as deserialize_many_sparse, encode_base64 as encode_base64, encode_jpeg as encode_jpeg,
    encode_png as encode_png, extract_jpeg_shape as extract_jpeg_shape, is_jpeg as is_jpeg,
    match_filenames_once as match_filenames_once, matching_files as matching_files,
    parse_sequence_example as parse_sequence_example, parse_single_sequence_example as parse_single_sequence_example,
    parse_tensor as parse_tensor, read_file as read_file, serialize_tensor as serialize_tensor,
    write_file as write_file, write_graph as write_graph
)
from graphrt.queue import (
    PaddingFIFOQueue as PaddingFIFOQueue, PriorityQueue as PriorityQueue, QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue
)
