"""The examples in the docstrings of public names run where nothing happened before but `import graphrt`.

`python -m pytest tests/isolation` runs them all; in a run of the whole suite it is one of each of some modules, or of each
that defines some with `--whole`.
"""

import collections
import concurrent.futures
import doctest
import inspect
import json
import os
import pathlib
import subprocess
import sys
import threading

import pytest

from tests import called_names, printed_numbers, public_names, whole

HERE = pathlib.Path(__file__).parent

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def examples():
    """By path, the examples in the docstring of each public callable and of each public method of a class."""
    found, seen = {}, set()
    for path, value in public_names.callables().items():
        several = called_names.members(path, value) if isinstance(value, type) else ()
        for name, member in [(path, value), *several]:
            parsed = doctest.DocTestParser().get_examples(inspect.getdoc(member) or "", name)
            text = tuple((e.source, e.want) for e in parsed)
            module = str(getattr(member, "__module__", None) or getattr(value, "__module__", ""))
            if text and text not in seen and module.split(".")[0] in called_names.PACKAGES:
                seen.add(text)
                found[name] = (module, parsed)
    return found


class Server:
    """A process that has imported graphrt, and forks one for each example."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
        )  # fmt: skip

    def ask(self, name, sources):
        self.process.stdin.write(json.dumps([name, sources]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


@pytest.fixture(scope="module")
def run_all():
    """A function that runs the examples of several names, and says what is wrong with each."""
    servers = threading.local()
    started = []

    def run(name, parsed):
        if not hasattr(servers, "one"):
            servers.one = Server()
            started.append(servers.one)
        return fault(name, parsed, servers.one.ask(name, [e.source for e in parsed]))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield lambda named: [f for f in pool.map(lambda one: run(*one), named.items()) if f is not None]
    for server in started:
        server.close()


def fault(name, parsed, answers):
    """What is wrong with what the statements printed; None where nothing is."""
    if answers is None:
        return f"{name}: the process ended"
    for example, (printed, error) in zip(parsed, answers):
        flags = FLAGS
        for flag, wanted in example.options.items():
            flags = flags | flag if wanted else flags & ~flag
        if flags & doctest.SKIP:
            continue
        if error is not None and example.exc_msg is not None:
            if error[0].split(":")[0].rpartition(".")[2] == example.exc_msg.split(":")[0].rpartition(".")[2].strip():
                continue
        if error is not None:
            return f"{name}: {example.source}{error[1]}"
        if not printed_numbers.Checker().check_output(example.want, printed, flags):
            return f"{name}: {example.source}gave:\n{printed}"
    return None


EXAMPLES = examples()


def sample(named):
    """One name of some modules, that with the first path: what a module forgets to import is missing for all of it."""
    of_module = {}
    for name, (module, _) in named.items():
        of_module.setdefault(module, name)
    return {name: named[name] for name in whole.some(of_module.values(), 60)}


def pytest_generate_tests(metafunc):
    if "names" not in metafunc.fixturenames:
        return
    alone = any(pathlib.Path(a).resolve().is_relative_to(HERE) for a in metafunc.config.args)
    of_space = collections.defaultdict(dict)
    for name, (_, parsed) in (EXAMPLES if alone else sample(EXAMPLES)).items():
        of_space[name.split(".")[0] if "." in name else "graphrt"][name] = parsed
    parts = [
        pytest.param(dict(part), id=f"{space}-{number}")
        for space, named in sorted(of_space.items())
        for number, part in enumerate(batches(named, 50))
    ]
    metafunc.parametrize("names", parts)


def batches(named, size):
    items = list(named.items())
    return [items[i : i + size] for i in range(0, len(items), size)]


def test_examples(names, run_all):
    assert run_all(names) == []


def test_what_an_example_forgets_is_found(run_all):
    def parsed(text):
        return {"sample": doctest.DocTestParser().get_examples(text)}

    assert run_all(parsed(">>> import graphrt as tf\n>>> tf.constant(1).numpy().item()\n1\n")) == []
    assert run_all(parsed(">>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: division by zero\n")) == []
    for text, complaint in (
        (">>> tf.constant(1)\n", "NameError"),
        (">>> import graphrt as tf\n>>> tf.constant(1).numpy().item()\n2\n", "gave:\n1"),
        (">>> 1 / 0\nTraceback (most recent call last):\nValueError: division by zero\n", "ZeroDivisionError"),
        (">>> import os\n>>> os._exit(3)\n", "the process ended"),
    ):
        (found,) = run_all(parsed(text))
        assert complaint in found
