"""One region of a graph as a native function, and as the NumPy program that stands in where that fails.

A region has no effects: so whatever goes wrong in native code (an index out of range, a division by zero, no memory), NumPy
runs the same nodes on the same inputs and tells what it is, with the user's line.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from graphrt.errors import GraphRTWarning, MissingExtraError, warn
from graphrt.executor.program import compile_graph
from graphrt.ir.code import Code, Template, commas, identifier
from graphrt.ir.graph import Graph
from graphrt.native import rules
from graphrt.native.building import Signature, build, run_plainly
from graphrt.native.lower import Builder, parameter
from graphrt.native.terms import Term, machine_type
from graphrt.native.text import CALLED, NUMBER, TUPLE, TUPLE_OF_ONE, Loop, Text, type_name

assert rules
_OTHER_SIZE = Template("{}.shape[{}] != {}")
_NOT = Template("not {}")
_OR = Template("{} or {}")
_CALL = Template("    return {}")
_UNPACKED = Template("        {} = {}({})")
_ONE = Template("{},")
_OF_ARRAY = Template("{}[()]")  # of an array without axes native code would take the real part
_DEF = Template("def {}({}):")
_TRY = Template("    try:")()
_EXCEPT = Template("    except {}:")
_RECOVERED = Template("        return {}({})")


class Source:
    """The text of a native function with all that it needs to be compiled.

    Attributes:
      text: one Python function, `native`.
      loops: the loops of NumPy that it calls.
      constants: arrays that it takes after its inputs.
      signature: the dtypes and ranks of all that it takes.
      results: the dtypes and ranks of what it gives.
    """

    __slots__ = ("constants", "loops", "results", "signature", "text")

    def __init__(
        self, text: str, loops: dict[str, Loop], constants: list[np.ndarray[Any, Any]], signature: Signature,
        results: Signature,
    ) -> None:  # fmt: skip
        self.text = text
        self.loops = loops
        self.constants = constants
        self.signature = signature
        self.results = results


def source_of(graph: Graph) -> Source:
    """The native program of a graph all of whose ops have rules.

    Raises:
      Unsupported: one has none.
    """
    text = Text()
    builder = Builder(text)
    given = {v: parameter(v, text.fresh(v.node.name)) for v in graph.inputs}
    for term in given.values():
        _check_sizes(text, term)
    results = builder.graph(graph, given, graph.outputs)
    codes = text.steps(builder.made, results)
    codes = [CALLED(identifier("result"), c) if t.dims else c for c, t in zip(codes, results)]
    names = [t.code for t in given.values() if t.code is not None]
    body = text.function("native", names, codes)
    signature = [(t.dtype, len(t.dims)) for t in given.values()]
    signature += [(c.dtype.name, c.ndim) for _, c in text.constants]
    outs = [(machine_type(v.dtype), len(t.dims)) for v, t in zip(graph.outputs, results)]
    return Source(body, text.loops, [np.ascontiguousarray(c) for _, c in text.constants], tuple(signature), tuple(outs))


def _check_sizes(text: Text, term: Term) -> None:
    """An array that is not as promised must not be trusted: native code checks no index, and knows no strides."""
    tests = [_OTHER_SIZE(text.array(term), i, NUMBER(d)) for i, d in enumerate(term.dims) if isinstance(d, int)]
    if term.dims:
        tests.insert(0, _NOT(CALLED(identifier("in_rows"), text.array(term))))
        test = tests[0]
        for other in tests[1:]:
            test = _OR(test, other)
        text.fail_if(test)


class Region:
    """A region that is compiled when it first runs.

    Attributes:
      graph: its nodes.
      source: its program.
    """

    def __init__(self, graph: Graph, plain: bool = False) -> None:
        self.graph = graph
        self.source = source_of(graph)
        self._plain = plain
        self._lock = threading.Lock()
        self._numpy: Callable[..., Any] | None = None
        self._kernel: Callable[..., Any] | None = None
        self.run = self._runner()

    def compile(self) -> None:
        """Makes machine code now."""
        self.kernel()

    def kernel(self) -> Callable[..., Any]:
        """The native function itself, which takes arrays in rows and numbers of exactly its dtypes."""
        with self._lock:
            if self._kernel is None:
                make = run_plainly if self._plain else build
                self._kernel = make(self.source)
            return self._kernel

    def _runner(self) -> Callable[..., Any]:
        """A function that calls the native one, gives numbers their types, and asks NumPy where that fails."""
        source = self.source
        count = len(source.signature) - len(source.constants)
        args = [identifier(f"a{i}") for i in range(count)]
        given = [_OF_ARRAY(a) if r == 0 and d.startswith("complex") else a for a, (d, r) in zip(args, source.signature)]
        more = [identifier(f"c{i}") for i in range(len(source.constants))]
        outs = [identifier(f"r{i}") for i in range(len(source.results))]
        numbers = [_typed(r, dtype) if rank == 0 else r for r, (dtype, rank) in zip(outs, source.results)]
        lines = [
            _DEF(identifier("run"), commas(args)),
            _TRY,
            _UNPACKED(_ONE(outs[0]) if len(outs) == 1 else commas(outs), identifier("kernel"), commas([*given, *more])),
            _EXCEPT(identifier("Exception")),
            _RECOVERED(identifier("recover"), commas(args)),
            _CALL(TUPLE_OF_ONE(numbers[0]) if len(numbers) == 1 else TUPLE(commas(numbers))),
        ]
        namespace: dict[str, Any] = {"recover": self._recover, "bool_": np.bool_}
        namespace.update({t: getattr(np, t) for t, _ in source.results if t != "bool"})
        namespace.update(zip(more, source.constants))
        namespace["kernel"] = self._first_call(namespace)
        exec(compile("\n".join(lines) + "\n", "<graphrt native call>", "exec", dont_inherit=True), namespace)
        run: Callable[..., Any] = namespace["run"]
        return run

    def _first_call(self, namespace: dict[str, Any]) -> Callable[..., Any]:
        def first_call(*values: Any) -> Any:
            try:
                kernel = namespace["kernel"] = self.kernel()
            except MissingExtraError:
                raise
            except Exception as error:
                namespace["kernel"] = self._kernel = _refuse
                text = f"{self.graph.name} runs in NumPy: Numba could not compile it: {type(error).__name__}: {error}"
                warn(text, GraphRTWarning)
                return _refuse()
            return kernel(*values)

        return first_call

    def _recover(self, *values: Any) -> Any:
        """What NumPy makes of inputs that native code refused: of arrays that lie otherwise a copy is tried first."""
        source = self.source
        count = len(values)
        tidy = tuple(_tidy(v, dtype, rank) for v, (dtype, rank) in zip(values, source.signature))
        if any(a is not b for a, b in zip(tidy, values)):
            try:
                results = self.kernel()(*tidy, *source.constants)
                return tuple(
                    getattr(np, "bool_" if t == "bool" else t)(r) if rank == 0 else r
                    for r, (t, rank) in zip(results, source.results)
                )
            except Exception:  # NumPy says what is wrong
                pass
        if self._numpy is None:
            self._numpy = compile_graph(self.graph).function
        return self._numpy(*values[:count])


def _refuse(*values: Any) -> NoReturn:
    raise ArithmeticError


def _typed(code: Code, dtype: str) -> Code:
    return CALLED(type_name(dtype), code)


def _tidy(value: Any, dtype: str, rank: int) -> Any:
    """`value` as native code takes it: numbers as numbers, arrays in one piece."""
    if rank == 0:
        return value if isinstance(value, np.generic) else np.asarray(value)[()]
    return value if value.flags.c_contiguous and value.flags.aligned else np.array(value, order="C")
