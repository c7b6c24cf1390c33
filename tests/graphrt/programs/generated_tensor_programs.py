"""Random programs on arrays and numbers, with loops, branches and jumps: run by Python, by graphrt at once and traced.

PYTHONPATH=. python -m tests.graphrt.programs.generated_tensor_programs [count] [first seed] [objects]

Tells of programs that are wrong (other values, or no error where Python has one), and of those that are refused.
"""

import collections
import contextlib
import linecache
import math
import random
import re
import sys
import warnings

import numpy as np

from tests.graphrt.programs import number_programs, object_programs

ONE = ["np.tanh({a})", "np.abs({a})", "-{a}", "np.where({a} > 0.3, {a}, {b})", "{a} + {b}", "{a} - 0.5 * {b}", "{a} * {b}",
       "np.maximum({a}, {b})", "np.minimum({a}, 1.5)", "np.sin({a})", "{a} / (1.0 + np.abs({b}))", "np.clip({a}, -2.0, 2.0)",
       "{a}[::-1]", "np.cumsum({a}) / 3.0", "np.sort({a})", "np.roll({a}, 1)", "np.exp(-np.abs({a}))", "{a} ** 2",
       "np.concatenate([{a}[:2], {b}[2:]])", "np.floor({a})", "np.sum({a}) - {b}", "np.mean({a}) * {b}"]  # fmt: skip
TESTS = ["np.sum({a}) > 0.0", "np.max({a}) < 1.0", "np.mean({a}) > np.mean({b})", "np.any({a} > 0.8)", "np.all({a} < 1.0)",
         "np.sum({a}) > 0.0 and np.max({b}) > 0.5", "not np.min({a}) < -0.5"]  # fmt: skip
NAMES = "xyz"


class Writer:
    """Writes one program on arrays from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = 0
        self.lines = ["def program(x, y, z, n):"]

    def expression(self, table):
        pick = self.random.choice
        return pick(table).format(a=pick(NAMES), b=pick(NAMES))

    def assignment(self, pad):
        self.lines.append(f"{pad}{self.random.choice(NAMES)} = {self.expression(ONE)}")

    def block(self, depth, inside, count):
        pad = "    " * depth
        for _ in range(count):
            kind = self.random.random()
            if kind < 0.5 or depth > 3:
                self.assignment(pad)
            elif kind < 0.72:
                self.lines.append(f"{pad}if {self.expression(TESTS)}:")
                self.block(depth + 1, inside, self.random.randint(1, 2))
                if self.random.random() < 0.6:
                    self.lines.append(f"{pad}else:")
                    self.block(depth + 1, inside, self.random.randint(1, 2))
            elif kind < 0.92 and self.loops < 2:
                self.loops += 1
                self.lines.append(f"{pad}for _ in range(n):")
                self.block(depth + 1, True, self.random.randint(1, 3))
            elif inside:
                self.lines.append(f"{pad}if {self.expression(TESTS)}:")
                self.lines.append(f"{pad}    {self.random.choice(['break', 'continue'])}")
            else:
                self.assignment(pad)

    def source(self):
        self.block(1, False, self.random.randint(3, 6))
        self.lines.append("    return x, y, z")
        return "\n".join(self.lines) + "\n"

    def arguments(self, *seed):
        generator = np.random.default_rng(seed)
        return [*(generator.uniform(-1.0, 1.5, 5) for _ in range(3)), np.int32(generator.integers(0, 4))]

    def specs(self):
        return [*([[None], "float64"],) * 3, ([], "int32")]


def writer(seed):
    """Writes the program of a seed: of five one is on arrays, one has `try` and `with`, and all but the first are on numbers."""
    if seed % 5 == 0:
        return Writer(seed)
    return number_programs.GuardedWriter(seed) if seed % 5 == 1 else number_programs.Writer(seed)


def function_of(source, name):
    """The function `program` of a text."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"np": np, "math": math, "Thing": number_programs.Thing, "contextlib": contextlib}
    exec(compile(source, name, "exec"), scope)
    return scope["program"]


def plain(value):
    """A result as lists of plain values."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    value = value.numpy() if hasattr(value, "numpy") else value
    value = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    return value.decode() if isinstance(value, bytes) else value


def same(a, b):
    """Whether two results are equal, but for the last digits of floats."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if any(v is None or isinstance(v, str) for v in (a, b)):
        return a == b
    return bool(np.isclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True))


def outcome(function, arguments):
    """What a call gives, or the error that it raises."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(function(*arguments))
        except Exception as error:  # whatever it is: the other side has to fail as well
            return error


def faults(seed, source=None, write=writer):
    """`(what, how, text)` for every fault of the program of `seed`: what is "wrong" or "refused", how "eager" or "traced"."""
    import graphrt as tf
    from graphrt.ir.verify import verify

    made = write(seed)
    source = source or made.source()
    program = function_of(source, f"<program {seed}>")
    signature = {"input_signature": [tf.TensorSpec(*spec) for spec in made.specs()]} if seed % 3 == 0 else {}
    traced = tf.function(program, **signature)
    found = {}
    for number in range(2):
        arguments = made.arguments(seed, number)
        wanted = outcome(program, arguments)
        for how, function in (("eager", program), ("traced", traced)):
            result = outcome(function, [tf.constant(v) for v in arguments])
            if isinstance(wanted, Exception):
                if not isinstance(result, Exception):
                    found["wrong", how] = f"{arguments}: expected {wanted!r}, found {result}"
            elif isinstance(result, Exception):
                found["refused", how] = f"{arguments}: {type(result).__name__} {result}"
            elif not same(wanted, result):
                found["wrong", how] = f"{arguments}:\nexpected {wanted}\nfound    {result}"
    for concrete in traced.list_all_concrete_functions():
        verify(concrete.graph)
    return [(what, how, f"seed {seed}, {how}, {what}: {text}\n{source}") for (what, how), text in found.items()]


def check(seed, write=writer):
    """Runs the program of `seed` three ways.

    Raises:
      AssertionError: they differ, or a program is refused.
    """
    for _, _, text in faults(seed, write=write):
        raise AssertionError(text)


def main(total, start, write=writer):
    tally = collections.Counter()
    reasons = {}
    for seed in range(start, start + total):
        for what, how, text in faults(seed, write=write):
            tally[what] += 1
            head = text.split("]: ", 1)[-1].splitlines()[0]
            reason = what, how, re.sub(r"'[^']*'|\"[^\"]*\"|[\d.]+", "_", head)[:110] if what == "refused" else ""
            reasons.setdefault(reason, []).append(seed)
            if what == "wrong":
                print(text)
    for reason, seeds in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(len(seeds), *reason, seeds[:8])
    print(f"{total} programs, {tally['wrong']} wrong, {tally['refused']} refused")
    return bool(tally)


if __name__ == "__main__":
    *numbers, kind = sys.argv[1:] if "objects" in sys.argv else (*sys.argv[1:], "numbers")
    count, first = (*map(int, numbers), *(2000, 0)[len(numbers) :])
    sys.exit(main(count, first, object_programs.Writer if kind == "objects" else writer))
