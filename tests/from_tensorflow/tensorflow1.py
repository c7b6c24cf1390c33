"""Graphs, SavedModels and checkpoints as TensorFlow 1 wrote them, by `tf.compat.v1` of TensorFlow 2.20.

`CASES`: name -> function of `tf.compat.v1`, `tf` and a folder, which writes into it and gives what `case.json` holds.
"""

import numpy as np

from tests.from_tensorflow import values

CASES = {}
RNG = np.random.default_rng(9)
X = RNG.standard_normal((3, 4)).astype(np.float32)
SERIES = RNG.standard_normal((2, 5, 3)).astype(np.float32)


def case(function):
    CASES[function.__name__] = function
    return function


def write_case(name, folder):
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default():
        held = CASES[name](v1, tf, folder)
    values.write(folder / "case.json", held)


def frozen(v1, session, outputs, feeds, folder):
    names = [o.name for o in outputs]
    wanted = session.run(outputs, feeds)
    graph = v1.graph_util.convert_variables_to_constants(
        session, session.graph_def, [n.partition(":")[0] for n in names]
    )
    (folder / "graph.pb").write_bytes(graph.SerializeToString())
    return {
        "kind": "graph", "inputs": [t.name for t in feeds], "outputs": names, "given": [values.as_json(a) for a in feeds.values()],
        "wanted": [values.as_json(np.asarray(w)) for w in wanted],
    }  # fmt: skip


def called(signature, given, results):
    return {
        "path": [f"@{signature}"],
        "args": [],
        "kwargs": {k: {"tensor": values.as_json(v)} for k, v in given.items()},
        "order": list(results),
        "wanted": [values.as_json(np.asarray(v)) for v in results.values()],
    }


def dense(v1, x, size, name, ref=True):
    with v1.variable_scope(name, use_resource=not ref):
        w = v1.get_variable("w", [int(x.shape[-1]), size], initializer=v1.random_normal_initializer(seed=3))
        b = v1.get_variable("b", [size], initializer=v1.constant_initializer(0.1))
    return v1.nn.relu(v1.matmul(x, w) + b)


@case
def frozen_mlp(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 4], "x")
    y = v1.nn.softmax(dense(v1, dense(v1, x, 8, "one"), 3, "two"), name="y")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return frozen(v1, session, [y], {x: X}, folder)


@case
def frozen_resource_mlp(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 4], "x")
    y = v1.nn.softmax(dense(v1, dense(v1, x, 8, "one", False), 3, "two", False), name="y")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return frozen(v1, session, [y], {x: X}, folder)


def with_old_flow(build):
    def run(v1, tf, folder):
        v1.disable_control_flow_v2()
        try:
            return build(v1, tf, folder)
        finally:
            v1.enable_control_flow_v2()

    run.__name__ = build.__name__
    return case(run)


@with_old_flow
def frozen_cond(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 4], "x")
    total = v1.reduce_sum(x)
    y = v1.cond(total > 0, lambda: v1.cond(total > 100, lambda: x * 2, lambda: x + total), lambda: -x)
    z, w = v1.cond(total < 0, lambda: (x[0], total), lambda: (x[1] * 3, total * 2))
    with v1.Session() as session:
        return frozen(v1, session, [tf.identity(y, "y"), tf.identity(z, "z"), tf.identity(w, "w")], {x: X}, folder)


@with_old_flow
def frozen_while(v1, tf, folder):
    n = v1.placeholder(tf.int32, [], "n")
    scale = v1.placeholder(tf.float32, [], "scale")

    def body(i, total):
        inner = v1.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + scale * v1.cast(j, tf.float32)), [0, total])[
            1
        ]
        return i + 1, v1.cond(inner > 10.0, lambda: inner - 10.0, lambda: inner + 1.0)

    i, total = v1.while_loop(lambda i, t: i < n, body, [0, 0.0])
    with v1.Session() as session:
        return frozen(
            v1,
            session,
            [tf.identity(i, "i"), tf.identity(total, "total")],
            {n: np.int32(7), scale: np.float32(1.5)},
            folder,
        )


@with_old_flow
def frozen_rnn(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 5, 3], "x")
    w = v1.get_variable("w", [3, 4], initializer=v1.random_normal_initializer(seed=1), use_resource=False)
    u = v1.get_variable("u", [4, 4], initializer=v1.random_normal_initializer(seed=2), use_resource=False)
    steps = v1.transpose(x, [1, 0, 2])
    given = v1.TensorArray(tf.float32, 5).unstack(steps)
    out = v1.TensorArray(tf.float32, 5)

    def body(t, state, out):
        state = v1.tanh(v1.matmul(given.read(t), w) + v1.matmul(state, u))
        return t + 1, state, out.write(t, state)

    _, state, out = v1.while_loop(lambda t, s, o: t < 5, body, [0, v1.zeros([v1.shape(x)[0], 4]), out])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return frozen(v1, session, [tf.identity(state, "state"), tf.identity(out.stack(), "all")], {x: SERIES}, folder)


@case
def graph_with_dropout(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 4], "x")
    keep = v1.placeholder_with_default(1.0, [], "keep")
    y = v1.nn.dropout(x * 2, keep_prob=keep)
    z = v1.where(v1.greater(x, 0), x, -x)
    w = v1.nn.softmax(v1.squeeze(v1.layers_flatten(x)) if hasattr(v1, "layers_flatten") else x, axis=-1)
    with v1.Session() as session:
        return frozen(v1, session, [tf.identity(y, "y"), tf.identity(z, "z"), tf.identity(w, "w")], {x: X}, folder)


@case
def frozen_convolutions(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 16, 16, 3], "x")
    k = v1.get_variable("k", [3, 3, 3, 4], initializer=v1.random_normal_initializer(seed=1))
    y = v1.nn.conv2d(x, k, [1, 2, 2, 1], "SAME")
    y = v1.nn.fused_batch_norm(
        y, tf.ones([4]), tf.zeros([4]), tf.zeros([4]) + 0.1, tf.ones([4]) * 2, is_training=False
    )[0]
    y = v1.nn.lrn(v1.nn.relu6(y))
    y = v1.nn.avg_pool(v1.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
    y = v1.image.resize_bilinear(y, [7, 7])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return frozen(v1, session, [tf.identity(y, "y")], {x: RNG.random((2, 16, 16, 3), np.float32)}, folder)


def simple(name, ref):
    def write(v1, tf, folder):
        x = v1.placeholder(tf.float32, [None, 4], "x")
        y = v1.nn.softmax(dense(v1, dense(v1, x, 8, "one", ref), 3, "two", ref))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            inner = session.graph.get_tensor_by_name("Relu:0")
            wanted, first, second = session.run([y, inner, "one/b:0" if ref else "one/b/Read/ReadVariableOp:0"], {x: X})
            v1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y})
        return {
            "kind": "saved",
            "calls": [called("serving_default", {"x": X}, {"y": wanted})],
            "prunes": [
                {
                    "feeds": ["x:0"],
                    "fetches": ["Relu:0", "one/b:0"],
                    "given": [values.as_json(X)],
                    "wanted": [values.as_json(first), values.as_json(second)],
                },
                {
                    "feeds": ["Relu:0"],
                    "fetches": ["Softmax:0"],
                    "given": [values.as_json(first)],
                    "wanted": [values.as_json(wanted)],
                },
            ],
            "variables": sorted(["(4, 8)float32", "(8,)float32", "(8, 3)float32", "(3,)float32"]),
        }

    write.__name__ = name
    case(write)


simple("saved_simple", True)
simple("saved_simple_resources", False)


@case
def saved_by_builder(v1, tf, folder):
    """Two signatures, a table from an asset, a main op, a trained variable and a counter."""
    words = folder / "words.txt"
    words.write_text("red\ngreen\nblue\n")
    v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset := tf.constant(str(words)))
    start = tf.lookup.TextFileInitializer(
        asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
    )
    table = (
        v1.lookup.StaticHashTable(start, -1)
        if hasattr(v1.lookup, "StaticHashTable")
        else tf.lookup.StaticHashTable(start, -1)
    )
    s = v1.placeholder(tf.string, [None], "s")
    ids = table.lookup(s)
    embeddings = v1.get_variable("embeddings", [4, 2], initializer=v1.random_normal_initializer(seed=1))
    vectors = v1.nn.embedding_lookup(embeddings, ids + 1)
    step = v1.train.get_or_create_global_step()
    x = v1.placeholder(tf.float32, [None, 4], "x")
    y = dense(v1, x, 2, "layer")
    train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(v1.reduce_sum(y**2), global_step=step)
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        session.run(train, {x: X})
        w = np.array([b"blue", b"grey"], object)
        first, second, third = session.run([vectors, y, step], {s: w, x: X})
        builder = v1.saved_model.Builder(str(folder / "saved"))
        signature = v1.saved_model.predict_signature_def
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"words": signature({"s": s}, {"vectors": vectors, "ids": ids}), "serving_default": signature({"x": x}, {"y": y, "step": step})},
            assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS), main_op=v1.tables_initializer(),
        )  # fmt: skip
        builder.save()
    return {
        "kind": "saved",
        "calls": [
            called("words", {"s": w}, {"vectors": first, "ids": np.array([2, -1])}),
            called("serving_default", {"x": X}, {"y": second, "step": third}),
        ],
    }


@case
def saved_partitioned(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 4], "x")
    with v1.variable_scope("p", partitioner=v1.fixed_size_partitioner(2)):
        w = v1.get_variable("w", [4, 3], initializer=v1.random_normal_initializer(seed=1), use_resource=False)
    y = v1.matmul(x, w)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        wanted = session.run(y, {x: X})
        v1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y})
    return {"kind": "saved", "calls": [called("serving_default", {"x": X}, {"y": wanted})]}


def saved_flow(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 4], "x")
    w = v1.get_variable("w", [4, 4], initializer=v1.random_normal_initializer(seed=1), use_resource=False)
    y = v1.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v1.tanh(v1.matmul(v, w))), [0, x])[1]
    y = v1.cond(v1.reduce_sum(y) > 0, lambda: y, lambda: y * 2)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        wanted = session.run(y, {x: X})
        v1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y})
    return {"kind": "saved", "calls": [called("serving_default", {"x": X}, {"y": wanted})]}


saved_flow_v2 = case(type(saved_flow)(saved_flow.__code__, globals(), "saved_flow_v2"))
saved_flow_v1 = with_old_flow(type(saved_flow)(saved_flow.__code__, globals(), "saved_flow_v1"))


@case
def saved_with_tags(v1, tf, folder):
    builder = v1.saved_model.Builder(str(folder / "saved"))
    x = v1.placeholder(tf.float32, [None, 4], "x")
    y = dense(v1, x, 2, "layer")
    z = y * 2
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        wanted = session.run(y, {x: X})
        signature = v1.saved_model.predict_signature_def
        builder.add_meta_graph_and_variables(
            session, ["train"], {"doubled": signature({"x": x}, {"z": z})}, strip_default_attrs=True
        )
        builder.add_meta_graph(
            ["serve", "cpu"], {"serving_default": signature({"x": x}, {"y": y})}, strip_default_attrs=True
        )
        builder.save()
    return {
        "kind": "saved",
        "options": {"tags": ["serve", "cpu"]},
        "calls": [called("serving_default", {"x": X}, {"y": wanted})],
    }


@case
def saved_frozen(v1, tf, folder):
    x = v1.placeholder(tf.float32, [None, 4], "x")
    y = v1.exp(x, "y")
    with v1.Session() as session:
        v1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y})
        return {"kind": "saved", "calls": [called("serving_default", {"x": X}, {"y": session.run(y, {x: X})})]}


def saved(v1, session, folder, inputs, outputs, feeds, **more):
    """Saves what maps `inputs` to `outputs`, with what it gives for the values of `feeds`."""
    wanted = session.run(outputs, {inputs[k]: v for k, v in feeds.items()})
    v1.saved_model.simple_save(session, str(folder / "saved"), inputs, outputs, **more)
    return {"kind": "saved", "calls": [called("serving_default", feeds, wanted)]}


@case
def saved_counter(v1, tf, folder):
    """A call changes references, and gives what is there afterwards; a branch assigns too."""
    count = v1.get_variable("count", [], tf.int32, initializer=v1.zeros_initializer(), use_resource=False)
    rows = v1.get_variable("rows", [3, 2], initializer=v1.zeros_initializer(), use_resource=False)
    by = v1.placeholder(tf.int32, [], "by")
    more = v1.assign_add(count, by)
    with tf.control_dependencies([more]):
        added = v1.scatter_add(rows, [0, 2], v1.ones([2, 2]) * v1.cast(by, tf.float32))
    both = v1.identity(more) * 2
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(
            session, str(folder / "saved"), {"by": by}, {"count": more, "rows": added, "twice": both}
        )
        outputs = [more, added, both]
        calls = [(n, session.run(outputs, {by: np.int32(n)})) for n in (5, 2)]
    return {
        "kind": "saved",
        "calls": [
            called("serving_default", {"by": np.int32(n)}, dict(zip(["count", "rows", "twice"], wanted)))
            for n, wanted in calls
        ],
    }


@with_old_flow
def saved_branch_that_assigns(v1, tf, folder):
    seen = v1.get_variable("seen", [], initializer=v1.zeros_initializer(), use_resource=False)
    x = v1.placeholder(tf.float32, [], "x")
    y = v1.cond(x > 0, lambda: v1.assign(seen, x) * 2, lambda: v1.identity(seen) - 1)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        made = saved(v1, session, folder, {"x": x}, {"y": y}, {"x": np.float32(3)})
        made["calls"].append(called("serving_default", {"x": np.float32(-1)}, {"y": np.float32(2)}))
        return made


@case
def saved_sparse(v1, tf, folder):
    x = v1.sparse_placeholder(tf.float32, [None, 4], "x")
    y = v1.sparse_tensor_dense_matmul(x, tf.constant(X.T))
    z = v1.sparse_reorder(x)
    with v1.Session() as session:
        at, of, shape = np.array([[1, 3], [0, 2]]), np.array([2, 3], np.float32), np.array([2, 4])
        wanted, sorted_ = session.run([y, z], {x: (at, of, shape)})
        v1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y, "z": z})
    given = {"x_indices": at, "x_values": of, "x_dense_shape": shape}
    return {"kind": "saved", "calls": [{
        **called("serving_default", given, {"y": wanted}), "order": ["y", "z"],
        "wanted": [values.as_json(np.asarray(v)) for v in (wanted, *sorted_)],
    }]}  # fmt: skip


@case
def saved_ragged(v1, tf, folder):
    x = v1.ragged.placeholder(tf.float32, 1, [], name="x")
    y = x * 2.0
    with v1.Session() as session:
        given = v1.ragged.constant_value([[1.0], [], [2.0, 3.0]], np.float32)
        wanted = session.run(y, {x: given})
        v1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y})
    return {"kind": "saved", "calls": [{
        **called("serving_default", {"x_component_0": given.values, "x_component_1": given.row_splits}, {}), "order": ["y"],
        "wanted": [values.as_json(wanted.values), values.as_json(wanted.row_splits)],
    }]}  # fmt: skip


@case
def saved_names(v1, tf, folder):
    """Inputs by names that Python has no place for, one that is no placeholder, and one with a default."""
    x = v1.placeholder(tf.float32, [None], "in-put/x")
    scale = v1.placeholder_with_default(2.0, [], "scale")
    inner = x * scale
    y = inner + 1
    with v1.Session() as session:
        wanted, second = session.run([y, y], {x: X[0]})[0], session.run(y, {inner: X[0]})
        builder = v1.saved_model.Builder(str(folder / "saved"))
        signature = v1.saved_model.predict_signature_def
        builder.add_meta_graph_and_variables(session, ["serve"], {
            "serving_default": signature({"in-put/x": x, "2nd": scale}, {"out:put": y}), "inner": signature({"in": inner}, {"y": y}),
            "one": signature({"x": x}, {"y": y}),
        })  # fmt: skip
        builder.save(as_text=True)
    return {"kind": "saved", "calls": [
        called("serving_default", {"in-put/x": X[0], "2nd": np.float32(2)}, {"out:put": wanted}),
        called("inner", {"in": X[0]}, {"y": second}), called("one", {"x": X[0]}, {"y": wanted}),
    ]}  # fmt: skip


@case
def saved_examples(v1, tf, folder):
    """As estimators are: serialized examples come in, classes go out by a table of their names."""
    serialized = v1.placeholder(tf.string, [None], "input_example_tensor")
    parsed = v1.parse_example(serialized, {"a": v1.FixedLenFeature([2], tf.float32), "w": v1.VarLenFeature(tf.string)})
    rows = dense(v1, parsed["a"], 3, "layer", False)
    classes = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1, 2], tf.int64), tf.constant(["x", "y", "z"])), "?"
    )
    best = classes.lookup(v1.argmax(rows, 1))
    examples = [
        tf.train.Example(features=tf.train.Features(feature={
            "a": tf.train.Feature(float_list=tf.train.FloatList(value=[i, 1 - i])),
            "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"] * i)),
        })).SerializeToString() for i in range(3)
    ]  # fmt: skip
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        return saved(
            v1, session, folder, {"inputs": serialized}, {"classes": best, "scores": rows, "words": parsed["w"].values},
            {"inputs": np.array(examples, object)}, legacy_init_op=v1.tables_initializer(),
        )  # fmt: skip


@case
def saved_local_state(v1, tf, folder):
    """A table that the main op fills, a local variable, and a saver by shards."""
    handle = v1.raw_ops.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="t")
    keys = v1.placeholder(tf.string, [None], "keys")
    local = v1.get_variable(
        "local", initializer=tf.constant([7, 8], tf.int64), collections=[v1.GraphKeys.LOCAL_VARIABLES]
    )
    fill = v1.raw_ops.LookupTableInsertV2(
        table_handle=handle, keys=tf.constant(["a", "b"]), values=tf.constant([1, 2], tf.int64)
    )
    found = v1.raw_ops.LookupTableFindV2(table_handle=handle, keys=keys, default_value=tf.constant(-1, tf.int64))
    found = found + local[0]
    w = v1.get_variable("w", [2], tf.int64, initializer=v1.ones_initializer(), use_resource=False)
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer(), fill])
        builder = v1.saved_model.Builder(str(folder / "saved"))
        signature = v1.saved_model.predict_signature_def({"keys": keys}, {"found": found + w[0]})
        given = np.array([b"b", b"q"], object)
        wanted = session.run(found + w[0], {keys: given})
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, main_op=tf.group(fill, v1.local_variables_initializer()),
            saver=v1.train.Saver([w], sharded=True),
        )  # fmt: skip
        builder.save()
    return {"kind": "saved", "calls": [called("serving_default", {"keys": given}, {"found": wanted})]}


@case
def checkpoint_of_saver(v1, tf, folder):
    """A V2 checkpoint of names, as `tf.train.Saver` writes."""
    a = v1.get_variable("a/w", [2, 3], initializer=v1.random_normal_initializer(seed=1), use_resource=False)
    b = v1.get_variable("b", [], initializer=v1.constant_initializer(7), dtype=tf.int64)
    t = v1.get_variable("t", initializer=tf.constant("text"))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(folder / "model.ckpt"), 5)
        return {
            "kind": "checkpoint",
            "what": "names",
            "path": "model.ckpt-5",
            "names": {v.op.name: values.as_json(np.asarray(session.run(v))) for v in (a, b, t)},
        }
