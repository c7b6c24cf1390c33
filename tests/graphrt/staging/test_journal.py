"""Wherever an object is kept, and whatever else the process is doing: staged code changes it.

Each kind of holder hands out an object that was there before the trace. What is done to it in staged code has to give
what Python gives, with threads beside it, with generators and tasks that stand still, and after traces that failed.

Covers: autograph/emit/write_sites.py.
"""

import asyncio
import collections
import concurrent.futures
import contextlib
import contextvars
import dataclasses
import functools
import itertools
import sys
import threading
import types
import weakref

import numpy as np
import pytest

import autograph
import graphrt as tf
from tests import whole
from tests.graphrt.programs.comparing import plain


class Thing:
    def __init__(self, v=0):
        self.v = v

    def put(self, x):
        self.v = x

    def add(self, x):
        self.v = self.v + x

    @property
    def magnitude(self):
        if self.v > 0:
            return self.v
        return -self.v

    @magnitude.setter
    def magnitude(self, x):
        if x < 0:
            x = -x
        self.v = x

    def __sub__(self, x):
        if x > self.v:
            return x
        return self.v - x

    __rsub__ = __sub__

    def __enter__(self):
        if self.v > 0:
            self.v = self.v + 1
        return self

    def __exit__(self, *error):
        if self.v > 2:
            self.v = self.v * 2

    def __getitem__(self, i):
        if i > self.v:
            return i
        return self.v


# --- the holders: each gives a function that hands out the object ----------------------------------------------------
HOLDERS = {}


def holder(function):
    HOLDERS[function.__name__] = function
    return function


@holder
def closure(o):
    return lambda: o


@holder
def closure_of_closure(o):
    def outer():
        def inner():
            return o

        return inner

    return lambda: outer()()


@holder
def list_(o):
    xs = [o]
    return lambda: xs[0]


@holder
def tuple_(o):
    xs = (1, (2, o))
    return lambda: xs[1][1]


@holder
def dict_(o):
    d = {"k": o}
    return lambda: d["k"]


@holder
def key_of_dict(o):
    d = {o: 1}
    return lambda: next(iter(d))


@holder
def set_(o):
    s = {o}
    return lambda: next(iter(s))


@holder
def deque(o):
    q = collections.deque([o])
    return lambda: q[0]


class OwnDict(dict):
    pass


class OwnList(list):
    pass


@holder
def dict_subclass(o):
    d = OwnDict(k=o)
    return lambda: d["k"]


@holder
def list_subclass(o):
    xs = OwnList([o])
    return lambda: xs[0]


@holder
def user_dict(o):
    d = collections.UserDict(k=o)
    return lambda: d["k"]


@holder
def user_list(o):
    xs = collections.UserList([o])
    return lambda: xs[0]


@holder
def chain_map(o):
    m = collections.ChainMap({}, {"k": o})
    return lambda: m["k"]


@holder
def defaultdict(o):
    d = collections.defaultdict(list)
    d["k"].append(o)
    return lambda: d["k"][0]


@holder
def ordered_dict(o):
    d = collections.OrderedDict(k=o)
    return lambda: d["k"]


@holder
def mapping_proxy(o):
    m = types.MappingProxyType({"k": o})
    return lambda: m["k"]


@holder
def namespace(o):
    n = types.SimpleNamespace(o=o)
    return lambda: n.o


class Slotted:
    __slots__ = ("o",)


@holder
def slots(o):
    s = Slotted()
    s.o = o
    return lambda: s.o


@holder
def class_attribute(o):
    class Home:
        kept = o

    return lambda: Home.kept


@holder
def metaclass_attribute(o):
    class Meta(type):
        kept = o

    class Home(metaclass=Meta):
        pass

    return lambda: Home.kept


@holder
def function_attribute(o):
    def home():
        return home.o

    home.o = o
    return home


@holder
def default(o):
    def home(kept=o):
        return kept

    return home


@holder
def keyword_default(o):
    def home(*, kept=o):
        return kept

    return home


@holder
def annotation(o):
    def home(a: o):
        return a

    return lambda: home.__annotations__["a"]


module = types.ModuleType("a_module_that_holds")


@holder
def module_attribute(o):
    name = f"kept_{id(o)}"
    setattr(module, name, o)
    return lambda: getattr(module, name)


@holder
def sys_modules(o):
    name = f"a_module_that_holds_{id(o)}"
    home = sys.modules[name] = types.ModuleType(name)
    home.o = o
    weakref.finalize(o, sys.modules.pop, name, None)
    return lambda: sys.modules[name].o


@holder
def globals_(o):
    name = f"kept_{id(o)}"
    globals()[name] = o
    return lambda: globals()[name]


@holder
def eight_levels(o):
    deep = o
    for _ in range(8):
        deep = {"k": [types.SimpleNamespace(o=deep)]}

    def home():
        found = deep
        for _ in range(8):
            found = found["k"][0].o
        return found

    return home


@holder
def last_of_many(o):
    many = [Thing() for _ in range(500)] + [o]
    return lambda: many[500]


@holder
def weak_reference(o):
    ref = weakref.ref(o)
    return lambda: ref()


@holder
def weak_values(o):
    d = weakref.WeakValueDictionary(k=o)
    return lambda: d["k"]


@holder
def partial(o):
    return functools.partial(lambda kept: kept, o)


@holder
def partial_method(o):
    class Home:
        def give(self, kept):
            return kept

        get = functools.partialmethod(give, o)

    return Home().get


@holder
def lru_cache(o):
    @functools.lru_cache
    def home():
        return o

    home()
    return home


@holder
def generator(o):
    def kept(o):
        yield o

    g = kept(o)
    next(g)
    return lambda: g.gi_frame.f_locals["o"]


@holder
def iterator(o):
    it = itertools.repeat(o)
    return lambda: next(it)


@holder
def context_variable(o):
    var = contextvars.ContextVar("var")
    var.set(o)
    return lambda: var.get()


@holder
def thread_local(o):
    local = threading.local()
    local.o = o
    return lambda: local.o


@holder
def bound_method(o):
    put = [o.put]
    return lambda: put[0].__self__


@holder
def named_tuple(o):
    Home = collections.namedtuple("Home", "o")
    home = Home(o)
    return lambda: home.o


@dataclasses.dataclass(frozen=True)
class Record:
    o: object


@holder
def frozen_dataclass(o):
    r = Record(o)
    return lambda: r.o


@holder
def array_of_objects(o):
    a = np.empty(1, object)
    a[0] = o
    return lambda: a[0]


@holder
def error_arguments(o):
    e = ValueError(o)
    return lambda: e.args[0]


class Lazy:
    def __init__(self, o):
        self._o = o

    def __getattr__(self, name):
        return self._o


@holder
def getattr_hook(o):
    lazy = Lazy(o)
    return lambda: lazy.anything


@holder
def property_(o):
    class Home:
        @property
        def o(self):
            return o

    home = Home()
    return lambda: home.o


# --- what is done to the object --------------------------------------------------------------------------------------
ACTIONS = []


def action(function):
    ACTIONS.append(function)
    return function


@action
def written_in_a_branch(get, x):
    if x > 0:
        get().put(x * 2)
    return get().v


@action
def written_in_either_branch(get, x):
    if x > 0:
        get().put(x * 2)
    else:
        get().add(x - 1)
    return get().v


@action
def written_in_a_loop(get, x):
    for i in range(abs(x)):
        get().add(i + x)
    return get().v


@action
def written_in_a_while(get, x):
    get().put(x)
    while get().v < 20:
        get().add(7)
    return get().v


@action
def written_on_a_condition_in_a_loop(get, x):
    for i in range(abs(x)):
        if i % 2 == 0:
            get().add(x)
    return get().v


@action
def written_in_an_operand(get, x):
    x > 0 and take(get(), x)
    return get().v


def take(o, x):
    o.put(x * 3)
    return True


@action
def property_read(get, x):
    get().put(x)
    return get().magnitude


@action
def property_read_in_a_branch(get, x):
    get().put(x)
    y = x
    if x < 0:
        y = get().magnitude * 2
    return y


@action
def property_in_a_loop(get, x):
    get().put(x)
    for i in range(abs(x)):
        get().magnitude = get().magnitude - i * 2
    return get().v


@action
def property_set(get, x):
    get().magnitude = x
    return get().v


@action
def operator(get, x):
    get().put(x)
    return (get() - 1) + (2 - get())


@action
def context_manager(get, x):
    get().put(x)
    with get() as o:
        y = o.v
    return y, get().v


@action
def item(get, x):
    get().put(x)
    return get()[1] + get()[x]


@action
def built_in_function(get, x):
    get().put(x)
    return getattr(get(), "magnitude")  # noqa: B009


def results(hold, act):
    """What an action gives as Python, and what it gives in a graph."""
    wanted, found = [], []
    for x in (3, -3):
        wanted.append(plain(act(hold_one(hold)[1], x)))
        o, get = hold_one(hold)
        wanted_type = tf.function(lambda x, act=act, get=get: act(get, x))
        found.append(plain(wanted_type(tf.constant(x))))
        del o
    return wanted, found


KEPT_ALIVE = []


def hold_one(hold):
    o = Thing()
    KEPT_ALIVE.append(o)  # for those that hold it weakly
    return o, hold(o)


def failures(hold, actions=ACTIONS):
    found = []
    for act in actions:
        try:
            wanted, given = results(hold, act)
        except Exception as error:
            found.append(f"{act.__name__}: {type(error).__name__} {str(error).splitlines()[:1]}")
        else:
            if wanted != given:
                found.append(f"{act.__name__}: {given} for {wanted}")
    KEPT_ALIVE.clear()
    return found


def failures_of_some(turn):
    """Those of some of the holders: each trial that is about something else takes other ones."""
    return {name: what for name in whole.some(HOLDERS, 4, turn) if (what := failures(HOLDERS[name]))}


@pytest.mark.parametrize(("turn", "hold"), enumerate(HOLDERS.values()), ids=HOLDERS)
def test_plainly(turn, hold):
    assert failures(hold, whole.some(ACTIONS, 6, turn)) == []


def test_in_threads_beside_each_other():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        names = whole.some(HOLDERS, 12)
        found = dict(zip(names, pool.map(failures_in_thread, map(HOLDERS.get, names))))
    assert {name: what for name, what in found.items() if what} == {}


def failures_in_thread(hold):
    found = []
    for act in ACTIONS:
        o = Thing()
        try:
            wanted = plain(act(hold(o), -3))
            o = Thing()
            get = hold(o)
            given = plain(tf.function(lambda x, act=act, get=get: act(get, x))(tf.constant(-3)))
        except Exception as error:
            found.append(f"{act.__name__}: {type(error).__name__} {str(error).splitlines()[:1]}")
        else:
            if wanted != given:
                found.append(f"{act.__name__}: {given} for {wanted}")
    return found


@autograph.convert
def counting(x):
    while True:
        if x > 0:
            yield x
        x = x + 1


def test_while_a_converted_generator_stands_still():
    g = counting(1)
    next(g)
    inside = []

    @tf.function
    def tracing(x):
        inside.append(counting(x))
        next(inside[0])
        return x

    with contextlib.suppress(autograph.AutoGraphError):
        tracing(tf.constant(1))
    found = failures_of_some(1)
    assert next(g) == 2
    assert found == {}


def test_while_a_task_awaits():
    @autograph.convert
    async def waiting(event, x):
        if x > 0:
            await event.wait()
        return x

    async def main():
        event = asyncio.Event()
        task = asyncio.create_task(waiting(event, 1))
        await asyncio.sleep(0)
        found = failures_of_some(2)
        event.set()
        assert await task == 1
        return found

    assert asyncio.run(main()) == {}


def test_after_a_strict_error():
    unsourced = eval(compile("lambda x: x if x > 0 else -x", "<no such file>", "eval"))
    with pytest.raises(autograph.AutoGraphError), autograph.strictness("strict"):
        tf.function(lambda x: unsourced(x))(tf.constant(1))
    assert failures_of_some(3) == {}


@pytest.mark.parametrize(("turn", "kind"), enumerate([KeyboardInterrupt, GeneratorExit, SystemExit], 4))
def test_after_an_interruption(turn, kind):
    thing = Thing()

    class Stopping:
        def __enter__(self):
            raise kind

        def __exit__(self, *error):
            pass

    @tf.function
    def stopped(x):
        if x > 0:
            thing.put(x)
            with Stopping():
                pass
        return thing.v

    with pytest.raises(kind):
        stopped(tf.constant(1))
    assert thing.v == 0
    assert failures_of_some(turn) == {}


def class_of_the_function_itself(n):
    class Total:
        def __init__(self):
            self.value = 0

        def add(self, x):
            if x > 2:
                self.value += x
            self.last = x

    total = Total()
    total.last = 0
    for i in range(n):
        total.add(i)
    return total.value, total.last


def test_methods_of_classes_that_are_made_while_tracing():
    value, last = tf.function(class_of_the_function_itself)(tf.constant(6))
    assert (int(value), int(last)) == class_of_the_function_itself(6)


class OfThread(threading.local):
    v = 1

    def put(self, x):
        if x > 2:
            self.v += x
        while self.v < 9:
            self.v = self.v * 2


def through(hold):
    """A program that writes to what `hold` makes of an object, whose class has C read and write its attributes."""

    def f(x):
        o = OfThread() if hold is None else Thing(1)
        p = o if hold is None else hold(o)
        if x > 2:
            p.v = p.v + x
        for i in range(x):
            p.v += i
            if p.v > 30:
                del p.v
                p.v = -1
                break
        p.put(x)
        return o.v, p.v

    return f


@pytest.mark.parametrize("hold", [None, weakref.proxy], ids=["local", "proxy"])
def test_attributes_that_c_keeps(hold):
    for x in (0, 3, 9):
        wanted = through(hold)(x)
        assert tuple(map(int, tf.function(through(hold))(tf.constant(x)))) == wanted


def test_attributes_of_a_thread_that_are_older_than_the_trace():
    kept = threading.local()
    kept.n = tf.constant(5)

    @tf.function
    def f(x):
        before = kept.n
        while kept.n < x:
            kept.n = kept.n + 2
        after, kept.n = kept.n, before
        return after

    assert [int(f(tf.constant(x))) for x in (3, 10)] == [5, 11]
    assert int(kept.n) == 5
