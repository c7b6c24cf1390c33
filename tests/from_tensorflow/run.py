"""Loads and runs files that TensorFlow wrote, in this process: `python -m tests.from_tensorflow.run FOLDER/CASE...`.

Nothing here has the Python source of what was saved.
"""

import json
import pathlib
import sys
import time
import traceback

import graphrt as tf
from tests.from_tensorflow import checkpoints, saved_models, values


def tensors(given):
    return [tf.constant(values.from_json(v)) for v in given]


def run_graph(folder, case):
    data = (folder / "graph.pb").read_bytes()

    @tf.function
    def run(*given):
        return tf.graph_util.import_graph_def(data, dict(zip(case["inputs"], given)), case["outputs"])

    return [("", values.difference(values.flat(tf, run(*tensors(case["given"]))), case["wanted"]))]


def structure(tf, given):
    """What `saved_models.kept` kept: tensors of all kinds in dicts and lists."""
    if isinstance(given, dict) and "tensor" in given:
        return tf.constant(values.from_json(given["tensor"]))
    if isinstance(given, dict) and "ragged" in given:
        flat, *rows = [structure(tf, v) for v in given["ragged"]]
        return tf.RaggedTensor.from_nested_row_splits(flat, rows)
    if isinstance(given, dict) and "sparse" in given:
        return tf.SparseTensor(*[structure(tf, v) for v in given["sparse"]])
    if isinstance(given, dict) and "plain" in given:
        return given["plain"]
    if isinstance(given, dict):
        return {k: structure(tf, v) for k, v in given["dict"].items()}
    return tuple(structure(tf, v) for v in given)


def run_saved(folder, case):
    loaded = tf.saved_model.load(folder / "saved", **case.get("options", {}))
    found = []
    for call in case["calls"]:
        args, kwargs = structure(tf, call["args"]), {k: structure(tf, v) for k, v in call["kwargs"].items()}
        function = loaded
        for part in call["path"]:
            function = (
                function.signatures[part[1:]]
                if part.startswith("@")
                else function(*())
                if part == "()"
                else getattr(function, part)
            )
        result = function(*args, **kwargs)
        if isinstance(result, dict) and call.get("order"):
            result = [result[k] for k in call["order"]]
        found.append((".".join(call["path"]), values.difference(values.flat(tf, result), call["wanted"])))
    for part in case.get("prunes", ()):
        result = loaded.prune(part["feeds"], part["fetches"])(*tensors(part["given"]))
        found.append((f"prune {part['fetches']}", values.difference(values.flat(tf, result), part["wanted"])))
    for told in case.get("gradients", ()):
        args = [values.from_json(a) for a in told["args"]]
        made = saved_models.gradients_of(tf, loaded, told["function"], args, told["variables"])
        found.append((f"gradients of {told['function']}", values.difference(made, told["wanted"])))
    if "variables" in case:
        names = sorted(f"{tuple(v.shape)}{v.dtype.name}" for v in loaded.variables)
        found.append(("variables", None if names == case["variables"] else f"{names[:5]}, not {case['variables'][:5]}"))
    return found


def run_case(folder):
    case = json.loads((folder / "case.json").read_text())
    return {"graph": run_graph, "saved": run_saved, "checkpoint": checkpoints.run_case}[case["kind"]](folder, case)


def main():
    failed = 0
    for text in sys.argv[1:]:
        folder = pathlib.Path(text)
        began = time.perf_counter()
        try:
            wrong = [f"{what}: {why}" for what, why in run_case(folder) if why]
        except Exception as error:
            wrong = [f"{type(error).__name__}: {error}"[:1500]]
            if len(sys.argv) == 2:
                traceback.print_exc()
        failed += bool(wrong)
        print(
            f"{'FAILED' if wrong else 'equal'} {folder.name} {time.perf_counter() - began:.2f} s",
            *wrong,
            sep="\n    ",
            flush=True,
        )
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
