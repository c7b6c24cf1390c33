"""An op that gets at files says so where it is declared: what is reached from its rules, and what it does when it runs."""

import dis
import functools
import json
import os
import pathlib
import subprocess
import sys
import types

import pytest

import graphrt as tf
from graphrt.graphdef import import_graph_def
from graphrt.ir.op import REGISTRY, declare_all
from tests import ROOT

declare_all()

# modules that get at files, processes or the net, and what of them does not
HARMLESS = {
    "os": {"fsdecode", "fsencode", "fspath", "getpid", "sep", "environ", "PathLike", "urandom", "cpu_count", "sched_getaffinity", "path.join",
           "path.basename", "path.dirname", "path.splitext"},
    "gzip": {"decompress", "compress", "BadGzipFile"}, "bz2": {"decompress"},
    "linecache": {"getline", "cache"},  # lines of the user's source, for messages
    "importlib": {"import_module"},  # of an extra, by a name that stands in our source
    "shutil": set(), "glob": set(), "tempfile": set(), "pathlib": set(), "socket": set(), "subprocess": set(),
    "mmap": set(), "zipfile": set(), "urllib": set(), "ctypes": set(), "runpy": set(), "fileinput": set(),
    "http": set(), "multiprocessing": set(), "pickle": set(), "shelve": set(), "sqlite3": set(),
}  # fmt: skip
OF_NUMPY = {
    "load",
    "save",
    "savez",
    "savez_compressed",
    "fromfile",
    "memmap",
    "loadtxt",
    "genfromtxt",
    "savetxt",
    "open_memmap",
}


# --- what its rules can reach ----------------------------------------------------------------------------------------
def functions_of(thing):
    if isinstance(thing, functools.partial):
        for part in (thing.func, *thing.args, *thing.keywords.values()):
            yield from functions_of(part)
    elif isinstance(thing, types.MethodType):
        yield thing.__func__
    elif isinstance(thing, types.FunctionType):
        yield thing
    elif isinstance(thing, (staticmethod, classmethod)):
        yield from functions_of(thing.__func__)
    elif isinstance(thing, property):
        yield from (f for f in (thing.fget, thing.fset) if f is not None)
    elif isinstance(thing, type) and thing.__module__.startswith("graphrt"):
        for base in thing.__mro__:
            if base.__module__.startswith("graphrt"):
                for member in vars(base).values():
                    if isinstance(member, (types.FunctionType, staticmethod, classmethod, property)):
                        yield from functions_of(member)


@functools.cache
def loads(code):
    """The global names that code reads, each with the attributes read from it."""
    return list(_loads(code))


def _loads(code):
    skipped = ("CACHE", "PRECALL", "PUSH_NULL", "EXTENDED_ARG")
    found = [i for i in dis.get_instructions(code) if i.opname not in skipped]
    for at, instruction in enumerate(found):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            path = []
            for follower in found[at + 1 :]:
                if follower.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    break
                path.append(follower.argval)
            yield instruction.argval, path
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _loads(constant)


def openers(rule):
    """What gets at files below `rule`, with the way to it."""
    seen, waiting, found = set(), [(f, f.__qualname__) for f in functions_of(rule)], {}
    while waiting:
        function, way = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        reached = []
        for cell in function.__closure__ or ():
            reached += [cell.cell_contents] if _filled(cell) else []
        for name, path in loads(function.__code__):
            if name not in function.__globals__:
                if name in ("open", "exec", "eval", "__import__"):
                    found.setdefault(name, way)
                continue
            value = function.__globals__[name]
            if not isinstance(value, types.ModuleType):
                reached.append(value)
            elif value.__name__.startswith("graphrt"):
                reached.append(vars(value).get(path[0]) if path else None)
            elif value.__name__ == "numpy" and path and path[0] in OF_NUMPY:
                found.setdefault(f"np.{path[0]}", way)
            elif value.__name__.partition(".")[0] in HARMLESS:
                allowed = HARMLESS[value.__name__.partition(".")[0]]
                if not path or (path[0] not in allowed and ".".join(path[:2]) not in allowed):
                    found.setdefault(f"{value.__name__}.{'.'.join(path)}", way)
        waiting += [(f, f"{way} > {f.__qualname__}") for thing in reached for f in functions_of(thing)]
    return found


def _filled(cell):
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def test_kernels_that_reach_files_are_declared_to():
    wrong = {}
    for name, op in REGISTRY.items():
        found = openers(op.kernel)
        found.pop("exec", None)  # the programs of the graphs that datasets and calls hold
        if bool(found) != (op.file_access is not None):
            wrong[name] = found or "is declared to open files, and does not"
    assert not wrong


@pytest.mark.parametrize("rule", ["infer", "partial", "emit"])
def test_other_rules_reach_no_files(rule):
    found = {name: openers(getattr(op, rule)) for name, op in REGISTRY.items()}
    assert not {name: ways for name, ways in found.items() if ways.keys() - {"exec"}}


def test_the_search_finds_what_it_should():
    assert openers(lambda: open("x")) == {"open": "test_the_search_finds_what_it_should.<locals>.<lambda>"}  # noqa: SIM115
    assert list(openers(lambda: os.path.exists("x"))) == ["os.path.exists"]
    assert list(openers(lambda: subprocess.run)) == ["subprocess.run"]
    assert not openers(lambda: os.path.join("a", "b"))
    assert "open" in openers(REGISTRY["TextLineDataset"].kernel)


# --- what it does ----------------------------------------------------------------------------------------------------
def test_kernels_that_touch_files_are_declared_to(tmp_path):
    script = pathlib.Path(__file__).with_name("opened_files.py")
    ran = subprocess.run([sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert set(json.loads(ran.stdout)) == {name for name, op in REGISTRY.items() if op.file_access is not None}


# --- graphs from outside ---------------------------------------------------------------------------------------------
def sampler(vocab_file, unigrams=()):
    @tf.function
    def draw():
        found = tf.random.fixed_unigram_candidate_sampler(
            [[0]], 1, 2, True, 3, vocab_file=vocab_file, unigrams=unigrams, seed=1
        )
        return found.sampled_candidates

    return draw


def test_a_sampler_reads_its_vocabulary_only_when_that_is_allowed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("a,1.0\nb,0.0\nc,1.0\n")
    data = sampler(str(secret)).get_concrete_function().graph.as_graph_def()
    with pytest.raises(tf.errors.PermissionDeniedError, match="FixedUnigramCandidateSampler.*reads files.*allow_files"):
        import_graph_def(data)
    import_graph_def(data, allow_files=True)
    import_graph_def(sampler("", [1.0, 0.0, 1.0]).get_concrete_function().graph.as_graph_def())


def test_errors_of_a_vocabulary_do_not_show_what_stands_in_the_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("word,1\nroot:x:0:0\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"line 2 of .*secret does not end in a number") as caught:
        sampler(str(secret))()
    assert "root:x" not in str(caught.value)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        sampler(str(tmp_path / "missing"))()
    with pytest.raises(tf.errors.FailedPreconditionError, match="directory"):
        sampler(str(tmp_path))()


def test_functions_that_nobody_calls_yet_are_searched_too(tmp_path):
    @tf.function
    def names():
        inner = tf.function(lambda name: tf.data.Dataset.from_tensors(name).map(lambda n: tf.io.read_file(n)))
        return tf.cond(tf.constant(1) > 0, lambda: inner("x").reduce("", lambda a, b: a + b), lambda: tf.constant(""))

    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile"):
        import_graph_def(names.get_concrete_function().graph.as_graph_def())
