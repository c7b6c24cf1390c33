"""NumPy's functions called on tensors, with arguments drawn at random, beside NumPy on arrays.

`python -m tests.numpy_calls --seed 1 --count 20000` prints what differs: a result where NumPy raises, other values,
shapes or kinds of dtypes, eagerly and traced with known shapes (`--modes`; `loose`: sizes are not known). `--refused` prints
too what NumPy does and is refused here. WORDS choose the calls in which they stand.
"""

from __future__ import annotations

import argparse
import collections
import random
import re
import warnings
from typing import Any

import numpy as np

import graphrt as tf

SHAPES = (
    (),
    (),
    (0,),
    (1,),
    (2,),
    (3,),
    (3,),
    (4,),
    (2, 3),
    (2, 3),
    (3, 3),
    (1, 3),
    (3, 1),
    (0, 3),
    (2, 0),
    (2, 3, 4),
    (1, 1, 1),
)
# where infinity and NaN go their own ways: by TensorFlow's kernels, in NumPy's interpolation, by the order of products
FINITE = re.compile(
    r"linalg|fft|convolve|correlate|quantile|percentile|median|interp|poly|arg(max|min|sort)|divmod|floor_divide|i0|cov|corrcoef|"
    r"dot|matmul|einsum|vec|partition|unwrap|inner|kron"
)
# what is meant to differ
MEANT = {
    r"^np\.(arg)?partition\(": "all is sorted",
    r"\.reshape\((x0, )?\(-1, 0\)\)": "NumPy does not ask which size makes nothing of nothing",
    r"^np\.(mean|std|var)\(x0, dtype=": "NumPy's integers of NaN, and complex numbers in floats",
    r"^np\.(quantile|percentile)\(x0, \[\]": "no quantiles of nothing",
    r"^np\.(quantile|percentile|median)\(.*axis=\(\)": "NumPy cannot reshape nothing",
    r"^np\.floor_divide": "complex numbers, too, as operators of tensors take them",
    r"^np\.cross\(": "vectors of two elements, which NumPy takes no longer from 2.5 on",
    r"argsort\(": "the order of equal elements",
    r"^np\.setdiff1d\(.*assume_unique": "what is not unique",
    r"^np\.einsum\('ii->i'": "NumPy reads beyond the array",
    r"^x0\[x1, x2\]": "which positions are out of range of nothing",
    r"^np\.interp\(": "points that do not increase",
    r"^np\.unravel_index\(x0, \(?(-|\(\))": "no position in no array",
}
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.5, np.nan, np.inf, -np.inf, 1e6, 3.0)


def array_of(draw: random.Random, kind: str, shape: tuple[int, ...], special: float) -> np.ndarray:
    size = int(np.prod(shape))
    if kind == "f":
        values = [
            draw.choice(SPECIAL) if draw.random() < special else draw.choice((-1.5, 0.25, 0.5, 1.0, 2.0, 3.0, -4.0))
            for _ in range(size)
        ]
        return np.array(values, draw.choice((np.float32, np.float64, np.float64))).reshape(shape)
    if kind == "p":  # positive numbers
        return np.array([draw.choice((0.5, 1.0, 2.0, 3.0, 4.5)) for _ in range(size)]).reshape(shape)
    if kind == "i":
        return np.array(
            [draw.randint(-5, 9) for _ in range(size)], draw.choice((np.int8, np.int32, np.int64, np.int64))
        ).reshape(shape)
    if kind == "u":
        return np.array(
            [draw.randint(0, 9) for _ in range(size)], draw.choice((np.uint8, np.uint32, np.uint64))
        ).reshape(shape)
    if kind == "n":  # places
        return np.array(
            [draw.randint(0, 3) if draw.random() < 0.9 else draw.randint(-4, 5) for _ in range(size)], np.int64
        ).reshape(shape)
    if kind == "b":
        return np.array([draw.random() < 0.5 for _ in range(size)], bool).reshape(shape)
    values = [complex(draw.choice((-1.5, 0.5, 2.0)), draw.choice((0.0, 1.0, -2.0))) for _ in range(size)]
    return np.array(values, draw.choice((np.complex64, np.complex128))).reshape(shape)


# letters in braces: X any array, F floats, I integers, N places, B booleans, Y as X with the shape of the first; V a vector,
# M a matrix; in parentheses, choices
CALLS = """
np.sum({X}{red}); np.prod({X}{red}); np.mean({X}{red}); np.std({X}{red}{ddof}); np.var({X}{red}{ddof}); np.max({X}{red}); np.min({X}{red}); np.ptp({X}{red}); np.any({X}{red}); np.all({X}{red}); np.count_nonzero({X}{red}); np.median({X}{red}); np.quantile({F}, {q}{red}); np.percentile({F}, {pq}{red}); np.average({X}{ax}); np.average({F}, weights={Y}); np.average({F}, axis={k}, weights={F})
np.sum({X}{red}, initial={v}, where={B}); np.max({X}{red}, initial={v}); np.min({X}{red}, initial={v}, where={B}); np.mean({X}{red}, where={B}); np.any({X}{red}, where={B}); np.sum({X}, dtype={dt}); np.prod({X}, dtype={dt}); np.mean({X}, dtype={dt}); np.cumsum({X}{ax}, dtype={dt}); np.std({X}, dtype={dt})
np.nansum({X}{red}); np.nanprod({X}{red}); np.nanmean({X}{red}); np.nanvar({X}{red}{ddof}); np.nanstd({X}{red}{ddof}); np.nanmax({X}{red}); np.nanmin({X}{red}); np.nancumsum({X}{ax}); np.nancumprod({X}{ax})
np.argmax({X}{ax1}); np.argmin({X}{ax1}); np.cumsum({X}{ax1}); np.cumprod({X}{ax1}); np.sort({X}{ax1}); np.argsort({I}{ax1}); np.diff({X}, {n}{k1}); np.diff({X}, n={n}); np.partition({X}, {k}); np.lexsort(({I}, {I})); np.cumulative_sum({X}{ax1}); np.cumulative_prod({X}{ax1}, include_initial=True); np.ediff1d({X}); np.ediff1d({X}, to_end={V}); np.gradient({F}); np.gradient({F}, {v}, axis={k}); np.gradient({F}, {F}); np.trapezoid({F}); np.trapezoid({F}, {F}); np.trapezoid({F}, dx={v}, axis={k})
np.dot({X}, {X}); np.inner({X}, {X}); np.vdot({X}, {X}); np.outer({X}, {X}); np.tensordot({X}, {X}, {n}); np.tensordot({X}, {X}, axes=({ks}, {ks})); np.matmul({X}, {X}); np.vecdot({X}, {X}); np.linalg.vecdot({X}, {X}, axis={k}); np.matvec({X}, {X}); np.vecmat({X}, {X}); np.kron({X}, {X}); np.cross({X}, {X}); np.cross({X}, {X}, axis={k}); np.linalg.cross({X}, {X}); np.einsum('ij,jk', {X}, {X}); np.einsum('i,i->', {X}, {X}); np.einsum('ii->i', {X}); np.einsum('...i->...', {X}); np.einsum('ij->ji', {X}); np.linalg.outer({X}, {X}); np.linalg.matmul({X}, {X}); np.linalg.multi_dot([{X}, {X}, {X}]); np.linalg.matrix_transpose({X}); np.linalg.tensordot({X}, {X}, axes={n}); np.linalg.diagonal({X}, offset={n}); np.linalg.trace({X}, offset={n})
np.reshape({X}, {shape}); np.ravel({X}); np.transpose({X}); np.transpose({X}, {ks}); np.matrix_transpose({X}); np.swapaxes({X}, {k}, {k}); np.moveaxis({X}, {ks}, {ks}); np.moveaxis({X}, {k}, {k}); np.rollaxis({X}, {k}); np.rollaxis({X}, {k}, {k}); np.expand_dims({X}, {ks}); np.squeeze({X}); np.squeeze({X}, {ks}); np.atleast_1d({X}, {X}); np.atleast_2d({X}); np.atleast_3d({X}); np.broadcast_to({X}, {shape}); np.flip({X}); np.flip({X}, {ks}); np.flipud({X}); np.fliplr({X}); np.roll({X}, {n}); np.roll({X}, {n}, {k}); np.roll({X}, {ks}, {ks}); np.rot90({X}, {n}); np.rot90({X}, {n}, ({k}, {k})); np.zeros_like({X}); np.ones_like({X}, dtype={dt}); np.full_like({X}, {v}); np.full_like({X}, {X}); np.broadcast_arrays({X}, {X}, {X}); np.shape({X}); np.size({X}); np.size({X}, {k}); np.ndim({X}); np.copy({X}); np.permute_dims({X}, {ks})
np.concatenate([{X}, {X}]); np.concatenate([{X}, {X}], {k}); np.concatenate([{X}, {X}], None); np.concatenate({X}); np.concat([{X}, {X}], axis={k}); np.stack([{X}, {X}]); np.stack([{X}, {X}], {k}); np.stack([{X}, {Y}], {k}); np.vstack([{X}, {X}]); np.hstack([{X}, {X}]); np.dstack([{X}, {X}]); np.column_stack([{X}, {X}]); np.append({X}, {X}); np.append({X}, {X}, {k}); np.block([[{X}, {X}], [{X}, {X}]]); np.block([{X}, {X}]); np.split({X}, {n}); np.split({X}, {n}, {k}); np.split({X}, {ks}, {k}); np.array_split({X}, {n}); np.array_split({X}, {n}, {k}); np.array_split({X}, {ks}); np.vsplit({X}, {n}); np.hsplit({X}, {n}); np.dsplit({X}, {n}); np.unstack({X}); np.unstack({X}, axis={k}); np.tile({X}, {n}); np.tile({X}, {ks}); np.repeat({X}, {n}); np.repeat({X}, {ks}); np.repeat({X}, {n}, {k}); np.repeat({X}, {ks}, {k}); np.repeat({X}, {N}); np.pad({X}, {n}); np.pad({X}, {n}, mode='reflect'); np.pad({X}, {n}, mode='symmetric'); np.pad({X}, ({n}, {n})); np.pad({X}, {n}, constant_values={v}); np.meshgrid({X}, {X}); np.meshgrid({V}, {V}, indexing='ij'); np.meshgrid({V}, {V}, indexing='x')
np.take({X}, {N}); np.take({X}, {N}, {k}); np.take({X}, {N}, mode={mode}); np.take_along_axis({X}, {N}, {k}); np.take_along_axis({X}, {N}, axis=None); np.compress({B}, {X}); np.compress({X}, {X}); np.compress({B}, {X}, {k}); np.extract({B}, {X}); np.extract({X}, {X}); np.flatnonzero({X}); np.nonzero({X}); np.argwhere({X}); np.where({B}); np.where({X}, {X}, {X}); np.where({B}, {X}, {v}); np.select([{B}, {B}], [{X}, {X}]); np.select([{B}, {B}], [{X}, {X}], {v}); np.select([{X}], [{X}]); np.select([{B}, {B}], [{X}]); np.choose({N}, [{X}, {X}, {X}]); np.choose({N}, [{X}, {X}, {X}], mode={mode}); np.piecewise({X}, [{B}, {B}], [1, 2]); np.piecewise({X}, [{B}], [1, 2, 3]); np.delete({X}, {n}); np.delete({X}, {ks}); np.delete({X}, {n}, {k}); np.insert({X}, {n}, {v}); np.insert({X}, {n}, {v}, {k}); np.insert({X}, {n}, {V}); np.ix_({X}, {X}); np.ix_({V}, {B}); np.diag({X}); np.diag({X}, {n}); np.diagflat({X}, {n}); np.diagonal({X}, {n}); np.diagonal({X}, {n}, {k}, {k}); np.trace({X}); np.trace({X}, {n}); np.trace({X}, {n}, {k}, {k}); np.tril({X}, {n}); np.triu({X}, {n}); np.unravel_index({N}, {shape}); np.unravel_index({N}, {n}); np.ravel_multi_index(({N}, {N}), {shape}); np.ravel_multi_index(({N}, {N}), (3, 3)); np.ravel_multi_index({N}, (3, 3))
np.convolve({X}, {X}); np.convolve({V}, {V}, {cm}); np.correlate({X}, {X}); np.correlate({V}, {V}, {cm}); np.interp({F}, {F}, {F}); np.interp({F}, {V}, {V}); np.interp({F}, {V}, {V}, left={v}, right={v}); np.interp({F}, {V}, {V}, period={v}); np.polyval({X}, {X}); np.vander({X}); np.vander({V}, {n}); np.vander({V}, {n}, increasing=True); np.cov({X}); np.cov({X}, {X}); np.cov({X}, rowvar=False); np.cov({X}, ddof={n}); np.cov({X}, bias=True); np.corrcoef({X}); np.corrcoef({V}, {V}); np.polyfit({V}, {V}, {n})
np.searchsorted({F}, {F}); np.searchsorted({V}, {X}); np.searchsorted({I}, {I}, side={side}); np.digitize({X}, {V}); np.digitize({F}, {V}, right=True); np.digitize({F}, [1, 2, 3]); np.digitize({F}, [3, 2]); np.digitize({F}, [2, 3, 1]); np.bincount({N}); np.bincount({N}, {F}); np.bincount({N}, {Y}); np.bincount({X}); np.bincount({N}, minlength={n}); np.histogram({X}); np.histogram({X}, {n}); np.histogram({F}, {V}); np.histogram({F}, {n}, ({n}, {n})); np.histogram({F}, {n}, density=True); np.histogram({F}, {n}, weights={Y}); np.histogram({F}, {n}, weights={F}); np.histogram({F}, [1, 2, 3]); np.histogram({F}, [3, 2, 1])
np.unique({X}); np.unique({X}, return_index=True, return_inverse=True, return_counts=True); np.unique({X}, axis={k}); np.unique({X}, equal_nan=False); np.unique_all({X}); np.unique_counts({X}); np.unique_inverse({X}); np.isin({X}, {X}); np.isin({X}, {X}, invert=True); np.intersect1d({X}, {X}); np.union1d({X}, {X}); np.setdiff1d({X}, {X}); np.setxor1d({X}, {X}); np.setdiff1d({X}, {X}, assume_unique=True)
np.clip({X}, {v}, {v}); np.clip({X}, {X}, {X}); np.clip({X}, None, {v}); np.clip({X}, {v}, None); np.clip({X}, None, None); np.clip({X}); np.nan_to_num({X}); np.nan_to_num({X}, nan={v}, posinf={v}); np.isclose({X}, {X}); np.isclose({X}, {X}, equal_nan=True); np.isclose({X}, {X}, {v}, {v}); np.allclose({X}, {X}); np.array_equal({X}, {X}); np.array_equal({X}, {Y}); np.round({X}); np.round({X}, {n}); np.real({X}); np.imag({X}); np.angle({X}); np.angle({X}, deg=True); np.iscomplexobj({X}); np.isrealobj({X}); np.result_type({X}, {X}); np.i0({X}); np.fix({X}); np.isposinf({X}); np.isneginf({X}); np.iscomplex({X}); np.isreal({X}); np.astype({X}, {dt}); np.sinc({X}); np.linspace({X}, {X}, {n}); np.linspace({F}, {F}, {n}, endpoint=False, retstep=True); np.linspace({X}, {X}, {n}, dtype={dt}); np.linspace({F}, {F}, {n}, axis={k}); np.logspace({F}, {F}, {n}); np.logspace({F}, {F}, {n}, base={v}); np.geomspace({P}, {P}, {n}); np.apply_along_axis(np.sum, {k}, {X}); np.apply_along_axis(np.cumsum, {k}, {X}); np.apply_over_axes(np.sum, {X}, {ks}); np.trim_zeros({X}); np.unwrap({F}); np.nanmedian({F}); np.array_equiv({X}, {X}); np.may_share_memory({X}, {X}); np.real_if_close({X})
np.linalg.inv({S}); np.linalg.det({S}); np.linalg.slogdet({S}); np.linalg.solve({S}, {X}); np.linalg.cholesky({S}); np.linalg.qr({X}, mode={qm}); np.linalg.svd({X}, compute_uv=False); np.linalg.svdvals({X}); np.linalg.eigh({X}); np.linalg.eigvalsh({X}, {uplo}); np.linalg.matrix_rank({X}); np.linalg.pinv({P}); np.linalg.matrix_power({S}, {n}); np.linalg.cond({S}); np.linalg.cond({S}, {ord}); np.linalg.lstsq({P}, {X}); np.linalg.norm({X}); np.linalg.norm({X}, {ord}); np.linalg.norm({X}, {ord}, {ks}); np.linalg.norm({X}, {ord}, {k}); np.linalg.norm({X}, axis={k}, keepdims=True); np.linalg.vector_norm({X}, axis={ks}); np.linalg.vector_norm({X}, ord={ord}); np.linalg.matrix_norm({X}); np.linalg.matrix_norm({X}, ord={ord}); np.linalg.eig({S}); np.linalg.eigvals({S})
np.fft.fft({X}); np.fft.fft({X}, {n}); np.fft.fft({X}, {n}, {k}); np.fft.ifft({X}, {n}, norm={norm}); np.fft.rfft({X}); np.fft.rfft({X}, {n}); np.fft.irfft({X}); np.fft.irfft({X}, {n}); np.fft.irfft({X}, {n}, {k}, {norm}); np.fft.hfft({X}); np.fft.hfft({X}, {n}); np.fft.ihfft({X}, {n}); np.fft.fft2({X}); np.fft.fft2({X}, s={ks}); np.fft.ifft2({X}, s={ks}); np.fft.fft2({X}, axes={ks}); np.fft.fftn({X}); np.fft.fftn({X}, {ks}); np.fft.fftn({X}, {ks}, {ks}); np.fft.ifftn({X}, axes={ks}); np.fft.rfftn({X}); np.fft.rfftn({X}, {ks}); np.fft.irfftn({X}); np.fft.irfftn({X}, {ks}); np.fft.rfft2({X}); np.fft.rfft2({X}, {ks}); np.fft.irfft2({X}, {ks}); np.fft.fftshift({X}); np.fft.fftshift({X}, {ks}); np.fft.ifftshift({X}, {k})
{X}[{N}]; {X}[{B}]; {X}[{N}, {N}]; {X}[..., {N}]; {X}[{n}]; {X}.sum({k}); {X}.mean({k}); {X}.reshape({shape}); {X}.take({N}); {X}.repeat({n}); {X}.clip({v}, {v}); {X}.argmax({k}); {X}.round({n}); {X}.swapaxes({k}, {k}); {X}.compress({B}); {X}.choose([{X}, {X}]); {X}.dot({X}); {X}.diagonal({n}); {X}.trace({n}); {X}.searchsorted({X}); {X}.squeeze({k}); {X}.transpose({ks}); {X}.var(ddof={n}); {X}.std({k}, ddof={n}); {X}.cumsum({k}); {X}.astype({dt}); {X}.nonzero(); {X}.max({k}); {X}.all({k}); {X}.prod({k}); {X}.ravel(); {X}.flatten(); {X}.argsort({k})
"""
CHOICES = {
    "red": ("", "", ", axis={k}", ", axis={ks}", ", axis={k}, keepdims=True", ", keepdims=True"),
    "ddof": ("", "", ", ddof=1", ", ddof=4"),
    "ax": ("", ", axis={k}"), "ax1": ("", ", axis={k}", ", axis=None"), "k1": (", {k}",),
    "k": ("0", "0", "1", "-1", "-1", "-2", "2", "3", "-4"),
    "ks": ("(0,)", "(1,)", "(0, 1)", "(-1, 0)", "()", "(0, 0)", "(1, 2)", "(2, 0, 1)", "(0, -1)", "(3,)", "(1, 0)", "(-1,)", "(2, 2)"),
    "n": ("0", "1", "2", "3", "-1", "-2", "5", "4"),
    "v": ("0", "1", "-1", "2.5", "0.5", "np.nan"),
    "q": ("0.5", "0.0", "1.0", "[0.25, 0.5]", "[]", "1.5", "-0.1", "[[0.1], [0.9]]"),
    "pq": ("50", "0", "100", "[25, 50]", "[]", "150", "-1"),
    "dt": ("np.float32", "np.int32", "np.float64", "bool", "np.complex128", "np.int8"),
    "shape": ("()", "(3,)", "(-1,)", "(2, 3)", "(3, -1)", "(0,)", "(2, -1, 1)", "(-1, -1)", "6", "(2, 2)", "(1, 3)", "(4, 2, 3)", "(-1, 0)", "(-2, 3)"),
    "mode": ("'raise'", "'wrap'", "'clip'", "'no'"), "cm": ("'full'", "'same'", "'valid'", "'no'"), "side": ("'left'", "'right'", "'no'"),
    "qm": ("'reduced'", "'r'", "'no'"), "uplo": ("'L'", "'U'", "'X'"),
    "ord": ("None", "1", "-1", "2", "-2", "0", "3", "np.inf", "-np.inf", "'fro'", "'nuc'", "'no'"),
    "norm": ("None", "'ortho'", "'forward'", "'backward'", "'no'"),
}  # fmt: skip
UFUNCS = sorted({u for u in vars(np).values() if isinstance(u, np.ufunc)}, key=lambda u: u.__name__)


def templates() -> list[str]:
    found = [c.strip() for line in CALLS.strip().splitlines() for c in line.split(";")]
    for u in UFUNCS:
        name = f"np.{u.__name__}"
        many = ", ".join(["{X}"] * u.nin)
        found += [
            f"{name}({many})",
            f"{name}({many})",
            f"{name}({', '.join(['{I}'] * u.nin)})",
            f"{name}({many}, dtype={{dt}})",
        ]
        if u.nin == 2:
            found += [f"{name}({{X}}, {{v}})", f"{name}({{n}}, {{X}})"]
        if u.nin == 2 and u.nout == 1 and not u.signature:
            found += [
                f"{name}.reduce({{X}})",
                f"{name}.reduce({{X}}, axis={{k}})",
                f"{name}.accumulate({{X}})",
                f"{name}.accumulate({{X}}, {{k}})",
                f"{name}.outer({{X}}, {{X}})",
            ]
    return found


class Case:
    """A call and its arrays."""

    def __init__(self, template: str, draw: random.Random) -> None:
        self.template, self.arrays = template, {}
        self.draw = draw
        code = template
        while "{" in code:
            at = code.index("{")
            end = code.index("}", at)
            code = code[:at] + self._part(code[at + 1 : end]) + code[end + 1 :]
        self.code = code

    def _part(self, kind: str) -> str:
        draw = self.draw
        if kind in CHOICES:
            return draw.choice(CHOICES[kind])
        shape = draw.choice(SHAPES)
        if kind == "V":
            shape = draw.choice(((0,), (1,), (2,), (3,), (3,), (4,)))
        if kind == "S":
            shape = draw.choice(((3, 3), (3, 3), (1, 1), (2, 3), (2, 2, 2), (0, 0), (3,), ()))
        if kind != "V" and self.arrays and (kind == "Y" or draw.random() < 0.5):
            shape = next(iter(self.arrays.values())).shape
        letter = {"F": "f", "I": "i", "N": "n", "B": "b", "P": "p"}.get(kind) or draw.choice(
            "fffiuicb" if kind != "V" else "fffi"
        )
        if kind == "Y":
            letter = next(iter(self.arrays.values())).dtype.kind
        name = f"x{len(self.arrays)}"
        if kind == "S":
            values = np.array([draw.choice((-1.0, 0.5, 2.0, 3.0)) for _ in range(int(np.prod(shape)))]).reshape(shape)
            if len(shape) > 1 and shape[-1] == shape[-2]:
                values = values @ values.swapaxes(-1, -2) + np.eye(shape[-1])
            self.arrays[name] = values
        else:
            self.arrays[name] = array_of(draw, letter, shape, 0 if FINITE.search(self.template) else 0.15)
        return name

    def __str__(self) -> str:
        return f"{self.code}   # " + ", ".join(f"{k}={shown(v)}" for k, v in self.arrays.items())

    def run(self, arrays: Any) -> Any:
        return eval(self.code, {"np": np, **arrays})


def shown(x: Any) -> str:
    try:
        a = np.asarray(x)
        return f"{a.dtype}{list(a.shape)}{a.tolist() if a.size < 13 else '...'}"
    except Exception:
        return repr(x)[:200]


def leaves(found: Any) -> list[Any]:
    if isinstance(found, (tuple, list)):
        return [leaf for f in found for leaf in leaves(f)]
    return [found]


def differ(found: Any, wanted: Any) -> str | None:
    a, b = leaves(found), leaves(wanted)
    if len(a) != len(b):
        return f"{len(a)} results, NumPy {len(b)}"
    for f, w in zip(a, b):
        if not isinstance(w, (np.ndarray, np.generic, int, float, complex)):
            if f != w:
                return f"{f!r}, NumPy {w!r}"
            continue
        f, w = np.asarray(f), np.asarray(w)
        if f.shape != w.shape:
            return f"shape {shown(f)}, NumPy {shown(w)}"
        if w.size and f.dtype.kind != w.dtype.kind and not {f.dtype.kind, w.dtype.kind} <= set("iu"):
            return f"dtype {shown(f)}, NumPy {shown(w)}"
        if w.dtype.kind == "O":
            return f"objects {shown(f)}, NumPy {shown(w)}"
        close = 1e-3 if min(f.dtype.itemsize, w.dtype.itemsize) <= (8 if w.dtype.kind == "c" else 4) else 1e-6
        if f.dtype.kind in "fc" and not np.allclose(
            f, w, close, close * max(1, np.max(np.abs(np.nan_to_num(w, posinf=0, neginf=0)), initial=0)), equal_nan=True
        ):
            return f"values {shown(f)}, NumPy {shown(w)}"
        if f.dtype.kind not in "fc" and not np.array_equal(f, w):
            return f"values {shown(f)}, NumPy {shown(w)}"
    return None


def compared(case: Case, mode: str) -> tuple[str, str] | None:
    """What differs from NumPy: ('silent' or 'refused', how)."""
    copies = {k: v.copy() for k, v in case.arrays.items()}
    try:
        wanted: Any = case.run(copies)
        error = None
    except Exception as e:
        wanted, error = None, e
    try:
        tensors = {k: tf.constant(v) for k, v in case.arrays.items()}
        if mode == "eager":
            found = case.run(tensors)
        else:
            loose = mode == "loose"
            specs = [tf.TensorSpec([None] * v.ndim if loose else v.shape, v.dtype) for v in case.arrays.values()]
            aside: list[Any] = []

            def traced(*xs: Any) -> Any:
                found = case.run(dict(zip(tensors, xs)))
                aside.append(found)
                return [f for f in leaves(found) if isinstance(f, tf.Tensor)]

            given = iter(tf.function(traced, autograph=False, input_signature=specs)(*tensors.values()))
            found = [next(given) if isinstance(f, tf.Tensor) else f for f in leaves(aside[-1])]
        [np.asarray(f) for f in leaves(found) if isinstance(f, tf.Tensor)]
    except Exception as e:
        if error is None:
            return "refused", f"{type(e).__name__}: {str(e)[:150]}"
        if isinstance(
            e, (SystemError, RecursionError, AssertionError, AttributeError, NameError, UnboundLocalError)
        ) and type(e) is not type(error):
            return "strange", f"{type(e).__name__}: {str(e)[:150]}, NumPy {type(error).__name__}: {str(error)[:100]}"
        return None
    if error is not None:
        return (
            "silent",
            f"gives {[shown(f) for f in leaves(found)]}, NumPy raises {type(error).__name__}: {str(error)[:100]}",
        )
    how = differ(found, wanted)
    return None if how is None else ("silent", how)


def run(seed: int, count: int, modes: tuple[str, ...], words: list[str]) -> dict[str, list[tuple[str, str]]]:
    draw = random.Random(seed)
    rows = [t for t in templates() if not words or any(w in t for w in words)]
    rows = [
        t
        for t in rows
        if not t.startswith("np.")
        or eval(
            "hasattr(" + "".join(t.split("(")[0].rpartition(".")[0]) + f", {t.split('(')[0].rpartition('.')[2]!r})",
            {"np": np},
        )
    ]
    found: dict[str, list[tuple[str, str]]] = collections.defaultdict(list)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for i in range(count):
            case = Case(rows[i % len(rows)], draw)
            for mode in modes:
                how = compared(case, mode)
                if how is not None and not (how[0] == "silent" and any(re.search(m, case.code) for m in MEANT)):
                    found[f"{how[0]} {mode} {case.template.split('(')[0]}"].append((str(case), how[1]))
                    if how[0] == "silent":
                        break
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--modes", default="eager,traced")
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    for name, cases in sorted(run(given.seed, given.count, tuple(given.modes.split(",")), given.words).items()):
        if name.startswith("refused") and not given.refused:
            continue
        print(f"{name}: {len(cases)}")
        for text, how in cases[: given.each]:
            print(f"    {text}\n        {how}")
