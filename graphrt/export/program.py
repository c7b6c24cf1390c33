"""`graphrt.export.to_program`: a function as a Python file whose only import is NumPy.

    import numpy as np

    weights = np.array([[1.0, 2.0]], np.float32)

    def f(x):                                   what the executor runs, with the kernels it calls above it
        MatMul = np.matmul(x, weights)
        return (MatMul,)

    def score(x):                               what the user calls: arrays in, arrays out
        ...

Arrays that are too large to be read stand in an archive (`.npz`) beside the file.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.executor.emit import Emitter
from graphrt.export import standins
from graphrt.export.sources import NotPlain, Sources
from graphrt.function.concrete import ConcreteFunction
from graphrt.ir.code import Code, identifier
from graphrt.ir.graph import Graph, Node
from graphrt.ir.op import CALLS_PYTHON
from graphrt.ops.io.whole_files import replaced
from graphrt.passes import run_passes
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.types.dtype import bfloat16
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims
from graphrt.types.structure import children, flatten, is_nested

__all__ = ["to_program"]

_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)
_LIMIT = 100  # nodes that an error lists
_OPS, _BODY = ("# --- what the ops do ".ljust(119, "-"), "# --- the function ".ljust(119, "-"))


def to_program(concrete: ConcreteFunction, path: str | os.PathLike[str], name: str | None = None) -> list[str]:
    """Writes `concrete` as a Python file that needs NumPy and nothing else; gives the names of the files written.

    The file has a function called `name` (that of `concrete`, if not given), which takes arrays by
    the names of its tensors and gives what the function gives, bit for bit; its variables are variables of the file.
    Large arrays stand beside it, in an archive of the same name that ends with `.npz`.

    >>> import graphrt as tf, os, tempfile
    >>> @tf.function
    ... def double(x):
    ...     return {"y": x * 2.0}
    >>> path = os.path.join(tempfile.mkdtemp(), "double.py")
    >>> _ = tf.export.to_program(double.get_concrete_function(tf.TensorSpec([None])), path)
    >>> namespace = {"__name__": "double", "__file__": path}
    >>> exec(open(path).read(), namespace)
    >>> namespace["double"]([1.0, 2.0])["y"].tolist()
    [2.0, 4.0]

    Raises:
      OSError: the files cannot be written; what stood there before is unchanged.
      TypeError: `concrete` is no concrete function.
      UnimplementedError: nodes need something that NumPy does not have; all of them are listed. Nothing is written.
    """
    if not isinstance(concrete, ConcreteFunction):
        raise TypeError(errors.at_user_line(f"to_program expects a concrete function, got {shown(concrete)}"))
    target = os.fspath(path)
    target = target if target.endswith(".py") else f"{target}.py"
    archive = f"{target[:-3]}.npz"
    program = _Program(concrete, name or concrete.function_name, os.path.basename(archive))
    text = program.text()
    if not program.stored:
        with replaced(target) as file:
            file.write(text.encode())
        return [target]
    with replaced(archive) as numbers, replaced(target) as file:  # both are written when the first takes its place
        np.savez(numbers, **program.stored)
        numbers.flush()
        os.fsync(numbers.fileno())
        file.write(text.encode())
    return [target, archive]


class _Program:
    def __init__(self, concrete: ConcreteFunction, name: str, archive: str) -> None:
        self.concrete = concrete
        self.name = name
        self.archive = archive
        self.stored: dict[str, Any] = {}
        self.problems: dict[str, tuple[Node | None, str]] = {}

    def text(self) -> str:
        """The whole file.

        Raises:
          UnimplementedError: part of it has no text.
        """
        graph = self.concrete.graph
        pending: list[tuple[Graph, Code]] = []

        def callee(inner: Graph, namespace: dict[str, Any], name: str) -> None:
            pending.append((inner, identifier(name)))

        emitter = Emitter(callee, is_bare=True)
        emitter.bind(np, "np")
        public = emitter.fresh(self.name)
        body = emitter.fresh("computed")
        self.emit(emitter, graph, body)
        for inner, name in pending:  # grows while it is walked
            self.emit(emitter, inner, name)
        calls = {str(name) for _, name in pending}
        words = {w for line in emitter.text for w in _WORD.findall(line)}
        sources = Sources(words | {public, body, "stored"}, self.store)
        owners = self.owners(emitter)
        for label, thing in emitter.namespace.items():
            if label not in calls and thing is not np and label in words:
                self.attempt(sources, label, thing, owners.get(label))
        captured = [self.captured(sources, outer, inner.value.node) for outer, inner in graph.captures]
        front = self.front(sources, public, body, captured)
        if self.problems:
            self.refuse()
        return self.whole(sources.text, emitter.text, front)

    def emit(self, emitter: Emitter, graph: Graph, name: Code) -> None:
        ready = run_passes(graph)
        for part in (ready, *ready.functions().values()):
            for node in part.nodes:
                if any(v.dtype is bfloat16 for v in node.outputs):
                    self.problems[node.name] = node, "NumPy has no bfloat16"
                elif node.op.has(CALLS_PYTHON):
                    self.problems[node.name] = node, "it calls a Python function"
        try:
            emitter.add_function(ready, name)
        except ValueError as error:
            self.problems[str(error)] = None, str(error)

    def owners(self, emitter: Emitter) -> dict[str, Node]:
        """For each word of the text the node whose line has it first."""
        found: dict[str, Node] = {}
        for line, origin in zip(emitter.text, emitter.table):
            if origin is not None:
                for word in _WORD.findall(line):
                    found.setdefault(word, origin[0])
        return found

    def attempt(self, sources: Sources, name: str, thing: object, node: Node | None) -> None:
        try:
            sources.define(name, thing)
        except NotPlain as why:
            self.problems.setdefault(node.name if node is not None else name, (node, str(why)))

    def captured(self, sources: Sources, outer: Tensor, node: Node) -> str:
        if not isinstance(outer, EagerTensor):
            self.problems[node.name] = node, f"it captured {outer!r}"
            return ""
        try:
            return sources.expression(raw_of(outer), node.name)
        except NotPlain as why:
            self.problems[node.name] = node, str(why)
            return ""

    def store(self, name: str, array: Array) -> str:
        if array.dtype.kind == "O":
            raise NotPlain("no archive holds strings")
        self.stored[name] = array
        return f'stored["{name}"]' if array.ndim else f'stored["{name}"][()]'

    def refuse(self) -> None:
        lines = []
        for node, why in list(self.problems.values())[:_LIMIT]:
            what = "" if node is None else f"node {node.name!r} ({node.type})"
            place = "" if node is None or node.location is None else f" at {node.location[0]}:{node.location[1]}"
            lines.append(f"  {what}{place}: {why}" if what else f"  {why}")
        raise errors.UnimplementedError(
            None, None,
            f"{self.name!r} cannot become a program of NumPy alone:\n" + "\n".join(lines),
        )  # fmt: skip

    # --- what the user calls ---
    def front(self, sources: Sources, public: str, body: str, captured: list[str]) -> list[str]:
        """The function that takes and gives arrays."""
        count = len(self.concrete.argument_type.dims)
        values = self.concrete.graph.inputs[:count]
        given = sources.expression(standins.given, "given")
        names = _parameters(self.concrete, {given, body, "np", "results", *captured})
        lines = [f"def {public}({', '.join(names)}):", f'    """{_described(self.concrete, names)}"""']
        for name, value in zip(names, values):
            if value.dtype is bfloat16:
                self.problems.setdefault(value.node.name, (value.node, "NumPy has no bfloat16"))
                continue
            kind = sources.expression(value.dtype.as_numpy_dtype)
            lines.append(f"    {name} = {given}({name}, {kind}, {value.dims!r}, {name!r})")
        lines.append('    with np.errstate(all="ignore"):')
        lines.append(f"        results = {body}({', '.join([*names, *captured])})")
        supply = iter(range(len(self.concrete.graph.outputs)))
        lines.append(f"    return {_structure(self.concrete.graph.structured_outputs, supply)}")
        return lines

    def whole(self, helpers: list[str], body: list[str], front: list[str]) -> str:
        title = f'"""{self.name}: written by graphrt, needs NumPy and nothing else."""'
        load = ""
        if self.stored:
            folder = '__file__.replace("\\\\", "/").rpartition("/")[0]'
            load = f'\nstored = np.load(({folder} or ".") + "/{self.archive}")\n'
        parts = [title, "\nimport numpy as np\n", load]
        if helpers:
            parts += [f"\n\n{_OPS}\n", _spaced(helpers)]
        parts += [f"\n\n{_BODY}\n", "\n".join(_functions(body)).rstrip("\n"), "\n\n\n", "\n".join(front), "\n"]
        return "".join(parts)


def _spaced(texts: list[str]) -> str:
    """Definitions, with two blank lines around those of several lines."""
    lines: list[str] = []
    long = True
    for text in texts:
        if "\n" in text or long:
            lines += ["", ""] if lines else []
        long = "\n" in text
        lines.append(text.rstrip("\n"))
    return "\n".join(lines) + "\n"


def _functions(body: list[str]) -> Iterator[str]:
    for line in body:
        if line.startswith("def ") and line != body[0]:
            yield ""
        yield line


def _parameters(concrete: ConcreteFunction, taken: set[str]) -> list[str]:
    made: list[str] = []
    for name in _keywords(concrete):
        text = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_") or "x"
        text = f"v{text}" if text[0].isdigit() or keyword.iskeyword(text) else text
        while text in taken:
            text += "_"
        taken.add(text)
        made.append(text)
    return made


def _keywords(concrete: ConcreteFunction) -> list[str]:
    """The names of the tensors: those of the arguments, where each argument is one tensor."""
    names = concrete.argument_type.names(concrete.signature, concrete.skipped)
    given = [full for _, full in names]
    return given if len(set(given)) == len(given) == len(concrete.flat_names) else list(concrete.flat_names)


def _described(concrete: ConcreteFunction, names: list[str]) -> str:
    values = concrete.graph.inputs
    takes = ", ".join(f"{n} {v.dtype.name}{_dims(v.dims)}" for n, v in zip(names, values))
    gives = ", ".join(f"{v.dtype.name}{_dims(v.dims)}" for v in concrete.graph.outputs)
    return f"Takes {takes or 'nothing'}; gives {gives or 'nothing'}."


def _dims(dims: Dims) -> str:
    return "[...]" if dims is None else "[" + ", ".join("None" if d is None else str(d) for d in dims) + "]"


def _structure(like: Any, supply: Iterator[int]) -> str:
    """The structure of the results as an expression; what is made of several tensors becomes a tuple of them."""
    if like is None:
        return "None"
    if isinstance(like, Tensor):
        return f"results[{next(supply)}]"
    if isinstance(like, dict):
        found = dict(children(like))
        return "{" + ", ".join(f"{k!r}: {_structure(v, supply)}" for k, v in found.items()) + "}"
    if is_nested(like):
        inner = ", ".join(_structure(v, supply) for _, v in children(like))
        return f"[{inner}]" if isinstance(like, list) else f"({inner},)"
    return f"({', '.join(f'results[{next(supply)}]' for _ in flatten(like, expand_composites=True))},)"
