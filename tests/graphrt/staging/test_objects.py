"""Objects of the user's classes that statements replace by others: joined and carried by their attributes."""

import contextlib
import dataclasses
import enum
import functools
import types

import pytest

import graphrt as tf


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def norm(self):
        return self.x * self.x + self.y * self.y

    def __add__(self, o):
        return Point(self.x + o.x, self.y + o.y)


@dataclasses.dataclass(frozen=True)
class F:
    a: object
    name: str = "n"


@dataclasses.dataclass
class DC:
    a: object
    b: object = 2


class Sl:
    __slots__ = ("u", "v")

    def __init__(self, u, v):
        self.u, self.v = u, v


class Node:
    def __init__(self, v, nxt=None):
        self.v, self.nxt = v, nxt
        self.me = self


class Acc:
    def __init__(self):
        self.p = Point(0, 0)
        self.best = None

    def see(self, q):
        if self.best is None or q.x > self.best.x:
            self.best = q


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def alias_read(x):
    p = Point(x, 7)
    r = p
    if x > 0:
        p = Point(1, 2)
    return p.x, r.x


def noalias_write(x):
    p = Point(x, 7)
    if x > 0:
        p = Point(1, 2)
    p.x = 5
    return p.x, p.y


def noalias_write2(x):
    p = Point(x, 7)
    if x > 0:
        p = Point(1, 2)
    if x < 100:
        p.x += 5
    return p.x, p.y


def two_names(x):
    if x > 0:
        p = q = Point(1, x)
    else:
        p = q = Point(x, 2)
    p.x = 9
    return p is q, q.x, q.y


def cyc(x):
    if x > 0:
        n = Node(x, Node(3))
    else:
        n = Node(2, Node(x))
    return n.v, n.nxt.v, n.me is n, n.nxt.me is n.nxt


def best2(x):
    bst = Point(-100, 0)
    for i in range(x):
        c = Point(i * (3 - i), i)
        if c.x > bst.x:
            bst = c
    return bst.x, bst.y


def acc(x):
    a = Acc()
    for q in [Point(1, 2), Point(x, 3), Point(2, x)]:
        a.see(q)
    return a.best.x, a.best.y


def place(x):
    a = Acc()
    if x > 0:
        a.p = Point(x, 1)
    return a.p.x + a.p.y


def place2(x):
    a = Acc()
    if x > 0:
        a.p = Point(x, 1)
    else:
        a.p = Point(1, x)
    return a.p.x + a.p.y * 10


def place_loop(x):
    a = Acc()
    for i in range(x):
        a.p = Point(a.p.x + i, 1)
    return a.p.x + a.p.y * 10


def place_loop2(x):
    a = Acc()
    while x > 0:
        a.p = a.p + Point(x, 1)
        x -= 1
    return a.p.x + a.p.y * 10


def lst(x):
    if x > 0:
        ps = [Point(x, 1), Point(2, 3)]
    else:
        ps = [Point(4, x), Point(x, 6)]
    return [p.x + p.y for p in ps]


def dct(x):
    if x > 0:
        ps = {"a": Point(x, 1), "b": 3}
    else:
        ps = {"a": Point(4, x), "b": x}
    return ps["a"].norm() + ps["b"]


def tup(x):
    p, n = (Point(x, 1), 5) if x > 0 else (Point(1, 2), x)
    return p.norm() + n


def frz2(x):
    f = F(x, "a") if x > 0 else F(1, "b")
    return f.a


def unset(x):
    if x > 0:
        p = Point(x, 1)
    if x > 0:
        return p.x
    return 0


def ret_late(x):
    for i in range(10):
        if i > x:
            return Point(i, x)
    return Point(0, 0)


def late(x):
    p = ret_late(x)
    return p.x, p.y


def method_in_branch(x):
    p = Point(x, 1)
    if x > 0:
        p = p + Point(1, 1)
    else:
        p = p + p
    return p.norm()


def loop_mut(x):
    p = Point(x, 0)
    while p.x > 0:
        q = Point(p.x - 1, p.y)
        q.y += 2
        p = q
    return p.y


def nest_loop(x):
    p = Point(0, 0)
    for i in range(x):
        for j in range(i):
            if j % 2 == 0:
                p = Point(p.x + j, p.y)
            else:
                p = Point(p.x, p.y + 1)
    return p.x, p.y


def withbreak(x):
    p = Point(0, 0)
    for i in range(x + 5):
        p = p + Point(1, i)
        if p.y > 4:
            break
    return p.x, p.y


def swap(x):
    p, q = Point(1, x), Point(x, 2)
    if x > 0:
        p, q = q, p
    return p.x, p.y, q.x, q.y


def swap_write(x):
    p, q = Point(1, x), Point(x, 2)
    if x > 0:
        p, q = q, p
    p.x = 100
    return p.x, p.y, q.x, q.y


def sel(x):
    ps = [Point(1, x), Point(x, 2)]
    p = ps[0] if ps[0].x > ps[1].x else ps[1]
    return p.x


def match_(x):
    match x % 3:
        case 0:
            p = Point(x, 0)
        case 1:
            p = Point(0, x)
        case _:
            p = Point(1, 1)
    return p.x, p.y


def aslist(x):
    a = Point(x, [1, 2]) if x > 0 else Point(1, [x, 4])
    a.y.append(7)
    return a.y


def two_points_m(x):
    p = Point(x, 1) if x > 0 else Point(2, x)
    return p.norm()


def dc(x):
    if x > 0:
        p = DC(1, x)
    else:
        p = DC(x)
    return p.a, p.b


def sl(x):
    if x > 0:
        p = Sl(1, x)
    else:
        p = Sl(x, 4)
    return p.u + p.v


def nested(x):
    if x > 0:
        p = Point(Point(x, 1), [x, 2])
    else:
        p = Point(Point(3, x), [4, x])
    return p.x.x + p.x.y * 10 + p.y[0] * 100 + p.y[1] * 1000


def in_loop(x):
    p = Point(0, 1)
    for i in range(x):
        p = Point(p.x + i, p.y * 2)
    return p.x, p.y


def while_obj(x):
    p = Point(x, 0)
    while p.x > 0:
        p = Point(p.x - 1, p.y + p.x)
    return p.y


def returned(x):
    def f(x):
        if x > 0:
            return Point(x, 1)
        return Point(1, x)

    q = f(x)
    return q.x * 10 + q.y


PROGRAMS = [
    alias_read,
    noalias_write,
    noalias_write2,
    two_names,
    cyc,
    best2,
    acc,
    place,
    place2,
    place_loop,
    place_loop2,
    lst,
    dct,
    tup,
    frz2,
    unset,
    late,
    method_in_branch,
    loop_mut,
    nest_loop,
    withbreak,
    swap,
    swap_write,
    sel,
    match_,
    aslist,
    two_points_m,
    dc,
    sl,
    nested,
    in_loop,
    while_obj,
    returned,
]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_graph_is_python(program):
    traced = tf.function(program)
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(program(x))


def test_what_stays_python_is_known_while_tracing():
    kinds = []

    @tf.function
    def f(x):
        p = F(x, "name") if x > 0 else F(1, "name")
        kinds.append((type(p), p.name))
        return p.a

    assert f(tf.constant(-1)) == 1
    assert kinds == [(F, "name")]


def write_to_joined(x):
    p = Point(x, 7)
    r = p
    if x > 0:
        p = Point(1, 2)
    p.x = 5
    return r.x


def write_to_one_of_them(x):
    p = Point(x, 7)
    r = p
    if x > 0:
        p = Point(1, 2)
    r.x = 5
    return p.x


def write_in_loop(x):
    p = Point(x, 0)
    r = p
    while p.x > 0:
        p.y += 1
        p = Point(p.x - 1, p.y)
    return r.y


def write_by_name(x):
    s, r = Sl(x, 1), Sl(2, x)
    t = s if x > 0 else r
    setattr(t, "u", 3)
    return s.u


def write_after_a_loop_that_began_in_python(x):
    p = q = Point(x, 0)
    i = 0
    while True:
        i += 1
        if i > 3 or x > 100:
            break
        q = Point(x, 7)
    p.y -= 1
    return q.y


def write_to_what_two_statements_left(x):
    p = Point(x, 0)
    q, r = p, p
    if x > 0:
        q = Point(1, 1)
    if x > 1:
        r = Point(2, 2)
    del p
    r.x = 5
    return q.x


_REFUSED = [
    write_to_joined, write_to_one_of_them, write_in_loop, write_by_name, write_after_a_loop_that_began_in_python,
    write_to_what_two_statements_left,
]  # fmt: skip


@pytest.mark.parametrize("program", _REFUSED)
def test_writes_that_another_name_would_have_to_show_are_refused(program):
    with pytest.raises(tf.errors.SideEffectError, match=r"'[\w ]+' is one of two objects.*make a new object"):
        tf.function(program)(tf.constant(3))


def one_attribute_more(x):
    if x > 0:
        p = Point(1, 2)
        p.z = 3
    else:
        p = Point(x, 3)
    return p.x


def other_kinds(x):
    p = Point(1, None) if x > 0 else Point(x, Color.RED)
    return p.x


def other_enums(x):
    if x > 0:
        c = Color.RED
    else:
        c = Color.BLUE
    return c.value + x


def chosen_enums(x):
    c = Color.RED if x > 0 else Color.BLUE
    return c.value + x


def other_sets(x):
    if x > 0:
        s = {1, 2}
    else:
        s = {3}
    return len(s) + x


def other_lengths(x):
    if x > 0:
        p = Point(x, [1, None])
    else:
        p = Point(x, [1, 2, None])
    return p.y


def other_classes(x):
    if x > 0:
        p = Point(x, 1)
    else:
        p = Node(x)
    return p


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (one_attribute_more, "'p.z' is set in the main branch, but not in the else branch"),
        (other_kinds, "'the value.y' is None in the main branch, but Color.RED in the else branch"),
        (other_enums, r"'c' must be a tensor, .* it is Color.RED in the main branch, .* Give its number \(`.value`\)"),
        (chosen_enums, r"'the value' must be a tensor, .* it is Color.RED in the main branch"),
        (other_sets, "'s' must be a tensor, .* Use a list, which may grow and shrink in a graph"),
        (
            other_lengths,
            "'p.y' is a list of 2 elements in the main branch, but a list of 3 elements in the else branch",
        ),
        (other_classes, "'p' must be .* of type Point in the main branch, but .* of type Node in the else"),
    ],
)
def test_what_does_not_fit_is_named(program, said):
    with pytest.raises(tf.errors.BranchMismatchError, match=said):
        tf.function(program)(tf.constant(3))


def test_loops_name_what_does_not_fit():
    @tf.function
    def f(x):
        p = Point(x, "a")
        for _ in range(x):
            p = Point(p.x, "b")
        return p.x

    with pytest.raises(tf.errors.LoopVariableError, match=r"'p\.y' is the Python str 'a' before the loop, but .*'b'"):
        f(tf.constant(3))


def test_gradients_go_through_objects():
    @tf.function
    def f(x):
        p = Point(x * x, 2.0) if x > 0 else Point(-x, x)
        for _ in range(tf.constant(2)):
            p = p + Point(x, 1.0)
        return p.x * p.y

    for value, slope in ((3.0, 4 * (2 * 3 + 2)), (-2.0, 2 * -2 + 2)):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x) == slope


def test_what_is_computed_once_is_computed_again():
    class Lazy:
        def __init__(self, x):
            self.x = x

        @functools.cached_property
        def twice(self):
            return self.x * 2

    @tf.function
    def f(x):
        p, q = Lazy(x), Lazy(1)
        before = p.twice
        r = p if x > 0 else q
        return before, r.twice

    assert plain(f(tf.constant(3))) == [6, 6]
    assert plain(f(tf.constant(-3))) == [-6, 2]


class Box:
    scale = 2

    def __init__(self, items):
        self.items = list(items)
        self.inner = None

    def __iadd__(self, o):
        self.items += o
        return self

    def __setitem__(self, i, v):
        self.items[i] = v


def grown_lists(x):
    b = Box([1])
    if x > 0:
        b = Box([x, 2])
    b.items.append(4)
    return len(b.items), b.items[0], sum(b.items)


def in_place(x):
    b = Box([1, 2])
    for i in range(x):
        b += [i]
    b[0] = 7
    b.items[1] += 1
    return len(b.items), b.items[0], b.items[1], b.items[-1]


def made_by_calls(x):
    b = Box([1, 2])
    if x > 0:
        b += [4]
    return len(b.items), b.items[-1]


def of_the_class(x):
    b = Box([1])
    if x > 0:
        b.scale = 10
    return b.scale, Box.scale


def set_on_both_sides(x):
    b = Box([])
    if x > 0:
        b.inner = Box([1])
    else:
        b.inner = Box([2])
    b.inner.items[0] += 10
    return b.inner.items[0]


@dataclasses.dataclass
class Pair:
    left: object
    right: object


class Named:
    def __init__(self, **named):
        named.setdefault("z", 1)
        self.__dict__.update(named)

    @classmethod
    def made(cls, **named):
        named["y"] = named.get("y", 0) + 1
        found = cls()
        vars(found).update(named)
        return found

    def kept(self, **named):
        self.given = named
        named["x"] = self.x
        return named


def by_name(x):
    a = Named(x=x, y=0)
    p = Point(x, 0)
    for i in range(3):
        if x > 0:
            a = Named.made(x=a.x + i, y=a.y)
        else:
            a = Named(x=a.x + 2, y=a.y)
    for _ in range(2):
        a = Named.made(x=a.x, y=a.y)
        p = dataclasses.replace(Pair(p.x, p.y), left=p.x + 1)
        p = Point(p.left, p.right)
    if x > 0:
        named = a.kept(x=0)
        named["x"] += 1
    else:
        named = a.kept(x=5)
    return a.x, a.y, a.z, a.given["x"], named["x"], p.x, p.y


def by_its_dictionary(x):
    for i in range(3):
        a = Named(x=x, y=0)
        getattr(a, "__dict__")["x"] = x + i
        x = a.x + 1
    if x > 0:
        vars(a)["y"] = x
    return a.x, a.y, x, "z" in dir(a)


@contextlib.contextmanager
def doubled(point, by=2):
    point.x = point.x * by
    try:
        yield point
    finally:
        point.y = point.y + 1


def managed(x):
    p = Point(x, 0)
    if x > 0:
        with doubled(p) as q, doubled(p, by=3):
            q.x += 1
    for i in range(2):
        with contextlib.ExitStack() as stack:
            stack.enter_context(doubled(p))
            p.x -= i
    return p.x, p.y


def in_lambdas(x):
    given = lambda **named: [named.update(a=named["a"] + x), named["a"]][1]
    chosen = lambda *, by=1, **named: named.pop("b") * by if named.setdefault("b", by) > 0 else named["b"]
    y = x * 0
    if x > 0:
        y = given(a=1) + chosen()
    for i in range(2):
        y += given(a=i) + chosen(by=i)
    return y


PROGRAMS = [grown_lists, in_place, made_by_calls, of_the_class, set_on_both_sides, by_name, by_its_dictionary, managed]


@pytest.mark.parametrize("program", [*PROGRAMS, in_lambdas])
def test_parts_of_objects(program):
    traced = tf.function(program)
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(program(x))


class Bare:
    """What has nothing of its own."""


def test_tracing_ends_where_nothing_tells_that_an_object_is_new():
    def f(x):
        for i in tf.range(3):
            a = Bare()
            a.__getattribute__("__dict__")["x"] = x + i
            x = a.x
        return x

    with pytest.raises(tf.errors.SideEffectError, match=r"a\.__getattribute__.* changes another dict each time"):
        tf.function(f)(tf.constant(1))


def greatest(x):
    best = max([Point(x, 1), Point(2, 2), Point(x + 1, 3)], key=lambda p: p.x)
    least = min((Point(x, 1), Point(2, 2), Point(1, 3)), key=Point.norm)
    return best.y, best.x, least.y


def greatest_of_what_is_made(x):
    return max((p for p in [Point(x, 1), Point(2, 2)]), key=lambda p: p.x).y


def greatest_numbers(x):
    return max([1, 5, 2], key=lambda v: v * x), min([x, 4], key=lambda v: -v), max([1, 2, 3], key=lambda v: 3 - v)


def namespaces(x):
    s = types.SimpleNamespace(v=x, w=None)
    s = types.SimpleNamespace(v=1, w=None) if x > 0 else s
    return s.v


@pytest.mark.parametrize("program", [greatest, greatest_of_what_is_made, greatest_numbers, namespaces])
def test_choices(program):
    traced = tf.function(program)
    for x in (3, -2, 0):
        assert plain(traced(tf.constant(x))) == plain(program(x))


class Caching:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def double(self):
        return self.x * 2

    @functools.cached_property
    def four(self):
        return 4


def attributes_made_by_loops(x):
    c, r, i = Caching(x), 0, 0
    if x > 0:
        r = c.double + c.four
    while i < 2:
        c.last = i
        r += c.four + c.double
        i += 1
    return r, c.four, c.double, c.last


def made_on_one_side(x):
    c = Caching(x)
    if x > 0:
        c.made = 1
    return hasattr(c, "made")


def test_attributes_that_statements_make():
    traced = tf.function(attributes_made_by_loops)
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(attributes_made_by_loops(x))
    with pytest.raises(tf.errors.BranchMismatchError, match=r"'c.made' must also be initialized in the else branch"):
        tf.function(made_on_one_side)(tf.constant(3))


def none_beside_data(x):
    t, d = (x, None), {"a": None, "b": x}
    if x > 0:
        t = (5, None)
    for i in range(abs(x)):
        t = (t[0] + i, None)
        d = {"a": None, "b": d["b"] + i}
    if x > 1:
        return t, d["b"], (None, 1)
    return t, d["b"], (None, x)


def test_none_within_tuples_stays():
    traced = tf.function(none_beside_data)
    for x in (3, -2, 0):
        assert plain(traced(tf.constant(x))) == plain(none_beside_data(x))


def test_none_within_a_tuple_of_one_branch():
    @tf.function
    def f(x):
        t = (x, None)
        if x > 1:
            t = (x, x + 1)
        return t

    assert plain(f(tf.constant(3))) == [3, 4]
    assert plain(f(tf.constant(1))) == [1, None]


def test_none_in_an_attribute_on_one_side():
    @tf.function
    def f(x):
        b = Box([])
        if x > 0:
            b.inner = 5
        return 0 if b.inner is None else b.inner

    assert plain(f(tf.constant(3))) == 5
    assert plain(f(tf.constant(-3))) == 0


class Stack:
    """A container of the user's, which goes through a list that grows in staged branches."""

    def __init__(self, x):
        self.items = [x, 2]
        if x > 0:
            self.items.append(x * 3)

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


def in_a_loop(s):
    t = 0
    for v in s:
        t = t * 2 + v
    return t


def numbered(s):
    t = 0
    for i, v in enumerate(s):
        t += i * v
    return t


def in_pairs(s):
    return sum(v * w for v, w in zip(s, s))


@pytest.mark.parametrize(
    "use", [sum, list, max, len, in_a_loop, numbered, in_pairs, sorted, lambda s: [v + 1 for v in s], lambda s: 9 in s]
)
def test_what_the_user_iterates_is_what_the_graph_has(use):
    traced = tf.function(lambda x: use(Stack(x)))
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(use(Stack(x)))


def test_a_generator_that_would_miss_what_the_graph_has_is_refused():
    class Given(Stack):
        def __iter__(self):
            yield from self.items

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="this list grew"):
        tf.function(lambda x: sum(Given(x)))(tf.constant(3))


class Holder:
    def __init__(self, v):
        self.v = v
        self.l = [v, 2]
        self.d = {"a": v}


def item_set_where_another_statement_joined(x):
    o = Holder(x)
    if x > -5:
        if x > 0:
            o = Holder(1)
        o.l[1] = x
        o.l.append(3)
        o.d["a"] = 9
    return o.v, len(o.l), sum(o.l), o.d["a"]


def item_set_in_a_loop(x):
    o = Holder(x)
    for _ in range(x % 3):
        if x > 0:
            o = Holder(1)
        o.l[1] += x
    return o.v, o.l[1]


@pytest.mark.parametrize("x", [4, -4, -8])
@pytest.mark.parametrize("program", [item_set_where_another_statement_joined, item_set_in_a_loop])
def test_containers_in_joined_objects_are_made_with_them(program, x):
    assert [int(v) for v in tf.function(program)(tf.constant(x))] == [*program(x)]


def list_of_an_object_by_another_name(x):
    o = Holder(x)
    kept = o.l
    if x > 0:
        o = Holder(1)
    o.l[1] = 7
    return kept[1]


def test_a_list_that_may_be_in_a_joined_object_is_refused_after_a_write():
    with pytest.raises(tf.errors.SideEffectError, match=r"'o\.l' is one of two objects"):
        tf.function(list_of_an_object_by_another_name)(tf.constant(3))


class _Rows:
    def __init__(self, v):
        self.v, self.l = v, [v, 1]


def _uneven_in_branches(x):
    o, nest, rows, pair = _Rows(x), {"l": [1, 2], "n": x}, [[x], [1, 2]], ([x], 1)
    if x > 0:
        o = _Rows(3)
        o.l[x % 2] = 6
        nest = {"l": [x], "n": 4}
        rows = [[x, 2], [3, 4]]
        pair = ([x, 2], 3)
    return o.v, o.l, nest["n"], nest["l"], rows[0], rows[1], pair[0], pair[1]


def _uneven_in_loops(x):
    o, nest, rows = _Rows(x), {"l": [1, 2], "n": x}, [[x], [1, 2]]
    for i in range(abs(x)):
        o.l[i % 2] += 1
        if i % 2 == 0:
            o = _Rows(i)
            o.l.append(i)
        nest["l"][i % 2] = i
        nest = {"l": [i, nest["l"][0], 5], "n": i}
        rows = [rows[1], [i]]
    return o.v, o.l, nest["n"], nest["l"], rows[0], rows[1]


@pytest.mark.parametrize("function", [_uneven_in_branches, _uneven_in_loops])
def test_lists_inside_that_are_of_two_lengths_or_staged(function):
    traced = tf.function(function)
    for x in (4, 3, -4):
        found = tf.nest.map_structure(int, traced(tf.constant(x)))
        assert tf.nest.flatten(found) == tf.nest.flatten(function(x))
