"""What staged branches and loops change behind their variables is what Python changes, or is refused."""

import collections
import dataclasses

import pytest

import autograph
import graphrt as tf
from graphrt import errors
from tests.graphrt.programs.comparing import collector_of_functions

STAGED, ONCE, REFUSED = [], [], []
case = collector_of_functions(STAGED)
once = collector_of_functions(ONCE)
refused = collector_of_functions(REFUSED)


class Acc:
    def __init__(self):
        self.n = 0
        self.log = []
        self.d = {}
        self.flag = False
        self.name = "a"

    def hit(self):
        self.n += 1

    def rec(self, s):
        self.log.append(s)

    def put(self, k, v):
        self.d[k] = v

    def mark(self):
        self.flag = True

    def rename(self):
        self.name = "b"


@case
def del_item(x):
    xs = [1, 2, 3]
    if x > 0:
        del xs[0]
    return len(xs), xs[0]


@case
def set_pylist(x):
    xs = [1, 2, 3]
    if x > 0:
        xs[0] = 10
    return xs[0] + xs[1]


@case
def insert(x):
    xs = [1, 2, 3]
    if x > 0:
        xs.insert(0, 9)
    return xs[0], len(xs)


@case
def extend(x):
    xs = [1]
    if x > 0:
        xs.extend([4, 5])
    return len(xs), xs[-1]


@case
def remove(x):
    xs = [1, 2, 3]
    if x > 0:
        xs.remove(2)
    return len(xs), xs[1]


@case
def clear(x):
    xs = [1, 2, 3]
    if x > 0:
        xs.clear()
    return len(xs)


@case
def pop0(x):
    xs = [1, 2, 3]
    if x > 0:
        xs.pop(0)
    return len(xs), xs[0]


@case
def reverse(x):
    xs = [1, 2, 3]
    if x > 0:
        xs.reverse()
    return xs[0]


@case
def sort(x):
    xs = [3, 1, 2]
    if x > 0:
        xs.sort()
    return xs[0]


@case
def iadd_list(x):
    xs = [1]
    if x > 0:
        xs += [5]
    return len(xs), xs[-1]


@case
def slice_assign(x):
    xs = [1, 2, 3]
    if x > 0:
        xs[0:2] = [7, 8]
    return xs[0]


@case
def setdefault(x):
    d = {"a": 1}
    if x > 0:
        d.setdefault("a", 5)
    return d["a"]


@case
def setdefault_new(x):
    d = {"a": 1}
    if x > 0:
        d.setdefault("b", 5)
    else:
        d.setdefault("b", 6)
    return d["b"]


@case
def dict_update(x):
    d = {"a": 1}
    if x > 0:
        d.update(a=7)
    return d["a"]


@case
def counter(x):
    c = collections.Counter()
    if x > 0:
        c["a"] += 1
    return c["a"]


@case
def defaultdict(x):
    c = collections.defaultdict(int)
    if x > 0:
        c["a"] += 1
    return c["a"]


@case
def method_hit(x):
    a = Acc()
    if x > 0:
        a.hit()
    return a.n


@case
def method_hit_loop(x):
    a = Acc()
    for i in range(abs(x)):
        a.hit()
    return a.n


@case
def method_hit_while(x):
    a = Acc()
    i = 0
    while i < abs(x):
        a.hit()
        i += 1
    return a.n


@case
def method_rec(x):
    a = Acc()
    if x > 0:
        a.rec(1)
    return len(a.log)


@case
def method_rec_str(x):
    a = Acc()
    if x > 0:
        a.rec("s")
    return len(a.log)


@case
def method_rec_loop(x):
    a = Acc()
    for i in range(abs(x)):
        a.rec(1)
    return len(a.log)


@case
def method_put_existing(x):
    a = Acc()
    a.d["k"] = 0
    if x > 0:
        a.put("k", 1)
    return a.d["k"]


@case
def method_mark(x):
    a = Acc()
    if x > 0:
        a.mark()
    return a.flag


@case
def method_mark_cond(x):
    a = Acc()
    if x > 0:
        a.mark()
    if a.flag:
        return 1
    return 2


@case
def method_rename(x):
    a = Acc()
    if x > 0:
        a.rename()
    return a.name == "b"


@case
def closure_counter(x):
    n = 0

    def inc():
        nonlocal n
        n += 1

    if x > 0:
        inc()
    return n


@case
def closure_counter_loop(x):
    n = 0

    def inc():
        nonlocal n
        n += 1

    for i in range(abs(x)):
        inc()
    return n


@case
def closure_list(x):
    xs = []

    def put():
        xs.append(1)

    for i in range(abs(x)):
        put()
    return len(xs)


@case
def tern_method(x):
    a = Acc()
    r = a.hit() if x > 0 else None
    return a.n


@case
def and_method(x):
    a = Acc()

    def t():
        a.n += 1
        return True

    if x > 0 and t():
        pass
    return a.n


@case
def setattr_(x):
    a = Acc()
    if x > 0:
        setattr(a, "n", 5)
    return a.n


@case
def list_of_lists(x):
    g = [[0, 0], [0, 0]]
    if x > 0:
        g[0][1] = 5
    return g[0][1]


@case
def list_of_lists_append(x):
    g = [[], []]
    if x > 0:
        g[0].append(5)
    return len(g[0])


@case
def list_mul(x):
    xs = [0] * 3
    for i in range(3):
        if x > i:
            xs[i] = i + 1
    return sum(xs)


class Sl:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 0

    def hit(self):
        self.n += 1


@case
def slots_method(x):
    a = Sl()
    if x > 0:
        a.hit()
    return a.n


@case
def fn_attr(x):
    def f():
        f.n += 1

    f.n = 0
    if x > 0:
        f()
    return f.n


@dataclasses.dataclass
class Acc2:
    n: int = 0
    xs: list = dataclasses.field(default_factory=list)

    def hit(self, k):
        self.n += k
        self.xs.append(k)


@case
def dc_method(x):
    a = Acc2()
    if x > 0:
        a.hit(2)
    else:
        a.hit(3)
    return a.n, len(a.xs), a.xs[0]


@case
def nested_obj(x):
    a = Acc()
    a.child = Acc()
    if x > 0:
        a.child.hit()
    return a.child.n


@case
def list_of_objs(x):
    ac = [Acc(), Acc()]
    if x > 0:
        ac[0].hit()
    else:
        ac[1].hit()
    return ac[0].n * 10 + ac[1].n


# What is older than the trace gets Python values once, from Python, whatever the condition; tensors are carried.
GC = 0
GL = []


def inc_glob():
    global GC
    GC += 1


@once
def glob_counter(x):
    global GC
    GC = 0
    if x > 0:
        GC += 1
    return GC


@once
def glob_counter_fn(x):
    global GC
    GC = 0
    if x > 0:
        inc_glob()
    return GC


@once
def glob_list(x):
    GL.clear()
    for i in range(abs(x)):
        GL.append("seen")
    return len(GL)


class CV:
    n = 0


@once
def class_var(x):
    CV.n = 0
    if x > 0:
        CV.n += 1
    return CV.n


class CM:
    n = 0

    @classmethod
    def hit(cls):
        cls.n += 1


@once
def class_method(x):
    CM.n = 0
    if x > 0:
        CM.hit()
    return CM.n


OUTER = Acc()


@once
def attribute(x):
    OUTER.n = 0
    if x > 0:
        OUTER.hit()
    return OUTER.n


def bump():
    OUTER.n += 1


@once
def attribute_in_a_loop(x):
    OUTER.n = 0
    for i in range(abs(x)):
        bump()
    return OUTER.n


@once
def named(x):
    OUTER.n = 0
    if x > 0:
        OUTER.n = 1
    return OUTER.n


@case
def tensors_are_carried(x):
    global GC
    GC = CV.n = OUTER.n = 0
    if x > 0:
        GC = x
        CV.n = x + 1
        OUTER.n += x
    else:
        OUTER.n = 7
    for i in range(abs(x)):
        CM.n = CV.n = CV.n + i
    return GC, CV.n, OUTER.n


@refused
def del_dict(x):
    d = {"a": 1, "b": 2}
    if x > 0:
        del d["a"]
    return d["b"]


@refused
def del_dict_len(x):
    d = {"a": 1, "b": 2}
    if x > 0:
        del d["a"]
    return len(d)


@refused
def dict_update_new(x):
    d = {"a": 1}
    if x > 0:
        d.update(b=7)
    return len(d)


@refused
def dict_pop(x):
    d = {"a": 1, "b": 2}
    if x > 0:
        d.pop("a")
    return len(d)


@refused
def dict_clear(x):
    d = {"a": 1, "b": 2}
    if x > 0:
        d.clear()
    return len(d)


@refused
def set_add(x):
    s = {1}
    if x > 0:
        s.add(2)
    return len(s)


@refused
def set_discard(x):
    s = {1, 2}
    if x > 0:
        s.discard(2)
    return 2 in s


@refused
def set_ior(x):
    s = {1}
    if x > 0:
        s |= {5}
    return len(s)


@refused
def defaultdict_list(x):
    c = collections.defaultdict(list)
    if x > 0:
        c["a"].append(1)
    return len(c["a"])


@refused
def bytearr(x):
    b = bytearray(b"ab")
    if x > 0:
        b[0] = 120
    return int(b[0])


@refused
def method_put(x):
    a = Acc()
    if x > 0:
        a.put("k", 1)
    return len(a.d)


@refused
def iter_gen_py(x):
    def g():
        yield 1
        yield 2

    it = g()
    s = 0
    if x > 0:
        s = next(it)
    return s, next(it)


@refused
def py_iter_in_loop(x):
    it = iter([1, 2, 3])
    s = 0
    for i in range(abs(x)):
        s = s + next(it)
    return s


def plain(value):
    return [plain(v) for v in value] if isinstance(value, tuple) else getattr(value, "numpy", lambda: value)()


@pytest.mark.parametrize("function", STAGED)
def test_graph_is_python(function):
    traced = tf.function(function)
    for x in (3, -3, 0):
        assert plain(traced(tf.constant(x))) == plain(function(x)), x


@pytest.mark.parametrize("function", ONCE)
def test_once_in_what_is_older(function):
    with pytest.warns(
        errors.SideEffectWarning, match=r"changes .*, which is older than the trace, in a staged (branch|loop)"
    ) as told:
        for x in (3, -3, 3.0):
            assert tf.function(function)(tf.constant(x)) == 1
    assert {w.filename for w in told} == {__file__}
    lines = [w.lineno for w in told]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("function", REFUSED)
def test_refused(function):
    with pytest.raises(
        autograph.errors.StagingError, match=rf"(?s)test_journal_side_effects.py:\d+:\d+ in {function.__name__}.*\^"
    ):
        tf.function(function)(tf.constant(3))
