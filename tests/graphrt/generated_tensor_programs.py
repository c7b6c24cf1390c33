"""Random programs on arrays, with loops, branches and jumps: run by NumPy as they are, by graphrt at once and traced.

PYTHONPATH=. python tests/graphrt/generated_tensor_programs.py [count] [first seed]
"""

import linecache
import random
import sys

import numpy as np

ONE = ["np.tanh({a})", "np.abs({a})", "-{a}", "np.where({a} > 0.3, {a}, {b})", "{a} + {b}", "{a} - 0.5 * {b}", "{a} * {b}",
       "np.maximum({a}, {b})", "np.minimum({a}, 1.5)", "np.sin({a})", "{a} / (1.0 + np.abs({b}))", "np.clip({a}, -2.0, 2.0)",
       "{a}[::-1]", "np.cumsum({a}) / 3.0", "np.sort({a})", "np.roll({a}, 1)", "np.exp(-np.abs({a}))", "{a} ** 2",
       "np.concatenate([{a}[:2], {b}[2:]])", "np.floor({a})", "np.sum({a}) - {b}", "np.mean({a}) * {b}"]  # fmt: skip
TESTS = ["np.sum({a}) > 0.0", "np.max({a}) < 1.0", "np.mean({a}) > np.mean({b})", "np.any({a} > 0.8)", "np.all({a} < 1.0)",
         "np.sum({a}) > 0.0 and np.max({b}) > 0.5", "not np.min({a}) < -0.5"]  # fmt: skip
NAMES = "xyz"


class Writer:
    """Writes one program from a seed."""

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


def program(seed):
    """The function of a seed, and its text."""
    source = Writer(seed).source()
    file = f"<tensor program {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"np": np}
    exec(compile(source, file, "exec"), scope)
    return scope["program"], source


def check(seed):
    """Runs the program of `seed` three ways.

    Raises:
      AssertionError: they differ.
    """
    import graphrt as tf

    function, source = program(seed)
    generator = np.random.default_rng(seed)
    arrays = [generator.uniform(-1.0, 1.5, 5) for _ in range(3)]
    count = np.int32(generator.integers(0, 4))
    with np.errstate(all="ignore"):
        wanted = function(*arrays, count)
        eager = function(*[tf.constant(a) for a in arrays], tf.constant(count))
        traced = tf.function(function)(*[tf.constant(a) for a in arrays], tf.constant(count))
    for name, found in (("eager", eager), ("traced", traced)):
        for f, w in zip(found, wanted, strict=True):
            np.testing.assert_allclose(
                np.asarray(f), w, rtol=1e-9, atol=1e-9, err_msg=f"{name}, seed {seed}:\n{source}"
            )


if __name__ == "__main__":
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = 0
    for number in range(start, start + total):
        try:
            check(number)
        except Exception as error:
            wrong += 1
            print(number, type(error).__name__, str(error)[:1500])
    print(f"{total} programs, {wrong} wrong")
    sys.exit(bool(wrong))
