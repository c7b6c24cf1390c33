"""Writes which names of TensorFlow graphrt has not, and why: `python -m tests.missing_page` (`--check` only compares).

The names are those that `tests/golden/record_public_names.py` recorded; what is missing is found by looking. Why, the rules
below say: the first that fits. `docs/missing.md` is for readers, `graphrt/types/missing.txt` for error messages.
"""

import json
import pathlib
import re
import sys
import textwrap

import graphrt
from graphrt.types.missing import REASONS

ROOT = pathlib.Path(__file__).resolve().parents[1]

RECORDED = ROOT / "tests" / "golden" / "public_names.json"
PAGE, LIST = ROOT / "docs" / "missing.md", ROOT / "graphrt" / "types" / "missing.txt"

RULES = [  # a pattern of dotted paths, and the reason
    (r"(tpu|xla|mlir|distribute|experimental\.(dtensor|tensorrt)|keras\.distribution)\b", "hardware"),
    (
        r"config\.experimental_connect|data\.experimental\.service|train\.(Cluster|Job|Server)Def|train\.ClusterSpec",
        "hardware",
    ),
    (r"data\.experimental\.(ServiceOptions|distributed_save)|test\.(create_local_cluster|is_cpu_target)", "hardware"),
    (r"nn\.RNNCellDeviceWrapper|keras\.device|config\.experimental\.", "hardware"),
    (r"raw_ops\..*(TPU|Tpu|Xla|XLA|Nccl|Collective|Infeed|Outfeed|Mlir|CrossReplica|AllToAll|AllReduce)", "hardware"),
    (
        r"raw_ops\..*(DTensor|Copy(ToMesh|Host|$)|MultiDevice|Device|Sharding|Shard|SparseCore|Recv|Send|Remote|Worker)",
        "hardware",
    ),
    (r"raw_ops\..*(Cudnn|GPU|OneDNN|Mkl|TensorRT|TRT|Debug|DataService|RegisterDataset|Rpc|Coordination)", "hardware"),
    (r"raw_ops\.(Apply|SparseApply|Assign|Scatter|CountUpTo|Destroy|Temporary|IsVariable|Ref[A-Z]|Barrier)", "TF1"),
    (
        r"raw_ops\..*(Accumulator|Stack(Close|Pop|Push|$|V2)|Reader|Queue|TensorArray|Legacy|Ref$|Stage|Unstage|MapClear)",
        "TF1",
    ),
    (
        r"raw_ops\.(Variable|Batch(Matrix|FFT|IFFT|SVD|Self|Cholesky)|Quantize|Requantiz|.*Quantize|Placeholder|Mutex|Session)",
        "TF1",
    ),
    (
        r"raw_ops\.(Save|Restore|MergeV2|Sharded|Load|Retrieve|.*Summary|Write.*Summary|Lmdb|Sql|Bigtable|FixedLength)",
        "not yet",
    ),
    (r"keras\.(backend|legacy|.*\.legacy)\b|optimizers\.legacy|train\.(Coordinator|ExponentialMovingAverage)", "TF1"),
    (
        r"(test\.(Benchmark|benchmark_config|with_eager|disable_with|experimental))|keras\.layers\.ThresholdedReLU",
        "TF1",
    ),
    (r"data\.experimental\.(make_saveable|get_model_proto|enable_debug)|keras\.layers\.(Random(Height|Width))", "TF1"),
    (
        r"(experimental\.register_filesystem_plugin|check_pinned|nondifferentiable)",
        "private",
    ),
    (
        r"^(conv|conv2d_backprop|approx_top_k|ragged_fill_empty_rows)|raw_ops\..*(Dummy|Experimental|Test|Unbatch|BatchFunction)",
        "private",
    ),
    (r"(lite|feature_column|profiler|quantization\.experimental)\b", "out of scope"),
    (
        r"keras\.(applications|datasets|preprocessing|mixed_precision|quantizers|wrappers|visualization|distillation)\b",
        "out of scope",
    ),
    (r"keras\.(export|dtype_policies|utils\.bounding_boxes|ops\.image)\b", "out of scope"),
    (
        r"keras\.(DTypePolicy|FloatDTypePolicy|Quantizer|callbacks\.|config\.|utils\.|remat|RematScope|.*LossScale)",
        "out of scope",
    ),
    (
        r"keras\.layers\.(Random|AugMix|AutoContrast|Contrast|CutMix|Equalization|Max.*Bound|Mix|RandAug|Solar|Pipeline)",
        "out of scope",
    ),
    (
        r"keras\.layers\.(Hash|Flax|Jax|TFSM|Torch|MelSpec|STFT)|keras\.initializers\.(STFT|stft)|initializers\.(STFT|stft)",
        "out of scope",
    ),
    (r"data\.experimental\.(Sql|make_batched)|io\.(decode|encode)_proto|.*(float8|int2|int4)", "out of scope"),
    (r"", "not yet"),
]


def value_at(path: str) -> object:
    """What stands behind a dotted path, or None."""
    found: object = graphrt
    for part in path.split(".") if path else []:
        found = getattr(found, part, None)
    return found


def missing() -> dict[tuple[str, str], list[str]]:
    """By reason and namespace, the names that graphrt has not."""
    found: dict[tuple[str, str], list[str]] = {}
    for space, names in json.loads(RECORDED.read_text(encoding="utf-8"))["names"].items():
        there = value_at(space)
        for name in names:
            if there is None or not hasattr(there, name):
                path = f"{space}.{name}".strip(".")
                reason = next(r for pattern, r in RULES if re.match(pattern, path))
                found.setdefault((reason, space or "tf"), []).append(name)
    return dict(sorted(found.items(), key=lambda item: ([*REASONS].index(item[0][0]), item[0][1])))


def texts() -> dict[pathlib.Path, str]:
    """The two files."""
    found = missing()
    total = sum(len(v) for v in json.loads(RECORDED.read_text(encoding="utf-8"))["names"].values())
    count = sum(map(len, found.values()))
    page = [
        "# What of TensorFlow is not here", "",
        f"TensorFlow 2.20 has {total:,} public names in its namespaces; {count:,} of them are not in graphrt. Each has one of five",
        "reasons, which the AttributeError for the name tells, too. Written by `tests/missing_page.py`.", "",
        "Libraries that live on TensorFlow's private modules (`tensorflow.python`, `tensorflow.core`, `tensorflow.compiler`) cannot run:",
        "Keras 3 as a package of its own (`import keras`: its backend builds on `tensorflow.python` and `tensorflow.compiler`), and",
        "TensorFlow Probability (`tensorflow.python.ops`, `tensorflow.python.framework`, and through `tf_keras`).",
        "`graphrt.as_tensorflow()` gives others their `import tensorflow`.", "",
    ]  # fmt: skip
    for reason, meaning in REASONS.items():
        mine = {space: names for (r, space), names in found.items() if r == reason}
        if not mine:
            continue
        page += [
            f"## {reason[0].upper()}{reason[1:]}",
            "",
            f"{meaning[0].upper()}{meaning[1:]}. {sum(map(len, mine.values()))} names.",
            "",
        ]
        for space, names in mine.items():
            label = f"`{space if space == 'tf' else 'tf.' + space}`: "
            page += [*textwrap.wrap(label + ", ".join(names), 118, initial_indent="- ", subsequent_indent="  ",
                                    break_on_hyphens=False)]  # fmt: skip
        page.append("")
    found["out of scope", "keras"] = [
        *found.get(("out of scope", "keras"), []),
        "applications",
    ]  # not recorded: a room of models
    listed = "".join(f"{reason}: {space} {' '.join(names)}\n" for (reason, space), names in found.items())
    return {PAGE: "\n".join(page), LIST: listed}


def main() -> int:
    """Writes the files, or says which are out of date."""
    stale = {p: t for p, t in texts().items() if not p.exists() or p.read_text(encoding="utf-8") != t}
    if "--check" in sys.argv:
        for path in stale:
            print(f"out of date, run python -m tests.missing_page: {path.relative_to(ROOT)}")
        return 1 if stale else 0
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
