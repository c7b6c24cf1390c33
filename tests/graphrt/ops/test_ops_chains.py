"""Chains of raw ops with state (variables, tables, queues, lists, datasets): what TensorFlow gives, also after an op that failed.

Covers: graphrt/ir/handles.py.
"""

import importlib.util
import json
import os

import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import op_chain_runner as runner
from tests.golden.op_chain_cases import CHAINS
from tests.graphrt.ops.test_ops_samples import problem_with

with open(os.path.join(GOLDEN, "op_chains.json")) as _file:
    RECORDED = json.load(_file)
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
        return problem_with(found, wanted)
    if [v is None for v in found] != [v is None for v in wanted]:
        return f"{found}, not {wanted}"
    return problem_with([v for v in found if v is not None], [v for v in wanted if v is not None])


@pytest.mark.parametrize("name", list(RECORDED))
def test_as_tensorflow(name):
    wrong = []
    for number, (chain, wanted) in enumerate(zip(CHAINS[name], RECORDED[name], strict=True)):
        if wanted is None or number in DIFFERS.get(name, {}) or ("bfloat16" in repr(chain) and not HAS_BFLOAT16):
            continue
        found = runner.shown(tf, runner.outputs(tf, chain, f"{name}{number}"))
        for step, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
            told = problem(ours, theirs)
            if told:
                wrong.append(f"{number} {chain[step]}: {told}")
                break  # what follows works on it
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", list(RECORDED))
def test_in_a_graph(name):
    """Chains without errors give the same when they are traced."""
    wrong = []
    for number, (chain, wanted) in enumerate(zip(CHAINS[name], RECORDED[name], strict=True)):
        if wanted is None or number in DIFFERS.get(name, {}) or any(isinstance(w, dict) for w in wanted):
            continue
        if number % 3 or ("bfloat16" in repr(chain) and not HAS_BFLOAT16):
            continue

        @tf.function(autograph=False)
        def traced(chain=chain, number=number):
            results = runner.outputs(tf, chain, f"{name}{number}")
            for result in results:
                if isinstance(result, Exception):
                    raise result
            tensors = [[t for t in result if isinstance(t, tf.Tensor)] for result in results]
            return [[t for t in result if t.dtype.name not in runner.OPAQUE] for result in tensors]

        for step, (found, theirs) in enumerate(zip(traced(), wanted, strict=True)):
            told = problem([runner.leaf(tf, t) for t in found], [v for v in theirs if v is not None])
            if told:
                wrong.append(f"{number} {chain[step]}: {told}")
                break
    assert not wrong, "\n".join(wrong)
