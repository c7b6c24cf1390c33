"""Functions of every shape, whose converted text is compared with what TensorFlow prints.

Nothing here is called; names that are not defined are only read. `record_to_code.py` records the expected texts.
"""
# fmt: off
# ruff: noqa

GLOBAL = 1
def set_loop_options(**kwargs): pass
def deco(f): return f


# Returns
def return_nothing(x):
    return

def return_none(x):
    return None

def return_expression(x):
    return x + 1

def no_return(x):
    x = 1

def only_pass():
    pass

def docstring_and_pass():
    """Doc."""
    pass

def docstring_and_return(x):
    """Doc.

    More doc.
    """
    return x

def docstring_single_quotes(x):
    'Doc "quoted".'
    return x

def return_in_if(x):
    if x > 0:
        return x
    return -x

def return_in_if_else(x):
    if x > 0:
        return x
    else:
        return -x

def return_in_elif(x):
    if x > 0:
        return x
    elif x < 0:
        return -x
    else:
        return 0

def return_in_elif_no_else(x):
    if x > 0:
        return x
    elif x < 0:
        return -x
    x += 1
    return x

def return_three_ifs(x):
    if x > 0:
        return 1
    if x > 1:
        return 2
    if x > 2:
        return 3
    return 4

def return_in_else_only(x):
    if x:
        x = 1
    else:
        return 2
    return x

def return_in_one_branch_then_code(x):
    if x:
        y = 1
        return y
    z = x
    w = z + 1
    return w

def return_in_both_then_dead_code(x):
    if x:
        return 1
    else:
        return 2
    x = 3
    return x

def return_then_dead_code(x):
    return x
    x = 3

def return_nested_ifs(x, y):
    if x:
        if y:
            return 1
        x = 2
    return x

def return_nested_ifs_both(x, y):
    if x:
        if y:
            return 1
        else:
            return 2
    return x

def return_nested_in_else(x, y):
    if x:
        y = 1
    else:
        if y:
            return 3
        y = 2
    return y

def return_in_while(x):
    while x > 0:
        x -= 1
        if x == 3:
            return x
    return 0

def return_in_while_direct(x):
    while x:
        return x
    return 1

def return_in_for(xs):
    for x in xs:
        if x:
            return x
    return None

def return_in_for_then_code(xs):
    s = 0
    for x in xs:
        if x:
            return x
        s += x
    s += 1
    return s

def return_in_nested_loops(xs):
    for ys in xs:
        for y in ys:
            if y:
                return y
        z = ys
    return None

def return_in_while_with_break(x):
    while x:
        if x > 1:
            return 1
        if x > 2:
            break
        x += 1
    return x

def return_in_for_with_break(xs):
    for x in xs:
        if x > 1:
            return 1
        if x > 2:
            break
        y = x
    return x

def return_in_for_with_continue(xs):
    for x in xs:
        if x > 1:
            continue
        if x > 2:
            return x
        f(x)
    return 3

def return_in_with(x):
    with x:
        return 1

def return_in_with_then_code(x):
    with x:
        if x:
            return 1
    return 2

def return_in_with_direct_then_code(x):
    with x as y:
        return y
    return 2

def return_in_try(x):
    try:
        return f(x)
    except ValueError:
        return 2

def return_in_try_then_code(x):
    try:
        if x:
            return f(x)
        g(x)
    except ValueError:
        pass
    return 2

def return_in_except(x):
    try:
        f(x)
    except ValueError as e:
        return e
    return 2

def return_after_raise(x):
    if x:
        raise ValueError('x')
    return x

def return_raise_in_else(x):
    if x:
        return x
    else:
        raise ValueError('x')

def return_elif_raise(x):
    if x == 1:
        y = 1
    elif x == 2:
        return 3
    else:
        raise ValueError(x)
    return y

def return_tuple(x, y):
    return x, y

def return_if_without_else_at_end(x):
    if x:
        return 1

def return_deep(a, b, c):
    if a:
        if b:
            if c:
                return 1
            f()
        g()
    h()
    return 2

def return_mixed(a, b):
    if a:
        return 1
    else:
        f()
    g()
    if b:
        h()
    else:
        return 2
    return 3


# Branches
def if_plain(x):
    if x:
        y = 1
    else:
        y = 2
    return y

def if_no_else(x):
    y = 0
    if x:
        y = 1
    return y

def if_undefined(x):
    if x:
        y = 1
    return y

def if_dead_variable(x):
    if x:
        y = 1
        z = y
    return x

def if_modified_input(x):
    if x:
        x = x + 1
    return x

def if_modified_unused(x):
    if x:
        x = 3

def if_read_modified_unused(x, y):
    if x:
        y = y + 1
        f(y)

def if_pass(x):
    if x:
        pass

def if_elif_chain(x):
    if x == 1:
        y = 1
    elif x == 2:
        y = 2
    elif x == 3:
        y = 3
    else:
        y = 4
    return y

def if_nested(x, y):
    if x:
        if y:
            z = 1
        else:
            z = 2
    else:
        z = 3
    return z

def if_several(x):
    if x:
        a = 1
        b = 2
        c = 3
    else:
        c = 1
        a = 2
        b = 3
    return b, c, a

def if_one_of_several_dead(x):
    if x:
        a = 1
        b = 2
    else:
        a = 2
    return a

def if_in_sequence(x):
    if x:
        y = 1
    else:
        y = 2
    if y:
        z = 1
    else:
        z = y
    return z

def if_call_test(x):
    if f(x):
        g(x)
    else:
        h(x)

def if_tuple_assign(x):
    if x:
        a, b = 1, 2
    else:
        (a, b), c = (3, 4), 5
    return a, b

def if_reads_only(x, y):
    if x:
        f(y)
    return y

def if_aug(x, y):
    if x:
        y += 1
    else:
        y -= 1
    return y

def if_with_loop(x, ys):
    if x:
        for y in ys:
            x += y
    return x

def if_not(x):
    if not x:
        return 1
    return 2

def if_import(x):
    if x:
        import os
        from sys import path as p
        import os.path
    return p

def if_function(x):
    if x:
        def g():
            return x
    else:
        def g():
            return 2
    return g()

def if_class(x):
    if x:
        class A:
            pass
    return A


# Loops
def while_plain(x):
    while x > 0:
        x = x - 1
    return x

def while_sum(n):
    s = 0
    i = 0
    while i < n:
        s += i
        i += 1
    return s

def while_dead(n):
    i = 0
    while i < n:
        t = i
        i += 1
    return i

def while_body_only_temp(n):
    while n:
        t = 1
        n = t

def while_true_break(x):
    while True:
        x += 1
        if x > 10:
            break
    return x

def while_continue(x):
    s = 0
    while x:
        x -= 1
        if x == 2:
            continue
        s += x
    return s

def while_break_continue(x):
    while x:
        if x == 1:
            break
        if x == 2:
            continue
        x -= 1
    return x

def while_nested(x, y):
    while x:
        while y:
            y -= 1
        x -= 1
    return x, y

def while_nested_break(x, y):
    while x:
        while y:
            y -= 1
            if y == 2:
                break
        x -= 1
        if x == 1:
            break
    return x, y

def while_break_first(x):
    while x:
        break
    return x

def while_continue_last(x):
    while x:
        x -= 1
        continue

def while_statement_after_continue(x):
    while x:
        x -= 1
        continue
        x += 1

def while_statement_after_break(x):
    while x:
        break
        x += 1

def while_call_test(x):
    while f(x):
        x = g(x)
    return x

def while_and_test(x, y):
    while x > 0 and y > 0:
        x -= 1
    return x

def while_undefined_after(x):
    while x:
        y = 1
        x -= 1
    return y

def for_plain(xs):
    for x in xs:
        f(x)

def for_sum(xs):
    s = 0
    for x in xs:
        s += x
    return s

def for_range(n):
    s = 0
    for i in range(n):
        s = s + i
    return s

def for_target_live(xs):
    for x in xs:
        pass
    return x

def for_target_defined(xs, x):
    for x in xs:
        f(x)
    return x

def for_target_read_before(xs, x):
    f(x)
    for x in xs:
        g(x)

def for_tuple_target(xs):
    for a, (b, c) in xs:
        f(a, b, c)

def for_list_target(xs):
    for [a, b] in xs:
        f(a, b)

def for_star_target(xs):
    for a, *b in xs:
        f(a, b)

def for_attribute_target(o, xs):
    for o.x in xs:
        f(o)

def for_subscript_target(d, xs):
    for d['k'] in xs:
        f(d)

def for_iter_modified(xs):
    for x in xs:
        xs = x

def for_iter_modified_live(xs):
    for x in xs:
        xs = x
    return xs

def for_break(xs):
    for x in xs:
        if x:
            break
        f(x)

def for_break_live(xs):
    y = 0
    for x in xs:
        y = x
        if x > 3:
            break
    return y

def for_continue(xs):
    for x in xs:
        if x:
            continue
        f(x)

def for_nested(xs):
    s = 0
    for ys in xs:
        for y in ys:
            s += y
    return s

def for_nested_break(xs):
    for ys in xs:
        for y in ys:
            if y:
                break
            f(y)
        if ys:
            break
        g(ys)

def for_nested_continue(xs):
    for ys in xs:
        for y in ys:
            if y:
                continue
            f(y)
        if ys:
            continue
        g(ys)

def for_in_if(x, ys):
    if x:
        for y in ys:
            x += y
    else:
        while x:
            x -= 1
    return x

def for_enumerate_zip(a, b):
    s = 0
    for i, (x, y) in enumerate(zip(a, b)):
        s += i * x * y
    return s

def for_carried_variable(xs):
    prev = 0
    for x in xs:
        if prev:
            f(prev)
        prev = x

def for_temp_in_branch(xs):
    for x in xs:
        if x:
            t = 1
        else:
            t = 2
        f(t)

def for_temp_in_branch_then_assigned(xs):
    for x in xs:
        if x:
            t = 1
        else:
            t = 2
        f(t)
        t = 5
        g(t)

def for_maybe_defined(xs):
    for x in xs:
        if x:
            y = x
    return y

def for_multiple_targets_live(xs):
    for a, b in xs:
        c = a
    return b, c

def for_break_in_nested_if(xs):
    for x in xs:
        if x:
            if f(x):
                break
            g(x)
        h(x)

def for_break_in_with(xs):
    for x in xs:
        with x:
            if x:
                break
            f(x)
        g(x)

def for_break_in_try(xs):
    for x in xs:
        try:
            if x:
                break
            f(x)
        except E:
            continue
        g(x)

def loops_in_sequence(xs):
    for x in xs:
        f(x)
    for x in xs:
        g(x)
    while xs:
        xs = h(xs)

def options_for(xs, n):
    for x in xs:
        set_loop_options(maximum_iterations=10, parallel_iterations=n)
        f(x)

def options_while(x):
    while x:
        set_loop_options(shape_invariants=[(x, 1)])
        x -= 1

def options_nested(xs):
    for x in xs:
        set_loop_options(parallel_iterations=1)
        for y in x:
            set_loop_options(maximum_iterations=5)
            f(y)

def options_only_statement(xs):
    for x in xs:
        set_loop_options(maximum_iterations=1)

def options_with_break(xs):
    for x in xs:
        set_loop_options(maximum_iterations=1)
        if x:
            break


# Composite symbols
def composite_attribute(self, x):
    if x:
        self.y = 1

def composite_attribute_read(self, x):
    if x:
        self.y += 1
    return self.y

def composite_subscript(d, x):
    if x:
        d['k'] = 1
    return d['k']

def composite_subscript_name(d, i, x):
    if x:
        d[i] = 1

def composite_subscript_number(d, x):
    if x:
        d[0] = 1
        d[1.5] = 2

def composite_subscript_expression(d, i):
    if i:
        d[i + 1] = 1
        d[-1] = 2
        d[1:2] = 3
        d[1, 2] = 4
        d[f(i)] = 5

def composite_nested(a, x):
    if x:
        a.b.c = 1
        a.b[0].d = 2

def composite_while(self, x):
    while self.n > 0:
        self.n -= 1
        x += self.n
    return x

def composite_for(self, xs):
    for x in xs:
        self.total += x

def composite_local_object(x):
    o = f()
    if x:
        o.y = 1
    return o

def composite_fresh_in_body(x):
    while x:
        o = f()
        o.y = 1
        x -= 1

def composite_fresh_in_body_defined(x, o):
    while x:
        o = f()
        o.y = 1
        x -= 1

def composite_object_reassigned(x, o):
    if x:
        o.y = 1
        o = g()
    return o

def composite_mixed(self, x):
    if x:
        y = 1
        self.z = y
        b = 2
    else:
        y = 2
        b = 3
    return y, b

def composite_read_only(self, x):
    if self.a:
        x = self.b
    return x

def composite_on_call(x):
    if x:
        f(x).y = 1

def composite_delete(d, x):
    if x:
        del d['k']
        del d.y

def composite_global(x):
    if x:
        GLOBALOBJECT.y = 1


# Functions in functions
def inner_function(x):
    def g(y):
        return x + y
    return g(1)

def inner_no_return(x):
    def g(y):
        f(y)
    g(1)

def inner_two(x):
    def g(y):
        return y
    def h(y):
        if y:
            return g(y)
    return h(x)

def inner_nested(x):
    def g():
        def h():
            return x
        return h
    return g()()

def inner_docstring(x):
    def g():
        """Doc."""
        return 1
    return g

def inner_defaults(x):
    def g(a, b=x, *c, d=f(x), e=3, **k):
        return a
    return g

def inner_annotations(x):
    def g(a: int, b: 'str' = x) -> float:
        return a
    return g

def inner_decorated(x):
    @deco
    @x.deco(3)
    def g():
        pass
    return g

def inner_nonlocal(x):
    s = 0
    def g(y):
        nonlocal s
        s += y
        return s
    return g(x)

def inner_nonlocal_branch(x):
    s = 0
    def g(y):
        nonlocal s
        if y:
            s = 1
        return s
    g(x)
    return s

def inner_loop_function(xs):
    s = 0
    for x in xs:
        def g(y):
            return y + s
        s = g(x)
    return s

def inner_captures_before(x):
    def g():
        return y
    y = 1
    if x:
        y = 2
    return g()

def inner_recursive(n):
    def g(k):
        if k == 0:
            return 0
        return g(k - 1)
    return g(n)

def inner_lambda(x):
    g = lambda y: x + y
    return g(1)

def inner_lambda_in_call(x):
    return f(lambda y: y + 1, key=lambda: x)

def inner_lambda_defaults(x):
    g = lambda a, *b, c=x, **d: a
    return g

def inner_lambda_nested(x):
    return lambda y: lambda z: x + y + z

def inner_lambda_ternary(x):
    return lambda y: y if y > x else not x

def inner_lambda_in_lambda_call(x):
    return (lambda y: g(y))(x)

def inner_class(x):
    class A(B, metaclass=M):
        z = 1
        def m(self):
            if self.z:
                return x
        @property
        def p(self):
            return self.z
    return A()

def inner_function_loops(xs):
    def g(ys):
        for y in ys:
            if y:
                break
            f(y)
    for x in xs:
        g(x)

def inner_same_flags(x):
    while x:
        if f(x):
            break
        def g(y):
            while y:
                if y > 2:
                    continue
                y -= 1
        x -= 1


# Expressions
def expr_ternary(x):
    y = 1 if x else 2
    return y

def expr_ternary_calls(x):
    return f(x) if g(x) else h(x)

def expr_ternary_text(x, y):
    return 1 if x.y[0] == 'a' and not (x < y) else 2

def expr_and(x, y):
    return x and y

def expr_and_three(x, y, z):
    return x and y and z

def expr_or_and_not(x, y, z):
    return x or y and not z or z

def expr_compare(x, y):
    return x < y, x <= y, x == y, x != y, x is y, x is not y, x in y, x not in y

def expr_chain_names(x, y, z):
    return x < y < z

def expr_chain_constants(x):
    return 0 <= x < 10

def expr_chain_four(a, b, c, d):
    return a < b <= c != d

def expr_not_compare(x, y):
    return not x < y, not (x == y)

def expr_and_in_call(x, y):
    return f(x and y, k=x or y)

def expr_ternary_in_and(x, y):
    return (1 if x else 2) and y

def expr_and_in_ternary(x, y):
    return (x and y) if (x or y) else not x

def expr_calls(x):
    return f(x)(1)(y=2).g(3)[4](5)

def expr_call_star(x, y):
    f(*x)
    f(*x, *y)
    f(1, *x)
    f(1, *x, 2)
    f(*x, 1, 2, *y, 3)
    f(**x)
    f(**x, **y)
    f(a=1, **x)
    f(1, *x, a=2, **y)
    f(*[1, 2])
    f(*g(x), **h(y))

def expr_call_keywords(x):
    return f(a=1, b=x)

def expr_call_mixed(x):
    return f(x, 1, a=2)

def expr_builtins(x):
    return len(x), range(x), int(x), float(x), abs(x), max(x, 1), sum(x), isinstance(x, int), super(), type(x), sorted(x)

def expr_print(x):
    print(x, 'a', sep=x)

def expr_nested_calls(x):
    return f(g(h(x)), k=g(x))

def expr_method_call(self):
    return self.f(self.x)

def expr_debugger(x):
    import pdb
    pdb.set_trace()
    breakpoint()
    return x

def expr_comprehensions(xs, t):
    a = [x + t for x in xs if x > t]
    b = {x for x in xs}
    c = {x: f(x) for x in xs}
    d = (x for x in xs)
    e = [x * y for x in xs for y in x if y if x]
    return a, b, c, d, e

def expr_comprehension_logic(xs, t):
    return [x if x and t else not x for x in xs if x and t]

def expr_comprehension_call(xs):
    return [f(x) for x in g(xs)]

def expr_fstring(x, y):
    return f'{x} {y!r:>{x}} {f(x)}'

def expr_displays(x, y):
    return (x, y), [x, y], {x, y}, {x: y}, {**x, 'a': y}, [*x, y]

def expr_subscripts(x, i):
    return x[i], x[1:i], x[i, ...], x[::2], x[-1], x[None]

def expr_operators(x, y):
    return -x, +x, ~x, x + y, x @ y, x ** y, x // y, x << y, x & y

def expr_starred_assign(x):
    a, *b = x
    *c, d = b
    return a, c, d

def expr_constants():
    return 1, 1.5, 'a', b'b', None, True, ..., 1j

def expr_attribute_chain(x):
    return x.a.b.c

def expr_lambda_immediately(x):
    return (lambda: x)()

def expr_strings(x):
    """Doc."""
    y = 'it''s'
    return y + "\n\t\\" + 'é'


# Assignments
def assign_multiple(x):
    a = b = x
    return a, b

def assign_aug_all(x, y):
    x += y
    x -= y
    x *= y
    x /= y
    x //= y
    x %= y
    x **= y
    x @= y
    x &= y
    x |= y
    x ^= y
    x >>= y
    x <<= y
    return x

def assign_aug_attribute(o, x):
    o.a += x
    o[0] += x
    o[x].y -= f(x)

def assign_aug_call(x, y):
    x += f(y)
    return x

def assign_aug_ternary(x, y):
    x += 1 if y else 2
    return x

def assign_aug_logical(x, y):
    x += x and y
    return x

def assign_annotated(x):
    y: int = x
    z: str
    x.a: int = 3
    return y

def assign_delete(x, y):
    del x
    del y[0], y.a
    return y

def assign_delete_several(x, y):
    del x, y

def assign_global(x):
    global GLOBAL
    GLOBAL = x
    return GLOBAL

def assign_nested_targets(x):
    (a, [b, c]), d = x
    return a, b, c, d

def assign_chained_subscripts(x, y):
    x[0], y.a = y[0], x.a
    return x


# Statements
def stmt_assert(x):
    assert x
    assert x > 1, 'message'
    assert f(x), g(x)

def stmt_raise(x):
    raise ValueError(x)

def stmt_raise_from(x, y):
    raise ValueError(x) from y

def stmt_raise_bare(x):
    try:
        f(x)
    except E:
        raise

def stmt_raise_class(x):
    if x:
        raise E
    return x

def stmt_try(x):
    try:
        y = f(x)
    except ValueError:
        y = 1
    return y

def stmt_try_all(x):
    try:
        y = f(x)
    except (ValueError, TypeError) as e:
        y = e
    except:
        y = 2
    else:
        y += 1
    finally:
        g(y)
    return y

def stmt_try_with_branch(x):
    try:
        if x:
            f(x)
    except E as e:
        if e:
            g(e)
    finally:
        if x:
            h(x)

def stmt_try_in_branch(x):
    if x:
        try:
            y = f(x)
        except E:
            y = 2
    else:
        y = 3
    return y

def stmt_try_in_loop(xs):
    r = []
    for x in xs:
        try:
            r.append(f(x))
        except E:
            pass
    return r

def stmt_with(x):
    with f(x) as y, g(y):
        z = h(y)
    return z

def stmt_with_target(x):
    with x as (a, b):
        return a

def stmt_with_branch(x):
    with f(x):
        if x:
            y = 1
        else:
            y = 2
    return y

def stmt_with_in_branch(x):
    if x:
        with f(x) as y:
            z = y
    else:
        z = 1
    return z

def stmt_import(x):
    import os
    import os.path as p, sys
    from a import b, c as d
    return os, p, sys, b, d

def stmt_expression(x):
    f(x)
    x
    'string'
    3
    x.y

def stmt_pass(x):
    pass
    pass

def stmt_list_methods(x):
    l = []
    l.append(x)
    l.extend([x])
    y = l.pop()
    l.pop(0)
    return l

def stmt_ellipsis(x):
    ...

def stmt_global_read(x):
    return GLOBAL + x


# Signatures
def sig_defaults(a, b=1, *c, d=2, e, **k):
    return a

def sig_kwonly(a, *, b, c=3):
    return b

def sig_posonly(a, b=1, /, c=2):
    return a

def sig_annotations(a: int, *b: str, c: 'float' = 3, **d: dict) -> list:
    return a

def sig_star_only(*args, **kwargs):
    return f(*args, **kwargs)

@deco
def sig_decorated(x):
    return x

def sig_name_clash(fscope, ag, itr):
    for itr_1 in itr:
        f(itr_1)
    return fscope


# Methods
class Methods(object):
    def plain(self, x):
        return self.y + x

    def branch(self, x):
        if x:
            self.y = 1
        else:
            self.y = 2
        return self.y

    def with_super(self, x):
        super().with_super(x)
        super(Methods, self).with_super(x)

    def docstring(self):
        """One line.

        Indented more.
        """
        return 1

    def loop(self, xs):
        for x in xs:
            self.n = self.n + x
        return self

    def call_other(self, x):
        return self.plain(x) + Methods.plain(self, x)

    @staticmethod
    def static(x):
        return x

    @classmethod
    def class_method(cls, x):
        return cls(x)


# Larger ones
def big_collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps

def big_primes(n):
    primes = []
    for i in range(2, n):
        is_prime = True
        for p in primes:
            if i % p == 0:
                is_prime = False
                break
        if is_prime:
            primes.append(i)
    return primes

def big_training(model, data, epochs, lr=0.1):
    """Trains."""
    best = None
    for epoch in range(epochs):
        total = 0.0
        for x, y in data:
            loss = model.loss(x, y)
            if loss > 100:
                continue
            model.w -= lr * model.grad
            total += loss
        if best is None or total < best:
            best = total
        elif epoch > 10:
            break
        print('epoch', epoch, total)
    return model, best

def big_binary_search(xs, t):
    lo, hi = 0, len(xs)
    while lo < hi:
        mid = (lo + hi) // 2
        if xs[mid] == t:
            return mid
        elif xs[mid] < t:
            lo = mid + 1
        else:
            hi = mid
    return -1

def big_rnn(cell, xs, state, lengths):
    outputs = []
    i = 0
    while i < max(lengths):
        new, out = cell(xs[i], state)
        state = new if i < lengths else state
        outputs.append(out)
        i += 1
    return outputs, state

def big_beam(step, start, k, limit=10):
    beams = [(0.0, [start])]
    done = []
    for t in range(limit):
        cand = []
        for score, seq in beams:
            if seq[-1] == 'end':
                done.append((score, seq))
                continue
            for tok, lp in step(seq):
                cand.append((score + lp, seq + [tok]))
        if not cand:
            break
        beams = sorted(cand, key=lambda c: -c[0])[:k]
    return done or beams

def big_fizz(n):
    for i in range(n):
        if i % 15 == 0:
            print('FizzBuzz')
        elif i % 3 == 0:
            print('Fizz')
        elif i % 5 == 0:
            print('Buzz')
        else:
            print(i)

def big_everything(self, xs, *args, k=None, **kw):
    """Everything."""
    count = 0
    found = False
    for i, x in enumerate(xs):
        with self.lock:
            if x is None:
                continue
            try:
                v = self.table[x]
            except KeyError:
                v = self.make(x, *args, **kw)
            finally:
                count += 1
        if v and k is not None and v != k:
            found = True
            break
        while v > 0:
            v -= 1
            if v in (3, 4):
                return v
    if not found:
        assert count, 'nothing'
    def report(z):
        return z if z else count
    return report(found), [y for y in xs if y]


# Mixtures
def more_1(d, xs):
    out = []
    for x in xs:
        try:
            v = d[x]
        except KeyError:
            continue
        out.append(v)
    return out
def more_2(xs, t):
    s = 0
    for x in xs:
        s += f(lambda y: y + x)
    return s
def more_3(xs):
    for x in xs:
        def g(y): return y + x
        z = g(1)
    return z
def more_4(x):
    global GLOBAL
    if x:
        GLOBAL = 1
    else:
        GLOBAL = 2
def more_5(x):
    with a:
        with b:
            return x
def more_6(x):
    with a as t, b as u:
        if x:
            y = t
    return y
def more_7(self, x):
    if x:
        self.a, self.b = x, 2
    for i in range(3):
        self.c[i] = x
        self.d[i].e = 2
    return self
def more_8(x):
    y = x
    while y > 0:
        if y == 3:
            y = y - 2
        elif y == 4:
            y -= 1
        else:
            z = y
            y = z - 1
    return y
def more_9(x):
    a, b = 1, 2
    for _ in range(x):
        a, b = b, a + b
    return a
def more_10(x):
    i = 0
    while True:
        i += 1
        if i > x:
            return i
        elif i == 3:
            continue
        for j in range(i):
            if j == 2:
                break
            elif j == 5:
                return j
def more_11(x):
    if x > 0:
        if x > 1:
            y = 2
            return y
        z = 1
    else:
        z = 2
    return z
def more_12(x):
    def g(y):
        if y:
            return 1
        return 2
    if x:
        r = g(x)
    else:
        r = g(0)
    while r:
        r = g(r)
    return r
def more_13(x):
    y = [i for i in x if i]
    if y:
        y = {k: v for k, v in y}
        z = sum(k for k in y)
    else:
        z = 0
    return y, z
def more_14(x):
    try:
        while x:
            x -= 1
            if x == 2: return x
    except E:
        for i in x:
            if i: break
    finally:
        if x: x = 0
    return x
def more_15(x, n):
    state = None
    for i in range(n):
        if state is None:
            state = x
        else:
            state = state + x
    return state
def more_16(x):
    if x is not None and x.shape[0] > 2 or x == 3:
        x = x[0]
    return x if x is not None else -1
def more_17(x):
    assert x > 0, 'x'
    raise NotImplementedError
def more_18(x):
    l = []
    for i in range(3):
        l.append(lambda: i)
    return l
def more_19(x):
    e = 1
    try:
        f()
    except E as e:
        g(e)
    if x:
        e = 3
    return e
def more_20(x):
    while x:
        while x > 2:
            if x > 3: return 1
            if x > 5: break
            x -= 1
        else_ = 3
    return else_
def more_21(*args):
    a, b = args
    if a: a, b = b, a
    return a - b
def more_22(x):
    d = {}
    for k in x:
        if k in d:
            d[k] += 1
        else:
            d[k] = 1
    return d
def more_23(x):
    n = 0
    for row in x:
        for col in row:
            if col > 3:
                n += 1
                continue
            if col < 0:
                break
            n -= 1
    return n
def more_24(x):
    y = 0
    def h():
        nonlocal y
        y += 1
    if x:
        h()
    return y
def more_25(x):
    if x:
        return
    f(x)
def more_26(x):
    for i in x:
        if i:
            pass
        else:
            return i
        f(i)
    g(x)
def more_27(x):
    del x.a
    if x:
        del x.b
        y = 1
    return y
def more_28(x):
    if x:
        try:
            return 1
        finally:
            f()
    return 2
def more_29(x):
    y: int = 0
    for i in x:
        y += i
    return y
def more_30(x):
    return [f(i) if i else g(i) for i in x if not i], (lambda: x if x else 3)
def more_31(x):
    class A:
        def __init__(self):
            self.x = x
            if x: self.y = 1
    return A()
def more_32(x):
    if x:
        f = lambda y: y
    else:
        f = lambda y: -y
    return f(x)
def more_33(x):
    for i in range(3):
        if i: x = x + 1
        for j in range(3):
            x = x + j
        if x > 3: break
    return x

# Parts of statements that are seldom more than names
def class_parts(x, y, a):
    @x(y)
    @x
    @a.b(x if y else a)
    @(not x)
    class H(x if y else a, *x(y), k=not x, j=a.b(x)): pass
    return H

def class_in_class(x, y):
    class A(x(1)):
        class B(x(2), metaclass=y(3)):
            def m(self): return [x(self), super().m()]
        b = y(B)
    return A

def except_types(x, y, a):
    try:
        x()
    except x(y): pass
    except x if y else a: pass
    except x and y as e: a(e)
    except (x, y.z): pass
    except x < y < a: pass
    except not x: pass
    except (lambda: x): pass
    except [q for q in x]: pass
    except: pass

def decorators_and_defaults(x, y, a):
    @x(y)
    @x
    @a.b(x if y else a)
    @(not x)
    def h(q=x(y), *, w=x, v=(lambda: y)): pass
    return lambda q=x(), *, k=not y: q

def parameter_annotations(x: not int, y: (int or str), a: deco(1)):
    def h(q: x(y), z: x, w: not x, v: (x if y else a), u: x and y, *va: lambda: x, ko: x(), **kw: x) -> x: pass
    class C:
        def h(q: not x, z: x) -> (x if y else a): pass
    return h, C

def variable_annotations(x, y, a):
    z: x(y)
    z: x(y) = a(x)
    z.p: x and y = a(x)
    z.p: x
    z[x(y)]: x
    (z): x if y else a
    w: 'str'
    w: lambda: x
    class C:
        a: x(y) = x
        (c): x
        d.e: x() = 4
    return z

def annotation_alone_in_if(x, y, a):
    if x:
        c: x
    return a

def annotation_alone_in_loop(x, y, a):
    while x:
        c: a
        a.b: x
        a[x]: y = 2

def annotation_in_brackets(x, y):
    if x:
        (x): y = 1
        (y): x
    return x, y

def annotation_reads(x, y):
    for t in y:
        x(t)
    x.p: t = 1

def annotation_of_loop_variable(x, d):
    for t in d:
        def g(q: t): pass
    return x

def deleted_together(x, y, a):
    del [a.p]
    del (a, y)
    del []
    del ()

def deleted_together_deeply(x, y, a):
    del [a.p, a[0]], (x, [y, a.q]), a.r

def deleted_beside_a_name(x, y, a):
    del x, a.p, [y], a.q

def deleted_together_in_branches(x, y, a):
    while x:
        del [a]
        a = 1
    if x:
        del [y]
    else:
        del (x, a)

def deleted_and_set(x, y):
    del y
    if x:
        y = 1
    else:
        y = 2
    return y

def number_first(x):
    1
    return x

def ellipsis_first(x):
    ...
    x += 1
    return x

def bytes_first(x):
    b'doc'
    def g():
        1
        'x'
        return 2
    def h(): 'doc'; x
    def i(): ...; x
    return g

def docstring_on_the_line_of_def(x): 'doc'; return x

def docstring_twice(x):
    'doc'
    'other'
    return x

def caught_error_by_name(x, y, a):
    while x:
        try: x()
        except y as e: a = e
    for i in x:
        try: x()
        except y as error: a(error)
    return a

def caught_error_and_variable(x, y, a):
    try: x()
    except y as e:
        if x: a = e
        return a
    if x: e = 2
    return a

def caught_error_in_if(x, y, a):
    if x:
        try: a = x()
        except y as e: print(e)
    else:
        try: a = y()
        except (y, x) as e: raise a(e) from e
    return a

def loops_behind_return(x, y):
    while x:
        return 1
    for i in y:
        if i: break
    for i in y:
        if i: continue
        if x: return 2
        for j in x: y(j)
    while x:
        if y: break
    return 3

def loops_behind_return_in_blocks(x, y):
    while x:
        return 1
    with y:
        while y: pass
    try:
        while y: pass
    except x:
        while x: y
    finally:
        while x: x
    while y and x: pass
    if x:
        while x: y
    for i in x:
        def g():
            while y: y
        for j in x: y

def not_of_conditional(x, y, a):
    z = not (x if y else a)
    z = not not (x if y else a)
    z = not (x and y if y else not a)
    if not (x if y else a): return not (x if y else a)
    return z

def loop_over_what_it_changes(x, y):
    for a in x:
        if a: x = y
    for a in y:
        for y in a: x(y)
    for a in x.p:
        if a: x.p = 1
    return x

def items_of_loop_variables(x, y, z):
    for z in x:
        z[0] += x
        z.p = 1
    for y in y:
        y.q = 1
    for x.p in y: z()
    for (a, y.q) in y: a.p = 1
    while x:
        b = y
        b[0] = x
    return z, b

def closures_that_are_called(x, a):
    def k():
        return a
    k()
    if x:
        a = x

def closures_that_are_not_called(x, a):
    for t in x:
        a = 1
    with x:
        def k():
            return a

def lambda_that_is_called(x, a):
    k = lambda: a
    k()
    while x:
        a = 1
        k = lambda: a
        k()

def class_that_reads(x, y):
    for t in x:
        class C(y):
            u = t
    return C

def keys_of_all_kinds(x, a):
    if x:
        a[None] = 1
        a[True] = 1
        a[-1] = 1
        a[b'a'] = 1
        a[...] = 2
        a[1j] = 1
        a[()] = 1
        a[x()] = 1

def used_behind_with(x, model, step):
    for b in x:
        with model.tape() as tape:
            loss = model(b)
        step(tape.gradient(loss))
    if x:
        with model.tape() as tape, model.scope():
            error = model(x)
        step(error)

def used_where_something_fails(x, y):
    if x:
        try:
            c = x()
        except y:
            c(y)
    while x:
        try:
            a = x()
        finally:
            y(a)
    if y:
        try:
            b = x()
        finally:
            x(y)
        return b

def behind_raise(x, y):
    raise x
    while x:
        if y: break
        y = 1
    for x in y: x()
    y = x if y else 2

def stmt_lists_in_definitions(x, y):
    @x[0]
    def g(q=[1], *, r=x[0]): return [q]
    @x[1]
    class C(x[0], k=[y]):
        a = [x]
        b = x[0]
        c: x[0] = [1]
        def m(self): return [1]
    return g

def stmt_lists_in_loops(x, y):
    for i in [1, 2]: x(i)
    for i in ([1], 2): x([i])
    for i in [[1], 2]: x(i)
    while [1]: y
    with [1]: y
    if [1]: y

def stmt_lists_in_lambdas(x, y):
    a = lambda q=[1]: q
    b = lambda: [x[0], [y]]
    return a, b, {i: [i] for i in [1]}, {(x, [2]) for i in [3]}

def stmt_lists_in_handlers(x, y):
    try: x()
    except [x]: pass
    except x[0]: pass
    return [[1], [2, [3]]]

def stmt_lists_in_annotations(x: [1], y: [2][0]):
    z: [x] = [1]
    z: x[0] = x[1]
    def g(q: [x], r: x[0]): pass
    return z


FUNCTIONS = {
    name: value for name, value in list(globals().items())
    if callable(value) and name not in ('set_loop_options', 'deco', 'Methods')
}
FUNCTIONS.update({
    f'Methods.{name}': getattr(value, '__func__', value) for name, value in vars(Methods).items()
    if callable(getattr(value, '__func__', value))
})

lambda_identity = lambda x: x
lambda_call = lambda x, y=3, *z, k=4, **q: f(x)(y)
lambda_logic = lambda x, y: (x and y) or not x
lambda_ternary = lambda x: 1 if x > 2 else 2
lambda_nested = lambda x: (lambda y: y + x)
lambda_comprehension = lambda xs: [g(x) for x in xs if x and xs]
lambda_multiline = lambda a, b: f(
    a,
    b,
)
FUNCTIONS.update({n: v for n, v in list(globals().items()) if n.startswith('lambda_')})
