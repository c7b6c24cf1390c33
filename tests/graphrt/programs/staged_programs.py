"""Programs of every construct that AutoGraph stages, mixed. Each is plain Python on numbers and NumPy arrays.

`PROGRAMS` lists (function, argument tuples). Arguments become tensors in the graph; what the function returns, or
raises, must be the same.
"""

import contextlib

import numpy as np

PROGRAMS = []


def program(*calls):
    def register(function):
        PROGRAMS.append((function, calls))
        return function

    return register


V = np.array([3, -1, 4, 1, -5, 9, 2, 6], np.int32)
W = np.array([1.5, -2.0, 0.25, 8.0], np.float32)
M = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.int32)
E = np.zeros([0], np.int32)


# --- if --------------------------------------------------------------------------------------------------------------
@program((1,), (0,), (-7,), (100,))
def elif_chain(x):
    if x > 50:
        r = 1
    elif x > 0:
        r = 2
    elif x == 0:
        r = 3
    else:
        r = 4
    return r


@program((1, 2), (2, 1), (0, 0), (-1, -1), (5, -5))
def nested_ifs_all_return(x, y):
    if x > y:
        if x > 3:
            return x * 10
        else:
            return x * 20
    elif x == y:
        if x < 0:
            return -100
        return 100
    return y * 30


@program((1,), (-1,), (5,), (12,))
def returns_then_falls(x):
    if x < 0:
        return -x
    y = x + 1
    if y > 10:
        return y * 2
    y += 5
    if y == 11:
        return 0
    return y


@program((1,), (-1,), (3,))
def ternaries_nested(x):
    return 10 if x > 2 else 20 if x > 0 else 30


@program((1, 5), (6, 5), (5, 5))
def ternary_in_call(x, y):
    return max(x if x > y else y, 3) + min(x if x < y else y, 4)


@program((3,), (-3,))
def branch_creates_several(x):
    if x > 0:
        a, (b, c) = x, (x + 1, x + 2)
    else:
        a, (b, c) = 0, (1, 2)
    return a + b * c


@program((3,), (-3,))
def branch_deletes(x):
    t = x * 2
    if x > 0:
        y = t
        del t
    else:
        y = -t
        del t
    return y


@program((3, 4), (4, 3), (3, 3))
def swap_in_branch(a, b):
    if a > b:
        a, b = b, a
    return a, b


@program((2,), (3,), (-1,))
def augmented_in_branches(x):
    s = 1
    if x > 0:
        s += x
        s *= 3
    else:
        s -= x
        s //= 1
    s **= 2
    return s


@program((1,), (0,))
def if_pass(x):
    y = 1
    if x > 0:
        pass
    else:
        y = 2
    return y


@program((4,), (-4,))
def dict_result(x):
    if x > 0:
        return {"a": x, "b": [x, x + 1]}
    return {"a": -x, "b": [0, 1]}


@program((4,), (-4,))
def tuple_or_tuple(x):
    r = (x, (x, 1)) if x > 0 else (1, (2, x))
    return r


# --- logic -----------------------------------------------------------------------------------------------------------
@program((1, 1), (1, -1), (-1, 1), (-1, -1))
def and_or_not(a, b):
    r = 0
    if a > 0 and b > 0:
        r += 1
    if a > 0 or b > 0:
        r += 2
    if not a > 0:
        r += 4
    if not (a > 0 and not b > 0):
        r += 8
    return r


@program((5, 1), (0, 1), (-5, 1))
def short_circuit_guards(a, b):
    return a != 0 and 10 // a > b


@program((1, 2, 3), (3, 2, 1), (2, 2, 2), (1, 3, 3))
def chained(a, b, c):
    return a < b < c, a <= b <= c, a < b > c, a == b == c, a != b != c, not a < b <= c


@program((1,), (2,), (9,))
def in_tuple(x):
    return x in (1, 2, 3), x not in (1, 2, 3)


@program((V, 4), (V, 7))
def in_array(v, x):
    if x in v:
        return 1
    return 0


@program((1,), (3,))
def in_dict_and_set(x):
    d = {1: "a", 2: "b"}
    return x in d, x in {3, 4}, x not in {5}


@program((1, 2), (2, 2))
def equality_of_scalars(a, b):
    e = a == b
    n = a != b
    if e:
        return 1
    if n:
        return 2
    return 3


@program((3,), (0,))
def and_of_bool_values(x):
    flag = x > 0
    other = x < 10
    both = flag and other
    either = flag or other
    neither = not either
    return both, either, neither


@program((3,), (-3,), (30,))
def all_of_generator(x):
    return all(x > k for k in (0, 1, 2)), any(x > k for k in (5, 10, 20))


# --- while -----------------------------------------------------------------------------------------------------------
@program((0,), (1,), (10,))
def count_down(n):
    s = 0
    while n > 0:
        s += n
        n -= 1
    return s, n


@program((27,), (1,), (6,))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program((48, 18), (17, 5), (0, 5), (5, 0))
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@program((0,), (3,), (10,))
def while_break_continue(n):
    i = 0
    s = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        if i > 7:
            break
        s += i
    return s, i


@program((0,), (3,), (10,))
def while_else_break(n):
    i = 0
    r = 0
    while i < n:
        if i == 5:
            r = 1
            break
        i += 1
    else:
        r = 2
    return r, i


@program((0,), (3,), (10,))
def while_else_return(n):
    i = 0
    while i < n:
        if i == 5:
            return -i
        i += 1
    else:
        i += 100
    return i


@program((0,), (3,), (10,))
def while_true_break(n):
    i = 0
    while True:
        if i >= n:
            break
        i += 2
    return i


@program((1,), (3,), (10,))
def while_true_return(n):
    i = 0
    while True:
        i += 3
        if i >= n:
            return i


@program((0,), (4,))
def nested_while_break_inner(n):
    i, s = 0, 0
    while i < n:
        j = 0
        while j < n:
            if j > i:
                break
            if (i + j) % 2 == 0:
                j += 1
                continue
            s += i * j
            j += 1
        i += 1
    return s


@program((0, 3), (4, 2), (6, 11))
def nested_while_return(n, target):
    i = 0
    while i < n:
        j = 0
        while j < n:
            if i * j == target:
                return i, j
            j += 1
        i += 1
    return -1, -1


@program((0,), (1,), (10,), (101,))
def while_with_and(n):
    i = 0
    while i < n and i * i < 50:
        i += 1
    return i


@program((0,), (5,))
def while_with_or_not(n):
    i = 0
    while not (i >= n or i > 3):
        i += 1
    return i


@program((16,), (2.0,), (0.5,))
def newton(x):
    x = float(x)
    g = x
    while abs(g * g - x) > 0.001:
        g = (g + x / g) / 2.0
    return g


@program((5,), (0,))
def walrus_while(n):
    total = 0
    while (n := n - 1) >= 0:
        total += n
    return total, n


@program((5, 2), (0, 0), (3, 9))
def variable_first_set_in_while(n, k):
    i = 0
    last = -1
    while i < n:
        last = i * k
        i += 1
    return last


@program((3,), (8,))
def while_tuple_state(n):
    a, b = 0, 1
    i = 0
    pair = (0, 0)
    while i < n:
        a, b = b, a + b
        pair = (a, b)
        i += 1
    return pair


# --- for -------------------------------------------------------------------------------------------------------------
@program((V,), (E,))
def for_sum_of_positive(v):
    s = 0
    for x in v:
        if x > 0:
            s += x
    return s


@program((V,), (E,))
def for_break(v):
    s = 0
    for x in v:
        if x < -2:
            break
        s += x
    return s


@program((V,), (E,))
def for_continue(v):
    s = 0
    for x in v:
        if x % 2 == 0:
            continue
        s += x * x
    return s


@program((V, 9), (V, 100), (E, 1))
def for_else(v, t):
    for i in range(len(v)):
        if v[i] == t:
            r = i
            break
    else:
        r = -1
    return r


@program((V, 9), (V, 100), (E, 1))
def for_return_index(v, t):
    for i, x in enumerate(v):
        if x == t:
            return i
    return -1


@program((M, 5), (M, 50))
def nested_for_return(m, t):
    for row in m:
        for x in row:
            if x > t:
                return x
    return 0


@program((M,))
def nested_for_break_continue(m):
    s = 0
    for row in m:
        if row[0] == 4:
            continue
        for x in row:
            if x == 9:
                break
            s += x
        else:
            s += 1000
    return s


@program((5,), (0,), (1,))
def range_forms(n):
    a = 0
    for i in range(n):
        a += i
    for i in range(1, n):
        a += i * 10
    for i in range(n, 0, -2):
        a += i * 100
    return a


@program((5, 3), (0, 0))
def for_inside_while(n, k):
    s = 0
    while n > 0:
        for i in range(k):
            if i == n:
                break
            s += i + n
        n -= 1
    return s


@program((V, 2), (V, 0))
def enumerate_start(v, k):
    s = 0
    for i, x in enumerate(v, 5):
        if i > 10:
            break
        s += i * x
    return s + k


@program((V, V[::-1].copy()), (E, E))
def zip_two(a, b):
    s = 0
    for x, y in zip(a, b):
        s += x * y
    return s


@program((V, M[0]), (M[0], V))
def zip_uneven(a, b):
    s = 0
    for x, y in zip(a, b):
        s += x - y
    return s


@program((V, V[::-1].copy()))
def enumerate_zip(a, b):
    s = 0
    for i, (x, y) in enumerate(zip(a, b)):
        if x > y:
            s += i
    return s


@program((V,), (E,))
def for_reversed(v):
    last = 0
    for x in reversed(v):
        last = last * 2 + x
    return last


@program((V,))
def for_reversed_enumerate_range(v):
    s = 0
    for i in reversed(range(len(v))):
        s = s * 3 + v[i]
    return s


@program((V,), (E,))
def for_map_filter(v):
    s = 0
    for x in map(lambda t: t * 2, v):
        s += x
    for x in filter(lambda t: t > 0, v):
        s += x * 100
    return s


@program((M,))
def for_unpacks_rows(m):
    s = 0
    for a, b, c in m:
        s += a * b - c
    return s


@program((V,), (E,))
def maximum_with_none(v):
    best = 0
    at = -1
    for i, x in enumerate(v):
        if at < 0 or x > best:
            best, at = x, i
    return best, at


@program((V,))
def loop_variable_after(v):
    for x in v:
        pass
    return x


@program((V,), (E,))
def sequence_of_loops(v):
    s = 0
    for x in v:
        s += x
    i = 0
    while i < s:
        i += 7
    for k in range(i):
        s -= k
        if s < 0:
            break
    return s, i


@program((6,), (0,))
def triangle(n):
    c = 0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                if (i + j + k) % 2 == 0:
                    continue
                c += 1
    return c


@program((30,), (2,), (3,))
def primes(n):
    count = 0
    for p in range(2, n):
        for d in range(2, p):
            if p % d == 0:
                break
        else:
            count += 1
    return count


@program((4, 6), (0, 2), (10, 3))
def return_inside_three(n, m):
    for i in range(n):
        j = 0
        while j < m:
            if i * j > 6:
                if i > j:
                    return i * 100
                return j
            j += 1
    return -1


@program((6,), (0,), (-1,), (100,))
def python_loops_in_python_loops_left_by_return(x):
    for i in [-1, 5]:
        for j in (1, 2):
            if x == i + j:
                return i
        for k in range(2):
            for m in "ab":
                if x == i * 100 + k:
                    return j + k
    return 3


# --- with, try ---------------------------------------------------------------------------------------------------------
class Manager:
    def __init__(self, value=1):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *error):
        return False


@program((3,), (-3,))
def with_return(x):
    with Manager(2) as k:
        if x > 0:
            return x * k
    return x - 1


@program((V,), (E,))
def with_in_loop_break(v):
    s = 0
    for x in v:
        with Manager(3) as k:
            if x < -2:
                break
            if x == 1:
                continue
            s += x * k
    return s


@program((5,), (0,))
def while_in_with_return(n):
    with Manager(1) as one:
        while n > 0:
            if n == 3:
                return n * 100
            n -= one
    return n


@program((5,), (-5,))
def try_finally(x):
    y = 0
    try:
        if x > 0:
            y = x
        else:
            y = -x * 2
    finally:
        y += 1
    return y


# --- match ------------------------------------------------------------------------------------------------------------
@program((0,), (1,), (2,), (3,), (9,))
def match_alternatives(x):
    match x:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case 3 if x > 5:
            return 30
        case _:
            return 40


@program((0,), (1,), (5,), (-3,))
def match_guard_capture(x):
    r = 0
    match x:
        case 0:
            r = 1
        case n if n > 3:
            r = n * 2
        case n if n < 0:
            r = -n
        case other:
            r = other + 100
    return r


@program((1, 2), (0, 2), (1, 0), (0, 0))
def match_sequence(a, b):
    match (a, b):
        case (0, 0):
            return 0
        case (0, y):
            return y
        case (x, 0):
            return x * 10
        case (x, y):
            return x + y * 100


@program((1,), (2,), (3,))
def match_in_loop(n):
    s = 0
    for i in range(n * 2):
        match i % 3:
            case 0:
                continue
            case 1:
                s += 10
            case _:
                s += 1
                if s > 20:
                    break
    return s


@program((3,), (-3,))
def match_dict(x):
    match {"kind": "a", "v": x}:
        case {"kind": "a", "v": v} if v > 0:
            return v
        case {"kind": "a", "v": v}:
            return v * 2
        case _:
            return 0


@program((1,), (2,), (-1,))
def match_as_pattern(x):
    match x:
        case 1 | 2 as k:
            r = k * 7
        case _:
            r = 0
    return r


# --- comprehensions ---------------------------------------------------------------------------------------------------
@program((V,), (E,))
def comp_plain(v):
    return sum([x * 2 for x in v])


@program((V,), (E,))
def comp_filtered(v):
    return [x + 1 for x in v if x > 0]


@program((V,), (E,))
def generator_sum(v):
    return sum(x * x for x in v if x % 2 == 1)


@program((V,))
def generator_any_all(v):
    return any(x > 8 for x in v), all(x > -6 for x in v), any(x == 100 for x in v)


@program((V,))
def generator_max_min(v):
    return max(x % 5 for x in v), min(x * x for x in v)


@program((5,), (1,))
def comp_range(n):
    return sum([i * i for i in range(n)]), [i for i in range(n)]


@program((M,))
def comp_nested_rows(m):
    return [sum(row) for row in m], sum([sum([x * 2 for x in row]) for row in m])


@program((V,))
def comp_enumerate_zip(v):
    return [i * x for i, x in enumerate(v)], [a - b for a, b in zip(v, v[::-1])]


@program((V, 3))
def comp_closure(v, k):
    return [x + k for x in v if x > k]


@program((V,))
def comp_two_conditions(v):
    return [x for x in v if x > 0 if x < 5]


@program((V,))
def comp_ternary(v):
    return [x if x > 0 else -x for x in v]


@program((M,))
def comp_two_fors(m):
    return [x for row in m for x in row]


@program((3,), (-3,))
def comp_over_python_list(x):
    return [x + k for k in [1, 2, 3]], [k for k in (1, 2, 3)], {k: x * k for k in "ab" and (1, 2)}


# --- builtins ---------------------------------------------------------------------------------------------------------
@program((V,), (V[:1],))
def builtins_reduce(v):
    return sum(v), min(v), max(v), len(v), sum(v, 10)


@program((3, -4), (0, 0))
def builtins_scalar(a, b):
    return abs(b), max(a, b), min(a, b, 1), int(a), float(a), bool(a), abs(a - b)


@program((2.5,), (-2.5,), (3.49,), (0.5,), (1.5,))
def rounding(x):
    return round(x) + 0.0, int(x), abs(x), round(x * 10.0, 1)


@program((V,))
def sorting(v):
    return sorted(v), sorted(v, reverse=True), sorted(v, key=lambda x: -x), sorted(v, key=lambda x: x % 3)


@program((V,))
def sorted_loop(v):
    s = 0
    for i, x in enumerate(sorted(v)):
        s += i * x
    return s


@program((V,))
def list_of_map_filter(v):
    return list(map(lambda x: x * 3, v)), list(filter(lambda x: x > 1, v))


@program((V, V))
def map_two(a, b):
    return list(map(lambda x, y: x * y, a, b)), sum(map(lambda x: x + 1, a))


@program((V,))
def bools(v):
    return any(v > 8), all(v > -10), bool(len(v)), not len(v) > 3


@program((V,))
def iter_next(v):
    it = iter(v)
    a = next(it)
    b = next(it)
    return a, b


@program((M,))
def len_of_rows(m):
    n = 0
    for row in m:
        n += len(row)
    return n, len(m)


@program((V,))
def list_tuple_of_tensor(v):
    a = list(v)
    b = tuple(v)
    return a[0] + b[-1], len(a), len(b)


@program((V,))
def reversed_list(v):
    return list(reversed(v))


@program((3, 2), (7, 3), (-7, 2))
def divmod_pow(a, b):
    return divmod(a, b), pow(a, b), a // b, a % b, a / b


# --- lists ------------------------------------------------------------------------------------------------------------
@program((V,), (E,))
def append_in_loop(v):
    out = []
    for x in v:
        out.append(x * 2)
    return out


@program((V,), (E,))
def append_under_if(v):
    out = []
    for x in v:
        if x > 0:
            out.append(x)
    return out


@program((5,), (1,))
def append_in_while(n):
    out = [0, 1]
    while n > 0:
        out.append(out[-1] + out[-2])
        n -= 1
    return out


@program((5,), (3,))
def pop_in_while(n):
    stack = [1, 2, 3, 4, 5, 6]
    s = 0
    while n > 0:
        s = s * 10 + stack.pop()
        n -= 1
    return s, len(stack)


@program((V,))
def stack_machine(v):
    stack = []
    for x in v:
        if x < 0:
            a = stack.pop()
            stack.append(a * x)
        else:
            stack.append(x)
    return stack, len(stack)


@program((V,), (E,))
def loop_over_appended(v):
    out = []
    for x in v:
        if x % 2 == 0:
            out.append(x)
    s = 0
    for y in out:
        s += y
    return s, len(out)


@program((3,), (-3,))
def append_in_branch(x):
    out = [1]
    if x > 0:
        out.append(x)
    else:
        out.append(-x)
    return out


@program((3,), (-3,))
def append_in_one_branch(x):
    out = [1, 2]
    if x > 0:
        out.append(x)
    return sum(out), len(out)


@program((V,))
def list_set_item(v):
    out = [0, 0, 0, 0, 0, 0, 0, 0]
    i = 0
    for x in v:
        out[i] = x * i
        i += 1
    return out


@program((V,))
def two_lists(v):
    small, big = [], []
    for x in v:
        if x < 3:
            small.append(x)
        else:
            big.append(x)
    return small, big


@program((4,), (0,))
def list_of_pairs_sum(n):
    total = 0
    xs = []
    for i in range(n):
        xs.append(i * i)
    for i in range(n):
        total += xs[i] * i
    return total


@program((V,))
def append_and_break(v):
    out = []
    for x in v:
        if x == 9:
            break
        out.append(x)
    return out


@program((V,))
def append_and_return(v):
    out = []
    for x in v:
        out.append(x)
        if x == 9:
            return out
    return out


# --- item assignment ----------------------------------------------------------------------------------------------------
@program((V,))
def array_set_item(v):
    v = v + 0
    for i in range(len(v)):
        if v[i] < 0:
            v[i] = 0
    return v


@program((V, 3), (V, 0))
def array_augmented(v, k):
    v = v + 0
    v[k] += 100
    v[k + 1] *= 2
    v[0] -= 1
    return v


@program((M, 1))
def matrix_items(m, k):
    m = m + 0
    m[k, 2] = -1
    m[0] = m[k]
    m[1:, 0] = 50
    m[2][k] = 7
    return m


@program((V,))
def bubble_sort(v):
    v = v + 0
    n = len(v)
    for i in range(n):
        for j in range(n - 1 - i):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    return v


@program((10,), (2,))
def sieve(n):
    flags = np.ones([12], np.int32) + n * 0
    i = 2
    while i < n:
        j = i * i
        while j < n:
            flags[j] = 0
            j += i
        i += 1
    return flags


@program((V,))
def prefix_sums(v):
    v = v + 0
    for i in range(1, len(v)):
        v[i] += v[i - 1]
    return v


@program((V,))
def slice_items(v):
    v = v + 0
    v[1:3] = v[3:5]
    v[-2:] = 0
    return v[::2], v[2:], v[-1], v[:-3]


# --- attributes and items as state ----------------------------------------------------------------------------------------
class Box:
    def __init__(self, value=0):
        self.value = value
        self.count = 0

    def add(self, x):
        self.value += x
        self.count += 1
        return self.value


@program((V,), (E,))
def attribute_loop(v):
    b = Box()
    for x in v:
        if x > 0:
            b.value += x
            b.count = b.count + 1
    return b.value, b.count


@program((3,), (-3,))
def attribute_branch(x):
    b = Box(5)
    if x > 0:
        b.value = x
    else:
        b.count = x
    return b.value, b.count


@program((4,), (0,))
def attribute_while(n):
    b = Box(1)
    while b.count < n:
        b.value *= 2
        b.count += 1
    return b.value


@program((V,), (E,))
def dict_loop(v):
    d = {"pos": 0, "neg": 0, "n": 0}
    for x in v:
        if x > 0:
            d["pos"] += x
        else:
            d["neg"] = d["neg"] + x
        d["n"] += 1
    return d


@program((3,), (-3,))
def dict_new_key_in_both(x):
    d = {}
    if x > 0:
        d["k"] = x
    else:
        d["k"] = -x
    return d["k"]


@program((V,))
def nested_state(v):
    b = Box()
    b.value = {"s": 0, "pair": [0, 1]}
    for x in v:
        b.value["s"] += x
        b.value["pair"][0] = x
    return b.value["s"], b.value["pair"]


@program((V,))
def method_in_loop(v):
    b = Box(0)
    for x in v:
        b.value = b.value + x
    b.add(1)
    return b.value, b.count


@program((3,), (0,))
def list_item_state(n):
    s = [0, 1]
    for i in range(n):
        s[0] = s[0] + i
        s[1] *= 2
    return s


# --- functions ------------------------------------------------------------------------------------------------------------
def helper(x, k=2, *more, scale=1, **rest):
    if x > 0:
        return x * k * scale
    return -x * scale


@program((3,), (-3,))
def calls_helper(x):
    return helper(x), helper(x, 5), helper(x, scale=7), helper(*[x, 3], **{"scale": 2})


@program((5,), (0,), (-5,))
def inner_function(x):
    def sign(t):
        if t > 0:
            return 1
        elif t < 0:
            return -1
        return 0

    return sign(x) * 10 + sign(-x)


@program((5,), (0,))
def inner_loop_function(n):
    def total(m):
        s = 0
        for i in range(m):
            s += i
        return s

    r = 0
    for k in range(n):
        r += total(k)
    return r


@program((5,), (-5,))
def nonlocal_counter(x):
    c = 0

    def bump():
        nonlocal c
        if x > 0:
            c += x
        else:
            c -= 1

    bump()
    bump()
    return c


@program((5,), (-5,))
def lambda_with_ternary(x):
    f = lambda t: t * 2 if t > 0 else t - 1
    return f(x) + f(-x)


@program((4,), (0,))
def function_in_variable(n):
    f = helper
    s = 0
    while n > 0:
        s += f(n - 2)
        n -= 1
    return s


@program((5,), (1,))
def default_from_tensor(n):
    def g(a, b=n * 2):
        return a + b if a > b else b - a

    return g(3), g(100)


@program((6,))
def recursion_on_python(n):
    def power(x, k):
        if k == 0:
            return x * 0 + 1
        return x * power(x, k - 1)

    return power(n, 3)


@program((3,), (-1,))
def star_unpacking(x):
    a, *b = [x, x + 1, x + 2]
    if x > 0:
        a, *b = b
    else:
        a, *b = [x, 1]
        a = a * 2
    return a


# --- assert, print ---------------------------------------------------------------------------------------------------------
@program((3,), (0,), (-3,))
def asserting(x):
    assert x >= 0, "negative"
    return x * 2


@program((V,))
def assert_in_loop(v):
    s = 0
    for x in v:
        assert x < 5, "too big"
        s += x
    return s


@program((3,), (0,))
def printing(n):
    print("start", n)
    for i in range(n):
        if i % 2 == 0:
            print("even", i)
        else:
            print("odd:", i, sep="", end=";\n")
    print("done", n)
    return n


# --- mixed algorithms ------------------------------------------------------------------------------------------------------
@program((V, 4), (V, 10), (E, 1))
def linear_search(v, t):
    i = 0
    found = False
    while i < len(v) and not found:
        if v[i] == t:
            found = True
        else:
            i += 1
    return found, i


@program((np.array([1, 3, 5, 7, 9, 11], np.int32), 7), (np.array([1, 3, 5, 7, 9, 11], np.int32), 4))
def binary_search(v, t):
    lo, hi = 0, len(v) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if v[mid] == t:
            return mid
        elif v[mid] < t:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@program((V,))
def kadane(v):
    best = v[0]
    here = v[0]
    for x in v[1:]:
        here = max(x, here + x)
        best = max(best, here)
    return best


@program((V,))
def insertion_sort(v):
    v = v + 0
    for i in range(1, len(v)):
        key = v[i]
        j = i - 1
        while j >= 0 and v[j] > key:
            v[j + 1] = v[j]
            j -= 1
        v[j + 1] = key
    return v


@program((2, 10, 1000), (3, 7, 13))
def modular_power(base, e, m):
    r = 1
    while e > 0:
        if e % 2 == 1:
            r = r * base % m
        base = base * base % m
        e = e // 2
    return r


@program((12345,), (0,), (7,))
def digit_sum_reverse(n):
    s, r = 0, 0
    while n > 0:
        n, d = divmod(n, 10)
        s += d
        r = r * 10 + d
    return s, r


@program((100,), (15,))
def fizzbuzz(n):
    fizz = buzz = both = 0
    for i in range(1, n + 1):
        if i % 15 == 0:
            both += 1
        elif i % 3 == 0:
            fizz += 1
        elif i % 5 == 0:
            buzz += 1
    return fizz, buzz, both


@program((W,))
def running_mean(w):
    mean = 0.0
    n = 0.0
    for x in w:
        n += 1.0
        mean += (x - mean) / n
    return mean


@program((W, 0.1))
def early_stop(w, tol):
    s = 0.0
    steps = 0
    while True:
        old = s
        for x in w:
            s = s + (x - s) * 0.5
        steps += 1
        if abs(old - s) < tol:
            break
        if steps > 10:
            return -1.0, steps
    return s, steps


@program((M,))
def trace_and_diagonals(m):
    n = len(m)
    t = a = 0
    for i in range(n):
        for j in range(n):
            if i == j:
                t += m[i, j]
            if i + j == n - 1:
                a += m[i, j]
    return t, a


@program((V,))
def run_lengths(v):
    longest = current = 1
    for a, b in zip(v[:-1], v[1:]):
        if b > a:
            current += 1
        else:
            current = 1
        longest = current if current > longest else longest
    return longest


@program((V, 5), (V, -10))
def partition(v, pivot):
    lo, hi = [], []
    for x in v:
        if x < pivot:
            lo.append(x)
        else:
            hi.append(x)
    return len(lo), len(hi), sum(lo)


@program((7,), (0,), (1,))
def state_machine(n):
    state = 0
    trail = 0
    for i in range(n):
        match state:
            case 0:
                state = 1 if i % 2 == 0 else 2
            case 1:
                state = 2
                trail += 10
            case 2:
                state = 0
                trail += 100
    return state, trail


@program((3, 5), (5, 3))
def shadowing(x, y):
    for x in range(y):
        if x > 2:
            break
    return x


@program((3,), (10,))
def early_return_no_prior(n):
    for i in range(n):
        if i * i > 20:
            value = i
            return value
    return -1


# --- more mixtures ---------------------------------------------------------------------------------------------------
@program((3,), (-3,), (0,))
def set_in_one_read_in_same(x):
    if x > 0:
        r = x * 2
    if x > 0:
        return r
    return -1


@program((3,), (-3,), (0,))
def set_by_flag(x):
    ok = False
    if x > 0:
        r = x * 2
        ok = True
    if ok:
        y = r + 1
    else:
        y = 0
    return y


@program((V, 4), (V, 100), (E, 1))
def found_flag(v, t):
    found = False
    for i in range(len(v)):
        if v[i] == t:
            at = i
            found = True
            break
    if found:
        return at
    return -1


@program((V, 4))
def found_or_fail(v, t):
    for i, x in enumerate(v):
        if x == t:
            at = i
            break
    return at


@program((V, 2), (V, 50))
def while_found_else(v, t):
    i = 0
    while i < len(v):
        if v[i] == t:
            answer = v[i] * 10
            break
        i += 1
    else:
        answer = -i
    return answer


@program((4,), (1,))
def set_in_inner_loop(n):
    for i in range(n):
        for j in range(i):
            last = i * 10 + j
    if n > 1:
        return last
    return 0


@program((4,), (2,))
def set_in_loop_used_next_iteration(n):
    i = 0
    s = 0
    while i < n:
        if i > 0:
            s += prev  # noqa: F821 (set below)
        prev = i * i
        i += 1
    return s


@program((5,), (0,))
def unset_pair(n):
    i = 0
    while i < n:
        if i % 2 == 0:
            even = i
        else:
            odd = i
        i += 1
    if n > 1:
        return even, odd
    return 0, 0


@program((3,), (-3,))
def del_then_set(x):
    y = 1
    if x > 0:
        del y
        y = x
    return y


@program((V,), (E,))
def returns_structure(v):
    for i, x in enumerate(v):
        if x == 9:
            return {"i": i, "x": (x, [x, i])}
    return {"i": -1, "x": (0, [0, 0])}


@program((V,), (E,))
def min_max_running(v):
    lo, hi = 1000, -1000
    for x in v:
        lo, hi = min(lo, x), max(hi, x)
    return lo, hi


@program((V,))
def two_smallest(v):
    a = b = 10**6
    for x in v:
        if x < a:
            a, b = x, a
        elif x < b:
            b = x
    return a, b


@program((6,), (1,))
def pascal(n):
    row = np.zeros([8], np.int32) + n * 0
    row[0] = 1
    for i in range(n):
        for j in range(7, 0, -1):
            row[j] += row[j - 1]
    return row


@program((M, M))
def matmul(a, b):
    n = len(a)
    c = a * 0
    for i in range(n):
        for j in range(n):
            s = 0
            for k in range(n):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


@program((M,))
def transpose_in_place(m):
    m = m + 0
    n = len(m)
    for i in range(n):
        for j in range(i):
            m[i, j], m[j, i] = m[j, i], m[i, j]
    return m


@program((M,))
def nested_index_swap(m):
    m = m + 0
    for i in range(len(m)):
        m[i][0], m[i][2] = m[i][2], m[i][0]
    return m


@program((V,))
def selection_sort(v):
    v = v + 0
    n = len(v)
    for i in range(n):
        k = i
        for j in range(i + 1, n):
            if v[j] < v[k]:
                k = j
        v[i], v[k] = v[k], v[i]
    return v


@program((V, 3), (V, 0))
def rotate(v, k):
    v = v + 0
    n = len(v)
    while k > 0:
        first = v[0]
        for i in range(n - 1):
            v[i] = v[i + 1]
        v[n - 1] = first
        k -= 1
    return v


@program((V,))
def histogram(v):
    h = np.zeros([5], np.int32) + v[0] * 0
    for x in v:
        h[x % 5] += 1
    return h


@program((10,), (0,))
def fib_list(n):
    f = [0, 1]
    for i in range(n):
        f.append(f[i] + f[i + 1])
    return f[-1], len(f)


@program((20,), (2,))
def primes_list(n):
    primes = []
    for k in range(2, n):
        for p in primes:
            if k % p == 0:
                break
        else:
            primes.append(k)
    return primes


@program((13,), (1,), (0,))
def binary_digits(n):
    digits = []
    while n > 0:
        digits.append(n % 2)
        n //= 2
    s = 0
    while digits:
        s = s * 10 + digits.pop()
    return s


@program((V,))
def monotonic_stack(v):
    stack = []
    area = 0
    for x in v:
        while len(stack) > 0 and stack[-1] > x:
            area += stack.pop()
        stack.append(x)
    return area, stack


@program((5,))
def queue_pop_first(n):
    q = [1, 2, 3]
    total = 0
    while n > 0:
        a = q.pop(0)
        q.append(a + n)
        total += a
        n -= 1
    return total, q


@program((V,))
def list_if_nonempty(v):
    out = []
    for x in v:
        if x > 3:
            out.append(x)
    if out:
        return out[0]
    return -1


@program((V,))
def list_not_empty(v):
    out = []
    for x in v:
        if x > 300:
            out.append(x)
    if not out:
        return -1
    return out[0]


@program((V,), (E,))
def list_sum_max(v):
    out = [0]
    for x in v:
        if x > 0:
            out.append(x * x)
    return sum(out), max(out), min(out), len(out)


@program((V,))
def list_slices(v):
    out = []
    for x in v:
        out.append(x + 1)
    return out[0], out[-1], out[2:4], out[::-1][0]


@program((V,))
def list_extend_concat(v):
    out = [1]
    for x in v[:3]:
        out = out + [x]
    return out


@program((V,))
def list_in(v):
    seen = [0]
    count = 0
    for x in v:
        if x % 3 in seen:
            count += 1
        else:
            seen.append(x % 3)
    return count, seen


@program((V,))
def list_enumerate_zip(v):
    a, b = [], []
    for x in v:
        a.append(x)
        b.append(x * 2)
    s = 0
    for i, (p, q) in enumerate(zip(a, b)):
        s += i * p + q
    return s


@program((V,))
def list_comp_of_list(v):
    a = []
    for x in v:
        if x > 0:
            a.append(x)
    return [y * 2 for y in a], sum(y for y in a if y > 3)


@program((V,))
def list_sorted_reversed(v):
    a = []
    for x in v:
        a.append(x)
    return sorted(a), list(reversed(a)), any(x > 8 for x in a)


class Account:
    def __init__(self, b):
        self.balance = b
        self.log = []
        self.hist = {"n": 0}

    def deposit(self, x):
        if x > 0:
            self.balance += x
        else:
            self.hist["n"] += 1
        return self

    @property
    def doubled(self):
        return self.balance * 2

    @staticmethod
    def clip(x, lo=0, hi=5):
        if x < lo:
            return lo
        if x > hi:
            return hi
        return x

    @classmethod
    def of(cls, x):
        return cls(x if x > 0 else 0)

    def __call__(self, x):
        while x > self.balance:
            x -= 1
        return x


@program((5,), (-5,))
def methods(x):
    a = Account(10)
    a.deposit(x).deposit(1)
    return a.balance, a.hist["n"], a.doubled, Account.clip(x), Account.of(x).balance, a(20)


@program((4,))
def attr_list_append(n):
    a = Account(0)
    i = 0
    while i < 3:
        a.log.append(n + i)
        i += 1
    return a.log


@program((3,), (0,))
def nested_dict_state(n):
    d = {"a": {"x": 0}, "b": [1, 2]}
    for i in range(n):
        d["a"]["x"] += i
        d["b"][0] *= 2
    return d


@program((3, 1), (3, 5))
def closure_state(n, k):
    total = 0

    def add(x):
        nonlocal total
        if x > k:
            total += x

    for i in range(n):
        add(i)
    return total


@program((5,), (0,))
def lambda_over_loop(n):
    fs = lambda a: a * a if a % 2 == 0 else -a
    s = 0
    for i in range(n):
        s += fs(i)
    return s


@program((7,), (0,))
def generator_function(n):
    def gen():
        yield n
        yield n * 2
        yield n * 3

    s = 0
    for x in gen():
        if x > 10:
            s += x
    return s


@program((3,), (-2,))
def try_except_python(x):
    try:
        {}["k"]
    except KeyError:
        if x > 0:
            y = 1
        else:
            y = 2
    return y


@program((5,), (2,))
def break_in_else_of_inner(n):
    c = 0
    for i in range(n):
        for j in range(n):
            if i * j > 5:
                break
            c += 1
        else:
            if i == 3:
                break
            c += 10
            continue
        c += 100
    return c


@program((10,), (3,))
def continue_in_while_with_update(n):
    i = s = 0
    while i < n:
        i += 1
        if i % 2 == 1:
            continue
        if i % 4 == 0:
            s += 100
            continue
        s += i
    else:
        s += 1000
    return s


@program((10,), (1,))
def flags_and_double_break(n):
    done = False
    total = 0
    for i in range(n):
        for j in range(n):
            total += 1
            if i * j >= 12:
                done = True
                break
        if done:
            break
    return total, done


@program((3,), (12,))
def return_none_path(n):
    def check(k):
        if k > 10:
            return True
        return False

    r = 0
    while not check(n):
        n += 1
        r += 1
    return r


@program((2, 3), (3, 2))
def assert_compare(a, b):
    assert a != b, f"equal {1}"
    return a if a > b else b


@program((5,), (0,))
def print_in_loop_ok(n):
    s = 0
    for i in range(n):
        s += i
    return s


@program((0.5,), (2.0,), (-1.0,))
def exp_series(x):
    term = total = 1.0
    k = 1.0
    while abs(term) > 1e-4:
        term = term * x / k
        total = total + term
        k += 1.0
    return total


@program((W,))
def softmax_by_hand(w):
    m = max(w)
    out = w * 0.0
    s = 0.0
    for i in range(len(w)):
        e = (w[i] - m) * 0.1 + 1.0
        out[i] = e
        s += e
    for i in range(len(w)):
        out[i] /= s
    return out


@program((W, 2), (W, 0))
def polynomial(w, k):
    y = 0.0
    for i in range(len(w) - 1, -1, -1):
        y = y * 2.0 + w[i]
        if i == k:
            break
    return y


@program((np.array([True, False, True]),))
def count_true(v):
    n = 0
    for b in v:
        if b:
            n += 1
    return n, any(v), all(v)


@program((7, 3), (0, 3))
def integer_sqrt(n, _):
    if n == 0:
        return 0
    lo, hi = 1, n
    while lo < hi:
        mid = (lo + hi + 1) // 2
        if mid * mid <= n:
            lo = mid
        else:
            hi = mid - 1
    return lo


@program((5, 3), (3, 3), (2, 9))
def compare_many(a, b):
    if a == b:
        s = 0
    elif a < b <= 9 and not (a + b) % 2 == 1:
        s = 1
    elif a < b or a == 5:
        s = 2
    else:
        s = 3
    return s


@program((3,), (4,), (5,))
def nested_function_returns_tuple(x):
    def split(t):
        if t % 2 == 0:
            return t // 2, 0
        return t // 2, 1

    q, r = split(x)
    (p, o), extra = split(q), [r]
    return p, o, extra


@program((3,), (-3,))
def kwargs_and_defaults(x):
    def f(a, *args, k=1, **kw):
        if a > 0:
            return a + k + len(args) + len(kw)
        return a - k

    return f(x), f(x, 1, 2), f(x, k=5), f(x, 1, k=2, z=3), f(*(x, 1), **{"k": 7})


@program((6,))
def while_with_function_test(n):
    def more(k):
        return k > 0 and k != 3

    s = 0
    while more(n):
        s += n
        n -= 1
    return s, n


@program((3,))
def mutual_inner(n):
    def even(k):
        if k == 0:
            return True
        return odd(k - 1)

    def odd(k):
        if k == 0:
            return False
        return even(k - 1)

    return even(4) and n > 2


@program((V,))
def slices_of_loop(v):
    s = 0
    for i in range(len(v) - 1):
        s += sum(v[i : i + 2])
    return s


@program((V,))
def for_over_slice_and_python_list(v):
    s = 0
    for x in v[1:4]:
        s += x
    for y in [v[0], v[1], 10]:
        if y > 2:
            s += y
    for k, z in {"a": v[0], "b": v[1]}.items():
        s += z
    return s


@program((V,))
def for_else_return_in_else(v):
    for x in v:
        if x > 100:
            break
    else:
        return -7
    return 7


@program((3,), (0,))
def with_suppress_loop(n):
    import contextlib

    s = 0
    with contextlib.nullcontext(5) as k:
        for i in range(n):
            with contextlib.nullcontext(i) as j:
                if j == 1:
                    continue
                s += j + k
    return s


@program((3, 4), (9, 2))
def tuple_compare(a, b):
    return (a, b) == (b, a), (a, 1) == (a, 1), [a] != [b]


@program((3,), (9,))
def min_max_key(x):
    return max([x, 4, 5]), min(x, 4), max((x, 1)), sorted([x, 5, 1])


@program((5,), (0,))
def enumerate_range(n):
    s = 0
    for i, k in enumerate(range(n), 1):
        s += i * k
    for i, k in zip(range(n), range(n, 2 * n)):
        s += i * k
    return s


@program((5,), (0,))
def sum_gen_range(n):
    return sum(i for i in range(n)), sum(i * i for i in range(n) if i % 2 == 0), max([i for i in range(n + 1)])


@program((V,))
def min_with_default_gen(v):
    return sum(1 for x in v if x > 0), any(x < -4 for x in v), all(x < 10 for x in v), max(x * 2 for x in v if x < 5)


@program((4,), (0,))
def augmented_all(n):
    a = 7
    for i in range(n):
        a += i
        a -= 1
        a *= 2
        a //= 3
        a %= 50
        a |= 1
        a ^= 2
        a &= 63
        a <<= 1
        a >>= 1
    return a


@program((4,), (-4,))
def unary_and_bits(x):
    y = -x
    z = +x
    w = ~x
    return y, z, w, x**2, abs(y) // 3, y % 3


@program((3,), (7,))
def global_constant(n):
    s = 0
    for k in range(n):
        if k in ALLOWED:
            s += k
    return s


ALLOWED = (1, 2, 5)


@program((3,), (0,))
def deep_nesting(n):
    r = 0
    for a in range(n):
        if a > 0:
            b = a
            while b > 0:
                if b % 2 == 0:
                    for c in range(b):
                        if c == 1:
                            break
                        r += c + a
                    else:
                        r += 1
                else:
                    r += 10
                b -= 1
        else:
            r += 5
    return r


@program((5,), (1,))
def early_return_value_no_prior(n):
    i = 0
    while i < n:
        j = i
        while j < n:
            k = i * j
            if k > 5:
                return k
            j += 1
        i += 1
    return 0


@program((3, 5))
def star_args_call(a, b):
    def g(*xs):
        t = 0
        for x in xs:
            if x > 3:
                t += x
        return t

    return g(a, b), g(*[a, b, 10]), g()


# --- objects changed by methods and by functions inside ------------------------------------------------------------------


@program((V,))
def extend(v):
    out = []
    for x in v:
        out.extend([x, x])
    return out


@program((V,))
def insert(v):
    out = []
    for x in v:
        out.insert(0, x)
    return out


@program((V,))
def clear(v):
    out = []
    for x in v:
        out.append(x)
        if x == 9:
            out.clear()
    return out


@program((V,))
def attr_append(v):
    a = Account(0)
    for x in v:
        a.log.append(x)
    return a.log


@program((V,))
def dict_append(v):
    d = {"k": []}
    for x in v:
        d["k"].append(x)
    return d["k"]


@program((V,))
def dict_update(v):
    d = {"k": 0}
    for x in v:
        d.update(k=d["k"] + x)
    return d


@program((3,), (-3,))
def branch_extend(x):
    out = [1]
    if x > 0:
        out.extend([x, x])
    return out


@program((3,), (-3,))
def branch_insert(x):
    out = [1]
    if x > 0:
        out.insert(0, x)
    return out


@program((3,), (-3,))
def branch_attr_append(x):
    a = Account(0)
    if x > 0:
        a.log.append(x)
    return a.log


@program((3,), (-3,))
def branch_method_mutates(x):
    class A:
        def __init__(self):
            self.v = 0

        def bump(self, k):
            self.v += k

    a = A()
    if x > 0:
        a.bump(x)
    else:
        a.bump(-x * 2)
    return a.v


@program((V,))
def counter_python(v):
    n = [0]
    for x in v:
        n[0] += 1
    return n[0]


@program((V,))
def iadd_list(v):
    out = []
    for x in v:
        out += [x]
    return out


@program((V,))
def nested_list_append(v):
    rows = [[], []]
    for x in v:
        if x > 0:
            rows[0].append(x)
        else:
            rows[1].append(x)
    return rows


@program((V,))
def list_in_closure(v):
    out = []

    def put(x):
        out.append(x)

    for x in v:
        put(x)
    return out


@program((V,))
def itertools_use(v):
    import itertools

    s = 0
    for a, b in itertools.combinations([1, 2, 3], 2):
        if v[a] > v[b]:
            s += 1
    return s


@program((3,), (-1,))
def functools_reduce(x):
    import functools

    return functools.reduce(lambda a, b: a + b if a > 0 else a - b, [x, 1, 2])


@program((V,))
def self_in_loop(v):
    a = Account(0)
    for x in v:
        a.deposit(x)
    return a.balance, a.hist["n"]


class Walker:
    def __init__(self):
        self.at, self.steps, self.path = 0, 0, []

    def step(self, by):
        if by > 0:
            self.at += by
            self.path.append(self.at)
        else:
            self._back(by)

    def _back(self, by):
        self.at = self.at + 2 * by
        self.steps = self.at * 0 + self.steps + 1


@program((V,), (E,))
def walker(v):
    w = Walker()
    for x in v:
        w.step(x)
    return w.at, w.steps, w.path


@program((4,), (0,))
def two_walkers(n):
    pair = [Walker(), Walker()]
    i = 0
    while i < n:
        pair[0].step(i)
        if i % 2 == 0:
            pair[1].step(-i)
        i += 1
    return pair[0].at, pair[1].at, pair[0].path


@program((3,), (-3,))
def walker_in_branches(x):
    w = Walker()
    if x > 0:
        w.step(x)
        w.step(-x)
    else:
        w.step(-x)
    return w.at, w.path


@program((5,), (0,))
def shared_function_state(n):
    total, rows = [0], []

    def add(k):
        total[0] = total[0] + k
        rows.append(k * k)

    for i in range(n):
        if i > 1:
            add(i)
    return total[0], rows


# --- lists of tuples ------------------------------------------------------------------------------------------------------
G = np.array([[0, 1, 1, 0, 0], [1, 0, 0, 1, 0], [1, 0, 0, 1, 0], [0, 1, 1, 0, 1], [0, 0, 0, 1, 0]], np.int32)


@program((G, 0), (G, 4))
def bfs(g, start):
    n = len(g)
    dist = g[0] * 0 - 1
    queue = [(start, 0)]
    while queue:
        node, d = queue.pop(0)
        if dist[node] < 0:
            dist[node] = d
            for k in range(n):
                if g[node, k] == 1 and dist[k] < 0:
                    queue.append((k, d + 1))
    return dist


@program((G, 0), (G, 4))
def dfs(g, start):
    seen = g[0] * 0
    order = []
    stack = [start]
    while len(stack) > 0:
        node = stack.pop()
        if seen[node] == 1:
            continue
        seen[node] = 1
        order.append(node)
        for k in range(len(g)):
            if g[node, k] == 1 and seen[k] == 0:
                stack.append(k)
    return order


@program((4,), (0,))
def pairs(n):
    out = []
    for i in range(n):
        for j in range(i):
            out.append((i, float(j) * 0.5))
    s = 0.0
    for i, x in out:
        s += x
    return out, s, len(out)


@program((4,), (1,))
def dicts(n):
    out = [{"a": 0, "b": 1.5}]
    for i in range(n):
        out.append({"a": i, "b": 0.5})
    return out[-1]["a"], out[0]["b"], len(out)


@program((V,))
def comp_pairs(v):
    return [(i, x) for i, x in enumerate(v) if x > 0]


@program((V,))
def pairs_enumerated(v):
    out = []
    for x in v:
        if x > 0:
            out.append((x, x * x))
    t = 0
    for k, (a, b) in enumerate(out):
        t += k * a + b
    last, _ = out[-1]
    return t, last


@program((3,), (-3,))
def pairs_in_branch(x):
    out = [(1, 2)]
    if x > 0:
        out.append((x, x))
    return out


@program((V,))
def rows_of_lists(v):
    out = []
    for x in v:
        out.append([x, x + 1])
    return out


class Bag:
    def __init__(self):
        self.items = []

    def put(self, a, b):
        self.items.append((a, b))


@program((V,))
def bag(v):
    b = Bag()
    for x in v:
        if x > 2:
            b.put(x, x % 2)
    return b.items, len(b.items)


@program((V,))
def pairs_extend_concat(v):
    out = [(0, 0)]
    for x in v:
        out = out + [(x, 1)]
        out += [(x, 2)]
    out.insert(0, (7, 7))
    return out


@program((V,))
def append_what_was_popped(v):
    stack = []
    for x in v:
        if x < 0:
            stack.append(x * stack.pop())
        else:
            stack.append(x)
    return stack


@program((4,), (1,))
def pops_in_many_places(n):
    a, b = [1, 2, 3, 4, 5], [10, 20, 30, 40, 50]
    s = 0
    while n > 0:
        s += a.pop(0) * b.pop() + len(a)
        if a.pop() > 3:
            a.append(7)
            s -= 1
        a.insert(0, s)
        n -= 1
    return s, a, b


class Counter:
    def __init__(self):
        self.up, self.down = 0, 0

    def rise(self, x):
        self.up += x
        return self.up

    def fall(self, x):
        self.down -= x
        return x

    def check(self, x):
        self.up += 1 + x * 0
        return x > 2


@program((3,), (-3,))
def ternary_of_methods(x):
    c = Counter()
    y = c.rise(x) if x > 0 else c.fall(x)
    return y, c.up, c.down


@program((3, 1), (-3, 1), (3, 5), (-1, 7))
def logic_of_methods(x, y):
    c = Counter()
    a = x > 0 and c.check(y)
    b = x > 0 or c.check(y)
    return a, b, c.up


@program((V,))
def logic_of_methods_in_loop(v):
    c = Counter()
    n = 0
    for x in v:
        if x > 0 and c.check(x):
            n += c.rise(x) if x > 3 else c.fall(x)
    return n, c.up, c.down


@program((9,), (0,))
def what_is_read_behind_a_jump(x):
    m = 0
    while x > 0:
        try:
            x = {}["none"]
        except KeyError:
            break
        else:
            return 5
            n = m  # nobody comes here
        m = 3
    return x


def positive(x):
    return x if x > 0 else -x


@program((3,), (-3,))
def calls_in_what_with_enters(x):
    with contextlib.nullcontext((lambda e: positive(x) + e)(1)) as a, contextlib.nullcontext(a and positive(a)) as b:
        with contextlib.nullcontext(positive(x) if x > 1 else positive(x + 1)) as c:
            with contextlib.nullcontext([positive(e) for e in (a, b)] or 1 < positive(x) < 9) as d:
                return a, b, c, d[0]
