"""ONNX's own cases of single nodes, read by `from_onnx`: `python -m tests.onnx_nodes [NAME...]`, with onnx installed.

Each case is a model with inputs and outputs, as ONNX's reference makes them; those of newer opsets are taken as opset 21 where the
checker agrees. Prints what differs, what is refused although its op is read, and how many are equal, refused as a whole or left out.
"""

from __future__ import annotations

import collections
import pathlib
import sys
import tempfile
import warnings
from typing import Any

import numpy as np

import graphrt as tf
from tests.onnx_opsets import differ

AS_RUNTIME = {  # ONNX Runtime takes the whole sizes, as we do
    "test_resize_downsample_scales_linear_align_corners", "test_resize_downsample_scales_cubic_align_corners",
}  # fmt: skip
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}


def as_written(model: Any) -> bool:
    """Whether a model is of an opset that is read, or may be said to be."""
    import onnx

    for imported in model.opset_import:
        if imported.domain in ("", "ai.onnx") and not 13 <= imported.version <= 21:
            imported.version = 13 if imported.version < 13 else 21
    model.ir_version = min(model.ir_version, 10)
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception:  # its ops are older or newer
        return False
    return any(o.domain in ("", "ai.onnx") for o in model.opset_import)


def told(case: Any, path: pathlib.Path) -> tuple[str, str]:
    """What became of a case: `equal`, or another word, and more about it."""
    model = case.model
    if not as_written(model):
        return "of other opsets", ""
    given, wanted = case.data_sets[0]
    if not all(isinstance(v, (np.ndarray, np.generic)) for v in [*given, *wanted]) or RANDOM & {
        n.op_type for n in model.graph.node
    }:
        return "with other data", ""
    path.write_bytes(model.SerializeToString())
    try:
        concrete = tf.export.from_onnx(path)
    except tf.errors.UnimplementedError as error:
        return ("of ops that are not read", "") if "cannot be read:\n" in str(error) else ("refused", str(error))
    except tf.errors.DataLossError as error:
        return "refused", str(error)
    try:
        result = concrete(
            *[tf.constant(g.astype(str).astype(object) if g.dtype.kind in "OU" else g) for g in map(np.asarray, given)]
        )
    except Exception as error:
        return "FAILED", f"{type(error).__name__}: {error}"
    names = [o.name for o in model.graph.output]
    found = (
        [result[n] for n in names]
        if isinstance(result, dict)
        else list(result)
        if isinstance(result, tuple)
        else [result]
    )
    wrong = differ([np.asarray(t.numpy()) for t in found], [np.asarray(w) for w in wanted])
    return ("equal", "") if wrong is None else ("WRONG", wrong)


def main() -> int:
    from onnx.backend.test.case.node import collect_testcases

    warnings.simplefilter("ignore")
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.onnx"
        for case in collect_testcases(None):
            if sys.argv[1:] and not any(n in case.name for n in sys.argv[1:]):
                continue
            word, more = told(case, path)
            if case.name in AS_RUNTIME:
                word, more = "as ONNX Runtime has them", ""
            counts[word] += 1
            if more:
                print(f"{word} {case.name}: {more.replace(str(path), 'model')[:300]}", flush=True)
    print(", ".join(f"{n} {word}" for word, n in counts.most_common()))
    return int(counts["WRONG"] + counts["FAILED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
