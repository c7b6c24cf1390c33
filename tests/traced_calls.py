"""What is refused while tracing, here and by TensorFlow: `python -m tests.traced_calls --tensorflow PYTHON [NAME...]`.

    --seed N      which calls are drawn, as in `tests.random_calls`
    --count N     how many of each function
    --spaces A,B  the namespaces that are looked at
    --each N      differences of a kind that are told of a function
    --less        what TensorFlow refuses while tracing that is refused nowhere here, and sizes of which less is known, too

Constants of a call become arguments of a function, whose shapes and dtypes are known and whose values are not. Wrong is a call
that is refused at once, that TensorFlow refuses while tracing, and of which a trace here says nothing; and a call that works at once
and that is refused while tracing here alone.
"""

from __future__ import annotations

import argparse
import ast
import collections
import re
import signal
import sys
import warnings
from typing import Any

import numpy as np

from tests import random_calls

KINDS = ("refused at once, not traced", "refused while tracing", "other shapes", "refused nowhere", "less is known")


class _Lift(ast.NodeTransformer):
    """Constants of tensors become `P[0]`, `P[1]`, ...; variables and arrays are made before, as `Q[0]`, ..."""

    def __init__(self) -> None:
        self.lifted: dict[str, list[ast.expr]] = {"P": [], "Q": []}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        letter = {"C": "P", "V": "Q", "N": "Q"}.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if letter is None:
            return node
        self.lifted[letter].append(node)
        name = ast.Name(letter, ast.Load())
        return ast.Subscript(name, ast.Constant(len(self.lifted[letter]) - 1), ast.Load())


def _leaf(leaf: Any) -> Any:
    shape = getattr(leaf, "shape", None)
    dims = getattr(shape, "rank", "none")
    if dims == "none":
        return random_calls.KINDS.get(type(leaf).__name__, type(leaf).__name__)
    dtype = getattr(leaf.dtype, "name", str(leaf.dtype))
    return [dtype, None if dims is None else [None if d is None else int(d) for d in shape.as_list()]]


def answer(tf: Any, names: dict[str, Any], text: str) -> Any:
    """Dtypes and shapes of the leaves of a traced call, or the class of the error."""
    lift = _Lift()
    tree = ast.fix_missing_locations(lift.visit(ast.parse(text, mode="eval")))
    found: list[Any] = []
    try:
        made = {
            letter: [eval(compile(ast.Expression(node), "made", "eval"), names) for node in nodes]
            for letter, nodes in lift.lifted.items()
        }
        code = compile(tree, "call", "eval")

        def function(*given: Any) -> list[Any]:
            result = eval(code, names | {"P": given, "Q": made["Q"]})
            leaves = [result] if result is None else tf.nest.flatten(result, expand_composites=True)
            found[:] = [_leaf(leaf) for leaf in leaves]
            return [leaf for leaf in leaves if hasattr(leaf, "op") and not hasattr(leaf, "assign")]

        with np.errstate(all="ignore"):
            specs = [tf.TensorSpec(p.shape, p.dtype) for p in made["P"]]
            tf.function(function, autograph=False, input_signature=specs).get_concrete_function()
        return found
    except Exception as error:
        return type(error).__name__ if type(error).__name__ != "TimeoutError" else "takes too long"


def _says_less(ours: Any, theirs: Any) -> tuple[bool, bool]:
    """Whether a leaf contradicts TensorFlow's, and whether it says less."""
    if not isinstance(ours, list) or not isinstance(theirs, list):
        return False, False
    a, b = ours[1], theirs[1]
    if a is None or b is None:
        return False, b is not None
    wrong = len(a) != len(b) or any(m != n for m, n in zip(a, b) if None not in (m, n))
    return wrong, any(m is None and n is not None for m, n in zip(a, b))


def kind(eager: Any, ours: Any, theirs: Any) -> str | None:
    """What differs of a call: what it gives at once, traced here, and traced by TensorFlow."""
    if isinstance(theirs, str):
        if isinstance(ours, str) or theirs == "takes too long":
            return None
        return KINDS[0] if isinstance(eager, str) else KINDS[3]
    if isinstance(ours, str):
        return None if isinstance(eager, str) else KINDS[1]
    if len(ours) != len(theirs) or isinstance(eager, str):
        return None
    told = [_says_less(a, b) for a, b in zip(ours, theirs)]
    return KINDS[2] if any(a for a, _ in told) else KINDS[4] if any(b for _, b in told) else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.traced_calls", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tensorflow", default=sys.executable)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--spaces", default=None)
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--less", action="store_true")
    return parser


def main(arguments: list[str]) -> int:
    """Runs the comparison; the exit code is 1 where something differs."""
    options = _parser().parse_args(arguments)
    import graphrt as tf  # lazy: what serves has no graphrt

    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, random_calls._too_long)
    names = random_calls.scope(tf)
    spaces = random_calls.SPACES if options.spaces is None else options.spaces.split(",")
    calls: list[tuple[str, str, Any, Any]] = []
    for name, _, parameters in random_calls.functions(spaces, options.names):
        for text, eager in random_calls.drawn(tf, names, options.seed, options.count, name, parameters, 0.6):
            signal.setitimer(signal.ITIMER_REAL, random_calls.SECONDS)
            try:
                traced = answer(tf, names, text)
            except TimeoutError:
                traced = "takes too long"
            signal.setitimer(signal.ITIMER_REAL, 0)
            calls.append((name, text, eager, traced))
    theirs = random_calls.asked(options.tensorflow, [text for _, text, _, _ in calls], "tests.traced_calls")
    told: dict[tuple[str, str], int] = collections.Counter()
    for (name, text, eager, ours), other in zip(calls, theirs):
        found = None if other is None else kind(eager, ours, other)
        if found is None or (found in KINDS[3:] and not options.less):
            continue
        told[name, found] += 1
        if told[name, found] <= options.each:
            line = f"[{found}] {text}: {eager} at once, {ours} traced; TensorFlow {other}"
            print(re.sub(r"\s+", " ", line)[:700], flush=True)
    print(f"{len(calls)} calls; {sum(told.values())} differ, of {len(told)} kinds")
    return int(bool(told))


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        random_calls.serve(answer)
    else:
        sys.exit(main(sys.argv[1:]))
