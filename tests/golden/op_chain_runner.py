"""Runs a chain of `op_chain_cases` with a module that has TensorFlow's names, and says what each of its ops gave."""

import contextlib
import os
import re
import tempfile

import numpy as np

from tests.golden import op_samples_runner as samples
from tests.golden.op_chain_bodies import BODIES, Fn, PathOf
from tests.golden.op_chain_cases import Of

SHARED = (
    *("VarHandleOp", "HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2"),
    *("FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2", "PriorityQueueV2", "MutexV2", "SummaryWriter"),
)
OPAQUE = ("resource", "variant")
PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
# what they draw is their own: dtype and shape are compared, and what further ops of the chain say of it
DRAWN = (
    *("StatelessRandomBinomial", "StatefulRandomBinomial", "StatelessParameterizedTruncatedNormal", "RandomIndexShuffle"),
    *("SampleDistortedBoundingBoxV2", "StatelessSampleDistortedBoundingBox", "ParameterizedTruncatedNormal", "Timestamp"),
    *("AnonymousSeedGenerator", "EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng", "FakeParam"),
)


def given(tf, value, seed, results, folder):
    """An input: an earlier output, a path, or a tensor made as for a sample."""
    if isinstance(value, list):
        return [given(tf, v, (*seed, i), results, folder) for i, v in enumerate(value)]
    if isinstance(value, Of):
        found = results[value.step]
        if isinstance(found, Exception):
            raise LookupError(f"step {value.step} failed")
        return found[value.output]
    if isinstance(value, PathOf):
        return tf.constant(os.path.join(folder, value.name))
    return samples.tensor(tf, value, seed)


def attribute(tf, value, folder):
    """An attribute: a function, a path, or what stands there."""
    if isinstance(value, Fn):
        specs = [tf.TensorSpec(shape, tf.as_dtype(dtype)) for dtype, shape in value.specs]
        return tf.function(BODIES[value.name](tf), autograph=False).get_concrete_function(*specs)
    if isinstance(value, PathOf):
        return os.path.join(folder, value.name)
    return [attribute(tf, v, folder) for v in value] if isinstance(value, list) else value


def outputs(tf, chain, name, folder=""):
    """What each op of the chain gives: a list of tensors, or the error that it raised."""
    results = []
    if "seed2" in repr(chain):
        tf.random.set_seed(1)  # streams begin anew
    for number, (op, inputs, attrs) in enumerate(chain):
        try:
            tensors = [given(tf, value, (name, number, i), results, folder) for i, value in enumerate(inputs)]
            attrs = {key: attribute(tf, value, folder) for key, value in attrs.items()}
            attrs = attrs | {"shared_name": f"{name} {number}"} if op in SHARED else attrs
            found = samples.call(tf, op, tensors, attrs)
        except Exception as error:
            found = error
        else:
            found = [t for t in found if t is not None and hasattr(t, "dtype")]
        results.append(found)
    return results


@contextlib.contextmanager
def place(chain):
    """A folder for the files of a chain that has some."""
    if "PathOf" not in repr(chain):
        yield ""
        return
    with tempfile.TemporaryDirectory() as folder:
        yield folder


def shown(tf, chain, results, folder=""):
    """The results as JSON: outputs, or the class of an error."""
    return [
        {"error": type(found).__name__} if isinstance(found, Exception) else [leaf(tf, t, op, folder) for t in found]
        for (op, _, _), found in zip(chain, results)
    ]


def leaf(tf, tensor, op, folder=""):
    if tensor.dtype.name in OPAQUE:
        return None
    if op in DRAWN:
        return [tensor.dtype.name, list(np.shape(tensor.numpy())), None]
    plain = PLAIN.get(tensor.dtype.name)
    dtype, shape, values = samples.shown(tensor if plain is None else tf.bitcast(tensor, plain))
    if folder and dtype == "string":
        values = [re.sub(r"(events\.out\.tfevents).*", r"\1", v.replace(folder, "FOLDER")) for v in values]
    return [dtype, shape, values]
