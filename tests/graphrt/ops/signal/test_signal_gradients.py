"""The gradients of signals, images, volumes and solvers against finite differences, eagerly and traced."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.op import ops

RNG = np.random.default_rng(3)
X = RNG.standard_normal((3, 4))
V = RNG.standard_normal(6)
W = RNG.standard_normal((1, 4, 5, 2))
RGB = RNG.uniform(0.1, 0.9, (2, 3, 3))
VOL = RNG.standard_normal((1, 3, 4, 3, 2))
FIL = RNG.standard_normal((2, 2, 2, 2, 1))
TRI = RNG.standard_normal((3, 4)) + np.array([[0.0], [5.0], [0.0]])
RHS = RNG.standard_normal((4, 2))


def cx(x):
    return tf.complex(x, x * 0.5)


def both(z):
    return tf.concat([tf.reshape(tf.math.real(z), [-1]), tf.reshape(tf.math.imag(z), [-1])], 0)


def log(x):
    return both(tf.linalg.logm(cx(x) * 0.1 + tf.eye(2, dtype=tf.complex128) * 3.0))


DOUBLE = {
    "FFT": (lambda x: both(tf.signal.fft(cx(x))), X), "IFFT": (lambda x: both(tf.signal.ifft(cx(x))), X),
    "FFT2D": (lambda x: both(tf.signal.fft2d(cx(x))), X), "IFFT2D": (lambda x: both(tf.signal.ifft2d(cx(x))), X),
    "FFT3D": (lambda x: both(tf.signal.fft3d(cx(x))), X[None]), "IFFT3D": (lambda x: both(tf.signal.ifft3d(cx(x))), X[None]),
    "RFFT": (lambda x: both(tf.signal.rfft(x)), X), "RFFT_cut": (lambda x: both(tf.signal.rfft(x, [3])), X),
    "RFFT_filled": (lambda x: both(tf.signal.rfft(x, [7])), X), "RFFT2D": (lambda x: both(tf.signal.rfft2d(x)), X),
    "RFFT3D": (lambda x: both(tf.signal.rfft3d(x)), X[None]), "IRFFT": (lambda x: tf.signal.irfft(cx(x)), X),
    "IRFFT_odd": (lambda x: tf.signal.irfft(cx(x), [5]), X), "IRFFT2D": (lambda x: tf.signal.irfft2d(cx(x)), X),
    "IRFFT3D": (lambda x: tf.signal.irfft3d(cx(x)), X[None]), "FFTND": (lambda x: both(tf.signal.fftnd(cx(x), axes=[0])), X),
    "IFFTND": (lambda x: both(tf.signal.ifftnd(cx(x), axes=[0])), X), "RFFTND": (lambda x: both(tf.signal.rfftnd(x, axes=[1, 0])), X),
    "IRFFTND": (lambda x: tf.signal.irfftnd(cx(x), axes=[1]), X), "dct": (lambda x: tf.signal.dct(x, norm="ortho"), X),
    "stft": (lambda x: both(tf.signal.stft(x, 4, 2)), V), "overlap": (lambda x: tf.signal.overlap_and_add(x, 2), X),
    "Conv3D": (lambda x, w: tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], "SAME"), VOL, FIL),
    "Conv3DBackpropInputV2": (lambda x, w: tf.nn.conv3d_transpose(x, w, [1, 3, 4, 3, 2], 1), VOL[..., :1], FIL),
    "Conv3DBackpropFilterV2": (lambda x, g: ops.Conv3DBackpropFilterV2(x, [2, 2, 2, 2, 1], g, strides=[1] * 5, padding="VALID"), VOL, RNG.standard_normal((1, 2, 3, 2, 1))),
    "AvgPool3D": (lambda x: tf.nn.avg_pool3d(x, 2, 2, "SAME"), VOL), "AvgPool3DGrad": (lambda g: ops.AvgPool3DGrad([1, 3, 4, 3, 2], g, ksize=[1, 2, 2, 2, 1], strides=[1] * 5, padding="VALID"), RNG.standard_normal((1, 2, 3, 2, 2))),
    "MaxPoolWithArgmax": (lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0], W),
    "ExtractImagePatches": (lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], "SAME"), W),
    "ExtractVolumePatches": (lambda x: tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1] * 5, "VALID"), VOL),
    "SpaceToBatchND": (lambda x: tf.space_to_batch(x, [2, 3], [[0, 0], [1, 0]]), W),
    "BatchToSpaceND": (lambda x: tf.batch_to_space(x, [3], [[1, 0]]), X),
    "TridiagonalSolve": (tf.linalg.tridiagonal_solve, TRI, RHS), "TridiagonalMatMul": (tf.linalg.tridiagonal_matmul, TRI, RHS),
    "BandedTriangularSolve": (lambda a, b: tf.linalg.banded_triangular_solve(a[1:], b), TRI, RHS),
    "BandedTriangularSolve_upper": (lambda a, b: tf.linalg.banded_triangular_solve(a[:2], b, lower=False, adjoint=True), TRI, RHS),
    "MatrixLogarithm": (log, RNG.standard_normal((2, 2))), "SparseToDense": (lambda v: tf.SparseTensor([[0, 1], [1, 0]], v, [2, 2]).to_dense(), V[:2]),
    "ParallelConcat": (lambda x: tf.parallel_stack([x, x * 2]), X), "RGBToHSV": (tf.image.rgb_to_hsv, RGB), "HSVToRGB": (tf.image.hsv_to_rgb, RGB),
    "ResizeNearestNeighbor": (lambda x: tf.image.resize(x, [3, 7], "nearest"), W),
    "ResizeNearestNeighborGrad": (lambda x: ops.ResizeNearestNeighborGrad(x, [3, 7]), W),
}  # fmt: skip
SINGLE = {
    "ResizeBilinear": (lambda x: tf.image.resize(x, [3, 7]), W), "ResizeBilinearGrad": (lambda x: ops.ResizeBilinearGrad(x, tf.zeros([1, 3, 7, 2])), W),
    "ResizeBicubic": (lambda x: tf.image.resize(x, [3, 7], "bicubic"), W), "ResizeBicubicGrad": (lambda x: ops.ResizeBicubicGrad(x, tf.zeros([1, 3, 7, 2])), W),
    "ScaleAndTranslate": (lambda x: tf.image.resize(x, [3, 7], "lanczos3"), W), "ScaleAndTranslateGrad": (lambda x: ops.ScaleAndTranslateGrad(x, tf.zeros([1, 3, 7, 2]), [1.3, 0.7], [0.0, 0.0]), W),
    "AdjustContrastv2": (lambda x: ops.AdjustContrastv2(x, 1.7), RGB), "AdjustHue": (lambda x: ops.AdjustHue(x, 0.23), RGB), "AdjustSaturation": (lambda x: ops.AdjustSaturation(x, 0.7), RGB),
    "CropAndResize": (lambda x: tf.image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9]], [0], [3, 2]), W),
    "CropAndResize_boxes": (lambda b: tf.image.crop_and_resize(tf.constant(W, tf.float32), tf.reshape(b, [1, 4]), [0], [3, 2]), np.array([0.1, 0.2, 0.8, 0.95])),
    "MaxPool3D": (lambda x: tf.nn.max_pool3d(x, 2, 2, "SAME"), VOL), "MaxPool3DGrad": (lambda g: ops.MaxPool3DGrad(tf.constant(VOL, tf.float32), tf.nn.max_pool3d(tf.constant(VOL, tf.float32), 2, 2, "SAME"), g, ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="SAME"), RNG.standard_normal((1, 2, 2, 2, 2))),
}  # fmt: skip


def weighed(y):
    """A number that depends on every element of `y`, each in its own way."""
    flat = tf.reshape(y, [-1])
    return tf.reduce_sum(flat * tf.cast(tf.range(1, tf.size(flat) + 1), flat.dtype) / 3)


def differences(function, values, step, dtype):
    out = []
    for i, value in enumerate(values):
        grad = np.zeros(np.shape(value))
        for at in np.ndindex(np.shape(value)):
            sides = []
            for sign in (1, -1):
                moved = [np.array(v) for v in values]
                moved[i][at] += sign * step
                sides.append(float(weighed(function(*[tf.constant(v, dtype) for v in moved])).numpy()))
            grad[at] = (sides[0] - sides[1]) / (2 * step)
        out.append(grad)
    return out


def slopes(function, xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = weighed(function(*xs))
    return tape.gradient(y, xs)


@pytest.mark.parametrize("name", [*DOUBLE, *SINGLE])
def test_gradient(name):
    function, *values = DOUBLE.get(name) or SINGLE[name]
    dtype, step, tolerance = (tf.float64, 1e-6, 2e-5) if name in DOUBLE else (tf.float32, 1e-3, 2e-2)
    wanted = differences(function, values, step, dtype)
    xs = [tf.constant(v, dtype) for v in values]
    traced = tf.function(lambda *vs: slopes(function, list(vs)), autograph=False)
    for found in (slopes(function, xs), traced(*xs)):
        for f, w in zip(found, wanted, strict=True):
            scale = max(1.0, np.abs(w).max())
            np.testing.assert_allclose(f.numpy() / scale, w / scale, atol=tolerance, rtol=0)
