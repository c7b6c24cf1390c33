"""Classes that can neither be compared nor hashed, as their metaclass says: their objects do converted what they do in Python."""

import textwrap

import pytest

import autograph
from autograph import generated


class Odd(type):
    """Asked by nothing that Python does with the objects of its classes."""

    def __eq__(cls, other):
        raise RuntimeError("asked")

    __hash__ = None


class Whole(metaclass=Odd):
    """Has all that Python may call."""

    v = 3

    def __init__(self):
        self.xs = [1, 2]

    def __iter__(self):
        return iter(self.xs)

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.xs[i]

    def __setitem__(self, i, v):
        self.xs[i] = v

    def __delitem__(self, i):
        del self.xs[i]

    def __contains__(self, i):
        return i in self.xs

    def __add__(self, other):
        return 5

    def __neg__(self):
        return 7

    def __lt__(self, other):
        return True

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 4

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __call__(self, x):
        return x

    def __format__(self, spec):
        return "formatted"

    def __iadd__(self, other):
        return self


class Items(list, metaclass=Odd):
    """A list."""


class Keys(dict, metaclass=Odd):
    """A dictionary."""


STATEMENTS = """
r = a.v
a.w = 4; r = a.w
del a.xs; r = a.v
r = [x for x in a]
r = a[0]
a[0] += 5; r = a[0]
del a[0]; r = a.xs
r = 1 in a
r = a + 1, -a, a < 1, a == 1, a != 1, not a, a and 3
r = f"{a}"
a += 1; r = a.v
r = a(3)
r = len(a), list(a), max(a), any(a), len(sorted([a, a])), sum(x for x in a)
r = {a: 1}[a]
r = Whole().v
x, *y = a; r = y
for x in a: r = x
with a as b: r = b.v
r = list(map(lambda z: z, a)), [*zip(a, a)], [*enumerate(a)]
setattr(a, "w", 4); r = getattr(a, "w")
a.xs.append(3); r = a.xs
i = Items([1]); i.append(3); r = i[0], i + [2], i == [1, 3]
k = Keys(x=1); k["y"] = 4; r = dict(k), len(k), k == {}
"""


@pytest.mark.parametrize("statement", STATEMENTS.strip().splitlines())
def test_objects_of_odd_classes(statement, tmp_path, monkeypatch, backend):
    text = textwrap.dedent(f"def f(a):\n    r = None\n    {statement}\n    return r\n")
    (tmp_path / "odd.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    namespace = {"Whole": Whole, "Items": Items, "Keys": Keys}
    exec(compile(text, tmp_path / "odd.py", "exec"), namespace)
    f = namespace["f"]
    expected = f(Whole())
    assert autograph.convert(f)(Whole()) == expected
    exec(autograph.to_code(f), {"ag__": generated} | namespace, printed := {})
    assert printed["tf__f"](Whole()) == expected


class NoIterator:
    """Has an `__iter__` and an `__aiter__` that give no iterator."""

    def __init__(self):
        self.asked = 0

    def __iter__(self):
        self.asked += 1
        return 1

    __aiter__ = __iter__


def spread(o):
    return [*o]


def passed(o):
    return print(*o)


def unpacked(o):
    first, *rest = o
    return rest


def looped(o):
    for x in o:
        return x


def awaited(o):
    async def inner():
        async for x in o:
            return x

    return inner().send(None)


@pytest.mark.parametrize("function", [spread, passed, unpacked, looped, awaited])
def test_what_gives_no_iterator_is_asked_once(function, backend):
    told = []
    for f in (function, autograph.convert(function)):
        o = NoIterator()
        with pytest.raises(TypeError) as failure:
            f(o)
        told.append((str(failure.value), o.asked))
    assert told[0] == told[1] and told[0][1] == 1
