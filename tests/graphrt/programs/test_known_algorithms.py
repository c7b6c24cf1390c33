"""Algorithms on lists and lists of lists, written as one writes them in Python, in a graph."""

import collections
import functools
import heapq

import pytest

import graphrt as tf
from tests.graphrt.staging.test_nested_lists import plain


def fibonacci(n):
    found = []
    for i in range(n):
        if i < 2:
            found.append(1)
        else:
            found.append(found[i - 1] + found[i - 2])
    return found


def pascal(n):
    rows = []
    for i in range(n):
        row = [1]
        if i > 0:
            before = rows[i - 1]
            for j in range(i - 1):
                row.append(before[j] + before[j + 1])
            row.append(1)
        rows.append(row)
    return rows


def permutations(n):
    found = [[]]
    for i in range(n):
        longer = []
        for p in found:
            for k in range(len(p) + 1):
                longer.append(p[:k] + [i] + p[k:])
        found = longer
    return found


def subsets(n):
    found = [[]]
    for i in range(n):
        for s in found[:]:
            found.append(s + [i])
    return found


def breadth_first(n):
    edges = [[] for _ in range(n)]
    for i in range(1, n):
        edges[i // 2].append(i)
        edges[i].append(i // 2)
    order, queue, seen = [], [0], [0]
    while queue and n > 0:
        v = queue.pop(0)
        order.append(v)
        for w in edges[v]:
            if w not in seen:
                seen.append(w)
                queue.append(w)
    return order


def depth_first(n):
    edges = [[] for _ in range(n)]
    for i in range(n - 1):
        edges[i].append(i + 1)
        edges[i + 1].append(i)
    order, stack = [], [0]
    while stack and n > 0:
        v = stack.pop()
        if v not in order:
            order.append(v)
            for w in edges[v]:
                stack.append(w)
    return order


def levels(n):
    found, level = [], [n]
    while len(level) > 0:
        found.append(level)
        below = []
        for v in level:
            if v > 1:
                below.append(v // 2)
        level = below
    return found


def bisections(n):
    left, found = [(0, n)], []
    while left:
        low, high = left.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            left.append((low, middle))
            left.append((middle, high))
        else:
            found.append([low, high])
    return found


def buckets(n):
    found = [[] for _ in range(3)]
    for i in range(n):
        found[i * i % 3].append(i)
    return found, [sum(b) for b in found]


def sieve_of_sums(n):
    sums = [[] for _ in range(n)]
    for i in range(n):
        for j in range(i):
            sums[j].append(i * j)
    return sums, [sum(row) for row in sums], [len(row) for row in sums]


def taken_apart(n):
    rows, found = [[] for _ in range(n)], []
    while len(rows) > 0:
        row = rows.pop()
        row.append(len(rows))
        found.append(row)
    return found


def empties_beside_others(n):
    rows = [[] for _ in range(n)]
    if n > 2:
        rows[0].append(n)
    else:
        rows.append([2])
    rows.append([])
    return rows, [[n]] + rows


def pairs_of_empties(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i % 2 if i > 1 else 0].append([i, i])
    return rows


def replaced_empties(n):
    rows = [[]] * 3
    for i in range(n):
        rows[i % 3] = rows[i % 3] + [i]
    return rows


def moving_average(n):
    window, found = collections.deque(), []
    for i in range(n):
        if i > 1:
            window.popleft()
        window.append(i * i)
        found.append(window[0] + window[-1])
    return found


def record_lows(n):
    lows, t = [], 0
    for i in range(n):
        if i > 1:
            t += min(lows) + max(lows) + functools.reduce(lambda a, b: a * b, lows) + lows.index(i - 1)
        t += lows[i - 1] if i > 0 else 7
        if i > 0 and lows[-1] == 0:
            t += 3
        lows.append(i)
    return t


def unpacked_and_removed(n):
    rows, t = [], 0
    for i in range(n):
        if i == 2:
            a, b = rows
            t += a * b
            rows.remove(a)
            del rows[0]
        rows.append(i + 1)
        if i > 2:
            rows[-2] += t
    return rows, t


def heap_sort(n):
    heap = [i * 7 % 5 for i in range(n)]
    heapq.heapify(heap)
    before, found = heap[:], []
    while heap:
        found.append(heapq.heappop(heap))
    return before, found


def heap_of_pairs(n):
    heap, found = [(n, 3), (0, n), (2, 2)], []
    heapq.heapify(heap)
    for i in range(n):
        heapq.heappush(heap, (i * 7 % 5, i))
        found.append(heapq.heappushpop(heap, (i, 0)))
        found.append(heapq.heapreplace(heap, (3, i)))
    return heap, found


def shortest_paths(n):
    costs = [[99, 4, 1, 99], [99, 99, 99, 1], [99, 2, 99, 5], [99, 99, 99, 99]]
    found, heap = [0, 99, 99, 99], [(0, 0)]
    while heap:
        cost, v = heapq.heappop(heap)
        if cost <= found[v]:
            for w in range(4):
                there = cost + costs[v][w] + (n if v == 0 else 0)
                if there < found[w]:
                    found[w] = there
                    heapq.heappush(heap, (there, w))
    return found


def levels_of_a_queue(n):
    queue, found = collections.deque([(0, 0)]), []
    while queue:
        v, depth = queue.popleft()
        if v < n:
            found.append(v * 10 + depth)
            queue.append((2 * v + 1, depth + 1))
            queue.append((2 * v + 2, depth + 1))
    return found


ALGORITHMS = [
    fibonacci, pascal, permutations, subsets, breadth_first, depth_first, levels, bisections, buckets, sieve_of_sums,
    taken_apart, empties_beside_others, pairs_of_empties, replaced_empties, moving_average, record_lows, unpacked_and_removed,
    heap_sort, heap_of_pairs, shortest_paths, levels_of_a_queue,
]  # fmt: skip


@pytest.mark.parametrize("f", ALGORITHMS, ids=lambda f: f.__name__)
def test_the_graph_gives_what_python_gives(f):
    traced = tf.function(f, input_signature=[tf.TensorSpec([], tf.int32)])
    for n in (0, 1, 2, 4, 5):
        assert plain(traced(tf.constant(n))) == f(n), n


@pytest.mark.parametrize(
    "write", ["t += [1, 2][5]", "t += [1, 2][5] if i > 1 else 0", "t += int('a') if i > 1 and n else 0"]
)
def test_what_fails_in_any_iteration_is_raised(write, tmp_path):
    place = tmp_path / "program.py"
    place.write_text(f"def f(n):\n    t, rows = 0, []\n    for i in range(n):\n        if i > 0:\n            {write}\n"
                     "        rows.append(t)\n    return rows\n")  # fmt: skip
    space = {}
    exec(compile(place.read_text(), str(place), "exec"), space)
    with pytest.raises((IndexError, ValueError), match=r"out of range|invalid literal") as info:
        tf.function(space["f"])(tf.constant(3))
    assert "program.py" in "".join(info.value.__notes__)
