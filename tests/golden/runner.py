"""The runner of golden calls: runs the lines of a text file with a module that has TensorFlow's names.

A file of `calls/` is named after the room or the names that it is about, and holds a line for each expression:

    # a comment
    ! X = ([[1.0, 2.0, 3.0]], "float32", [None, 3])     a statement: it prepares the lines below
    tf.reduce_sum([1, 2])                               an expression in `tf`, `np` and `grad(function, *values)`
    tf.concat([a, b], 0) <- X, X                        one in `a`, `b`, `c`: each a tensor of (values, dtype), in graphs an
                                                        argument of that shape, or of the static shape given as third
    tf.ragged.constant([[1], []]) <-                    one without arguments that is traced, too
    ? tf.norm([1.0], ord="x")                           one where TensorFlow is known to be wrong: run, and not compared

The file of the same name in JSON has what TensorFlow gave for each line (`python -m tests.golden.record_calls`):
a value or an error; of what is traced three: what the eager call gives, the static shapes of the results, and how the
run of the graph differs from the eager call, if it does. Where we mean to differ, `NAME.differences.json` has what we give
instead, and why.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tests import GOLDEN

CALLS = GOLDEN / "calls"
SAME_ERRORS = {  # ours are of several kinds at once
    "CompositeGiven": ("ValueError", "TypeError"),
    "ConversionError": ("ValueError", "TypeError", "InvalidArgumentError"),
    "DTypeMismatchError": ("ValueError", "TypeError", "InvalidArgumentError"),
    "ShapeError": ("ValueError", "InvalidArgumentError"),
    "StructureMismatchError": ("ValueError", "TypeError"),
}
TOLERANCE = {"float16": 4e-3, "bfloat16": 2e-2, "float64": 1e-9, "complex128": 1e-9}  # relative and absolute; else:
USUAL_TOLERANCE = 2e-5


# --- what a call gives, as plain data --------------------------------------------------------------------------------
def number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.16g}"
    if isinstance(value, complex):
        return f"{value.real:.16g} {value.imag:.16g}"
    return repr(value)


def array(kind: str, value: Any, dtype: str) -> list[Any]:
    flat = np.asarray(value).reshape(-1)
    if flat.dtype.kind not in "biufcSUO":
        flat = flat.astype("float64")  # bfloat16
    if flat.dtype == np.float32:  # the shortest text, not that of the nearest double
        return [kind, dtype, list(np.shape(value)), [f"{v:.9g}" for v in flat.tolist()]]
    return [kind, dtype, list(np.shape(value)), [number(v) for v in flat.tolist()]]


def shown(value: Any, depth: int = 0) -> Any:
    """`value` as plain data, alike for both modules."""
    if depth > 5:
        return "..."
    if isinstance(value, (list, tuple)):
        return ["list" if isinstance(value, list) else "tuple", [shown(v, depth + 1) for v in value]]
    if isinstance(value, dict):
        return ["dict", {str(k): shown(v, depth + 1) for k, v in value.items()}]
    if type(value).__name__ == "KerasTensor":
        return ["symbolic", list(value.shape), str(getattr(value.dtype, "name", value.dtype))]
    if hasattr(value, "to_list") and hasattr(value, "flat_values"):
        return ["ragged", str(value.shape), value.row_splits.dtype.name, *shown_parts(value)]
    if hasattr(value, "dense_shape") and hasattr(value, "indices"):
        return ["sparse", *(shown(v, depth + 1) for v in (value.indices, value.values, value.dense_shape))]
    if hasattr(value, "numpy") and not isinstance(value, type):
        return array("tensor", value.numpy(), getattr(value.dtype, "name", value.dtype))
    if isinstance(value, (np.ndarray, np.generic)):
        return array("array", value, str(value.dtype))
    if isinstance(value, float):
        return number(value)
    text = re.sub(r"0x[0-9a-f]+", "0x", repr(value))
    return re.sub(r"\b(tensorflow|keras\.src|graphrt)[\w.]*\.", "", text)[:400]


def shown_parts(ragged: Any) -> list[Any]:
    """Of a ragged tensor: where the rows end, by dimension, and the values."""
    splits = [part.numpy().tolist() for part in ragged.nested_row_splits]
    return [splits, array("tensor", ragged.flat_values.numpy(), ragged.dtype.name)]


def failure(error: BaseException) -> list[str]:
    return ["error", type(error).__name__, str(error).partition("\n")[0][:200]]


def is_error(found: Any) -> bool:
    return isinstance(found, list) and found[:1] == ["error"]


def outcome(call: Callable[[], Any], encode: Callable[[Any], Any] = shown) -> Any:
    try:
        return encode(call())
    except Exception as error:
        return failure(error)


# --- the lines of a file ---------------------------------------------------------------------------------------------
class Line(NamedTuple):
    text: str
    expression: str
    arguments: str | None  # where it is traced, too
    compared: bool = True


def lines(name: str) -> Iterator[Line]:
    """The expressions of the file `name`, and its statements, whose text begins with `!`."""
    for text in map(str.strip, (CALLS / f"{name}.txt").read_text(encoding="utf-8").splitlines()):
        if not text or text.startswith("#"):
            continue
        compared = not text.startswith("?")
        expression, arrow, arguments = text.removeprefix("?").strip().partition(" <-")
        yield Line(text, expression, arguments.strip() if arrow else None, compared)


class Case:
    """One traced expression with its arguments."""

    def __init__(self, tf: Any, line: Line, names: dict[str, Any]) -> None:
        given = eval(f"[{line.arguments}]", names)
        self.tf, self.line = tf, line
        self.names = {key: value for key, value in names.items() if key not in "abc"}
        self.given = dict(zip("abc", given))

    def eager(self) -> Any:
        return eval(self.line.expression, self.names | {k: self.tf.constant(v[0], v[1]) for k, v in self.given.items()})

    def traced(self) -> Any:
        """The concrete function."""
        scope: dict[str, Any] = {"of": lambda values: eval(self.line.expression, self.names | values)}
        parameters = ", ".join(self.given)
        exec(f"def g({parameters}):\n    return of(dict({', '.join(f'{k}={k}' for k in self.given)}))", scope)
        specs = [
            self.tf.TensorSpec(v[2] if len(v) > 2 else list(np.shape(v[0])), v[1], name=k) for k, v in self.given.items()
        ]
        return self.tf.function(scope["g"], autograph=False).get_concrete_function(*specs)

    def run(self, concrete: Any) -> Any:
        return concrete(*[self.tf.constant(v[0], v[1]) for v in self.given.values()])


def gradients(tf: Any) -> Callable[..., Any]:
    """What files call `grad`."""

    def grad(function: Callable[..., Any], *values: Any) -> list[Any]:
        inputs = [tf.convert_to_tensor(v) for v in values]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = function(*inputs)
        return [None if g is None else tf.convert_to_tensor(g) for g in tape.gradient(result, inputs)]

    return grad


def scope(tf: Any) -> dict[str, Any]:
    """The names that the lines of a file may use, before those that its statements make."""
    return {"tf": tf, "np": np, "grad": gradients(tf)}


def eager(tf: Any, line: Line, names: dict[str, Any]) -> Any:
    """What an expression gives when it is called at once."""
    return eval(line.expression, names) if line.arguments is None else Case(tf, line, names).eager()


def static_shapes(concrete: Any) -> list[Any]:
    """The static shapes of the tensors that a concrete function returns."""
    leaves = concrete.structured_outputs
    leaves = list(leaves) if isinstance(leaves, (list, tuple)) else [leaves]
    shapes = (getattr(leaf, "shape", None) for leaf in leaves)
    return [None if s is None or s.rank is None else s.as_list() for s in shapes]


def run(tf: Any, name: str, own: bool = False) -> dict[str, Any]:
    """For each line of the file what it gave; lines with `?` run if they are `own`.

    Raises:
      AssertionError: a line stands there twice, or a statement fails.
    """
    found: dict[str, Any] = {}
    names = scope(tf)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for line in lines(name):
            if line.text.startswith("!"):
                try:
                    exec(line.text[1:].strip(), names)
                except Exception as error:
                    raise AssertionError(f"{name}: {line.text}") from error
            elif not line.compared:
                if own:
                    eval(line.expression, names)
            else:
                assert line.text not in found, f"{name}: twice: {line.text}"
                found[line.text] = result(tf, line, names)
    return found


def result(tf: Any, line: Line, names: dict[str, Any]) -> Any:
    if line.arguments is None:
        return outcome(lambda: eval(line.expression, names))
    case = Case(tf, line, names)
    eager = outcome(case.eager)
    try:
        concrete = case.traced()
        shapes = static_shapes(concrete)
    except Exception as error:
        return {"eager": eager, "static": failure(error), "run": None}
    ran = outcome(lambda: case.run(concrete))
    alike = not is_error(ran) and equal(without_shapes(ran), without_shapes(eager))
    return {"eager": eager, "static": shapes, "run": None if alike else ran}


def without_shapes(found: Any) -> Any:
    """A result without the static shapes of ragged tensors, of which less is known in a trace."""
    if isinstance(found, list) and found[:1] == ["ragged"]:
        return [found[0], None, *found[2:]]
    if isinstance(found, list):
        return [without_shapes(part) for part in found]
    if isinstance(found, dict):
        return {key: without_shapes(part) for key, part in found.items()}
    return found


# --- comparison ------------------------------------------------------------------------------------------------------
def equal(ours: Any, theirs: Any, tolerance: float = USUAL_TOLERANCE) -> bool:
    """Whether both are the same up to the last digits of floats, and errors of a kind."""
    if isinstance(ours, list) and isinstance(theirs, list):
        if is_error(ours) and is_error(theirs):
            return ours[1] == theirs[1] or theirs[1] in SAME_ERRORS.get(ours[1], ())
        if ours[:1] == theirs[:1] and ours[:1] in (["tensor"], ["array"]):
            tolerance = TOLERANCE.get(theirs[1], USUAL_TOLERANCE)
        return len(ours) == len(theirs) and all(equal(a, b, tolerance) for a, b in zip(ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(equal(ours[k], theirs[k], tolerance) for k in ours)
    if ours == theirs:
        return True
    try:
        a, b = ([float(x) for x in v.split()] for v in (ours, theirs))
    except (ValueError, AttributeError):
        return False
    return len(a) == len(b) and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def fits(ours: list[int | None] | None, theirs: list[int | None] | None) -> bool:
    """Whether all that TensorFlow knows of a shape is known here, too (more may be)."""
    if theirs is None or ours is None:
        return theirs is None
    return len(ours) == len(theirs) and all(t is None or o == t for o, t in zip(ours, theirs))


def agree(ours: Any, theirs: Any) -> bool:
    """Whether the results of a line agree, eagerly and traced."""
    if not isinstance(theirs, dict):
        return equal(ours, theirs)
    if not equal(ours["eager"], theirs["eager"]):
        return False
    found, wanted = ours["static"], theirs["static"]
    if is_error(wanted):
        return equal(found, wanted)
    if is_error(found):  # seen while tracing already
        return is_error(theirs["run"]) and equal(found, theirs["run"])
    if len(found) != len(wanted) or not all(map(fits, found, wanted)):
        return False
    return is_error(theirs["eager"]) or theirs["run"] is not None or ours["run"] is None


def disagreements(found: dict[str, Any], recorded: dict[str, Any], differences: dict[str, Any]) -> list[str]:
    """What is to be said of the lines of a file: where we differ, or no longer differ as we say."""
    told = [f"{line}: is in `differences` and not in the file" for line in differences.keys() - found.keys()]
    for line, theirs in recorded.items():
        ours, meant = found[line], differences.get(line)
        if meant is None and not agree(ours, theirs):
            told.append(f"{line}\n  ours       {ours}\n  TensorFlow {theirs}")
        elif meant is not None and agree(ours, theirs):
            told.append(f"{line}: is as in TensorFlow now, and still in `differences`")
        elif meant is not None and not agree(ours, meant["gives"]):
            told.append(f"{line}\n  ours       {ours}\n  meant      {meant['gives']}\n  TensorFlow {theirs}")
    return told


def read(name: str, kind: str) -> dict[str, Any]:
    """The JSON beside the file `name`: `recorded`, or the `differences`, of which there may be none."""
    path = CALLS / f"{name}{'.differences' if kind == 'differences' else ''}.json"
    return json.loads(path.read_text(encoding="utf-8")) if kind == "recorded" or path.exists() else {}


def write(name: str, found: dict[str, Any], kind: str = "recorded") -> None:
    path = CALLS / f"{name}{'.differences' if kind == 'differences' else ''}.json"
    rows = [f"{json.dumps(line)}: {json.dumps(value)}" for line, value in found.items()]
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def files(under: str | None = None) -> list[str]:
    """The names of the files: `under` is a file or a folder ("" is that of all); all there are without it."""
    found = sorted(str(path.relative_to(CALLS).with_suffix("")) for path in CALLS.rglob("*.txt"))
    return [name for name in found if under is None or under in (name, name.rpartition("/")[0])]
