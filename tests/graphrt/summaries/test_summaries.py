"""`tf.summary`: the events are TensorFlow's, byte by byte; files have sound checksums; TensorBoard's rules for graphs."""

import base64
import glob
import json
import os
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest

import graphrt as tf
from autograph.backends.threads import INHERITED
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.summaries.events import event_class
from tests import GOLDEN
from tests.golden import summary_cases

RECORDED = json.loads((GOLDEN / "summaries.json").read_text())


def event(record):
    found = event_class("Event")()
    found.ParseFromString(record)
    return found


def written(folder):
    """All events of a folder, without the first of each file."""
    paths = sorted(glob.glob(os.path.join(folder, "events.out.tfevents.*")))
    return [event(r) for path in paths for r in summary_cases.records(path)[1:]]


def scalars(folder):
    values = [(e.summary.value[0].tag, e.step, e.summary.value[0].tensor.tensor_content) for e in written(folder)]
    return [(tag, step, float(np.frombuffer(data, np.float32)[0])) for tag, step, data in values]


def pictures(value):
    """The pixels of the images in a summary; what stands before them."""
    strings = list(value.tensor.string_val)
    return strings[:2], [tf.io.decode_png(s).numpy().tolist() for s in strings[2:]]


def test_events_are_those_of_tensorflow(tmp_path):
    returned, events = summary_cases.told(tf, tmp_path)
    assert returned == RECORDED["returned"]
    assert len(events) == len(RECORDED["events"])
    for found, wanted in zip(events[1:], RECORDED["events"][1:]):
        ours, theirs = base64.b64decode(found), base64.b64decode(wanted)
        if b"\x89PNG" not in theirs:
            assert ours == theirs
            continue
        one, other = event(ours).summary.value[0], event(theirs).summary.value[0]
        assert pictures(one) == pictures(other)
        assert (one.tag, one.metadata.SerializeToString()) == (other.tag, other.metadata.SerializeToString())


def test_a_file_begins_with_its_version_and_its_checksums_hold(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        tf.summary.scalar("x", 1.0, step=1)
    (path,) = glob.glob(str(tmp_path / "events.out.tfevents.*.v2"))
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        length, check = struct.unpack_from("<QI", data, at)
        assert check == masked_crc32c(data[at : at + 8])
        body = data[at + 12 : at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == masked_crc32c(body)
        at += length + 16
    first = event(summary_cases.records(path)[0])
    assert (first.file_version, first.wall_time > 1.5e9) == ("brain.Event:2", True)


def test_a_missing_step_says_how_to_give_one(tmp_path):
    with tf.summary.create_file_writer(tmp_path).as_default():
        with pytest.raises(ValueError, match="No step set. Please specify one"):
            tf.summary.scalar("x", 1.0)


def test_what_is_no_scalar_is_refused(tmp_path):
    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        with pytest.raises(ValueError, match="scalar"):
            tf.summary.scalar("x", [1.0, 2.0])
        with pytest.raises(ValueError, match="text takes strings, found int32"):
            tf.summary.text("x", 3)
        with pytest.raises(ValueError, match="rank"):
            tf.summary.image("x", tf.zeros([2, 2]))
        with pytest.raises(ValueError, match="encoding must be 'wav', found 'mp3'"):
            tf.summary.audio("x", tf.zeros([1, 2, 1]), 8000, encoding="mp3")
        with pytest.raises(TypeError, match="metadata must be a SummaryMetadata message or its bytes, found int"):
            tf.summary.write("x", 1.0, metadata=3)
    assert written(tmp_path) == []


def test_a_closed_writer_is_refused(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    writer.close()
    with pytest.raises(RuntimeError, match="is already closed"):
        with writer.as_default():
            pass
    writer.flush()  # nothing waits


def test_functions_that_outlive_their_writer_are_told(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)

    @tf.function
    def f(x):
        with writer.as_default(step=1):
            tf.summary.scalar("x", x)

    f(tf.constant(1.0))
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="is closed"):
        f(tf.constant(1.0))


def test_default_writers_belong_to_the_context(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    found = []
    with writer.as_default(step=1):
        thread = threading.Thread(target=lambda: found.append(bool(tf.summary.scalar("x", 1.0, step=1))))
        thread.start()
        thread.join()
    assert found == [INHERITED]  # a setting, which Python may hand on to threads


def test_set_as_default_and_noop_writers(tmp_path):
    def run():
        tf.summary.create_file_writer(tmp_path).set_as_default(step=4)
        tf.summary.scalar("x", 1.0)
        with tf.summary.create_noop_writer().as_default():
            tf.summary.scalar("x", 2.0)
            assert not tf.summary.should_record_summaries()
        tf.summary.flush()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert scalars(tmp_path) == [("x", 4, 1.0)]


def test_threads_share_a_writer(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path, max_queue=7)

    def run(number):
        with writer.as_default():
            for step in range(50):
                tf.summary.scalar(f"t{number}", float(step), step=step)

    threads = [threading.Thread(target=run, args=[i]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert sorted(scalars(tmp_path)) == sorted((f"t{i}", s, float(s)) for i in range(4) for s in range(50))


def test_events_are_written_out_by_number_and_by_time(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path / "number", max_queue=2)
    late = tf.summary.create_file_writer(tmp_path / "time", flush_millis=0)
    waiting = tf.summary.create_file_writer(tmp_path / "waiting")
    for one in (writer, late, waiting):
        one.set_as_default()
        tf.summary.scalar("x", 1.0, step=1)
    assert len(written(tmp_path / "time")) == 1
    assert written(tmp_path / "number") == written(tmp_path / "waiting") == []
    writer.set_as_default()
    tf.summary.scalar("x", 1.0, step=2)
    assert len(written(tmp_path / "number")) == 2
    tf.summary.create_noop_writer().set_as_default()


def test_a_program_that_ends_leaves_whole_files(tmp_path):
    program = (
        "import graphrt as tf, sys\n"
        "tf.summary.create_file_writer(sys.argv[1]).set_as_default(step=1)\n"
        "tf.summary.scalar('x', 2.0)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert scalars(tmp_path) == [("x", 1, 2.0)]


def test_graphs_are_written_and_other_things_refused(tmp_path):
    concrete = tf.function(lambda x: tf.nn.relu(x)).get_concrete_function(tf.TensorSpec([2]))
    with tf.summary.create_file_writer(tmp_path).as_default():
        assert bool(tf.summary.graph(concrete.graph))
        assert bool(tf.summary.graph(concrete.graph.as_graph_def()))
        with pytest.raises(
            ValueError, match="not tf.Graph or tf.compat.v1.GraphDef. Received graph_data=3 of type int"
        ):
            tf.summary.graph(3)
        with pytest.raises(RuntimeError, match="must be called eagerly"):
            tf.function(lambda: tf.summary.graph(concrete.graph))()
    assert [b"Relu" in e.graph_def for e in written(tmp_path)] == [True, True]
    assert not bool(tf.summary.graph(concrete.graph))


def test_a_trace_notes_the_functions_that_are_called_whenever_they_were_traced(tmp_path):
    before = tf.function(lambda x: tf.sin(x))
    other = tf.function(lambda x: tf.cos(x))
    x = tf.constant(1.0)
    before(x), other(x)
    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.trace_on()
        before(x), before(x)
        tf.function(lambda x: tf.exp(x))(x)
        tf.summary.trace_export("trace", step=2)
        other(x)
    (found,) = written(tmp_path)
    value = found.summary.value[0]
    plugin = value.metadata.plugin_data
    assert (found.step, value.tag, plugin.plugin_name) == (2, "trace", "graph_run_metadata_graph")
    data = event_class("RunMetadata")()
    data.ParseFromString(value.tensor.string_val[0])
    ops = [{n.op for n in g.pre_optimization_graph.node} for g in data.function_graphs]
    assert [sorted(o & {"Sin", "Cos", "Exp"}) for o in ops] == [["Sin"], ["Exp"]]


def test_traces_without_graphs_profiles_and_ends(tmp_path):
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("trace", step=1)
    with pytest.raises(tf.errors.UnimplementedError, match="there is no profiler"):
        tf.summary.trace_on(profiler=True)
    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.trace_on(graph=False)
        tf.summary.trace_on()  # one is on already
        tf.summary.trace_export("trace", step=1)
        tf.summary.trace_on()
        tf.summary.trace_off()
        with pytest.raises(ValueError, match="Must enable trace"):
            tf.summary.trace_export("trace", step=1)
    assert written(tmp_path) == []


def test_gradients_go_past_a_trace():
    tf.summary.trace_on()
    try:
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = tf.function(lambda: x * x)()
        assert tape.gradient(y, x).numpy() == 6.0
    finally:
        tf.summary.trace_off()


def test_summaries_as_bytes(tmp_path):
    message = event_class("Summary")()
    message.value.add(tag="plain", simple_value=0.5)
    with tf.summary.create_file_writer(tmp_path).as_default():
        assert bool(tf.summary.experimental.write_raw_pb(message.SerializeToString(), step=3))
        with pytest.raises(tf.errors.DataLossError, match="Summary binary proto"):
            tf.summary.experimental.write_raw_pb(b"\xff\xff", step=3)
    (found,) = written(tmp_path)
    assert (found.step, found.summary.value[0].simple_value) == (3, 0.5)


def test_what_is_not_recorded_is_not_computed(tmp_path):
    calls = []
    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        with tf.summary.record_if(False):
            tf.summary.write("x", lambda: calls.append(1) or 1.0)
        tf.summary.write("x", lambda: calls.append(2) or 1.0)
    assert calls == [2]


def test_a_graph_with_summaries_is_a_graph_def_of_tensorflows_ops(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)

    @tf.function
    def f(x, step):
        with writer.as_default():
            tf.summary.scalar("x", x, step=step)
        return x

    concrete = f.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([], tf.int64))
    nodes = {n.op: n for n in concrete.graph.as_graph_def().node}
    assert [i.split(":")[0] for i in nodes["WriteSummary"].input][1] == "step"
    assert "FlushSummaryWriter" in nodes


@pytest.mark.parametrize("numbers", [[], [2.0], [1.0, np.inf], [-1e300, 1e300], list(range(1000))])
def test_distributions_count_each_finite_number(numbers):
    from graphrt.summaries.kinds import distribution

    found = distribution(tf.constant(numbers, tf.float64), 5).numpy()
    assert found.shape == (5, 3)
    if np.isfinite(numbers).all():
        assert found[:, 2].sum() == len(numbers)
