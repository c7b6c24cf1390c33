"""Programs that once behaved differently when they were converted, each as small as it could be made.

Each is what stands in a program of `generated_programs.py` after `def make(...):`, with the options it was converted with.
"""

from __future__ import annotations

import textwrap

from program_writer import PARAMETERS

from autograph import Feature

LISTS = {"optional_features": Feature.LISTS}
ALL = {"optional_features": Feature.ALL}
ALONE = {"recursive": False}


def program(text):
    """A whole program."""
    return f"def make({PARAMETERS}):\n{textwrap.indent(textwrap.dedent(text).strip(), '    ')}\n"


FOUND = {
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
    "own frames below the body of a class": ({}, """
        def f(a=0):
            if a:
                class Q1:
                    def m(self, c=d):
                        pass
            d = 1
        return f
    """),
}
