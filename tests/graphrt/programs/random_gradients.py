"""Random programs: gradients of first and second order, taken at once, through graphs and through loops that run
iterations again, must agree with each other and with finite differences.

    python -m tests.graphrt.programs.random_gradients 1000 2000      programs of seeds 1000 to 1999
"""

from __future__ import annotations

import linecache
import random
import sys
import traceback

import numpy as np

import graphrt as tf

V = tf.Variable(np.float64(0.6))
COUNT = tf.Variable(0)
W = tf.Variable(np.array([0.2, -0.4, 0.7]))
M = tf.constant(np.array([[0.3, -0.2, 0.5], [0.1, 0.7, -0.4], [0.6, 0.2, 0.1]]))


@tf.function
def helper(p, q):
    """Called by generated programs."""
    if p > q:
        p = p * tf.sin(q) + V
    else:
        for _ in tf.range(2):
            p = tf.tanh(p + q)
    return p


@tf.custom_gradient
def cubed(p):
    """p ** 3, with a gradient of its own."""
    return p * p * p, lambda g: 3.0 * g * p * p


@tf.custom_gradient
def scaled(p):
    """p * V, with a gradient of its own."""

    def grad(g, variables=None):
        return g * V, [tf.reduce_sum(g * p)]

    return p * V, grad


def triple():
    """A data set of three numbers."""
    return tf.data.Dataset.from_tensor_slices(np.array([0.3, -0.5, 0.8]))


class Generator:
    """Writes one random function of a scalar, a vector and an int."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.loops: list[str] = []
        self.streams = 0  # loops over data sets around here
        self.functions: list[str] = []

    def program(self) -> str:
        lines = ["def program(a, w, n):", "    b = a * 0.5", "    u = w * a", "    s = {'p': a * 0.3, 'q': w * 0.2}"]
        lines += self.block(1, self.random.randint(2, 5), False)
        lines.append("    return a + b * 0.7, u + w * 0.1")
        return "\n".join(lines) + "\n"

    def scalar(self) -> str:
        r = self.random
        return r.choice([
            "a", "b", "tf.sin(a)", "tf.tanh(b)", "a * b * 0.4", "a + b * 0.3", "tf.reduce_sum(u) * 0.3", "u[1] * a",
            "tf.reduce_sum(u * w)", "b - a * 0.2", "V * a", "V + b", "tf.reduce_sum(W * u) * 0.5", "tf.exp(-a * a)",
            "helper(a, b)", "helper(b, V)", "cubed(a) * 0.2", "tf.where(a > b, a * b, tf.sin(b))",
            "tf.stop_gradient(b) * a", "tf.cast(n, tf.float64) * 0.1 * a", *[f"tf.cast({k}, tf.float64) * 0.2 * b" for k in self.loops],
            "scaled(a) * 0.5", "s['p'] * 0.4", *[f"{f}(a) * 0.3" for f in self.functions],
            "tf.foldl(lambda p, q: tf.sin(p) + q * a, u) * 0.2", "tf.norm(u + 2.0) * 0.3",
            "tf.switch_case(n % 3, [lambda: a * 0.3, lambda: tf.sin(b), lambda: a * b * 0.2])",
            "tf.while_loop(lambda k, p: k < n, lambda k, p: (k + 1, tf.sin(p) + a * 0.1), (0, b))[1] * 0.5",
            "tf.maximum(a, b)", "tf.recompute_grad(lambda p: tf.sin(p) * p)(a)", "tf.reduce_prod(u) + a",
        ])  # fmt: skip

    def vector(self) -> str:
        r = self.random
        return r.choice([
            "u", "w * a", "u * 0.5 + w", "tf.sin(u)", "tf.stack([a, b, a * b * 0.1])", "u[::-1] * b", "W * u", "u + V",
            "tf.concat([u[1:], w[:1]], 0)", "tf.cumsum(u) * 0.3", "tf.nn.softmax(u)", "tf.gather(u, [2, 0, 0]) * 0.5",
            "scaled(u)", "tf.scan(lambda p, q: p * 0.5 + tf.sin(q), u)", "s['q'] * 0.5", "tf.linalg.matvec(M * a, u)",
            "tf.cond(a > b, lambda: u * 0.5, lambda: tf.sin(u) + w)", *[f"{f}(u) * 0.3" for f in self.functions],
            "tf.tensor_scatter_nd_update(u, [[1]], [b])", "tf.clip_by_value(u, -0.83, 0.91)",
            "tf.tanh(u * w)", "tf.map_fn(lambda p: p * a, u)", "tf.where(u > 0.1, u * u, u)",
        ])  # fmt: skip

    def condition(self) -> str:
        r = self.random
        choices = ["a > 0.31", "b < 0.27", "tf.reduce_sum(u) > 0.43", "a > b", "n > 2", "u[0] < a", "V > a"]
        choices += [f"{k} % 2 == 0" for k in self.loops] + [f"{k} > 1" for k in self.loops]
        text = r.choice(choices)
        if r.random() < 0.2:
            text = f"{text} {r.choice(['and', 'or'])} {r.choice(choices)}"
        return f"not ({text})" if r.random() < 0.1 else text

    def block(self, depth: int, size: int, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(size):
            lines += self.statement(depth, in_loop)
        return lines

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        r, pad = self.random, "    " * depth
        kind = r.random()
        if depth > 3 or kind < 0.45:
            extra = r.random()
            if extra < 0.06:
                return [f"{pad}a, b = b * 0.9, {self.scalar()}"]
            if extra < 0.12:
                return [f"{pad}s['p'] = {self.scalar()}"]
            if extra < 0.16:
                return [f"{pad}s['q'] = {self.vector()}"]
            if extra < 0.2 and depth == 1:
                self.count += 1
                made = f"inner{self.count}"
                lines = [f"{pad}def {made}(p):", f"{pad}    if tf.reduce_sum(p) > 0.2:",
                         f"{pad}        return p * {self.scalar()}", f"{pad}    return tf.sin(p) + {self.scalar()}"]  # fmt: skip
                self.functions.append(made)
                return lines
            if r.random() < 0.65:
                return [f"{pad}{r.choice('ab')} = {self.scalar()}"]
            return [f"{pad}u = {self.vector()}"]
        if kind < 0.65:
            lines = [f"{pad}if {self.condition()}:", *self.block(depth + 1, r.randint(1, 2), in_loop)]
            if in_loop and r.random() < 0.25:
                lines.append(f"{pad}    {r.choice(['break', 'continue'])}")
            elif r.random() < 0.12:
                lines.append(f"{pad}    return {self.scalar()} + 0.3 * a, {self.vector()}")
            if r.random() < 0.6:
                lines += [f"{pad}else:", *self.block(depth + 1, r.randint(1, 2), in_loop)]
            return lines
        self.count += 1
        name = f"i{self.count}"
        if kind < 0.75:
            lines = [
                f"{pad}{name} = tf.constant(0)",
                f"{pad}while {name} < {r.choice(['2', '3', 'n'])}:",
                f"{pad}    {name} += 1",
            ]
        elif kind < 0.9:
            lines = [f"{pad}for {name} in tf.range({r.choice(['2', '3', 'n'])}):"]
        elif kind < 0.92 and self.streams == 0:
            source = r.choice(
                [
                    "triple()",
                    "triple().take(2)",
                    "triple().repeat(2)",
                    "tf.data.Dataset.from_tensors(0.7).map(lambda x: tf.cast(x, tf.float64))",
                ]
            )
            lines = [f"{pad}for e{self.count} in {source}:", f"{pad}    a = a * 0.5 + e{self.count}"]
            self.streams += 1
            lines += self.block(depth + 1, r.randint(1, 2), True)
            self.streams -= 1
            return lines
        elif kind < 0.96:
            lines = [f"{pad}for e{self.count} in u:", f"{pad}    a = a * 0.5 + e{self.count}"]
            return lines + self.block(depth + 1, 1, True)
        else:
            lines = [
                f"{pad}t{self.count} = tf.TensorArray(tf.float64, 0, dynamic_size=True, clear_after_read=False)",
                f"{pad}for {name} in tf.range(3):", f"{pad}    t{self.count} = t{self.count}.write({name}, {self.scalar()})",
                f"{pad}    b = t{self.count}.read({name}) * 0.5",
                f"{pad}    a = a + tf.sin({self.scalar()}) * 0.1",
            ]  # fmt: skip
            return [*lines, f"{pad}u = u * 0.5 + t{self.count}.stack()"]
        self.loops.append(name)
        lines += self.block(depth + 1, r.randint(1, 3), True)
        self.loops.pop()
        return lines


def checkpointed(text: str) -> str:
    """The program `text` with the option `checkpoint` for every loop."""
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if line.lstrip().startswith(("for ", "while ")):
            pad = line[: len(line) - len(line.lstrip())]
            lines.append(f"{pad}    tf.autograph.experimental.set_loop_options(checkpoint=True)")
    return "\n".join(lines).replace("(0, b))[1]", "(0, b), checkpoint=True)[1]") + "\n"


def with_effects(text: str) -> str:
    """The program `text`, which then counts its calls, so that it cannot be run again for what a gradient needs."""
    first, rest = text.split("\n", 1)
    return f"{first}\n    COUNT.assign_add(1)\n{rest}"


def load(seed: int, change=str):
    """The function of a seed, and its text after `change`."""
    text = change(Generator(seed).program())
    name = f"<random gradients {seed} {change.__name__}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"tf": tf, "V": V, "W": W, "helper": helper, "cubed": cubed, "scaled": scaled, "triple": triple, "M": M,
             "COUNT": COUNT}  # fmt: skip
    exec(compile(text, name, "exec"), space)
    return space["program"], text


def objective(results):
    """A number made of all results."""
    return sum(tf.reduce_sum(tf.sin(r * (1.0 + 0.3 * i)) + r) for i, r in enumerate(results))


def derivatives(function, a, w, n):
    """First and second derivatives of the objective."""
    sources = [a, w, V, W]
    with tf.GradientTape() as outer:
        outer.watch([a, w])
        with tf.GradientTape() as inner:
            inner.watch([a, w])
            y = objective(function(a, w, n))
        first = inner.gradient(y, sources, unconnected_gradients="zero")
        mixture = sum(tf.reduce_sum(tf.cos(g) * g) for g in first)
    second = outer.gradient(mixture, sources, unconnected_gradients="zero")
    return [*first, *second]


def once(function, a, w, n):
    """First derivatives of the objective, with nobody else watching."""
    with tf.GradientTape() as tape:
        tape.watch([a, w])
        y = objective(function(a, w, n))
    return tape.gradient(y, [a, w, V, W], unconnected_gradients="zero")


def of_one(function, a, w, n):
    """First and second derivatives of one result of two."""
    sources = [a, w, V, W]
    with tf.GradientTape() as outer:
        outer.watch([a, w])
        with tf.GradientTape() as inner:
            inner.watch([a, w])
            y = tf.reduce_sum(function(a, w, n)[0])
        first = inner.gradient(y, sources, unconnected_gradients="zero")
        mixture = sum(tf.reduce_sum(g * g) for g in first)
    return [*first, *outer.gradient(mixture, sources, unconnected_gradients="zero")]


def check(seed: int, quick: bool = False) -> str | None:
    """None, or what is wrong with the program of `seed`; if `quick`, only some of what could be looked at."""
    function, text = load(seed)
    r = random.Random(seed)
    arguments = (
        tf.constant(r.uniform(-1, 1), tf.float64),
        tf.constant([r.uniform(-1, 1) for _ in range(3)], tf.float64),
        tf.constant(r.choice([0, 1, 3])),
    )
    expected = [t.numpy() for t in derivatives(function, *arguments)]
    if not all(np.all(np.abs(e) < 1e6) for e in expected):
        return None  # too large for the comparison, or not a number
    staged = tf.function(function)
    saving = tf.function(load(seed, checkpointed)[0])
    try:
        found = {"checkpointed": once(saving, *arguments), "called under tapes": derivatives(staged, *arguments)}
        found |= (
            {}
            if quick
            else {
                "checkpointed under tapes": derivatives(saving, *arguments),
                "tapes in the graph": tf.function(lambda *xs: derivatives(function, *xs))(*arguments),
                "one tape": once(staged, *arguments),
                "one tape in the graph": tf.function(lambda *xs: once(function, *xs))(*arguments),
            }
        )
        compared = [(what, values, expected) for what, values in found.items()]
        once_only = tf.function(load(seed, with_effects)[0])
        compared.append(
            ("of one result", of_one(once_only, *arguments), [t.numpy() for t in of_one(function, *arguments)])
        )
    except Exception:
        return f"{text}\n{traceback.format_exc()}"
    for what, values, wanted in compared:
        for i, (f, e) in enumerate(zip(values, wanted)):
            if not np.allclose(f.numpy(), e, rtol=1e-7, atol=1e-9):
                return f"{text}\n{what}, derivative {i}: {f.numpy()} instead of {e}"
    return None if "stop_gradient" in text else differences(staged, arguments, expected, text, quick)


def differences(function, arguments, expected, text: str, quick: bool) -> str | None:
    """None, or where `expected` is not what finite differences along a direction give."""
    a, w, n = arguments
    rng = np.random.default_rng(5)
    sources = [a.numpy(), w.numpy(), V.numpy(), W.numpy()]
    direction = [rng.uniform(-1, 1, np.shape(x)) for x in sources]

    def at(step, of):
        moved = [x + step * d for x, d in zip(sources, direction)]
        V.assign(moved[2])
        W.assign(moved[3])
        try:
            return of(tf.constant(moved[0]), tf.constant(moved[1]))
        finally:
            V.assign(sources[2])
            W.assign(sources[3])

    def value(a, w):
        return objective(function(a, w, n)).numpy()

    def mixture(a, w):
        return sum(tf.reduce_sum(tf.cos(g) * g) for g in once(function, a, w, n)).numpy()

    orders = [("first", value, expected[:4]), ("second", mixture, expected[4:])]
    for what, of, grads in orders[: 1 if quick else 2]:
        analytic = sum(float(np.sum(g * d)) for g, d in zip(grads, direction))
        scale = 1.0 + abs(analytic)
        near = []
        for step in (1e-5, 1e-6, 1e-7):  # a smaller step where a kink or a jump is near
            numeric = (at(step, of) - at(-step, of)) / (2 * step)
            near.append(float(numeric))
            if abs(numeric - analytic) < 1e-4 * scale:
                break
        else:
            return f"{text}\n{what} order: {analytic}, but finite differences give {near}"
    return None


def main() -> int:
    """Checks the seeds of the command line."""
    start, stop = int(sys.argv[1]), int(sys.argv[2])
    wrong = 0
    for seed in range(start, stop):
        trouble = check(seed)
        if trouble:
            wrong += 1
            print(f"--- seed {seed}\n{trouble}", flush=True)
    print(f"{stop - start} programs, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
