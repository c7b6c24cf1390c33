"""Matrix products: small ones as loops, which add up in the order of the rows, others by the loop of `numpy.matmul`."""

from __future__ import annotations

from graphrt.ir.code import Code, Template, commas
from graphrt.ir.graph import Node
from graphrt.native.lower import Builder, rule_for
from graphrt.native.rules.elementwise import number
from graphrt.native.terms import Term, Unsupported
from graphrt.native.text import ASSIGNED, CALLED, FOR, ITEM, NUMBER, STORED, Text
from graphrt.ops.linalg.matmul import MatMul

_SMALL = 512  # products: fewer than that are done before BLAS has begun
_PLUS = Template("{} + {} * {}")
_PAIR = Template("{}, {}")


@rule_for(MatMul)
def _matmul(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, y = args
    ta, tb = bool(node.attrs["transpose_a"]), bool(node.attrs["transpose_b"])
    if x.dtype not in ("float32", "float64"):
        raise Unsupported(f"a matrix product of {x.dtype}")
    if len(x.dims) != 2 or len(y.dims) != 2:
        raise Unsupported("its operands are no matrices")
    rows, inner = x.dims[::-1] if ta else x.dims
    other, columns = y.dims[::-1] if tb else y.dims
    dims = (rows, columns)
    sizes = [rows, inner, columns]
    work = 1
    for size in sizes:
        work *= size if isinstance(size, int) else _SMALL + 1

    def emit(text: Text) -> Code:
        text.require(inner, other)
        out = text.empty(dims, x.dtype, "product")
        left, right = text.array(x), text.array(y)
        if work <= _SMALL:
            _loops(text, left, right, out, [text.size(s) for s in sizes], ta, tb, x.dtype)
        else:
            flags = [NUMBER(ta), NUMBER(tb)]
            text.line(CALLED(text.use("matmul", "matmul", x.dtype), commas([left, right, out, *flags])))
        return out

    return [b.call(dims, x.dtype, emit, args, "product")]


def _loops(text: Text, left: Code, right: Code, out: Code, sizes: list[Code], ta: bool, tb: bool, dtype: str) -> None:
    with text.block(FOR(i := text.fresh("i"), sizes[0])), text.block(FOR(j := text.fresh("j"), sizes[2])):
        total = text.assign(number(dtype, 0), "total")
        with text.block(FOR(k := text.fresh("k"), sizes[1])):
            a = ITEM(left, _PAIR(k, i) if ta else _PAIR(i, k))
            c = ITEM(right, _PAIR(j, k) if tb else _PAIR(k, j))
            text.line(ASSIGNED(total, _PLUS(total, a, c)))
        text.line(STORED(out, _PAIR(i, j), total))
