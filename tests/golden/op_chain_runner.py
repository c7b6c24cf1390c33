"""Runs a chain of `op_chain_cases` with a module that has TensorFlow's names, and says what each of its ops gave."""

from tests.golden import op_samples_runner as samples
from tests.golden.op_chain_cases import Of

SHARED = (
    *("VarHandleOp", "HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2"),
    *("FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2", "PriorityQueueV2"),
)
OPAQUE = ("resource", "variant")
PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}


def given(tf, value, seed, results):
    """An input: an earlier output, or a tensor made as for a sample."""
    if isinstance(value, list):
        return [given(tf, v, (*seed, i), results) for i, v in enumerate(value)]
    if isinstance(value, Of):
        found = results[value.step]
        if isinstance(found, Exception):
            raise LookupError(f"step {value.step} failed")
        return found[value.output]
    return samples.tensor(tf, value, seed)


def outputs(tf, chain, name):
    """What each op of the chain gives: a list of tensors, or the error that it raised."""
    results = []
    for number, (op, inputs, attrs) in enumerate(chain):
        try:
            tensors = [given(tf, value, (name, number, i), results) for i, value in enumerate(inputs)]
            attrs = attrs | {"shared_name": f"{name} {number}"} if op in SHARED else attrs
            found = samples.call(tf, op, tensors, attrs)
        except Exception as error:
            found = error
        else:
            found = [t for t in found if t is not None]
        results.append(found)
    return results


def shown(tf, results):
    """The results as JSON: outputs, or the class of an error."""
    return [{"error": type(r).__name__} if isinstance(r, Exception) else [leaf(tf, t) for t in r] for r in results]


def leaf(tf, tensor):
    if tensor.dtype.name in OPAQUE:
        return None
    plain = PLAIN.get(tensor.dtype.name)
    return samples.shown(tensor if plain is None else tf.bitcast(tensor, plain))
