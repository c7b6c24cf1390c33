"""Files that graphrt writes, read by Netron's own parser: `python -m tests.netron_reads [PYTHON]`.

Needs `node`, and a Python that has Netron (`pip install netron`), by default this one. Writes a graph as bytes and as text, a
SavedModel, a checkpoint, an event file, an ONNX model, and Keras archives; Netron's parser says which format it takes each for,
and how many graphs and nodes it finds. Prints a line for each; ends with 1 when one is not read.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import graphrt as tf

READER = """
import * as fs from 'fs';
import * as path from 'path';
const netron = process.argv[2];
const view = await import(netron + '/view.js');
const node = await import(netron + '/node.js');
const host = {
    environment: () => undefined, event: () => {}, exception: () => {},
    require: (id) => import(netron + '/' + id.replace('./', '') + '.js'),
    asset: async (file) => fs.readFileSync(path.join(netron, file), 'utf-8'),
};
const stream = (file) => new node.FileStream(file, 0, fs.statSync(file).size, fs.statSync(file).mtimeMs);
for (const file of process.argv.slice(3)) {
    let told = null;
    try {
        const context = {
            identifier: path.basename(file), stream: stream(file), entries: new Map(), ...host,
            error: (error) => { throw error; },
            fetch: async (name) => stream(path.join(path.dirname(file), name)),
        };
        const model = await new view.ModelFactoryService(host).open(context);
        const graphs = [...(model.modules || []), ...(model.functions || [])];
        told = [model.format, graphs.length, graphs.reduce((sum, g) => sum + g.nodes.length, 0)];
    } catch (error) {
        told = error.message;
    }
    console.log(JSON.stringify(told));
}
"""


def write(folder: pathlib.Path) -> dict[str, tuple[str, int]]:
    """Writes the files: of each what Netron calls it, and the least number of nodes."""

    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(np.ones((3, 2), np.float32))

        @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
        def __call__(self, x):
            y = tf.matmul(x, self.w)
            for i in tf.range(3):
                y = y * 0.5 if tf.reduce_sum(y) > 0.0 else y + tf.cast(i, tf.float32)
            return tf.nn.relu(y)

    net = Net()
    concrete = net.__call__.get_concrete_function()
    message = tf.freeze(concrete).graph.as_graph_def()
    (folder / "graph.pb").write_bytes(message.SerializeToString())
    (folder / "graph.pbtxt").write_text(str(message))
    tf.saved_model.save(net, folder / "saved")
    tf.train.Checkpoint(net=net).write(folder / "net.ckpt")
    found = {
        "graph.pb": ("TensorFlow Graph", 5), "graph.pbtxt": ("TensorFlow Graph", 5),
        "saved/saved_model.pb": ("TensorFlow Saved Model", 5), "net.ckpt.index": ("TensorFlow Tensor Bundle", 1),
    }  # fmt: skip
    with tf.summary.create_file_writer(str(folder / "events")).as_default():
        tf.summary.graph(concrete.graph)
    (events,) = (folder / "events").iterdir()
    found[f"events/{events.name}"] = ("TensorFlow Event File", 5)
    tf.export.to_onnx(concrete, folder / "model.onnx")
    found["model.onnx"] = ("ONNX", 3)
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((8, 8, 1)), layers.Conv2D(2, 3), layers.Flatten(), layers.Dense(2)])
    try:
        import h5py  # noqa: F401
    except ImportError:
        return found
    model.save(folder / "model.keras")
    model.save_weights(folder / "model.weights.h5")
    return {**found, "model.keras": ("Keras", 3), "model.weights.h5": ("Keras", 2)}


def main() -> int:
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    where = subprocess.run(
        [python, "-c", "import netron, os; print(os.path.dirname(netron.__file__), netron.__version__)"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wanted = write(folder)
        (folder / "reader.mjs").write_text(READER)
        paths = [str(folder / part) for part in wanted]
        ran = subprocess.run(["node", "reader.mjs", where[0], *paths], cwd=folder, capture_output=True, text=True)
        told = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith(("[", '"'))]
        if len(told) != len(wanted):
            print(ran.stdout[-2000:], ran.stderr[-2000:])
            return 1
        for (path, (kind, least)), found in zip(wanted.items(), told):
            good = isinstance(found, list) and found[0].startswith(kind) and found[2] >= least
            wrong += not good
            print(f"{'read' if good else 'NOT READ'} {path.split('.17')[0]}: {found}")
    print(f"Netron {where[1]}: {len(wanted) - wrong} of {len(wanted)} read")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
