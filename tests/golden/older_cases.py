"""The cases of earlier versions of ops, as raw ops: see `ops_b_cases` for the form."""

F, D, I, L, B, S, C = "float32", "float64", "int32", "int64", "bool", "string", "complex64"
N2 = (2, I)
V = ([3.0, -1.0, 2.0, 3.0, 0.5, -1.0], F)
M = ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], F)
SPD = ([[4.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 2.0]], F)
B3 = ([[[4.0, 1.0], [1.0, 3.0]], [[2.0, 0.5], [0.5, 1.0]]], F)
DYN = (M[0], F, [None, None])
RANK = (M[0], F, None)
IMG = ([[[[float((i * 7 + j * 3 + k * 5) % 11) for k in range(2)] for j in range(4)] for i in range(4)]], F)
R = "tf.raw_ops."
CASES = [
    *[(f"{R}Gather(params=a, indices=[1, 0, 1])", x) for x in (M, V, DYN, RANK)], (f"{R}Gather(params=a, indices=5)", V), (f"{R}Gather(params=1., indices=[0])", N2), (f"{R}Gather(params=a, indices=[[1], [0]], validate_indices=False)", M),
    *[(f"{R}InTopK(predictions=a, targets=[0, 2], k={k})", M) for k in (1, 2, 3)], (f"{R}InTopK(predictions=a, targets=[0], k=1)", M), (f"{R}InTopK(predictions=a, targets=[0, 5], k=1)", M),
    *[(f"{R}NthElement(input=a, n={n}, reverse={r})", x) for x in (M, V, DYN) for n in (0, 2) for r in (False, True)], (f"{R}NthElement(input=a, n=7)", V), (f"{R}NthElement(input=a, n=-1)", V), (f"{R}NthElement(input=a, n=1)", ([5, 1, 4], I)),
    (f"{R}ListDiff(x=a, y=[3., 0.5])", V), (f"{R}ListDiff(x=a, y=[], out_idx=tf.int64)", V), (f"{R}ListDiff(x=a, y=['q'])", (["p", "q", "p"], S)), (f"{R}ListDiff(x=a, y=[1.])", M), (f"{R}ListDiff(x=a, y=a)", V),
    *[(f"{R}{op}(x=a, axis={ax})", x) for op in ("UniqueV2", "UniqueWithCountsV2") for x, ax in ((V, []), (V, [0]), (([[1, 2, 1], [1, 2, 1], [3, 4, 3]], I), [0]), (([[1, 2, 1], [1, 2, 1], [3, 4, 3]], I), [1]), (([[1, 2], [1, 2]], I), []), (([[1, 2], [1, 2]], I), [5]), ((["a", "b", "a"], S), [0]), (([[1, 2], [1, 2]], I, [None, None]), [0]))],
    *[(f"{R}Concat(concat_dim={ax}, values=[a, a + 1.])", x) for x in (M, DYN) for ax in (0, 1, -1)], (f"{R}Concat(concat_dim=2, values=[a, a])", M), (f"{R}Concat(concat_dim=0, values=[a, [[1.]]])", M),
    (f"{R}ConcatOffset(concat_dim=0, shape=[[2, 3], [4, 3], [1, 3]])", N2), (f"{R}ConcatOffset(concat_dim=-1, shape=[[2, 3], [2, 5]])", N2), (f"{R}ConcatOffset(concat_dim=0, shape=[[2, 3], [4, 4]])", N2), (f"{R}ConcatOffset(concat_dim=5, shape=[[2, 3], [4, 3]])", N2),
    (f"{R}Reverse(tensor=a, dims=[True, False])", M), (f"{R}Reverse(tensor=a, dims=[True, True])", DYN), (f"{R}Reverse(tensor=a, dims=[True])", M),
    *[(f"{R}Inplace{n}(x=a, i=[1, 0], v=[[9., 8., 7.], [1., 1., 1.]])", M) for n in ("Update", "Add", "Sub")], (f"{R}InplaceUpdate(x=a, i=[1], v=[[9., 8.]])", M),
    (f"{R}ScatterNdNonAliasingAdd(input=a, indices=[[0], [2], [0]], updates=[1., 2., 3.])", V), (f"{R}ScatterNdNonAliasingAdd(input=a, indices=[[1]], updates=[[1., 2., 3.]])", M),
    (f"{R}ParallelDynamicStitch(indices=[[0, 2], [1]], data=[[a[0], a[1]], [a[0] * 2.]])", M), (f"{R}Snapshot(input=a)", M), (f"{R}DeepCopy(x=a)", M), (f"{R}PlaceholderWithDefault(input=a, shape=[None, 3])", M), (f"{R}Empty(shape=[2, 2], dtype=tf.float32, init=True)", N2),
    *[(f"{R}ToBool(input=a)", x) for x in ((0.0, F), (2.0, F), ([0.0], F), ([], F), (M[0], F), (0, I), (True, B))],
    (f"{R}Bucketize(input=a, boundaries=[-1., 0.5, 2.])", V), (f"{R}Bucketize(input=a, boundaries=[])", V), (f"{R}Bucketize(input=a, boundaries=[2., 1.])", V), (f"{R}Bucketize(input=a, boundaries=[1., 2.])", ([0, 1, 2, 3], L)),
    *[(f"{R}DataFormatDimMap(x=a{m})", ([0, 1, 2, 3, -1, -4], I)) for m in ("", ", src_format='NCHW', dst_format='NHWC'")], *[(f"{R}DataFormatVecPermute(x=a{m})", x) for x in (([7, 4, 9, 3], I), ([[9, 3], [4, 5], [5, 1], [2, 2]], I)) for m in ("", ", src_format='NCHW', dst_format='NHWC'")],
    (f"{R}DataFormatVecPermute(x=a)", ([4, 9], I)), (f"{R}DataFormatVecPermute(x=a)", ([4, 9, 1], I)),
    *[(f"{R}{p}MatrixDiag(diagonal=a)", x) for p in ("",) for x in (V, M, DYN)], *[(f"{R}{p}MatrixDiagPart(input=a)", x) for p in ("",) for x in (M, SPD, B3, DYN)], *[(f"{R}{p}MatrixSetDiag(input=a, diagonal=[9., 8.])", x) for p in ("",) for x in (M, DYN)], (f"{R}MatrixSetDiag(input=a, diagonal=[9.])", M), (f"{R}MatrixDiag(diagonal=1.)", N2),
    (f"{R}MatrixDiagV2(diagonal=a, k=[0, 1], num_rows=-1, num_cols=-1, padding_value=0.)", M), (f"{R}MatrixDiagV2(diagonal=a, k=1, num_rows=-1, num_cols=-1, padding_value=5.)", M), (f"{R}MatrixDiagPartV2(input=a, k=[-1, 1], padding_value=7.)", M), (f"{R}MatrixDiagPartV2(input=a, k=1, padding_value=7.)", SPD), (f"{R}MatrixSetDiagV2(input=a, diagonal=[[9., 8., 7.], [6., 5., 4.]], k=[0, 1])", SPD), (f"{R}MatrixSetDiagV2(input=a, diagonal=[1., 2.], k=1)", SPD),
    (f"{R}BatchMatMul(x=a, y=a)", B3), (f"{R}BatchMatMul(x=a, y=a, adj_x=True)", B3), (f"{R}BatchMatMul(x=a, y=a[:1])", B3), (f"{R}BatchMatMulV3(x=a, y=tf.cast(a, tf.float32), Tout=tf.float32)", B3), (f"{R}BatchMatMulV3(x=tf.cast(a, tf.int8), y=tf.cast(a, tf.int8), Tout=tf.int32)", B3),
    *[(f"{R}MatrixSolveLs(matrix=a, rhs=[[1.], [2.]], l2_regularizer=tf.constant({l}, tf.float64), fast={f})", M) for l in (0.0, 0.5) for f in (True, False)], (f"{R}MatrixSolveLs(matrix=tf.transpose(a), rhs=[[1.], [2.], [0.]], l2_regularizer=tf.constant(0.1, tf.float64))", M),
    (f"{R}SpaceToBatch(input=a, paddings=[[0, 0], [0, 0]], block_size=2)", IMG), (f"{R}SpaceToBatch(input=a, paddings=[[1, 1], [0, 0]], block_size=2)", IMG), (f"{R}BatchToSpace(input=tf.concat([a] * 4, 0), crops=[[0, 1], [1, 0]], block_size=2)", IMG), (f"{R}SpaceToBatch(input=a, paddings=[[1, 0], [0, 0]], block_size=2)", IMG),
    *[(f"{R}NonMaxSuppression{v}, scores=[.9, .75, .6, .95], max_output_size=3)", ([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, 5, 1, 6], [0, 10.1, 1, 11.1]], F)) for v in ("(boxes=a", "V2(boxes=a, iou_threshold=0.3")], (f"{R}DrawBoundingBoxes(images=tf.concat([a, a[..., :1]], -1), boxes=[[[0., 0., 0.6, 0.9], [0.2, 0.1, 1., 1.]]])", IMG),
    (f"{R}ShardedFilename(basename='/a/b', shard=3, num_shards=20)", N2), (f"{R}ShardedFilespec(basename='/a/b', num_shards=20)", N2), *[(f"{R}StringSplit(input=a, delimiter={d!r}{m})", (["a b  c", "", "d,e f"], S)) for d in (" ", "", ", ") for m in ("", ", skip_empty=False")],
    (f"{R}NearestNeighbors(points=a, centers=[[1., 2., 3.], [0., 0., 0.], [4., 5., 7.]], k=tf.constant(2, tf.int64))", M), (f"{R}BiasAddV1(value=a, bias=[1., 2., 3.])", M), (f"{R}BiasAddV1(value=a, bias=[1., 2.])", M),
    *[(f"{R}FusedBatchNorm{v}(x=a, scale=[1.5, -0.5], offset=[0.25, 2.], mean={m}, variance={w}, is_training={t}, epsilon=0.01{more})[:5]", IMG) for v in ("", "V2", "V3") for m, w, t, more in
      (("[]", "[]", True, ""), ("[1., 2.]", "[0.5, 4.]", False, ""), ("[1., 2.]", "[0.5, 4.]", True, ", exponential_avg_factor=0.25"))],
    (f"{R}FusedBatchNormV3(x=tf.cast(a, tf.float16), scale=[1.5, -0.5], offset=[0.25, 2.], mean=[1., 2.], variance=[0.5, 4.], is_training=False)[0]", IMG), (f"{R}FusedBatchNormV3(x=a[0], scale=[1.5, -0.5], offset=[0.25, 2.], mean=[], variance=[])[0]", IMG), (f"{R}FusedBatchNormV3(x=a, scale=[1.5], offset=[0.25, 2.], mean=[], variance=[])[0]", IMG),
    *[(f"{R}FusedBatchNormGrad{v}(y_backprop=a * a, x=a, scale=[1.5, -0.5], reserve_space_1=[1., 2.], reserve_space_2=[0.5, 4.]{more}, is_training={t})[:3]", IMG) for v, more in (("", ""), ("V2", ""), ("V3", ", reserve_space_3=[0.]")) for t in (True, False)],
]
