"""Builds docs/generated_code.md: for each construct of Python, what AutoGraph makes of it.

    python -m tests.generated_code_page          writes the page
"""

import importlib.util
import pathlib
import re
import tempfile
import textwrap

from tests import ROOT

PAGE = ROOT / "docs" / "generated_code.md"

INTRO = """\
# Generated code

What AutoGraph makes of each construct of Python, as `autograph.to_code` prints it. This page is built by
`python -m tests.generated_code_page`, and a test holds it to the code.

Words in it: `fscope` is the scope of the function, which knows its options. `ag__.ld(x)` reads a variable, and raises what
Python raises when it has no value. `get_state` and `set_state` hand a backend the variables that a statement changes.
Whatever is no staged value is treated by each `ag__` function exactly as Python treats it. To keep the page readable the
options of the scope are left out here: `...` stands for
`ag__.ConversionOptions(recursive=True, user_requested=True, optional_features=(), internal_convert_user_code=True)`, or for
the same with the feature that a section names.

This is the body that runs while something can be staged. While no backend is active the same function runs the user's own
body instead, see "Two bodies in one function" in architecture.md. A call with stars is compiled as
`ag__.star_call(f, fscope)(*args, **kwargs)`, so that wrong arguments fail as Python fails.
"""

OPTIONS = re.compile(r"ag__\.ConversionOptions\(.*?internal_convert_user_code=True\)")

SECTIONS = [
    ("Reading variables, calling functions", "Every call goes through `converted_call`, which converts what is called.", """
def f(x):
    y = abs(x)
    return g(y, *args, key=x)
"""),
    ("if", "The variables that are needed afterwards are the state; the last argument counts them.", """
def f(x):
    if x > 0:
        y = x
    else:
        y = -x
    return y
"""),
    ("elif", "An `elif` is an `if` inside the `else`.", """
def f(x):
    if x > 0:
        y = 1
    elif x < 0:
        y = -1
    else:
        y = 0
    return y
"""),
    ("Conditional expression", "", """
def f(x):
    return 1 if x else 2
"""),
    ("and, or, not", "The right-hand side is a function, so that it is only evaluated when it is needed.", """
def f(x, y):
    return x > 0 and y > 0 or not x
"""),
    ("Chained comparison", "The middle operand is evaluated once, and the chain is cut short where Python cuts it.", """
def f(x):
    return 0 < g(x) < 10
"""),
    ("while", "", """
def f(n):
    i = 0
    while i < n:
        i += 1
    return i
"""),
    ("for", "", """
def f(xs):
    total = 0
    for x in xs:
        total += x
    return total
"""),
    ("break", "A flag that the loop tests.", """
def f(xs):
    for x in xs:
        if x < 0:
            break
        g(x)
"""),
    ("continue", "A flag that guards the rest of the body.", """
def f(xs):
    for x in xs:
        if x < 0:
            continue
        g(x)
"""),
    ("else of a loop", "It runs when the loop was not left by `break`.", """
def f(xs):
    for x in xs:
        if x < 0:
            break
    else:
        g(xs)
"""),
    ("return", "`do_return` says whether the function has returned; what follows is guarded by it.", """
def f(x):
    if x > 0:
        return x
    x = g(x)
    return -x
"""),
    ("return in a loop", "", """
def f(xs):
    for x in xs:
        if x > 0:
            return x
    return 0
"""),
    ("match", "", """
def f(x):
    match x:
        case 1 | 2:
            return 'few'
        case n if n > 100:
            return 'many'
    return 'some'
"""),
    ("assert, raise, del, with, try", "They stay statements.", """
def f(x):
    assert x
    with open(x) as file:
        try:
            y = file.read()
        except OSError:
            raise ValueError(x)
    del x
    return y
"""),
    ("Attributes and items as state", "", """
def f(self, d):
    if d['k'] > 0:
        self.x = 1
        d['k'] = 2
"""),
    ("Inner functions and lambdas", "They are converted with the function around them.", """
def f(x):
    def g(y):
        return x + y
    h = lambda z: g(z)
    return h(x)
"""),
    ("Comprehensions and generator expressions", "", """
def f(xs):
    return [x + 1 for x in xs if x]
"""),
    ("Generators", "A branch that yields stays a Python statement; what it tests may not be staged.", """
def f(xs):
    for x in xs:
        if x:
            yield x
"""),
    ("Frames", "`f_back` is the frame of the user's function that called, past those of the operators; `f_locals` holds the "
     "variables of the user's function alone.", """
def f(frame):
    return frame.f_back.f_locals
"""),
    ("Loop options", "The options become a dictionary; the call disappears.", """
def f(n):
    while n > 0:
        autograph.set_loop_options(maximum_iterations=10)
        n -= 1
    return n
"""),
    ("Augmented assignment, global, nonlocal", "Declarations are made again in each function that stands for a branch.", """
def f(x):
    global n
    k = 0

    def g():
        nonlocal k
        if x > 0:
            k += x
        else:
            k -= x
    g()
    if k > n:
        n = k
    return n
"""),
    ("Assignment expressions", "What is set inside an expression is part of the state. An operand that sets a variable "
     "keeps its `and`, `or` or conditional expression Python's.", """
def f(x):
    if (y := g(x)) > 0:
        z = y
    else:
        z = x and (y := 1)
    return y, z
"""),
    ("Stars, keywords, super and built-in functions", "", """
def f(self, *args, **kwargs):
    super(A, self).__init__(*args, key=1, **kwargs)
    return len(args), print(kwargs)
"""),
    ("Texts, subscripts and slices", "", """
def f(x, i):
    return f'{x[i]!r:>{i}}', x[1:i], (*x, i), {'a': x, **i}
"""),
    ("Tuples as targets", "", """
def f(pairs):
    total = 0
    for i, (a, *rest) in enumerate(pairs):
        total, last = total + a * i, rest
    return total
"""),
    ("return in with and try", "", """
def f(x, lock):
    with lock:
        if x > 0:
            return x
    try:
        return g(x)
    except* ValueError:
        x = 0
    finally:
        h(x)
    return x
"""),
    ("Jumps out of finally", "A loop that is left in a `finally` stays a Python statement.", """
def f(x):
    while x > 0:
        try:
            x -= 1
        finally:
            break
    return x
"""),
    ("async and await", "They stay where they are; so do the branches and loops that hold them.", """
async def f(xs, x):
    async with g(x) as y:
        if y > 0:
            y = -y
        async for z in xs:
            if z:
                y += await z
    return y
"""),
    ("Classes in functions", "Their methods are converted; statements in their bodies stay Python's.", """
def f(x):
    class A(B):
        if x:
            n = 1

        @property
        def m(self):
            return self.n if x > 0 else super().m
    return A
"""),
    ("Decorators and default values", "Those of inner functions are evaluated where they stand.", """
def f(x):
    @g(x)
    def h(y=x if x > 0 else 0, *, key=None):
        return y
    return h
"""),
    ("locals, eval and the like", "A function that looks at its variables as a whole keeps its statements.", """
def f(x):
    if x > 0:
        y = 1
    return locals()
"""),
    ("The name ag__", "A function that uses it gets another name for the operators.", """
def f(ag__):
    if ag__ > 0:
        ag__ = 0
    return ag__
"""),
    ("Feature.ASSERT_STATEMENTS", "", """
def f(x):
    assert x > 0, 'negative'
    return x
""", "ASSERT_STATEMENTS"),
    ("Feature.EQUALITY_OPERATORS", "", """
def f(x, y):
    return x == y or x != 1
""", "EQUALITY_OPERATORS"),
    ("Feature.LISTS", "Lists, items, membership and comprehensions.", """
def f(xs, x):
    out = []
    for i in xs:
        out.append(i)
    out[0] = x
    out[1] += x
    last = out.pop()
    return [y + 1 for y in out if y not in xs], out[i], last
""", "LISTS"),
]


def convert(source, features):
    import autograph

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "snippet.py"
        path.write_text("import autograph\n" + source)
        spec = importlib.util.spec_from_file_location("snippet", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        text = autograph.to_code(module.f, optional_features=[autograph.Feature[name] for name in features])
        return OPTIONS.sub("...", text)


def build():
    parts = [INTRO]
    for title, remark, source, *features in SECTIONS:
        source = textwrap.dedent(source).lstrip("\n")
        parts.append(f"\n## {title}\n")
        if remark:
            parts.append(f"\n{remark}\n")
        parts.append(f"\n```py\n{source}```\n\nbecomes\n\n```py\n{convert(source, features).rstrip()}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(build())
