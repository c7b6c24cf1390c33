"""Chains of raw ops with state (variables, tables, queues, lists, datasets): what TensorFlow gives, also after an op that failed.

Covers: graphrt/ir/called.py, graphrt/ir/handles.py.
"""

import importlib.util
import json
import os

import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import op_chain_runner as runner
from tests.golden.op_chains import CHAINS
from tests.graphrt.ops.test_ops_samples import problem_with

with open(os.path.join(GOLDEN, "op_chains.json")) as _file:
    RECORDED = json.load(_file)
with open(os.path.join(GOLDEN, "op_chains.differences.json")) as _file:
    REASONS = json.load(_file)  # reason -> name of chains -> numbers of those that differ on purpose
HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None

KEPT_SHAPE = "a variable keeps the shape it was declared with"
UNCHECKED = "TensorFlow does not compare the sizes, and reads what is behind the updates"
# chain -> what is done otherwise than in TensorFlow, on purpose: by its number
DIFFERS = {
    "AssignVariableOp": {11: KEPT_SHAPE},
    "ResourceGather": {16: "an index is out of range, which TensorFlow does not see below batch dimensions"},
    "VarIsInitializedOp": {10: "the shape of a variable without a value: the error that reading it gives"},
    "ResourceScatterUpdate": {22: UNCHECKED},
    **{f"ResourceScatter{op}": {12: UNCHECKED} for op in ("Add", "Sub", "Mul", "Div", "Min", "Max")},
    "MutableDenseHashTableV2": dict.fromkeys(range(14), "a part of a table can be imported"),
    "TensorListFromTensor": dict.fromkeys((2, 7), "an index is out of range, which TensorFlow does not see in empty elements"),
    "RebatchDatasetV2": dict.fromkeys((0, 1), "batches of no elements are refused"),
    "UnbatchDataset": dict.fromkeys(range(4), "the number of rows is known to the method of datasets only"),
}  # fmt: skip


def problem(found, wanted):
    """What is wrong with the outputs of a call, or None; resources and variants are null."""
    if isinstance(found, dict) or isinstance(wanted, dict):
        if isinstance(found, dict) and wanted == {"error": "InternalError"}:
            return None  # refused, as here, by whoever came across it
        return problem_with(found, wanted)
    if len(found) != len(wanted) or [v is None for v in found] != [v is None for v in wanted]:
        return f"{found}, not {wanted}"
    pairs = [(f, w) for f, w in zip(found, wanted, strict=True) if w is not None]
    pairs = [(f, w) if w[2] is not None else ([*f[:2], 0], [*w[:2], 0]) for f, w in pairs]  # what draws its own
    return problem_with([f for f, _ in pairs], [w for _, w in pairs])


def compared(name):
    """The numbers of the chains that can be compared, what is to come of them, and what they are."""
    for number, (chain, wanted) in enumerate(zip(CHAINS[name], RECORDED[name], strict=True)):
        if wanted is None or number in DIFFERS.get(name, {}) or ("bfloat16" in repr(chain) and not HAS_BFLOAT16):
            continue
        if not any(number in names.get(name, ()) for names in REASONS.values()):
            yield number, chain, wanted


def first_problem(number, chain, found, wanted):
    for step, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        told = problem(ours, theirs)
        if told:
            return [f"{number} {str(chain[step])[:300]}: {told[:3000]}"]  # what follows works on it
    return []


def eager_problems(name):
    for number, chain, wanted in compared(name):
        with runner.place(chain) as folder:
            results = runner.outputs(tf, chain, f"{name}{number}", folder)
            found = runner.shown(tf, chain, results, folder)
        if any(isinstance(r, tf.errors.MissingExtraError) for r in results):
            continue  # Pillow is optional
        yield from first_problem(number, chain, found, wanted)


def traced_problems(name):
    for number, chain, wanted in compared(name):
        if number % 3 or any(isinstance(w, dict) for w in wanted):
            continue

        @tf.function(autograph=False)
        def traced(folder, chain=chain, number=number):
            results = runner.outputs(tf, chain, f"{name}{number}", folder)
            for result in results:
                if isinstance(result, Exception):
                    raise result
            tensors = [[t for t in result if isinstance(t, tf.Tensor)] for result in results]
            return [[t for t in result if t.dtype.name not in runner.OPAQUE] for result in tensors]

        with runner.place(chain) as folder:
            try:
                found = runner.shown(tf, chain, traced(folder), folder)
            except Exception as error:
                if "graphrt[image]" in str(error):
                    continue  # Pillow is optional
                raise
        yield from first_problem(number, chain, found, [[v for v in step if v is not None] for step in wanted])


@pytest.mark.parametrize("name", list(RECORDED))
def test_as_tensorflow(name):
    wrong = list(eager_problems(name))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", list(RECORDED))
def test_in_a_graph(name):
    """Chains without errors give the same when they are traced."""
    wrong = list(traced_problems(name))
    assert not wrong, "\n".join(wrong)
