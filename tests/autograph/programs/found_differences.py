"""Programs that once behaved differently when they were converted, each as small as it could be made.

Each is what stands in a program of `generated_programs.py` after `def make(...):`, with the options it was converted with.
"""

from __future__ import annotations

import sys
import textwrap

from autograph import Feature
from tests.autograph.programs.program_writer import PARAMETERS

LISTS = {"optional_features": Feature.LISTS}
ALL = {"optional_features": Feature.ALL}
ALONE = {"recursive": False}


def program(text):
    """A whole program."""
    return f"def make({PARAMETERS}):\n{textwrap.indent(textwrap.dedent(text).strip(), '    ')}\n"


if sys.version_info >= (3, 12):
    FOUND_LATER = {
        "f-strings over lines that CPython 3.13.0 does not split into tokens": ({}, """
            def f(a=0):
                return len(f'''{(len(f'''{(T(
            151, a)):{3}}_{(a)!r}'''))=}'''), len(f'''{(a):{3}}_{(T(
            158, a != 4))!r}''')
            return f
        """),
        "super() in a generator expression, which finds the iterator over a display": ({}, """
            class Q(B):
                @classmethod
                def f(*a):
                    d = 3
                    return any((d for b, b in [(T(2), d)] if super().x))
            return Q.f
        """),
        "a global of a function inside, by the name of what a comprehension sets": ({}, """
            c = 3
            def f(a=0):
                d = [a for c in R(b)]
                def g() -> c:
                    global c
                    return c
                return g()
            return f
        """),
        "inversions of bools, which CPython computes itself": (ALONE, """
            def f(a=0):
                return [~(not -1) for a in xs], ~(not 1), ~True
            return f
        """),
        "who computes the keywords of a class with type parameters": ({}, """
            def f(a=0):
                class Q5[Z](B, k=T(6, 1) and T(0, traceback.extract_stack()[-1][:3])):
                    pass
            return f
        """),
        "qualified names inside type parameters": ({}, """
            def f(a=0):
                def g1[Z](d, c=1):
                    return K(lambda: d)
                class Q4[Z]:
                    z = K(lambda i=a: a)
                type X = int
                return K(g1), log.append((Q4, X, X.__value__))
            return f
        """),
        "a variable that CPython takes for the function's own, where a comprehension reads it": ({}, """
            b = 1
            def f(a=0):
                if [1 for b, in [ds]]:
                    xs[0] = {b for c in R(2)}
            return f
        """),
        "a variable that CPython takes for the function's own, beside a class with one of that name": ({}, """
            c = 2
            async def f(a=0):
                h = [2 async for c in AR(1)]
                class Q:
                    c = 5
                    def m(self, a=0):
                        return c
                return h
            return f
        """),
        "a comprehension's variable that CPython takes for the function's own": ({}, """
            c = 0
            def f(a=0):
                if R:
                    K(lambda: sum(c for a in R(a)))
                    K(lambda: [[c for c in xs] for i in xs])
                    def g1(d=1):
                        nonlocal c
                        c = 4
                    K(g1)
                return {c for c, in [[5]]}
            return f
        """),
        "a comprehension's variable that a later loop of it reads, beside one of a function around": ({}, """
            d = 5
            def f(a=0):
                if P([b for i in R(a) if d][0], next(filter(lambda b: T(80, 3), R(xs)))):
                    pass
                elif {a: 3 for d in a for d in d}:
                    pass
            return f
        """),
        "a comprehension's variable beside one of the module": ({}, """
            def f(a=0):
                xs[0] = [K(lambda: c) for c in [1]]
                return c
            return f
        """),
        "the same in a method": ({}, """
            b = 0
            def f(a=0):
                class Q2:
                    def m(self, a=0):
                        return {c: T for b in K(lambda i=c: b)}
                    def n(self, a=0):
                        return [b for b in xs] if a else K(lambda: b)
                K(Q2().n)
                return Q2().m(2)
            return f
        """),
        "a comprehension's variable that the function declares": ({}, """
            b = c = 1
            def f(a=0):
                nonlocal b, c
                b = [[(b for d in R(2)) for b in R(1)], a]
                o[0] = {b for c in R(2) for a in [(lambda i: c)]}
                return [next(b[0][0]), len(K([a for b in R(2) if (lambda d: b)(b)]))]
            return f
        """),
        "a comprehension beside locals()": ({}, """
            d = 0
            async def f(a=0):
                xs[0] = [c for c, d in [(-(d and c), abs(1))]]
                for ds['k'] in await A(c):
                    a = locals
            return f
        """),
        "tests in a type alias": ({}, """
            def f(a=0):
                type X = a and 2
                type Y[Z: (a or 3)] = not a if a else [a == 1, Z]
                return X.__value__, Y.__value__, Y.__type_params__[0].__bound__
            return f
        """),
        "tests among the bases of a generic class": ({}, """
            def f(a=0):
                class Q[Z]((a and E) or B, k=len(xs[a or 1:])):
                    pass
                return Q.__orig_bases__, Q.k
            return f
        """),
        "the same in a lambda": ({}, """
            a = b = c = 1
            return lambda c: sorted({c % 5 for (d, a) in [(sum(a for c in R(c)), c)]})[0]
        """),
        "the same in a generator expression": ({}, """
            b = c = 0
            def f(a=0):
                while c:
                    pass
                else:
                    return next(3 for c in (b for i in {a: b for b in R(5)}))
            return f
        """),
        "no value in an annotation beside type parameters": ({}, """
            def f(a=0):
                c = 2
                del c
                def g1[Z](c, d=1) -> c:
                    pass
                K(g1)
            return f
        """),
        "qualified names inside annotations beside type parameters": (LISTS, """
            def f(a=0):
                def g1[Z](b: K(lambda i=1: (Z, a))) -> K(lambda: a):
                    pass
                K(g1)
            return f
        """),
    }
else:
    FOUND_LATER = {}
if sys.version_info < (3, 14):
    FOUND_LATER |= {
        "await in an annotation where no way leads": (ALL, """
            async def f(a=0):
                return a
                def g8(d: await A) -> await A(1):
                    pass
            return f
        """),
        "await in an annotation": (ALONE, """
            async def f(a=0):
                if T:
                    def g(a: await A(2)) -> await A(4):
                        pass
            return f
        """),
        "what := sets in an annotation that is never evaluated": (ALL, """
            def f(a=0):
                global c
                while X:
                    T(1)
                    o.x: (c := 1) = c
                    o.x: (b := 1)
                return b
            return f
        """),
        "super in an annotation": ({}, """
            class Q(B):
                def f(self, a=0):
                    if a:
                        def g9(b: super()):
                            pass
                        return g9.__annotations__
            return Q().f
        """),
    }

FOUND = FOUND_LATER | {
    "an assignment in place, in the body of a class, of what has no value": ({}, """
        def f(a=0):
            if K:
                class Q1:
                    e = 1
                    e //= d
            else:
                pass
            d = Q1
        return f
    """),
    "two displays, the first of constants": ({}, """
        def f(a=0):
            return [] == [a], [None] in [a], {} not in (a,), [[] in [a, d] for d in R(2)], (1, 2) == (a, 2), [1] + [a]
        return f
    """),
    "a test inside of the last operand, which is a bool": ({}, """
        b = 3
        def f(a=0):
            c = []
            if 0 or (b and 3) is 2:
                c.append(1)
            if (b and 3) is 2 and (d := T(1, 3)):
                c.append(2)
            if a == 5 or (a == 6 or (b and 3) is 2):
                c.append(3)
            c.append(5 if (a == 7 or (b and 3) is 4) else 6)
            while a == 7 or (b and 3) is 4:
                c.append(7)
                break
            return c, [1 for i in [1] if a == 7 or (b and 3) is 4]
        return f
    """),
    "what is dropped after a lambda without source was called": ({}, """
        def f(a=0):
            def g1():
                try:
                    yield
                finally:
                    T(1)
            h = g1()
            next(h)
            eval('lambda: -1')()
        return f
    """),
    "an attribute whose reading fails by an error that names none": ({}, """
        def f(a=0):
            class Q1:
                def __get__(self, a, kind=None):
                    del a.y
                def __set__(self, a, b):
                    pass
            class Q2:
                w = Q1()
                @property
                def p(self):
                    del self.y
                def __getattr__(self, name):
                    del self.z
            told = []
            for read in [lambda: Q2().w, lambda: Q2().p, lambda: Q2().q, lambda: getattr(Q2(), 'w')]:
                try:
                    read()
                except AttributeError as error:
                    told.append((error.name, type(error.obj).__name__))
            log.append(told)
            Q2().w += 1
        return f
    """),
    "a lambda of one constant": ({}, """
        async def f(a=0):
            K(lambda: 2 if 4 else b)
        return f
    """),
    "the compiler warned again, at the end of many ways": ({}, """
        def f(a=0):
            match ds:
                case 1:
                    pass
            return b is not 3
        return f
    """),
    "the compiler warned again": ({}, """
        def f(a=0):
            if a is 1:
                return 2
        return f
    """),
    "line of a call over two lines": ({}, """
        def f(a=0):
            return xs.index(T(1,
                -1))
        return f
    """),
    "own frames in the traceback of a handled error": ({}, """
        def f(a=0):
            del a
            try:
                return a
            finally:
                raise ValueError
        return f
    """),
    "own frames in a traceback that a handler looks at": ({}, """
        def f(a=0):
            try:
                return o.m(undefined_name)
            except NameError:
                return X()
        return f
    """),
    "a second manager that fails": ({}, """
        def f(a=0):
            while 0:
                return a
            with M(log, 2), M(log, b) as ds['k']:
                [b, o.x] = a
        return lambda: K(f) and X() and f()
    """),
    "raised again where it was caught": (ALONE, """
        def f(a=0):
            try:
                for b in ds:
                    a = d
            except Exception as e:
                if a:
                    raise e
        return f
    """),
    "what exec() leaves in the variables": ({}, """
        def f(a=0):
            exec("y = 5 + a")
            found = "y" in locals() and (eval("y"), vars()["y"], "y" in dir())
            for i in R(2):
                exec("z = i; a = 100")
                K((a, sorted(locals())))
                del i
                K("i" in locals())
            return found
        return f
    """),
    "locals() is one dictionary": ({}, """
        def f(a=0):
            k = locals()
            b = 2
            k["z"] = 5
            if a:
                c = 3
                k["c"] = 77
                eval("c")
            return sorted(k), sorted(locals()), vars() is k, K(lambda: (a, sorted(locals())))
        return f
    """),
    "qualified names inside annotations": ({}, """
        def f(a=0):
            def g(b: K(lambda: a), *, c: [K(lambda: i) for i in xs] = 1) -> K(lambda: b):
                return K(lambda: c)
            class Q:
                x: K(lambda: a) = 1
                def m(self, b: K(lambda: self)):
                    return K(lambda: b)
            return K(g), Q.__annotations__, Q.m.__annotations__, g(1)
        return f
    """),
    "a variable without a value in a default": ({}, """
        async def f(a=0):
            async def g1(c=b and (a), *, d=b or a):
                pass
            b = g1
        return f
    """),
    "an annotation of what is declared afterwards": ({}, """
        def f(a=0):
            b = 3
            def g(c=1) -> b:
                nonlocal b
                if b:
                    d: b
                for i in R(2):
                    e: b = b
                b = 7
                return e
            return g(), b
        return f
    """),
    "a lambda showed twice in a traceback": ({}, """
        return lambda a: (1,
            undefined_name)
    """),
    "message of an assertion that has none": (ALL, """
        def f(a=0):
            assert not a
        return f
    """),
    "its message when it is the same": (ALL, """
        def f(a=0):
            assert not a, 'Assertion error'
        return f
    """),
    "no value in the type of a handler": (ALL, """
        def f(a=0):
            del a
            try:
                return a
            except (a is not b, E)[1] as a:
                pass
            except:
                T(c)
        return f
    """),
    "no value in a guard beside locals": ({}, """
        def f(a=0):
            match a:
                case 1 as a if b == 4 is not d:
                    return vars
            b = 1
        return f
    """),
    "qualified name of a lambda in a comprehension": ({}, """
        def f(a=0):
            return {K(lambda: a) for a in R(1)}
        return f
    """),
    "qualified name of one in a thunk in a comprehension": ({}, """
        def f(a=0):
            return [i for i in (K(lambda: a) and b for d in R(2))]
        return f
    """),
    "a variable set by a condition, changed in its branch": ({}, """
        def f(a=0):
            if (d := a):
                d += 1
                log.append(d)
            for _ in R(d := a):
                d += 1
            while (d := a - 1):
                d -= 1
                a = 1
        return f
    """),
    "a variable of a later loop of a comprehension": ({}, """
        def f(a=0):
            return [1 for i in R(2) if b == (3 != b) > d for d in R]
        return f
    """),
    "locals of two lambdas on one line": ({}, """
        def f(a=0):
            assert K(lambda i=1: T(sorted(locals()))), lambda i=1: c
        return f
    """),
    "own frames in the parts of a group": ({}, """
        def f(a=0):
            try:
                if a:
                    undefined_name
            except* NameError:
                X()
        return f
    """),
    "qualified name of a lambda in a thunk in a branch": ({}, """
        def f(a=0):
            if a:
                b = a and K(lambda: 0)
            return f
        return f
    """),
    "own frames in what a group was made of": (LISTS, """
        def f(a=0, *, k=2):
            try:
                c = d if b else 2
            except* Exception as b:
                o[ds] |= d
        return f
    """),
    "an annotation without a value in a branch": ({}, """
        def f(a=0):
            b = 3
            if a:
                xs[0] = T(b)
                b: T
            return b
        return f
    """),
    "nothing but an annotation in a branch": ({}, """
        def f(a=0):
            if a:
                b: T
            return b
        return f
    """),
    "locals in a handler's type and in with": ({}, """
        def f(a=0):
            try:
                with M(log, T(sorted(locals()))):
                    b = undefined_name
            except T(sorted(vars())) as a:
                pass
        return f
    """),
    "a generated variable of a branch in a native loop": ({}, """
        def f(a=0):
            for a in R(2):
                yield
                if T:
                    pass
                else:
                    match P:
                        case 2 as c if a:
                            pass
        return f
    """),
    "no value in the chain of a with": ({}, """
        def f(a=0):
            with d == d != 2 as b:
                d = b
        return f
    """),
    "del in a loop of what nobody reads": ({}, """
        def f(a=0):
            for b in R(1):
                del a
            yield 0
        return f
    """),
    "no value in the subject of a native match": (ALL, """
        def f(a=0):
            match b and 5:
                case 1:
                    b = T
            return locals
        return f
    """),
    "no value in an annotation": ({}, """
        def f(a=0):
            def g13(a, b=1) -> d:
                pass
            while b:
                pass
            else:
                d = 1
        return f
    """),
    "a later variable of a comprehension in place": ({}, """
        def f(a=0):
            d = 1
            [c for c in R(1) for d in d]
        return f
    """),
    "variables of a comprehension that looks at them": ({}, """
        def f(a=0):
            d = 1
            return [sorted(locals()) for d in R(1)]
        return f
    """),
    "no value in a comprehension that may be staged": (ALL, """
        def f(a=0):
            o.p = [c for a, b in [(a, b)]]
            c: d
        return f
    """),
    "await among the arguments of a class": (ALONE, """
        async def f(a=0):
            if T:
                class Q49(B, k=await A(1)):
                    pass
                def g(a, b=await A(3)):
                    pass
        return f
    """),
    "locals in an annotation": ({}, """
        def f(a=0):
            def g3(d: T(sorted(vars()))) -> T(sorted(locals())):
                pass
        return f
    """),
    "locals of a class body": ({}, """
        def f(a=0):
            class Q14:
                u: int = T(sorted(vars()))
        return f
    """),
    "no value in the target of a loop": (LISTS, """
        async def f(a=0):
            for xs[4 != 5 != a] in R(1):
                pass
            async for xs[4 != 5 != d] in AR(a):
                pass
            d = A
        return f
    """),
    "a parameter with the name of a comprehension's variable": ({}, """
        def f(a=0):
            for i in R(2):
                K(lambda: i)
            return [K(lambda i=i: i) for i in R(2)]
        return f
    """),
    "a lambda that got away before its variable was set in a branch": ({}, """
        def f(a=0):
            if K(lambda: T(d)):
                pass
            if K:
                d = T
        return f
    """),
    "super in with": ({}, """
        class Q(B):
            def f(self, a=0):
                if a:
                    with M(log, super().m(1)):
                        return 1
        return Q().f
    """),
    "locals and super among the arguments of a class": ({}, """
        class Q(B):
            def f(self, a=0):
                if a:
                    class Q83(B, k=T(sorted(locals()))):
                        pass
                    class Q84(super().m.__class__):
                        pass
        return Q().f
    """),
    "lambdas of which the compiler left out one": ({}, """
        def f(a=0):
            *c, = 2 or len(list(filter(lambda a: a)))
            yield 0
        return f
    """),
    "comprehensions of which the compiler left out a part": ({}, """
        def f(a=0):
            b = [1]
            *b, = ([c for a in R(2)][0], all([0 for c in R(b) if 0]))
            return T(1)
        return f
    """),
    "line of a method called on a call over two lines": ({}, """
        def f(a=0):
            return R(
                [2]).index(5)
        return f
    """),
    "what := sets in a comprehension": (LISTS, """
        def f(a=0):
            b = {3: (d := b) for b in R(3)}
            if a:
                K(lambda: d)
            return b, d, [1 for i in R(1) if (e := i)], {1: (c := c) for i in R(1)}
        return f
    """),
    "a variable of a comprehension within another": ({}, """
        def f(a=0):
            b = 0
            c = {2: max((4 for d in R(b) if a - b for b in R), default=9) for b in R(2)}
            return {2: [b for b in R(b)] for b in R(2)}
        return f
    """),
    "a generated variable where no way leads": ({}, """
        def f(a=0):
            return
            for c in R(1):
                for o.x in R:
                    match ds:
                        case [*_]:
                            yield 7
                else:
                    match 's':
                        case [*_] if T:
                            pass
                        case [True]:
                            pass
        return f
    """),
    "what := sets in the default of a lambda": ({}, """
        def f(a=0):
            d = 0
            while lambda i=(a := d): len:
                d = T(*[3], k=a)
        return f
    """),
    "nothing but an annotation in blocks of all kinds": ({}, """
        def f(a=0):
            if a:
                try:
                    pass
                finally:
                    a: 1
                while T(1):
                    b: 1
                for c in R(1):
                    c: 1
                with M(log, 1):
                    c: 1
        return f
    """),
    "a variable of the compiler's without a value before the test of a loop": ({}, """
        def f(a=0):
            c = 1
            while next((-1 for i in R(T(1, 2))), 7):
                (d, *a) = [c, 3]
                if c:
                    T(1)
                c = 4
            (a, *c) = T(14, 4)
        return f
    """),
    "a variable that an annotation alone makes one, beside a chain of comparisons": (ALONE, """
        def f(a=0):
            d = 3
            def g1(a):
                if T:
                    d: 1
                else:
                    pass
                return d <= o(3) is not b
            c = g1(1)
        return f
    """),
    "a global without a value in a loop": ({}, """
        def f(a=0):
            global d
            while str(4):
                d = T(1)
        return f
    """),
    "line of an assertion of a chain": (ALONE, """
        def f(a=0):
            assert 1 < a <= a
        return f
    """),
    "no value among the arguments of a class": (ALL, """
        def f(a=0):
            d = 3
            class Q1(k=d and c < a):
                pass
            c, = xs
        return f
    """),
    "eval in a thunk among the arguments of a class": ({}, """
        async def f(a=0):
            class Q1(B, k=sum((2 for c, c in [(eval('a'), b)])) and eval('c')):
                pass
            if T(1):
                pass
        return f
    """),
    "own frames of an error in a handler of except*": ({}, """
        def f(a=0):
            try:
                raise ExceptionGroup('g', [TypeError(1), ValueError(1)])
            except* TypeError as a:
                class Q58:
                    def __init__(self, c=b):
                        ds['missing']
                Q58()
        return f
    """),
    "no value behind what is left by a swallowed error": (ALL, """
        def f(a=0):
            with M(log, True):
                raise KeyError
                for c in R:
                    pass
            o.x = c if 2 else 2
        return f
    """),
    "no value in the message of an assertion": (ALL, """
        def f(a=0):
            assert 1 < a, xs
            xs = T
        return f
    """),
    "what := sets where it may not come to it": ({}, """
        def f(a=0):
            c = e = 2
            if 1:
                xs[0] = a or (c := sys)
                ds['k'] = c, [0 for i in () if (e := i)], e
        return f
    """),
    "own frames below the body of a class": ({}, """
        def f(a=0):
            if a:
                class Q1:
                    def m(self, c=d):
                        pass
            d = 1
        return f
    """),
    "line of what fails first in code that has run often": (ALONE, """
        def f(a=0):
            while ds:
                T(0)
                class Q2:
                    def m(self, b=0):
                        a += len
                K(Q2.m)
        return f
    """),
    "raise in a branch of a handler": (ALL, """
        def f(a=0):
            try:
                d = d
            except:
                if 2:
                    if 3:
                        raise
        return f
    """),
    "no value in the default of a parameter": ({}, """
        def f(a=0):
            def g1(c: int = d != d > T(4), *b, **d) -> a:
                pass
            match o:
                case True:
                    d = c
        return f
    """),
    "own frames in a traceback seen in finally": ({}, """
        def f(a=0):
            try:
                def g34(a: int = a, *c, **d) -> T:
                    ds['k'] = 1 + c
                g34(1)
            finally:
                def g122(a, c=X()):
                    pass
        return f
    """),
    "own frames in the traceback that a context manager gets": ({}, """
        def f(a=0):
            def g1(c=a):
                return d
            if T(1, 1):
                with M(log, 1), M(log, 0):
                    return g1(1)
        return f
    """),
    "locals in the target of with": (ALONE, """
        def f(a=0):
            with M(log, 0) as xs[T(0, len(sorted(vars())))]:
                pass
        return f
    """),
    "line of a warning of a function that is called as it is": ({}, """
        def f(a=0):
            W(1)
            if T(1, 1):
                W(2)
            a and [W(2) for i in R(2)]
            with M(log, 0):
                functools.partial(W)(*[2])
            locale.getdefaultlocale()
        return f
    """),
    "an assertion in a class": (ALL, """
        def f(a=0):
            class Q:
                z = 3
                if z:
                    assert not a, (z, K(lambda: a))
                def m(self):
                    assert not a, K(lambda: a)
            K(Q().m)
            if not a:
                class Q2:
                    assert a
        return f
    """),
    "how long operands live": ({}, """
        class Z:
            def __init__(self, v):
                self.v = v
            def __bool__(self):
                return self.v
            def __del__(self):
                log.append('del')
        def f(a=0):
            b = Z(False) or Z(True)
            log.append('or')
            c = Z(True) and (T(1, 2) or Z(1)) and Z(3)
            log.append('and')
        return f
    """),
    "variables of frames": ({}, """
        def f(a=0):
            b = 2
            def g1():
                return sorted(sys._getframe(1).f_locals)
            if T(1, 1):
                log.append((sorted(sys._getframe().f_locals), g1()))
            try:
                undefined_name
            except NameError as e:
                log.append(sorted(e.__traceback__.tb_frame.f_locals))
            return [sorted(sys._getframe().f_locals) for c in R(1)]
        return f
    """),
    "await around functions and classes where no way leads": ({}, """
        async def f(a=0):
            for c in R(2):
                if c:
                    return a
                @(await A(D))
                def g1(b=await A(1)):
                    pass
                class Q1((await A(B)), k=await A(2)):
                    pass
            return d
            def g2(d=await A):
                pass
            class Q2(await A):
                pass
            lambda d=await A(1): d
        return f
    """),
    "what := sets where it may not come to it, read in a branch": ({}, """
        def f(a=0):
            if not a and (b := 2):
                pass
            if 0:
                pass
            elif b:
                pass
        return f
    """),
    "a pattern and := in its guard set the same": ({}, """
        def f(a=0):
            match o:
                case [*b] if (b := d):
                    c
            if 1:
                log.append(b)
        return f
    """),
    "module of a named tuple": (ALONE, """
        def f(a=0):
            Q2 = collections.namedtuple('Q2', 'u v')
            return Q2.__module__
        return f
    """),
    "column of a variable without a value in +=": (ALONE, """
        def f(a=0):
            try:
                if a:
                    del a
                a += 1
            except NameError as e:
                T(traceback.format_exception(e))
        return f
    """),
    "frames of callers, seen from classes, items of with and types of handlers": (ALONE, """
        def f(a=0):
            def g1(d=1):
                if d:
                    class Q4(B, k=T(sys._getframe(1).f_code.co_name)):
                        pass
                    with M(log, sys._getframe().f_back.f_code.co_name) as o[traceback.extract_stack()[-2].name]:
                        try:
                            warnings.warn("w", stacklevel=2)
                            raise E
                        except (T(inspect.stack()[1].function), E)[1:] as e:
                            log.append(list(o.items))
                @D2([i.function for i in inspect.stack()[:2]])
                def g2(c=inspect.currentframe().f_back.f_lineno) -> inspect.stack()[1].function:
                    pass
                return K(g2), (yield d)
            def g3(d=1):
                with M(log, warnings.warn("w", stacklevel=2)):
                    pass
                return sys._getframe(1).f_lineno
            return next(g1(1)), any(g1(0)), [i for i in g1(2)], max(map(g3, xs))
        return f
    """),
    "what fails in setting the target of with, as __exit__ sees it": ({}, """
        def f(a=0):
            if not a:
                b = 1
            try:
                class Q4:
                    with M(log, True) as o[T(0, b)]:
                        pass
            except NameError:
                pass
            def g1(d=1):
                with M(log, True), M(log, 0) as xs[sys._getframe(9999)], M(log, 0) as ds['k']:
                    pass
                with M(log, True) as o[T(
                        sorted(locals()))], M(log, 0) as ds[(yield d)]:
                    return T(sorted(locals()))
            K(g1)
            with M(log, 0) as c:
                with M(log, 0) as b.x, M(log, 1):
                    pass
        return f
    """),
    "the error, as what is called for the type of a handler sees it": ({}, """
        def f(a=0):
            if not a:
                b = 1
            for d in R(2):
                try:
                    b[T(d)]
                except E:
                    pass
                except (X(), ValueError)[1]:
                    pass
                except (X(), 3 if d else NameError)[1] as e:
                    T(e)
        return f
    """),
    "lines of callers in branches and loops": ({}, """
        def f(a=1):
            def g1(d=1):
                T(sys._getframe(1).f_lineno, sys._getframe().f_back.f_lineno)
                return sorted(sys._getframe(1).f_locals), inspect.currentframe().f_back.f_back.f_code.co_name
            if a:
                b = 1
                log.append(g1())
                for c in R(2):
                    d = c
                    class Q4:
                        x = T(sys._getframe(1).f_lineno, sys._getframe().f_back.f_code.co_name)
                        y = g1(), g1(), sys._getframe(1).f_lineno
                    log.append((Q4.y,
                                (lambda: g1())()))
            return f
        return f
    """),
    "lines of methods called behind receivers of several lines": ({}, """
        def f(a=0):
            class Q1:
                def m(self, d=0):
                    T(sys._getframe(1).f_lineno)
                    return self
            Q1().m(T(
                5)).m()
            for c in R(2):
                Q1().m(
                    T(1)).m(
                        d=2).m()
        return f
    """),
    "the columns of an assertion of chained comparisons": (ALONE, """
        def f(a=0):
            try:
                assert (a <= len([1]) == 3), T(5, len(__name__))
            except AssertionError as e:
                T(0, traceback.format_exception(e))
            return f
        return f
    """),
    "loops over places of objects, all of whose pieces are compiled when they run": (ALONE, """
        def f(a=0):
            for o.x in R(xs):
                b = a
            for xs[0] in R(xs):
                a = b
            return o.x, a
        return f
    """),
    "values without a value, and targets without one": ({}, """
        c = 1
        def f(a=0):
            if a:
                b = d = 1
            try:
                ds[d] = b
            except NameError as e:
                T(0, str(e))
            try:
                d.x = c
            except NameError as e:
                T(0, str(e))
            def g():
                try:
                    ds[e] = h
                except NameError as k:
                    T(0, str(k))
            g()
            e = h = 1
            return f
        return f
    """),
    "calls of attributes in annotations of classes": ({}, """
        def f(a=0):
            class Q1(typing.NamedTuple):
                u: int = 0
                v: T(0, sys._getframe().f_code.co_filename) = 1
            class Q2: v: traceback.extract_stack()[-1][:1] = 1
            class Q3: w: T(sys.getrecursionlimit() > 1)
            T(0, Q1(a, 2))
            return f, Q2, Q3
        return f
    """),
    "functions called by their `__call__`": ({}, """
        def f(a=0):
            def g(b, *c, k=1):
                T(b, c, k)
                return g.__call__(b - 1, *c, k=2) if b else b
            try:
                g.__call__()
            except TypeError as e:
                T(0, str(e))
            return g.__call__(3, 1), B().m.__call__(2), g.__call__.__call__(1)
        return f
    """),
    "`raise` of what a function around handles": ({}, """
        def f(a=0):
            def g(n):
                if n:
                    raise
                yield n
            def h(n):
                while n:
                    for i in range(n):
                        raise
            def k(n):
                class C:
                    if n:
                        raise
            for call in (lambda: list(g(1)), lambda: [i for i in g(1)], lambda: next(g(2)), lambda: h(2), lambda: k(1)):
                try:
                    try:
                        1 / 0
                    except ZeroDivisionError:
                        if a < 1:
                            call()
                except ZeroDivisionError as e:
                    T(0, [entry[:3] for entry in traceback.extract_tb(e.__traceback__)])
            try:
                1 / 0
            except ZeroDivisionError:
                for i in g(1):
                    pass
        return f
    """),
    "`__class__` read in the class inside a method": ({"optional_features": Feature.ALL}, """
        class Q(B):
            def f(self=1, a=0):
                if a:
                    return a
                if __class__:
                    class Z(__class__):
                        v = __class__
                        class Y:
                            def m(self, b=4):
                                return __class__.__name__, b
                    while a < 1:
                        a += 1
                        class Y(Z):
                            def n(self, c=T(0, __class__.__name__)):
                                return __class__, c
                    return Z.v, Z.Y().m(), Y.n(1)
        return Q.f
    """),
    "`super()` in a default of a class inside a method": ({"optional_features": Feature.LISTS}, """
        class Q(B):
            def f(self=1, a=0):
                if a:
                    return a
                if T(1):
                    class Z:
                        def g(self, c=super().x):
                            return c
        return Q().f
    """),
    "variables that only an annotation in a branch makes, named as one of the function around": (LISTS, """
        def f(a=0):
            d = 1
            def g(b=1):
                if T:
                    d: a
                    b = T(0, d)
                return b
            def h(b=1):
                while T(b):
                    d: a
                    b = T(0, d)
            def k(b=1):
                for i in R(2):
                    d: a
                    b = T(0, d)
                return b
            for call in g, h, k:
                try:
                    call()
                except NameError as e:
                    T(0, str(e))
            return d
        return f
    """),
    "a returned operand without a value": (ALONE, """
        def f(a=0):
            return T(d) and d
            d = 1
        return f
    """),
    "lambdas that decorate": ({}, """
        def f(a=0):
            @(lambda g: T(1, g))
            @K
            @(lambda g: log.append(g.__name__) or (lambda: a))
            def h():
                return 1
            class Q:
                @(lambda m: log.append(m.__name__) or property(m))
                def p(self):
                    return a
            return h(), Q().p
        return f
    """),
    "a test of what an `except` left without a value": ({}, """
        def f(a=0):
            for a in [1]:
                try:
                    raise TypeError
                except TypeError as d:
                    pass
                if d:
                    pass
            if a:
                pass
            else:
                c, = d
        return f
    """),
    "the test of a `while` and what a `for` goes through, likewise": ({}, """
        def g(a=0):
            for i in [1]:
                try:
                    raise TypeError
                except TypeError as d:
                    pass
                while d:
                    pass
            if a:
                b = d
        def h(a=0):
            for i in [1]:
                try:
                    raise TypeError
                except TypeError as d:
                    pass
                for j in d:
                    pass
            if a:
                b = d
        def f(a=0):
            for call in g, h:
                try:
                    call()
                except NameError as e:
                    T(0, type(e).__name__ + str(e))
        return f
    """),
    "a generator in a class body that reads `__class__`": ({}, """
        class Q:
            x = 1, 2
            def f(self, a=0):
                if a == 0:
                    class Q29:
                        p = (c for b in (1, 2) for c in __class__.x)
                        q = [c for b in (1, 2) for c in __class__.x]
                else:
                    pass
                return [*Q29.p], Q29.q
        def f(a=0):
            return Q().f(a)
        return f
    """),
    "a `return` inside a `with` that swallows": ({}, """
        def g(x):
            if x:
                with M(log, True):
                    int(x)
                    return 3
            return 4
        def h(x):
            if x:
                with M(log, True), M(log, x):
                    return 3
            elif x == 0:
                return 5
            else:
                with M(log, True):
                    return x[0]
            x = 6
            return x
        def f(a=0):
            return [g("1"), g("a"), g(""), h(1), h(2), h(0), h(()), h([7])]
        return f
    """),
    "rows in rows in rows of values": ({}, """
        class V:
            def __init__(self, name, truth):
                self.name, self.truth = name, truth
            def __bool__(self):
                log.append(self.name)
                return self.truth
        def f(a=0):
            found = []
            for n in range(8):
                b, c, d = (V("bcd"[i], n >> i & 1) for i in range(3))
                found += [
                    1 and (b or c) or d, (b or c and d) and c or b, (not (b or c)) and d or c, (b and (c or (d and b))) or c,
                    (b or (c and (d or b))) and d, ((b and c) or d) and ((c or d) and b),
                ]
            return [v if v in (0, 1) else v.name for v in found]
        return f
    """),
    "a variable that an annotation alone makes, and a comprehension's of the same name": ({}, """
        c = 5
        def f(a=0):
            def g(b):
                for b in ds:
                    c: b
                try:
                    return c
                except ValueError:
                    for xs[0] in [d for c in R(2)]:
                        pass
            return c, g(1)
        return f
    """),
    "what an augmented assignment evaluates first": ({}, """
        def f(a=0):
            o[c is not a < 0 <= 3] /= (c := 5)
        return f
    """),
    "super without a class yet": ({}, """
        class Q:
            def f(*a):
                class Inner:
                    u: int = [K(lambda: super().m), K(lambda: super()), K(lambda: str(super())), K(lambda: super().m(1))]
        return Q().f
    """),
    "handlers that name what another handler has deleted": ({}, """
        def f(a=0, d=2):
            if a:
                try:
                    try:
                        raise ExceptionGroup("g", [E(a), ValueError(1)])
                    except* ValueError as b:
                        pass
                except b as c:
                    pass
            return d
        def g(a=0, b=1):
            if a:
                try:
                    try:
                        raise E(1)
                    except E as b:
                        T(1, b)
                        raise KeyError
                except b as c:
                    pass
        return lambda a=0: [K(lambda: f(1)), K(lambda: g(1))]
    """),
    "groups that are split, and raised again": ({}, """
        def f(a=0):
            if a:
                try:
                    if a:
                        raise ExceptionGroup("g", [KeyError(a), ValueError(1)])
                except* ValueError as b:
                    T(1, b)
        def g(a=1):
            if a:
                try:
                    if a:
                        raise ExceptionGroup("g", [KeyError(a), ValueError(1)])
                except* KeyError as b:
                    raise
        def h(a=1):
            try:
                while a:
                    raise ExceptionGroup("g", [KeyError(a), ValueError(1)])
            except* ValueError as b:
                raise OSError
        return lambda a=0: [K(lambda: f(1)), K(lambda: g(1)), K(lambda: h(1))]
    """),
    "frames that wait for the test of a loop that is left": ({}, """
        def f(a=0):
            while T([i.lineno for i in inspect.stack()[:2]]):
                break
            while T([i.lineno for i in inspect.stack()[:2]]):
                return 5
            return a
        return f
    """),
    "a group made around an error, raised again in a branch": ({}, """
        def f(a=1):
            try:
                a = [*5]
            except* TypeError as c:
                if a:
                    while a:
                        raise
        return f
    """),
    "patterns within patterns that capture the same": ({}, """
        def f(a=0):
            found = []
            for x in (0, [1, 3], 5):
                match x:
                    case (0 as w) as z:
                        found.append((w, z))
                    case [1 as a, ((2 | 3) as b) as c] as d:
                        found.append((a, b, c, d))
            return found
        return f
    """),
    "iterators of the user's with methods of generators": ({}, """
        class I:
            def __iter__(self):
                return self
            def __next__(self):
                return 1
            def send(self, value):
                return value + 1 if value else 0
            def throw(self, *error):
                raise KeyError(len(error))
            def close(self):
                log.append("closed")
        class Changing(I):
            def __next__(self):
                del Changing.__next__
                return 2
        def f(a=0):
            i = I()
            x = yield from i
        def g(a=0):
            i = I()
            return iter(i) is i, [v for v, _ in zip(iter(i), "ab")], [v for v, _ in zip(Changing(), "abc")]
        K(g)
        return f
    """),
    "sequences without an iterator, pickled": ({}, """
        import pickle
        def f(a=0):
            class S:
                def __getitem__(self, i):
                    if i > 2:
                        raise IndexError
                    return i * 2
            i = iter(S())
            next(i)
            return type(i).__name__, i.__reduce__()[2], [*i], i.__reduce__()[1]
        return f
    """),
    "objects that note all that is read of them": ({}, """
        class O:
            def __init__(self, inner):
                self.__inner = inner
            def __getattribute__(self, name):
                log.append(name)
                if name == "_O__inner":
                    return object.__getattribute__(self, name)
                return getattr(self.__inner, name)
        def f(a=0):
            p = O([1, 2])
            p.x = 4
            return p.append(3), p == [1], p.__class__
        return f
    """),
    "static methods after the initialization of a dataclass": ({}, """
        def f(a=0):
            @dataclasses.dataclass
            class C:
                x: int
                @staticmethod
                def __post_init__():
                    T(1, 2)
            @dataclasses.dataclass
            class G:
                x: int
                @classmethod
                def __post_init__(cls):
                    if T(1, cls.__name__):
                        cls.y = 3
            return C(3), G(4).y
        return f
    """),
    "containers that change while they are compared": ({}, """
        def f(a=0):
            class Emptying:
                def __init__(self, of, truth=NotImplemented):
                    self.of, self.truth = of, truth
                def __eq__(self, other):
                    self.of.clear()
                    return self.truth
            x, y, z = [1], [2], collections.deque([1, 2, 3])
            x[:], y[:] = [Emptying(y)], [Emptying(x)]
            found = [x == y, x, y]
            z[1] = Emptying(z, False)
            found.append(K(lambda: z.index(7)))
            z.extend([1, Emptying(z, False)])
            found.append(K(lambda: z.count(7)))
            p, q = {1: 2, 2: 3}, {1: 4, 2: 5}
            p[1] = Emptying(p, True)
            q[1] = Emptying(q, False)
            return found, p == q, p == {1: 3, 2: 3}, p
        return f
    """),
    "subclasses that a metaclass makes up, and methods that are None": ({}, """
        class A(abc.ABC):
            def __eq__(self, other):
                log.append("A")
                return NotImplemented
            def __add__(self, other):
                log.append("A+")
                return NotImplemented
        @A.register
        class V:
            def __eq__(self, other):
                log.append("V")
                return NotImplemented
            def __radd__(self, other):
                log.append("V+")
                return 3
        class N(V):
            __radd__ = __iadd__ = None
        def f(a=0):
            n = N()
            def grow():
                nonlocal n
                n += 1
            return A() == V(), A() + V(), K(lambda: A() + n), K(grow)
        return f
    """),
    "attributes above a class that is not there yet": ({}, """
        def f(a=0):
            class M(type):
                def mro(cls):
                    if T(1, cls.__mro__ is None):
                        K(lambda: super(cls, cls).xxx)
                    return type.mro(cls)
            class C(metaclass=M):
                pass
            return C.__name__
        return f
    """),
    "a deleted global that is put where the index has no value either": ({}, """
        def f(a=0):
            global c
            c = 1
            del c
            o[d] = c
            d = 1
        return f
    """),
    "three kinds of jumps out of five managers": ({}, """
        def f(a=0):
            while T(1, a < 3):
                with M(log, 0), M(log, 2), M(log, 0), M(log, True), M(log, 0):
                    a += 1
                    if a > 2:
                        break
                    if a < 1:
                        continue
                    if T(2, a):
                        return T(3, a)
            return a
        return f
    """),
    "a handler's variable of the module, beside one of its name that has no value": ({}, """
        def f(a=0):
            global d
            try:
                raise E from None
            except Exception as d:
                def g11(a):
                    d = d if a else b
        return f
    """),
    "a handler's variable of a function around, beside one of its name that has no value": ({}, """
        d = 1
        def h():
            return d
        def f(a=0):
            nonlocal d
            try:
                raise E from None
            except Exception as d:
                def g11(a):
                    d = d if a else b
            return K(h)
        return f
    """),
    "a class in a branch, with annotations in branches": ({}, """
        class Q:
            def f(*a):
                if T:
                    class Q5:
                        if T(5):
                            pass
                        else:
                            a: int = 4
                        log.append(a)
        return Q.f
    """),
    "where a superclass cannot be found": ({}, """
        class Q(B):
            def f(self):
                def g(a):
                    return super().m(1)
                def h(*a):
                    return super().m(1)
                for call in (lambda: g(4), lambda: h(4)):
                    try:
                        call()
                    except Exception as e:
                        T(0, traceback.format_exception(e))
        return Q().f
    """),
    "a variable deleted twice, in a function that looks at frames": (ALONE, """
        def f(a=0):
            if hasattr(o, 'x'):
                d = 1
                del d, d
            elif vars(o)['x']:
                pass
            else:
                a, d = len(f'{T(250, d)}') < print(sys._getframe(1).f_lineno, end='')
        return f
    """),
    "a value in a pattern, before what is taken apart after it": (LISTS, """
        def f(a=0):
            for d in ((o, o), (0, {0: 5}), (0, {1: 5}), (0, [6])):
                match d:
                    case (0, {0: b}) | [2, b]:
                        log.append(b)
                    case (0, {0: b}):
                        log.append(b)
                    case (0, [b, *_]) if b:
                        log.append((b,))
        return f
    """),
    "where the body of a class calls super()": (ALONE, """
        class Q(B):
            def f(self, a=0):
                try:
                    class Q1(B):
                        z = __p = super().m(1)
                except RuntimeError as e:
                    T(0, traceback.format_exception(e))
        return Q().f
    """),
    "who reads annotations": ({}, """
        def f(a=0):
            def g(b) -> T(0, sys._getframe(1).f_code.co_name):
                pass
            K(g)
        return f
    """),
    "an object with its own iteration where enumerate is to begin": (ALL, """
        def f(a=0):
            return list(enumerate(xs, o))
        return f
    """),
    "a variable that only a function inside has set": (LISTS, """
        def f(a=0):
            def g():
                nonlocal d
                d = yield a
            class Q:
                def m(self):
                    nonlocal c
                    c = a
            h = g()
            next(h), next(h, 5), Q().m()
            if o < 4:
                ds['k'] = (c, d)
            else:
                c = d = 1
            while c == a:
                c += 1
            return c
        return f
    """),
    "a variable deleted in a loop, where vars() is given an object": (ALONE, """
        def f(a=0):
            b = 3
            while True:
                vars(o)['x']
                del b
        return f
    """),
    "a global deleted twice, by the name of a variable inside": ({}, """
        d = 3
        def f(a=0):
            global b
            nonlocal d
            def g(*d):
                b = 1
                del b, d
            try:
                del d, d
            finally:
                del b, b
        return f
    """),
    "a variable that a function inside has deleted": ({}, """
        def f(a=0):
            b = 2
            def g():
                nonlocal b
                del b
            if a:
                g()
            T(1)
            del b
            return a
        return f
    """),
    "a return in many blocks": ({}, """
        def f(a=0):
            with M(log, 2), M(log, b) as d:
                try:
                    ds['missing']
                except KeyError as d:
                    with M(log, 0), M(log, False) as d:
                        try:
                            if a:
                                pass
                        except KeyError:
                            pass
                        finally:
                            T(1)
                        return d - T(0, sys._getframe().f_code.co_filename)
                finally:
                    T(2)
        return f
    """),
    "many managers in one statement": ({}, """
        def f(a=0):
            with M(log, 1), M(log, 1), M(log, 1), M(log, 1), M(log, 1), M(log, 1), M(log, 1), M(log, 1), M(log, 1), M(log, 1):
                if a:
                    T(xs[5])
                return a
            return log.append(a)
        return f
    """),
    "assertions over lines": (ALL, """
        def f(a=0):
            def told(test):
                try:
                    test()
                except AssertionError as e:
                    T(0, traceback.format_exception(e))
            def g():
                assert (pow(T(
                    7, 0), 2, 7) + 1 - a), xs[0]
            def g2():
                assert not (
                    a or (xs[0] if a
                    else a == 0)), (
                      1)
            def g3():
                assert not (
                    T(0, a)
                    if a else xs[0])
            return told(g), told(g2), told(g3)
        return f
    """),
    "super() where its object is gone": ({}, """
        class Q(B):
            def f(self, a=0):
                del self
                return super().x
        return Q().f
    """),
}
