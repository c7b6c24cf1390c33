"""All that needs Numba: types, NumPy's loops as functions of native programs, compiling."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import parse_assembly
from numba.core import cgutils, imputils, types
from numba.extending import box, intrinsic, models, register_model
from numba.np import arrayobj

from graphrt.native import machine, sines
from graphrt.native.loading import MachineCode, symbols_of
from graphrt.native.text import Loop

if TYPE_CHECKING:
    from graphrt.native.region import Source

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "boundscheck": False}
_BYTE = ir.IntType(8).as_pointer()
_WORD = ir.IntType(64)
_LOOP = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _WORD.as_pointer(), _WORD.as_pointer(), _BYTE])


def compiled(source: Source, names: dict[str, Any]) -> tuple[Callable[..., Any], MachineCode | None]:
    """A program as Python calls it, and what of it can be kept."""
    for name, loop in source.loops.items():
        names[name] = _loop_function(loop)
    names.update(_machine_functions())
    names |= {"in_rows": _in_rows, "flat_view": _flat_view, "result": _result}
    exec(compile(source.text, "<graphrt native>", "exec", dont_inherit=True), names)
    signature = tuple(_type(dtype, rank) for dtype, rank in source.signature)
    result: Any = numba.njit([signature], **_OPTIONS)(names["native"]).overloads[signature]
    function: Callable[..., Any] = result.entry_point  # without Numba's own choice among signatures: there is one
    return function, _code(result)


def _code(result: Any) -> MachineCode | None:
    """The machine code; None where it holds more than we know how to make again."""
    constants = result.environment.consts
    if not all(isinstance(c, np.dtype) or c is np.ndarray for c in constants):
        return None
    module = parse_assembly(result.library.get_llvm_str())
    outside = [v.name for v in (*module.functions, *module.global_variables) if v.is_declaration]
    _, _, (binary, _) = result.library.serialize_using_object_code()
    kept = tuple("ndarray" if c is np.ndarray else c.str for c in constants)
    return MachineCode(
        result.fndesc.llvm_cpython_wrapper_name, result.fndesc.env_name, kept,
        tuple(n for n in outside if not n.startswith("llvm.")), binary,
    )  # fmt: skip


def _type(dtype: str, rank: int) -> Any:
    scalar = numba.from_dtype(np.dtype(dtype))
    return types.Array(scalar, rank, "C", readonly=True) if rank else scalar


@functools.cache
def _machine_functions() -> dict[str, Any]:
    return {f.__name__: numba.njit(**_OPTIONS)(f) for f in machine.FUNCTIONS}


# --- NumPy's loops ---------------------------------------------------------------------------------------------------
def _call_loop(
    builder: Any, symbols: tuple[str, str | None], pointers: list[Any], sizes: list[Any], strides: list[Any]
) -> None:
    """Calls a loop as NumPy calls it: pointers, sizes and strides in arrays."""

    def array(values: list[Any], kind: Any) -> Any:
        room = cgutils.alloca_once(builder, kind, size=len(values))
        for i, value in enumerate(values):
            builder.store(value, builder.gep(room, [ir.Constant(ir.IntType(32), i)]))
        return room

    name, data = symbols
    function = cgutils.get_or_insert_function(builder.module, _LOOP, name)
    extra = ir.Constant(_BYTE, None)
    if data is not None:
        known = builder.module.globals.get(data)
        extra = known if known is not None else cgutils.add_global_variable(builder.module, ir.IntType(8), data)
    given = [builder.bitcast(p, _BYTE) for p in pointers]
    builder.call(function, [array(given, _BYTE), array(sizes, _WORD), array(strides, _WORD), extra])


def _number(value: int) -> Any:
    return ir.Constant(_WORD, value)


def _array(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.make_array(kind)(context, builder, value)


def _slot(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    room = cgutils.alloca_once(builder, context.get_value_type(kind))
    builder.store(value, room)
    return room


@intrinsic
def _in_rows(context, x):  # type: ignore[no-untyped-def]
    """`in_rows(x)`: whether an array lies in one piece, row after row, at an address that its dtype may have."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = _array(context, builder, x, args[0])
        shape, strides = (cgutils.unpack_tuple(builder, v, x.ndim) for v in (array.shape, array.strides))
        dtype = np.dtype(str(x.dtype))
        expected, right = _number(dtype.itemsize), ir.Constant(ir.IntType(1), 1)
        for size, stride in zip(reversed(shape), reversed(strides)):
            fits = builder.icmp_signed("==", stride, expected)
            right = builder.and_(right, builder.or_(fits, builder.icmp_signed("==", size, _number(1))))
            expected = builder.mul(expected, size)
        right = builder.or_(right, builder.icmp_signed("==", array.nitems, _number(0)))
        rest = builder.and_(builder.ptrtoint(array.data, _WORD), _number(dtype.alignment - 1))
        return builder.and_(right, builder.icmp_signed("==", rest, _number(0)))

    return types.boolean(x), generate


@intrinsic
def _flat_view(context, x):  # type: ignore[no-untyped-def]
    """`flat_view(x)`: the same array with one axis; Numba's `reshape` would find out each time that this is possible."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, array = signature.return_type, _array(context, builder, x, args[0])
        room = cgutils.alloca_once(builder, context.get_value_type(kind))
        found = context.make_array(kind)(context, builder, ref=room)
        arrayobj.populate_array(
            found, array.data, [array.nitems], [array.itemsize], array.itemsize, array.meminfo, array.parent
        )
        return imputils.impl_ret_borrowed(context, builder, kind, builder.load(room))

    if x.layout != "C":
        raise TypeError("only an array in one piece has such a view")
    return x.copy(ndim=1)(x), generate


# --- results ---------------------------------------------------------------------------------------------------------
class _Result(types.Array):
    """An array that Python is given: Numba would unpickle its class at each call."""


register_model(_Result)(models.ArrayModel)


@box(_Result)
def _box(kind: Any, value: Any, c: Any) -> Any:
    of, dtype = (c.env_manager.read_const(c.env_manager.add_const(v)) for v in (np.ndarray, np.dtype(str(kind.dtype))))
    pointer, number = c.pyapi.pyobj, ir.IntType(32)
    function = cgutils.get_or_insert_function(
        c.builder.module, ir.FunctionType(pointer, [_BYTE, pointer, number, number, pointer]),
        "NRT_adapt_ndarray_to_python_acqref",
    )  # fmt: skip
    room = c.builder.bitcast(cgutils.alloca_once_value(c.builder, value), _BYTE)
    found = c.builder.call(function, [room, of, number(kind.ndim), number(int(kind.mutable)), dtype])
    c.context.nrt.decref(c.builder, kind, value)
    return found


@intrinsic
def _result(context, x):  # type: ignore[no-untyped-def]
    """`result(x)`: an array as Python is given it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return imputils.impl_ret_borrowed(context, builder, signature.return_type, args[0])

    return _Result(x.dtype, x.ndim, x.layout, not x.mutable)(x), generate


# state: bounded: one entry for each loop of NumPy that is called
@functools.cache
def _loop_function(loop: Loop) -> Any:
    return {"vector": _vector, "scalar": _scalar, "fold": _fold, "matmul": _matmul}[loop.form](loop)


def _vector(loop: Loop) -> Any:
    """`f(x, out)` or `f(x, y, out)`: arrays in one piece and of one size, or numbers."""
    symbols, size = symbols_of(loop.ufunc, loop.dtype), np.dtype(loop.dtype).itemsize

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointers, strides, count = [], [], None
        for kind, value in zip(signature.args, args):
            if isinstance(kind, types.Array):
                array = _array(context, builder, kind, value)
                pointers.append(array.data)
                strides.append(_number(size))
                count = array.nitems
            else:
                pointers.append(_slot(context, builder, kind, value))
                strides.append(_number(0))
        _call_loop(builder, symbols, pointers, [count], strides)
        return context.get_dummy_value()

    if getattr(np, loop.ufunc).nin == 1:

        @intrinsic
        def one(context, x, out):  # type: ignore[no-untyped-def]
            return types.void(x, out), generate

        return one

    @intrinsic
    def two(context, x, y, out):  # type: ignore[no-untyped-def]
        return types.void(x, y, out), generate

    return two


def _scalar(loop: Loop) -> Any:
    """`f(x)` or `f(x, y)` of numbers."""
    symbols, kind = symbols_of(loop.ufunc, loop.dtype), numba.from_dtype(np.dtype(loop.dtype))

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        out = cgutils.alloca_once(builder, context.get_value_type(kind))
        pointers = [*(_slot(context, builder, kind, a) for a in args), out]
        _call_loop(builder, symbols, pointers, [_number(1)], [_number(np.dtype(loop.dtype).itemsize)] * len(pointers))
        return builder.load(out)

    if getattr(np, loop.ufunc).nin == 1:

        @intrinsic
        def one(context, x):  # type: ignore[no-untyped-def]
            return kind(kind), generate

        known = loop.ufunc in sines.LARGEST and loop.dtype == "float32" and sines.as_numpy(loop.ufunc)
        return _written_out(loop.ufunc, one) if known else one

    @intrinsic
    def two(context, x, y):  # type: ignore[no-untyped-def]
        return kind(kind, kind), generate

    return two


@intrinsic
def _fused(context, a, b, c):  # type: ignore[no-untyped-def]
    """`_fused(a, b, c)`: `a * b + c`, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float32(types.float32, types.float32, types.float32), generate


def _written_out(ufunc: str, called: Any) -> Any:
    """`f(x)`: a sine or cosine of a number without a call, but of one that is large, or none."""
    chosen = numba.njit(**_OPTIONS)(lambda condition, a, b: a if condition else b)
    sine = numba.njit(**_OPTIONS)(sines.steps(_fused, chosen))
    largest, quarter = sines.LARGEST[ufunc], np.int32(ufunc == "cos")
    return numba.njit(**_OPTIONS)(lambda x: sine(x, quarter) if abs(x) <= largest else called(x))


def _fold(loop: Loop) -> Any:
    """`f(start, array, first, count)`: `count` elements from `first` on, folded as NumPy's `reduce` does it."""
    symbols, kind = symbols_of(loop.ufunc, loop.dtype), numba.from_dtype(np.dtype(loop.dtype))
    size = np.dtype(loop.dtype).itemsize

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start, array, first, count = args
        total = _slot(context, builder, kind, start)
        begin = builder.gep(_array(context, builder, signature.args[1], array).data, [first])
        _call_loop(builder, symbols, [total, begin, total], [count], [_number(0), _number(size), _number(0)])
        return builder.load(total)

    @intrinsic
    def fold(context, start, array, first, count):  # type: ignore[no-untyped-def]
        return kind(kind, array, types.intp, types.intp), generate

    return fold


def _matmul(loop: Loop) -> Any:
    """`f(a, b, out, transpose_a, transpose_b)` of matrices in one piece."""
    symbols, size = symbols_of(loop.ufunc, loop.dtype), np.dtype(loop.dtype).itemsize

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [_array(context, builder, k, v) for k, v in zip(signature.args[:3], args[:3])]
        shapes = [cgutils.unpack_tuple(builder, a.shape, 2) for a in arrays]
        flags = [signature.args[3].literal_value, signature.args[4].literal_value, False]
        strides = []
        for shape, flag in zip(shapes, flags):
            row = builder.mul(shape[1], _number(size))
            strides += [_number(size), row] if flag else [row, _number(size)]
        inner = shapes[0][0] if flags[0] else shapes[0][1]
        sizes = [_number(1), shapes[2][0], inner, shapes[2][1]]
        _call_loop(builder, symbols, [a.data for a in arrays], sizes, [_number(0)] * 3 + strides)
        return context.get_dummy_value()

    @intrinsic(prefer_literal=True)
    def matmul(context, a, b, out, ta, tb):  # type: ignore[no-untyped-def]
        return types.void(a, b, out, ta, tb), generate

    return matmul
