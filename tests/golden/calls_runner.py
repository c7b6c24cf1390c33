"""Runs the calls of `calls/*.txt` with a module that has TensorFlow's names, and says what each gave, as plain data.

A line is an expression in `tf` and `np`; one that begins with `!` is a statement that prepares the following ones, one
that begins with `?` is an expression where TensorFlow is known to be wrong, and one that begins with `#` is a comment.
"""

import re
import warnings

import numpy as np

SAME_ERRORS = {  # ours are of several kinds at once
    "ConversionError": ("ValueError", "TypeError", "InvalidArgumentError"),
    "DTypeMismatchError": ("ValueError", "TypeError", "InvalidArgumentError"),
    "ShapeError": ("ValueError", "InvalidArgumentError"),
    "StructureMismatchError": ("ValueError", "TypeError"),
}


def number(value):
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, complex):
        return f"{value.real:.5g} {value.imag:.5g}"
    return repr(value)


def array(kind, value, dtype):
    flat = np.asarray(value).reshape(-1)
    if flat.dtype.kind not in "biufcSUO":
        flat = flat.astype("float64")  # bfloat16
    return [kind, dtype, list(np.shape(value)), [number(v) for v in flat.tolist()]]


def shown(value, depth=0):
    """`value` as plain data, alike for both modules."""
    if depth > 5:
        return "..."
    if isinstance(value, (list, tuple)):
        return ["list" if isinstance(value, list) else "tuple", [shown(v, depth + 1) for v in value]]
    if isinstance(value, dict):
        return ["dict", {str(k): shown(v, depth + 1) for k, v in value.items()}]
    if type(value).__name__ == "KerasTensor":
        return ["symbolic", list(value.shape), str(getattr(value.dtype, "name", value.dtype))]
    if hasattr(value, "to_list") and hasattr(value, "flat_values"):
        return ["ragged", value.dtype.name, value.to_list()]
    if hasattr(value, "dense_shape") and hasattr(value, "indices"):
        return ["sparse", *(shown(v, depth + 1) for v in (value.indices, value.values, value.dense_shape))]
    if hasattr(value, "numpy") and not isinstance(value, type):
        return array("tensor", value.numpy(), getattr(value.dtype, "name", value.dtype))
    if isinstance(value, (np.ndarray, np.generic)):
        return array("array", value, str(value.dtype))
    if isinstance(value, float):
        return number(value)
    text = re.sub(r"0x[0-9a-f]+", "0x", repr(value))
    return re.sub(r"\b(tensorflow|keras\.src|graphrt)[\w.]*\.", "", text)[:400]


def run(tf, path, own=False):
    """For each expression of the file what it gave, or `["error", class]`; expressions with `?` run if they are `own`."""
    found, names = {}, {"tf": tf, "np": np}
    with open(path, encoding="utf-8") as file, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for line in map(str.strip, file):
            if line.startswith("!"):
                try:
                    exec(line[1:].strip(), names)
                except Exception as error:
                    raise AssertionError(f"{path.name}: {line}") from error
            elif line.startswith("?"):
                if own:
                    eval(line[1:].strip(), names)
            elif line and not line.startswith("#"):
                assert line not in found, f"twice: {line}"
                try:
                    found[line] = shown(eval(line, names))
                except Exception as error:
                    found[line] = ["error", type(error).__name__, str(error).partition("\n")[0][:200]]
    return found


def equal(ours, theirs):
    """Whether both are the same up to the last digits of floats, and errors of a kind."""
    if isinstance(ours, list) and isinstance(theirs, list):
        if ours[:1] == theirs[:1] == ["error"]:
            return ours[1] == theirs[1] or theirs[1] in SAME_ERRORS.get(ours[1], ())
        return len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(equal(ours[k], theirs[k]) for k in ours)
    if ours == theirs:
        return True
    try:
        a, b = ([float(x) for x in v.split()] for v in (ours, theirs))
    except (ValueError, AttributeError):
        return False
    return len(a) == len(b) and np.allclose(a, b, rtol=2e-5, atol=2e-6, equal_nan=True)
