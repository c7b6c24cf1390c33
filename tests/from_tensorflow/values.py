"""Arrays of a case in one file, whatever they hold, and how results are compared. Imports neither of the libraries."""

import json

import numpy as np


def flat(tf, result):
    """The tensors of a result, as arrays; what is no tensor is left out."""
    found = [v for v in tf.nest.flatten(result, expand_composites=True) if v is not None]
    return [np.asarray(v.numpy()) if hasattr(v, "numpy") else np.asarray(v) for v in found]


def as_json(array):
    array = np.asarray(array)
    kind = array.dtype.name if array.dtype.kind not in "OSU" else "string"
    plain = array
    if array.dtype.kind == "c":
        plain = array.view(array.real.dtype)
    elif kind in ("bfloat16", "float16"):
        plain = array.astype(np.float32)
    values = [
        v.hex() if isinstance(v, bytes) else v.encode().hex() if isinstance(v, str) else v
        for v in plain.reshape(-1).tolist()
    ]
    return [kind, list(array.shape), values]


def from_json(kept):
    kind, shape, values = kept
    if kind == "string":
        array = np.empty(len(values), object)
        array[:] = [bytes.fromhex(v) for v in values]
        return array.reshape(shape)
    if kind.startswith("complex"):
        return (
            np.array(values, kind.replace("complex128", "float64").replace("complex64", "float32"))
            .view(kind)
            .reshape(shape)
        )
    if kind == "bfloat16":
        return np.array(values, np.float32).reshape(shape)
    return np.array(values, kind).reshape(shape)


def write(path, held):
    path.write_text(json.dumps(held))


def difference(found, wanted, tolerance=1e-4):
    """None where results agree, else what differs; `wanted` as `as_json` gave them."""
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    for i, (a, kept) in enumerate(zip(found, wanted)):
        b = from_json(kept)
        name = "string" if a.dtype.kind in "OSU" else a.dtype.name
        if name != kept[0] or list(a.shape) != list(b.shape):
            return f"result {i}: {name}{list(a.shape)}, not {kept[0]}{list(b.shape)}"
        if name == "string":
            if [v if isinstance(v, bytes) else v.encode() for v in a.reshape(-1).tolist()] != b.reshape(-1).tolist():
                return f"result {i}: {a.reshape(-1).tolist()[:5]}, not {b.reshape(-1).tolist()[:5]}"
            continue
        if name in ("bfloat16", "float16"):
            a, b = a.astype(np.float32), b.astype(np.float32)
            if not np.allclose(a, b, 2e-2, 2e-2, equal_nan=True):
                return f"result {i}: {a.reshape(-1)[:4]}, not {b.reshape(-1)[:4]}"
        elif a.dtype.kind in "biu":
            if not np.array_equal(a, b):
                return f"result {i}: {a.reshape(-1)[:8]}, not {b.reshape(-1)[:8]}"
        elif not np.allclose(a, b, tolerance, tolerance, equal_nan=True):
            gap = np.nanmax(np.abs(a - b))
            return f"result {i}: largest difference {gap:.3g}; {a.reshape(-1)[:4]}, not {b.reshape(-1)[:4]}"
    return None
