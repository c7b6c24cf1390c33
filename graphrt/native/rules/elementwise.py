"""Ops that work element by element.

Each is written as NumPy's kernel computes it, step by step, so that results are equal to the last bit. Functions such as
`tanh` are not written here at all: the program calls NumPy's own loops. Integers are computed with 64 bits and cut to
their size, which is how they wrap around.
"""

# long: one table of ops, each a line or a few
from __future__ import annotations

from collections.abc import Callable

from graphrt.ir.code import Code, Template, identifier, sign
from graphrt.ir.graph import Node, static_value
from graphrt.ir.op import OpDef
from graphrt.native.lower import Builder, Rule, rule_for
from graphrt.native.terms import Term, Unsupported, machine_type
from graphrt.native.text import CALLED, NUMBER, type_name
from graphrt.ops.array.selection import Select, SelectV2
from graphrt.ops.math.arithmetic import (
    Add,
    AddN,
    AddV2,
    ClipByValue,
    Maximum,
    Minimum,
    Mul,
    MulNoNan,
    Pow,
    SquaredDifference,
    Sub,
)
from graphrt.ops.math.bitwise import BitwiseAnd, BitwiseOr, BitwiseXor, Invert
from graphrt.ops.math.casting import Cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.division import Div, DivNoNan, FloorDiv, FloorMod, Mod, RealDiv, TruncateDiv, TruncateMod
from graphrt.ops.math.elementwise import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Cos,
    Cosh,
    Exp,
    Expm1,
    Floor,
    Inv,
    InvGrad,
    IsFinite,
    IsInf,
    IsNan,
    Log,
    Log1p,
    Neg,
    Reciprocal,
    ReciprocalGrad,
    Rint,
    Round,
    Rsqrt,
    Sigmoid,
    SigmoidGrad,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    SqrtGrad,
    Square,
    Tan,
    Tanh,
    TanhGrad,
)
from graphrt.ops.math.logical import LogicalAnd, LogicalNot, LogicalOr
from graphrt.ops.nn.activations import (
    Elu,
    EluGrad,
    LeakyRelu,
    LeakyReluGrad,
    Relu,
    Relu6,
    Relu6Grad,
    ReluGrad,
    Softplus,
    Softsign,
    SoftsignGrad,
)
from graphrt.ops.nn.bias import BiasAdd

CHOSEN = Template("({1} if {0} else {2})")
_CAST = Template("{}({})")
_INFIX = Template("({} {} {})")
_INVERTED = Template("(~{})")
_PRODUCT = Template("({} * {})")
_SUM = Template("({} + {})")
_DIFFERENCE = Template("({} - {})")
_QUOTIENT = Template("({} / {})")
_NEGATIVE = Template("(-{})")
_NOT = Template("(not {})")
_ABS = Template("abs({})")
_GREATER = Template("({0} if {0} > {1} else {1})")
_GREATER_OR_NAN = Template("({0} if {0} > {1} or {0} != {0} else {1})")
_LESS = Template("({0} if {0} < {1} else {1})")
_LESS_OR_NAN = Template("({0} if {0} < {1} or {0} != {0} else {1})")
_SIGN = Template("({1} if {0} > {3} else ({2} if {0} < {3} else ({3} if {0} == {3} else {0})))")


def wrapped(dtype: str, code: Code) -> Code:
    """`code`, whose operands have this dtype, as a number of this dtype."""
    return code if dtype.startswith(("float", "complex")) else _CAST(type_name(dtype), code)


def combined(dtype: str, template: Template, *operands: Code) -> Code:
    """A sum, difference or product, of this dtype, which wraps around where it does not fit.

    Numba tells the optimizer that signed numbers of 64 bits never do: what then divides a square takes it for positive.
    """
    if dtype == "int64":
        operands = tuple(CALLED(_UNSIGNED, o) for o in operands)
    return wrapped(dtype, template(*operands))


_UNSIGNED = identifier("uint64")


def number(dtype: str, value: float) -> Code:
    """A number as the program writes it."""
    if dtype.startswith(("float", "complex")):
        return CALLED(type_name(dtype), NUMBER(float(value)))
    return CALLED(type_name(dtype), NUMBER(int(value)))


def _numbers(term: Term, kinds: str = "fiu") -> str:
    if term.kind not in kinds:
        raise Unsupported(f"its dtype is {term.dtype}")
    return term.dtype


def _infix(symbol: str, kinds: str = "fiu") -> Rule:
    between = sign(symbol)

    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        dtype = _numbers(args[0], kinds)
        return [b.point(dtype, lambda x, y: wrapped(dtype, _INFIX(x, between, y)), *args)]

    return rule


def _comparison(symbol: str, kinds: str = "fiu") -> Rule:
    between = sign(symbol)

    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        _numbers(args[0], kinds)
        return [b.point("bool", lambda x, y: _INFIX(x, between, y), *args)]

    return rule


def _arithmetic(template: Template) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        dtype = _numbers(args[0], "fiuc")
        return [b.point(dtype, lambda x, y: combined(dtype, template, x, y), *args)]

    return rule


rule_for(Add, AddV2)(_arithmetic(_SUM))
rule_for(Sub)(_arithmetic(_DIFFERENCE))
rule_for(Mul)(_arithmetic(_PRODUCT))
rule_for(BitwiseAnd)(_infix("&", "iu"))
rule_for(BitwiseOr)(_infix("|", "iu"))
rule_for(BitwiseXor)(_infix("^", "iu"))
rule_for(Less)(_comparison("<"))
rule_for(LessEqual)(_comparison("<="))
rule_for(Greater)(_comparison(">"))
rule_for(GreaterEqual)(_comparison(">="))
_EQUAL, _UNEQUAL = _comparison("==", "fiubc"), _comparison("!=", "fiubc")


def _equality(plain: Rule) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        dims = node.outputs[0].dims
        if not node.attrs["incompatible_shape_error"] and (dims is None or None in dims):
            raise Unsupported("shapes that do not fit are not an error here, and they are not known")
        return plain(b, node, args)

    return rule


rule_for(Equal)(_equality(_EQUAL))
rule_for(NotEqual)(_equality(_UNEQUAL))


@rule_for(BiasAdd)
def _bias(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    if node.attrs["data_format"] not in ("NHWC", b"NHWC"):
        raise Unsupported("channels stand first")
    dtype = _numbers(args[0])
    return [b.point(dtype, lambda x, y: combined(dtype, _SUM, x, y), *args)]


@rule_for(AddN)
def _add_n(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    dtype = _numbers(args[0], "fiuc")
    total = args[0]
    for arg in args[1:]:
        total = b.point(dtype, lambda x, y: combined(dtype, _SUM, x, y), total, arg)
    return [total]


# --- one operand -----------------------------------------------------------------------------------------------------
def _unary(write: Callable[[str, Code], Code], kinds: str = "fiu", gives: str | None = None) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        dtype = _numbers(args[0], kinds)
        return [b.point(gives or dtype, lambda x: write(dtype, x), args[0])]

    return rule


def _own(name: str) -> Rule:
    """A function that the program has under this name, for floats of either size."""
    function = identifier(name)
    return _unary(lambda dtype, x: CALLED(function, x), "f")


def _loop(name: str) -> Rule:
    return lambda b, node, args: [b.ufunc(name, args[0])]


_IS_NAN = Template("({0} != {0})")
_IS_FINITE = Template("({0} - {0} == {0} - {0})")
_IS_INF = Template("({0} == {0} and {0} - {0} != {0} - {0})")
rule_for(Neg)(_unary(lambda dtype, x: wrapped(dtype, _NEGATIVE(x)), "fiuc"))
rule_for(Abs)(_unary(lambda dtype, x: wrapped(dtype, _ABS(x))))
rule_for(Square)(_unary(lambda dtype, x: combined(dtype, _PRODUCT, x, x)))
rule_for(Sign)(_unary(lambda t, x: _SIGN(x, number(t, 1), number(t, -1), number(t, 0)), "fi"))
rule_for(IsNan)(_unary(lambda dtype, x: _IS_NAN(x), "f", "bool"))
rule_for(IsFinite)(_unary(lambda dtype, x: _IS_FINITE(x), "f", "bool"))
rule_for(IsInf)(_unary(lambda dtype, x: _IS_INF(x), "f", "bool"))
rule_for(Sqrt)(_own("sqrt"))
rule_for(Floor)(_own("floor"))
rule_for(Ceil)(_own("ceil"))
rule_for(Rint)(_own("rint"))
rule_for(Invert)(_unary(lambda dtype, x: _CAST(type_name(dtype), _INVERTED(x)), "iu"))


@rule_for(Round)
def _round(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    if args[0].kind in "iu":
        return [args[0]]
    return [b.point(_numbers(args[0], "f"), lambda x: CALLED(identifier("rint"), x), args[0])]


_RSQRT = Template("({} / {}({}))")
_SQRT = identifier("sqrt")
rule_for(Rsqrt)(_unary(lambda t, x: _RSQRT(number(t, 1), _SQRT, x), "f"))
rule_for(Reciprocal, Inv)(_unary(lambda t, x: _QUOTIENT(number(t, 1), x), "f"))
OF_ONE_FLOAT: dict[OpDef, str] = {  # ops that are NumPy's functions of one float
    Exp: "exp", Expm1: "expm1", Log: "log", Log1p: "log1p", Tanh: "tanh", Sin: "sin", Cos: "cos", Tan: "tan",
    Asin: "arcsin", Acos: "arccos", Atan: "arctan", Sinh: "sinh", Cosh: "cosh", Asinh: "arcsinh", Acosh: "arccosh",
    Atanh: "arctanh",
}  # fmt: skip
for _op, _name in OF_ONE_FLOAT.items():
    rule_for(_op)(_loop(_name))
rule_for(Pow)(lambda b, node, args: [_power(b, node, args)])


def _power(b: Builder, node: Node, args: list[Term]) -> Term:
    if args[0].kind != "f":
        raise Unsupported("powers of integers may fail")
    return b.ufunc("power", *args)


# --- division --------------------------------------------------------------------------------------------------------
_CHECKED = Template("{}({}, {})")
_FLOORDIV = Template("({} // {})")
_MODULO = Template("({} % {})")
_NONZERO = identifier("nonzero")


@rule_for(RealDiv, Div)
def _divide(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    if args[0].kind == "f":
        return [b.point(args[0].dtype, _QUOTIENT, *args)]
    return _by_function("truncated_quotient")(b, node, args)


def _by_function(name: str) -> Rule:
    """Integers divided by one of the functions that every program has, which fail for 0."""
    function, plain = identifier(name), _MODULO if name.endswith("rest") else _FLOORDIV

    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        dtype = _numbers(args[0], "iu")
        if args[0].kind == "u":
            return [b.point(dtype, lambda x, y: wrapped(dtype, plain(x, CALLED(_NONZERO, y))), *args)]
        return [b.point(dtype, lambda x, y: wrapped(dtype, _CHECKED(function, x, y)), *args)]

    return rule


_FLOORED = Template("{}({} / {})")
_REST = Template("{}({}, {})")
_FLOOR_MOD = Template("({0} + {1} if {0} != {2} and ({0} < {2}) != ({1} < {2}) else {0})")


def _known_divisor(node: Node, dtype: str) -> bool:
    """Whether the divisor is certainly one by which a machine can divide anything."""
    known = static_value(node.inputs[1])
    return known is not None and bool(known.all()) and not (dtype == "int64" and bool((known == -1).any()))


@rule_for(FloorDiv)
def _floor_div(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    dtype = args[0].dtype
    if args[0].kind == "f":
        return [b.point(dtype, lambda x, y: _FLOORED(identifier("floor"), x, y), *args)]
    if _known_divisor(node, dtype):
        return [b.point(_numbers(args[0], "iu"), lambda x, y: wrapped(dtype, _FLOORDIV(x, y)), *args)]
    return _by_function("floored_quotient")(b, node, args)


@rule_for(FloorMod)
def _floor_mod(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    dtype = args[0].dtype
    if args[0].kind == "f":
        rest = b.point(dtype, lambda x, y: _REST(identifier("fmod"), x, y), *args)
        return [b.point(dtype, lambda r, y: _FLOOR_MOD(r, y, number(dtype, 0)), rest, args[1])]
    if _known_divisor(node, dtype):
        return [b.point(_numbers(args[0], "iu"), lambda x, y: wrapped(dtype, _MODULO(x, y)), *args)]
    return _by_function("floored_rest")(b, node, args)


@rule_for(TruncateDiv)
def _truncate_div(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    if args[0].kind == "f":
        return [b.point(args[0].dtype, lambda x, y: _FLOORED(identifier("trunc"), x, y), *args)]
    return _by_function("truncated_quotient")(b, node, args)


@rule_for(TruncateMod, Mod)
def _truncate_mod(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    if args[0].kind == "f":
        return [b.point(args[0].dtype, lambda x, y: _REST(identifier("fmod"), x, y), *args)]
    return _by_function("truncated_rest")(b, node, args)


_QUOTIENT_OR_ZERO = Template("({2} if {1} == {2} else {0} / {1})")
_PRODUCT_OR_ZERO = Template("({2} if {1} == {2} else {0} * {1})")


def _no_nan(template: Template) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        dtype = _numbers(args[0], "f")
        return [b.point(dtype, lambda x, y: template(x, y, number(dtype, 0)), *args)]

    return rule


rule_for(DivNoNan)(_no_nan(_QUOTIENT_OR_ZERO))
rule_for(MulNoNan)(_no_nan(_PRODUCT_OR_ZERO))


# --- extrema and choices ---------------------------------------------------------------------------------------------
def greater(dtype: str, x: Code, y: Code) -> Code:
    """The greater of two numbers, as NumPy finds it: NaN wins, and the second of two equal ones."""
    return (_GREATER_OR_NAN if dtype.startswith("float") else _GREATER)(x, y)


def less(dtype: str, x: Code, y: Code) -> Code:
    """The lesser of two numbers."""
    return (_LESS_OR_NAN if dtype.startswith("float") else _LESS)(x, y)


def _extremum(better: Callable[[str, Code, Code], Code]) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        dtype = _numbers(args[0])
        return [b.point(dtype, lambda x, y: better(dtype, x, y), *args)]

    return rule


rule_for(Maximum)(_extremum(greater))
rule_for(Minimum)(_extremum(less))


@rule_for(ClipByValue)
def _clip(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    dtype = _numbers(args[0])
    low = b.point(dtype, lambda x, y: less(dtype, x, y), args[0], args[2])
    return [b.point(dtype, lambda x, y: greater(dtype, x, y), low, args[1])]


@rule_for(SelectV2)
def _select(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [b.point(args[1].dtype, CHOSEN, *args)]


@rule_for(Select)
def _select_v1(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    if args[0].dims and len(args[0].dims) != len(args[1].dims):
        raise Unsupported("the condition chooses rows")
    return [b.point(args[1].dtype, CHOSEN, *args)]


@rule_for(SquaredDifference)
def _squared_difference(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    dtype = _numbers(args[0])
    d = b.point(dtype, lambda x, y: combined(dtype, _DIFFERENCE, x, y), *args)
    return [b.point(dtype, lambda x: combined(dtype, _PRODUCT, x, x), d)]


rule_for(LogicalNot)(lambda b, node, args: [b.point("bool", _NOT, args[0])])
_AND, _OR = Template("({} and {})"), Template("({} or {})")
rule_for(LogicalAnd)(lambda b, node, args: [b.point("bool", _AND, *args)])
rule_for(LogicalOr)(lambda b, node, args: [b.point("bool", _OR, *args)])


# --- other dtypes ----------------------------------------------------------------------------------------------------
_IS_TRUE = Template("({} != {})")


@rule_for(Cast)
def _cast(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    source, target = args[0].dtype, machine_type(node.attrs["DstT"])
    if source == target:
        return [args[0]]
    if target == "bool":
        return [b.point(target, lambda x: _IS_TRUE(x, number(source, 0)), args[0])]
    if source.startswith("float") and not target.startswith("float"):
        if target not in ("int32", "int64"):
            raise Unsupported(f"{source} is cast to {target}: what does not fit is left to NumPy")
        function = identifier(f"{target}_of_float")
        return [b.point(target, lambda x: CALLED(function, x), args[0])]
    return [b.point(target, lambda x: _CAST(type_name(target), x), args[0])]


# --- activations and their gradients ---------------------------------------------------------------------------------
_ABOVE = Template("{}({} > {})")
_BETWEEN = Template("{0}({1} > {2} and {1} < {3})")


def _masked(b: Builder, dtype: str, gradient: Term, mask: Callable[[Code], Code], x: Term) -> Term:
    """The product of a gradient and of a condition that is 1 or 0: infinities meet zeros as they do in NumPy."""
    return b.point(dtype, lambda g, v: combined(dtype, _PRODUCT, g, mask(v)), gradient, x)


rule_for(Relu)(_unary(lambda t, x: greater(t, x, number(t, 0))))
rule_for(Relu6)(_unary(lambda t, x: less(t, greater(t, x, number(t, 0)), number(t, 6))))


@rule_for(ReluGrad)
def _relu_grad(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t = _numbers(args[0])
    return [_masked(b, t, args[0], lambda x: _ABOVE(type_name(t), x, number(t, 0)), args[1])]


@rule_for(Relu6Grad)
def _relu6_grad(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t = _numbers(args[0])
    return [_masked(b, t, args[0], lambda x: _BETWEEN(type_name(t), x, number(t, 0), number(t, 6)), args[1])]


@rule_for(Sigmoid)
def _sigmoid(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t = _numbers(args[0], "f")
    e = b.ufunc("exp", b.point(t, _NEGATIVE, args[0]))
    return [b.point(t, lambda x: _SIGMOID(x, number(t, 1)), e)]


_SIGMOID = Template("({1} / ({1} + {0}))")
_SIGMOID_GRAD = Template("({1} * {0} * ({2} - {0}))")
_TANH_GRAD = Template("({1} * ({2} - {0} * {0}))")
_SQRT_GRAD = Template("({1} * {2} / {0} if {1} != 0 else {1} * {1})")
_RECIPROCAL_GRAD = Template("((-{1}) * ({0} * {0}))")


def _from_result(template: Template, factor: float | None) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        t = _numbers(args[0], "f")
        more = () if factor is None else (number(t, factor),)
        return [b.point(t, lambda y, dy: template(y, dy, *more), *args)]

    return rule


rule_for(SigmoidGrad)(_from_result(_SIGMOID_GRAD, 1.0))
rule_for(TanhGrad)(_from_result(_TANH_GRAD, 1.0))
rule_for(SqrtGrad)(_from_result(_SQRT_GRAD, 0.5))
rule_for(ReciprocalGrad, InvGrad)(_from_result(_RECIPROCAL_GRAD, None))


@rule_for(Softplus)
def _softplus(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t, x = _numbers(args[0], "f"), args[0]
    small = b.ufunc("log1p", b.ufunc("exp", b.point(t, lambda v: _NEGATIVE(_ABS(v)), x)))
    return [b.point(t, lambda v, s: _SUM(greater(t, v, number(t, 0)), s), x, small)]


@rule_for(Elu)
def _elu(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t, x = _numbers(args[0], "f"), args[0]
    low = b.ufunc("expm1", b.point(t, lambda v: less(t, v, number(t, 0)), x))
    return [b.point(t, lambda v, e: _WHERE_NEGATIVE(v, e, number(t, 0)), x, low)]


_WHERE_NEGATIVE = Template("({1} if {0} < {2} else {0})")
_ELU_GRAD = Template("({0} * ({1} + {3}) if {1} < {2} else {0})")
_LEAKY = Template("({0} if {0} > {1} else {0} * {2})")
_LEAKY_GRAD = Template("({0} if {1} > {2} else {0} * {3})")
_SOFTSIGN = Template("({0} / ({1} + abs({0})))")


@rule_for(EluGrad)
def _elu_grad(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t = _numbers(args[0], "f")
    return [b.point(t, lambda g, y: _ELU_GRAD(g, y, number(t, 0), number(t, 1)), *args)]


def _alpha(t: str, node: Node) -> Code:
    return CALLED(type_name(t), CALLED(identifier("float32"), NUMBER(float(node.attrs["alpha"]))))


@rule_for(LeakyRelu)
def _leaky(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t = _numbers(args[0], "f")
    return [b.point(t, lambda x: _LEAKY(x, number(t, 0), _alpha(t, node)), args[0])]


@rule_for(LeakyReluGrad)
def _leaky_grad(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t = _numbers(args[0], "f")
    return [b.point(t, lambda g, x: _LEAKY_GRAD(g, x, number(t, 0), _alpha(t, node)), *args)]


rule_for(Softsign)(_unary(lambda t, x: _SOFTSIGN(x, number(t, 1)), "f"))


@rule_for(SoftsignGrad)
def _softsign_grad(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t = _numbers(args[0], "f")
    base = b.point(t, lambda x: _SUM(number(t, 1), _ABS(x)), args[1])
    return [b.point(t, lambda g, s: _QUOTIENT(g, _PRODUCT(s, s)), args[0], base)]
