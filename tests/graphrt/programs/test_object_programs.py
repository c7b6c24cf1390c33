"""Programs with classes of the user's, jumps, lists and closures give as graphs what they give as Python."""

import collections
import dataclasses
import functools

import numpy as np
import pytest

import graphrt as tf
from tests.graphrt.programs.comparing import collector, plain

CASES = []
X = ((3,), (-3,), (0,), (7,))
V = np.array([3, -1, 4, 1, -5], np.int32)
M = np.array([[1, 2], [3, 4], [5, 6]], np.int32)
VC = ((V,), (np.array([0, 0, 1], np.int32),))
case = collector(CASES)


class Stack:
    def __init__(self):
        self.items = []
        self.size = 0

    def push(self, x):
        self.items.append(x)
        self.size += 1

    def pop(self):
        self.size -= 1
        return self.items.pop()

    @property
    def empty(self):
        return self.size == 0

    @property
    def top(self):
        return self.items[-1]


@case(*VC)
def stack_obj(v):
    s = Stack()
    for q in v:
        if q > 0:
            s.push(q)
    t = 0
    while not s.empty:
        t = t * 2 + s.pop()
    return t, s.size


class Node:
    def __init__(self, v, l=None, r=None):
        self.v = v
        self.l = l
        self.r = r

    def total(self):
        t = self.v if self.v > 0 else 0
        if self.l is not None:
            t += self.l.total()
        if self.r is not None:
            t += self.r.total()
        return t


@case(*X)
def tree(x):
    return Node(x, Node(x - 1), Node(2, Node(x * 2))).total()


class Vec:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __add__(self, o):
        return Vec(self.a + o.a, self.b + o.b)

    def __mul__(self, k):
        return Vec(self.a * k, self.b * k)

    def __eq__(self, o):
        return self.a == o.a and self.b == o.b

    def __ne__(self, o):
        return not self == o

    def __iter__(self):
        yield self.a
        yield self.b

    def __abs__(self):
        return abs(self.a) + abs(self.b)

    def __bool__(self):
        return True


@case(*X)
def vec(x):
    p = Vec(x, 1) + Vec(2, x) * 2
    a, b = p
    if p == Vec(7, 7):
        return 1
    if p != Vec(x, x):
        return abs(p) + a - b
    return 5


@case(*X)
def obj_loop_var(x):
    p = Vec(0, 1)
    for i in range(abs(x)):
        p.a, p.b = p.b, p.a + p.b
    return p.a


@case(*X)
def obj_attr_list(x):
    ps = [Vec(0, i) for i in range(3)]
    for i in range(abs(x)):
        for p in ps:
            if p.b < i:
                p.a += 1
            else:
                p.b += 1
    return [p.a for p in ps], [p.b for p in ps]


@case(*X)
def dict_state(x):
    d = {"a": 0, "b": 0}
    for i in range(abs(x)):
        if i % 2 == 0:
            d["a"] += i
        else:
            d["b"] -= i
    return d["a"], d["b"]


@case(*X)
def while_else(x):
    i = 0
    while i < x:
        if i == 5:
            break
        i += 1
    else:
        i = 100 + i
    return i


@case(*X)
def nested_break(x):
    c = 0
    for i in range(abs(x)):
        for j in range(5):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            c += i * j
        else:
            c += 1000
        if c > 2000:
            return -c
    return c


@case(*X)
def early_ret(x):
    for i in range(abs(x)):
        if i * i > 10:
            return i
    return -1


@case(*VC)
def find(v):
    for i, q in enumerate(v):
        if q == 4:
            return i
    else:
        return -1


@case(*VC)
def bubble(v):
    xs = [v[i] for i in range(3)]
    for i in range(3):
        for j in range(2 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@case(*VC)
def bubble_arr(v):
    n = len(v)
    for i in range(n):
        for j in range(n - 1 - i):
            if v[j] > v[j + 1]:
                t = v[j]
                v[j] = v[j + 1]
                v[j + 1] = t
    return v


@case(*VC)
def matchs(v):
    t = 0
    for q in v:
        match q:
            case 0:
                t += 1
            case 1 | 4:
                t += 10
            case k if k < 0:
                t += k * 100
            case _:
                t += 1000
    return t


@case(*X)
def ctx_jump(x):
    class C:
        def __init__(self):
            self.n = 0

        def __enter__(self):
            self.n += 1
            return self

        def __exit__(self, *a):
            self.n += 10

    c = C()
    r = 0
    for i in range(abs(x)):
        with c as k:
            if i == 2:
                break
            if i == 1:
                continue
            r += k.n
    return r, c.n


@case(*X)
def ctx_ret(x):
    class C:
        def __init__(self):
            self.n = 0

        def __enter__(self):
            return self

        def __exit__(self, *a):
            self.n += 10

    c = C()

    def f():
        with c:
            if x > 0:
                return 1
            return 2

    return f(), c.n


@case(*X)
def lam(x):
    f = lambda k: k + 1 if k > 0 else k - 1
    return f(f(x))


@case(*X)
def partial_(x):
    def g(a, b):
        return a if a > b else b

    return functools.partial(g, 2)(x)


@case(*X)
def closure_count(x):
    n = 0

    def f(k):
        nonlocal n
        if k > 0:
            n += k
        return n

    for i in range(abs(x)):
        f(i)
    return n + f(x)


@case(*X)
def rec(x):
    def fact(k):
        return 1 if k <= 1 else k * fact(k - 1)

    return fact(4) + x


@case(*X)
def tup_state(x):
    t = (0, 1)
    while t[0] < abs(x) * 3:
        t = (t[0] + t[1], t[1] + 1)
    return t


@case(*X)
def nt(x):
    P = collections.namedtuple("P", "a b")
    p = P(0, 1)
    for i in range(abs(x)):
        p = p._replace(a=p.a + i)
    return p.a


@case(*X)
def and_or(x):
    return (x > 0 and x < 5) or x == 7, not (x > 1 or x < -1)


@case(*X)
def chained(x):
    return 1 if -1 < x <= 3 != 2 else 0


@case(*X)
def cond_fn(x):
    def a():
        return x * 2

    def b():
        return x - 1

    f = a
    if x > 0:
        r = a()
    else:
        r = b()
    return r


@case(*X)
def undefined_in_branch(x):
    if x > 0:
        y = 1
    else:
        y = 2
    for i in range(3):
        if i == 1:
            z = i + y
    return z


@case(*X)
def loop_defines(x):
    for i in range(abs(x) + 1):
        last = i * 2
    return last


@case(*X)
def sum_gen(x):
    return sum(i * i for i in range(abs(x)))


@case(*X)
def any_gen(x):
    return any(i == 2 for i in range(abs(x)))


@case(*X)
def zip_map(x):
    return sum(map(lambda a: a * 2, range(abs(x)))), [a + b for a, b in zip(range(3), [x, x, x])]


@case(*X)
def minmax(x):
    return min(x, 2, 5), max([x, 1]), min(abs(x), key=None) if 0 else 0


@case(*X)
def filt(x):
    return sum(filter(lambda k: k % 2 == 0, range(abs(x))))


@case(*X)
def assert_(x):
    assert x > -10, "neg"
    return x


@case((M,))
def mat(m):
    t = 0
    for r in m:
        for q in r:
            if q % 2 == 0:
                continue
            t += q
    return t


@case((M,))
def mat_set(m):
    for i in range(3):
        for j in range(2):
            if i != j:
                m[i, j] = 0
            else:
                m[i][j] += 10
    return m


@case(*X)
def list_grow_shrink(x):
    xs = []
    for i in range(abs(x)):
        xs.append(i)
        if len(xs) > 2:
            xs.pop(0)
    return len(xs), sum(xs)


@case(*X)
def list_of_tuples(x):
    xs = []
    for i in range(abs(x)):
        xs.append((i, i * i))
    t = 0
    for a, b in xs:
        t += a * b
    return t


@case(*X)
def queue(x):
    q = [abs(x)]
    n = 0
    while q:
        k = q.pop(0)
        n += 1
        if k > 1:
            q.append(k // 2)
            q.append(k - k // 2 - 1)
    return n


@case(*X)
def swap_attr(x):
    p = Vec(1, 2)
    if x > 0:
        p.a, p.b = p.b, p.a
    return p.a * 10 + p.b


@case(*X)
def dc_replace(x):
    @dataclasses.dataclass
    class S:
        n: int = 0

        def step(self, k):
            return dataclasses.replace(self, n=self.n + k)

    s = S()
    for i in range(3):
        s = s.step(x)
    return s.n


@case(*X)
def flag_loop(x):
    done = False
    i = 0
    while not done:
        i += 1
        if i > abs(x):
            done = True
    return i


@case(*X)
def try_fin(x):
    n = 0
    for i in range(abs(x)):
        try:
            if i == 2:
                continue
            n += 1
        finally:
            n += 100
    return n


@case(*X)
def del_var(x):
    y = x
    if x > 0:
        z = y
        del y
        y = z * 2
    return y


@case(*X)
def aug_all(x):
    a = 100
    if x > 0:
        a -= x
        a *= 2
        a //= 3
        a %= 50
    else:
        a |= 7
        a ^= 2
        a <<= 1
    return a


@case(*X)
def global_class_prop(x):
    class A:
        total = 0

        @classmethod
        def add(cls, k):
            cls.total += k

    for i in range(abs(x)):
        A.add(i)
    return A.total


@case(*X)
def gen_fn(x):
    def g(n):
        for i in range(3):
            yield i * n

    return sum(g(x)), list(g(x))


@case(*X)
def str_state(x):
    s = 0
    for c in "abc":
        if x > 0:
            s += ord(c)
    return s


@case(*X)
def early_nested_fn(x):
    def f(k):
        if k > 5:
            return 1
        if k > 0:
            return 2
        return 3

    return f(x) + f(x + 3) * 10


@case(*X)
def star_args(x):
    def f(*a, **k):
        return sum(a) + (k["z"] if x > 0 else 0)

    return f(x, 1, z=5)


@pytest.mark.parametrize(("function", "calls"), CASES)
def test_graph_is_python(function, calls):
    traced = tf.function(function)
    for call in calls:
        wanted = plain(function(*[a.copy() if isinstance(a, np.ndarray) else a for a in call]))
        assert plain(traced(*map(tf.constant, call))) == wanted
