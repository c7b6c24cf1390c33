"""The ops by family. Importing this room declares them all."""

from graphrt.ir.op import declare_later
from graphrt.ops import (
    arithmetic,
    assertions,
    bitwise,
    casting,
    comparison,
    contraction,
    convolution,
    counting,
    creation,
    decompositions,
    diagonals,
    division,
    elementwise,
    gather_scatter,
    indexing,
    joining,
    linalg,
    logical,
    nn,
    numpy_functions,
    numpy_protocol,
    random,
    random_bits,
    random_ops,
    random_samplers,
    reduction,
    segments,
    shape,
    sorting,
    special,
    special_functions,
    special_kernels,
    strings,
    tensor_array,
    tensor_list,
    text_io,
)

# Families that few programs need: imported when one of their ops or functions is looked up.
LATER = {
    "fft": """
        FFT FFT2D FFT3D FFTND IFFT IFFT2D IFFT3D IFFTND IRFFT IRFFT2D IRFFT3D IRFFTND RFFT RFFT2D RFFT3D RFFTND
    """,
    "signal": """
        frame
    """,
    "image": """
        ExtractImagePatches ExtractVolumePatches crop_to_bounding_box image_and_top pad_to_bounding_box
    """,
    "image_boxes": """
        CombinedNonMaxSuppression CropAndResize CropAndResizeGradBoxes CropAndResizeGradImage DrawBoundingBoxesV2
        ExtractGlimpseV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps
    """,
    "image_color": """
        AdjustContrastv2 AdjustHue AdjustSaturation HSVToRGB RGBToHSV adjust_brightness adjust_contrast adjust_hue
        adjust_saturation convert_image_dtype
    """,
    "image_files": """
        DecodeBmp DecodeImage DecodePng EncodePng
    """,
    "image_jpeg": """
        DecodeAndCropJpeg DecodeGif DecodeJpeg DecodeWebP EncodeJpeg EncodeJpegVariableQuality ExtractJpegShape
        decode_jpeg encode_jpeg
    """,
    "image_resize": """
        ResizeArea ResizeBicubic ResizeBicubicGrad ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor
        ResizeNearestNeighborGrad ScaleAndTranslate ScaleAndTranslateGrad resize
    """,
    "files": """
        DecodeCSV DecodeCompressed DecodePaddedRaw DecodeRaw MatchingFiles ReadFile WriteFile
    """,
    "sets": """
        DenseToDenseSetOperation DenseToSparseSetOperation EditDistance SetSize SparseToDense
        SparseToSparseSetOperation
    """,
    "indexing_arrays": """
        gather_items is_array
    """,
    "volumes": """
        AvgPool3D AvgPool3DGrad BatchToSpaceND Conv3D Conv3DBackpropFilterV2 Conv3DBackpropInputV2 MaxPool3D
        MaxPool3DGrad MaxPool3DGradGrad MaxPoolGradWithArgmax MaxPoolWithArgmax SpaceToBatchND avg_pool3d
        batch_to_space max_pool3d space_to_batch_nd
    """,
    "matrix_solvers": """
        BandedTriangularSolve MatrixLogarithm TridiagonalMatMul TridiagonalSolve
    """,
    "unicode": """
        StringToHashBucketStrong UnicodeEncode UnicodeTranscode UnsortedSegmentJoin
    """,
    "audio": """
        DecodeWav EncodeWav
    """,
    "quantization": """
        FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsGradient
        FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient QuantizeAndDequantizeV2
        QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad
    """,
    "older": """
        BatchMatMul BatchMatMulV3 BatchToSpace BiasAddV1 Bucketize Concat ConcatOffset DataFormatDimMap
        DataFormatVecPermute DeepCopy DrawBoundingBoxes Empty Gather InTopK InplaceAdd InplaceSub InplaceUpdate
        ListDiff MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagV2 MatrixSetDiag MatrixSetDiagV2 MatrixSolveLs
        NearestNeighbors NonMaxSuppression NonMaxSuppressionV2 NthElement ParallelDynamicStitch PlaceholderWithDefault
        Reverse ScatterNdNonAliasingAdd SegmentMaxV2 SegmentMinV2 SegmentProdV2 SegmentSumV2 ShardedFilename
        ShardedFilespec Snapshot SpaceToBatch StringSplit TileGrad ToBool TopK UniqueV2 UniqueWithCountsV2
    """,
    "fused_norm": """
        FusedBatchNorm FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3
        FusedBatchNormV2 FusedBatchNormV3
    """,
    "image_crops": """
        SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox
    """,
    "grouping": """
        GuaranteeConst ParallelConcat
    """,
    "ragged": """
        RaggedGather RaggedRange RaggedTensorToSparse RaggedTensorToTensor bincount_splits ragged_getitem ragged_rows
        ragged_rows_of_several
    """,
    "candidates": """
        AllCandidateSampler ComputeAccidentalHits FixedUnigramCandidateSampler LearnedUnigramCandidateSampler
        LogUniformCandidateSampler UniformCandidateSampler
    """,
    "ctc": """
        CTCBeamSearchDecoder CTCGreedyDecoder CTCLoss
    """,
    "morphology": """
        Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput FractionalAvgPool FractionalAvgPoolGrad
        FractionalMaxPool FractionalMaxPoolGrad
    """,
    "sobol": """
        SobolSample
    """,
    "nn_rest": """
        IsotonicRegression
    """,
    "hashes": """
        Fingerprint StringToHashBucket StringToHashBucketFast fingerprint64 fingerprint_concat64
    """,
    "unicode_decode": """
        StringNGrams UnicodeDecode UnicodeDecodeWithOffsets UnicodeScript
    """,
    "sparse.tensor": """
        sparse_tensor
    """,
}
for _module, _names in LATER.items():
    declare_later(f"graphrt.ops.{_module}", _names)

__all__ = [
    "arithmetic",
    "assertions",
    "bitwise",
    "casting",
    "comparison",
    "contraction",
    "convolution",
    "counting",
    "creation",
    "decompositions",
    "diagonals",
    "division",
    "elementwise",
    "gather_scatter",
    "indexing",
    "joining",
    "linalg",
    "logical",
    "nn",
    "numpy_functions",
    "numpy_protocol",
    "random",
    "random_bits",
    "random_ops",
    "random_samplers",
    "reduction",
    "segments",
    "shape",
    "sorting",
    "special",
    "special_functions",
    "special_kernels",
    "strings",
    "tensor_array",
    "tensor_list",
    "text_io",
]
