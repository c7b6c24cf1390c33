"""Control flow on tensors gives what Python gives on numbers: each program runs both ways.

Covers: graphrt/control_flow/branches.py, graphrt/control_flow/copies.py, graphrt/control_flow/while_loop.py.
"""

import contextlib
import re

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors


def early_return(x):
    if x > 10:
        return x * 2
    if x > 5:
        y = x + 1
        if y > 8:
            return y * 3
        x = y
    x = x - 1
    return x


def return_in_while(n):
    i = 0
    while i < n:
        if i * i > 50:
            return i
        i += 1
    return -1


def nested_while(n):
    count = 0
    i = 0
    while i < n:
        j = 0
        while True:
            if j > i:
                break
            j += 1
            if j % 2 == 0:
                continue
            if count > 100:
                return count
            count += j
        i += 1
    return count


def while_else(n):
    i = 0
    while i < n:
        if i == 7:
            break
        i += 1
    else:
        i = -i
    return i


def python_for_left_by_a_tensor(x):
    for i in range(5):
        if x > i * 2:
            break
        x = x - 1
    else:
        x = x * 100
    return x


def python_for_returned_from(x):
    for i in range(5):
        if x > i * 2:
            return i
        x = x + 1
    return x


def first_value_inside_the_loop(n):
    i = 0
    while i <= n:
        z = i * 2
        i += 1
    return z


def none_before_the_loop(n):
    best = None
    i = 0
    while i <= n:
        v = (i * 7) % 5 - 10
        if best is None or v > best:
            best = v
        i += 1
    return best


def chained_comparison(x):
    if 0 < x < 10:
        return 1
    elif x == 0 or x == 20:
        return 2
    return 3 if not x > 5 else 4


def nested_ternary(x):
    return x + 1 if x > 5 else (x - 1 if x > 2 else x * 3)


def tuple_assignment(x):
    a, b = x, x + 1
    while a < 10:
        a, b = b, a + b
    return a, b


def return_from_the_inner_loop(x):
    while x < 100:
        while x % 7 != 0:
            x += 1
            if x == 31:
                return -x
        x += 10
    return x


def dictionary_state(x):
    d = {"a": x, "n": 0}
    while d["a"] > 1:
        d["a"] = d["a"] // 2
        d["n"] += 1
    return d["n"]


class Holder:
    pass


def attribute_state(x):
    o = Holder()
    o.v = x
    if x > 3:
        o.v = o.v * 2
    while o.v < 50:
        o.v += 7
    return o.v


def boolean_flag(x):
    found = False
    i = 0
    while i < 10 and not found:
        if i * i == x:
            found = True
        else:
            i += 1
    return found, i


def walrus_in_test(x):
    n = 0
    while (y := x - n) > 3:
        n += 1
    return y, n


def walrus_read_in_body(x):
    total = 0
    while (y := x - total) > 3:
        total += y // 2
    return y, total


def both_branches_return_in_loop(x):
    while x > 0:
        if x % 3 == 0:
            return x
        else:
            return -x
    return 100


def return_inside_with(x):
    with contextlib.nullcontext():
        if x > 3:
            return 1
    return 2


def return_inside_try(x):
    try:
        if x > 3:
            return 1
    finally:
        x = 0
    return 2


def inner_functions(x):
    f = lambda y: y + 1 if y > 3 else y

    def g(z):
        if z > 4:
            return f(z)
        return z

    return g(f(x))


def nonlocal_written_under_if(x):
    total = 0

    def add(k):
        nonlocal total
        if k > 2:
            total = total + k

    add(x)
    add(x + 1)
    return total


def loop_variable_in_lambda(x):
    i = 0
    read = lambda: i
    while i < x:
        i += 1
    return read()


def none_in_both_branches(x):
    if x > 0:
        y = None
    else:
        y = None
    return 1 if y is None else x


def structures_in_branches(x):
    if x > 0:
        pair = (x, {"k": x + 1})
    else:
        pair = (-x, {"k": 0})
    return pair[0] + pair[1]["k"]


def match_literals(x):
    match x:
        case 1 | 2:
            return 10
        case 3:
            return 30
        case n if n > 100:
            return n - 100
        case _:
            return 0


def del_in_branches(x):
    y = x
    if x > 0:
        z = y
        del y
        y = z + 1
    return y


def comparison_operators(x):
    return [x == 1, x != 1, x < 1, x >= 1, not x == 1]


def many_flags(x):
    out = 0
    i = 0
    while i < 6:
        i += 1
        if i == 2:
            continue
        j = 0
        while j < 4:
            j += 1
            if j == 3:
                break
            if i * j == x:
                return out
            out += i * j
        else:
            out += 1000
        if out > 40:
            break
    else:
        out = -out
    return out


CASES = [
    (early_return, [12, 9, 8, 7, 6, 5, 0]),
    (return_in_while, [3, 100, 0]),
    (nested_while, [6, 0, 40]),
    (while_else, [3, 10, 0]),
    (python_for_left_by_a_tensor, [3, -10, 0]),
    (python_for_returned_from, [3, -10, 0]),
    (first_value_inside_the_loop, [3, 0]),
    (none_before_the_loop, [3, 9, 0]),
    (chained_comparison, [3, 0, 20, 15, -3]),
    (nested_ternary, [7, 3, 0]),
    (tuple_assignment, [1, 20]),
    (return_from_the_inner_loop, [1, 28, 99]),
    (dictionary_state, [9, 1]),
    (attribute_state, [9, 1]),
    (boolean_flag, [9, 10]),
    (walrus_in_test, [9, 1]),
    (walrus_read_in_body, [50, 9, 1]),
    (both_branches_return_in_loop, [9, 10, 0]),
    (return_inside_with, [9, 1]),
    (return_inside_try, [9, 1]),
    (inner_functions, [9, 1, 4]),
    (nonlocal_written_under_if, [1, 2, 5]),
    (loop_variable_in_lambda, [0, 4]),
    (none_in_both_branches, [1, -1]),
    (structures_in_branches, [4, -4]),
    (match_literals, [1, 2, 3, 4, 150]),
    (del_in_branches, [4, -4]),
    (comparison_operators, [0, 1, 2]),
    (many_flags, [100, 6, 20, 1]),
]


def as_python(value):
    if isinstance(value, (tuple, list)):
        return type(value)(as_python(v) for v in value)
    if isinstance(value, dict):
        return {k: as_python(v) for k, v in value.items()}
    return value.numpy().item() if hasattr(value, "numpy") else value


@pytest.mark.parametrize(("function", "argument"), [(f, a) for f, values in CASES for a in values])
def test_staged_is_python(function, argument):
    traced = tf.function(function)
    assert as_python(traced(tf.constant(argument))) == function(argument)
    types = {op.type for op in traced.get_concrete_function(tf.TensorSpec([], tf.int32)).graph.get_operations()}
    if function not in (loop_variable_in_lambda, none_in_both_branches, comparison_operators):
        assert types & {"StatelessIf", "StatelessWhile", "If", "While"}, types


# --- loops over tensors ------------------------------------------------------------------------------------------------
def test_for_over_range_and_tensor():
    @tf.function
    def f(n, x):
        total = 0
        for i in tf.range(n):
            if i == 5:
                break
            total += i
        else:
            total = total * 10
        biggest = x[0]
        for v in x:
            if v > biggest:
                biggest = v
        return total, biggest

    assert as_python(f(tf.constant(4), tf.constant([1, 7, 3]))) == (60, 7)
    assert as_python(f(tf.constant(9), tf.constant([1, 7, 3]))) == (10, 7)


def test_early_return_in_for_over_tensor():
    @tf.function
    def find(x, wanted):
        for i in tf.range(tf.shape(x)[0]):
            if x[i] == wanted:
                return i
        return -1

    x = tf.constant([4, 8, 15])
    assert [find(x, tf.constant(k)).numpy().item() for k in (4, 15, 16)] == [0, 2, -1]


def test_enumerate_zip_and_reversed():
    @tf.function
    def f(x, y):
        total = 0
        for i, v in enumerate(x):
            total += i * v
        for a, b in zip(x, y):
            total += a * b
        last = 0
        for v in reversed(x):
            last = v
        return total, last, len(x)

    x, y = tf.constant([1, 2, 3]), tf.constant([10, 20])
    assert as_python(f(x, y)) == (0 + 2 + 6 + 10 + 40, 1, 3)


def test_builtins_on_tensors():
    @tf.function
    def f(x, y):
        return (
            abs(-x),
            max(x, y),
            min(x, y),
            int(y),
            float(x),
            sum(tf.stack([x, y, y])),
            round(tf.cast(x, tf.float32) / 4),
            any(tf.stack([x > 0, y > 100])),
            all(tf.stack([x > 0, y > 100])),
            max(tf.stack([x, y])),
            sorted(tf.stack([y, x])),
        )

    found = f(tf.constant(3), tf.constant(7))
    assert as_python(found[:-1]) == (3, 7, 3, 7, 3.0, 17, 1.0, True, False, 7)
    assert found[-1].numpy().tolist() == [3, 7]


def test_python_range_with_a_tensor_bound():
    @tf.function
    def f(n):
        s = 0
        for i in range(n):
            s += i
        for i in range(1, n, 2):
            s += i * 100
        return s

    assert f(tf.constant(5)).numpy() == 10 + 400


def test_loop_graph_does_not_grow():
    @tf.function
    def f(n):
        s = 0
        for i in tf.range(n):
            s += i
        return s

    small = len(f.get_concrete_function(tf.constant(3)).graph.get_operations())
    assert f(tf.constant(1000)).numpy() == 499500
    assert len(f.get_concrete_function(tf.constant(1000)).graph.get_operations()) == small


def test_shape_invariants_let_a_variable_grow():
    @tf.function
    def f(n):
        x = tf.zeros([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [tf.cast(i, tf.float32)]], 0)
        return x

    assert f(tf.constant(3)).numpy().tolist() == [0.0, 1.0, 2.0]


def test_maximum_iterations():
    @tf.function
    def f(n):
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            i += 1
        return i

    assert f(tf.constant(10)).numpy() == 3


def test_effects_make_the_node_stateful():
    v = tf.Variable(0)

    @tf.function
    def f(x):
        if x > 0:
            v.assign_add(1)
        while x > 0:
            v.assign_add(10)
            x -= 1
        return x

    f(tf.constant(2))
    assert v.numpy() == 21
    types = [op.type for op in f.get_concrete_function(tf.constant(2)).graph.get_operations()]
    assert "If" in types and "While" in types


# --- errors ------------------------------------------------------------------------------------------------------------
def here():
    import inspect

    return inspect.currentframe().f_back.f_lineno


def fails(function, *args):
    with pytest.raises(Exception) as caught:
        tf.function(function)(*args)
    return caught.value


def test_branches_that_disagree_in_dtype():
    line = here() + 3

    def f(x):
        if x > 0:
            y = tf.constant(1)
        else:
            y = tf.constant(2.0)
        return y

    error = fails(f, tf.constant(1))
    assert isinstance(error, TypeError)
    for part in ("'y'", "int32", "float32", f"{__file__}:{line}", "tf.cast"):
        assert part in str(error)


def test_variable_set_in_one_branch_only():
    def f(x):
        if x > 0:
            y = 1
        return y

    error = fails(f, tf.constant(1))
    assert isinstance(error, ValueError)
    assert "'y' must also be initialized in the else branch" in str(error) and __file__ in str(error)


def test_return_on_one_path_only():
    def f(x):
        if x > 0:
            return x

    error = fails(f, tf.constant(1))
    assert isinstance(error, ValueError)
    assert "else branch must also have a return statement" in str(error) and __file__ in str(error)


def test_loop_variable_that_changes_shape():
    line = here() + 3

    def f(x):
        while tf.reduce_sum(x) < 10.0:
            x = tf.concat([x, x], 0)
        return x

    error = fails(f, tf.constant([1.0]))
    assert isinstance(error, ValueError)
    for part in ("'x'", "(1,)", "(2,)", f"{__file__}:{line}", "[(x, tf.TensorShape([None]))]"):
        assert part in str(error)


def test_loop_variable_that_changes_dtype():
    def f(n):
        s = 0.5
        for i in tf.range(n):
            s = i + 1
        return s

    error = fails(f, tf.constant(3))
    assert isinstance(error, TypeError)
    for part in ("'s'", "float32", "int32", __file__):
        assert part in str(error)


def test_python_object_that_changes_in_a_loop():
    def f(n):
        name = re
        for i in tf.range(n):
            name = np
        return n if name is re else n + 1

    error = fails(f, tf.constant(3))
    assert isinstance(error, errors.LoopVariableError) and "'name'" in str(error)


def test_none_beside_a_set_at_the_end_of_one_branch():
    def f(x):
        y = None
        if x > 0:
            y = {1, 2}
        return y

    assert "'y' is None at the end of the else branch" in str(fails(f, tf.constant(1)))


def test_condition_that_is_no_boolean():
    def f(x):
        if x:
            return 1
        return 2

    error = fails(f, tf.constant([1, 2]))
    assert isinstance(error, ValueError) and "int32" in str(error) and __file__ in str(error)


def test_and_on_integers():
    def f(x):
        return x and x > 1

    error = fails(f, tf.constant(1))
    assert isinstance(error, TypeError) and "`and`" in str(error) and "int32" in str(error)


def test_structures_that_differ():
    def f(x):
        if x > 0:
            y = {"a": x}
        else:
            y = {"a": x, "b": x}
        return y

    assert "'y' must have the same nested structure" in str(fails(f, tf.constant(1)))


def test_symbolic_tensor_as_bool_outside_converted_code():
    def f(x):
        return 1 if x > 0 else 2

    with pytest.raises(errors.OperatorNotAllowedInGraphError, match=r"Python `bool` is not allowed") as caught:
        tf.function(f, autograph=False)(tf.constant(1))
    assert __file__ in str(caught.value)


def test_a_failed_trace_leaves_nothing_behind():
    v = tf.Variable(1)

    @tf.function
    def f(x):
        v.assign(5)
        if x > 0:
            y = 1
        return y

    with pytest.raises(ValueError):
        f(tf.constant(1))
    assert v.numpy() == 1
    assert tf.executing_eagerly()


def test_values_are_numpy_scalars():
    @tf.function
    def f(x):
        if x > 0:
            return x
        return 0

    assert isinstance(f(tf.constant(3)).numpy(), np.int32)


# --- comprehensions and membership -------------------------------------------------------------------------------------
def comprehension_over_range(n):
    return [i * 2 for i in range(n)]


def comprehension_with_condition(n):
    return [i for i in range(n) if i % 2 == 1 if i > 1]


def sum_of_generator(n):
    return sum(i * j for i, j in zip(range(n), range(n)))


def membership(n):
    return n in (1, 3), n not in [3, 4], n in {5}


def endless_loop_that_returns(n):
    while True:
        if n > 10:
            return n
        n += 3


@pytest.mark.parametrize(
    "function",
    [
        comprehension_over_range,
        comprehension_with_condition,
        sum_of_generator,
        membership,
        endless_loop_that_returns,
    ],
)
@pytest.mark.parametrize("argument", [0, 3, 6])
def test_staged_expressions_are_python(function, argument):
    assert as_python(tf.function(function)(tf.constant(argument))) == function(argument)


def test_a_variable_is_its_value_where_it_meets_tensors():
    v = tf.Variable(2)

    @tf.function
    def f(n):
        y = v
        for _ in tf.range(n):
            y = y * v
        if n > 2:
            z = v
        else:
            z = tf.constant(1)
        return y, z

    assert as_python(f(tf.constant(3))) == (16, 2)
    assert as_python(f(tf.constant(0))) == (2, 1)


def list_that_grows_before_a_break(n):
    found = []
    for i in range(n):
        if i > 2:
            found.append(i)
        if i > 5:
            break
    return found


def list_that_grows_before_a_return(n):
    found = []
    for i in range(n):
        if i % 2 == 0:
            if i % 4 == 0:
                found.append(i)
            else:
                found.append(-i)
        if i > 6:
            return found
    return found


@pytest.mark.parametrize("function", [list_that_grows_before_a_break, list_that_grows_before_a_return])
@pytest.mark.parametrize("argument", [0, 5, 20])
def test_lists_that_grow_in_branches_of_loops(function, argument):
    assert as_python(tf.function(function)(tf.constant(argument))) == function(argument)


def condition_of_several(x):
    if tf.stack([x, x]):
        return 1
    return 0


def operands_of_two_dtypes(x):
    return x > 1 and x


def several_negated(x):
    return not tf.stack([x, x])


def ternary_of_two_dtypes(x):
    return x if x > 2 else 2.0


def item_set_in_one_branch(x):
    d = {}
    if x > 0:
        d["k"] = x
    return d


def unset_by_one_path(x):
    if x > 5:
        y = 1
    elif x > 4:
        y = 2
    return y


@pytest.mark.parametrize(
    ("function", "code", "text"),
    [
        (condition_of_several, "AG201", "if tf.stack([x, x]):"),
        (operands_of_two_dtypes, "AG201", "`and` of a bool tensor of shape () and an int32 tensor of shape ()"),
        (several_negated, "AG201", "condition of `not` expected"),
        (ternary_of_two_dtypes, "AG204", "int32 in the branch before `if`, but float32 in the branch after `else`"),
        (item_set_in_one_branch, "AG204", "d['k']"),
        (unset_by_one_path, "AG204", "'y' must also be initialized in the else branch: it is the Python int 2"),
    ],
)
def test_what_cannot_be_staged_says_where_and_why(function, code, text):
    with pytest.raises((TypeError, ValueError)) as caught:
        tf.function(function)(tf.constant(3))
    message = str(caught.value)
    assert message.startswith(f"{code}: ") and text in message
    first = function.__code__.co_firstlineno
    assert re.search(rf"{re.escape(__file__)}:({'|'.join(str(first + i) for i in range(1, 6))}):\d+", message)
    assert re.search(r"\n +\| +\^+", message)


def divided(x, y):
    return divmod(7, y), divmod(x, 2), divmod(-x, y)


def rounded(x, y):
    return round(x / 3, 2), round(x * 15, -1), round(y, 1), round(x * 5, -1)


def numbered_from_a_tensor(x, y):
    total = 0
    for i, v in enumerate(reversed([x, y, 3]), start=y):
        total = total * 10 + i * v
    return total


def extremes_by_a_key(x, y):
    return min([x, y, 2], key=lambda v: (v - 2) ** 2), max((x, y), key=lambda v: -v)


@pytest.mark.parametrize("function", [divided, rounded, numbered_from_a_tensor, extremes_by_a_key])
@pytest.mark.parametrize("x, y", [(1, 3), (4, 3), (5, 4)])
def test_builtins_at_once_and_staged(function, x, y):
    def numbers(value):
        return [numbers(v) for v in value] if isinstance(value, tuple) else float(value)

    wanted = numbers(function(x, y))
    for called in (function, tf.function(function)):
        np.testing.assert_allclose(
            np.concatenate([np.ravel(v) for v in numbers(called(tf.constant(x), tf.constant(y)))])
            if isinstance(wanted, list)
            else numbers(called(tf.constant(x), tf.constant(y))),
            np.concatenate([np.ravel(v) for v in wanted]) if isinstance(wanted, list) else wanted,
            rtol=1e-5,
        )


@pytest.mark.parametrize("here", [True, False])
def test_branches_that_leave_many_known_truths(here):
    """What all branches are known to leave is noted of single truths; arrays of them are left alone."""

    @tf.function
    def f(n):
        flags = tf.ones([4], tf.bool)
        if flags[n]:
            flags = tf.tensor_scatter_nd_update(flags, [[n]], [False])
        else:
            flags = tf.zeros([4], tf.bool)
        if flags[0] and not flags[n]:
            return flags
        return ~flags

    found = f(tf.constant(2) if here else 2).numpy().tolist()
    assert found == [True, True, False, True]


def empty_list_before_anything_grew(n):
    found = []
    for i in range(n):
        for j in range(3):
            if i * j > 5:
                return found
            found.append(i * j)
    return found


def empty_list_in_a_dictionary(n):
    found = []
    for i in range(n):
        if i == 4:
            return {"found": found}
        found.append((i, i * 2))
    return {"found": found}


def empty_list_that_stays_empty(n):
    while n > 0:
        if n == 3:
            return []
        n -= 1
    return []


def rows_of_a_grown_list(n):
    found = {"all": []}
    for i in range(n):
        found["all"].append(i)
        if i > 3:
            return found
    return found


def inner_function_that_returns_early(n):
    def counted(k):
        out = []
        for i in range(k):
            out.append(i)
            if i > 2:
                return out
        return out

    total = 0
    for j in range(n):
        for v in counted(j + 1):
            total += v
    return total


@pytest.mark.parametrize("argument", [0, 2, 7])
@pytest.mark.parametrize(
    "function",
    [
        empty_list_before_anything_grew,
        empty_list_in_a_dictionary,
        empty_list_that_stays_empty,
        rows_of_a_grown_list,
        inner_function_that_returns_early,
    ],
)
def test_lists_that_are_returned_early(function, argument):
    assert as_python(tf.function(function)(tf.constant(argument))) == function(argument)


def variable_that_only_branches_in_a_loop_set(x, y):
    y = x + 1
    for _ in range(x):
        if x < 2:
            y = x // 3
        else:
            y = x - 2
        x = x + y
    y = x
    return x, y


def variable_that_loops_in_branches_set(x, y):
    if x < 9:
        while x > 0:
            for i in range(y):
                if i > 1:
                    y = 1
                else:
                    y = 2
                x = x - y
            x -= 1
    else:
        x = y * 2
    y = x
    return x, y


@pytest.mark.parametrize("x", [0, 5, 12])
@pytest.mark.parametrize("function", [variable_that_only_branches_in_a_loop_set, variable_that_loops_in_branches_set])
def test_variables_that_are_of_no_use_after_a_loop(function, x):
    assert as_python(tf.function(function)(tf.constant(x), tf.constant(3))) == function(x, 3)


def lists_of_two_dtypes(x, y):
    found = [0, 3]
    if x > 0:
        while y < 3:
            found.append(y)
            y += 1
    elif x < -1:
        found.append(5)
    return sum(found), len(found)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("x", [-3, 0, 3])
def test_lists_of_numbers_take_the_dtype_of_the_other_branch(x, dtype):
    assert as_python(tf.function(lists_of_two_dtypes)(tf.constant(x), tf.constant(1, dtype))) == lists_of_two_dtypes(
        x, 1
    )


def _if(x):
    if x:
        return 1
    return 2


def _while(x):
    i = 0
    while x:
        i += 1
        if i > 2:
            x = tf.zeros_like(x)
    return i


def _cond(x):
    return tf.cond(x, lambda: 1, lambda: 2)


@pytest.mark.parametrize(("function", "true", "false"), [(_if, 1, 2), (_while, 3, 0), (_cond, 1, 2)])
def test_conditions_of_unknown_rank_hold_one_element(function, true, false):
    traced = tf.function(function, input_signature=[tf.TensorSpec(None, tf.bool)])
    for value in (True, [True], [[True]]):
        assert int(traced(tf.constant(value))) == true
        assert int(traced(tf.constant(np.logical_not(value)))) == false
    for value in ([False, True], [True, True], []):
        with pytest.raises(tf.errors.InvalidArgumentError, match="the requested shape has 1"):
            traced(tf.constant(value, tf.bool))


@pytest.mark.parametrize("empty", [list, tuple, dict])
def test_what_is_empty_is_returned_on_all_paths_or_refused(empty):
    def some(x):
        if x > 0:
            return empty()

    def all_of_them(x):
        for i in tf.range(x):
            if i > 3:
                return empty()
        return empty()

    assert "must also have a return statement" in str(fails(some, tf.constant(1)))
    assert tf.function(all_of_them)(tf.constant(1)) == empty()


def test_a_condition_that_follows_from_those_around_it_is_known():
    def signs(x, y):
        positive, same = x > 0, x == y
        if positive:
            if same:
                return 1
            elif not same:
                return 2
        elif not positive:
            return 3

    def nested(x, y):
        r = 0
        if x > 0 or y > 0:
            both = x > 0
            if both:
                r = 1
                if not both:
                    r = 5
            if both:
                r += 10
        return r

    for x, y in ((1, 1), (1, 2), (-1, -1), (-1, 1)):
        for f in (signs, nested):
            assert tf.function(f)(tf.constant(x), tf.constant(y)).numpy() == f(x, y)
