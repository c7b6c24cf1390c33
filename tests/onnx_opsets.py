"""ONNX models of opset 13 to 21, read here and run by ONNX Runtime: `python -m tests.onnx_opsets [OPSET...]`.

Needs onnx and onnxruntime. Each program of `tests/graphrt/export/onnx/programs.py`, and each of the corpus
(`tests/graphrt/programs/corpus.py`) that ONNX can express, is written as ONNX, converted by ONNX's own converter to each
opset (20 is the one written), checked by its checker, read by `from_onnx`, and compared with what ONNX Runtime gives. Prints a line
for each opset: how many were equal, how many the converter, the checker or the runtime does not take (these are no models of that opset).
"""

from __future__ import annotations

import pathlib
import sys
import tempfile
import warnings
from typing import Any

import numpy as np

import graphrt as tf
from tests.graphrt.export.onnx.programs import CASES, arrays, specs
from tests.graphrt.programs import corpus


def written() -> dict[str, tuple[bytes, list[Any]]]:
    """Name -> the bytes of a model, and what it is called with."""
    found = {}
    refused = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.onnx"
        for name, (function, given) in {**corpus.CASES, **CASES}.items():
            if name.removeprefix("more_") in CASES and name not in CASES:
                continue  # the corpus has it from there
            try:
                tf.export.to_onnx(tf.function(function).get_concrete_function(*specs(given)), path)
            except tf.errors.UnimplementedError:
                refused.append(name)
                continue
            found[name] = path.read_bytes(), arrays(given)
    print(f"{len(found)} written, {len(refused)} without a counterpart in ONNX: {' '.join(refused)}", flush=True)
    return found


def by_runtime(data: bytes, given: list[Any]) -> list[Any]:
    """What ONNX Runtime gives."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    taken = [i.name for i in session.get_inputs()]
    named = {f"a{i}": a for i, a in enumerate(given)}
    feeds = {n: named.get(n, given[i]) for i, n in enumerate(taken)}
    return [np.asarray(v) for v in session.run(None, feeds)]


def by_us(data: bytes, given: list[Any], folder: str) -> list[Any]:
    """What the model gives that `from_onnx` reads."""
    path = pathlib.Path(folder) / "m.onnx"
    path.write_bytes(data)
    concrete = tf.export.from_onnx(path)
    result = concrete(*[tf.constant(a) for a in given])
    return [np.asarray(t.numpy()) for t in tf.nest.flatten(result) if tf.is_tensor(t)]


def differ(found: list[Any], wanted: list[Any]) -> str | None:
    """What is not equal, or None."""
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    for a, b in zip(found, wanted):
        if a.shape != b.shape:
            return f"shape {a.shape}, not {b.shape}"
        if b.dtype.kind in "OSU":
            texts = [[v.decode() if isinstance(v, bytes) else v for v in np.ravel(x).tolist()] for x in (a, b)]
            if texts[0] != texts[1]:
                return f"{texts[0][:5]}, not {texts[1][:5]}"
            continue
        limit = {"float16": 5e-3, "bfloat16": 3e-2}.get(b.dtype.name, 2e-5)
        if not np.allclose(a.astype(np.float64), b.astype(np.float64), rtol=limit, atol=limit, equal_nan=True):
            return f"differs by {np.nanmax(np.abs(a.astype(np.float64) - b.astype(np.float64))):.2g}"
    return None


def main() -> int:
    import onnx
    from onnx import version_converter

    warnings.simplefilter("ignore")
    opsets = [int(a) for a in sys.argv[1:]] or list(range(13, 22))
    models = written()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for opset in opsets:
            equal, untaken = 0, 0
            for name, (data, given) in models.items():
                model = onnx.load_from_string(data)
                has_other = any(o.domain for o in model.opset_import)
                if not has_other and model.opset_import[0].version != opset:
                    try:
                        model = version_converter.convert_version(model, opset)
                        onnx.checker.check_model(model)
                    except Exception:  # the converter has no way to that opset
                        untaken += 1
                        continue
                data = model.SerializeToString()
                try:
                    wanted = by_runtime(data, given)
                except Exception:
                    untaken += 1
                    continue
                try:
                    wrong = differ(by_us(data, given, folder), wanted)
                except Exception as error:
                    wrong = f"{type(error).__name__}: {error}"[:300]
                equal += wrong is None
                if wrong is not None:
                    bad += 1
                    print(f"opset {opset} {name}: {wrong}", flush=True)
            print(f"opset {opset}: {equal} equal, {untaken} not taken by ONNX itself, of {len(models)}", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
