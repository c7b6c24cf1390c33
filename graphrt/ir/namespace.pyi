# Written by tests/stubs.py: what `graphrt.ir.op.ops` finds, with the types of its declaration.
from graphrt.autodiff.backward_graphs import (
    call_gradient as call_gradient, run_traced as run_traced
)
from graphrt.autodiff.tape import (
    gradient_tape as gradient_tape
)
from graphrt.control_flow.branches import (
    cond as cond
)
from graphrt.control_flow.checkpoints import (
    checkpointed_loop_gradient as checkpointed_loop_gradient
)
from graphrt.control_flow.gradients import (
    conditional_gradient as conditional_gradient, loop_gradient as loop_gradient
)
from graphrt.control_flow.while_loop import (
    while_loop as while_loop
)
from graphrt.data.dataset import (
    saved_dataset_spec as saved_dataset_spec
)
from graphrt.data.gradients import (
    reduce_gradient as reduce_gradient
)
from graphrt.data.optional import (
    saved_optional_spec as saved_optional_spec
)
from graphrt.function.call import (
    call_graph as call_graph, run_graph as run_graph
)
from graphrt.function.pickling import (
    reduced_concrete as reduced_concrete
)
from graphrt.graphdef import (
    function_def as function_def, graph_def as graph_def, node_def as node_def
)
from graphrt.numpy_api.functions import (
    array_function as array_function, array_namespace as array_namespace, to_device as to_device
)
from graphrt.numpy_api.ufuncs import (
    array_ufunc as array_ufunc
)
from graphrt.ops.array.advanced_indexing import (
    gather_items as gather_items, is_array as is_array
)
from graphrt.ops.array.concat_split import (
    concat as concat, split as split, stack as stack, unstack as unstack
)
from graphrt.ops.array.creation import (
    eye as eye, fill as fill, ones as ones, ones_like as ones_like, range as range, sequence_mask as sequence_mask,
    zeros as zeros, zeros_like as zeros_like
)
from graphrt.ops.array.gather_scatter import (
    gather as gather, gather_nd as gather_nd, scatter_nd as scatter_nd,
    tensor_scatter_nd_update as tensor_scatter_nd_update
)
from graphrt.ops.array.identity import (
    ensure_shape as ensure_shape, identity as identity, stop_gradient as stop_gradient
)
from graphrt.ops.array.indexed_slices import (
    indexed_slices as indexed_slices
)
from graphrt.ops.array.padding import (
    pad as pad, reverse as reverse, roll as roll
)
from graphrt.ops.array.repetition import (
    repeat as repeat, tile as tile
)
from graphrt.ops.array.selection import (
    where as where
)
from graphrt.ops.array.shape import (
    broadcast_dynamic_shape as broadcast_dynamic_shape, broadcast_to as broadcast_to, expand_dims as expand_dims,
    invert_permutation as invert_permutation, rank as rank, reshape as reshape, shape as shape, size as size,
    squeeze as squeeze, transpose as transpose
)
from graphrt.ops.array.slicing import (
    boolean_mask as boolean_mask, getitem as getitem
)
from graphrt.ops.array.sorting import (
    argsort as argsort, searchsorted as searchsorted, sort as sort, top_k as top_k
)
from graphrt.ops.image.codecs.jpeg_gif_webp import (
    decode_jpeg as decode_jpeg, encode_jpeg as encode_jpeg
)
from graphrt.ops.image.color import (
    adjust_brightness as adjust_brightness, adjust_contrast as adjust_contrast, adjust_hue as adjust_hue,
    adjust_saturation as adjust_saturation, convert_image_dtype as convert_image_dtype
)
from graphrt.ops.image.resize import (
    resize as resize
)
from graphrt.ops.image.transforms import (
    crop_to_bounding_box as crop_to_bounding_box, image_and_top as image_and_top,
    pad_to_bounding_box as pad_to_bounding_box
)
from graphrt.ops.io.printing import (
    assert_that as assert_that, print as print
)
from graphrt.ops.linalg.decompositions import (
    inv as inv, matrix_transpose as matrix_transpose, solve as solve, svd as svd, triangular_solve as triangular_solve
)
from graphrt.ops.linalg.diagonals import (
    band_part as band_part, diag as diag, diag_part as diag_part, set_diag as set_diag, trace as trace
)
from graphrt.ops.linalg.einsum import (
    einsum as einsum, tensordot as tensordot
)
from graphrt.ops.linalg.matmul import (
    matmul as matmul
)
from graphrt.ops.linalg.norms import (
    norm as norm
)
from graphrt.ops.lists.tensor_list import (
    tensor_list_of as tensor_list_of
)
from graphrt.ops.math.arg_extrema import (
    argmax as argmax, argmin as argmin
)
from graphrt.ops.math.arithmetic import (
    accumulate_n as accumulate_n, add as add, add_n as add_n, atan2 as atan2, clip_by_value as clip_by_value,
    maximum as maximum, minimum as minimum, multiply as multiply, multiply_no_nan as multiply_no_nan,
    nextafter as nextafter, plus as plus, pow as pow, power_modulo as power_modulo, scalar_mul as scalar_mul,
    squared_difference as squared_difference, subtract as subtract, times as times, xdivy as xdivy,
    xlog1py as xlog1py, xlogy as xlogy
)
from graphrt.ops.math.bitwise import (
    bitwise_and as bitwise_and, bitwise_or as bitwise_or, bitwise_xor as bitwise_xor, invert as invert,
    left_shift as left_shift, population_count as population_count, right_shift as right_shift
)
from graphrt.ops.math.casting import (
    bitcast as bitcast, cast as cast, complex as complex, saturate_cast as saturate_cast
)
from graphrt.ops.math.clip import (
    clip_by_global_norm as clip_by_global_norm, clip_by_norm as clip_by_norm, global_norm as global_norm
)
from graphrt.ops.math.comparison import (
    approximate_equal as approximate_equal, equal as equal, greater as greater, greater_equal as greater_equal,
    less as less, less_equal as less_equal, not_equal as not_equal, tensor_equals as tensor_equals,
    tensor_not_equals as tensor_not_equals
)
from graphrt.ops.math.cumulative import (
    cumprod as cumprod, cumsum as cumsum, cumulative_logsumexp as cumulative_logsumexp
)
from graphrt.ops.math.division import (
    divide as divide, divide_no_nan as divide_no_nan, floordiv as floordiv, floormod as floormod, realdiv as realdiv,
    reciprocal_no_nan as reciprocal_no_nan, true_divide as true_divide, truediv as truediv,
    truncatediv as truncatediv, truncatemod as truncatemod
)
from graphrt.ops.math.elementwise import (
    abs as abs, acos as acos, acosh as acosh, angle as angle, asin as asin, asinh as asinh, atan as atan,
    atanh as atanh, ceil as ceil, conj as conj, cos as cos, cosh as cosh, exp as exp, expm1 as expm1, floor as floor,
    imag as imag, is_finite as is_finite, is_inf as is_inf, is_nan as is_nan, log as log, log1p as log1p,
    log_sigmoid as log_sigmoid, negative as negative, real as real, reciprocal as reciprocal, rint as rint,
    round as round, rsqrt as rsqrt, sigmoid as sigmoid, sign as sign, sin as sin, sinh as sinh, sqrt as sqrt,
    square as square, tan as tan, tanh as tanh
)
from graphrt.ops.math.histogram import (
    bincount as bincount, confusion_matrix as confusion_matrix, histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins, is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing
)
from graphrt.ops.math.logical import (
    bit_and as bit_and, bit_not as bit_not, bit_or as bit_or, bit_xor as bit_xor, logical_and as logical_and,
    logical_not as logical_not, logical_or as logical_or, logical_xor as logical_xor
)
from graphrt.ops.math.reduction import (
    count_nonzero as count_nonzero, reduce_all as reduce_all, reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm, reduce_logsumexp as reduce_logsumexp, reduce_max as reduce_max,
    reduce_mean as reduce_mean, reduce_min as reduce_min, reduce_prod as reduce_prod, reduce_std as reduce_std,
    reduce_sum as reduce_sum, reduce_variance as reduce_variance, zero_fraction as zero_fraction
)
from graphrt.ops.math.segments import (
    segment_max as segment_max, segment_mean as segment_mean, segment_min as segment_min,
    segment_prod as segment_prod, segment_sum as segment_sum, unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean, unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod, unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum
)
from graphrt.ops.math.special.bessel import (
    bessel_i0 as bessel_i0, bessel_i0e as bessel_i0e, bessel_i1 as bessel_i1, bessel_i1e as bessel_i1e,
    bessel_j0 as bessel_j0, bessel_j1 as bessel_j1, bessel_k0 as bessel_k0, bessel_k0e as bessel_k0e,
    bessel_k1 as bessel_k1, bessel_k1e as bessel_k1e, bessel_y0 as bessel_y0, bessel_y1 as bessel_y1, dawsn as dawsn,
    expint as expint, fresnel_cos as fresnel_cos, fresnel_sin as fresnel_sin, spence as spence
)
from graphrt.ops.math.special.gamma import (
    betainc as betainc, digamma as digamma, erf as erf, erfc as erfc, erfcinv as erfcinv, erfinv as erfinv,
    igamma as igamma, igammac as igammac, lbeta as lbeta, lgamma as lgamma, ndtri as ndtri, polygamma as polygamma,
    polyval as polyval, zeta as zeta
)
from graphrt.ops.nn.activations import (
    log_softmax as log_softmax, relu as relu, silu as silu, softmax as softmax, softplus as softplus,
    softsign as softsign
)
from graphrt.ops.nn.embedding import (
    embedding_lookup as embedding_lookup
)
from graphrt.ops.nn.normalization import (
    l2_normalize as l2_normalize, moments as moments
)
from graphrt.ops.nn.pooling_3d import (
    avg_pool3d as avg_pool3d, max_pool3d as max_pool3d
)
from graphrt.ops.nn.space_to_batch import (
    batch_to_space as batch_to_space, space_to_batch_nd as space_to_batch_nd
)
from graphrt.ops.nn.windows import (
    one_wide as one_wide
)
from graphrt.ops.ragged.functions import (
    bincount_splits as bincount_splits, ragged_rows as ragged_rows, ragged_rows_of_several as ragged_rows_of_several,
    stack_dynamic_partitions as stack_dynamic_partitions
)
from graphrt.ops.ragged.slicing import (
    ragged_getitem as ragged_getitem
)
from graphrt.ops.random.distributions import (
    categorical as categorical, fold_in as fold_in, gamma as gamma, index_shuffle as index_shuffle, normal as normal,
    poisson as poisson, random_index_shuffle as random_index_shuffle, shuffle as shuffle,
    stateless_binomial as stateless_binomial, stateless_categorical as stateless_categorical,
    stateless_gamma as stateless_gamma, stateless_normal as stateless_normal,
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
    stateless_poisson as stateless_poisson, stateless_shuffle as stateless_shuffle,
    stateless_truncated_normal as stateless_truncated_normal, stateless_uniform as stateless_uniform,
    truncated_normal as truncated_normal, uniform as uniform
)
from graphrt.ops.random.sampling_ops import (
    set_seed as set_seed
)
from graphrt.ops.signal.frames import (
    frame as frame
)
from graphrt.ops.sparse.tensor import (
    sparse_tensor as sparse_tensor
)
from graphrt.ops.strings.hashing import (
    fingerprint64 as fingerprint64, fingerprint_concat64 as fingerprint_concat64
)
from graphrt.staging.chosen_items import (
    item_at as item_at
)
from graphrt.staging.order import (
    sorted_list as sorted_list
)
from graphrt.staging.row_of_list import (
    row_of as row_of
)
from graphrt.staging.rows import (
    told as told
)
from graphrt.staging.sequences import (
    all_of as all_of, repeated_sequence as repeated_sequence
)
from graphrt.state.slices import (
    slice_assigner as slice_assigner
)
from graphrt.tensor.scopes import (
    group as group, no_op as no_op
)
from graphrt.tensor.values import (
    is_other_sequence as is_other_sequence
)
from graphrt.tensor.weak import (
    balanced as balanced, meeting as meeting, weak_number as weak_number
)
from graphrt.ir.op import OpDef
Abs: OpDef
AccumulateNV2: OpDef
Acos: OpDef
Acosh: OpDef
Add: OpDef
AddN: OpDef
AddV2: OpDef
AdjustContrastv2: OpDef
AdjustHue: OpDef
AdjustSaturation: OpDef
All: OpDef
AllCandidateSampler: OpDef
Angle: OpDef
AnonymousHashTable: OpDef
AnonymousIteratorV3: OpDef
AnonymousMemoryCache: OpDef
AnonymousSeedGenerator: OpDef
Any: OpDef
ApproximateEqual: OpDef
ArgMax: OpDef
ArgMin: OpDef
AsString: OpDef
Asin: OpDef
Asinh: OpDef
Assert: OpDef
AssertCardinalityDataset: OpDef
AssignAddVariableOp: OpDef
AssignSubVariableOp: OpDef
AssignVariableOp: OpDef
Atan: OpDef
Atan2: OpDef
Atanh: OpDef
AvgPool: OpDef
AvgPool3D: OpDef
AvgPool3DGrad: OpDef
AvgPoolGrad: OpDef
BandedTriangularSolve: OpDef
BatchDatasetV2: OpDef
BatchMatMul: OpDef
BatchMatMulV2: OpDef
BatchMatMulV3: OpDef
BatchToSpace: OpDef
BatchToSpaceND: OpDef
BesselI0: OpDef
BesselI0e: OpDef
BesselI1: OpDef
BesselI1e: OpDef
BesselJ0: OpDef
BesselJ1: OpDef
BesselK0: OpDef
BesselK0e: OpDef
BesselK1: OpDef
BesselK1e: OpDef
BesselY0: OpDef
BesselY1: OpDef
Betainc: OpDef
BiasAdd: OpDef
BiasAddGrad: OpDef
BiasAddV1: OpDef
Bincount: OpDef
Bitcast: OpDef
BitwiseAnd: OpDef
BitwiseOr: OpDef
BitwiseXor: OpDef
BroadcastArgs: OpDef
BroadcastGradientArgs: OpDef
BroadcastTo: OpDef
Bucketize: OpDef
CSVDatasetV2: OpDef
CTCBeamSearchDecoder: OpDef
CTCGreedyDecoder: OpDef
CTCLoss: OpDef
CacheDatasetV2: OpDef
Case: OpDef
Cast: OpDef
Ceil: OpDef
CheckNumerics: OpDef
Cholesky: OpDef
ClipByValue: OpDef
CloseSummaryWriter: OpDef
CombinedNonMaxSuppression: OpDef
Complex: OpDef
ComplexAbs: OpDef
ComputeAccidentalHits: OpDef
Concat: OpDef
ConcatOffset: OpDef
ConcatV2: OpDef
ConcatenateDataset: OpDef
Conj: OpDef
ConjugateTranspose: OpDef
Const: OpDef
ConsumeMutexLock: OpDef
Conv2D: OpDef
Conv2DBackpropFilter: OpDef
Conv2DBackpropInput: OpDef
Conv3D: OpDef
Conv3DBackpropFilterV2: OpDef
Conv3DBackpropInputV2: OpDef
Cos: OpDef
Cosh: OpDef
CreateSummaryFileWriter: OpDef
CropAndResize: OpDef
CropAndResizeGradBoxes: OpDef
CropAndResizeGradImage: OpDef
Cross: OpDef
Cumprod: OpDef
Cumsum: OpDef
CumulativeLogsumexp: OpDef
DataFormatDimMap: OpDef
DataFormatVecPermute: OpDef
DatasetCardinality: OpDef
DatasetToSingleElement: OpDef
Dawsn: OpDef
DecodeAndCropJpeg: OpDef
DecodeBase64: OpDef
DecodeBmp: OpDef
DecodeCSV: OpDef
DecodeCompressed: OpDef
DecodeGif: OpDef
DecodeImage: OpDef
DecodeJSONExample: OpDef
DecodeJpeg: OpDef
DecodePaddedRaw: OpDef
DecodePng: OpDef
DecodeRaw: OpDef
DecodeWav: OpDef
DecodeWebP: OpDef
DeepCopy: OpDef
DenseBincount: OpDef
DenseToDenseSetOperation: OpDef
DenseToSparseBatchDataset: OpDef
DenseToSparseSetOperation: OpDef
DepthToSpace: OpDef
DepthwiseConv2dNative: OpDef
DepthwiseConv2dNativeBackpropFilter: OpDef
DepthwiseConv2dNativeBackpropInput: OpDef
Dequantize: OpDef
DeserializeManySparse: OpDef
DestroyResourceOp: OpDef
Diag: OpDef
DiagPart: OpDef
Digamma: OpDef
Dilation2D: OpDef
Dilation2DBackpropFilter: OpDef
Dilation2DBackpropInput: OpDef
DirectedInterleaveDataset: OpDef
Div: OpDef
DivNoNan: OpDef
DrawBoundingBoxes: OpDef
DrawBoundingBoxesV2: OpDef
DummySeedGenerator: OpDef
DynamicPartition: OpDef
DynamicStitch: OpDef
EagerPyFunc: OpDef
EditDistance: OpDef
Eig: OpDef
Einsum: OpDef
Elu: OpDef
EluGrad: OpDef
Empty: OpDef
EmptyTensorList: OpDef
EncodeBase64: OpDef
EncodeJpeg: OpDef
EncodeJpegVariableQuality: OpDef
EncodePng: OpDef
EncodeWav: OpDef
EnsureShape: OpDef
Equal: OpDef
Erf: OpDef
Erfc: OpDef
Erfinv: OpDef
EuclideanNorm: OpDef
Exp: OpDef
ExpandDims: OpDef
Expint: OpDef
Expm1: OpDef
ExtractGlimpseV2: OpDef
ExtractImagePatches: OpDef
ExtractJpegShape: OpDef
ExtractVolumePatches: OpDef
FFT: OpDef
FFT2D: OpDef
FFT3D: OpDef
FFTND: OpDef
FIFOQueueV2: OpDef
FakeParam: OpDef
FakeQuantWithMinMaxArgs: OpDef
FakeQuantWithMinMaxArgsGradient: OpDef
FakeQuantWithMinMaxVars: OpDef
FakeQuantWithMinMaxVarsGradient: OpDef
FakeQuantWithMinMaxVarsPerChannel: OpDef
FakeQuantWithMinMaxVarsPerChannelGradient: OpDef
Fill: OpDef
FilterDataset: OpDef
Fingerprint: OpDef
FixedLengthRecordDatasetV2: OpDef
FixedUnigramCandidateSampler: OpDef
FlatMapDataset: OpDef
Floor: OpDef
FloorDiv: OpDef
FloorMod: OpDef
FlushSummaryWriter: OpDef
FractionalAvgPool: OpDef
FractionalAvgPoolGrad: OpDef
FractionalMaxPool: OpDef
FractionalMaxPoolGrad: OpDef
FresnelCos: OpDef
FresnelSin: OpDef
FusedBatchNorm: OpDef
FusedBatchNormGrad: OpDef
FusedBatchNormGradV2: OpDef
FusedBatchNormGradV3: OpDef
FusedBatchNormV2: OpDef
FusedBatchNormV3: OpDef
Gather: OpDef
GatherNd: OpDef
GatherV2: OpDef
Greater: OpDef
GreaterEqual: OpDef
GroupByReducerDataset: OpDef
GroupByWindowDataset: OpDef
GuaranteeConst: OpDef
HSVToRGB: OpDef
HashTableV2: OpDef
HistogramFixedWidth: OpDef
IFFT: OpDef
IFFT2D: OpDef
IFFT3D: OpDef
IFFTND: OpDef
IRFFT: OpDef
IRFFT2D: OpDef
IRFFT3D: OpDef
IRFFTND: OpDef
Identity: OpDef
IdentityN: OpDef
If: OpDef
Igamma: OpDef
IgammaGradA: OpDef
Igammac: OpDef
IgnoreErrorsDataset: OpDef
Imag: OpDef
InTopK: OpDef
InTopKV2: OpDef
InitializeTableFromDataset: OpDef
InitializeTableFromTextFileV2: OpDef
InitializeTableV2: OpDef
InplaceAdd: OpDef
InplaceSub: OpDef
InplaceUpdate: OpDef
InterleaveDataset: OpDef
Inv: OpDef
InvGrad: OpDef
Invert: OpDef
InvertPermutation: OpDef
IsFinite: OpDef
IsInf: OpDef
IsNan: OpDef
IsotonicRegression: OpDef
IteratorGetNext: OpDef
IteratorGetNextAsOptional: OpDef
L2Loss: OpDef
LRN: OpDef
LRNGrad: OpDef
LeakyRelu: OpDef
LeakyReluGrad: OpDef
LearnedUnigramCandidateSampler: OpDef
LeftShift: OpDef
Less: OpDef
LessEqual: OpDef
Lgamma: OpDef
LinSpace: OpDef
ListDiff: OpDef
Log: OpDef
Log1p: OpDef
LogMatrixDeterminant: OpDef
LogSoftmax: OpDef
LogUniformCandidateSampler: OpDef
LogicalAnd: OpDef
LogicalNot: OpDef
LogicalOr: OpDef
LookupTableExportV2: OpDef
LookupTableFindV2: OpDef
LookupTableImportV2: OpDef
LookupTableInsertV2: OpDef
LookupTableRemoveV2: OpDef
LookupTableSizeV2: OpDef
LowerBound: OpDef
Lu: OpDef
MakeIterator: OpDef
MapDataset: OpDef
MatMul: OpDef
MatchingFiles: OpDef
MatchingFilesDataset: OpDef
MatrixBandPart: OpDef
MatrixDeterminant: OpDef
MatrixDiag: OpDef
MatrixDiagPart: OpDef
MatrixDiagPartV2: OpDef
MatrixDiagPartV3: OpDef
MatrixDiagV2: OpDef
MatrixDiagV3: OpDef
MatrixInverse: OpDef
MatrixLogarithm: OpDef
MatrixSetDiag: OpDef
MatrixSetDiagV2: OpDef
MatrixSetDiagV3: OpDef
MatrixSolve: OpDef
MatrixSolveLs: OpDef
MatrixSquareRoot: OpDef
MatrixTriangularSolve: OpDef
Max: OpDef
MaxPool: OpDef
MaxPool3D: OpDef
MaxPool3DGrad: OpDef
MaxPool3DGradGrad: OpDef
MaxPoolGrad: OpDef
MaxPoolGradGrad: OpDef
MaxPoolGradWithArgmax: OpDef
MaxPoolWithArgmax: OpDef
Maximum: OpDef
Mean: OpDef
Min: OpDef
Minimum: OpDef
MirrorPad: OpDef
MirrorPadGrad: OpDef
Mod: OpDef
Mul: OpDef
MulNoNan: OpDef
Multinomial: OpDef
MutableDenseHashTableV2: OpDef
MutableHashTableOfTensorsV2: OpDef
MutableHashTableV2: OpDef
MutexLock: OpDef
MutexV2: OpDef
Ndtri: OpDef
NearestNeighbors: OpDef
Neg: OpDef
NextAfter: OpDef
NoOp: OpDef
NonMaxSuppression: OpDef
NonMaxSuppressionV2: OpDef
NonMaxSuppressionV3: OpDef
NonMaxSuppressionV4: OpDef
NonMaxSuppressionV5: OpDef
NonMaxSuppressionWithOverlaps: OpDef
NotEqual: OpDef
NthElement: OpDef
OneHot: OpDef
OnesLike: OpDef
OptionalFromValue: OpDef
OptionalGetValue: OpDef
OptionalHasValue: OpDef
OptionalNone: OpDef
OptionsDataset: OpDef
Pack: OpDef
Pad: OpDef
PadV2: OpDef
PaddedBatchDatasetV2: OpDef
PaddingFIFOQueueV2: OpDef
ParallelBatchDataset: OpDef
ParallelConcat: OpDef
ParallelDynamicStitch: OpDef
ParallelInterleaveDatasetV4: OpDef
ParallelMapDatasetV2: OpDef
ParseExampleV2: OpDef
ParseSequenceExampleV2: OpDef
ParseTensor: OpDef
PartitionedCall: OpDef
Placeholder: OpDef
PlaceholderWithDefault: OpDef
Polygamma: OpDef
PopulationCount: OpDef
Pow: OpDef
PrefetchDataset: OpDef
PreventGradient: OpDef
PrintV2: OpDef
PriorityQueueV2: OpDef
Prod: OpDef
PyFunc: OpDef
PyFuncStateless: OpDef
Qr: OpDef
QuantizeAndDequantizeV2: OpDef
QuantizeAndDequantizeV3: OpDef
QuantizeAndDequantizeV4: OpDef
QuantizeAndDequantizeV4Grad: OpDef
QuantizeDownAndShrinkRange: OpDef
QuantizeV2: OpDef
QuantizedAvgPool: OpDef
QuantizedConcat: OpDef
QuantizedConv2D: OpDef
QuantizedMatMul: OpDef
QuantizedMaxPool: OpDef
QuantizedRelu: OpDef
QuantizedRelu6: OpDef
QuantizedReluX: OpDef
QuantizedReshape: OpDef
QueueCloseV2: OpDef
QueueDequeueManyV2: OpDef
QueueDequeueUpToV2: OpDef
QueueDequeueV2: OpDef
QueueEnqueueManyV2: OpDef
QueueEnqueueV2: OpDef
QueueIsClosedV2: OpDef
QueueSizeV2: OpDef
RFFT: OpDef
RFFT2D: OpDef
RFFT3D: OpDef
RFFTND: OpDef
RGBToHSV: OpDef
RaggedBincount: OpDef
RaggedGather: OpDef
RaggedRange: OpDef
RaggedTensorFromVariant: OpDef
RaggedTensorToSparse: OpDef
RaggedTensorToTensor: OpDef
RaggedTensorToVariant: OpDef
RaggedTensorToVariantGradient: OpDef
RandomDatasetV2: OpDef
RandomGamma: OpDef
RandomGammaGrad: OpDef
RandomIndexShuffle: OpDef
RandomPoissonV2: OpDef
RandomShuffle: OpDef
RandomShuffleQueueV2: OpDef
RandomStandardNormal: OpDef
RandomUniform: OpDef
RandomUniformInt: OpDef
Range: OpDef
RangeDataset: OpDef
Rank: OpDef
ReadFile: OpDef
ReadVariableOp: OpDef
Real: OpDef
RealDiv: OpDef
RebatchDatasetV2: OpDef
Reciprocal: OpDef
ReciprocalGrad: OpDef
ReduceDataset: OpDef
ReduceJoin: OpDef
RegexFullMatch: OpDef
RegexReplace: OpDef
Relu: OpDef
Relu6: OpDef
Relu6Grad: OpDef
ReluGrad: OpDef
RepeatDataset: OpDef
RequantizationRange: OpDef
Requantize: OpDef
Reshape: OpDef
ResizeArea: OpDef
ResizeBicubic: OpDef
ResizeBicubicGrad: OpDef
ResizeBilinear: OpDef
ResizeBilinearGrad: OpDef
ResizeNearestNeighbor: OpDef
ResizeNearestNeighborGrad: OpDef
ResourceApplyAdaMax: OpDef
ResourceApplyAdadelta: OpDef
ResourceApplyAdagrad: OpDef
ResourceApplyAdagradDA: OpDef
ResourceApplyAdagradV2: OpDef
ResourceApplyAdam: OpDef
ResourceApplyAdamWithAmsgrad: OpDef
ResourceApplyAddSign: OpDef
ResourceApplyCenteredRMSProp: OpDef
ResourceApplyFtrl: OpDef
ResourceApplyFtrlV2: OpDef
ResourceApplyGradientDescent: OpDef
ResourceApplyKerasMomentum: OpDef
ResourceApplyMomentum: OpDef
ResourceApplyPowerSign: OpDef
ResourceApplyProximalAdagrad: OpDef
ResourceApplyProximalGradientDescent: OpDef
ResourceApplyRMSProp: OpDef
ResourceCountUpTo: OpDef
ResourceGather: OpDef
ResourceGatherNd: OpDef
ResourceScatterAdd: OpDef
ResourceScatterDiv: OpDef
ResourceScatterMax: OpDef
ResourceScatterMin: OpDef
ResourceScatterMul: OpDef
ResourceScatterNdAdd: OpDef
ResourceScatterNdMax: OpDef
ResourceScatterNdMin: OpDef
ResourceScatterNdSub: OpDef
ResourceScatterNdUpdate: OpDef
ResourceScatterSub: OpDef
ResourceScatterUpdate: OpDef
ResourceSparseApplyAdadelta: OpDef
ResourceSparseApplyAdagrad: OpDef
ResourceSparseApplyAdagradDA: OpDef
ResourceSparseApplyAdagradV2: OpDef
ResourceSparseApplyCenteredRMSProp: OpDef
ResourceSparseApplyFtrl: OpDef
ResourceSparseApplyFtrlV2: OpDef
ResourceSparseApplyKerasMomentum: OpDef
ResourceSparseApplyMomentum: OpDef
ResourceSparseApplyProximalAdagrad: OpDef
ResourceSparseApplyProximalGradientDescent: OpDef
ResourceSparseApplyRMSProp: OpDef
ResourceStridedSliceAssign: OpDef
Reverse: OpDef
ReverseSequence: OpDef
ReverseV2: OpDef
RightShift: OpDef
Rint: OpDef
RngReadAndSkip: OpDef
Roll: OpDef
Round: OpDef
Rsqrt: OpDef
RsqrtGrad: OpDef
SampleDistortedBoundingBoxV2: OpDef
ScaleAndTranslate: OpDef
ScaleAndTranslateGrad: OpDef
ScanDataset: OpDef
ScatterNd: OpDef
ScatterNdNonAliasingAdd: OpDef
SegmentMax: OpDef
SegmentMaxV2: OpDef
SegmentMean: OpDef
SegmentMin: OpDef
SegmentMinV2: OpDef
SegmentProd: OpDef
SegmentProdV2: OpDef
SegmentSum: OpDef
SegmentSumV2: OpDef
Select: OpDef
SelectV2: OpDef
SelfAdjointEigV2: OpDef
Selu: OpDef
SeluGrad: OpDef
SerializeManySparse: OpDef
SerializeSparse: OpDef
SerializeTensor: OpDef
SetSize: OpDef
Shape: OpDef
ShapeN: OpDef
ShardDataset: OpDef
ShardedFilename: OpDef
ShardedFilespec: OpDef
ShuffleDatasetV3: OpDef
Sigmoid: OpDef
SigmoidGrad: OpDef
Sign: OpDef
Sin: OpDef
Sinh: OpDef
Size: OpDef
SkipDataset: OpDef
Slice: OpDef
Snapshot: OpDef
SobolSample: OpDef
Softmax: OpDef
SoftmaxCrossEntropyWithLogits: OpDef
Softplus: OpDef
SoftplusGrad: OpDef
Softsign: OpDef
SoftsignGrad: OpDef
SpaceToBatch: OpDef
SpaceToBatchND: OpDef
SpaceToDepth: OpDef
SparseBincount: OpDef
SparseSoftmaxCrossEntropyWithLogits: OpDef
SparseToDense: OpDef
SparseToSparseSetOperation: OpDef
Spence: OpDef
Split: OpDef
SplitV: OpDef
Sqrt: OpDef
SqrtGrad: OpDef
Square: OpDef
SquaredDifference: OpDef
Squeeze: OpDef
StatefulPartitionedCall: OpDef
StatefulRandomBinomial: OpDef
StatelessCase: OpDef
StatelessIf: OpDef
StatelessMultinomial: OpDef
StatelessParameterizedTruncatedNormal: OpDef
StatelessRandomBinomial: OpDef
StatelessRandomGammaV3: OpDef
StatelessRandomGetAlg: OpDef
StatelessRandomGetKeyCounter: OpDef
StatelessRandomGetKeyCounterAlg: OpDef
StatelessRandomNormalV2: OpDef
StatelessRandomPoisson: OpDef
StatelessRandomUniformFullIntV2: OpDef
StatelessRandomUniformIntV2: OpDef
StatelessRandomUniformV2: OpDef
StatelessSampleDistortedBoundingBox: OpDef
StatelessShuffle: OpDef
StatelessTruncatedNormalV2: OpDef
StatelessWhile: OpDef
StaticRegexFullMatch: OpDef
StaticRegexReplace: OpDef
StopGradient: OpDef
StridedSlice: OpDef
StridedSliceGrad: OpDef
StringFormat: OpDef
StringJoin: OpDef
StringLength: OpDef
StringLower: OpDef
StringNGrams: OpDef
StringSplit: OpDef
StringSplitV2: OpDef
StringStrip: OpDef
StringToHashBucket: OpDef
StringToHashBucketFast: OpDef
StringToHashBucketStrong: OpDef
StringToNumber: OpDef
StringUpper: OpDef
Sub: OpDef
Substr: OpDef
Sum: OpDef
SummaryWriter: OpDef
Svd: OpDef
TFRecordDataset: OpDef
TakeDataset: OpDef
TakeWhileDataset: OpDef
Tan: OpDef
Tanh: OpDef
TanhGrad: OpDef
TensorDataset: OpDef
TensorListConcatLists: OpDef
TensorListConcatV2: OpDef
TensorListElementShape: OpDef
TensorListFromTensor: OpDef
TensorListGather: OpDef
TensorListGetItem: OpDef
TensorListLength: OpDef
TensorListPopBack: OpDef
TensorListPushBack: OpDef
TensorListReserve: OpDef
TensorListResize: OpDef
TensorListScatterIntoExistingList: OpDef
TensorListScatterV2: OpDef
TensorListSetItem: OpDef
TensorListSplit: OpDef
TensorListStack: OpDef
TensorScatterAdd: OpDef
TensorScatterMax: OpDef
TensorScatterMin: OpDef
TensorScatterSub: OpDef
TensorScatterUpdate: OpDef
TensorSliceDataset: OpDef
TextLineDataset: OpDef
Tile: OpDef
TileGrad: OpDef
Timestamp: OpDef
ToBool: OpDef
TopK: OpDef
TopKV2: OpDef
Transpose: OpDef
TridiagonalMatMul: OpDef
TridiagonalSolve: OpDef
TruncateDiv: OpDef
TruncateMod: OpDef
TruncatedNormal: OpDef
UnbatchDataset: OpDef
UnicodeDecode: OpDef
UnicodeDecodeWithOffsets: OpDef
UnicodeEncode: OpDef
UnicodeScript: OpDef
UnicodeTranscode: OpDef
UniformCandidateSampler: OpDef
Unique: OpDef
UniqueDataset: OpDef
UniqueV2: OpDef
UniqueWithCounts: OpDef
UniqueWithCountsV2: OpDef
Unpack: OpDef
UnravelIndex: OpDef
UnsortedSegmentJoin: OpDef
UnsortedSegmentMax: OpDef
UnsortedSegmentMin: OpDef
UnsortedSegmentProd: OpDef
UnsortedSegmentSum: OpDef
UpperBound: OpDef
VarHandleOp: OpDef
VarIsInitializedOp: OpDef
VariableShape: OpDef
Where: OpDef
While: OpDef
WindowDataset: OpDef
WriteFile: OpDef
WriteGraphSummary: OpDef
WriteRawProtoSummary: OpDef
WriteSummary: OpDef
Xdivy: OpDef
Xlog1py: OpDef
Xlogy: OpDef
ZerosLike: OpDef
Zeta: OpDef
ZipDataset: OpDef
_BatchPartsDataset: OpDef
_EmptyTensorList: OpDef
_GeneratorDataset: OpDef
_LoadDataset: OpDef
_Native: OpDef
_Probe: OpDef
_RebatchPartsDataset: OpDef
_SaveDataset: OpDef
_SlicePartsDataset: OpDef
_SnapshotDataset: OpDef
_StridedSlice: OpDef
_TensorListGetItem: OpDef
_TensorListPopBack: OpDef
_TensorListPushBack: OpDef
_TensorListReserve: OpDef
_TensorListSetItem: OpDef
_TensorListStack: OpDef
_UnbatchPartsDataset: OpDef
_VariableSnapshot: OpDef
