"""The names of `tf.compat.v1`, in the form of `exports.py`: what TensorFlow 2 has too, and the inert part."""

TENSORFLOW1: dict[str, dict[str, str]] = {
    "compat.v1": {
        "graphrt.api.compat": "dimension_value",
        "graphrt.api.dimension": "*",
        "graphrt.api.tensorflow1": "*",
        "graphrt": """
            AggregationMethod Assert CriticalSection DType DeviceSpec GradientTape Graph IndexedSlices
            IndexedSlicesSpec Module NoGradient=no_gradient NotDifferentiable=no_gradient Operation OptionalSpec
            RaggedTensor RaggedTensorSpec RegisterGradient SparseTensor SparseTensorSpec Tensor TensorArray
            TensorArraySpec TensorShape TensorSpec TypeSpec UnconnectedGradients Variable VariableAggregation
            VariableSynchronization abs acos acosh add add_n argsort as_dtype as_string asin asinh atan atan2 atanh
            bfloat16 bitcast bool broadcast_dynamic_shape broadcast_static_shape broadcast_to case cast
            clip_by_global_norm clip_by_norm clip_by_value complex complex128 complex64 concat control_dependencies
            cos cosh cumsum custom_gradient divide double dynamic_partition dynamic_stitch edit_distance einsum
            ensure_shape equal executing_eagerly exp extract_volume_patches eye fftnd fill fingerprint float16 float32
            float64=double floor foldl foldr function get_logger get_static_value grad_pass_through greater
            greater_equal group guarantee_const half=float16 histogram_fixed_width histogram_fixed_width_bins identity
            identity_n ifftnd import_graph_def init_scope int16 int32 int64 int8 irfftnd is_symbolic_tensor is_tensor
            less less_equal lin_space=linspace linspace logical_and logical_not logical_or make_ndarray
            make_tensor_proto map_fn matmul matrix_square_root maximum meshgrid minimum multiply negative no_gradient
            no_op not_equal numpy_function one_hot ones parallel_stack pow print py_function random_index_shuffle
            range rank realdiv recompute_grad register_tensor_conversion_function repeat
            required_space_to_batch_paddings reshape resource reverse reverse_v2=reverse rfftnd roll round
            saturate_cast scalar_mul scan scatter_nd searchsorted sequence_mask shape_n sigmoid sign sin sinh slice
            sort space_to_batch_nd split sqrt square stack stop_gradient strided_slice string subtract switch_case tan
            tanh tensor_scatter_add=tensor_scatter_nd_add tensor_scatter_nd_add tensor_scatter_nd_max
            tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update
            tensor_scatter_sub=tensor_scatter_nd_sub tensor_scatter_update=tensor_scatter_nd_update tensordot tile
            timestamp truediv truncatediv truncatemod type_spec_from_value uint16 uint32 uint64 uint8 unique
            unique_with_counts unravel_index unstack variant vectorized_map where_v2=where zeros
        """,
        "graphrt.debugging": "assert_proper_iterable assert_same_float_dtype check_numerics is_numeric_tensor",
        "graphrt.errors": "OpError",
        "graphrt.image": "random_crop",
        "graphrt.io": """
            FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_base64 decode_compressed
            decode_json_example deserialize_many_sparse encode_base64 matching_files parse_single_sequence_example
            parse_tensor read_file serialize_tensor write_file
        """,
        "graphrt.linalg": """
            cholesky cholesky_solve cross diag=tensor_diag diag_part=tensor_diag_part global_norm
            matrix_band_part=band_part matrix_determinant=det matrix_diag=diag matrix_diag_part=diag_part
            matrix_inverse=inv matrix_set_diag=set_diag matrix_solve=solve matrix_solve_ls=lstsq matrix_transpose
            matrix_triangular_solve=triangular_solve qr self_adjoint_eig=eigh self_adjoint_eigvals=eigvalsh svd trace
        """,
        "graphrt.math": """
            accumulate_n angle betainc ceil conj cumprod digamma div_no_nan=divide_no_nan erf erfc expm1 floordiv
            floormod igamma igammac imag invert_permutation is_finite is_inf is_nan is_non_decreasing
            is_strictly_increasing lbeta lgamma log log1p log_sigmoid logical_xor mod=floormod polygamma real
            reciprocal rint rsqrt segment_max segment_mean segment_min segment_prod segment_sum squared_difference
            unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod
            unsorted_segment_sqrt_n unsorted_segment_sum zeta
        """,
        "graphrt.quantization": """
            fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
            fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
            fake_quant_with_min_max_vars_per_channel_gradient
        """,
        "graphrt.queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
        "graphrt.random": """
            random_gamma=gamma random_normal=normal random_shuffle=shuffle random_uniform=uniform truncated_normal
        """,
        "graphrt.signal": "fft fft2d fft3d ifft ifft2d ifft3d",
        "graphrt.sparse": """
            sparse_fill_empty_rows=fill_empty_rows sparse_mask=mask sparse_maximum=maximum sparse_minimum=minimum
            sparse_reorder=reorder sparse_reset_shape=reset_shape sparse_reshape=reshape sparse_retain=retain
            sparse_slice=slice sparse_softmax=softmax sparse_tensor_dense_matmul=sparse_dense_matmul
            sparse_tensor_to_dense=to_dense sparse_to_indicator=to_indicator sparse_transpose=transpose
        """,
        "graphrt.strings": """
            regex_replace string_join=join string_strip=strip string_to_hash_bucket_fast=to_hash_bucket_fast
            string_to_hash_bucket_strong=to_hash_bucket_strong
        """,
    },
    "compat.v1.debugging": {
        "graphrt": "Assert",
        "graphrt.debugging": """
            assert_integer assert_proper_iterable assert_same_float_dtype assert_shapes assert_type check_numerics
            disable_check_numerics disable_traceback_filtering enable_check_numerics enable_traceback_filtering
            get_log_device_placement is_numeric_tensor is_traceback_filtering_enabled set_log_device_placement
        """,
        "graphrt.math": "is_finite is_inf is_nan is_non_decreasing is_strictly_increasing",
    },
    "compat.v1.errors": {
        "graphrt.errors": """
            AbortedError AlreadyExistsError CancelledError DataLossError DeadlineExceededError FailedPreconditionError
            InternalError InvalidArgumentError NotFoundError OpError OutOfRangeError PermissionDeniedError
            ResourceExhaustedError UnauthenticatedError UnavailableError UnimplementedError UnknownError
        """,
    },
    "compat.v1.image": {
        "graphrt.image": """
            ResizeMethod adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_jpeg_quality
            adjust_saturation central_crop combined_non_max_suppression convert_image_dtype crop_to_bounding_box
            extract_patches flip_left_right flip_up_down grayscale_to_rgb hsv_to_rgb image_gradients
            non_max_suppression non_max_suppression_overlaps non_max_suppression_padded
            non_max_suppression_with_scores pad_to_bounding_box per_image_standardization psnr random_brightness
            random_contrast random_crop random_flip_left_right random_flip_up_down random_hue random_jpeg_quality
            random_saturation resize_image_with_crop_or_pad=resize_with_crop_or_pad resize_with_crop_or_pad
            rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv rot90 sobel_edges ssim ssim_multiscale total_variation
            transpose transpose_image=transpose yiq_to_rgb yuv_to_rgb
        """,
        "graphrt.io": """
            decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png decode_webp encode_jpeg
            encode_png extract_jpeg_shape is_jpeg
        """,
    },
    "compat.v1.io": {
        "graphrt.io": """
            FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature TFRecordOptions TFRecordWriter
            VarLenFeature decode_and_crop_jpeg decode_base64 decode_bmp decode_compressed decode_gif decode_image
            decode_jpeg decode_json_example decode_png decode_webp deserialize_many_sparse encode_base64 encode_jpeg
            encode_png extract_jpeg_shape is_jpeg match_filenames_once matching_files parse_sequence_example
            parse_single_sequence_example parse_tensor read_file serialize_tensor write_file write_graph
        """,
        "graphrt.queue": "PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    },
    "compat.v1.logging": {
        "graphrt.api.tensorflow1_logging": "*",
    },
    "compat.v1.linalg": {
        "graphrt": "einsum eye sqrtm=matrix_square_root tensordot",
        "graphrt.linalg": """
            LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular
            LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorComposition
            LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity
            LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate LinearOperatorLowerTriangular
            LinearOperatorPermutation LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorTridiag
            LinearOperatorZeros adjoint band_part cholesky cholesky_solve cross det diag diag_part eigh
            eigh_tridiagonal eigvalsh expm global_norm inv logdet logm lstsq lu lu_matrix_inverse lu_reconstruct
            lu_solve matmul matrix_rank matrix_transpose matvec normalize pinv qr set_diag slogdet solve svd
            tensor_diag tensor_diag_part trace triangular_solve tridiagonal_matmul tridiagonal_solve
        """,
        "graphrt.nn": "l2_normalize",
    },
    "compat.v1.math": {
        "graphrt.api.tensorflow1": """
            argmax argmin reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod
            reduce_sum
        """,
        "graphrt": """
            add_n atan2 cumsum equal greater greater_equal less less_equal logical_and logical_not logical_or
            not_equal pow subtract truediv
        """,
        "graphrt.math": """
            abs accumulate_n acos acosh add angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e
            betainc ceil conj cos cosh cumprod cumulative_logsumexp digamma divide divide_no_nan erf erfc erfcinv
            erfinv exp expm1 floor floordiv floormod igamma igammac imag invert_permutation is_finite is_inf is_nan
            is_non_decreasing is_strictly_increasing lbeta lgamma log log1p log_sigmoid logical_xor maximum minimum
            mod multiply multiply_no_nan ndtri negative nextafter polygamma polyval real reciprocal reciprocal_no_nan
            reduce_euclidean_norm reduce_std reduce_variance rint round rsqrt scalar_mul segment_max segment_mean
            segment_min segment_prod segment_sum sigmoid sign sin sinh sobol_sample softplus sqrt square
            squared_difference tan tanh unsorted_segment_max unsorted_segment_mean unsorted_segment_min
            unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum xdivy xlog1py xlogy zeta
        """,
        "graphrt.nn": "approx_max_k approx_min_k l2_normalize softsign top_k zero_fraction",
    },
    "compat.v1.nn": {
        "graphrt.nn": """
            all_candidate_sampler approx_max_k approx_min_k atrous_conv2d atrous_conv2d_transpose avg_pool1d
            avg_pool3d avg_pool_v2=avg_pool batch_normalization bias_add collapse_repeated compute_accidental_hits
            compute_average_loss conv1d_transpose conv_transpose ctc_beam_search_decoder_v2=ctc_beam_search_decoder
            ctc_greedy_decoder ctc_unique_labels depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input
            depthwise_conv2d_native_backprop_filter=depthwise_conv2d_backprop_filter
            depthwise_conv2d_native_backprop_input=depthwise_conv2d_backprop_input elu fixed_unigram_candidate_sampler
            l2_loss l2_normalize leaky_relu learned_unigram_candidate_sampler local_response_normalization
            log_poisson_loss lrn=local_response_normalization max_pool1d max_pool2d max_pool3d max_pool_v2=max_pool
            normalize_moments relu relu6 scale_regularization_loss selu sigmoid sigmoid_cross_entropy_with_logits silu
            softplus softsign swish tanh top_k with_space_to_batch zero_fraction
        """,
        "graphrt.random": "log_uniform_candidate_sampler uniform_candidate_sampler",
    },
    "compat.v1.random": {
        "graphrt.nn": "all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler",
        "graphrt.random": """
            Algorithm Generator categorical create_rng_state fold_in gamma get_global_generator
            log_uniform_candidate_sampler normal set_global_generator shuffle split stateless_binomial
            stateless_categorical stateless_gamma stateless_normal stateless_parameterized_truncated_normal
            stateless_poisson stateless_truncated_normal stateless_uniform truncated_normal uniform
            uniform_candidate_sampler
        """,
    },
    "compat.v1.sparse": {
        "graphrt": "SparseTensor",
        "graphrt.sparse": """
            bincount cross cross_hashed expand_dims eye fill_empty_rows from_dense mask matmul=sparse_dense_matmul
            maximum minimum reorder reset_shape reshape retain slice softmax sparse_dense_matmul to_dense to_indicator
            transpose
        """,
    },
    "compat.v1.strings": {
        "graphrt": "as_string",
        "graphrt.strings": """
            bytes_split format join lower ngrams regex_full_match regex_replace strip to_hash_bucket_fast
            to_hash_bucket_strong unicode_decode unicode_decode_with_offsets unicode_encode unicode_script
            unicode_split unicode_split_with_offsets unicode_transcode unsorted_segment_join upper
        """,
    },
    "compat.v1.train": {
        "graphrt.io": "match_filenames_once write_graph",
        "graphrt.train": """
            BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample
        """,
    },
}
