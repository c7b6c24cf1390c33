"""The cases of tables, quantization, files and the names that stand alone: see `ops_b_cases` for the form."""

F, D, I, L, B, S, C = "float32", "float64", "int32", "int64", "bool", "string", "complex64"
N2 = (2, I)
X = ([-7.0, -3.0, -1.26, -0.1, 0.0, 0.4, 0.5, 2.5, 6.1, 9.0], F)
X2 = ([[-7.0, -3.0, 0.3], [0.1, 0.5, 9.0]], F)
DYN = (X2[0], F, [None, None])
RANK = (X2[0], F, None)
Q = "tf.quantization."
KV = "tf.lookup.KeyValueTensorInitializer"
SH = "tf.lookup.StaticHashTable"
CASES = [
    # quantization
    *[(f"{Q}fake_quant_with_min_max_args(a{more})", x) for x in (X, X2, DYN, RANK) for more in
      ("", ", min=-1., max=2.", ", num_bits=2", ", num_bits=4, narrow_range=True", ", min=0., max=6., num_bits=3", ", min=1., max=3.", ", min=-4., max=-1., num_bits=5", ", min=-0.1, max=7.3, num_bits=16")],
    (f"{Q}fake_quant_with_min_max_args(a, min=2., max=1.)", X), (f"{Q}fake_quant_with_min_max_args(a, num_bits=1)", X), (f"{Q}fake_quant_with_min_max_args(a, num_bits=17)", X), (f"{Q}fake_quant_with_min_max_args(a)", ([1, 2], I)), (f"{Q}fake_quant_with_min_max_args(a)", ([1.0, 2], D)), (f"{Q}fake_quant_with_min_max_args(a)", ([], F)), (f"{Q}fake_quant_with_min_max_args(a)", (1.3, F)),
    *[(f"{Q}fake_quant_with_min_max_args_gradient(a + 1., a{more})", x) for x in (X, DYN) for more in ("", ", min=-1., max=2.", ", num_bits=4, narrow_range=True", ", min=1., max=3.")],
    (f"{Q}fake_quant_with_min_max_args_gradient(a, a[:2])", X),
    *[(f"{Q}fake_quant_with_min_max_vars(a{more})", x) for x in (X, X2, DYN, RANK) for more in
      (", -1., 2.", ", -6., 6., num_bits=2", ", -1., 1., num_bits=4, narrow_range=True", ", 0., 0.", ", 1., 3.", ", -0.1, 7.3, num_bits=16", ", tf.constant(-1.5), tf.reduce_max(a)")],
    (f"{Q}fake_quant_with_min_max_vars(a, [1., 2.], 3.)", X), (f"{Q}fake_quant_with_min_max_vars(a, 0., 1., num_bits=1)", X),
    *[(f"{Q}fake_quant_with_min_max_vars_gradient(a + 1., a{more})", x) for x in (X, X2, DYN) for more in (", -1., 2.", ", -6., 6., num_bits=2", ", 0., 0.", ", 1., 3., num_bits=4, narrow_range=True")],
    *[(f"{Q}fake_quant_with_min_max_vars_per_channel(a{more})", x) for x in (X2, DYN) for more in (", [-1., -2., 0.], [2., 2., 8.]", ", [0., 0., 0.], [0., 1., 1.], num_bits=3", ", [-1., -2., 0.1], [2., 2., 8.], narrow_range=True, num_bits=5", ", [0.], [1.]", ", 0., 1.")],
    (f"{Q}fake_quant_with_min_max_vars_per_channel(a, [0., 1., 2., 3., 4., 5., 6., 7., 8., 9.], [10., 10., 10., 10., 10., 10., 10., 10., 10., 10.])", X),
    *[(f"{Q}fake_quant_with_min_max_vars_per_channel_gradient(a + 1., a{more})", x) for x in (X2, DYN) for more in (", [-1., -2., 0.], [2., 2., 8.]", ", [0., 0., 0.], [0., 1., 1.], num_bits=3")],
    *[(f"{Q}{f}(a{more})", x) for f in ("quantize_and_dequantize", "quantize_and_dequantize_v2") for x in (X, X2, DYN) for more in
      (", 0., 1.", ", -6., 6., range_given=True", ", -1., 2., range_given=True, num_bits=3", ", -1., 2., range_given=True, signed_input=False", ", 0., 6., signed_input=False, range_given=True, num_bits=4", ", 0., 6., signed_input=False",
       ", -6., 3., range_given=True, narrow_range=True", ", -6., 3., range_given=True, round_mode='HALF_UP', num_bits=3", ", -6., 3., num_bits=5, narrow_range=True", ", 0., 1., round_mode='HALF_UP', num_bits=4")],
    *[(f"{Q}quantize_and_dequantize_v2(a{more})", X2) for more in (", [0., 0.], [0., 0.], axis=0", ", [0., 0., 0.], [0., 0., 0.], axis=-1, num_bits=3", ", 2., 1., range_given=True", ", 0., 1., num_bits=0", ", 0., 1., round_mode='X'", ", [1.], [2.], range_given=True, axis=1", ", 0., 1., axis=5")],
    (f"{Q}quantize_and_dequantize_v2(a, -1., 2., range_given=True)", ([-0.5, 0.25, 3.0], D)), (f"{Q}quantize_and_dequantize_v2(a, 0., 1.)", ([1, 2], I)), ("tf.raw_ops.QuantizeAndDequantizeV3(input=a, input_min=-1., input_max=2., num_bits=4)", X),
    ("tf.raw_ops.QuantizeAndDequantizeV4Grad(gradients=a, input=a, input_min=-1., input_max=2.)", X),
    # tables
    *[(f"{SH}({KV}({k}, {v}), {d}).lookup(a)", x) for k, v, d, x in (
        ("['x', 'y']", "[1, 2]", -1, (["y", "q"], S)), ("['x', 'y']", "[1, 2]", -1, ("y", S)), ("['x', 'y']", "[1., 2.]", 0.5, ([["y"], ["q"]], S)), ("['x', 'y']", "['p', 'q']", "'?'", (["y", "q"], S)),
        ("[1, 2]", "[3, 4]", 0, ([[1, 2], [7, 1]], I)), ("tf.constant([1, 2], tf.int64)", "['p', 'q']", "'?'", ([1, 5], L)), ("['x', 'y']", "[1, 2]", -1, ([1], I)), ("['x', 'y']", "[1, 2]", -1, ([], S)),
        ("['x', 'x']", "[1, 1]", -1, (["x"], S)), ("tf.constant([1, 2], tf.int64)", "tf.constant([3, 4], tf.int64)", 9, ([1, 7], L, [None])), ("['x', 'y']", "[1, 2]", -1, (["y", "q"], S, None)))],
    (f"{SH}({KV}(['x', 'y'], [1, 2]), -1).size()", N2), (f"{SH}({KV}(['x', 'y'], [1, 2]), -1)[a]", (["y", "q"], S)), (f"[t.shape[0] for t in {SH}({KV}(['x', 'y'], [1, 2]), -1).export()] and tf.sort({SH}({KV}(['x', 'y'], [1, 2]), -1).export()[1])", N2),
    # sound
    ("tf.audio.decode_wav(tf.audio.encode_wav(a, 16000))", ([[0.0, 0.5], [-1.0, 0.99999], [1.5, -2.0], [0.00001, -0.00002]], F)), ("tf.audio.decode_wav(tf.audio.encode_wav(a, 16000), desired_channels=1, desired_samples=2)", ([[0.0, 0.5], [-1.0, 0.9]], F)),
    ("tf.audio.decode_wav(tf.audio.encode_wav(a, 16000), desired_channels=3, desired_samples=4)", ([[0.0, 0.5], [-1.0, 0.9]], F)), ("tf.audio.encode_wav(a, 8000)", ([[0.1], [0.2], [-0.3]], F)), ("tf.audio.encode_wav(a, 8000)", ([0.1, 0.2], F)), ("tf.audio.decode_wav(a)", ("junk", S)), ("tf.audio.decode_wav(a)", (["junk"], S)),
    ("tf.audio.decode_wav(tf.audio.encode_wav(a, 16000))", ([[0.1], [0.2]], F, [None, None])),
]
