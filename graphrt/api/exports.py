"""The public names: for each namespace of TensorFlow's, which module has what it shows.

    "nn": {"graphrt.ops.nn.activations": "relu silu swish=silu"}      tf.nn.relu is graphrt.ops.nn.activations.relu

`public=real` gives a name of the module another name; `*` stands for all names of a module's `__all__`. A name that stands
in several namespaces is one object. `loader.py` makes the namespaces, `tests/stubs.py` what type checkers read of them.
"""

# long: one table of all public names

EXPORTS: dict[str, dict[str, str]] = {
    "": {  # tf itself
        "graphrt.autodiff.backprop": "RegisterGradient no_gradient",
        "graphrt.autodiff.custom": "custom_gradient recompute_grad",
        "graphrt.autodiff.symbolic": "AggregationMethod gradients hessians",
        "graphrt.autodiff.tape": "GradientTape UnconnectedGradients",
        "graphrt.control_flow.branches": "case cond switch_case",
        "graphrt.control_flow.functional": "foldl foldr map_fn scan vectorized_map",
        "graphrt.control_flow.while_loop": "while_loop",
        "graphrt.data.optional": "OptionalSpec",
        "graphrt.function.concrete": "ConcreteFunction",
        "graphrt.function.function": "Function function",
        "graphrt.graphdef.imported": "import_graph_def",
        "graphrt.graphdef.tensors": "make_ndarray make_tensor_proto",
        "graphrt.ops.array.concat_split": "concat parallel_stack split stack unstack",
        "graphrt.ops.array.creation": "eye fill linspace one_hot ones ones_like range sequence_mask zeros zeros_like",
        "graphrt.ops.array.dynamic_partition": "dynamic_partition dynamic_stitch unravel_index",
        "graphrt.ops.array.gather_scatter": """
            gather gather_nd scatter_nd tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min
            tensor_scatter_nd_sub tensor_scatter_nd_update
        """,
        "graphrt.ops.array.identity": """
            ensure_shape grad_pass_through guarantee_const identity identity_n stop_gradient timestamp tuple=tuple_
        """,
        "graphrt.ops.array.indexed_slices": "IndexedSlices IndexedSlicesSpec",
        "graphrt.ops.array.padding": "pad reverse reverse_sequence roll",
        "graphrt.ops.array.repetition": "meshgrid repeat tile",
        "graphrt.ops.array.selection": "where",
        "graphrt.ops.array.shape": """
            broadcast_dynamic_shape broadcast_static_shape broadcast_to expand_dims rank reshape shape shape_n size
            squeeze transpose
        """,
        "graphrt.ops.array.slicing": "boolean_mask newaxis slice strided_slice",
        "graphrt.ops.array.sorting": "argsort searchsorted sort unique unique_with_counts",
        "graphrt.ops.assertions": "assert_equal assert_greater assert_less assert_rank",
        "graphrt.ops.image.transforms": "extract_volume_patches",
        "graphrt.ops.io.libraries": "load_library load_op_library",
        "graphrt.ops.io.printing": "Assert print",
        "graphrt.ops.linalg.einsum": "einsum tensordot",
        "graphrt.ops.linalg.matmul": "matmul",
        "graphrt.ops.linalg.matrix_functions": "eig eigvals matrix_square_root=sqrtm",
        "graphrt.ops.linalg.norms": "norm",
        "graphrt.ops.lists.tensor_array": "TensorArray TensorArraySpec",
        "graphrt.ops.math.arg_extrema": "argmax argmin",
        "graphrt.ops.math.arithmetic": "add add_n atan2 clip_by_value maximum minimum multiply pow scalar_mul subtract",
        "graphrt.ops.math.casting": "bitcast cast complex saturate_cast",
        "graphrt.ops.math.clip": "clip_by_global_norm clip_by_norm",
        "graphrt.ops.math.comparison": "equal greater greater_equal less less_equal not_equal",
        "graphrt.ops.math.cumulative": "cumsum",
        "graphrt.ops.math.division": "divide realdiv truediv truncatediv truncatemod",
        "graphrt.ops.math.elementwise": """
            abs acos acosh asin asinh atan atanh cos cosh exp floor negative round sigmoid sign sin sinh sqrt square tan
            tanh
        """,
        "graphrt.ops.math.histogram": "histogram_fixed_width histogram_fixed_width_bins",
        "graphrt.ops.math.logical": "logical_and logical_not logical_or",
        "graphrt.ops.math.reduction": """
            reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum
        """,
        "graphrt.ops.nn.initializers": """
            constant_initializer ones_initializer random_normal_initializer random_uniform_initializer zeros_initializer
        """,
        "graphrt.ops.nn.space_to_batch": """
            batch_to_space required_space_to_batch_paddings space_to_batch space_to_batch_nd
        """,
        "graphrt.ops.python.functions": "numpy_function py_function",
        "graphrt.ops.ragged.tensor": "RaggedTensor RaggedTensorSpec",
        "graphrt.ops.random.distributions": "random_index_shuffle",
        "graphrt.ops.signal.fft": "fftnd ifftnd irfftnd rfftnd",
        "graphrt.ops.sparse.sets": "edit_distance",
        "graphrt.ops.sparse.tensor": "SparseTensor SparseTensorSpec",
        "graphrt.ops.strings.hashing": "fingerprint",
        "graphrt.ops.strings.numbers": "as_string",
        "graphrt.saving.freezing": "freeze",
        "graphrt.resources.critical_section": "CriticalSection",
        "graphrt.state.module": "Module",
        "graphrt.state.policies": "VariableAggregation VariableSynchronization",
        "graphrt.state.variable": "Variable variable_creator_scope",
        "graphrt.tensor.context": "executing_eagerly init_scope",
        "graphrt.tensor.conversions": "register_tensor_conversion_function",
        "graphrt.tensor.convert": "constant convert_to_tensor",
        "graphrt.tensor.device_spec": "DeviceSpec",
        "graphrt.tensor.func_graph": "FuncGraph Graph=FuncGraph",
        "graphrt.tensor.queries": """
            device get_logger get_static_value inside_function is_symbolic_tensor is_tensor type_spec_from_value
        """,
        "graphrt.tensor.scopes": "control_dependencies get_current_name_scope group name_scope no_op",
        "graphrt.tensor.tensor": "Operation Tensor TensorLike",
        "graphrt.types.dtype": """
            DType as_dtype bfloat16 bool=bool_ complex128 complex64 double float16 float32 float64 half int16 int32
            int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant
        """,
        "graphrt.types.shape": "TensorShape",
        "graphrt.types.spec": "TensorSpec TypeSpec",
        "graphrt.viewing.notebook": "load_ipython_extension",
        "graphrt.viewing.page": "view",
        "graphrt.viewing.profiling": "profile",
        "graphrt.viewing.progress": "progress",
    },
    "array_api": {
        "graphrt.numpy_api.array_api": "*",
    },
    "audio": {
        "graphrt.ops.io.wav": "decode_wav encode_wav",
    },
    "autograph": {
        "graphrt.api.autograph": "*",
    },
    "bitwise": {
        "graphrt.ops.math.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    },
    "compat": {
        "graphrt.api.compat": "*",
    },
    "config": {
        "graphrt.api.config": "*",
    },
    "debugging": {
        "graphrt.api.debugging": """
            disable_traceback_filtering enable_traceback_filtering get_log_device_placement
            is_traceback_filtering_enabled set_log_device_placement
        """,
        "graphrt.function.numeric_probe": "disable_check_numerics enable_check_numerics",
        "graphrt.ops.assertions": """
            assert_all_finite assert_equal assert_greater assert_greater_equal assert_integer assert_less
            assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal
            assert_positive assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in
            assert_same_float_dtype assert_scalar assert_shapes assert_type check_numerics is_numeric_tensor
        """,
        "graphrt.ops.io.printing": "Assert",
    },
    "debugging.experimental": {
        "graphrt.api.dump_debug_info": "*",
    },
    "distribute": {
        "graphrt.api.distribute": "*",
    },
    "distribute.experimental": {
        "graphrt.api.distribute": "MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy",
    },
    "dtypes": {
        "graphrt.ops.math.casting": "cast complex saturate_cast",
        "graphrt.types.dtype": """
            DType as_dtype bfloat16 bool=bool_ complex128 complex64 double float16 float32 float64 half int16 int32
            int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant
            QUANTIZED_DTYPES
        """,
    },
    "experimental": {
        "graphrt.api.executors": "async_clear_error async_scope enable_strict_mode function_executor_type",
        "graphrt.data.optional": "Optional",
        "graphrt.function.api_dispatch": """
            dispatch_for_api dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis
            dispatch_for_unary_elementwise_apis unregister_dispatch_for
        """,
        "graphrt.function.batchable_type": "BatchableExtensionType ExtensionTypeBatchEncoder",
        "graphrt.function.extension_type": "ExtensionType ExtensionTypeSpec",
        "graphrt.ops.ragged.shapes": "DynamicRaggedShape RowPartition",
    },
    "experimental.dlpack": {
        "graphrt.api.dlpack": "*",
    },
    "experimental.numpy": {
        "graphrt.numpy_api.experimental": "*",
    },
    "experimental.numpy.random": {
        "graphrt.numpy_api.experimental_random": "*",
    },
    "graph_util": {
        "graphrt.graphdef.imported": "import_graph_def",
    },
    "image": {
        "graphrt.ops.image.boxes": "crop_and_resize draw_bounding_boxes extract_glimpse",
        "graphrt.ops.image.codecs.jpeg_gif_webp": """
            adjust_jpeg_quality decode_and_crop_jpeg decode_gif decode_jpeg decode_webp encode_jpeg extract_jpeg_shape
            random_jpeg_quality stateless_random_jpeg_quality
        """,
        "graphrt.ops.image.codecs.png_bmp": "decode_bmp decode_image decode_png encode_png is_jpeg",
        "graphrt.ops.image.color": """
            adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation convert_image_dtype
            grayscale_to_rgb hsv_to_rgb rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb
        """,
        "graphrt.ops.image.non_max_suppression": """
            combined_non_max_suppression non_max_suppression non_max_suppression_overlaps non_max_suppression_padded
            non_max_suppression_with_scores
        """,
        "graphrt.ops.image.random_changes": """
            random_brightness random_contrast random_crop random_flip_left_right random_flip_up_down random_hue
            random_saturation stateless_random_brightness stateless_random_contrast stateless_random_crop
            stateless_random_flip_left_right stateless_random_flip_up_down stateless_random_hue
            stateless_random_saturation
        """,
        "graphrt.ops.image.random_crops": "sample_distorted_bounding_box stateless_sample_distorted_bounding_box",
        "graphrt.ops.image.resize": "ResizeMethod resize resize_with_pad",
        "graphrt.ops.image.transforms": """
            central_crop crop_to_bounding_box extract_patches flip_left_right flip_up_down image_gradients
            pad_to_bounding_box per_image_standardization psnr resize_with_crop_or_pad rot90 sobel_edges ssim
            ssim_multiscale total_variation transpose
        """,
    },
    "io": {
        "graphrt.data.readers.tfrecords": "TFRecordOptions TFRecordWriter",
        "graphrt.graphdef.examples": """
            FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature decode_json_example
            parse_example parse_sequence_example parse_single_example parse_single_sequence_example
        """,
        "graphrt.graphdef.sparse_tensors": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
        "graphrt.graphdef.tensors": "parse_tensor serialize_tensor",
        "graphrt.graphdef.written": "write_graph",
        "graphrt.ops.image.codecs.jpeg_gif_webp": """
            decode_and_crop_jpeg decode_gif decode_jpeg decode_webp encode_jpeg extract_jpeg_shape
        """,
        "graphrt.ops.image.codecs.png_bmp": "decode_bmp decode_image decode_png encode_png is_jpeg",
        "graphrt.ops.io.files": "decode_compressed decode_csv decode_raw matching_files read_file write_file",
        "graphrt.ops.strings.base64": "decode_base64 encode_base64",
        "graphrt.state.file_names": "match_filenames_once",
    },
    "io.gfile": {
        "graphrt.api.gfile": "*",
    },
    "linalg": {
        "graphrt.linear_operators": """
            LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular
            LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorComposition
            LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity
            LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate LinearOperatorLowerTriangular
            LinearOperatorPermutation LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorTridiag
            LinearOperatorZeros
        """,
        "graphrt.ops.array.creation": "eye",
        "graphrt.ops.linalg.banded": """
            banded_triangular_solve eigh_tridiagonal logm lu_matrix_inverse lu_reconstruct lu_solve tridiagonal_matmul
            tridiagonal_solve
        """,
        "graphrt.ops.linalg.decompositions": """
            adjoint cholesky cholesky_solve det eigh eigvalsh inv lstsq matrix_rank matrix_transpose pinv qr slogdet
            solve svd triangular_solve
        """,
        "graphrt.ops.linalg.diagonals": "band_part diag diag_part set_diag tensor_diag tensor_diag_part trace",
        "graphrt.ops.linalg.einsum": "einsum matvec tensordot",
        "graphrt.ops.linalg.matmul": "matmul",
        "graphrt.ops.linalg.matrix_functions": "eig eigvals expm logdet lu sqrtm",
        "graphrt.ops.linalg.norms": "cross norm normalize",
        "graphrt.ops.math.clip": "global_norm",
        "graphrt.ops.nn.normalization": "l2_normalize",
    },
    "linalg.experimental": {
        "graphrt.linear_operators.iterative": "conjugate_gradient",
    },
    "lookup": {
        "graphrt.resources.tables": """
            KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex TextFileInitializer
        """,
    },
    "lookup.experimental": {
        "graphrt.resources.tables": "DenseHashTable MutableHashTable",
    },
    "math": {
        "graphrt.ops.array.shape": "invert_permutation",
        "graphrt.ops.array.sorting": "in_top_k top_k",
        "graphrt.ops.math.arg_extrema": "argmax argmin",
        "graphrt.ops.math.arithmetic": """
            accumulate_n add add_n atan2 maximum minimum multiply multiply_no_nan nextafter pow scalar_mul
            squared_difference subtract xdivy xlog1py xlogy
        """,
        "graphrt.ops.math.comparison": "equal greater greater_equal less less_equal not_equal",
        "graphrt.ops.math.cumulative": "cumprod cumsum cumulative_logsumexp",
        "graphrt.ops.math.division": "divide divide_no_nan floordiv floormod mod reciprocal_no_nan truediv",
        "graphrt.ops.math.elementwise": """
            abs acos acosh angle asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag is_finite is_inf is_nan
            log log1p log_sigmoid negative real reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan tanh
        """,
        "graphrt.ops.math.histogram": "bincount confusion_matrix is_non_decreasing is_strictly_increasing",
        "graphrt.ops.math.logical": "logical_and logical_not logical_or logical_xor",
        "graphrt.ops.math.reduction": """
            count_nonzero reduce_all reduce_any reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min
            reduce_prod reduce_std reduce_sum reduce_variance zero_fraction
        """,
        "graphrt.ops.math.segments": """
            segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max unsorted_segment_mean
            unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum
        """,
        "graphrt.ops.math.special.bessel": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
        "graphrt.ops.math.special.gamma": """
            betainc digamma erf erfc erfcinv erfinv igamma igammac lbeta lgamma ndtri polygamma polyval zeta
        """,
        "graphrt.ops.nn.activations": "log_softmax softmax softplus softsign",
        "graphrt.ops.nn.normalization": "l2_normalize",
        "graphrt.ops.nn.statistics": "approx_max_k approx_min_k",
        "graphrt.ops.random.sobol": "sobol_sample",
    },
    "math.special": {
        "graphrt.ops.math.special.bessel": """
            bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e
            bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence
        """,
    },
    "nest": {
        "graphrt.types.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
    },
    "nn": {
        "graphrt.ops.array.sorting": "in_top_k top_k",
        "graphrt.ops.math.elementwise": "sigmoid tanh",
        "graphrt.ops.math.reduction": "zero_fraction",
        "graphrt.ops.nn.activations": """
            crelu elu gelu leaky_relu log_softmax relu relu6 selu silu softmax softplus softsign swish
        """,
        "graphrt.ops.nn.bias": "bias_add",
        "graphrt.ops.nn.candidate_sampling": """
            all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler
            learned_unigram_candidate_sampler nce_loss sampled_softmax_loss
        """,
        "graphrt.ops.nn.convolution": "atrous_conv2d conv1d conv2d conv2d_transpose",
        "graphrt.ops.nn.convolution_3d": "conv3d conv3d_transpose",
        "graphrt.ops.nn.convolution_by_rank": "convolution",
        "graphrt.ops.nn.convolution_transpose": "atrous_conv2d_transpose conv1d_transpose conv_transpose",
        "graphrt.ops.nn.ctc": "collapse_repeated ctc_beam_search_decoder ctc_greedy_decoder ctc_loss ctc_unique_labels",
        "graphrt.ops.nn.depth_to_space": "depth_to_space space_to_depth",
        "graphrt.ops.nn.depthwise": """
            depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input separable_conv2d
        """,
        "graphrt.ops.nn.dilation": "dilation2d erosion2d",
        "graphrt.ops.nn.dropout": "dropout",
        "graphrt.ops.nn.embedding": "embedding_lookup",
        "graphrt.ops.nn.fractional_pooling": "fractional_avg_pool fractional_max_pool",
        "graphrt.ops.nn.local_response_normalization": "local_response_normalization lrn",
        "graphrt.ops.nn.losses": """
            compute_average_loss l2_loss log_poisson_loss scale_regularization_loss sigmoid_cross_entropy_with_logits
            softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits
            weighted_cross_entropy_with_logits
        """,
        "graphrt.ops.nn.normalization": """
            batch_norm_with_global_normalization batch_normalization l2_normalize layer_normalization moments
            normalize_moments sufficient_statistics weighted_moments
        """,
        "graphrt.ops.nn.pool": "pool with_space_to_batch",
        "graphrt.ops.nn.pooling": "avg_pool avg_pool1d avg_pool2d max_pool max_pool1d max_pool2d",
        "graphrt.ops.nn.pooling_3d": "avg_pool3d max_pool3d",
        "graphrt.ops.nn.pooling_with_argmax": "max_pool_with_argmax",
        "graphrt.ops.nn.space_to_batch": "batch_to_space space_to_batch",
        "graphrt.ops.nn.statistics": "approx_max_k approx_min_k isotonic_regression",
        "graphrt.ops.sparse.lookup": "embedding_lookup_sparse safe_embedding_lookup_sparse",
    },
    "nn.experimental": {
        "graphrt.ops.nn.dropout": "general_dropout stateless_dropout",
    },
    "quantization": {
        "graphrt.ops.quantization": """
            fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
            fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
            fake_quant_with_min_max_vars_per_channel_gradient quantize_and_dequantize quantize_and_dequantize_v2
        """,
        "graphrt.ops.quantized": "dequantize quantize quantized_concat",
    },
    "queue": {
        "graphrt.resources.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    },
    "ragged": {
        "graphrt.ops.ragged.functions": """
            boolean_mask constant cross cross_hashed map_flat_values range row_splits_to_segment_ids
            segment_ids_to_row_splits stack stack_dynamic_partitions
        """,
    },
    "random": {
        "graphrt.ops.nn.candidate_sampling": """
            all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler
            log_uniform_candidate_sampler uniform_candidate_sampler
        """,
        "graphrt.ops.random.distributions": """
            Algorithm categorical fold_in gamma normal poisson set_seed shuffle split stateless_binomial
            stateless_categorical stateless_gamma stateless_normal stateless_parameterized_truncated_normal
            stateless_poisson stateless_truncated_normal stateless_uniform truncated_normal uniform
        """,
        "graphrt.state.generator": "Generator create_rng_state get_global_generator set_global_generator",
    },
    "random.experimental": {
        "graphrt.ops.random.distributions": """
            Algorithm index_shuffle stateless_fold_in stateless_shuffle stateless_split
        """,
        "graphrt.state.generator": "Generator create_rng_state get_global_generator set_global_generator",
    },
    "raw_ops": {
        "graphrt.api.raw_ops": "*",
    },
    "saved_model": {
        "graphrt.saving.assets": "Asset",
        "graphrt.saving.load": "LoadOptions contains_saved_model load",
        "graphrt.saving.saved_model_names": """
            ASSETS_DIRECTORY ASSETS_KEY CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES
            CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU
            PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
            SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION SERVING TPU TRAINING
            VARIABLES_DIRECTORY VARIABLES_FILENAME
        """,
        "graphrt.saving.save": "SaveOptions save",
    },
    "sets": {
        "graphrt.ops.sparse.sets": "difference intersection size union",
    },
    "signal": {
        "graphrt.ops.signal.cosine": "dct idct",
        "graphrt.ops.signal.fft": """
            fft fft2d fft3d fftnd ifft ifft2d ifft3d ifftnd irfft irfft2d irfft3d irfftnd rfft rfft2d rfft3d rfftnd
        """,
        "graphrt.ops.signal.frames": "frame inverse_stft inverse_stft_window_fn overlap_and_add stft",
        "graphrt.ops.signal.lapped": "inverse_mdct mdct",
        "graphrt.ops.signal.mel": "linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms",
        "graphrt.ops.signal.shifts": "fftshift ifftshift",
        "graphrt.ops.signal.windows": """
            hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window
        """,
    },
    "sparse": {
        "graphrt.ops.sparse.crosses": "cross cross_hashed",
        "graphrt.ops.sparse.elements": "add map_values maximum minimum reduce_max reduce_sum softmax",
        "graphrt.ops.sparse.functions": """
            concat expand_dims eye fill_empty_rows from_dense mask reorder reset_shape reshape retain slice split
            to_dense to_indicator transpose
        """,
        "graphrt.ops.sparse.products": "sampled_addmm sparse_dense_matmul",
        "graphrt.ops.sparse.segments": "bincount segment_mean segment_sqrt_n segment_sum",
        "graphrt.ops.sparse.tensor": "SparseTensor",
    },
    "strings": {
        "graphrt.ops.io.printing": "format",
        "graphrt.ops.strings.hashing": "to_hash_bucket to_hash_bucket_fast",
        "graphrt.ops.strings.joining": "bytes_split join reduce_join split",
        "graphrt.ops.strings.numbers": "as_string to_number",
        "graphrt.ops.strings.regex": "regex_full_match regex_replace",
        "graphrt.ops.strings.text": "length lower strip substr upper",
        "graphrt.ops.strings.unicode": "to_hash_bucket_strong unicode_encode unicode_transcode unsorted_segment_join",
        "graphrt.ops.strings.unicode_decode": """
            ngrams unicode_decode unicode_decode_with_offsets unicode_script unicode_split unicode_split_with_offsets
        """,
    },
    "summary": {
        "graphrt.summaries.graphs": "graph trace_export trace_off trace_on",
        "graphrt.summaries.kinds": "audio histogram image scalar text",
        "graphrt.summaries.writers": """
            SummaryWriter create_file_writer create_noop_writer flush record_if should_record_summaries write
        """,
    },
    "summary.experimental": {
        "graphrt.summaries.writers": "get_step set_step summary_scope write_raw_pb",
    },
    "sysconfig": {
        "graphrt.api.sysconfig": "*",
    },
    "test": {
        "graphrt.api.test": "*",
    },
    "train": {
        "graphrt.graphdef.example_messages": """
            BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample
        """,
        "graphrt.saving.checkpoint": """
            Checkpoint CheckpointOptions list_variables load_checkpoint load_variable
        """,
        "graphrt.saving.checkpoint_state": "get_checkpoint_state latest_checkpoint",
        "graphrt.saving.manager": "CheckpointManager checkpoints_iterator",
    },
    "xla": {},
    "xla.experimental": {
        "graphrt.api.xla": "*",
    },
}

# Rooms that are namespaces themselves, imported when they are asked for.
ROOMS = {
    "as_tensorflow": "graphrt.as_tensorflow",
    "autodiff": "graphrt.autodiff",
    "data": "graphrt.data",
    "errors": "graphrt.errors",
    "export": "graphrt.export",
    "initializers": "graphrt.keras.initializers",
    "integrations": "graphrt.integrations",
    "keras": "graphrt.keras",
    "losses": "graphrt.keras.losses",
    "metrics": "graphrt.keras.metrics",
    "optimizers": "graphrt.keras.optimizers",
    "types": "graphrt.types",
    "version": "graphrt.version",
}

VIEWS = {  # modules that show what stands elsewhere: a module, or an object with attributes
    "autograph.experimental": "graphrt.api.autograph:experimental",
    "compat.v1.bitwise": "graphrt.bitwise",
    "compat.v1.config": "graphrt.config",
    "compat.v1.dtypes": "graphrt.dtypes",
    "compat.v1.gfile": "graphrt.io.gfile",
    "compat.v1.nest": "graphrt.nest",
    "compat.v1.sets": "graphrt.sets",
    "compat.v1.signal": "graphrt.signal",
    "compat.v2": "graphrt",
    "config.experimental": "graphrt.api.config:experimental",
    "config.native": "graphrt.api.config:native",
    "config.optimizer": "graphrt.api.config:optimizer",
    "config.threading": "graphrt.api.config:threading",
    "initializers": "graphrt.keras.initializers",
    "keras.ops.linalg": "graphrt.keras.ops",
    "keras.ops.nn": "graphrt.keras.ops",
    "keras.ops.numpy": "graphrt.keras.ops",
    "losses": "graphrt.keras.losses",
    "metrics": "graphrt.keras.metrics",
    "optimizers": "graphrt.keras.optimizers",
    "optimizers.schedules": "graphrt.keras.optimizers.schedules",
    "types.experimental.distributed": "graphrt.types.experimental:distributed",
}

SUMMARIES = {
    "array_api": "The Python array API standard.",
    "audio": "Sound as WAV files.",
    "autograph": "Conversion of Python control flow.",
    "bitwise": "Integers as patterns of bits.",
    "compat": "Text, bytes and dimensions whatever they come as.",
    "compat.v1": "What programs of TensorFlow 2 still take from TensorFlow 1.",
    "compat.v1.logging": "Messages to the logger `tensorflow`.",
    "config": "What there is to run on, and switches for debugging.",
    "debugging": "Assertions about tensors.",
    "distribute": "The default strategy: one replica.",
    "dtypes": "Element types.",
    "experimental": "What TensorFlow may still change.",
    "graph_util": "GraphDefs brought into the graph that is being traced.",
    "image": "Images resized, recoloured, cut, measured, read and written.",
    "io": "Files, encodings, tensors and images as bytes.",
    "linalg": "Matrices.",
    "lookup": "Tables of keys and values.",
    "math": "Functions of numbers.",
    "nest": "Nested structures.",
    "nn": "Ops of neural networks.",
    "quantization": "Numbers rounded to what few bits hold.",
    "queue": "Queues between threads, and between calls of functions.",
    "ragged": "Tensors whose rows have different lengths.",
    "random": "Random tensors.",
    "raw_ops": "Every op by the name it has in graphs, called with keywords only.",
    "sets": "Sets as the rows of tensors.",
    "signal": "Fourier and cosine transforms, frames and windows.",
    "sparse": "Tensors given by their elements that are not zero.",
    "strings": "Tensors of strings.",
    "summary": "Numbers, distributions, images, texts and graphs for TensorBoard.",
    "summary.experimental": "The step of summaries, and summaries as bytes.",
    "sysconfig": "How this package was built.",
    "test": "A `TestCase` that compares tensors, and gradients found by differences.",
    "train": "Checkpoints, and the messages that hold training examples.",
    "xla": "What programs say to TensorFlow's compiler.",
}
