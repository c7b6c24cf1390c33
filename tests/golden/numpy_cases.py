"""The cases of `tf.experimental.numpy`: see `ops_b_cases` for the form."""

F, D, I, L, B = "float32", "float64", "int32", "int64", "bool"
X = ([[0.5, -1.25, 2.0], [3.5, 0.25, -0.75]], D)
P = ([[0.5, 0.25, 0.75], [0.125, 1.0, 0.375]], D)
Y = ([[1.5, 2.0, 0.5], [0.5, 4.0, 3.0]], D)
N = ([[3, 1, 2], [4, 1, 5]], L)
M = ([[7, 2, 2], [1, 3, 4]], L)
V = ([3.0, 1.0, 2.0, 1.0], D)
T = ([[True, False, True], [False, False, True]], B)
S = ([[2.0, 1.0], [0.5, 3.0]], D)
X32 = (X[0], F)
Z = (2, I)
t = "tf.experimental.numpy."
CASES = [
    *[(f"{t}{f}(a)", x) for f in "abs absolute cbrt ceil cos cosh deg2rad degrees exp exp2 expm1 fabs floor imag negative positive rad2deg radians real rint sign sin sinh square tan tanh fix isfinite isinf isnan isneginf isposinf signbit".split() for x in (X, X32)],
    *[(f"{t}{f}(a)", P) for f in "arccos arccosh arcsin arcsinh arctan arctanh log log10 log1p log2 reciprocal sqrt sinc".split()], *[(f"{t}{f}(a)", N) for f in "negative sign square abs".split()],
    *[(f"{t}{f}(a, b)", X, Y) for f in "add arctan2 divide equal float_power floor_divide fmod greater greater_equal hypot less less_equal logaddexp logaddexp2 maximum minimum mod multiply nextafter not_equal remainder subtract true_divide heaviside copysign".split()],
    *[(f"{t}{f}(a, b)", N, M) for f in "add bitwise_and bitwise_or bitwise_xor divide equal floor_divide  greater left_shift right_shift less maximum minimum mod multiply power subtract true_divide logical_and logical_or logical_xor".split()],
    *[(f"{t}{f}(a)", T) for f in "logical_not all any sum count_nonzero".split()], (f"{t}logical_and(a, b)", T, T), (f"{t}bitwise_not(a)", N),
    *[(f"{t}{f}(a{ax})", x) for f in "sum prod mean max min amax amin var std argmax argmin cumsum cumprod nanmean".split() for x in (X, N) for ax in ("", ", axis=0", ", axis=1")],
    *[(f"{t}{f}(a, axis=1, keepdims=True)", X) for f in "sum prod mean max min var std".split()], (f"{t}mean(a, dtype='float32')", X), (f"{t}ptp(a, axis=0)", X), (f"{t}average(a, weights=b)", X, Y), (f"{t}count_nonzero(a, axis=1)", T),
    (f"{t}reshape(a, [3, 2])", X), (f"{t}reshape(a, -1)", X), (f"{t}ravel(a)", X), (f"{t}transpose(a)", X), (f"{t}swapaxes(a, 0, 1)", X), (f"{t}moveaxis(a, 0, 1)", X), (f"{t}expand_dims(a, 0)", X), (f"{t}squeeze(a[None])", X), (f"{t}atleast_1d(a)", Z), (f"{t}atleast_2d(a)", V), (f"{t}atleast_3d(a)", V), (f"{t}broadcast_to(a, [2, 4])", V),
    (f"{t}flip(a)", X), (f"{t}flip(a, 1)", X), (f"{t}fliplr(a)", X), (f"{t}flipud(a)", X), (f"{t}roll(a, 1)", X), (f"{t}roll(a, 1, axis=1)", X), (f"{t}rot90(a)", X), (f"{t}tile(a, [2, 1])", X), (f"{t}repeat(a, 2)", V), (f"{t}repeat(a, 2, axis=0)", X), (f"{t}concatenate([a, b], 0)", X, Y), (f"{t}stack([a, b], 1)", X, Y), (f"{t}hstack([a, b])", X, Y), (f"{t}vstack([a, b])", X, Y), (f"{t}dstack([a, b])", X, Y), (f"{t}append(a, b)", X, V), (f"{t}append(a, b, axis=0)", X, Y),
    (f"{t}split(a, 3, axis=1)", X), (f"{t}array_split(a, 2, axis=1)", X), (f"{t}hsplit(a, 3)", X), (f"{t}vsplit(a, 2)", X), (f"{t}pad(a, [[1, 0], [0, 2]], 'constant', constant_values=5.)", X), (f"{t}where(a, b, 0)", T, N), (f"{t}where(a > 0, a, b)", X, Y), (f"{t}nonzero(a)", N), (f"{t}select([a > 2., a > 0.], [a, -a], 9.)", X), (f"{t}clip(a, -0.5, 2.)", X), *[(f"{t}{f}(a{ax})", X) for f in ("average", "nansum", "nanprod") for ax in ("", ", axis=0", ", axis=1")],
    (f"{t}diag(a)", V), (f"{t}diag(a)", X), (f"{t}diag(a, 1)", X), (f"{t}diagonal(a)", X), (f"{t}diagflat(a)", V), (f"{t}trace(a)", X), (f"{t}tril(a)", X), (f"{t}triu(a, 1)", X), (f"{t}vander(a, 3)", V), (f"{t}diff(a)", X), (f"{t}diff(a, 1, 0)", X), (f"{t}sort(a)", X), (f"{t}argsort(a)", V), (f"{t}sort(a, axis=0)", X), (f"{t}take(a, [1, 0], axis=1)", X), (f"{t}take_along_axis(a, [[1], [0]], 1)", X), (f"{t}compress([True, False, True], a, axis=1)", X),
    (f"{t}dot(a, b)", S, S), (f"{t}matmul(a, b)", S, S), (f"{t}inner(a, b)", S, S), (f"{t}outer(a, b)", V, V), (f"{t}vdot(a, b)", S, S), (f"{t}tensordot(a, b, 1)", S, S), (f"{t}einsum('ij,jk->ik', a, b)", S, S), (f"{t}kron(a, b)", S, S), (f"{t}cross(a[0], b[0])", X, Y), (f"{t}polyval(a, 2.)", V), (f"{t}isclose(a, a + 1e-9)", X),
    (f"{t}allclose(a, a)", X), (f"{t}array_equal(a, a)", X), (f"{t}zeros_like(a)", N), (f"{t}ones_like(a, dtype='float32')", N), (f"{t}full_like(a, 7)", N), (f"{t}empty_like(a) * 0", N), (f"{t}copy(a)", X), (f"{t}array(a)", X), (f"{t}asarray(a, dtype='float32')", X), (f"{t}array([1, 2])", Z), (f"{t}array([[1., 2.]])", Z), (f"{t}array([1, 2], ndmin=2)", Z), (f"{t}zeros([2, 2])", Z), (f"{t}ones(3, 'int32')", Z), (f"{t}full([2], 5.)", Z), (f"{t}eye(2, 3, 1)", Z), (f"{t}identity(2)", Z), (f"{t}tri(2, 3)", Z), (f"{t}arange(5)", Z), (f"{t}arange(1, 2, 0.25)", Z), (f"{t}linspace(0, 1, 5)", Z), (f"{t}linspace(0, 1, 4, endpoint=False)", Z), (f"{t}logspace(0, 2, 3)", Z), (f"{t}geomspace(1, 8, 4)", Z), (f"{t}meshgrid([1, 2], [3, 4, 5])", Z), (f"{t}flatten(a)", X), (f"{t}max(a, axis=(0, 1))", X), (f"{t}sum(a, axis=(0, 1))", N), (f"{t}ix_([0, 1], [2])", Z), (f"{t}bitwise_xor(a, 3)", N), (f"{t}tile(a, 2)", V), (f"{t}conj(a)", X),
]
