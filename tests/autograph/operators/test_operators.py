"""Logical operators, comparisons, ternaries, asserts, subscripts and lists."""

import pytest

import autograph.generated as ag__

VALUES = [True, False, 0, 1, "", "x", None, [], [0], 0.0, (1,)]


def never():
    raise AssertionError("must not be evaluated")


@pytest.mark.parametrize("a", VALUES, ids=repr)
def test_and_or_not_give_pythons_operand(a):
    marker = object()
    assert ag__.and_(lambda: a, lambda: marker) is (a and marker)
    assert ag__.or_(lambda: a, lambda: marker) is (a or marker)
    assert ag__.not_(a) is (not a)


def test_and_or_are_lazy():
    assert ag__.and_(lambda: 0, never) == 0
    assert ag__.and_(lambda: False, never) is False
    assert ag__.or_(lambda: 5, never) == 5
    assert ag__.or_(lambda: True, never) is True


def test_comparisons_use_the_users_methods():
    class Odd:
        def __eq__(self, other):
            return "equal"

        def __ne__(self, other):
            return "different"

        def __contains__(self, x):
            return x == 3

    assert ag__.eq(Odd(), 1) == "equal"
    assert ag__.not_eq(Odd(), 1) == "different"
    assert (ag__.in_(3, Odd()), ag__.not_in_(3, Odd())) == (True, False)


def test_staged_expressions(backend, stage):
    a = stage("a0")
    assert ag__.not_(a).expression == "(not a0)"
    assert ag__.eq(1, a).expression == "(1 == a0)"
    assert ag__.not_eq(a, 1).expression == "(a0 != 1)"
    assert ag__.in_(a, [1, 2]).expression == "(a0 in [1, 2])"
    assert ag__.not_in_(a, [1]).expression == "(not (a0 in [1]))"
    assert ag__.get_item(a, 1, opts=ag__.GetItemOpts(element_dtype=None)).expression == "a0[1]"
    assert ag__.get_item([5, 6], a, ag__.GetItemOpts(None)).expression == "[5, 6][a0]"


@pytest.mark.parametrize("operator, expected", [("and_", [0, 0, 0, 1]), ("or_", [0, 1, 1, 1])])
def test_staged_logic_computes_what_python_does(backend, stage, operator, expected):
    result = getattr(ag__, operator)(lambda: stage("a"), lambda: stage("b"))
    program = "\n".join([*backend.lines, f"result = {result.expression}"])
    found = []
    for a, b in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        namespace = {"a": a, "b": b}
        exec(program, namespace)
        found.append(namespace["result"])
    assert found == expected


def test_if_exp():
    assert ag__.if_exp(True, lambda: 1, never, "c") == 1
    assert ag__.if_exp([], never, lambda: 2, "c") == 2


def test_staged_if_exp(backend, stage):
    result = ag__.if_exp(stage("a0"), lambda: 1, lambda: 2, "a0")
    assert backend.lines == ["if a0:", "    t1 = 1", "else:", "    t1 = 2"]
    assert result.expression == "t1"


def test_assert():
    ag__.assert_stmt(1, never)
    with pytest.raises(AssertionError) as caught:
        ag__.assert_stmt(0, lambda: ("a", 1))
    assert caught.value.args == (("a", 1),)
    with pytest.raises(AssertionError) as caught:
        ag__.assert_stmt([])
    assert caught.value.args == ()


def test_staged_assert(backend, stage):
    ag__.assert_stmt(stage("a0"), lambda: "no")
    assert backend.lines == ["assert a0, 'no'"]


def test_subscripts_of_plain_values():
    d = {}
    assert ag__.set_item(d, "k", 1) is d
    assert ag__.get_item(d, "k", opts=ag__.GetItemOpts(element_dtype=None)) == 1
    with pytest.raises(KeyError, match="^'q'$"):
        ag__.get_item(d, "q")


def test_lists_stay_the_same_object():
    l = ag__.new_list([])
    assert type(l) is list
    assert ag__.list_append(l, 1) is l
    ag__.list_append(l, 2)
    same, popped = ag__.list_pop(l, None, opts=ag__.ListPopOpts(element_dtype=None, element_shape=None))
    assert same is l and popped == 2
    assert ag__.list_pop([7, 8], 0, opts=ag__.ListPopOpts(None, None)) == ([8], 7)
    assert ag__.list_stack(l, opts=ag__.ListStackOpts(element_dtype=None, original_call=tuple)) == (1,)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'append'"):
        ag__.list_append(3, 1)


def test_staged_lists(backend, stage):
    l = ag__.list_append(stage("a0"), 3)
    rest, popped = ag__.list_pop(l, None, opts=ag__.ListPopOpts(None, None))
    total = ag__.list_stack(rest, opts=ag__.ListStackOpts(None, tuple))
    namespace = {"a0": [1, 2]}
    exec("\n".join([*backend.lines, f"r = {total.expression}", f"p = {popped.expression}"]), namespace)
    assert (namespace["r"], namespace["p"]) == ((1, 2), 3)
    changed = ag__.set_item(stage("a0"), 0, 9)
    exec("\n".join([*backend.lines, f"c = {changed.expression}"]), namespace)
    assert (namespace["c"], namespace["a0"]) == ([9, 2], [1, 2])


def test_a_construct_the_backend_does_not_stage_is_named(backend, stage):
    import autograph

    with pytest.raises(
        autograph.errors.UnsupportedByBackendError, match="AG202: backend 'text' does not stage `map`; write a loop"
    ):
        ag__.converted_call(map, (len, stage("a0")), None)
