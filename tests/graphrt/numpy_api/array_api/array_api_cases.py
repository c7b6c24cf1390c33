"""What is asked of each function of the array API: calls, the dtypes they are made with, and NumPy's answer to compare.

A call is text in which `xp` is the namespace and `a`, `b`, `c` are arrays of the dtype; NumPy's own main namespace keeps to
the standard, so the same text with `xp = numpy` says what must come out. Where the default dtypes differ (here they are
TensorFlow's) the result is compared in ours.
"""

import numpy as np

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
REALS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
FLOATS = REALS + COMPLEX
ORDERED = INTEGERS + REALS
NUMBERS = ORDERED + COMPLEX
BOOL = ["bool"]
ANY = NUMBERS + BOOL

_ONE = {
    "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 sin sinh sqrt tan tanh reciprocal": FLOATS,
    "abs conj isfinite isinf isnan negative positive real round sign square": NUMBERS,
    "ceil floor trunc": ORDERED, "bitwise_invert": INTEGERS + BOOL, "imag": COMPLEX, "logical_not": BOOL, "signbit": REALS,
}  # fmt: skip
_TWO = {
    "atan2 copysign hypot logaddexp nextafter": REALS, "add multiply subtract": NUMBERS, "equal not_equal": ANY,
    "bitwise_and bitwise_or bitwise_xor": INTEGERS + BOOL, "divide": FLOATS, "logical_and logical_or logical_xor": BOOL,
    "greater greater_equal less less_equal maximum minimum": ORDERED,
}  # fmt: skip
# name -> (calls, dtypes)
CASES: dict[str, tuple[list[str], list[str]]] = {}
for _names, _dtypes in _ONE.items():
    for _name in _names.split():
        CASES[_name] = ([f"xp.{_name}(a)", f"xp.{_name}(a[0, 0])", f"xp.{_name}(a[:0])"], _dtypes)
for _names, _dtypes in _TWO.items():
    for _name in _names.split():
        CASES[_name] = (
            [f"xp.{_name}(a, b)", f"xp.{_name}(a, b[0])", f"xp.{_name}(a[0, 0], b)", f"xp.{_name}(a[:0], b[:1])"],
            _dtypes,
        )
CASES.update({
    "bitwise_left_shift": (["xp.bitwise_left_shift(a, xp.abs(b) % 5)"], INTEGERS),
    "bitwise_right_shift": (["xp.bitwise_right_shift(a, xp.abs(b) % 5)"], INTEGERS),
    "floor_divide": (["xp.floor_divide(a, xp.where(b == 0, xp.ones_like(b), b))"], ORDERED),
    "remainder": (["xp.remainder(a, xp.where(b == 0, xp.ones_like(b), b))"], ORDERED),
    "pow": (["xp.pow(a, xp.abs(b) % 3)", "xp.pow(a, 2)"], ORDERED), "pow of complex numbers": (["xp.pow(a, b)"], COMPLEX),
    "clip": (["xp.clip(a, 2, 5)", "xp.clip(a, max=3)", "xp.clip(a, min=1)", "xp.clip(a, b, 5)"], ORDERED),
    "Python numbers": (["xp.add(a, 2)", "xp.multiply(3, a)", "xp.maximum(a, 1)", "xp.less(2, a)"], ORDERED),
    "where": (["xp.where(b > 1, a, b)", "xp.where(b > 1, a, 0)", "xp.where(b[0] > 1, 1, a)"], ORDERED),
    # statistics
    "sum": (["xp.sum(a)", "xp.sum(a, axis=0)", "xp.sum(a, axis=(0, 1), keepdims=True)", "xp.sum(a, axis=-1, dtype=xp.float64)", "xp.sum(a[:0])"], ORDERED),
    "prod": (["xp.prod(a[:1])", "xp.prod(a, axis=1, dtype=xp.float64)", "xp.prod(a[:0], axis=0)"], ORDERED),
    "sum of complex numbers": (["xp.sum(a, axis=0)", "xp.prod(a, axis=1)"], COMPLEX),
    "max": (["xp.max(a)", "xp.max(a, axis=0)", "xp.max(a, axis=(0, 1), keepdims=True)"], ORDERED),
    "min": (["xp.min(a)", "xp.min(a, axis=-1)", "xp.min(a, axis=(0, 1), keepdims=True)"], ORDERED),
    "mean": (["xp.mean(a)", "xp.mean(a, axis=0)", "xp.mean(a, axis=(0, 1), keepdims=True)"], FLOATS),
    "std": (["xp.std(a)", "xp.std(a, axis=0, correction=1)", "xp.std(a, keepdims=True)"], REALS),
    "var": (["xp.var(a)", "xp.var(a, axis=(0, 1), correction=0.5)", "xp.var(a, axis=1, keepdims=True)"], REALS),
    "cumulative_sum": (["xp.cumulative_sum(a, axis=0)", "xp.cumulative_sum(a[0])", "xp.cumulative_sum(a, axis=1, include_initial=True)"], ORDERED),
    "cumulative_prod": (["xp.cumulative_prod(a[:, :2], axis=1)", "xp.cumulative_prod(a[0], include_initial=True)"], REALS),
    "all": (["xp.all(a)", "xp.all(a, axis=0)", "xp.all(a, axis=(0, 1), keepdims=True)", "xp.all(a[:0])"], ANY),
    "any": (["xp.any(a)", "xp.any(a, axis=0)", "xp.any(a, axis=(0, 1), keepdims=True)", "xp.any(a[:0])"], ANY),
    "diff": (["xp.diff(a)", "xp.diff(a, axis=0)", "xp.diff(a, n=2)", "xp.diff(a, prepend=a[:, :1], append=b[:, :2])"], ORDERED),
    "count_nonzero": (["xp.count_nonzero(a)", "xp.count_nonzero(a, axis=0)", "xp.count_nonzero(a, axis=(0, 1), keepdims=True)"], ANY),
    # order and sets
    "argmax": (["xp.argmax(a)", "xp.argmax(a, axis=0)", "xp.argmax(a, axis=-1, keepdims=True)", "xp.argmax(a, keepdims=True)"], ORDERED),
    "argmin": (["xp.argmin(a)", "xp.argmin(a, axis=0)", "xp.argmin(a, axis=-1, keepdims=True)"], ORDERED),
    "sort": (["xp.sort(a)", "xp.sort(a, axis=0)", "xp.sort(a, stable=False)"], ORDERED),
    "argsort": (["xp.argsort(a)", "xp.argsort(a, axis=0)"], ORDERED),
    "nonzero": (["xp.nonzero(a)", "xp.nonzero(a[0])"], ANY), "isin": (["xp.isin(a, b)", "xp.isin(a, b[0], invert=True)"], ORDERED),
    "searchsorted": (["xp.searchsorted(xp.sort(a[0]), b)", "xp.searchsorted(a[1], b[0], side='right', sorter=xp.argsort(a[1]))"], ORDERED),
    "unique_all": (["xp.unique_all(a)"], ORDERED), "unique_counts": (["xp.unique_counts(a)"], ORDERED + BOOL),
    "unique_inverse": (["xp.unique_inverse(a)"], ORDERED), "unique_values": (["xp.sort(xp.unique_values(a))"], ORDERED),
    "take": (["xp.take(a, xp.asarray([1, 0, 1]), axis=0)", "xp.take(a[0], xp.asarray([2, 0]))"], ANY),
    "take_along_axis": (["xp.take_along_axis(a, xp.asarray([[1, 0, 2], [0, 0, 1]]), axis=1)", "xp.take_along_axis(a, xp.asarray([[1, 0, 1]]), axis=0)"], ANY),
    # shapes
    "broadcast_to": (["xp.broadcast_to(a, (4, 2, 3))", "xp.broadcast_to(a[0, 0], (2,))"], ANY), "broadcast_arrays": (["xp.broadcast_arrays(a, b[0])"], ANY),
    "concat": (["xp.concat([a, b])", "xp.concat((a, b), axis=1)", "xp.concat([a, b[0]], axis=None)"], ANY),
    "expand_dims": (["xp.expand_dims(a, axis=0)", "xp.expand_dims(a, axis=-1)", "xp.expand_dims(a, axis=2)"], ANY),
    "flip": (["xp.flip(a)", "xp.flip(a, axis=0)", "xp.flip(a, axis=(0, 1))"], ANY), "moveaxis": (["xp.moveaxis(a, 0, 1)", "xp.moveaxis(a[None], (0, 2), (-1, 0))"], ANY),
    "permute_dims": (["xp.permute_dims(a, (1, 0))"], ANY), "repeat": (["xp.repeat(a, 2)", "xp.repeat(a, 2, axis=0)", "xp.repeat(a, xp.asarray([1, 0, 2]), axis=1)"], ANY),
    "reshape": (["xp.reshape(a, (3, 2))", "xp.reshape(a, (-1,))", "xp.reshape(a[0, 0], (1, 1))"], ANY),
    "roll": (["xp.roll(a, 2)", "xp.roll(a, -1, axis=0)", "xp.roll(a, (1, 2), axis=(0, 1))"], ANY), "squeeze": (["xp.squeeze(a[None, :, :1], 0)", "xp.squeeze(a[None, :, :1], (0, 2))"], ANY),
    "stack": (["xp.stack([a, b])", "xp.stack([a, b], axis=-1)"], ANY), "tile": (["xp.tile(a, (2, 1))", "xp.tile(a, (2,))", "xp.tile(a[0], (2, 2))"], ANY), "unstack": (["xp.unstack(a)", "xp.unstack(a, axis=1)"], ANY),
    "tril": (["xp.tril(a)", "xp.tril(a, k=1)"], ANY), "triu": (["xp.triu(a)", "xp.triu(a, k=-1)"], ANY), "meshgrid": (["xp.meshgrid(a[0], b[1])", "xp.meshgrid(a[0], b[1], indexing='ij')"], NUMBERS),
    "astype": ([f"xp.astype(a, xp.{d})" for d in ("int32", "float32", "float64", "bool", "uint8")], [d for d in ORDERED + BOOL if d not in SIGNED + REALS]),
    "astype of signed numbers": ([f"xp.astype(a, xp.{d})" for d in ("int64", "float32", "complex64", "bool")], SIGNED + REALS),
    "zeros_like": (["xp.zeros_like(a)", "xp.zeros_like(a, dtype=xp.int16)"], ANY), "ones_like": (["xp.ones_like(a)", "xp.ones_like(a, dtype=xp.bool)"], ANY),
    "full_like": (["xp.full_like(a, 3)", "xp.full_like(a, 1, dtype=xp.float64)"], NUMBERS), "empty_like": (["xp.zeros_like(xp.empty_like(a))"], ANY),
    # products
    "matmul": (["xp.matmul(a, b.T)", "xp.matmul(a[0], b[1])", "xp.matmul(a, b[0])", "xp.matmul(a[None], b.T)"], NUMBERS), "operator of products": (["a @ b.T", "a[None] @ b.T"], [d for d in NUMBERS if d not in ("int8", "int16")]), "matrix_transpose": (["xp.matrix_transpose(a)", "xp.matrix_transpose(a[None])", "a.mT", "a.T"], ANY),
    "tensordot": (["xp.tensordot(a, b)", "xp.tensordot(a, b.T, axes=1)", "xp.tensordot(a, b, axes=((0,), (0,)))", "xp.tensordot(a, b, axes=0)"], NUMBERS), "vecdot": (["xp.vecdot(a, b)", "xp.vecdot(a, b, axis=0)", "xp.vecdot(a, b[0])"], NUMBERS),
    "linalg.matmul": (["xp.linalg.matmul(a, b.T)"], NUMBERS), "linalg.matrix_transpose": (["xp.linalg.matrix_transpose(a)"], ANY), "linalg.tensordot": (["xp.linalg.tensordot(a, b)"], NUMBERS), "linalg.vecdot": (["xp.linalg.vecdot(a, b)"], NUMBERS),
    "linalg.cross": (["xp.linalg.cross(a, b)", "xp.linalg.cross(a.T, b.T, axis=0)"], NUMBERS), "linalg.outer": (["xp.linalg.outer(a[0], b[1])"], NUMBERS), "linalg.diagonal": (["xp.linalg.diagonal(a)", "xp.linalg.diagonal(a[None], offset=1)"], ANY),
    "linalg.trace": (["xp.linalg.trace(a)", "xp.linalg.trace(a[None], offset=-1)", "xp.linalg.trace(a, dtype=xp.float64)"], ORDERED),
    "linalg.det": (["xp.linalg.det(s)", "xp.linalg.det(s[None])"], FLOATS), "linalg.inv": (["xp.linalg.inv(s)"], FLOATS), "linalg.slogdet": (["xp.linalg.slogdet(s)"], FLOATS), "linalg.solve": (["xp.linalg.solve(s, a.T)", "xp.linalg.solve(s, a[0])", "xp.linalg.solve(s[None], a.T)"], FLOATS),
    "linalg.cholesky": (["xp.linalg.cholesky(p)", "xp.linalg.cholesky(p, upper=True)"], FLOATS), "linalg.eigh": (["xp.linalg.eigh(p)[0]", "xp.linalg.eigh(p).eigenvalues"], FLOATS), "linalg.eigvalsh": (["xp.linalg.eigvalsh(p)"], FLOATS),
    "linalg.qr": (["xp.linalg.matmul(*xp.linalg.qr(a.T))", "xp.abs(xp.linalg.qr(a)[1])", "xp.abs(xp.linalg.qr(a.T, mode='complete')[0][:, :2])"], FLOATS), "linalg.svd": (["xp.linalg.svd(a).S", "xp.abs(xp.linalg.svd(a, full_matrices=False)[2])"], FLOATS), "linalg.svdvals": (["xp.linalg.svdvals(a)"], FLOATS),
    "linalg.pinv": (["xp.linalg.pinv(a)", "xp.linalg.pinv(a, rtol=0.5)"], FLOATS), "linalg.matrix_rank": (["xp.linalg.matrix_rank(a)", "xp.linalg.matrix_rank(a[None], rtol=0.9)"], FLOATS), "linalg.matrix_power": (["xp.linalg.matrix_power(s, 3)", "xp.linalg.matrix_power(s, 0)", "xp.linalg.matrix_power(s, -1)"], FLOATS),
    "linalg.matrix_norm": (["xp.linalg.matrix_norm(a)", *[f"xp.linalg.matrix_norm(a, ord={o}, keepdims=True)" for o in ("1", "-1", "2", "-2", "xp.inf", "-xp.inf", "'nuc'")]], FLOATS),
    "linalg.vector_norm": (["xp.linalg.vector_norm(a)", "xp.linalg.vector_norm(a, axis=(0, 1), keepdims=True)", *[f"xp.linalg.vector_norm(a, axis=1, ord={o})" for o in ("1", "0", "3", "xp.inf", "-xp.inf", "0.5")]], FLOATS),
    # Fourier
    "fft.fft": (["xp.fft.fft(a)", "xp.fft.fft(a, n=4, axis=0, norm='ortho')"], FLOATS), "fft.ifft": (["xp.fft.ifft(a)", "xp.fft.ifft(a, n=2, norm='forward')"], FLOATS), "fft.fftn": (["xp.fft.fftn(a)", "xp.fft.fftn(a, s=(3, 2), axes=(0, 1), norm='forward')"], FLOATS), "fft.ifftn": (["xp.fft.ifftn(a)"], FLOATS),
    "fft.rfft": (["xp.fft.rfft(a)", "xp.fft.rfft(a, n=5)"], REALS), "fft.irfft": (["xp.fft.irfft(a)", "xp.fft.irfft(a, n=3, axis=0)"], COMPLEX), "fft.rfftn": (["xp.fft.rfftn(a)"], REALS), "fft.irfftn": (["xp.fft.irfftn(a)", "xp.fft.irfftn(a, s=(2, 3), axes=(0, 1))"], COMPLEX),
    "fft.hfft": (["xp.fft.hfft(a)", "xp.fft.hfft(a, n=3)"], COMPLEX), "fft.ihfft": (["xp.fft.ihfft(a)"], REALS), "fft.fftshift": (["xp.fft.fftshift(a)", "xp.fft.fftshift(a, axes=1)"], FLOATS), "fft.ifftshift": (["xp.fft.ifftshift(a)", "xp.fft.ifftshift(a, axes=(0,))"], FLOATS),
    # operators and methods of the array object
    "arithmetic operators": (["a + b", "a * b", "a - b", "+a", "a + 1", "2 * a", "a == b", "a != b"], NUMBERS), "order operators": (["a < b", "a <= b", "a > b", "a >= b", "a > 1"], ORDERED),
    "negation": (["-a"], SIGNED + FLOATS), "operators of floats": (["a / b", "a ** 2", "abs(a)"], FLOATS), "operators of integers": (["a & b", "a | b", "a ^ b", "~a", "a // (b * b + 1)", "a % (b * b + 1)", "a << 1", "a >> 1"], INTEGERS),
    "operators of truth": (["a & b", "a | b", "a ^ b", "~a"], BOOL), "indexing": (["a[0]", "a[-1, 1:]", "a[..., 0]", "a[:, ::-1]", "a[None, 0]", "a[xp.asarray([1, 0]), xp.asarray([0, 2])]", "a[:, xp.asarray([2, 0])]"], ANY),
    "indexing by masks": (["a[a > 1]", "a[b[:, 0] > 0]", "a[a[0] > 99][:0] if False else a[b > 1]"], ORDERED),
})  # fmt: skip

# Calls without arrays: what they give, as (dtype, values)
MAKERS = {
    "xp.arange(4)": ("int32", [0, 1, 2, 3]), "xp.arange(1.0, 2.0, 0.5)": ("float32", [1.0, 1.5]), "xp.arange(5, 1, -2)": ("int32", [5, 3]), "xp.arange(3, dtype=xp.float64)": ("float64", [0, 1, 2]), "xp.arange(0)": ("int32", []),
    "xp.asarray(True)": ("bool", True), "xp.asarray([1, 2])": ("int32", [1, 2]), "xp.asarray(1.5)": ("float32", 1.5), "xp.asarray([1j])": ("complex64", [1j]), "xp.asarray([1], dtype=xp.uint8)": ("uint8", [1]), "xp.asarray(xp.asarray([1]), dtype=xp.float64)": ("float64", [1.0]), "xp.asarray(np.arange(3.0))": ("float64", [0, 1, 2]), "xp.asarray(memoryview(b'ab'))": ("uint8", [97, 98]), "xp.asarray([[1, 2], [3, 4]], copy=True)": ("int32", [[1, 2], [3, 4]]), "xp.asarray(2**40)": ("int64", 2**40),
    "xp.zeros(2)": ("float32", [0, 0]), "xp.zeros((2, 1), dtype=xp.bool)": ("bool", [[False], [False]]), "xp.zeros(())": ("float32", 0), "xp.ones((1, 2))": ("float32", [[1, 1]]), "xp.ones(2, dtype=xp.complex128)": ("complex128", [1, 1]), "xp.full(2, 7)": ("int32", [7, 7]), "xp.full((1,), 1.5)": ("float32", [1.5]), "xp.full((1,), True)": ("bool", [True]), "xp.full((1,), 1j)": ("complex64", [1j]), "xp.full(2, 3, dtype=xp.uint16)": ("uint16", [3, 3]), "xp.zeros_like(xp.empty((0, 2)))": ("float32", np.zeros((0, 2))),
    "xp.eye(2)": ("float32", [[1, 0], [0, 1]]), "xp.eye(2, 3, k=1, dtype=xp.int8)": ("int8", [[0, 1, 0], [0, 0, 1]]), "xp.eye(2, 1, k=-1)": ("float32", [[0], [1]]), "xp.linspace(0, 1, 3)": ("float32", [0, 0.5, 1]), "xp.linspace(0, 4, 2, endpoint=False)": ("float32", [0, 2]), "xp.linspace(0, 1, 2, dtype=xp.float64)": ("float64", [0, 1]), "xp.linspace(0, 1j, 2)": ("complex64", [0, 1j]),
    "xp.from_dlpack(xp.asarray([1, 2]))": ("int32", [1, 2]), "xp.from_dlpack(np.arange(2.0))": ("float64", [0, 1]), "xp.fft.fftfreq(4)": ("float32", [0, 0.25, -0.5, -0.25]), "xp.fft.rfftfreq(4, d=0.5)": ("float32", [0, 0.5, 1.0]), "xp.fft.fftfreq(3, dtype=xp.float64)": ("float64", [0, 1 / 3, -1 / 3]),
    "xp.sort(xp.asarray([2, 3, 1]), descending=True)": ("int32", [3, 2, 1]), "xp.argsort(xp.asarray([1, 2, 1, 2]), descending=True)": ("int64", [1, 3, 0, 2]), "xp.argsort(xp.asarray([[1, 2], [5, 5]]), axis=0, descending=True)": ("int64", [[1, 1], [0, 0]]), "xp.remainder(xp.asarray([-0.0, 2.0]), xp.asarray([1.0, -1.0]))": ("float32", [0.0, -0.0]), "xp.clip(xp.asarray([3]))": ("int32", [3]), "xp.sum(xp.asarray([True, True]))": ("int32", 2), "xp.clip(xp.asarray([1, 200], dtype=xp.uint8), -5, 1000)": ("uint8", [1, 200]), "xp.unique_counts(xp.asarray([xp.nan, 1.0, xp.nan])).counts": ("int64", [1, 1, 1]),
    "xp.add(xp.asarray([1], dtype=xp.int8), xp.asarray([1], dtype=xp.int16))": ("int16", [2]), "xp.add(xp.asarray([1], dtype=xp.uint8), xp.asarray([-2], dtype=xp.int8))": ("int16", [-1]), "xp.add(xp.ones(1), xp.ones(1, dtype=xp.float64))": ("float64", [2]), "xp.multiply(xp.ones(1), xp.asarray([1j]))": ("complex64", [1j]), "xp.where(xp.asarray([True, False]), xp.asarray([1], dtype=xp.int8), xp.asarray([2]))": ("int32", [1, 2]),
    "xp.concat([xp.asarray([1], dtype=xp.int8), xp.asarray([2])])": ("int32", [1, 2]), "xp.stack([xp.ones(1), xp.ones(1, dtype=xp.float64)])": ("float64", [[1], [1]]),
}  # fmt: skip

# Calls that give no array: what they give
FACTS = {
    "xp.isdtype(xp.int8, 'signed integer')": True, "xp.isdtype(xp.int8, ('bool', 'integral'))": True, "xp.isdtype(xp.float32, 'numeric')": True, "xp.isdtype(xp.bool, 'numeric')": False, "xp.isdtype(xp.complex64, 'complex floating')": True, "xp.isdtype(xp.uint8, xp.uint8)": True, "xp.isdtype(xp.float64, (xp.float32, 'integral'))": False,
    "xp.can_cast(xp.int8, xp.int16)": True, "xp.can_cast(xp.float64, xp.float32)": False, "xp.can_cast(xp.asarray(1), xp.int64)": True, "xp.result_type(xp.int8, xp.uint8) == xp.int16": True, "xp.result_type(xp.float32, xp.asarray(1.0)) == xp.float32": True, "xp.result_type(xp.float32, 1.0) == xp.float32": True, "xp.result_type(xp.int8, 1) == xp.int8": True,
    "xp.finfo(xp.float32).bits": 32, "xp.finfo(xp.complex128).max": float(np.finfo("float64").max), "xp.finfo(xp.float64).eps": 2.0**-52, "xp.finfo(xp.float32).smallest_normal": float(np.finfo("float32").smallest_normal), "xp.finfo(xp.complex64).dtype == xp.float32": True, "xp.iinfo(xp.uint8).max": 255, "xp.iinfo(xp.int16).min": -32768, "xp.iinfo(xp.int64).bits": 64, "xp.iinfo(xp.asarray(1)).dtype == xp.int32": True,
    "xp.broadcast_shapes((2, 1), (3,))": (2, 3), "xp.e": np.e, "xp.pi": np.pi, "xp.inf": np.inf, "xp.newaxis": None, "xp.nan != xp.nan": True, "xp.__array_api_version__": "2024.12",
    "xp.__array_namespace_info__().capabilities()": {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}, "xp.__array_namespace_info__().devices()": ["cpu"], "sorted(xp.__array_namespace_info__().dtypes(kind='real floating'))": ["float32", "float64"], "len(xp.__array_namespace_info__().dtypes())": 13, "sorted(xp.__array_namespace_info__().default_dtypes())": ["complex floating", "indexing", "integral", "real floating"], "len(xp.__array_namespace_info__().dtypes(kind=('bool', 'unsigned integer')))": 5, "xp.__array_namespace_info__().default_device()": "cpu",
    "xp.ones((2, 3)).shape == (2, 3)": True, "xp.ones((2, 3)).ndim": 2, "xp.ones((2, 3)).size": 6, "xp.asarray(1).__array_namespace__() is xp": True, "xp.asarray(1).__array_namespace__(api_version='2023.12') is xp": True, "bool(xp.asarray(True))": True, "int(xp.asarray(3))": 3, "float(xp.asarray(1.5))": 1.5, "complex(xp.asarray(1j))": 1j, "[1, 2, 3][xp.asarray(1)]": 2, "xp.asarray(1).to_device('cpu').dtype == xp.int32": True, "xp.asarray(1).__dlpack_device__()": (1, 0), "xp.asarray(1.0).dtype == xp.float32": True,
}  # fmt: skip

# Calls that must fail, and how
REFUSED = {
    "xp.squeeze(xp.ones((2, 1)), 0)": ValueError, "xp.expand_dims(xp.ones(2), axis=5)": IndexError, "xp.matmul(xp.asarray(1.0), xp.ones(1))": ValueError, "xp.nonzero(xp.asarray(1))": ValueError, "xp.isdtype(xp.int8, 'floaty')": ValueError, "xp.asarray([1, 2], copy=False)": ValueError, "xp.take(xp.ones((2, 2)), xp.asarray([0]))": ValueError, "xp.cumulative_sum(xp.ones((2, 2)))": ValueError, "xp.asarray(1).to_device('gpu')": ValueError, "xp.asarray(1, device='gpu')": ValueError, "xp.asarray(1).__array_namespace__(api_version='1999.1')": ValueError, "xp.add(1, 2)": TypeError, "xp.result_type(1, 2.0)": TypeError, "bool(xp.ones(2))": ValueError, "int(xp.ones(2))": TypeError, "xp.linalg.cross(xp.ones(2), xp.ones(2))": ValueError, "xp.linalg.qr(xp.eye(2), mode='r')": ValueError, "xp.ones(2).__setitem__(0, 1)": (TypeError, AttributeError), "xp.concat([xp.ones(2), xp.ones((2, 2))])": (ValueError, Exception),
}  # fmt: skip


def arrays(dtype):
    """`a`, `b` (2 x 3), `s` (3 x 3, regular) and `p` (3 x 3, positive definite) of a dtype."""
    rng = np.random.default_rng(sum(map(ord, dtype)))
    if dtype == "bool":
        return {"a": rng.random((2, 3)) < 0.5, "b": rng.random((2, 3)) < 0.5}
    if "int" in dtype:
        low = 0 if dtype[0] == "u" else -6
        return {n: rng.integers(low, 7, (2, 3)).astype(dtype) for n in "ab"}
    found = {n: rng.standard_normal((2, 3)) * 2 for n in "ab"}
    square = rng.standard_normal((3, 3)) + 3 * np.eye(3)
    if "complex" in dtype:
        found = {n: v + 1j * rng.standard_normal(v.shape) for n, v in found.items()}
        square = square + 0.5j * rng.standard_normal((3, 3))
    found |= {"s": square, "p": square @ square.conj().T}
    return {n: v.astype(dtype) for n, v in found.items()}


def leaves(found):
    return list(found) if isinstance(found, (tuple, list)) else [found]


def wanted(call, dtype):
    """NumPy's answers, in our default dtypes."""
    with np.errstate(all="ignore"):
        found = eval(call, {"xp": np, "np": np, **arrays(dtype)})
    narrow = {"int64": "int32", "uint64": "uint32"}
    small = dtype in ("int8", "int16", "int32", "uint8", "uint16", "uint32")
    out = []
    for array in map(np.asarray, leaves(found)):
        name = array.dtype.name
        if small and any(w in call for w in ("sum(", "prod(", "trace(")) and "dtype=" not in call and name in narrow:
            array = array.astype(narrow[name])
        out.append(array)
    return out


def difference(found, expected):
    """What is wrong with the arrays `found`, or None."""
    if len(found) != len(expected):
        return f"{len(found)} arrays, not {len(expected)}"
    for f, w in zip(map(np.asarray, found), expected):
        if f.dtype != w.dtype or f.shape != w.shape:
            return f"{f.dtype}{list(f.shape)}, not {w.dtype}{list(w.shape)}"
        if w.dtype.kind in "fc":
            single = w.dtype in (np.float32, np.complex64)
            if not np.allclose(f, w, rtol=1e-3 if single else 1e-9, atol=1e-4 if single else 1e-11, equal_nan=True):
                return f"{f.tolist()}, not {w.tolist()}"
        elif f.tolist() != w.tolist():
            return f"{f.tolist()}, not {w.tolist()}"
    return None


# What is not as the standard says, and why
EXCEPTIONS = {
    "`x[key] = value`": "tensors are immutable, as TensorFlow's; in functions that AutoGraph converts it stages an update",
    "operators with tensors of two dtypes": "they raise, as TensorFlow's do; `xp.add` and the other functions promote",
    "`-x` of unsigned integers, `x @ y` of vectors, int8 and int16": "they raise, as TensorFlow's do; `xp.negative` and `xp.matmul` work",
    "`x / y` of integers": "gives floats (the standard leaves it open)",
    "`x.device`": 'is TensorFlow\'s name of the device; `device=` takes it, and `"cpu"`',
    "`asarray(obj, copy=False)` of what is no tensor": "raises: memory that others may write to is copied",
    "`empty`": "gives zeros, as nothing can be written into a tensor",
    "order of `unique_values`": "ascending (the standard leaves it open)",
}
