"""What Python itself calls of a user's class (getters, operators, `with`, `for`, descriptors) stages like all else."""

import collections
import collections.abc
import contextlib
import copy
import dataclasses
import functools
import operator
import warnings
from typing import Generic, TypeVar

import pytest

import autograph
import graphrt as tf
from tests.graphrt.programs.comparing import collector, plain

T = TypeVar("T")
CASES = []
case = collector(CASES)


class P:
    def __init__(self, v):
        self.v = v

    @property
    def value(self):
        if self.v > 0:
            return self.v
        return -self.v

    @value.setter
    def value(self, new):
        if new > 10:
            new = new * 0 + 10
        self.v = new

    def __lt__(self, o):
        if self.v < o.v:
            return self.v * 0 < 1
        return self.v * 0 > 1

    def __getitem__(self, i):
        if i > 0:
            return self.v * i
        return self.v

    def __call__(self, x):
        return x if x > self.v else self.v

    def __contains__(self, x):
        return True

    def __len__(self):
        return 3

    def __bool__(self):
        return self.v is not None

    def __enter__(self):
        if self.v > 0:
            self.v = self.v + 100
        return self

    def __exit__(self, *a):
        if self.v > 100:
            self.v = self.v - 100
        return False

    def __iter__(self):
        k = self.v
        if k > 2:
            k = k * 2
        yield k
        yield k + 1

    def __neg__(self):
        return P(-self.v if self.v > 0 else self.v)

    def __iadd__(self, o):
        if o > 0:
            self.v = self.v + o
        return self

    def __setitem__(self, i, x):
        if x > 0:
            self.v = self.v + x

    def __eq__(self, o):
        if self.v > o.v:
            return self.v * 0 > 1
        return self.v * 0 == 0

    __hash__ = None

    def __radd__(self, o):
        if self.v > 0:
            return self.v + o
        return o - self.v

    def __abs__(self):
        if self.v > 0:
            return self.v
        return -self.v


C = ((3,), (-3,), (0,), (20,))


@case(*C)
def prop(x):
    p = P(x)
    return p.value


@case(*C)
def prop_set(x):
    p = P(x)
    p.value = x * 2
    return p.v


@case(*C)
def lt(x):
    return P(x) < P(2)


@case(*C)
def getitem(x):
    return P(x)[x - 1]


@case(*C)
def call(x):
    return P(x)(4)


@case(*C)
def with_(x):
    with P(x) as p:
        r = p.v
    return r, p.v


@case(*C)
def iter_(x):
    s = 0
    for k in P(x):
        s += k
    return s


@case(*C)
def neg(x):
    return (-P(x)).v


@case(*C)
def iadd(x):
    p = P(x)
    p += x
    return p.v


@case(*C)
def setitem(x):
    p = P(x)
    p[0] = x + 1
    return p.v


@case(*C)
def eq(x):
    return P(x) == P(1)


@case(*C)
def sum_(x):
    return sum([P(x), P(x * 2)], 0)


@case(*C)
def abs_(x):
    return abs(P(x))


@case(*C)
def list_of(x):
    return [k + 1 for k in P(x)]


@case(*C)
def unpack(x):
    a, b = P(x)
    return a * b


@case(*C)
def star(x):
    return max(*P(x))


G = P(5)


@case(*C)
def global_prop(x):
    G.v = x
    r = G.value
    G.v = 5
    return r


@dataclasses.dataclass
class D:
    a: object
    b: object = 0

    def __post_init__(self):
        if self.a > 0:
            self.b = self.a * 2
        else:
            self.b = self.a * 0

    @property
    def big(self):
        return self.a > 2

    @functools.cached_property
    def cached(self):
        if self.a > 1:
            return self.a
        return self.a + 50


@case(*C)
def post_init(x):
    return D(x).b


@case(*C)
def dc_prop(x):
    d = D(x)
    if d.big:
        return 1
    return 2


@case(*C)
def cached(x):
    d = D(x)
    return d.cached + d.cached


class Clamp:
    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, o, t=None):
        v = o.__dict__[self.n]
        if v > 5:
            return v * 0 + 5
        return v

    def __set__(self, o, v):
        if v < 0:
            v = v * 0
        o.__dict__[self.n] = v


class Q:
    c = Clamp()

    def __init__(self, c):
        self.c = c


@case(*C)
def descr(x):
    q = Q(x)
    return q.c


@contextlib.contextmanager
def cm(x):
    if x > 0:
        y = x
    else:
        y = -x
    yield y


@case(*C)
def ctxman(x):
    with cm(x) as y:
        z = y + 1
    return z


class GA:
    def __init__(self, v):
        self.__dict__["v"] = v

    def __getattr__(self, n):
        if n != "w":
            raise AttributeError(n)
        return self.v if self.v > 0 else 0

    def __setattr__(self, n, v):
        if v > 3:
            v = v * 0 + 3
        self.__dict__[n] = v


@case(*C)
def getattr_(x):
    g = GA(x)
    g.z = x
    return g.w, g.z


class Sub(P):
    @property
    def value(self):
        b = super().value
        if b > 10:
            return b - 10
        return b


@case(*C)
def super_prop(x):
    return Sub(x).value


@case(*C)
def fstr(x):
    class F:
        def __format__(self, s):
            return "f" + s

    return x if f"{F():a}" == "fa" else -x


class Grid:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, at):
        return self.rows[at[0]][at[1]]

    def __setitem__(self, at, v):
        if v > 10:
            v = 10
        self.rows[at[0]][at[1]] = v

    def __iadd__(self, o):
        if o > 1:
            self.rows[0][0] += 1
        return self


@case(*C)
def augmented_items(x):
    g, parts = Grid([[1, 2], [x, 4]]), [Grid([[x]])]
    g[0, 1] += x
    g[1, 0] -= 3
    first = parts[0]
    parts[0] += x
    return g.rows, first.rows, first is parts[0]


@case(*C)
def replaced_and_copied(x):
    class K:
        def __init__(self, v):
            self.v = v

        def __copy__(self):
            if self.v > 0:
                return K(self.v).v
            return 0 * self.v

        def __deepcopy__(self, memo):
            return K(self.v if self.v > 1 else len(memo)).v

    return dataclasses.replace(D(x), a=x + 1).b, copy.copy(K(x)), copy.deepcopy(K(x))


@case(*C)
def by_operator(x):
    p = P(x)
    both = operator.attrgetter("value", "v")(p)
    called = operator.methodcaller("__abs__")(p), operator.itemgetter(2)(p), operator.neg.__call__(x)
    return both, called, list(map(operator.attrgetter("value"), [p, P(2)])), P.value.fget.__call__(p)


class Doubling(collections.abc.Mapping):
    def __init__(self, of):
        self.of = of

    def __getitem__(self, key):
        v = self.of[key]
        if v > 2:
            return v * 2
        return v

    def __iter__(self):
        return iter(self.of)

    def __len__(self):
        return len(self.of)


class Clipped(collections.UserDict):
    def __setitem__(self, key, v):
        if v > 2:
            v = v * 0 + 2
        super().__setitem__(key, v)


class Row(collections.abc.Sequence):
    def __init__(self, *v):
        self.v = v

    def __len__(self):
        return len(self.v)

    def __getitem__(self, i):
        v = self.v[i]
        if v < 0:
            return 0 * v
        return v


@case(*C)
def mixins_of_the_library(x):
    m, c, r = Doubling({"a": x, "b": 1}), Clipped(a=x), Row(x, 2, 3)
    c["b"] = x + 1
    c.update(c=x)
    known = {"z": 0}
    known.update(m)
    a, *rest = r
    got = (lambda **k: k)(**m)
    return m.get("a"), list(m.values()), dict(m, k=1), {"q": 1, **m}, known, got, dict(c), list(r), a, rest, sum(r)


class Near:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        if not isinstance(o, Near):
            if o > 1:
                return self.v == o
            return o == 0
        return self.v == o.v

    def __contains__(self, o):
        if o > 1:
            return self.v == o
        return o < 0

    def __bool__(self):
        return self.v > 1

    __hash__ = None


@case(*C)
def compared_with_tensors(x):
    n, r = Near(x), 0
    if n:
        r = 1
    if x not in n:
        r += 10
    return n == x, x == n, n != x, x != Near(3), n != Near(3), x in n, 3 not in n, Near(3) in [Near(x), n], r


@case(*C)
def truth_of_objects(x):
    n, steps = Near(x), 0
    while n and steps < 9:
        n.v, steps = n.v - 1, steps + 1
    m = Near(x)
    while m:
        m.v -= 2
    return n.v, steps, m.v, bool(Near(x)), not Near(x)


@case(*C)
def of_a_class_in_a_function(x):
    class Local:
        __slots__ = ("b",)

        def __init__(self, v):
            if v > 0:
                self.b = v
            else:
                self.b = 0

        def __eq__(self, o):
            if not isinstance(o, Local):
                return NotImplemented
            return self.b == o.b

    return Local(x).b, Local(x) != Local(3), Local(x) == 3, Local(x) != Local(x)


@case(*C)
def generators_in_statements(x):
    def some(n):
        for k in range(3):
            yield k * n

    total = i = x * 0
    while i < 3:
        total += sum(some(i)) + max(some(x), default=0)
        i += 1
    if x > 1:
        total += min((k for k in (x, 2)), key=lambda k: -k) + max(some(x), key=lambda k: -k)
    return total, max((k for k in ()), default=x)


@case(*C)
def builtins_over_iterators(x):
    d, q = {"a": x, "b": 2}, collections.deque([x, 2])
    extremes = max(d.values()), min(map(lambda v: v * 2, [x, 3])), max(reversed([x, 1]), key=lambda v: -v), min(q)
    return extremes, any(map(lambda v: v > 3, [x, 1])), all(d.values()), sorted(d.values()), sorted(v for v in (x, 1))


@pytest.mark.parametrize(("function", "calls"), CASES)
def test_graph_is_python(function, calls):
    traced = tf.function(function)
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("error", tf.errors.SideEffectWarning)
            found = plain(traced(*map(tf.constant, call)))
        assert found == plain(function(*call))


def codes():
    return [P.value.fget.__code__, P.value.fset.__code__, P.__neg__.__code__, D.__post_init__.__code__]


def test_functions_keep_their_own_code():
    before = codes()
    inside = []

    @tf.function
    def traced(x):
        inside.extend(codes())
        return P(x).value + D(x).b

    assert traced(tf.constant(-3)) == 3
    assert all(a is b for a, b in zip(before, inside))
    assert all(a is b for a, b in zip(before, codes()))

    @tf.function
    def failing(x):
        P(x).value  # noqa: B018
        raise KeyError("stop")

    with pytest.raises(KeyError):
        failing(tf.constant(1))
    assert all(a is b for a, b in zip(before, codes()))
    assert autograph.to_graph(P.value.fget)(P(-2)) == 2


def test_marked_functions_stay_as_they_are():
    class Marked:
        @property
        @autograph.do_not_convert
        def value(self):
            return 1 if self.v > 0 else 2

    @tf.function
    def read(x):
        m = Marked()
        m.v = x
        return m.value

    with pytest.raises(autograph.errors.PythonOnlyConstructError, match="marked with do_not_convert"):
        read(tf.constant(1))


class UnequalAlone:
    def __init__(self, n):
        self.n = n

    def __ne__(self, other):
        return self.n != other.n


class Unsaid:
    n = 1


def compared_in_all_ways(a, b):
    return a == b, a != b, b == a, b != a


@pytest.mark.parametrize("make", [lambda: UnequalAlone(1), lambda: UnequalAlone(2), Unsaid])
def test_a_class_may_say_when_its_objects_are_unequal_alone(make):
    a, b = UnequalAlone(1), make()
    found = tf.function(lambda: compared_in_all_ways(a, b))()
    assert [bool(v) for v in found] == list(compared_in_all_ways(a, b))


def method_of_a_class_made_before(x):
    y, z = 1, 5

    class A:
        y = 2

        def get(self):
            return y

        class B:
            late = staticmethod(lambda: [z + i for i in range(2)])

    if x > 1:
        y = x
    for i in range(x):
        z += i
    return A().get(), A.B.late(), A.y


def lambda_that_a_method_calls(x):
    y = 1
    get = lambda: y

    def make():
        class A:
            def get(self):
                return get()

        return A

    some = make()()
    while y < x:
        y += 2
    return some.get()


def generic_objects(x):
    box = Box(x)
    if x > 2:
        box = Box[int](x * 2)
    while box.v < 20:
        box = Box[int](box.v + 7)
    return box.v


class Box(Generic[T]):
    def __init__(self, v):
        self.v = v


@pytest.mark.parametrize("program", [method_of_a_class_made_before, lambda_that_a_method_calls, generic_objects])
def test_methods_read_what_variables_hold_when_they_are_called(program):
    traced = tf.function(program)
    for x in (0, 3, 8):
        assert plain(traced(tf.constant(x))) == plain(program(x))


class Doubled:
    least = 2

    def __class_getitem__(cls, k):
        if k > cls.least:
            return k * 2
        return k


class DoubledSooner(Doubled):
    least = 0


class Halved:
    @staticmethod
    def __class_getitem__(k):
        return k // 2 if k > 1 else k


class Meta(type):
    def __getitem__(cls, k):
        return k + 1 if k > 1 else k


class OfMeta(Doubled, metaclass=Meta):
    pass


def items_of_classes(x):
    found = [c[x] for c in (Doubled, DoubledSooner, Halved, OfMeta)]
    return found, Doubled[x + 1], list[int] == list[int], Box[int](x).v


def test_items_of_classes():
    traced = tf.function(items_of_classes)
    for x in (0, 1, 2, 5):
        assert plain(traced(tf.constant(x))) == plain(items_of_classes(x))
