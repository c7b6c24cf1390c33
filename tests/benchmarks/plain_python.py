"""What does conversion cost plain Python?

    python -m tests.benchmarks.plain_python [--malt-python PATH]

Each program runs as it is, converted with no backend active (idle), and converted with one active; with a Python that has
diastatic-malt also converted by that. Rounds alternate; the table shows the medians of the ratios to the original, and how much
longer the bytecode is.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any


def sieve(limit: int) -> int:
    """How many primes there are below `limit`."""
    prime = [True] * limit
    count = 0
    for n in range(2, limit):
        if prime[n]:
            count += 1
            for multiple in range(n * n, limit, n):
                prime[multiple] = False
    return count


def fits(queens: list[int], column: int) -> bool:
    """Whether a queen in the next row and this column is safe."""
    row = len(queens)
    for other, taken in enumerate(queens):
        if taken == column or abs(taken - column) == row - other:
            return False
    return True


def queens(size: int, placed: list[int]) -> int:
    """In how many ways the rest of the queens can be placed."""
    if len(placed) == size:
        return 1
    found = 0
    for column in range(size):
        if fits(placed, column):
            found += queens(size, [*placed, column])
    return found


def words(text: str) -> dict[str, int]:
    """How often each word occurs."""
    counts: dict[str, int] = {}
    word = ""
    for letter in text + " ":
        if letter.isalpha():
            word += letter.lower()
        elif word:
            counts[word] = counts.get(word, 0) + 1
            word = ""
    return counts


def fib(n: int) -> int:
    """The sum of the two before."""
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


Tree = tuple["Tree", "Tree"] | None


def size(tree: Tree) -> int:
    """How many nodes a tree has."""
    if tree is None:
        return 0
    return 1 + size(tree[0]) + size(tree[1])


class Account:
    """What somebody has."""

    def __init__(self) -> None:
        self.balance = 0

    def deposit(self, amount: int) -> Account:
        """There is more afterwards."""
        self.balance = self.balance + amount
        return self

    def withdraw(self, amount: int) -> bool:
        """There is less afterwards, if it is enough."""
        if amount > self.balance:
            return False
        self.balance -= amount
        return True


def methods(amounts: list[int]) -> int:
    """How often something is withdrawn."""
    account = Account()
    found = 0
    for amount in amounts:
        account.deposit(amount % 7)
        if account.withdraw(amount % 5):
            found += 1
    return found


def checked(value: int) -> int:
    """The value, if it is good."""
    if value % 3 == 0:
        raise ValueError(value)
    return value


def exceptions(values: list[int]) -> int:
    """The sum of the good values without those that are none."""
    total = 0
    for value in values:
        try:
            total += checked(value)
        except ValueError as error:
            total -= error.args[0]
    return total


TREE: Tree = None
for _ in range(8):
    TREE = (TREE, TREE)
TEXT = "The quick brown fox jumps over the lazy dog; the dog sleeps. " * 20
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sieve": (sieve, (3000,)),
    "queens": (queens, (5, [])),
    "words": (words, (TEXT,)),
    "fib": (fib, (14,)),
    "size": (size, (TREE,)),
    "methods": (methods, (list(range(600)),)),
    "exceptions": (exceptions, (list(range(600)),)),
}


def seconds(work: Callable[[], Any], repeat: int) -> float:
    """Processor time of one call."""
    start = time.process_time()
    for _ in range(repeat):
        work()
    return (time.process_time() - start) / repeat


def compare(variants: dict[str, Callable[..., Any]], args: tuple[Any, ...], rounds: int) -> dict[str, float]:
    """The median ratio of each variant's time to that of `original`, measured in alternation."""
    ratios: dict[str, list[float]] = {name: [] for name in variants}
    expected = variants["original"](*args)
    for function in variants.values():
        assert function(*args) == expected
    for _ in range(rounds):
        base = seconds(lambda: variants["original"](*args), 5)
        for name, function in variants.items():
            ratios[name].append(seconds(lambda function=function: function(*args), 5) / base)  # type: ignore[misc]
    return {name: statistics.median(found) for name, found in ratios.items() if name != "original"}


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Ratios by program."""
    import autograph

    class Sometimes(autograph.backends.StagingBackend):
        name, staged_types = "sometimes", (type("Staged", (), {}),)
        active = False

        def is_active(self) -> bool:
            return self.active

    backend = Sometimes()

    def staged(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            backend.active = True
            try:
                return function(*args)
            finally:
                backend.active = False

        return call

    autograph.backends.register_backend(backend)
    found = {}
    for title, (function, args) in PROGRAMS.items():
        converted = autograph.convert(function)
        dumped = dumped_function(function)
        variants = {"original": function, "idle": converted, "active": staged(converted), "dumped": staged(dumped)}
        found[title] = compare(variants, args, rounds)
        found[title]["bytecode"] = bytes_of(converted.__code__) / bytes_of(function.__code__)
    autograph.backends.unregister_backend(backend)
    return found


def bytes_of(code: CodeType) -> int:
    """The size of a code object with all in it."""
    return len(code.co_code) + sum(bytes_of(c) for c in code.co_consts if isinstance(c, CodeType))


def dumped_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of this name in this module as `autograph dump` writes it."""
    from autograph.cli.dump import module_text
    from autograph.conversion.convert import convert_source
    from autograph.options import STANDARD_OPTIONS

    text = module_text(convert_source(pathlib.Path(__file__).read_text(), __file__, STANDARD_OPTIONS))
    module = sys.modules.setdefault("dumped", ModuleType("dumped"))  # as if it had been imported
    module.__file__ = __file__
    exec(compile(text, "dumped", "exec"), vars(module))
    return vars(module)[function.__name__]  # type: ignore[no-any-return]


def measure_malt(rounds: int) -> dict[str, dict[str, float]]:
    """The same for diastatic-malt, in the Python that has it."""
    import importlib.util  # noqa: F401  (the peer uses it without importing it)

    import malt

    return {
        title: compare({"original": function, "malt": malt.to_graph(function)}, args, rounds)
        for title, (function, args) in PROGRAMS.items()
    }


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--malt-python", help="a Python with diastatic-malt installed")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--malt", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.malt:
        print(json.dumps(measure_malt(options.rounds)))
        return
    found = measure(options.rounds)
    if options.malt_python:
        # Not its own folder but the file: the peer must not find this project's packages.
        output = subprocess.run(
            [options.malt_python, __file__, "--malt", "--rounds", str(options.rounds)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": ""},
        ).stdout
        for title, ratios in json.loads(output.splitlines()[-1]).items():
            found[title].update(ratios)
    found["all"] = {n: statistics.geometric_mean(ratios[n] for ratios in found.values()) for n in found["sieve"]}
    names = list(found["all"])
    print(f"{'program':10}" + "".join(f"{name:>10}" for name in names))
    for title, ratios in found.items():
        print(f"{title:10}" + "".join(f"{ratios[name]:10.2f}" for name in names))


if __name__ == "__main__":
    main()
