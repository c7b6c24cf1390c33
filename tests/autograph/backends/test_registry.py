"""Backends are found by the type of a value."""

import gc
import sys
import weakref

import pytest

import autograph
from autograph.backends import registry
from autograph.backends.state import State


class Staged:
    pass


class Sub(Staged):
    pass


class Picky(autograph.backends.StagingBackend):
    name = "picky"
    staged_types = (Staged,)

    def is_staged(self, value):
        return getattr(value, "staged", True)


@pytest.fixture
def picky():
    registered = autograph.backends.register_backend(Picky())
    yield registered
    autograph.backends.unregister_backend(registered)


def test_found_by_type_and_base(picky):
    assert autograph.backends.backend_of(Staged()) is picky
    assert autograph.backends.backend_of(Sub()) is picky
    assert autograph.backends.backend_of(3) is None
    assert autograph.backends.backend_of(Staged) is None


def test_second_test_by_value(picky):
    value = Staged()
    value.staged = False
    assert autograph.backends.backend_of(value) is None


def test_unregistered_backend_is_forgotten():
    backend = autograph.backends.register_backend(Picky())
    assert autograph.backends.backend_of(Staged()) is backend
    autograph.backends.unregister_backend(backend)
    assert autograph.backends.backend_of(Staged()) is None
    with pytest.raises(autograph.errors.BackendError, match="AG301: backend 'picky' is not registered"):
        autograph.backends.unregister_backend(backend)


def test_registering_twice_is_harmless(picky):
    assert autograph.backends.register_backend(picky) is picky
    assert autograph.backends.registered_backends().count(picky) == 1


def test_a_type_belongs_to_one_backend(picky):
    with pytest.raises(autograph.errors.BackendError, match="type 'Staged' is staged by backend 'picky' already"):
        autograph.backends.register_backend(Picky())


@pytest.mark.parametrize("wrong", [object(), autograph.backends.StagingBackend()])
def test_what_is_not_a_backend_is_refused(wrong):
    with pytest.raises(autograph.errors.BackendError, match="AG301"):
        autograph.backends.register_backend(wrong)


def test_odd_metaclasses_are_left_alone(picky):
    class Meta(type):
        def __hash__(cls):
            raise AssertionError

        def __eq__(cls, other):
            raise AssertionError

    class Odd(metaclass=Meta):
        pass

    assert autograph.backends.backend_of(Odd()) is None
    assert autograph.backends.backend_of(Odd()) is None


def test_types_are_not_kept_alive(picky):
    class Short(Staged):
        pass

    autograph.backends.backend_of(Short())
    key, watch = id(Short), weakref.ref(Short)
    del Short
    gc.collect()
    assert watch() is None
    assert key not in registry.known_types


def test_every_method_raises_a_clear_error_by_default():
    backend = Picky()
    with pytest.raises(autograph.errors.UnsupportedByBackendError) as caught:
        backend.if_stmt(1, None, None, None, None, (), 0)
    assert str(caught.value) == "AG202: backend 'picky' does not stage an `if` statement (docs/errors.md#ag202)"
    for name, arguments in {
        "len_": (1,),
        "range_": (1,),
        "and_": (1, None),
        "get_item": (1, 2),
        "list_append": (1, 2),
    }.items():
        with pytest.raises(autograph.errors.UnsupportedByBackendError, match="picky"):
            getattr(backend, name)(*arguments)


def test_a_plain_value_costs_little():
    lookup, calls = autograph.backends.backend_of, []
    lookup(3)  # its type is known from now on
    sys.setprofile(lambda frame, event, argument: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        lookup(4)
    finally:
        sys.setprofile(None)
    assert calls == ["backend_of"]


class Asked:
    def __gt__(self, other):
        return Asked()


def chosen(x):
    y = [x, {"k": 1}] if isinstance(x, int) else [0, {"k": 1}]
    if x > 0:
        y[0] = 1
        z = [1, {"k": 2}]
    else:
        z = y
    return y[0], z


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        (
            {"if_stmt": lambda self, cond: None},
            r"'asked' has a method if_stmt\(self, cond\); expected if_stmt\(self, cond, body",
        ),
        ({"len_": lambda self: None}, r"has a method len_\(self\); expected len_\(self, x\)"),
        ({"not_": None}, "has None for not_; expected a method"),
        ({"staged_types": Asked}, "expected a tuple of types"),
        ({"if_stmt": lambda self, *args: args}, "returned tuple from if_stmt, which is to return None"),
        ({"if_stmt": lambda self, c, b, o, *s: State(*s).set((1, 2, 3))}, "3 values were given for the variables z"),
    ],
)
def test_authors_are_told_what_is_wrong(attributes, told):
    made = type(
        "Made", (autograph.backends.StagingBackend,), {"name": "asked", "staged_types": (Asked,), **attributes}
    )()
    try:
        with pytest.raises(autograph.errors.BackendError, match=told):
            autograph.backends.register_backend(made)
            autograph.convert(chosen)(Asked())
    finally:
        if made in autograph.backends.registered_backends():
            autograph.backends.unregister_backend(made)


def test_lists_and_dictionaries_are_joined_part_by_part():
    class Joining(autograph.backends.StagingBackend):
        name, staged_types = "joining", (Asked,)

        def if_stmt(self, cond, body, orelse, get_state, set_state, symbol_names, nouts):
            state = State(get_state, set_state, symbol_names, nouts)
            state.join(state.run(body), state.run(orelse), lambda name, a, b: (name, a, b))

    made = autograph.backends.register_backend(Joining())
    try:
        assert autograph.convert(chosen)(Asked()) == (
            ("list[0]", 1, 0), [("z[0]", 1, 0), {"k": ("z[1]['k']", 2, 1)}]
        )  # fmt: skip
    finally:
        autograph.backends.unregister_backend(made)


def test_misspelt_methods_are_told_with_the_nearest_name():
    class Plain(autograph.backends.StagingBackend):
        name = "spelt"

        def helper(self, x):
            return x

    class Misspelt(Plain):
        staged_types = (type("Kind", (), {}),)

        def whle_stmt(self):
            raise AssertionError

        def if_statement(self):
            raise AssertionError

        def _eqq(self):
            raise AssertionError

    with pytest.warns(RuntimeWarning) as told:
        autograph.backends.unregister_backend(autograph.backends.register_backend(Misspelt()))
    assert [str(w.message).partition(",")[0] for w in told] == [
        "backend 'spelt' has a method 'whle_stmt'",
        "backend 'spelt' has a method 'if_statement'",
    ]
    assert "is 'while_stmt' meant?" in str(told[0].message)
    assert "is 'if_stmt' meant?" in str(told[1].message)
    assert told[0].filename == __file__
