"""Runs both packages in many threads while another one watches what belongs to the whole process.

    python -m tests.process_watch        prints what was changed, if anything was

What is watched: limits, stack size, filters of warnings and what shows them, hooks, floating-point errors, environment,
streams, seeds, collector, signals, folder, loggers. The functions that set such things are watched, too.
"""

from __future__ import annotations

import builtins
import collections
import contextvars
import gc
import importlib
import linecache
import locale
import logging
import os
import random
import signal
import sys
import tempfile
import textwrap
import threading
import traceback
import warnings

ROOT = os.environ.get("WATCH_ROOT") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = (os.path.join(ROOT, "autograph"), os.path.join(ROOT, "graphrt"))
found: dict[str, str] = {}

# Functions of the standard library and NumPy that change something for everybody.
SETTERS = [
    (sys, "setrecursionlimit"), (sys, "setswitchinterval"), (sys, "settrace"), (sys, "setprofile"),
    (sys, "set_asyncgen_hooks"), (sys, "set_coroutine_origin_tracking_depth"), (sys, "set_int_max_str_digits"),
    (threading, "settrace"), (threading, "setprofile"), (signal, "signal"), (signal, "setitimer"), (signal, "alarm"),
    (gc, "enable"), (gc, "disable"), (gc, "freeze"), (gc, "set_threshold"), (os, "chdir"), (os, "umask"),
    (os, "putenv"), (os, "unsetenv"), (locale, "setlocale"), (random, "seed"), (logging, "basicConfig"),
    (logging, "disable"), (warnings, "simplefilter"), (warnings, "filterwarnings"), (warnings, "resetwarnings"),
]  # fmt: skip


def report(what: str) -> None:
    lines = traceback.format_list([f for f in traceback.extract_stack() if f.filename.startswith(OURS)])
    found.setdefault(what, "".join(lines[-3:]))


def watch_setters() -> None:
    def watched(module, name):
        original = getattr(module, name)

        def setter(*args, **kwargs):
            if sys._getframe(1).f_code.co_filename.startswith(OURS):
                report(f"{module.__name__}.{name}{args}")
            return original(*args, **kwargs)

        setattr(module, name, setter)

    for module, name in SETTERS:
        if hasattr(module, name):
            watched(module, name)
    size = threading.stack_size

    def stack_size(*args):
        if args:
            report(f"threading.stack_size{args}")
        return size(*args)

    threading.stack_size = stack_size

    class Filters(list):
        pass

    for name in ("append", "insert", "remove", "pop", "clear", "extend", "__setitem__", "__delitem__", "__iadd__"):

        def change(self, *args, _name=name):
            report(f"warnings.filters.{_name}")
            return getattr(list, _name)(self, *args)

        setattr(Filters, name, change)
    warnings.filters = Filters(warnings.filters)

    class Watched(warnings.catch_warnings):
        def __enter__(self):
            if sys._getframe(1).f_code.co_filename.startswith(OURS):
                report("warnings.catch_warnings")
            return super().__enter__()

    warnings.catch_warnings = Watched


def state() -> dict[str, object]:
    """What any thread can see of the process."""
    seen = {
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "stack size": threading.stack_size(),
        "filters of warnings": (id(warnings.filters), tuple(map(str, warnings.filters))),
        "what shows warnings": (warnings.showwarning, warnings.formatwarning),
        "hooks": (sys.excepthook, sys.displayhook, sys.unraisablehook, sys.breakpointhook, threading.excepthook),
        "tracing": (sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile()),
        "environment": dict(os.environ),
        "streams": (sys.stdout, sys.stderr, sys.stdin),
        "path": tuple(sys.path),
        "finders": tuple(map(str, sys.meta_path)),
        "collector": (gc.isenabled(), gc.get_threshold()),
        "signals": (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)),
        "folder": os.getcwd(),
        "logging": (logging.root.level, tuple(logging.root.handlers), logging.root.manager.disable),
        "locale": locale.setlocale.__defaults__,
        "random": random.getstate(),
        "linecache": (linecache.getline, linecache.getlines, linecache.checkcache, linecache.updatecache),
        "builtins": tuple((name, id(value)) for name, value in vars(builtins).items() if name != "_"),
    }
    numpy = sys.modules.get("numpy")
    if hasattr(numpy, "random") and hasattr(numpy, "geterr"):
        seen["floating-point errors"] = str(numpy.geterr()), str(numpy.geterrcall())
        seen["NumPy's random"] = numpy.random.get_state()[1].tobytes()
        seen["NumPy's print options"] = str(numpy.get_printoptions())
    return seen


def watch(finished: threading.Event, rounds: list[int]) -> None:
    before = state()
    while not finished.is_set():
        now = state()
        for name, value in now.items():
            if before.setdefault(name, value) != value:
                found.setdefault(name, f"{before[name]} -> {value}"[:500])
        rounds[0] += 1
        finished.wait(0.0003)  # it looks often; looking all the time would halve the speed of what it looks at


# What is done meanwhile


def source(text: str, name: str = "f"):
    """A function of a text, as if it stood in a file."""
    filename = f"<watched {len(linecache.cache)} {threading.get_ident()}>"
    text = textwrap.dedent(text)
    namespace: dict[str, object] = {"__name__": "watched"}
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    return namespace[name]


def convert_deep_sources() -> None:
    import autograph

    autograph.to_graph(source("def f(x):\n    return x" + " + 1" * 900 + "\n"))
    autograph.to_code(source("def f(x):\n    return x" + ".y(1)" * 300 + "\n"))
    f = source("def f(x):\n    if x == 0:\n        return 0\n" + "".join(
        f"    elif x == {i}:\n        return {i}\n" for i in range(1, 60)) + "    return -1\n")  # fmt: skip
    assert autograph.convert()(f)(59) == 59

    def from_far_down(n):
        return autograph.to_code(source("def f(x):\n    return x if x else 1\n")) if n == 0 else from_far_down(n - 1)

    from_far_down(sys.getrecursionlimit() - 200)


def convert_doubtful_sources() -> None:
    import autograph

    f = DOUBTFUL[threading.get_ident()]
    assert autograph.to_graph(f)("0") == f("0")


def recurse() -> None:
    import autograph

    f = autograph.convert()(source("def f(n):\n    if n == 0:\n        return 0\n    return 1 + f(n - 1)\n"))
    assert f(600) == 600


def check_files() -> None:
    from autograph.__main__ import main

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.py")
        with open(path, "w") as file:
            file.write("def f(x):\n    while x > 0:\n        x -= 1\n    return '\\d'\n")
        main(["check", path, "-o", os.path.join(folder, "out")])
        main(["dump", path, "-o", os.path.join(folder, "dumped.py")])


def trace_and_run() -> None:
    import graphrt as tf

    @tf.function
    def f(x, n):
        total = tf.zeros_like(x)
        for i in tf.range(n):
            if tf.reduce_sum(x) > 0:
                total += x / tf.cast(i, tf.float32)
            else:
                total -= tf.math.log(x)
        return total

    f(tf.constant([1.0, 0.0]), tf.constant(4))
    f(tf.constant([[-1.0]]), tf.constant(2))
    tf.math.log(tf.constant([-1.0, 0.0]))
    f.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)).graph.as_graph_def()


def fail() -> None:
    import graphrt as tf

    @tf.function
    def f(x):
        if x > 0:
            y = x
        return y

    for call in (lambda: f(tf.constant(1)), lambda: tf.constant([1, 2]) + tf.constant([1, 2, 3])):
        try:
            call()
        except Exception:
            continue


def differentiate() -> None:
    import graphrt as tf

    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.exp(v) / v)
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    step()
    step()


def read_datasets() -> None:
    import graphrt as tf

    data = tf.data.Dataset.range(20).shuffle(5, seed=1).map(lambda x: x * 2, num_parallel_calls=2)
    data = data.batch(3).prefetch(2)
    assert sum(int(tf.reduce_sum(x)) for x in data) == 380
    tf.random.stateless_uniform([3], [1, 2])
    tf.random.uniform([3])


def train() -> None:
    import graphrt as tf

    # Seeds that nobody gives are taken from Python's generator, as in Keras.
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(n, activation="relu", kernel_initializer="ones") for n in (2, 1)]
    )
    model.compile(optimizer="sgd", loss="mse")
    model.fit(tf.ones([4, 3]), tf.ones([4, 1]), epochs=1, verbose=0)


def print_and_save() -> None:
    import graphrt as tf

    with tempfile.TemporaryDirectory() as folder:
        tf.io.write_file(os.path.join(folder, "a"), "text")
        tf.data.Dataset.range(3).save(os.path.join(folder, "d"))
        str(tf.constant([1.5, 2.5]))
        repr(tf.constant([[1]]))


def import_all() -> None:
    for name in ("graphrt", "graphrt.keras", "graphrt.array_api", "autograph.checking.module"):
        importlib.import_module(name)


ACTIONS = [
    import_all, convert_deep_sources, convert_doubtful_sources, recurse, check_files, trace_and_run, fail,
    differentiate, read_datasets, train, print_and_save,
]  # fmt: skip
DOUBTFUL: dict[int, object] = collections.defaultdict(
    lambda: source(r"""
        def f(x):
            if x is 1 or 1if x else 0:
                return "\d", b"\q", f"\{x}"
            assert (x, "message")
    """)
)


def work(offset: int, errors: list[str], turns: int) -> None:
    try:
        with quiet_text():
            DOUBTFUL[threading.get_ident()]
        started.wait()
        for turn in range(turns):
            for step in range(len(ACTIONS)):
                ACTIONS[(offset + turn + step) % len(ACTIONS)]()
    except BaseException:
        errors.append(traceback.format_exc())


_text_lock = threading.Lock()
started = threading.Event()


class quiet_text:
    """Before anything is watched, texts are compiled of which Python warns."""

    def __enter__(self):
        _text_lock.acquire()
        self.caught = warnings.catch_warnings()
        self.caught.__enter__()
        warnings.simplefilter("ignore")

    def __exit__(self, *error):
        self.caught.__exit__(*error)
        _text_lock.release()


def main(threads: int = 8, turns: int = 2) -> int:
    import numpy  # which sets filters of its own

    errors: list[str] = []
    workers = [
        threading.Thread(target=contextvars.Context().run, args=(work, i, errors, turns)) for i in range(threads)
    ]
    for worker in workers:
        worker.start()
    while len(DOUBTFUL) < threads and not errors:
        started.wait(0.01)
    assert numpy.__version__
    warnings.simplefilter("error", SyntaxWarning)
    warnings.simplefilter("error", DeprecationWarning)
    sys.setswitchinterval(1e-5)
    watch_setters()
    finished, rounds = threading.Event(), [0]
    watcher = threading.Thread(target=watch, args=(finished, rounds))
    watcher.start()
    started.set()
    for worker in workers:
        worker.join()
    finished.set()
    watcher.join()
    for error in errors:
        print(error, file=sys.stderr)
    for what, where in found.items():
        print(f"changed: {what}\n{where}", file=sys.stderr)
    print(f"{threads} threads, {rounds[0]} looks, {len(found)} changes, {len(errors)} errors")
    return bool(found or errors or not rounds[0])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
