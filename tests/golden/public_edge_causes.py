"""Why public functions differ from TensorFlow on edge values: each listed difference has one of these causes.

The heads of `public_edges/*.differences.json` are their names, and `docs/differences.md` says the reason of each. A cause covers some
kinds of differences (the letters stand for `tests.public_edges.KINDS`) of calls in whose text its pattern is found: `call`, and behind
it `| ours | TensorFlow's`, the classes of errors, or nothing. The first that fits is the one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LETTERS = "ERTDZCNV"  # of the kinds, in their order


class Cause(NamedTuple):
    name: str
    kinds: str
    pattern: str


_ACCIDENTS = (
    "AttributeError|AssertionError|UnboundLocalError|SystemError|ZeroDivisionError|LookupError|KeyError|RuntimeError|"
    "NotImplementedError|AbortedError|DTypePromotionError|UnicodeDecodeError|OverflowError|FailedPreconditionError"
)
_OPERATOR = r"^(?:! ?)?(?:-?\d|[+a-c{(\[]|True|\"|b\"|np\.|pow|divmod|round|reversed|iter|int\()"
CAUSES = [
    # which error
    Cause("TensorFlow's own accident", "E", rf"\| (?:{_ACCIDENTS})$"),
    Cause("an op refuses what Python refuses there", "E", r"\| (?:Invalid|Unimpl|OutOf|NotFound|DataLoss|Failed|Resource)\w* \|"),
    Cause("Python refuses what an op refuses there", "E", r"\| (?:Invalid|Unimpl|OutOf|NotFound|DataLoss)\w*$"),
    Cause("one class of Python's errors for another", "E", ""),
    # signs and complex numbers
    Cause("the sign of a zero", "Z", ""),
    Cause("complex numbers with an infinite or NaN part", "C", ""),
    Cause("sizes, seeds and options of data", "RTDNV", r"tf\.data|optioned"),
    # operators
    Cause("numbers that the dtype cannot hold", "RV", rf"{_OPERATOR}|^(?:! ?)?tf\.Variable|^(?:tnp|kops)\.\w+\((?:a, )?-1|make_tensor_proto"),
    Cause("booleans count as numbers", "T", rf"{_OPERATOR}.*True|True.*a$|^2 \* a|tnp\.power\(True"),
    Cause("tensors do what arrays do", "TDNZ", rf"{_OPERATOR}|tf\.Variable\(a\)\["),
    Cause("the order in which duplicates are written", "NRT", r"tf\.Variable\(a\)\.scatter|tf\.tensor_scatter_nd"),
    Cause("another way to write the same", "DV", r"make_tensor_proto|encode_png"),
    # values
    Cause("the place of NaN among numbers", "NVT", r"sort|arg(?:max|min|partition)|top_k|approx_m|median|unique|searchsorted|reduce_max|segment_m|linalg.norm"),
    Cause("NaN in windows, pools and maxima", "NVDT", r"PiecewiseConstant|TruePositives|pool|lrn|local_response|dilation2d|softmax|maximum|minimum|clip|relu|soft_shrink|hard_silu|sparsemax|heaviside|non_max"),
    Cause("casts of what the integers do not hold", "NV", r"cast|reduce_any|convert_image_dtype|adjust_(?:brightness|contrast|gamma|hue|saturation)|stateless_random_(?:brightness|contrast|hue|sat)|logical_|rgb_to_gray"),
    Cause("convolutions of nothing, and channels that do not match", "RTDVN", r"conv(?!ert)"),
    Cause("memory that nobody wrote", "NVD", r"fft|stft|cholesky|backprop|decompress|serialize|fractional"),
    Cause("a linear operator knows what it is", "RTNVD", r"LinearOperator"),
    Cause("factors are not unique", "NVTR", r"linalg\.(?:svd|qr|eig|lu|lstsq|expm|logdet|pinv|matrix_rank|eigvals|eigvalsh|solve|triangular|cholesky|banded|lu_\w+)"),
    Cause("sums and powers are rounded otherwise", "VN", r"mean|average|vdot|dot|inner|var\(|std\(|euclidean|norm|expm|huber|geomspace|linspace|logspace|polyval|resize|sobel|ssim|rgb_to|hypot|moments|isclose|accuracy|dct|mfcc|mdct|bincount|nextafter|2 // a|floor|nancum|as_string|jpeg|Mean(?:Abs|Squ)|AUC|Cumul|Nadam|initializers"),
    Cause("gradients and special functions at their limits", "NVDZT", r"^(?:grad|grad2|jvp)\(|tf\.math\.(?:special|bessel|zeta|polygamma|igamma|erf|cumulative)|kops\.(?:erf|i0)|grad_pass|fake_quant|kaiser"),
    Cause("streams and orders of their own", "NVT", r"tf\.random|shuffle|stateless_binomial|stateless_random_flip"),
    Cause("labels, indices and sizes out of range", "RNVD", r"tnp\.take|gather|scatter|embedding|segment|reverse|ctc|collapse|unravel|take|overlap|percentile|quantile|partition|required_space|glimpse|central_crop|fill|slice|cumsum|flip|row_starts|assert_shapes|sequence_example|sparse\.add|num_bits|create_rng|histogram|quantize"),
    # dtypes, empty tensors, arguments
    Cause("0 and lists where a dtype or an array to write into stands", "R", r"^tnp\.(?:array|ones_like|zeros_like|sign|result_type)\("),
    Cause("NumPy's own rule", "RTDNV", r"^tnp\.|^kops\.(?:pad|rot90|flip|vstack|where|matmul|diag|trace|argsort|take_along|corrcoef|signbit|isposinf|isneginf|norm|multi_hot)"),
    Cause("Keras's dtypes and shapes", "RD", r"^(?:kops|tf\.keras)\.|tf\.keras\.(?:optimizers|metrics)"),
    Cause("texts are not cut at NUL, nor taken apart below a character", "VDT", r"tf\.strings\."),
    Cause("damaged data are told", "R", r"compress|decode_wav"),
    Cause("nothing gives nothing", "TDN", r"conv|window|stft|frame|fft|dct|sets\.|edit_distance|scatter|unravel|gather\(a, \[\]|pad_to_bounding|rot90|per_image|draw_bound|flip|extract_patches|fill_empty|from_tensor"),
    Cause("dtypes and ranks that TensorFlow has no kernel for", "T", r"^(?:kops|tnp)\.|binomial|keras|as_string|dct|psnr|layer_norm|quant|complex|saturate|dtype|segment|range|histogram|bincount|random|assert|approx|image|ragged|Ragged|sparse\.add|tensor_diag|linalg|pad_to|nn\.compute|parallel_stack|boolean_mask"),
    Cause("what is not used is not checked", "TD", r"AUC|Adagrad|RMSprop|Ftrl|IoU|Precision|Recall|TruePos|CosineDecay|arange|diag_indices|sparse|io\.|sequence|embedding|ctc|switch_case|while_loop|reverse_sequence|linalg\.normalize|signal"),
    Cause("values that decide nothing well", "R", r"as_string|assert_equal|adjust_hue|unigrams=|threefry|key_counter"),
]

KINDS_OF = {c.name: c.kinds for c in CAUSES}


def cause(call: str, letter: str, errors: tuple[str, str] = ("", "")) -> str | None:
    """The name of the cause of a difference, or None."""
    text = f"{call} | {errors[0]} | {errors[1]}"
    return next((c.name for c in CAUSES if letter in c.kinds and re.search(c.pattern, text)), None)
