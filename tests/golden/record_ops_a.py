"""Records what TensorFlow gives for element-wise ops, reductions, casts, random numbers and conversions.

Run with a Python that has TensorFlow: `python tests/golden/record_ops_a.py`. It writes `ops_a.json`: expressions over
`tf` and `np` with their value, dtype and shape, or the class of the error; and the static types and nodes of traced
functions. The tests evaluate the same expressions on graphrt.
"""

import itertools
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
FLOATS = "[0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.7, 20.0, float('inf'), float('-inf'), float('nan')]"
POSITIVE = "[0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 5.25, 30.0]"
INTS = "[0, 1, -1, 5, -7, 100, -128]"
NATURALS = "[0, 1, 5, 7, 100, 200]"
COMPLEX = "[1+2j, -0.5+0.25j, 3j, -2+0j, 0.5-1.5j]"
eager: list[str] = []


def unary() -> None:
    names = (
        "abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp expm1 floor is_finite is_inf is_nan log "
        "log1p log_sigmoid negative rint round rsqrt sigmoid sign sin sinh softplus sqrt square tan tanh reciprocal "
        "reciprocal_no_nan lgamma digamma erfinv ndtri angle real imag conj"
    ).split()
    for name in names:
        for dtype in ("float32", "float64", "float16"):
            if name in ("lgamma", "digamma", "erfinv", "ndtri", "softplus") and dtype == "float16":
                continue
            eager.append(f"tf.math.{name}(tf.constant({FLOATS}, tf.{dtype}))")
        eager.append(f"tf.math.{name}(tf.constant({INTS}, tf.int32))")
        eager.append(f"tf.math.{name}(tf.constant({NATURALS}, tf.uint8))")
        eager.append(f"tf.math.{name}(tf.constant({COMPLEX}, tf.complex64))")
        eager.append(f"tf.math.{name}(2)")
        eager.append(f"tf.math.{name}(0.25)")
        eager.append(f"tf.math.{name}('a')")
        eager.append(f"tf.math.{name}(True)")
        eager.append(f"tf.math.{name}(tf.zeros([0, 2]))")
    for name in ("log", "sqrt", "exp", "tanh", "sigmoid", "conj", "angle", "abs", "sin"):
        eager.append(f"tf.math.{name}(tf.constant({COMPLEX}, tf.complex128))")


def binary() -> None:
    names = (
        "add subtract multiply divide truediv floordiv floormod mod pow maximum minimum squared_difference atan2 "
        "divide_no_nan multiply_no_nan xlogy xlog1py xdivy nextafter less less_equal greater greater_equal equal "
        "not_equal igamma igammac zeta polygamma"
    ).split()
    pairs = {
        "float32": ("[[1.5], [-2.0], [0.0], [float('inf')]]", "[2.0, -0.5, 0.0, 3.0, float('nan')]"),
        "float64": ("[[1.5], [-2.25], [0.0]]", "[2.0, -0.5, 0.1, 3.0]"),
        "float16": ("[[1.5], [-2.25]]", "[2.0, -0.5, 3.0]"),
        "int32": ("[[7], [-7], [0]]", "[2, -2, 3, 5]"),
        "int64": ("[[7], [-7], [2**40]]", "[2, -3, 3]"),
        "int8": ("[[100], [-7]]", "[2, 3, 50]"),
        "uint8": ("[[200], [7]]", "[2, 3, 100]"),
        "uint16": ("[[200], [7]]", "[2, 3, 100]"),
        "uint32": ("[[200], [7]]", "[2, 3, 100]"),
        "uint64": ("[[200], [7]]", "[2, 3, 100]"),
        "complex64": ("[[1+2j], [-0.5j]]", "[2+0j, 1-1j]"),
        "bool": ("[[True], [False]]", "[True, False]"),
        "string": ("[['a'], ['b']]", "['a', 'bc']"),
    }
    for name in names:
        for dtype, (x, y) in pairs.items():
            if name in ("igamma", "igammac", "zeta", "polygamma"):
                if dtype not in ("float32", "float64", "int32"):
                    continue
                x, y = "[[0.5], [2.0], [7.0]]" if dtype != "int32" else x, "[0.3, 2.0, 9.5]" if dtype != "int32" else y
            eager.append(f"tf.math.{name}(tf.constant({x}, tf.{dtype}), tf.constant({y}, tf.{dtype}))")
        eager.extend([
            f"tf.math.{name}(tf.constant([1.0, 2.0]), 2)",
            f"tf.math.{name}(tf.constant([1, 2]), 2.5)",
            f"tf.math.{name}(3, tf.constant([1, 2]))",
            f"tf.math.{name}(7, 2)",
            f"tf.math.{name}(7.0, 2.0)",
            f"tf.math.{name}(tf.constant(1), tf.constant(1.0))",
            f"tf.math.{name}(tf.zeros([2]), tf.zeros([3]))",
            f"tf.math.{name}(tf.zeros([2, 1]), tf.ones([1, 3]))",
            f"tf.math.{name}(tf.zeros([0, 3]), 1.0)",
            f"tf.math.{name}(np.array([1.0, 2.0]), np.array([3.0, 4.0]))",
            f"tf.math.{name}(tf.constant([1.0, 2.0]), np.array([3.0, 4.0]))",
            f"tf.math.{name}(None, 1)",
        ])
    for symbol in ("+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^"):
        values = ["tf.constant([1.5, -2.0])", "tf.constant([7, -7])", "tf.constant([True, False])",
                  "tf.constant(['a', 'b'])", "tf.constant([5], tf.uint8)", "tf.constant([1+2j])"]
        others = ["2", "2.5", "True", "'a'", "None", "[1, 2]", "np.array([1, 2])", "np.array([1.5, 2.5])",
                  "np.float32(2)", "np.int64(3)", "tf.constant(2)", "tf.constant(2.0)", "[1, 2, 3]", "1j", "-1", "0",
                  "2**40"]
        for x, y in itertools.product(values, others):
            eager.append(f"{x} {symbol} {y}")
            if y not in ("[1, 2, 3]", "0"):
                eager.append(f"{y} {symbol} {x}")
    eager.extend(f"{f}tf.constant({v})" for f in ("-", "~", "abs") for v in ("[1, -2]", "[1.5, -2.0]", "[True, False]", "1j"))
    eager.extend([
        "tf.constant([7, -7, 0]) // 0", "tf.constant([7, -7]) % 0", "tf.constant([7.0, -7.0, 0.0]) // 0",
        "tf.constant([7.0, -7.0, 0.0]) % 0", "tf.constant([1, 0]) / 0", "tf.constant(2) ** -1",
        "tf.constant(2) ** 31", "tf.constant(2147483647) + 1", "tf.constant(-2147483648) // -1",
        "tf.constant(127, tf.int8) + tf.constant(1, tf.int8)", "tf.constant(0, tf.uint8) - tf.constant(1, tf.uint8)",
        "tf.constant([5.5, -5.5, 5.5, -5.5]) // tf.constant([2.0, 2.0, -2.0, -2.0])",
        "tf.constant([5.5, -5.5, 5.5, -5.5]) % tf.constant([2.0, 2.0, -2.0, -2.0])",
        "tf.constant([1.0, -1.0]) % float('inf')", "tf.constant([1.0]) // 0.1", "tf.constant([1.0]) % 0.1",
        "tf.truncatediv([7, -7], 2)", "tf.truncatemod([7, -7], 3)", "tf.truncatediv([7.5, -7.5], [2.0])",
        "tf.realdiv([7.5, -7.5], [2.0])", "tf.constant([1, 2]) == tf.constant([1, 2, 3])",
        "tf.constant([1, 2]) != tf.constant([1, 2, 3])", "tf.constant([1.0, float('nan')]) == float('nan')",
        "tf.logical_and([True, False], True)", "tf.logical_or([True, False], [False, False])",
        "tf.math.logical_xor([True, False], True)", "tf.logical_not([True, False])", "tf.logical_and(1, 0)",
        "tf.logical_not(1)", "tf.add('a', ['b', 'c'])", "tf.add_n([[1, 2], [3, 4], [5, 6]])", "tf.add_n([[1.5]])",
        "tf.add_n([])", "tf.add_n([[1, 2], [1]])", "tf.add_n([[1], [1.5]])", "tf.add_n([tf.constant([1]), [2]])",
        "tf.math.accumulate_n([[1, 2], [3, 4]])", "tf.scalar_mul(3, [1.0, 2.0])", "tf.scalar_mul([1, 2], [1.0, 2.0])",
        "tf.clip_by_value([-1.0, 0.5, 9.0], 0, 1)", "tf.clip_by_value([1, 5, 9], 2, 6)",
        "tf.clip_by_value([[1.0, 5.0]], [2.0, 2.0], 4.0)", "tf.clip_by_value([1.0], [[1.0], [2.0]], 4.0)",
        "tf.math.polyval([1.0, 2.0, 3.0], 2.0)", "tf.math.polyval([], [2.0])", "tf.math.erfcinv([0.1, 1.0, 1.9])",
        "tf.math.lbeta([[1.0, 2.0], [0.5, 3.0]])", "tf.math.betainc([0.5, 2.0], [3.0, 1.0], [0.2, 0.7])",
    ])  # fmt: skip


def bitwise() -> None:
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
            x = INTS if dtype[0] == "i" else NATURALS
            eager.append(f"tf.bitwise.{name}(tf.constant({x}, tf.{dtype}), tf.constant(3, tf.{dtype}))")
        eager.append(f"tf.bitwise.{name}([1, 2], 1.5)")
        eager.append(f"tf.bitwise.{name}(1.0, 1.0)")
        eager.append(f"tf.bitwise.{name}([-8, 8], [40, -1])")
    for dtype in ("int8", "int32", "uint8", "uint64"):
        eager.append(f"tf.bitwise.invert(tf.constant({INTS if dtype[0] == 'i' else NATURALS}, tf.{dtype}))")
        eager.append(f"tf.raw_ops.PopulationCount(x=tf.constant({INTS if dtype[0] == 'i' else NATURALS}, tf.{dtype}))")


def reductions() -> None:
    arrays = {
        "float32": "[[1.5, -2.0, 3.0], [0.0, 4.5, -1.0]]", "float64": "[[1.5, -2.0], [0.5, 4.5]]",
        "float16": "[[1.5, -2.0], [0.5, 4.5]]", "int32": "[[1, -2, 3], [0, 4, -1]]", "int64": "[[7, 2], [9, -4]]",
        "uint8": "[[200, 100], [3, 4]]", "int8": "[[100, 100], [3, -4]]", "bool": "[[True, False], [True, True]]",
        "complex64": "[[1+2j, 3j], [0.5, -1]]", "string": "[['a', ''], ['b', 'c']]",
    }  # fmt: skip
    names = (
        "reduce_sum reduce_prod reduce_mean reduce_max reduce_min reduce_any reduce_all reduce_logsumexp reduce_std "
        "reduce_variance reduce_euclidean_norm count_nonzero"
    ).split()
    for name in names:
        for dtype, array in arrays.items():
            eager.append(f"tf.math.{name}(tf.constant({array}, tf.{dtype}))")
        kind = "bool" if name in ("reduce_any", "reduce_all") else "float32"
        x = f"tf.constant({arrays[kind]}, tf.{kind})"
        for extra in ("0", "1", "-1", "[0]", "[0, 1]", "(1, 0)", "[]", "2", "-3", "[0, 0]", "[0, -2]", "axis=1, keepdims=True",
                      "keepdims=True", "np.array([1])", "tf.constant(0, tf.int64)", "0.5", "[[0]]"):  # fmt: skip
            eager.append(f"tf.math.{name}({x}, {extra})")
        eager.append(f"tf.math.{name}(tf.zeros([0], tf.{kind}))")
        eager.append(f"tf.math.{name}(tf.zeros([2, 0], tf.{kind}), 1)")
        eager.append(f"tf.math.{name}(tf.zeros([2, 0], tf.{kind}), 0)")
        eager.append(f"tf.math.{name}({'True' if kind == 'bool' else '2.5'})")
        eager.append(f"tf.math.{name}([])")
        eager.append(f"tf.math.{name}([1, 2, 3])")
    for name in ("reduce_max", "reduce_min", "argmax", "argmin", "reduce_sum"):
        eager.append(f"tf.math.{name}([1.0, float('nan'), 2.0])")
        eager.append(f"tf.math.{name}([float('inf'), float('-inf')])")
        eager.append(f"tf.math.{name}(tf.zeros([0], tf.int32))")
    for name in ("argmax", "argmin"):
        for dtype, array in arrays.items():
            eager.append(f"tf.math.{name}(tf.constant({array}, tf.{dtype}), 1)")
        for extra in ("", ", 0", ", -1", ", 2", ", axis=1, output_type=tf.int32", ", [0]", ", tf.constant(1, tf.int64)"):
            eager.append(f"tf.math.{name}([[1.0, 9.0, 9.0], [7.0, 2.0, 7.0]]{extra})")
        eager.append(f"tf.math.{name}(3.0)")
        eager.append(f"tf.math.{name}([[1, 2]], output_type=tf.uint16)")
    for name in ("cumsum", "cumprod", "cumulative_logsumexp"):
        for dtype in ("float32", "int32", "uint8", "complex64", "float16"):
            eager.append(f"tf.math.{name}(tf.constant([[1, 2, 3], [4, 5, 6]], tf.{dtype}))")
        for extra in ("1", "-1", "0, True", "0, False, True", "1, exclusive=True, reverse=True", "2", "-3", "[0]"):
            eager.append(f"tf.math.{name}([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], {extra})")
        eager.append(f"tf.math.{name}(tf.zeros([0]))")
        eager.append(f"tf.math.{name}(2.0)")
    eager.extend([
        "tf.reduce_mean([1, 2])", "tf.reduce_mean([-1, -2])", "tf.reduce_mean(tf.zeros([0]))",
        "tf.reduce_mean(tf.zeros([0], tf.int32))", "tf.reduce_sum(tf.constant([2147483647, 1]))",
        "tf.reduce_any([1, 0])", "tf.math.zero_fraction([0, 0, 1, 3])", "tf.math.zero_fraction([])",
        "tf.math.count_nonzero(['', 'a'])", "tf.math.count_nonzero([0, 1, 2], dtype=tf.int32)",
        "tf.reduce_logsumexp([float('-inf'), float('-inf')])", "tf.reduce_logsumexp([1000.0, 1000.0])",
        "tf.reduce_sum([[1, 2], [3]])", "tf.reduce_sum(np.ones([2, 3, 4, 5]), [1, 3])",
        "tf.reduce_max([[1, 2], [3, 4]], axis=[1], keepdims=True)", "tf.reduce_sum(['a'])",
    ])  # fmt: skip


def casts() -> None:
    kinds = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "complex64", "complex128", "bool", "string")  # fmt: skip
    for source, target in itertools.product(kinds, kinds):
        x = "['a']" if source == "string" else "[True, False]" if source == "bool" else "[0, 1, 5, 100]"
        eager.append(f"tf.cast(tf.constant({x}, tf.{source}), tf.{target})")
    for target in kinds:
        eager.extend([
            f"tf.cast([1.9, -1.9, 0.0], tf.{target})", f"tf.cast(3, tf.{target})", f"tf.cast(2.5, tf.{target})",
            f"tf.cast(True, tf.{target})", f"tf.cast(1+2j, tf.{target})", f"tf.cast('a', tf.{target})",
            f"tf.cast(np.array([1.5, 2.5]), tf.{target})",
        ])  # fmt: skip
        if target not in ("string", "bool"):
            eager.append(f"tf.saturate_cast([-5.0, 12.0, 300.0, 70000.0], tf.{target})")
            eager.append(f"tf.saturate_cast([-5, 12, 300, 70000], tf.{target})")
            eager.append(f"tf.saturate_cast(tf.constant([5, 200], tf.uint8), tf.{target})")
    eager.extend([
        "tf.cast(300, tf.uint8)", "tf.cast(-1, tf.uint8)", "tf.cast([1.0], 'int32')", "tf.cast([1.0], np.int16)",
        "tf.cast(None, tf.int32)", "tf.cast([1, 'a'], tf.int32)", "tf.cast(1.0, 'nonsense')",
        "tf.bitcast(1.0, tf.uint32)", "tf.bitcast([1.0, 2.0], tf.int64)", "tf.bitcast([1, 2], tf.uint8)",
        "tf.bitcast(1.0, tf.float64)", "tf.bitcast([[1, 2]], tf.float64)", "tf.bitcast(True, tf.int8)",
        "tf.complex([1.0], [2.0])", "tf.complex(1.0, [2.0, 3.0])", "tf.complex(1, 2)",
        "tf.complex(tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64))",
        "tf.complex(tf.constant(1.0, tf.float64), tf.constant(2.0))",
    ])  # fmt: skip


def counting() -> None:
    for name in ("sum", "prod", "max", "min", "mean"):
        for dtype in ("float32", "int32"):
            eager.append(f"tf.math.segment_{name}(tf.constant([[1, 2], [3, 4], [5, 6]], tf.{dtype}), [0, 0, 2])")
        eager.extend([
            f"tf.math.segment_{name}([1.0, 2.0], [1, 0])", f"tf.math.segment_{name}([1.0, 2.0], [0])",
            f"tf.math.segment_{name}([1.0, 2.0], [-1, 0])", f"tf.math.segment_{name}(1.0, [0])",
            f"tf.math.segment_{name}(tf.zeros([0]), tf.zeros([0], tf.int32))",
        ])  # fmt: skip
    for name in ("sum", "prod", "max", "min", "mean", "sqrt_n"):
        f = f"tf.math.unsorted_segment_{name}"
        for dtype in ("float32", "int32"):
            eager.append(f"{f}(tf.constant([[1, 2], [3, 4], [5, 6]], tf.{dtype}), [2, 0, 2], 4)")
        eager.extend([
            f"{f}([1.0, 2.0, 3.0], [1, -1, 1], 2)", f"{f}([1.0, 2.0], [5, 0], 2)", f"{f}([1.0, 2.0], [0], 2)",
            f"{f}([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [1, 0]], 2)", f"{f}([1.0], [0], -1)",
        ])  # fmt: skip
    eager.extend([
        "tf.math.bincount([1, 1, 3])", "tf.math.bincount([])", "tf.math.bincount([1, 1, 3], weights=[0.5, 1.0, 2.0])",
        "tf.math.bincount([1, 1, 3], minlength=6)", "tf.math.bincount([1, 1, 3], maxlength=2)",
        "tf.math.bincount([[1, 1], [3, 0]], axis=-1)", "tf.math.bincount([[1, 1], [3, 0]])",
        "tf.math.bincount([[1, 1], [3, 0]], axis=-1, binary_output=True)", "tf.math.bincount([-1])",
        "tf.math.bincount([1, 2], weights=[1.0])", "tf.math.bincount([1], axis=1)",
        "tf.math.bincount([1, 1, 3], dtype=tf.float32)", "tf.math.bincount(tf.constant([1, 1], tf.int64))",
        "tf.math.confusion_matrix([1, 2, 1], [1, 2, 2])", "tf.math.confusion_matrix([1, 2], [1, 0], num_classes=4)",
        "tf.math.confusion_matrix([1, 2], [1, 0], num_classes=2)", "tf.math.confusion_matrix([-1], [0])",
        "tf.math.confusion_matrix([1, 0], [1, 0], weights=[2, 3])",
        "tf.math.confusion_matrix([1, 0], [1, 0], weights=[0.5, 3.0], dtype=tf.float32)",
        "tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)",
        "tf.histogram_fixed_width([1, 2, 3], [0, 4], nbins=2, dtype=tf.int64)",
        "tf.histogram_fixed_width([1.0], [5.0, 0.0])", "tf.histogram_fixed_width([1.0], [0.0, 1.0], nbins=0)",
        "tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)",
        "tf.math.is_non_decreasing([1, 1, 2])", "tf.math.is_non_decreasing([])", "tf.math.is_strictly_increasing([1, 1])",
        "tf.math.is_strictly_increasing([1, 3])", "tf.math.invert_permutation([2, 0, 1])",
    ])  # fmt: skip


def conversions() -> None:
    values = [
        "1", "-1", "2**31", "2**31 - 1", "-2**31 - 1", "2**63", "2**64 - 1", "2**64", "-2**63 - 1", "1.5", "1e300", "1e39",
        "float('nan')", "True", "1j", "'a'", "b'a'", "'é'", "None", "[]", "[[]]", "[[], []]", "()", "[1, 2]", "(1, 2)",
        "[1, 2.5]", "[1.5, 2]", "[True, 1]", "[1, True]", "[True, 1.5]", "[1, 1j]", "[1, 'a']", "['a', 1]", "['a', b'b']",
        "[1, None]", "[[1, 2], [3]]", "[[1], 2]", "[1, [2]]", "[[1, 2], [3, 4]]", "[[1.5], [2]]", "[2**31, 1]",
        "[1, 2**31]", "[2**63]", "[1, 2**64]", "range(3)", "np.arange(3)", "np.array([1.5])", "np.float64(1.5)",
        "np.float32(1.5)", "np.int16(3)", "np.bool_(True)", "np.array(['a', 'b'])", "np.array([b'a'])",
        "np.array(['a', None], object)", "np.array([1, 2], object)", "[np.float64(1), 2]", "[np.int64(1), 2]",
        "[1, np.float64(2.5)]", "[np.array([1, 2]), np.array([3, 4])]", "[np.array([1, 2]), [3, 4]]",
        "[np.array([1, 2]), np.array([3])]", "np.array(3)", "np.zeros([2, 0])", "[tf.constant(1), 2]",
        "[tf.constant(1), tf.constant(2)]", "[tf.constant(1.5), 2]", "[1, tf.constant(2.5)]",
        "[tf.constant([1, 2]), [3, 4]]", "[[tf.constant(1)], [2]]", "tf.constant([1])", "tf.TensorShape([1, 2])",
        "tf.TensorShape([1, None])", "tf.TensorShape([])", "object()", "{1: 2}", "{1, 2}", "lambda: 1", "tf.float32",
        "np.datetime64('2020-01-01')", "slice(1)", "...", "bytearray(b'ab')", "memoryview(b'ab')", "np.uint32(7)",
        "np.complex64(1j)", "np.float16(1.5)", "[np.float16(1.5), 2.5]", "[np.bool_(True), False]", "np.array([True])",
        "1.0000001", "16777217", "0.1", "-0.0", "[0.1, 1]", "[[True]]",
    ]  # fmt: skip
    kinds = (None, "float32", "float64", "float16", "int32", "int64", "uint8", "int8", "uint64", "bool", "string", "complex64")
    for value in values:
        for kind in kinds:
            call = f"tf.convert_to_tensor({value})" if kind is None else f"tf.convert_to_tensor({value}, tf.{kind})"
            eager.append(call)
        eager.append(f"tf.constant({value})")
        eager.append(f"tf.constant({value}, tf.float32)")
        eager.append(f"tf.convert_to_tensor({value}, dtype_hint=tf.float32)")
        eager.append(f"tf.convert_to_tensor({value}, dtype_hint=tf.int64)")
    for shape in ("[]", "[1]", "[2]", "[2, 2]", "[4]", "3", "[0]", "(2, 3)", "tf.TensorShape([2])", "[None]", "[-1]"):
        for value in ("7", "[1, 2]", "[1, 2, 3, 4]", "'a'", "1.5", "[]", "[[1, 2], [3, 4]]", "np.array([1, 2])"):
            eager.append(f"tf.constant({value}, shape={shape})")
    eager.extend([
        "tf.constant(300, tf.uint8)", "tf.constant(-1, tf.uint8)", "tf.constant([300], tf.uint8)",
        "tf.convert_to_tensor(np.array([300]), tf.uint8)", "tf.convert_to_tensor(tf.constant(1), tf.float32)",
        "tf.constant(1.0, tf.int32)", "tf.constant(1, tf.bool)", "tf.constant(1, tf.string)", "tf.constant(1, dtype='int64')",
        "tf.constant([1, 2], dtype=np.float64)", "tf.constant(value=3)",
    ])  # fmt: skip


def randoms() -> None:
    for dtype in ("float16", "float32", "float64"):
        for shape in ("[]", "[1]", "[7]", "[3, 5]", "[0]", "[40]"):
            for name in ("uniform", "normal", "truncated_normal"):
                eager.append(f"tf.random.stateless_{name}({shape}, (1, 2), dtype=tf.{dtype})")
    for dtype in ("int32", "int64"):
        eager.append(f"tf.random.stateless_uniform([9], (7, -3), 5, 1000, dtype=tf.{dtype})")
    for dtype in ("int32", "int64", "uint32", "uint64"):
        eager.append(f"tf.random.stateless_uniform([9], (7, -3), None, None, dtype=tf.{dtype})")
    eager.extend([
        "tf.random.stateless_uniform([3], (1, 2), -2.0, 3.0)", "tf.random.stateless_uniform([3], (1, 2), 5, 5, tf.int32)",
        "tf.random.stateless_uniform([3], (1, 2), dtype=tf.int32)", "tf.random.stateless_uniform([3], (1, 2, 3))",
        "tf.random.stateless_uniform([3], (1, 2), dtype=tf.bool)", "tf.random.stateless_normal([2, 2], [5, 6], 1.0, 3.0)",
        "tf.random.stateless_normal([2, 2], [5, 6], [1.0, 2.0], 3.0)", "tf.random.stateless_gamma([5, 4], (1, 2), [0.3, 1.0, 2.5, 30.0])",
        "tf.random.stateless_gamma([3], (1, 2), 2.0, 4.0)", "tf.random.stateless_poisson([6, 3], (1, 2), [0.3, 5.0, 30.0])",
        "tf.random.stateless_categorical([[0.0, 1.0, 2.0], [3.0, 0.0, -1.0]], 9, (1, 2))",
        "tf.random.split((1, 2), 3)", "tf.random.fold_in((1, 2), 7)", "tf.random.fold_in(tf.constant([1, 2], tf.int64), 7)",
        "tf.random.experimental.stateless_shuffle(tf.range(11), (1, 2))",
        "tf.raw_ops.StatelessRandomGetKeyCounter(seed=[1, -2]).key", "tf.raw_ops.StatelessRandomGetKeyCounter(seed=[1, -2]).counter",
    ])  # fmt: skip
    draws = [
        "tf.random.uniform([5])", "tf.random.uniform([5], seed=9)", "tf.random.normal([5], seed=9)",
        "tf.random.truncated_normal([5], seed=9)", "tf.random.uniform([5], 0, 50, dtype=tf.int64, seed=9)",
        "tf.random.shuffle(tf.range(9), seed=9)", "tf.random.shuffle(tf.reshape(tf.range(12), [6, 2]), seed=4)",
        "tf.random.categorical([[0.0, 1.0, 2.0], [3.0, 0.0, -1.0]], 5, seed=9)", "tf.random.gamma([3], [0.5, 3.0], seed=9)",
        "tf.random.poisson([3], [0.5, 13.0], seed=9)", "tf.random.normal([3], 1.0, 2.0)", "tf.random.uniform([2], -1.0, 2.0)",
    ]  # fmt: skip
    for seed in ("0", "5", "2**40", "-3"):
        for draw in draws:
            eager.append(f"[tf.random.set_seed({seed}), {draw}][1]")
            eager.append(f"[tf.random.set_seed({seed}), {draw}, {draw}][2]")


TRACED = [
    ("x + 1", "x:float32[2,3]"), ("1 + x", "x:float32[2,3]"), ("x - y", "x:float32[None,3];y:float32[3]"),
    ("x * y", "x:float32[None,1];y:float32[1,None]"), ("x / y", "x:int32[2];y:int32[]"), ("x / 2", "x:int32[2]"),
    ("x // 2", "x:int32[None]"), ("x % 2", "x:int32[None]"), ("x ** 2", "x:float32[2]"), ("-x", "x:float32[2]"),
    ("abs(x)", "x:float32[2]"), ("abs(x)", "x:complex64[2]"), ("~x", "x:bool[2]"), ("~x", "x:int32[2]"),
    ("x & y", "x:bool[2];y:bool[2]"), ("x & y", "x:int32[2];y:int32[2]"), ("x ^ y", "x:bool[2];y:bool[2]"),
    ("x ^ y", "x:int32[2];y:int32[2]"), ("x | True", "x:bool[2]"), ("x < y", "x:float32[?];y:float32[2]"),
    ("x == y", "x:float32[2];y:float32[2]"), ("x == y", "x:float32[None];y:float32[None]"), ("x == 1", "x:float32[None]"),
    ("x != y", "x:float32[2];y:float32[3]"), ("x == None", "x:float32[2]"), ("x * 2", "x:bool[2]"), ("x + 'a'", "x:string[2]"),
    ("x + y", "x:float32[2];y:float32[3]"), ("x + y", "x:float32[2];y:int32[2]"), ("x + 1.5", "x:int32[2]"),
    ("x + 'a'", "x:int32[2]"), ("x + True", "x:float32[]"), ("x + 2**40", "x:int32[]"),
    ("x + np.array([1, 2])", "x:float32[2]"), ("np.array([1.0, 2.0]) + x", "x:float32[2]"),
    ("tf.add(x, 2)", "x:float32[2]"), ("tf.add(2, x)", "x:float32[2]"), ("tf.add(x, 2, name='total')", "x:float32[2]"),
    ("tf.multiply(x, 2, name='total')", "x:float32[2]"), ("tf.divide(x, 2)", "x:int32[2]"), ("tf.exp(x)", "x:float32[?]"),
    ("tf.math.divide_no_nan(x, 2.0)", "x:float32[2]"), ("tf.math.multiply_no_nan(x, 2.0)", "x:float32[2]"),
    ("tf.math.reciprocal_no_nan(x)", "x:float32[2]"), ("tf.math.xlog1py(x, 2.0)", "x:float32[2]"),
    ("tf.math.logical_xor(x, y)", "x:bool[2];y:bool[2]"), ("tf.math.log_sigmoid(x)", "x:float32[2]"),
    ("tf.reduce_sum(x)", "x:float32[2,3]"), ("tf.reduce_sum(x, 1)", "x:float32[None,3]"),
    ("tf.reduce_sum(x, [0], True)", "x:float32[None,3]"), ("tf.reduce_sum(x)", "x:float32[?]"),
    ("tf.reduce_sum(x, 0)", "x:float32[?]"), ("tf.reduce_sum(x, i)", "x:float32[2,3];i:int32[]"),
    ("tf.reduce_sum(x, i)", "x:float32[2,3];i:int32[1]"), ("tf.reduce_sum(x, i, keepdims=True)", "x:float32[2,3];i:int32[]"),
    ("tf.reduce_sum(x, 5)", "x:float32[2,3]"), ("tf.reduce_sum(x, [0, 0])", "x:float32[2,3]"),
    ("tf.reduce_mean(x, axis=-1)", "x:float32[None,None]"), ("tf.reduce_max(x, name='top')", "x:float32[2]"),
    ("tf.reduce_any(x)", "x:bool[2]"), ("tf.reduce_sum(x)", "x:float32[]"), ("tf.math.reduce_std(x)", "x:float32[2,3]"),
    ("tf.math.reduce_variance(x, 0)", "x:float32[2,3]"), ("tf.reduce_logsumexp(x, 1)", "x:float32[2,3]"),
    ("tf.reduce_logsumexp(x, 1, True)", "x:float32[2,None]"), ("tf.math.count_nonzero(x)", "x:float32[2,3]"),
    ("tf.argmax(x)", "x:float32[2,3]"), ("tf.argmax(x, 1, tf.int32)", "x:float32[None,3]"),
    ("tf.argmax(x, i)", "x:float32[2,3];i:int32[]"), ("tf.argmax(x)", "x:float32[?]"), ("tf.argmax(x, 3)", "x:float32[2,3]"),
    ("tf.cumsum(x)", "x:float32[None,3]"), ("tf.cumsum(x, 1, True, name='c')", "x:float32[None,3]"),
    ("tf.cumsum(x, 4)", "x:float32[None,3]"), ("tf.cast(x, tf.int32)", "x:float32[None]"),
    ("tf.cast(x, tf.float32)", "x:float32[None]"), ("tf.cast(3, tf.float32)", ""), ("tf.cast([1.5], tf.int64, name='k')", ""),
    ("tf.saturate_cast(x, tf.uint8)", "x:float32[2]"), ("tf.bitcast(x, tf.uint8)", "x:float32[None]"),
    ("tf.bitcast(x, tf.int64)", "x:float32[None,2]"), ("tf.complex(x, x)", "x:float32[2]"), ("tf.complex(1.0, 2.0)", ""),
    ("tf.math.real(x)", "x:complex64[2]"), ("tf.math.imag(x)", "x:complex128[2]"), ("tf.math.angle(x)", "x:complex64[2]"),
    ("tf.math.conj(x)", "x:complex64[2]"), ("tf.math.real(x)", "x:float32[2]"), ("tf.add_n([x, y])", "x:float32[2];y:float32[None]"),
    ("tf.add_n([x])", "x:float32[2]"), ("tf.add_n([x], name='z')", "x:float32[2]"), ("tf.add_n([x, y])", "x:float32[2];y:float32[3]"),
    ("tf.clip_by_value(x, 0.0, 1.0)", "x:float32[None]"), ("tf.scalar_mul(2.0, x)", "x:float32[2]"),
    ("tf.math.erfinv(x)", "x:float32[2]"), ("tf.math.polyval([x, x, 1.0], x)", "x:float32[2]"),
    ("tf.math.bincount(x)", "x:int32[6]"), ("tf.math.bincount(x, minlength=3, maxlength=5)", "x:int32[6]"),
    ("tf.math.segment_sum(x, [0, 1])", "x:float32[2,3]"), ("tf.math.segment_sum(x, i)", "x:float32[2,3];i:int32[2]"),
    ("tf.math.unsorted_segment_sum(x, i, 4)", "x:float32[2,3];i:int32[2]"),
    ("tf.histogram_fixed_width(x, [0.0, 1.0], nbins=5)", "x:float32[6]"),
    ("tf.random.uniform([2, 3])", ""), ("tf.random.uniform(s)", "s:int32[2]"), ("tf.random.uniform([2], -1.0, 3.0)", ""),
    ("tf.random.uniform([2, 3], 0, 7, dtype=tf.int32, seed=5)", ""), ("tf.random.normal([2, 3], 1.0, 2.0, seed=1)", ""),
    ("tf.random.truncated_normal([2])", ""), ("tf.random.shuffle(x)", "x:float32[None,3]"),
    ("tf.random.categorical(x, 5)", "x:float32[None,3]"), ("tf.random.gamma([2], x)", "x:float32[3]"),
    ("tf.random.poisson([2], x)", "x:float32[3]"), ("tf.random.stateless_uniform([2, 3], (1, 2))", ""),
    ("tf.random.stateless_uniform([2, 3], (1, 2), 0, 9, tf.int32)", ""), ("tf.random.stateless_normal([2, 3], (1, 2))", ""),
    ("tf.random.stateless_categorical(x, 5, (1, 2))", "x:float32[2,3]"),
    ("tf.bitwise.left_shift(x, 2)", "x:int32[2]"), ("tf.bitwise.invert(x)", "x:int32[2]"),
    ("tf.zeros([tf.shape(x)[0] * 2, 3])", "x:float32[None,3]"), ("tf.zeros([tf.shape(x)[1] + 1])", "x:float32[None,3]"),
    ("tf.zeros(tf.shape(x) * 2)", "x:float32[None,3]"), ("tf.zeros([tf.maximum(tf.shape(x)[1], 5)])", "x:float32[None,3]"),
    ("tf.zeros([tf.cast(tf.cast(tf.shape(x)[1], tf.int64), tf.int32) // 2])", "x:float32[None,3]"),
    ("tf.convert_to_tensor([x, 1.0])", "x:float32[]"), ("tf.convert_to_tensor([[x, 1.0], [2.0, x]])", "x:float32[]"),
    ("tf.constant(3)", ""), ("tf.constant([1, 2], tf.float32, name='c')", ""), ("tf.constant(7, shape=[2, 2])", ""),
    ("tf.convert_to_tensor(x, tf.int32)", "x:float32[]"), ("tf.convert_to_tensor([1, 2], name='n')", ""),
]  # fmt: skip


def plain(array):
    array = np.asarray(array)
    if array.dtype.kind in "SO":
        flat = [v.decode("latin-1") if isinstance(v, bytes) else v for v in array.reshape(-1).tolist()]
    elif array.dtype.kind == "c":
        flat = [[v.real, v.imag] for v in array.reshape(-1).tolist()]
    else:
        flat = array.reshape(-1).tolist()
    return {"dtype": "string" if array.dtype.kind in "SO" else array.dtype.name, "shape": list(array.shape), "value": flat}


def run_eager(text):
    try:
        found = eval(text, {"tf": tf, "np": np, "abs": abs})
        if isinstance(found, tf.Tensor):
            return {"kind": "tensor", **plain(found.numpy())}
        if isinstance(found, (np.ndarray, np.generic)):
            return {"kind": "array", **plain(found)}
        return {"kind": "python", "value": repr(found)}
    except Exception as error:
        return {"kind": "error", "classes": [c.__name__ for c in type(error).__mro__ if c.__name__ not in ("object", "BaseException")]}


def specs_of(text):
    found = []
    for part in filter(None, text.split(";")):
        name, _, rest = part.partition(":")
        kind, _, dims = rest.partition("[")
        dims = dims.rstrip("]")
        shape = None if dims == "?" else [None if d == "None" else int(d) for d in dims.split(",") if d]
        found.append((name, tf.TensorSpec(shape, getattr(tf, kind), name=name)))
    return found


def node(operation):
    found = {"name": operation.name, "op": operation.type, "inputs": [t.name for t in operation.inputs]}
    for key in ("keep_dims", "exclusive", "reverse", "incompatible_shape_error", "seed", "seed2"):
        if key in operation.node_def.attr:
            found[key] = operation.get_attr(key)
    if operation.type == "Const":
        found["value"] = plain(tf.make_ndarray(operation.get_attr("value")))
    return found


def run_traced(text, specs):
    named = specs_of(specs)
    function = eval(f"lambda {', '.join(n for n, _ in named)}: {text}", {"tf": tf, "np": np})
    try:
        graph = tf.function(function, autograph=False).get_concrete_function(*(s for _, s in named)).graph
    except Exception as error:
        return {"kind": "error", "classes": [c.__name__ for c in type(error).__mro__ if c.__name__ not in ("object", "BaseException")]}
    out = graph.outputs[0]
    return {
        "kind": "graph", "dtype": out.dtype.name, "shape": None if out.shape.rank is None else out.shape.as_list(),
        "nodes": [node(o) for o in graph.get_operations() if o.type != "Placeholder"],
    }  # fmt: skip


def main():
    for part in (unary, binary, bitwise, reductions, casts, counting, conversions, randoms):
        part()
    unique = list(dict.fromkeys(eager))
    traced = [[text, specs, run_traced(text, specs)] for text, specs in TRACED]  # first: no seed is set yet
    data = {"eager": {text: run_eager(text) for text in unique}, "traced": traced}
    with open(os.path.join(HERE, "ops_a.json"), "w") as file:
        file.write('{"eager": {\n')
        file.write(",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in data["eager"].items()))
        file.write('\n},\n"traced": [\n')
        file.write(",\n".join(json.dumps(t) for t in data["traced"]))
        file.write("\n]}\n")
    print(len(unique), "eager,", len(TRACED), "traced", file=sys.stderr)


main()
