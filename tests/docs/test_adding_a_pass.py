"""docs/adding_a_pass.md: a pass is one function, and its place in `PIPELINE`."""

import graphrt as tf
from graphrt import passes
from graphrt.ir.copy import substitute
from graphrt.ir.graph import Graph


def drop_twofold_negations(graph: Graph) -> bool:
    """Takes `x` for `Neg(Neg(x))`."""
    negated = {n.outputs[0]: n.inputs[0] for n in graph.nodes if n.type == "Neg"}
    found = {y: negated[x] for y, x in negated.items() if x in negated}
    substitute(graph, found)
    return bool(found)


def program():
    traced = tf.function(lambda x: -(-x) + 1.0)
    return traced.get_concrete_function(tf.TensorSpec([], tf.float32))


def test_a_function_and_its_place_make_a_pass(monkeypatch):
    others = tuple(p for p in passes.PIPELINE if p.__name__ == "drop_dead_nodes")
    monkeypatch.setattr(passes, "PIPELINE", others)
    before = program()
    assert "Neg_1" in before.source
    monkeypatch.setattr(passes, "PIPELINE", (drop_twofold_negations, *others))
    after = program()
    assert "Neg" not in after.source
    assert before(2.0).numpy() == after(2.0).numpy() == 3.0
