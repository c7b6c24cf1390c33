"""Checks that TensorBoard shows what graphrt writes: `python -m tests.golden.check_tensorboard`, with a Python that has TensorBoard.

Event files are written here, TensorBoard itself reads them, and its HTTP API is asked.
"""

import json
import tempfile
import time
import urllib.parse
import urllib.request

import numpy as np
from tensorboard import program

import graphrt as tf


def write(folder):
    @tf.function
    def step(x, at):
        tf.summary.scalar("loss", tf.reduce_sum(x * x), step=at)
        tf.summary.histogram("x", x, step=at)
        return tf.nn.relu(x) * 0.5

    writer = tf.summary.create_file_writer(folder)
    with writer.as_default():
        x = tf.constant([1.0, -2.0, 3.0])
        tf.summary.trace_on()
        for at in range(4):
            x = step(x, tf.constant(at, tf.int64))
            if at == 0:
                tf.summary.trace_export("trace", step=0)
        tf.summary.image("picture", np.linspace(0, 1, 48, dtype=np.float32).reshape(1, 4, 4, 3), step=0)
        tf.summary.text("note", "some *words*", step=0)
        tf.summary.audio("hum", np.zeros([1, 100, 1], np.float32), 8000, step=0)
        tf.summary.graph(step.get_concrete_function(x, tf.TensorSpec([], tf.int64)).graph)
    writer.close()


class Asked:
    def __init__(self, folder):
        board = program.TensorBoard()
        board.configure(argv=["tensorboard", "--logdir", folder, "--host", "127.0.0.1", "--port", "0", "--reload_interval", "1"])
        self.url = board.launch()

    def raw(self, path, **query):
        with urllib.request.urlopen(f"{self.url}{path}?{urllib.parse.urlencode(query)}", timeout=20) as answer:
            return answer.read()

    def __call__(self, path, **query):
        return json.loads(self.raw(path, **query))


def main():
    folder = tempfile.mkdtemp()
    write(folder)
    ask = Asked(folder)
    for _ in range(60):
        if ask("data/runs") and ask("data/plugin/text/tags").get("."):
            break
        time.sleep(0.5)
    print("runs", ask("data/runs"))
    print("scalar tags", ask("data/plugin/scalars/tags"))
    points = ask("data/plugin/scalars/scalars", run=".", tag="loss")
    print("scalars", [(at, round(value, 4)) for _, at, value in points])
    assert [(p[1], round(p[2], 4)) for p in points] == [(0, 14.0), (1, 2.5), (2, 0.625), (3, 0.1562)]
    counts = ask("data/plugin/histograms/histograms", run=".", tag="x")
    print("histograms", len(counts), "steps of", len(counts[0][2]), "buckets")
    assert len(counts) == 4 and sum(bucket[2] for bucket in counts[0][2]) == 3
    images = ask("data/plugin/images/images", run=".", tag="picture", sample=0)
    file = ask.raw("data/plugin/images/individualImage", **dict(urllib.parse.parse_qsl(images[0]["query"])))
    print("image", images[0], file[:4])
    assert file[1:4] == b"PNG" and tf.io.decode_png(file).shape == (4, 4, 3)
    print("text", ask("data/plugin/text/text", run=".", tag="note")[0]["text"])
    sounds = ask("data/plugin/audio/tags")
    print("audio", sounds)
    info = ask("data/plugin/graphs/info")
    print("graphs", info)
    graph = ask.raw("data/plugin/graphs/graph", run=".", conceptual="false", limit_attr_size=1024, large_attrs_key="_too_large_attrs")
    assert b'op: "Relu"' in graph and b'op: "WriteSummary"' in graph
    traced = ask.raw("data/plugin/graphs/run_metadata", run=".", tag="trace") if info["."]["tags"]["trace"]["profile"] else b""
    traced = traced or ask.raw("data/plugin/graphs/graph", run=".", tag="trace", conceptual="false")
    assert b'op: "Relu"' in traced
    print("graph of", len(graph), "bytes, trace of", len(traced))
    print("all shown")


if __name__ == "__main__":
    main()
