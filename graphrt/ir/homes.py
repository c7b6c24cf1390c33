"""Which module declares an op, or provides a function: imported when the name is looked up.

Written by `tests/stubs.py`.
"""

HOMES = {
    "graphrt.autodiff.backward_graphs": "call_gradient run_traced",
    "graphrt.autodiff.tape": "gradient_tape",
    "graphrt.control_flow.branches": "Case If StatelessCase StatelessIf cond",
    "graphrt.control_flow.checkpoints": "_VariableSnapshot checkpointed_loop_gradient",
    "graphrt.control_flow.gradients": "FakeParam conditional_gradient loop_gradient",
    "graphrt.control_flow.while_loop": "StatelessWhile While while_loop",
    "graphrt.data.dataset": "saved_dataset_spec",
    "graphrt.data.gradients": "reduce_gradient",
    "graphrt.data.iterator": "AnonymousIteratorV3 IteratorGetNext IteratorGetNextAsOptional MakeIterator",
    "graphrt.data.optional": "OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone saved_optional_spec",
    "graphrt.data.readers.csv_files": "CSVDatasetV2",
    "graphrt.data.readers.fixed_length_records": "FixedLengthRecordDatasetV2",
    "graphrt.data.readers.generator": "_GeneratorDataset",
    "graphrt.data.readers.list_files": "MatchingFilesDataset",
    "graphrt.data.readers.load": "_LoadDataset",
    "graphrt.data.readers.random": "RandomDatasetV2",
    "graphrt.data.readers.range": "RangeDataset",
    "graphrt.data.readers.tensor_slices": "TensorSliceDataset _SlicePartsDataset",
    "graphrt.data.readers.tensors": "TensorDataset",
    "graphrt.data.readers.text_lines": "TextLineDataset",
    "graphrt.data.readers.tfrecords": "TFRecordDataset",
    "graphrt.data.seeds": "AnonymousSeedGenerator DummySeedGenerator",
    "graphrt.data.tables": "InitializeTableFromDataset",
    "graphrt.data.transformations.assert_cardinality": "AssertCardinalityDataset",
    "graphrt.data.transformations.batch": "BatchDatasetV2 ParallelBatchDataset _BatchPartsDataset",
    "graphrt.data.transformations.cache": "AnonymousMemoryCache CacheDatasetV2",
    "graphrt.data.transformations.cardinality": "DatasetCardinality",
    "graphrt.data.transformations.choose_from_datasets": "DirectedInterleaveDataset",
    "graphrt.data.transformations.concatenate": "ConcatenateDataset",
    "graphrt.data.transformations.filter": "FilterDataset",
    "graphrt.data.transformations.flat_map": "FlatMapDataset",
    "graphrt.data.transformations.get_single_element": "DatasetToSingleElement",
    "graphrt.data.transformations.group_by_reducer": "GroupByReducerDataset",
    "graphrt.data.transformations.group_by_window": "GroupByWindowDataset",
    "graphrt.data.transformations.ignore_errors": "IgnoreErrorsDataset",
    "graphrt.data.transformations.interleave": "InterleaveDataset ParallelInterleaveDatasetV4",
    "graphrt.data.transformations.map": "MapDataset ParallelMapDatasetV2",
    "graphrt.data.transformations.padded_batch": "PaddedBatchDatasetV2",
    "graphrt.data.transformations.prefetch": "PrefetchDataset",
    "graphrt.data.transformations.rebatch": "RebatchDatasetV2 _RebatchPartsDataset",
    "graphrt.data.transformations.reduce": "ReduceDataset",
    "graphrt.data.transformations.repeat": "RepeatDataset",
    "graphrt.data.transformations.save": "_SaveDataset",
    "graphrt.data.transformations.scan": "ScanDataset",
    "graphrt.data.transformations.shard": "ShardDataset",
    "graphrt.data.transformations.shuffle": "ShuffleDatasetV3",
    "graphrt.data.transformations.skip": "SkipDataset",
    "graphrt.data.transformations.snapshot": "_SnapshotDataset",
    "graphrt.data.transformations.sparse_batch": "DenseToSparseBatchDataset",
    "graphrt.data.transformations.take": "TakeDataset",
    "graphrt.data.transformations.take_while": "TakeWhileDataset",
    "graphrt.data.transformations.unbatch": "UnbatchDataset _UnbatchPartsDataset",
    "graphrt.data.transformations.unique": "UniqueDataset",
    "graphrt.data.transformations.window": "WindowDataset",
    "graphrt.data.transformations.with_options": "OptionsDataset",
    "graphrt.data.transformations.zip": "ZipDataset",
    "graphrt.function.call": "PartitionedCall StatefulPartitionedCall call_graph run_graph",
    "graphrt.function.numeric_probe": "_Probe",
    "graphrt.function.pickling": "reduced_concrete",
    "graphrt.graphdef": "function_def graph_def node_def",
    "graphrt.graphdef.example_ops": "DecodeJSONExample ParseExampleV2 ParseSequenceExampleV2",
    "graphrt.graphdef.sparse_tensors": "DeserializeManySparse SerializeManySparse SerializeSparse",
    "graphrt.graphdef.tensors": "ParseTensor SerializeTensor",
    "graphrt.native.cut": "_Native",
    "graphrt.numpy_api.functions": "array_function array_namespace to_device",
    "graphrt.numpy_api.ufuncs": "array_ufunc",
    "graphrt.ops.array.advanced_indexing": "gather_items is_array",
    "graphrt.ops.array.concat_split": "ConcatV2 Pack ParallelConcat Split SplitV Unpack concat split stack unstack",
    "graphrt.ops.array.creation": """
        Fill LinSpace OneHot OnesLike Range ZerosLike eye fill ones ones_like range sequence_mask zeros zeros_like
    """,
    "graphrt.ops.array.dynamic_partition": "DynamicPartition DynamicStitch UnravelIndex",
    "graphrt.ops.array.gather_scatter": """
        GatherNd GatherV2 ScatterNd TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub
        TensorScatterUpdate gather gather_nd scatter_nd tensor_scatter_nd_update
    """,
    "graphrt.ops.array.identity": """
        EnsureShape GuaranteeConst Identity IdentityN PreventGradient StopGradient Timestamp ensure_shape identity
        stop_gradient
    """,
    "graphrt.ops.array.indexed_slices": "indexed_slices",
    "graphrt.ops.array.padding": "MirrorPad MirrorPadGrad Pad PadV2 ReverseSequence ReverseV2 Roll pad reverse roll",
    "graphrt.ops.array.repetition": "Tile repeat tile",
    "graphrt.ops.array.selection": "Select SelectV2 Where where",
    "graphrt.ops.array.shape": """
        BroadcastArgs BroadcastTo ConjugateTranspose ExpandDims InvertPermutation Rank Reshape Shape ShapeN Size Squeeze
        Transpose broadcast_dynamic_shape broadcast_to expand_dims invert_permutation rank reshape shape size squeeze
        transpose
    """,
    "graphrt.ops.array.slicing": "Slice StridedSlice StridedSliceGrad boolean_mask getitem",
    "graphrt.ops.array.sorting": """
        InTopKV2 LowerBound TopKV2 Unique UniqueWithCounts UpperBound argsort searchsorted sort top_k
    """,
    "graphrt.ops.assertions": "CheckNumerics",
    "graphrt.ops.image.boxes": """
        CropAndResize CropAndResizeGradBoxes CropAndResizeGradImage DrawBoundingBoxesV2 ExtractGlimpseV2
    """,
    "graphrt.ops.image.codecs.jpeg_gif_webp": """
        DecodeAndCropJpeg DecodeGif DecodeJpeg DecodeWebP EncodeJpeg EncodeJpegVariableQuality ExtractJpegShape
        decode_jpeg encode_jpeg
    """,
    "graphrt.ops.image.codecs.png_bmp": "DecodeBmp DecodeImage DecodePng EncodePng",
    "graphrt.ops.image.color": """
        AdjustContrastv2 AdjustHue AdjustSaturation HSVToRGB RGBToHSV adjust_brightness adjust_contrast adjust_hue
        adjust_saturation convert_image_dtype
    """,
    "graphrt.ops.image.non_max_suppression": """
        CombinedNonMaxSuppression NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5
        NonMaxSuppressionWithOverlaps
    """,
    "graphrt.ops.image.random_crops": "SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox",
    "graphrt.ops.image.resize": """
        ResizeArea ResizeBicubic ResizeBicubicGrad ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor
        ResizeNearestNeighborGrad ScaleAndTranslate ScaleAndTranslateGrad resize
    """,
    "graphrt.ops.image.transforms": """
        ExtractImagePatches ExtractVolumePatches crop_to_bounding_box image_and_top pad_to_bounding_box
    """,
    "graphrt.ops.io.files": "DecodeCSV DecodeCompressed DecodePaddedRaw DecodeRaw MatchingFiles ReadFile WriteFile",
    "graphrt.ops.io.printing": "Assert PrintV2 StringFormat assert_that print",
    "graphrt.ops.io.wav": "DecodeWav EncodeWav",
    "graphrt.ops.legacy.data_formats": "DataFormatDimMap DataFormatVecPermute",
    "graphrt.ops.legacy.images": "BatchToSpace DrawBoundingBoxes NonMaxSuppression NonMaxSuppressionV2 SpaceToBatch",
    "graphrt.ops.legacy.joining": """
        Concat ConcatOffset InplaceAdd InplaceSub InplaceUpdate ParallelDynamicStitch Reverse ScatterNdNonAliasingAdd
    """,
    "graphrt.ops.legacy.matrices": """
        BatchMatMul BatchMatMulV3 MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagV2 MatrixSetDiag MatrixSetDiagV2
        MatrixSolveLs
    """,
    "graphrt.ops.legacy.picked_elements": "Gather InTopK ListDiff NthElement TopK",
    "graphrt.ops.legacy.segments": "SegmentMaxV2 SegmentMinV2 SegmentProdV2 SegmentSumV2",
    "graphrt.ops.legacy.strings": "ShardedFilename ShardedFilespec StringSplit",
    "graphrt.ops.legacy.unique": "UniqueV2 UniqueWithCountsV2",
    "graphrt.ops.legacy.values": """
        BiasAddV1 Bucketize DeepCopy Empty NearestNeighbors PlaceholderWithDefault Snapshot TileGrad ToBool
    """,
    "graphrt.ops.linalg.banded": "BandedTriangularSolve MatrixLogarithm TridiagonalMatMul TridiagonalSolve",
    "graphrt.ops.linalg.decompositions": """
        Cholesky LogMatrixDeterminant MatrixDeterminant MatrixInverse MatrixSolve MatrixTriangularSolve Qr
        SelfAdjointEigV2 Svd inv matrix_transpose solve svd triangular_solve
    """,
    "graphrt.ops.linalg.diagonals": """
        Diag DiagPart MatrixBandPart MatrixDiagPartV3 MatrixDiagV3 MatrixSetDiagV3 band_part diag diag_part set_diag
        trace
    """,
    "graphrt.ops.linalg.einsum": "Einsum einsum tensordot",
    "graphrt.ops.linalg.matmul": "BatchMatMulV2 MatMul matmul",
    "graphrt.ops.linalg.matrix_functions": "Eig Lu MatrixSquareRoot",
    "graphrt.ops.linalg.norms": "Cross norm",
    "graphrt.ops.lists.tensor_list": """
        EmptyTensorList TensorListElementShape TensorListFromTensor TensorListGetItem TensorListLength TensorListPopBack
        TensorListPushBack TensorListReserve TensorListResize TensorListSetItem tensor_list_of
    """,
    "graphrt.ops.lists.whole_lists": """
        TensorListConcatLists TensorListConcatV2 TensorListGather TensorListScatterIntoExistingList TensorListScatterV2
        TensorListSplit TensorListStack
    """,
    "graphrt.ops.math.arg_extrema": "ArgMax ArgMin argmax argmin",
    "graphrt.ops.math.arithmetic": """
        AccumulateNV2 Add AddN AddV2 Atan2 BroadcastGradientArgs ClipByValue Maximum Minimum Mul MulNoNan NextAfter Pow
        SquaredDifference Sub Xdivy Xlog1py Xlogy accumulate_n add add_n atan2 clip_by_value maximum minimum multiply
        multiply_no_nan nextafter plus pow power_modulo scalar_mul squared_difference subtract times xdivy xlog1py xlogy
    """,
    "graphrt.ops.math.bitwise": """
        BitwiseAnd BitwiseOr BitwiseXor Invert LeftShift PopulationCount RightShift bitwise_and bitwise_or bitwise_xor
        invert left_shift population_count right_shift
    """,
    "graphrt.ops.math.casting": "Bitcast Cast Complex bitcast cast complex saturate_cast",
    "graphrt.ops.math.clip": "clip_by_global_norm clip_by_norm global_norm",
    "graphrt.ops.math.comparison": """
        ApproximateEqual Equal Greater GreaterEqual Less LessEqual NotEqual approximate_equal equal greater
        greater_equal less less_equal not_equal tensor_equals tensor_not_equals
    """,
    "graphrt.ops.math.cumulative": "Cumprod Cumsum CumulativeLogsumexp cumprod cumsum cumulative_logsumexp",
    "graphrt.ops.math.division": """
        Div DivNoNan FloorDiv FloorMod Mod RealDiv TruncateDiv TruncateMod divide divide_no_nan floordiv floormod
        realdiv reciprocal_no_nan true_divide truediv truncatediv truncatemod
    """,
    "graphrt.ops.math.elementwise": """
        Abs Acos Acosh Angle Asin Asinh Atan Atanh Ceil ComplexAbs Conj Cos Cosh Exp Expm1 Floor Imag Inv InvGrad
        IsFinite IsInf IsNan Log Log1p Neg Real Reciprocal ReciprocalGrad Rint Round Rsqrt RsqrtGrad Sigmoid SigmoidGrad
        Sign Sin Sinh Sqrt SqrtGrad Square Tan Tanh TanhGrad abs acos acosh angle asin asinh atan atanh ceil conj cos
        cosh exp expm1 floor imag is_finite is_inf is_nan log log1p log_sigmoid negative real reciprocal rint round
        rsqrt sigmoid sign sin sinh sqrt square tan tanh
    """,
    "graphrt.ops.math.histogram": """
        Bincount DenseBincount HistogramFixedWidth RaggedBincount SparseBincount bincount confusion_matrix
        histogram_fixed_width histogram_fixed_width_bins is_non_decreasing is_strictly_increasing
    """,
    "graphrt.ops.math.logical": """
        LogicalAnd LogicalNot LogicalOr bit_and bit_not bit_or bit_xor logical_and logical_not logical_or logical_xor
    """,
    "graphrt.ops.math.reduction": """
        All Any EuclideanNorm Max Mean Min Prod Sum count_nonzero reduce_all reduce_any reduce_euclidean_norm
        reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum reduce_variance
        zero_fraction
    """,
    "graphrt.ops.math.segments": """
        SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum UnsortedSegmentMax UnsortedSegmentMin
        UnsortedSegmentProd UnsortedSegmentSum segment_max segment_mean segment_min segment_prod segment_sum
        unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n
        unsorted_segment_sum
    """,
    "graphrt.ops.math.special.bessel": """
        BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1
        Dawsn Expint FresnelCos FresnelSin Spence bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1
        bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence
    """,
    "graphrt.ops.math.special.gamma": """
        Betainc Digamma Erf Erfc Erfinv Igamma IgammaGradA Igammac Lgamma Ndtri Polygamma Zeta betainc digamma erf erfc
        erfcinv erfinv igamma igammac lbeta lgamma ndtri polygamma polyval zeta
    """,
    "graphrt.ops.nn.activations": """
        Elu EluGrad LeakyRelu LeakyReluGrad LogSoftmax Relu Relu6 Relu6Grad ReluGrad Selu SeluGrad Softmax Softplus
        SoftplusGrad Softsign SoftsignGrad log_softmax relu silu softmax softplus softsign
    """,
    "graphrt.ops.nn.bias": "BiasAdd BiasAddGrad",
    "graphrt.ops.nn.candidate_sampling": """
        AllCandidateSampler ComputeAccidentalHits FixedUnigramCandidateSampler LearnedUnigramCandidateSampler
        LogUniformCandidateSampler UniformCandidateSampler
    """,
    "graphrt.ops.nn.convolution": "Conv2D Conv2DBackpropFilter Conv2DBackpropInput",
    "graphrt.ops.nn.convolution_3d": "Conv3D Conv3DBackpropFilterV2 Conv3DBackpropInputV2",
    "graphrt.ops.nn.ctc": "CTCBeamSearchDecoder CTCGreedyDecoder CTCLoss",
    "graphrt.ops.nn.depth_to_space": "DepthToSpace SpaceToDepth",
    "graphrt.ops.nn.depthwise": """
        DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput
    """,
    "graphrt.ops.nn.dilation": "Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput",
    "graphrt.ops.nn.embedding": "embedding_lookup",
    "graphrt.ops.nn.fractional_pooling": """
        FractionalAvgPool FractionalAvgPoolGrad FractionalMaxPool FractionalMaxPoolGrad
    """,
    "graphrt.ops.nn.fused_batch_norm": """
        FusedBatchNorm FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3
    """,
    "graphrt.ops.nn.local_response_normalization": "LRN LRNGrad",
    "graphrt.ops.nn.losses": "L2Loss SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits",
    "graphrt.ops.nn.normalization": "l2_normalize moments",
    "graphrt.ops.nn.pooling": "AvgPool AvgPoolGrad MaxPool MaxPoolGrad MaxPoolGradGrad",
    "graphrt.ops.nn.pooling_3d": """
        AvgPool3D AvgPool3DGrad MaxPool3D MaxPool3DGrad MaxPool3DGradGrad avg_pool3d max_pool3d
    """,
    "graphrt.ops.nn.pooling_with_argmax": "MaxPoolGradWithArgmax MaxPoolWithArgmax",
    "graphrt.ops.nn.space_to_batch": "BatchToSpaceND SpaceToBatchND batch_to_space space_to_batch_nd",
    "graphrt.ops.nn.statistics": "IsotonicRegression",
    "graphrt.ops.nn.windows": "one_wide",
    "graphrt.ops.python.functions": "EagerPyFunc PyFunc PyFuncStateless",
    "graphrt.ops.quantization": """
        FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsGradient
        FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient QuantizeAndDequantizeV2
        QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad
    """,
    "graphrt.ops.quantized": """
        Dequantize QuantizeDownAndShrinkRange QuantizeV2 QuantizedAvgPool QuantizedConcat QuantizedConv2D
        QuantizedMatMul QuantizedMaxPool QuantizedRelu QuantizedRelu6 QuantizedReluX QuantizedReshape
        RequantizationRange Requantize
    """,
    "graphrt.ops.ragged.functions": "bincount_splits ragged_rows ragged_rows_of_several stack_dynamic_partitions",
    "graphrt.ops.ragged.kernels": "RaggedGather RaggedRange RaggedTensorToSparse RaggedTensorToTensor",
    "graphrt.ops.ragged.slicing": "ragged_getitem",
    "graphrt.ops.ragged.variants": "RaggedTensorFromVariant RaggedTensorToVariant RaggedTensorToVariantGradient",
    "graphrt.ops.random.distributions": """
        categorical fold_in gamma index_shuffle normal poisson random_index_shuffle shuffle stateless_binomial
        stateless_categorical stateless_gamma stateless_normal stateless_parameterized_truncated_normal
        stateless_poisson stateless_shuffle stateless_truncated_normal stateless_uniform truncated_normal uniform
    """,
    "graphrt.ops.random.sampling_ops": """
        Multinomial RandomGamma RandomGammaGrad RandomIndexShuffle RandomPoissonV2 RandomShuffle RandomStandardNormal
        RandomUniform RandomUniformInt StatelessMultinomial StatelessParameterizedTruncatedNormal
        StatelessRandomBinomial StatelessRandomGammaV3 StatelessRandomGetAlg StatelessRandomGetKeyCounter
        StatelessRandomGetKeyCounterAlg StatelessRandomNormalV2 StatelessRandomPoisson StatelessRandomUniformFullIntV2
        StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessShuffle StatelessTruncatedNormalV2 TruncatedNormal
        set_seed
    """,
    "graphrt.ops.random.sobol": "SobolSample",
    "graphrt.ops.signal.fft": """
        FFT FFT2D FFT3D FFTND IFFT IFFT2D IFFT3D IFFTND IRFFT IRFFT2D IRFFT3D IRFFTND RFFT RFFT2D RFFT3D RFFTND
    """,
    "graphrt.ops.signal.frames": "frame",
    "graphrt.ops.sparse.sets": """
        DenseToDenseSetOperation DenseToSparseSetOperation EditDistance SetSize SparseToDense SparseToSparseSetOperation
    """,
    "graphrt.ops.sparse.tensor": "sparse_tensor",
    "graphrt.ops.strings.base64": "DecodeBase64 EncodeBase64",
    "graphrt.ops.strings.hashing": """
        Fingerprint StringToHashBucket StringToHashBucketFast fingerprint64 fingerprint_concat64
    """,
    "graphrt.ops.strings.joining": "ReduceJoin StringJoin StringSplitV2",
    "graphrt.ops.strings.numbers": "AsString StringToNumber",
    "graphrt.ops.strings.regex": "RegexFullMatch RegexReplace StaticRegexFullMatch StaticRegexReplace",
    "graphrt.ops.strings.text": "StringLength StringLower StringStrip StringUpper Substr",
    "graphrt.ops.strings.unicode": "StringToHashBucketStrong UnicodeEncode UnicodeTranscode UnsortedSegmentJoin",
    "graphrt.ops.strings.unicode_decode": "StringNGrams UnicodeDecode UnicodeDecodeWithOffsets UnicodeScript",
    "graphrt.passes.index_directly": "_StridedSlice",
    "graphrt.passes.list_reads": "_TensorListGetItem",
    "graphrt.passes.list_stacks": "_EmptyTensorList _TensorListPopBack _TensorListPushBack",
    "graphrt.passes.list_writes": "_TensorListReserve _TensorListSetItem _TensorListStack",
    "graphrt.resources.critical_section": "ConsumeMutexLock MutexLock MutexV2",
    "graphrt.resources.queues": """
        FIFOQueueV2 PaddingFIFOQueueV2 PriorityQueueV2 QueueCloseV2 QueueDequeueManyV2 QueueDequeueUpToV2 QueueDequeueV2
        QueueEnqueueManyV2 QueueEnqueueV2 QueueIsClosedV2 QueueSizeV2 RandomShuffleQueueV2
    """,
    "graphrt.resources.table_ops": """
        AnonymousHashTable HashTableV2 InitializeTableFromTextFileV2 InitializeTableV2 LookupTableExportV2
        LookupTableFindV2 LookupTableImportV2 LookupTableInsertV2 LookupTableRemoveV2 LookupTableSizeV2
        MutableDenseHashTableV2 MutableHashTableOfTensorsV2 MutableHashTableV2
    """,
    "graphrt.staging.chosen_items": "item_at",
    "graphrt.staging.order": "sorted_list",
    "graphrt.staging.row_of_list": "row_of",
    "graphrt.staging.rows": "told",
    "graphrt.staging.sequences": "all_of repeated_sequence",
    "graphrt.state.generator": "RngReadAndSkip StatefulRandomBinomial",
    "graphrt.state.resource_ops": """
        AssignAddVariableOp AssignSubVariableOp AssignVariableOp DestroyResourceOp ReadVariableOp ResourceCountUpTo
        ResourceGather ResourceGatherNd ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin
        ResourceScatterMul ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin ResourceScatterNdSub
        ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate ResourceStridedSliceAssign VarHandleOp
        VarIsInitializedOp VariableShape
    """,
    "graphrt.state.slices": "slice_assigner",
    "graphrt.state.training_ops": """
        ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2
        ResourceApplyAdam ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp
        ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent ResourceApplyKerasMomentum
        ResourceApplyMomentum ResourceApplyPowerSign ResourceApplyProximalAdagrad ResourceApplyProximalGradientDescent
        ResourceApplyRMSProp ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA
        ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl
        ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum
        ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent ResourceSparseApplyRMSProp
    """,
    "graphrt.summaries.writers": """
        CloseSummaryWriter CreateSummaryFileWriter FlushSummaryWriter SummaryWriter WriteGraphSummary
        WriteRawProtoSummary WriteSummary
    """,
    "graphrt.tensor.func_graph": "Const Placeholder",
    "graphrt.tensor.scopes": "NoOp group no_op",
    "graphrt.tensor.values": "is_other_sequence",
    "graphrt.tensor.weak": "balanced meeting weak_number",
}
