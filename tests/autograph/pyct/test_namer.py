"""Functions and variables of the user's that are called as those of converted code are theirs."""

from __future__ import annotations

import linecache
import re

import pytest

import autograph
from tests.autograph.backends import text_backend

NAMES = (
    "get_state", "set_state", "if_body", "else_body", "loop_body", "loop_test", "extra_test", "itr", "itr_", "vars_",
    "block_vars", "fscope", "lscope", "ag__", "do_return", "retval_", "break_", "continue_", "staged", "kept",
)  # fmt: skip

TEXT = """
def NAME(x):
    return x + 1

def outer(x, n):
    def NAME(y=2):
        if y > 1:
            y = y * 2
        return y
    total = 0
    for i in range(n):
        if i == 3:
            continue
        if total > 100:
            break
        total = total + NAME(i)
    if x > 2:
        return total
    return (lambda: NAME() + total)()

def variable(NAME, n):
    while n > 0:
        n -= 1
        if NAME > n:
            NAME = NAME - 1
    return NAME

def from_module(x):
    if x > 1:
        x = NAME(x)
    for NAME_ in range(2):
        x = x + NAME_
    return x, [NAME_ for NAME_ in range(2) if NAME_ > 0]

def shown(NAME):
    if NAME:
        inner = 1
    return sorted(locals())
"""


def module_of(name):
    text = TEXT.replace("NAME", name)
    filename = f"<names of users {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"__name__": "names_of_users"}
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    return namespace


@pytest.mark.parametrize("name", NAMES)
def test_names_mean_what_the_user_wrote(name):
    module = module_of(name)
    for function, arguments in (
        ("outer", (1, 6)), ("outer", (3, 6)), ("variable", (9, 4)), ("from_module", (5,)), ("from_module", (0,)),
        ("shown", (1,)),
    ):  # fmt: skip
        f = module[function]
        assert autograph.to_graph(f)(*arguments) == f(*arguments)


@pytest.mark.parametrize("name", NAMES)
def test_they_do_where_values_are_staged(name, backend):
    module, reference = module_of(name), module_of("other")
    x = text_backend.Text("a0")
    for function, arguments in (("outer", (x, 3)), ("variable", (x, 3)), ("from_module", (x,))):
        found, expected = (
            re.sub(r"\d+", "0", repr(autograph.to_graph(functions[function])(*arguments)))
            for functions in (module, reference)
        )
        assert found.replace(name, "other") == expected


def test_errors_show_them_as_the_users(backend):
    module = module_of("get_state")
    text = TEXT.replace("NAME", "get_state").splitlines()
    with pytest.raises(TypeError) as caught:
        autograph.to_graph(module["from_module"])("text")
    line = caught.traceback[-1].lineno
    assert "if x > 1:" in text[line]
