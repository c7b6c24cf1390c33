# Written by tests/stubs.py from graphrt/api/exports.py.
"""Fourier and cosine transforms, frames and windows."""
from graphrt.ops.signal.cosine import (
    dct as dct, idct as idct
)
from graphrt.ops.signal.fft import (
    fft as fft, fft2d as fft2d, fft3d as fft3d, fftnd as fftnd, ifft as ifft, ifft2d as ifft2d, ifft3d as ifft3d,
    ifftnd as ifftnd, irfft as irfft, irfft2d as irfft2d, irfft3d as irfft3d, irfftnd as irfftnd, rfft as rfft,
    rfft2d as rfft2d, rfft3d as rfft3d, rfftnd as rfftnd
)
from graphrt.ops.signal.frames import (
    frame as frame, inverse_stft as inverse_stft, inverse_stft_window_fn as inverse_stft_window_fn,
    overlap_and_add as overlap_and_add, stft as stft
)
from graphrt.ops.signal.lapped import (
    inverse_mdct as inverse_mdct, mdct as mdct
)
from graphrt.ops.signal.mel import (
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
)
from graphrt.ops.signal.shifts import (
    fftshift as fftshift, ifftshift as ifftshift
)
from graphrt.ops.signal.windows import (
    hamming_window as hamming_window, hann_window as hann_window,
    kaiser_bessel_derived_window as kaiser_bessel_derived_window, kaiser_window as kaiser_window,
    vorbis_window as vorbis_window
)
