"""Texts and trees that Python warns of are read and compiled again without a word, and without filters of warnings."""

import ast
import dis
import linecache
import sys
import warnings

import pytest

import autograph
from autograph.pyct.quiet import compile_tree, parse

TEXTS = {
    "escapes": r"""
        def f(x):
            '''Says \d.'''
            return "\d", "\\d", b"\q\\", r"\d", '''\
\w\{ü\é''', "\
\p", rb"\d", "\x41\101\N{BULLET}é\ "
    """,
    "escapes and characters that stand for them": r"""
        def f(x):
            return "\d\x01", "\d\2", "\q\003é\w", "\N{END OF TRANSMISSION}", b"\s\05", "\u0006", "\e\U00000007\d"
    """,
    "escapes in f-strings": r"""
        def f(x):
            return f"\d{x}\{x}", f"{x!s:>5}\q{{\w}}", rf"\d{x}\{{", f"\\d{x=}\s", f'''\d
{x}\q''', f"{'é'}\d"
    """,
    "octals": r"""
        def f(x):
            return "ü\400", b"\777\d", "\400\477é\501", r"\400", f"\400{x}\500", x.y, '''
é\400''', x.z
    """,
    "escapes of text in bytes": r"""
        def f(x):
            return b"\u1234\N\U", "\u1234", x.y, br"\u1234", b'''
\u''', x.z
    """,
    "numbers": """
        def f(x):
            return "é", 1or x.y, 2if x else 3, [0x1for x in x], 1.and x, .5or x, "1or", 1jif x else x.z  # 1or 2
    """,
    "literals that are compared": """
        def f(x):
            if x is 1 or x is not "a" or 2.5 is x is b"q" is not None:
                return x is -1, x is (1, 2), x is (x, 2), x is (1, (2, -3)), x is None, 1 is x is ..., x is 1 + 1
            return x is True, 1 is 1, x is (2, 3)[1], "abc"[-1] is not x, x is (1, 2)[2]
    """,
    "assertions of tuples": """
        def f(x):
            assert (x, "message")
            assert (1, "message")
            return x
    """,
}
WRONG = {
    "calls of literals": """
        def f(x):
            try:
                return "a"(x), [x](x), {x: 1}(x), (1, 2)(3), f"{x}"(), (y for y in x)()
            except TypeError as error:
                return str(error)
    """,
    "literals that Python makes of others": """
        def f(x):
            try:
                return [1, 2][3 / 3], (x, 1)[-1], (1 + 2)[0], (-1)(x), "abc"[1:2]["d"], [x]["a" + "b"], None[-1]
            except TypeError as error:
                return str(error)
    """,
    "subscripts of literals": """
        def f(x):
            try:
                return None[x], "abc"["d"], [1, 2]["a"], (1, 2)[x, 1], {1, 2}[0], (lambda: 1)[0], f"{x}"["a"]
            except TypeError as error:
                return str(error)
    """,
}


class Value(list):
    y, z = 5, 6


def text_of(name):
    text = {**TEXTS, **WRONG}[name]
    lines = text.lstrip("\n").split("\n")
    return "\n".join(line.removeprefix("        ") for line in lines)


def loaded(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(text, "<doubtful>", "exec", dont_inherit=True)
    linecache.cache["<doubtful>"] = (len(text), None, text.splitlines(True), "<doubtful>")
    namespace = {"__name__": "doubtful"}
    exec(code, namespace)
    return namespace["f"]


def tree_of(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


@pytest.fixture
def strict():
    """All warnings are errors, and nobody touches the filters."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        yield
        assert warnings.filters == before


@pytest.mark.parametrize("name", [*TEXTS, *WRONG])
def test_texts_are_read_as_python_reads_them(name, strict):
    text = text_of(name)
    with pytest.raises(SyntaxError):
        compile(text, "<doubtful>", "exec")  # there is something to be silent of
    expected = tree_of(text)
    assert ast.dump(parse(text), include_attributes=True) == ast.dump(expected, include_attributes=True)


@pytest.mark.parametrize("name", TEXTS)
def test_trees_compile_to_the_same_code(name, strict):
    tree = tree_of(text_of(name))
    shown = ast.dump(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = compile(tree, "<doubtful>", "exec", dont_inherit=True)
    code, _ = compile_tree(tree, "<doubtful>", 0)
    assert ast.dump(tree) == shown
    function, other = (next(c for c in x.co_consts if hasattr(c, "co_code")) for x in (code, expected))
    assert dis.Bytecode(function).dis() == dis.Bytecode(other).dis()
    assert (function.co_consts, list(function.co_lines())) == (other.co_consts, list(other.co_lines()))


@pytest.mark.parametrize("name", [*TEXTS, *WRONG])
def test_functions_are_converted_without_a_word(name, strict):
    f = loaded(text_of(name))
    twin = autograph.to_graph(f)
    assert autograph.to_code(f)
    for x in (Value([1]), Value()):
        assert twin(x) == f(x)


@pytest.mark.parametrize("name", TEXTS)
def test_a_changed_text_is_noticed_still(name, strict):
    f = loaded(text_of(name) + "\n")
    changed = text_of(name).replace("return ", "return 77, ")
    linecache.cache["<doubtful>"] = (len(changed), None, changed.splitlines(True), "<doubtful>")
    with pytest.raises(autograph.errors.SourceChangedError):
        autograph.to_graph(f)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the tokenizer says nothing")
def test_what_stands_behind_a_function_is_not_warned_of(strict):
    text = "def f(x):\n    return x\n\ny = f'\\{1}'\n"
    assert autograph.to_graph(loaded(text))(3) == 3


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python warns whenever it runs")
def test_inversions_of_bools_are_computed_without_a_word(strict):
    text = "def f(x):\n    return ~True, ~(not 1), ~(not -1), [~False for _ in 'a'], ~(1, 2)[0], -(~(not 'a'))"
    assert autograph.to_graph(loaded(text))(0) == (-2, -1, -1, [-1], -2, 1)
