"""The cases of signals, images, sets and the wider linear algebra, networks and strings: see `ops_b_cases` for the form."""

F, D, I, L, B, S, C = "float32", "float64", "int32", "int64", "bool", "string", "complex64"
N2 = (2, I)
V8 = ([1.0, -2.0, 3.0, 0.5, 4.0, -1.0, 2.0, 7.0], F)
V7 = ([1.0, -2.0, 3.0, 0.5, 4.0, -1.0, 2.0], F)
M34 = ([[1.0, 2.0, 3.0, -1.0], [4.0, 5.0, 6.0, 0.0], [2.0, 0.5, -3.0, 1.0]], F)
C24 = ([[1 + 2j, 2.0, 3 - 1j, 4.0], [0.5j, 1.0, -1.0, 2j]], C)
S32 = ([float((i * 7) % 11) - 4.0 for i in range(32)], F)
RGB = ([[[float((i * 7 + j * 3 + k * 5) % 11) / 10 for k in range(3)] for j in range(5)] for i in range(4)], F)
GRAY = ([[[float((i * 7 + j * 3) % 11)] for j in range(5)] for i in range(4)], F)
BATCH = ([[[[float((b + i * 7 + j * 3 + k * 5) % 11) for k in range(2)] for j in range(5)] for i in range(6)] for b in range(2)], F)
BYTES = ([[[(i * 70 + j * 30 + k * 50) % 256 for k in range(3)] for j in range(5)] for i in range(4)], "uint8")
TRI = ([[2.0, -1.0, 0.5, 0.0], [5.0, 6.0, 7.0, 8.0], [0.0, 1.0, 2.0, -1.0]], F)
VOL = ([[[[[float((i * 7 + j * 3 + k * 5) % 11)] for k in range(3)] for j in range(4)] for i in range(3)]], F)
DYN = (RGB[0], F, [None, None, 3])

CASES = [
    # Fourier
    *[(f"tf.signal.{f}(a)", C24) for f in ("fft", "ifft", "fft2d", "ifft2d", "irfft", "irfft2d")],
    *[(f"tf.signal.{f}(a)", M34) for f in ("rfft", "rfft2d")],
    ("tf.signal.fft3d(a)", C24), ("tf.signal.fft(a)", M34), ("tf.signal.rfft(a, [6])", M34), ("tf.signal.rfft(a, [3])", M34),
    ("tf.signal.irfft(a, [7])", C24), ("tf.signal.irfft2d(a, [2, 5])", C24), ("tf.signal.rfft(a)", V7), ("tf.signal.fftshift(a)", M34),
    ("tf.signal.ifftshift(a, axes=[1])", M34), ("tf.signal.fftshift(a)", V7), ("tf.signal.ifftshift(a)", V7),
    ("tf.signal.rfft(tf.cast(a, tf.float64))", V7), ("tf.signal.rfft(a)", ([1, 2], I)),
    # windows and frames
    *[(f"tf.signal.{w}_window({n})", N2) for w in ("hann", "hamming", "kaiser", "vorbis") for n in (1, 7, 8)],
    *[(f"tf.signal.{w}_window({n}, periodic=False)", N2) for w in ("hann", "hamming") for n in (7, 8)],
    ("tf.signal.kaiser_bessel_derived_window(8)", N2), ("tf.signal.kaiser_window(6, 5., tf.float64)", N2), ("tf.signal.hann_window(a)", N2),
    ("tf.signal.hann_window(8, dtype=tf.int32)", N2), ("tf.signal.frame(a, 3, 2)", V8), ("tf.signal.frame(a, 3, 2, pad_end=True)", V8), ("tf.signal.frame(a, 9, 2)", V8),
    ("tf.signal.frame(a, 2, 1, axis=0)", M34), ("tf.signal.frame(a, 3, 4, pad_end=True, pad_value=9.)", V8), ("tf.signal.overlap_and_add(a, 2)", M34),
    ("tf.signal.overlap_and_add(a, 5)", M34), ("tf.signal.overlap_and_add(a, 1)", V8), ("tf.signal.stft(a, 8, 4)", S32), ("tf.signal.stft(a, 6, 3, 8, pad_end=True)", S32),
    ("tf.signal.stft(a, 8, 4, window_fn=None)", S32), ("tf.signal.inverse_stft(tf.signal.stft(a, 8, 4), 8, 4)", S32),
    ("tf.signal.inverse_stft(tf.signal.stft(a, 8, 4), 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4))", S32), ("tf.signal.inverse_stft_window_fn(3)(8, tf.float32)", N2),
    *[(f"tf.signal.{f}(a, type={t}, norm={n!r})", V7) for f in ("dct", "idct") for t in (1, 2, 3, 4) for n in (None, "ortho")],
    ("tf.signal.dct(a, n=4)", V7), ("tf.signal.dct(a, n=9)", V7), ("tf.signal.dct(a, type=5)", V7), ("tf.signal.dct(a)", M34),
    ("tf.signal.mdct(a, 8)", S32), ("tf.signal.mdct(a, 8, norm='ortho', window_fn=None)", S32), ("tf.signal.inverse_mdct(tf.signal.mdct(a, 8))", S32), ("tf.signal.mdct(a, 6)", S32),
    ("tf.signal.linear_to_mel_weight_matrix(4, 9, 8000)", N2), ("tf.signal.mfccs_from_log_mel_spectrograms(a)", M34), ("tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=9000.)", N2),
    # resizing
    *[(f"tf.image.resize(a, [{h}, {w}], method={m!r}, antialias={aa})", BATCH)
      for m in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic") for h, w in ((9, 3), (3, 8)) for aa in (False, True)],
    ("tf.image.resize(a, [3, 8])", RGB), ("tf.image.resize(a, [3, 8])", BYTES), ("tf.image.resize(a, [3, 8], 'nearest')", BYTES), ("tf.image.resize(a, [4, 5])", BYTES), ("tf.image.resize(a, [6, 6])", DYN),
    ("tf.image.resize(a, [8, 8], preserve_aspect_ratio=True)", RGB), ("tf.image.resize(a, [2])", RGB), ("tf.image.resize(a, [2, 2], 'nope')", RGB), ("tf.image.resize(a, [2, 2])", V8), ("tf.image.resize(a, [0, 2])", RGB),
    *[(f"tf.raw_ops.Resize{m}(images=a, size=[{h}, {w}], align_corners=True)", BATCH) for m in ("Bilinear", "Bicubic", "NearestNeighbor", "Area") for h, w in ((9, 3), (3, 8))],
    *[(f"tf.raw_ops.Resize{m}(images=a, size=[{h}, {w}])", BATCH) for m in ("Bilinear", "Bicubic", "NearestNeighbor") for h, w in ((9, 3), (3, 8))],
    ("tf.image.resize_with_pad(a, 7, 7)", RGB), ("tf.image.resize_with_pad(a, 2, 6)", BATCH), ("tf.image.resize_with_crop_or_pad(a, 2, 7)", RGB), ("tf.image.resize_with_crop_or_pad(a, 7, 2)", BATCH), ("tf.image.resize_with_crop_or_pad(a, 3, 4)", RGB), ("tf.image.resize_with_crop_or_pad(a, 7, 6)", RGB),
    # geometry
    *[(f"tf.image.{f}(a)", x) for f in ("flip_left_right", "flip_up_down", "transpose", "rot90", "per_image_standardization", "total_variation") for x in (RGB, BATCH)],
    *[(f"tf.image.rot90(a, k={k})", RGB) for k in (0, 2, 3, 5, -1)], ("tf.image.flip_left_right(a)", V8), ("tf.image.rot90(a)", DYN), ("tf.image.per_image_standardization(a)", BYTES),
    ("tf.image.central_crop(a, 0.5)", RGB), ("tf.image.central_crop(a, 0.3)", BATCH), ("tf.image.central_crop(a, 1.5)", RGB), ("tf.image.central_crop(a, 0.6)", DYN), ("tf.image.crop_to_bounding_box(a, 1, 2, 2, 3)", RGB), ("tf.image.crop_to_bounding_box(a, 1, 2, 9, 3)", RGB),
    ("tf.image.pad_to_bounding_box(a, 1, 2, 7, 8)", RGB), ("tf.image.pad_to_bounding_box(a, 1, 2, 3, 8)", BATCH), ("tf.image.pad_to_bounding_box(a, 1, 2, 7, 8)", DYN), ("tf.image.crop_to_bounding_box(a, 1, 2, 2, 3)", DYN), ("tf.image.resize_with_crop_or_pad(a, 3, 7)", DYN),
    ("tf.image.extract_patches(a, [1, 2, 2, 1], [1, 2, 1, 1], [1, 1, 1, 1], 'VALID')", BATCH), ("tf.image.extract_patches(a, [1, 3, 2, 1], [1, 2, 2, 1], [1, 2, 1, 1], 'SAME')", BATCH), ("tf.extract_volume_patches(tf.reshape(tf.range(54.), [1, 3, 3, 3, 2]), [1, 2, 2, 2, 1], [1, 1, 2, 1, 1], 'SAME')", N2),
    ("tf.image.sobel_edges(a)", BATCH), ("tf.image.image_gradients(a)", BATCH), ("tf.image.psnr(a, a * 0.9, 1.0)", RGB), ("tf.image.psnr(a, a // 2, 255)", BYTES), ("tf.image.ssim(a, a * 0.9, 1.0, filter_size=3)", RGB), ("tf.image.ssim(a, a[::-1], 11., filter_size=3)", BATCH), ("tf.image.ssim(a, a, 1.0)", RGB),
    ("tf.image.ssim_multiscale(tf.reshape(tf.range(300.) % 17, [1, 10, 10, 3]), tf.reshape(tf.range(300.) % 13, [1, 10, 10, 3]), 17., power_factors=(.5, .5), filter_size=3)", N2), ("tf.image.ssim(a, a * 0.9, 1.0, filter_size=3, return_index_map=True)", RGB),
    # colours
    *[(f"tf.image.{f}(a)", x) for f in ("rgb_to_hsv", "hsv_to_rgb", "rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_grayscale") for x in (RGB, V8)],
    ("tf.image.grayscale_to_rgb(a)", GRAY), ("tf.image.rgb_to_grayscale(a)", BYTES), ("tf.image.grayscale_to_rgb(a)", RGB),
    *[(f"tf.image.{f}", x) for f in ("adjust_brightness(a, 0.1)", "adjust_brightness(a, -0.3)", "adjust_contrast(a, 2.)", "adjust_hue(a, 0.2)", "adjust_hue(a, -0.7)", "adjust_saturation(a, 1.7)", "adjust_saturation(a, 0.2)", "adjust_gamma(a, 2., 0.5)") for x in (RGB, BYTES)],
    ("tf.image.adjust_gamma(a, -1.)", RGB), ("tf.image.adjust_hue(a, 3.)", RGB), ("tf.image.convert_image_dtype(a, tf.uint8)", RGB), ("tf.image.convert_image_dtype(a * 2, tf.uint8, saturate=True)", RGB), ("tf.image.convert_image_dtype(a, tf.float32)", BYTES), ("tf.image.convert_image_dtype(a, tf.int16)", BYTES), ("tf.image.convert_image_dtype(a, tf.uint16)", BYTES), ("tf.image.convert_image_dtype(tf.cast(a, tf.int16) * 100, tf.uint8)", BYTES), ("tf.image.convert_image_dtype(a, tf.float16)", BYTES), ("tf.image.convert_image_dtype(a, tf.string)", RGB),
    # boxes
    ("tf.image.crop_and_resize(a, [[0., 0., 1., 1.], [0.1, 0.2, 0.8, 0.9], [-0.2, 0., 0.5, 1.2]], [0, 1, 1], [3, 4])", BATCH), ("tf.image.crop_and_resize(a, [[0.1, 0.2, 0.8, 0.9]], [1], [1, 3], method='nearest', extrapolation_value=9.)", BATCH), ("tf.image.crop_and_resize(a, [[0.1, 0.2, 0.8, 0.9]], [5], [1, 3])", BATCH),
    ("tf.image.non_max_suppression(a, [.9, .75, .6, .95, .5, .3], 3)", ([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], F)), ("tf.image.non_max_suppression(a, [.9, .75, .6, .95, .5, .3], 6, 0.3, 0.4)", ([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], F)),
    ("tf.image.non_max_suppression_with_scores(a, [.9, .75, .6, .95, .5, .3], 6, 1.0, 0.0, 0.5)", ([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], F)), ("tf.image.non_max_suppression_padded(a, [.9, .75], 4, pad_to_max_output_size=True)", ([[0., 0, 1, 1], [0, .1, 1, 1.1]], F)), ("tf.image.combined_non_max_suppression(tf.reshape(a, [1, 6, 1, 4]), tf.reshape(tf.range(12.) % 5 / 5, [1, 6, 2]), 2, 3, 0.4)", ([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9], [0, .5, 1, .7], [0, 10.1, 1, 11.1], [0, .2, 1, .4]], F)),
    ("tf.image.draw_bounding_boxes(a[None], [[[0.1, 0.2, 0.8, 0.9], [0., 0., 0.4, 2.]]], [[1., 0., 0.], [0., 1., 0.]])", RGB), ("tf.image.extract_glimpse(a, [2, 3], [[0.1, -0.2], [0.5, 0.9]], noise='zero')", BATCH), ("tf.image.extract_glimpse(a, [3, 3], [[1., 2.], [0., 0.]], centered=False, normalized=False, noise='zero')", BATCH), ("tf.image.extract_glimpse(a, [3, 3], [[1., 2.], [0., 0.]], normalized=False, noise='zero')", BATCH),
    # random but determined
    ("tf.image.stateless_random_brightness(a, 0.2, (1, 2))", RGB), ("tf.image.stateless_random_contrast(a, 0.2, 0.5, (1, 2))", RGB), ("tf.image.stateless_random_hue(a, 0.2, (1, 2))", RGB), ("tf.image.stateless_random_saturation(a, 0.5, 1.0, (1, 2))", RGB), ("tf.image.stateless_random_crop(a, [2, 3, 3], (1, 2))", RGB), ("tf.image.stateless_random_flip_left_right(a, (1, 2))", RGB), ("tf.image.stateless_random_flip_up_down(a, (3, 2))", BATCH), ("tf.image.random_brightness(a, -1.)", RGB), ("tf.image.random_contrast(a, 2., 1.)", RGB),
    ("tf.io.decode_png(tf.io.encode_png(a))", BYTES), ("tf.io.decode_png(tf.io.encode_png(a), channels=1)", BYTES), ("tf.io.decode_png(tf.io.encode_png(a), channels=4)", BYTES), ("tf.io.decode_image(tf.io.encode_png(a), dtype=tf.float32)", BYTES), ("tf.io.decode_png('nope')", N2), ("tf.io.decode_png(tf.io.encode_png(tf.cast(a, tf.uint16) * 200), dtype=tf.uint16)", BYTES), ("tf.io.is_jpeg('abc')", N2),
    # volumes and blocks
    ("tf.nn.conv3d(a, tf.reshape(tf.range(16.), [2, 2, 2, 1, 2]), [1, 1, 2, 1, 1], 'SAME')", VOL), ("tf.nn.conv3d(a, tf.ones([2, 2, 2, 1, 2]), [1, 1, 1, 1, 1], 'VALID', dilations=[1, 2, 1, 1, 1])", VOL), ("tf.nn.max_pool3d(a, 2, 2, 'SAME')", VOL), ("tf.nn.avg_pool3d(a, 2, [1, 2, 1], 'SAME')", VOL), ("tf.nn.avg_pool3d(a, 3, 1, 'VALID')", VOL), ("tf.nn.conv3d_transpose(a, tf.ones([2, 2, 2, 3, 1]), [1, 6, 8, 6, 3], 2)", VOL), ("tf.nn.max_pool3d(a, 9, 2, 'VALID')", VOL),
    ("tf.nn.max_pool_with_argmax(a, 2, 2, 'SAME')", BATCH), ("tf.nn.max_pool_with_argmax(a, [2, 3], 1, 'VALID', include_batch_in_index=True)", BATCH),
    ("tf.space_to_batch_nd(a, [2, 3], [[0, 0], [1, 0]])", BATCH), ("tf.batch_to_space(tf.space_to_batch(a, [2, 3], [[0, 0], [1, 0]]), [2, 3], [[0, 0], [1, 0]])", BATCH), ("tf.space_to_batch(a, [4], [[0, 0]])", BATCH), ("tf.batch_to_space(a, [3], [[0, 0]])", BATCH),
    # matrices
    ("tf.linalg.tridiagonal_solve(a, tf.constant([1., 2., 3., 4.]))", TRI), ("tf.linalg.tridiagonal_solve(a, tf.constant([[1.], [2.], [3.], [4.]]), partial_pivoting=False)", TRI), ("tf.linalg.tridiagonal_matmul(a, [[1.], [2.], [3.], [4.]])", TRI), ("tf.linalg.tridiagonal_solve(a, tf.constant([1., 2.]), diagonals_format='matrix')", ([[4.0, 2.0], [2.0, 5.0]], F)), ("tf.linalg.tridiagonal_solve(a, tf.constant([1., 2.]), diagonals_format='x')", TRI),
    ("tf.linalg.banded_triangular_solve(a[:2], [[1.], [2.], [3.], [4.]])", TRI), ("tf.linalg.banded_triangular_solve(a[:2], [[1.], [2.], [3.], [4.]], lower=False)", TRI), ("tf.linalg.banded_triangular_solve(a[:2], [[1.], [2.], [3.], [4.]], adjoint=True)", TRI), ("tf.linalg.eigh_tridiagonal(a[1], a[2][:3])", TRI), ("tf.linalg.eigh_tridiagonal(a[1], a[2][:3], select='i', select_range=(1, 2))", TRI),
    ("tf.linalg.logm(a)", ([[4 + 1j, 2.0], [1j, 5.0]], "complex128")), ("tf.linalg.lu_reconstruct(*tf.linalg.lu(a))", ([[4.0, 2.0], [6.0, 5.0]], F)), ("tf.linalg.lu_solve(*tf.linalg.lu(a), [[1.], [2.]])", ([[4.0, 2.0], [6.0, 5.0]], F)), ("tf.linalg.lu_matrix_inverse(*tf.linalg.lu(a))", ([[4.0, 2.0], [6.0, 5.0]], F)),
    # strings, sets, files
    ("tf.strings.unicode_transcode(['a', 'h\u00e9'], 'UTF-8', 'UTF-16-BE')", N2), ("tf.strings.unicode_transcode(b'a\xffb', 'UTF-8', 'UTF-8')", N2), ("tf.strings.unicode_transcode(b'a\xffb', 'UTF-8', 'UTF-8', errors='ignore')", N2), ("tf.strings.unicode_transcode(b'a\xffb', 'UTF-8', 'UTF-8', errors='strict')", N2), ("tf.strings.unicode_encode([[72, 105], [233, 33]], 'UTF-8')", N2),
    ("tf.strings.to_hash_bucket_strong(['a', 'bcd', '', 'a longer string, of many bytes'], 1000, [1, 2])", N2), ("tf.strings.unsorted_segment_join(['a', 'b', 'c'], [1, 0, 1], 3, '-')", N2), ("tf.strings.unsorted_segment_join([['a', 'x'], ['b', 'y']], [0, 0], 1)", N2),
    *[(f"[tf.sets.{f}(a, [[1, 2, 9], [4, 4, 5]]).indices, tf.sets.{f}(a, [[1, 2, 9], [4, 4, 5]]).values, tf.sets.{f}(a, [[1, 2, 9], [4, 4, 5]]).dense_shape]", ([[1, 2, 3], [3, 4, 4]], I)) for f in ("union", "intersection", "difference")],
    ("tf.sets.size(tf.sets.union(a, a))", ([[1, 2, 3], [3, 4, 4]], I)), ("tf.io.decode_raw(['abcd', 'efgh'], tf.int16)", N2), ("tf.io.decode_raw(['abcd'], tf.int16, little_endian=False)", N2), ("tf.io.decode_raw(['abc'], tf.int16)", N2), ("tf.io.decode_raw(['abc', 'abcdef'], tf.uint8, fixed_length=4)", N2), ("tf.io.decode_csv(['1,2.5,x', '4,,\"y,z\"'], [[0], [7.], ['']])", N2), ("tf.io.decode_csv(['1,2'], [[0]])", N2), ("tf.io.parse_tensor(tf.io.serialize_tensor(a), tf.float32)", V8), ("tf.io.parse_tensor('x', tf.float32)", N2),
    ("tf.edit_distance(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ['a', 'b', 'c'], [2, 2]), tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ['a', 'c', 'd'], [2, 2]))", N2),
    ("tf.tuple([a, a + 1])", V8), ("tf.zeros_initializer()([2, 2], tf.int32)", N2), ("tf.constant_initializer([1, 2, 3, 4])([2, 2])", N2), ("tf.random_normal_initializer()([2], tf.int32)", N2), ("tf.io.read_file('/no/such/file')", N2),
    # ranks that are known when the graph runs, and arguments of the wrong rank
    *[(f"tf.{f}(a, {axis})", (M34[0], F, None)) for f in ("sort", "argsort") for axis in (-1, 0, 1, -2)],
    *[(f"tf.repeat(a, 2, axis={axis})", (M34[0], F, None)) for axis in (0, 1)],
    *[(f"tf.linspace(a, {stop}, 3)", (M34[0], F, None)) for stop in ("2 * a", "a[0]", "1.")],
    ("tf.linspace(a, 2 * a, 3, axis=-1)", M34), ("tf.linspace(a, 1., 2.5)", (0.0, F)),
    *[(f"tf.tensordot(a, b, {axes})", (M34[0], F, None), (M34[0], F, None)) for axes in ("[[0], [0]]", "[[1, 0], [1, 0]]", "0", "[-1, -1]")],
    *[(f"tf.{text}", ([5, 6], I, dims)) for dims in ([2], [None], None) for text in ("tile(a, 2)", "reverse(a, 0)", "roll(a, [1], 0)", "one_hot(a, [2])", "one_hot(a, -1)", "math.unsorted_segment_sum(a, [0, 1], [2])", "math.top_k(a, -1)", "dynamic_partition(a, [0, 0], 0)", "dynamic_stitch([[0, 1]], [a[:1]])")],
    ("tf.shape(a, out_type=tf.float32)", M34), ("tf.math.invert_permutation(a)", ([[0, 1]], I)), ("tf.math.in_top_k([0, 1], a, 1)", M34), ("tf.split(a, 0)", M34), ("tf.nn.softmax(a, 0)", (1.0, F)),
    ("tf.repeat(a, 2, axis=1)", (1.0, F)), ("tf.space_to_batch(a, 2, [[0, 0]])", M34), ("tf.nn.space_to_depth(a, 1)", BATCH), ("tf.nn.depth_to_space(a, 1)", BATCH), ("tf.einsum('i->', a)", M34), ("tf.einsum('ij,jk', a, b)", M34, V8),
    *[(f"tf.nn.{f}_pool(tf.reshape(a, {shape}), 2, 2, 'SAME')", V8) for f in ("max", "avg") for shape in ("[1, 4, 2]", "[1, 2, 2, 2, 1]")],
    *[(f"tf.nn.{text}", (M34[0], F, dims)) for dims in ([3, 4], None) for text in ("embedding_lookup(a, [0, 2], max_norm=1.)", "safe_embedding_lookup_sparse(a, tf.sparse.from_dense([[1, 2], [0, 0]]), combiner='mean')", "sufficient_statistics(a, [-1])")],
    ("tf.nn.with_space_to_batch(a, [1, 1], 'VALID', lambda x, count, padding: 2 * x)", BATCH), ("tf.nn.depthwise_conv2d(a, tf.ones([2, 2, 3, 1]), [1, 1, 1, 1], 'SAME')", BATCH),
    *[(f"tf.image.per_image_standardization(tf.cast(a, tf.{d}))", RGB) for d in ("float64", "float16")], ("tf.linalg.tensor_diag_part(a)", V8), ("tf.linalg.tensor_diag_part(a)", M34),
    ("tf.transpose(a, [0])", (M34[0], F, None)),
]  # fmt: skip
