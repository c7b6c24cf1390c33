"""Undefined variables raise exactly what the running Python raises."""

import pytest

import autograph
import autograph.generated as ag__


def raised(thunk):
    try:
        thunk()
    except Exception as error:
        return type(error), str(error), getattr(error, "name", None)
    return None


def test_local_variable():
    def original():
        y  # noqa: F821
        y = 1

    def converted():
        y = ag__.Undefined("y")
        ag__.ld(y)
        ag__

    assert raised(converted) == raised(original)


def test_free_variable():
    def original():
        def inner():
            return y

        inner()
        y = 1

    def converted():
        y = ag__.Undefined("y")

        def inner():
            return ag__.ld(y)

        inner()

    assert raised(converted) == raised(original)


def test_local_variable_read_in_a_branch():
    def original(c):
        if c:
            y  # noqa: F821
        y = 1

    def converted(c):
        def if_body():
            nonlocal y
            ag__.ld(y)

        def else_body():
            nonlocal y

        y = ag__.Undefined("y")
        ag__.if_stmt(c, if_body, else_body, lambda: (y,), lambda v: None, ("y",), 1)

    assert raised(lambda: converted(1)) == raised(lambda: original(1))


def test_every_use_of_an_undefined_value_raises():
    y = ag__.Undefined("y")
    for use in (bool, iter, lambda v: v(), lambda v: v[0], lambda v: v.attribute):
        with pytest.raises(NameError, match="'y'"):
            use(y)
    assert repr(y) == "<undefined y>"
    assert y.symbol_name == "y"


def test_ldu():
    class Empty:
        pass

    nothing = None
    assert ag__.ldu(lambda: 3, "x") == 3
    for load in (lambda: Empty().a, lambda: {}["k"], lambda: [][2], lambda: missing, lambda: nothing["k"]):  # noqa: F821
        assert isinstance(ag__.ldu(load, "n"), autograph.backends.Undefined)
    with pytest.raises(ZeroDivisionError):
        ag__.ldu(lambda: 1 // 0, "n")


def test_ld_gives_the_value_itself():
    value = object()
    assert ag__.ld(value) is value


def test_scope_returns_none_for_a_function_that_did_not_return():
    options = ag__.ConversionOptions(recursive=True)
    with ag__.FunctionScope("f", "fscope", options) as scope:
        assert scope.ret(ag__.UndefinedReturnValue(), False) is None
        assert scope.ret(3, True) == 3
        assert scope.name == "fscope"


def test_name_scopes_are_entered_when_asked_for(backend):
    import contextlib

    entered = []

    @contextlib.contextmanager
    def name_scope(name):
        entered.append(name)
        yield
        entered.append("/" + name)

    backend.name_scope = name_scope
    with ag__.FunctionScope("f", "fscope", ag__.ConversionOptions(optional_features=ag__.Feature.NAME_SCOPES)):
        entered.append("body")
    with ag__.FunctionScope("g", "fscope", ag__.ConversionOptions()):
        pass
    assert entered == ["f", "body", "/f"]


def test_with_function_scope():
    assert ag__.with_function_scope(lambda lscope: (lscope.name, 4), "lscope", ag__.STD) == ("lscope", 4)
