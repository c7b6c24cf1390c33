"""Writes docs/ops.md, the table of all ops and what stands behind each: `python tests/ops_page.py` (`--check` compares)."""

import contextlib
import json
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
PAGE = ROOT / "docs" / "ops.md"
HEAD = """# The ops

Written by `tests/ops_page.py` from the declarations and the tests; a test says when it is out of date.

- *kernel*: the NumPy function that computes; `inside` means the executor or the tracer does the op's work.
- *shape rule*: what the output's shape is, and when inputs do not fit.
- *gradient*: `yes`; `none` where the op has integers, strings or choices that nothing flows through; `-` where a gradient
  op ends the chain, or none is defined.
- *checked by differences*: the gradient (and the second one, for the ops of the wider rows) is compared with finite
  differences, eagerly and traced.
- *eager = graph = TensorFlow*: recorded results of TensorFlow 2.20 are compared with an eager and a traced run; `schema`
  means the declaration (names, types, defaults) is compared, and values are compared with NumPy or by properties.
- *example*: a runnable example in the docstring of a public function that makes the op.

"""


def has_gradient(op):
    if op.vjp is None:
        return "-"

    class Anything:
        inputs = outputs = [object()] * 8
        attrs = {}

    try:
        found = op.vjp(Anything(), *[object()] * max(1, len(op.outputs)))
        return "yes" if any(g is not None for g in found) else "none"
    except Exception:
        return "yes"


def text_of(pattern):
    return "\n".join(p.read_text(encoding="utf-8") for p in sorted(ROOT.glob(pattern)))


def users_of_ops():
    """op -> the module in which it is declared, by its text."""
    found = {}
    for path in sorted((ROOT / "graphrt").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in set(re.findall(r"\b([A-Z][A-Za-z0-9]+)\b", text)):
            found.setdefault(name, []).append((path, text))
    return found


def recorded():
    """The types of the nodes in TensorFlow's recorded graphs, and the text of all recorded cases."""
    types = set()
    for name in ("ops_b.json",):
        for entry in json.loads((ROOT / "tests" / "golden" / name).read_text(encoding="utf-8")):
            types.update(node[1] for node in entry["graph"].get("nodes", []))
    for path in sorted((ROOT / "tests" / "golden" / "graphdef").glob("*.pbtxt")):
        types.update(re.findall(r'\bop: "(\w+)"', path.read_text(encoding="utf-8")))
    return types


def types_made(cases_modules):
    """The ops that the recorded cases make here, by running each once."""
    import graphrt as tf
    from graphrt.tensor import context

    sys.path.insert(0, str(ROOT / "tests" / "golden"))
    import importlib

    import ops_b_runner as runner

    class Seen:
        needs_higher_order = False

        def __init__(self):
            self.types = set()

        def record(self, op, inputs, attrs, results):
            self.types.add(op.type)

        def is_watching(self, tensor):
            return True

    seen = Seen()
    for name in cases_modules:
        for case in importlib.import_module(name).CASES:
            if "random" in case[0] and "stateless" not in case[0]:
                continue
            with context.recording(seen):
                runner.run_eagerly(tf, case)
    scope = {"tf": tf, "np": np, "inf": float("inf"), "nan": float("nan")}
    expressions = json.loads((ROOT / "tests" / "golden" / "ops_a.json").read_text(encoding="utf-8"))["eager"]
    for expression in expressions:
        with context.recording(seen), contextlib.suppress(Exception):  # some are recorded for their errors
            eval(expression, scope)
    return seen.types


def rows():
    import graphrt  # noqa: F401  # declares the ops
    from graphrt.ir.op import REGISTRY, declare_all

    declare_all()
    compared = recorded() | types_made(["ops_b_cases", "ops_c_cases"])
    tested = text_of("tests/graphrt/**/test_*gradients*.py")
    users = users_of_ops()
    for name in sorted(n for n in REGISTRY if not n.startswith("_")):
        op = REGISTRY[name]
        gradient = has_gradient(op)
        in_rows = re.search(rf"\b{name}\b", tested) is not None
        sources = users.get(name, [])
        example = any(">>>" in text for _, text in sources)
        yield (
            name, "yes" if op.kernel is not None else "inside", "yes" if op.infer is not None else "-", gradient,
            "by name" if in_rows and gradient == "yes" else "through functions" if gradient == "yes" else "no gradient",
            "values" if name in compared else "schema", "yes" if example else "as raw op only",
        )  # fmt: skip


def page():
    lines = [HEAD, "| op | kernel | shape rule | gradient | checked by differences | eager = graph = TensorFlow | example |\n",
             "|---|---|---|---|---|---|---|\n"]  # fmt: skip
    count = 0
    for row in rows():
        count += 1
        lines.append("| " + " | ".join(row) + " |\n")
    return "".join(lines) + f"\n{count} ops.\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == page() else "docs/ops.md is out of date: run tests/ops_page.py")
    PAGE.write_text(page(), encoding="utf-8")
