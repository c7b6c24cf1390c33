"""What the checks of input cost: rows against those of another commit, in turn, in processor time.

    git worktree add /tmp/before COMMIT
    python -m tests.benchmarks.checks /tmp/before [--rounds 30] [--only TEXT]

Each tree works in a process of its own. Round by round both do the same work on the same files; shown are medians of the rounds,
and the median of the quotients of each round: a disturbance of the machine meets both. Imports are those of fresh processes.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]

PILLOW = importlib.util.find_spec("PIL") is not None
SLOWER = 1.05  # a quotient that is more than the measurement's own


def rows(folder: pathlib.Path) -> dict[str, Callable[[], Any]]:
    """What is timed, by name, on the files that `written` has put into a folder."""
    import graphrt as tf  # lazy: that of the tree that this process is for
    from graphrt import graphdef  # lazy: as above

    one = tf.constant([1.0, 2.0])
    cached = tf.function(lambda x: x * 2 + 1)
    png = (folder / "image.png").read_bytes()
    pixels = tf.io.decode_png(png)
    encoded = (folder / "graph.pb").read_bytes()

    def graph() -> Any:
        return graphdef.import_graph_def(encoded, ["x"], ["Identity"])

    def records(name: str, compression: str = "") -> Callable[[], int]:
        return lambda: sum(1 for _ in tf.data.TFRecordDataset(str(folder / name), compression_type=compression))

    found: dict[str, Callable[[], Any]] = {
        "cached call, 1,000 times": lambda: [cached(one) for _ in range(1000)],
        "eager addition, 1,000 times": lambda: [one + one for _ in range(1000)],
        "TFRecords, 5,000 of 200 bytes": records("records"),
        "TFRecords, GZIP": records("records.gz", "GZIP"),
        "lines of text, 5,000": lambda: sum(1 for _ in tf.data.TextLineDataset(str(folder / "lines"))),
        "GraphDef of 600 nodes": graph,
        "SavedModel": lambda: tf.saved_model.load(str(folder / "model")),
        "PNG, 512 x 512 x 3": lambda: tf.io.decode_png(png),
        "PNG written": lambda: tf.io.encode_png(pixels),
        "strings matched by a pattern, 1,000": lambda: tf.strings.regex_replace(["a1b22c"] * 1000, "[0-9]+", "-"),
        "parse_tensor, 1 MB": lambda: tf.io.parse_tensor((folder / "tensor").read_bytes(), tf.float32),
    }
    if PILLOW:
        jpeg = (folder / "image.jpeg").read_bytes()
        found["JPEG, 512 x 512 x 3"] = lambda: tf.io.decode_jpeg(jpeg)
    found["cached call, 1,000 times"]()
    return found


def written(folder: pathlib.Path) -> None:
    """Writes the files that the rows read."""
    import graphrt as tf  # lazy: as above

    noise = tf.random.stateless_uniform([512, 512, 3], [1, 2], 0, 256, tf.int32)
    smooth = tf.cast(
        tf.cast(tf.range(512)[:, None, None] + tf.range(512)[None, :, None], tf.int32) // 4 + noise // 16, tf.uint8
    )
    (folder / "image.png").write_bytes(tf.io.encode_png(smooth).numpy())
    if PILLOW:
        (folder / "image.jpeg").write_bytes(tf.io.encode_jpeg(smooth).numpy())
    for name, compression in (("records", ""), ("records.gz", "GZIP")):
        with tf.io.TFRecordWriter(str(folder / name), compression) as writer:
            for i in range(5000):
                writer.write(bytes([i % 251]) * 200)
    (folder / "lines").write_text("a line of text, not too short\n" * 5000)
    (folder / "tensor").write_bytes(tf.io.serialize_tensor(tf.ones([512, 512])).numpy())

    def long(x: Any) -> Any:
        for i in range(200):
            x = tf.sin(x) * float(i) + 1.0
        return x

    traced = tf.function(long).get_concrete_function(tf.TensorSpec([None], tf.float32))
    (folder / "graph.pb").write_bytes(traced.graph.as_graph_def().SerializeToString())
    module = tf.Module()
    module.v = tf.Variable(tf.ones([64, 64]))
    module.f = tf.function(lambda x: tf.matmul(x, module.v), input_signature=[tf.TensorSpec([None, 64])])
    tf.saved_model.save(module, str(folder / "model"))


def serve(folder: pathlib.Path) -> None:
    """Answers each name of a row with the processor time of one turn."""
    found = rows(folder)
    print("ready", *found, sep="\t", flush=True)
    for line in sys.stdin:
        work = found[line.strip()]
        start = time.process_time()
        try:
            work()
            print(time.process_time() - start, flush=True)
        except AttributeError:  # what that commit has not
            print("nan", flush=True)


class Tree:
    """A process that works with the packages of one tree."""

    def __init__(self, tree: pathlib.Path, folder: pathlib.Path) -> None:
        self.tree = tree
        self.environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, str(pathlib.Path(__file__)), "--serve", str(folder)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment, cwd=tree
        )
        self.names = self._read().split("\t")[1:]

    def _read(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended with exit code {self.process.wait()}")
        return line.rstrip("\n")

    def seconds(self, name: str) -> float:
        """Processor time of one turn of a row."""
        if name == IMPORT:
            code = "import time, numpy; start = time.process_time(); import graphrt; print(time.process_time() - start)"
            command = [sys.executable, "-c", code]
            ended = subprocess.run(
                command, env=self.environment, cwd=self.tree, capture_output=True, text=True, check=True
            )
            return float(ended.stdout)
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self._read())


IMPORT = "import graphrt, after NumPy"


def main(arguments: list[str]) -> int:
    """Prints the table; the exit code is 1 where a row is slower than `SLOWER`."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.checks", description=__doc__)
    parser.add_argument("before", nargs="?", type=pathlib.Path)
    parser.add_argument("--serve", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    if options.serve is not None:
        serve(options.serve)
        return 0
    slower = 0
    with tempfile.TemporaryDirectory() as folder:
        written(pathlib.Path(folder))
        before, now = (Tree(tree.resolve(), pathlib.Path(folder)) for tree in (options.before, ROOT))
        print(f"{'':40} {'before':>9} {'now':>9}  quotient")
        for name in (name for name in [IMPORT, *now.names] if options.only in name):
            pairs = [(before.seconds(name), now.seconds(name)) for _ in range(options.rounds)][1:]
            quotient = statistics.median(b / a for a, b in pairs)
            slower += quotient > SLOWER
            least = (statistics.median(column) * 1000 for column in zip(*pairs))
            print(f"{name:40} {next(least):6.2f} ms {next(least):6.2f} ms  {quotient:.2f}", flush=True)
        for tree in (before, now):
            tree.process.kill()
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
