"""Writes docs/ops.md, the table of all ops and what stands behind each: `python -m tests.ops_page` (`--check` compares)."""

import collections
import contextlib
import json
import re
import sys

import numpy as np

from tests import GOLDEN, ROOT

PAGE = ROOT / "docs" / "ops.md"
HEAD = """# The ops

Written by `tests/ops_page.py` from the declarations and the tests; a test says when it is out of date. Each op has the type,
the inputs, the outputs and the attributes of TensorFlow's op of that name, which `tests/graphrt/graphdef/test_schema.py`
compares; so a GraphDef names it by the first column.

- *dtypes*: what the first type attribute takes (`numeric` is all but bool and strings), or the types of the inputs.
- *static shape*: every op has a rule. `compared`: with what TensorFlow infers, where dimensions or ranks are unknown, too.
- *kernel*: `NumPy`, or `inside`: the executor or the tracer does the op's work.
- *first gradient*, *second gradient*: `differences`: compared with finite differences in double precision, eagerly and in a
  graph (`tests/graphrt/ops/test_ops_gradients.py`); `tested`: by another test; otherwise why there is none, or how it is
  tested instead.
- *goldens*: calls recorded from TensorFlow that make the op here; *samples*: these, and those compared with NumPy, with
  differences, or by properties.
- *example*: whether a public function that makes the op has an example that runs.

"""
STATE = "an effect or a resource"
REASONS = {
    "none": "TensorFlow says it has none", "missing": "TensorFlow has none",
    "yes": "TensorFlow's is None: steps, positions or random numbers"
}  # fmt: skip


TOTALS: list[int] = []  # of samples, by op


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
    """op -> the modules that name it, by their text."""
    found = {}
    for path in sorted((ROOT / "graphrt").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in set(re.findall(r"\b([A-Z][A-Za-z0-9]+)\b", text)):
            found.setdefault(name, []).append((path, text))
    return found


class Seen:
    """A tape that only writes down which ops ran."""

    needs_higher_order = False

    def __init__(self):
        self.types = set()

    def record(self, op, inputs, attrs, results):
        self.types.add(op.type)

    def is_watching(self, tensor):
        return True


def counted(calls):
    """How many of the calls run each op."""
    from graphrt.tensor import context

    counts = collections.Counter()
    for call in calls:
        seen = Seen()
        with context.recording(seen), contextlib.suppress(Exception), np.errstate(all="ignore"):
            call()  # some are recorded for their errors
        counts.update(seen.types)
    return counts


def golden_calls():
    """The calls whose results TensorFlow has told."""
    import graphrt as tf
    from tests.golden import data_cases, runner

    for name in (name for name in runner.files() if name.startswith(("ops/", "numpy_api/", "tensor/"))):
        names = runner.scope(tf)
        for line in runner.lines(name):
            if line.text.startswith("!"):
                exec(line.text[1:].strip(), names)
            elif line.compared and ("random" not in line.text or "stateless" in line.text):
                yield lambda line=line, names=names: runner.eager(tf, line, names)
    for make in data_cases.CASES.values():
        yield lambda make=make: make(tf)
    from tests.golden import half_precision_cases as half

    for call in half.EXACT + half.NEAR:
        yield lambda call=call: half.run(tf, call, "float16")


def other_calls():
    """Calls compared with NumPy, or with differences."""
    import graphrt as tf
    from tests.graphrt.numpy_api import test_numpy_api as numpy_functions

    scope = {"np": np, **{k: tf.constant(v) for k, v in numpy_functions.SCOPE.items()}}
    for code in numpy_functions.names():
        yield lambda code=code: eval(code, dict(scope))


def recorded_in_graphs():
    """How many recorded graphs of TensorFlow hold each op."""
    found = collections.Counter()
    for path in sorted((GOLDEN / "graphdef").glob("*.pbtxt")):
        found.update(set(re.findall(r'\bop: "(\w+)"', path.read_text(encoding="utf-8"))))
    return found


def dtypes_of(op):
    from graphrt.types import dtype as t

    groups = [
        ("numeric", t.NUMERIC), ("real", t.REAL), ("float, complex", t.INEXACT), ("float", t.FLOATING), ("complex", t.COMPLEX),
        ("integer", t.INTEGER), ("int32, int64", t.INDEX),
    ]  # fmt: skip
    first = next((a for a in op.inputs if a.name not in ("shape", "resource", "dims")), None) or next(
        iter(op.outputs), None
    )
    type_attr = (first.type_attr or first.list_attr) if first is not None else None
    if type_attr is None:
        fixed = dict.fromkeys(a.dtype.name for a in op.inputs + op.outputs if a.dtype is not None)
        return ", ".join(fixed) or "no tensors"
    allowed = op.attrs[type_attr].allowed if type_attr in op.attrs else None
    if allowed is None:
        return "all"
    for name, members in groups:
        if set(allowed) == set(members):
            return name
    return ", ".join(d.name for d in t.ALL if d in allowed)


def holds_state(op):
    handles = [a for a in op.inputs + op.outputs if a.dtype is not None and a.dtype.kind == "O"]
    return bool(handles) or op.stateful or op.has("reads") or op.has("opaque")


def first_gradient(name, op, gradient, samples, tested, registry):
    if gradient != "yes":
        told = registry.get(name, "unknown")
        if told in ("missing", "unknown"):
            return STATE if holds_state(op) else "TensorFlow has none"
        return REASONS[told]
    if name in samples.NOT_COMPARED:
        return samples.NOT_COMPARED[name]
    if name in samples.SAMPLES or name in samples.SINGLE:
        return "differences"
    return "tested" if re.search(rf"\b{name}\b", tested) else "through the functions that make it"


def second_gradient(name, gradient, first, samples):
    if gradient != "yes":
        return "as the first"
    if name in samples.NO_SECOND:
        return f"none: {samples.NO_SECOND[name]}"
    return first if first == "differences" else "as the first"


def at_least(count):
    """A count as the table shows it, which does not change with every new test."""
    return f"{max(n for n in (1, 2, 5, 13, 30, 100, 300) if n <= count)}+"


def calls_in_chains():
    """op -> how many calls of it in chains were recorded from TensorFlow."""
    from tests.golden.op_chains import CHAINS

    recorded = json.loads((GOLDEN / "op_chains.json").read_text(encoding="utf-8"))
    known = [chain for name in CHAINS for chain, steps in zip(CHAINS[name], recorded[name]) if steps is not None]
    return collections.Counter(op for chain in known for op, _, _ in chain)


def rows():
    import graphrt  # noqa: F401  # declares the ops
    from graphrt.ir.op import REGISTRY, declare_all
    from tests.graphrt.ops import gradient_samples as samples

    declare_all()
    op_samples, edge_values = (
        json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")) for name in ("op_samples", "edge_values")
    )
    registry = json.loads((GOLDEN / "gradient_registry.json").read_text(encoding="utf-8"))
    in_chains = calls_in_chains()
    goldens = counted(golden_calls()) + recorded_in_graphs()
    others = counted(other_calls())
    tested = text_of("tests/graphrt/**/test_*.py")
    mentions = collections.Counter(re.findall(r"\b[A-Z]\w+", tested))
    users = users_of_ops()
    for name in sorted(n for n in REGISTRY if not n.startswith("_")):
        op = REGISTRY[name]
        gradient = has_gradient(op)
        recorded = goldens[name] + len(op_samples.get(name, ())) + len(edge_values.get(name, ())) + in_chains[name]
        differences = 4 * (name in samples.SAMPLES or name in samples.SINGLE)  # two orders, eagerly and in a graph
        count = recorded + others[name] + differences + min(mentions[name], 9)
        first = first_gradient(name, op, gradient, samples, tested, registry)
        example = any(">>>" in text for _, text in users.get(name, []))
        TOTALS.append(count)
        yield (
            name, dtypes_of(op), "compared" if name in op_samples or goldens[name] else "rule",
            "NumPy" if op.kernel is not None else "inside", first, second_gradient(name, gradient, first, samples),
            at_least(count) if count else "through functions", at_least(recorded) if recorded else "schema", "yes" if example else "as raw op only",
        )  # fmt: skip


def page():
    names = (
        "op",
        "dtypes",
        "static shape",
        "kernel",
        "first gradient",
        "second gradient",
        "samples",
        "goldens",
        "example",
    )
    lines = [HEAD, f"| {' | '.join(names)} |\n", "|---" * len(names) + "|\n"]
    found = list(rows())
    lines += ["| " + " | ".join(row) + " |\n" for row in found]
    average = sum(TOTALS) / len(TOTALS)
    return "".join(lines) + f"\n{len(found)} ops; on average at least {average // 5 * 5:.0f} samples an op.\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(
            0
            if PAGE.read_text(encoding="utf-8") == page()
            else "docs/ops.md is out of date: run python -m tests.ops_page"
        )
    PAGE.write_text(page(), encoding="utf-8")
