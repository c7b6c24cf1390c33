"""Threads and tasks that trace over classes which others use plainly: nobody sees anything of the others.

python -m tests.graphrt.programs.test_classes_in_threads 200       the long form
"""

import asyncio
import sys
import threading
import time
import warnings

import graphrt as tf


class Shared:
    """Read and written by threads that trace and by threads that do not."""

    def __init__(self, v):
        self.v = v

    @property
    def size(self):
        if self.v > 0:
            return self.v
        return -self.v

    def __add__(self, o):
        v = self.v + o
        if o > self.v:
            v = o
        return Shared(v)

    def __enter__(self):
        if self.v > 2:
            self.v = self.v - 1
        return self

    def __exit__(self, *error):
        self.v = self.v + 1

    def put(self, x):
        self.v = x


def own_class():
    class Own(Shared):
        @property
        def size(self):
            if self.v > 1:
                return self.v
            return super().size

    return Own


def worked(kind, x):
    o = kind(x)
    with o as p:
        p.put(p.v * 2)
    for i in range(2):
        o = o + i
    if x > 0:
        o.put(o.size + 1)
    else:
        o.put(o.size - 1)
    return o.size


def traced(kind, x):
    return int(tf.function(lambda x: worked(kind, x))(tf.constant(x)))


def of_the_process():
    functions = (Shared.size.fget, Shared.__add__, Shared.__enter__, worked)
    limits = sys.getrecursionlimit(), threading.stack_size(), list(warnings.filters)
    return *limits, [f.__code__ for f in functions]


def beside_each_other(rounds, tracers=16, others=4):
    """What goes wrong where threads trace over classes that other threads use plainly."""
    found = []
    over = threading.Event()
    wanted = {x: worked(Shared, x) for x in (3, -3)}
    before = of_the_process()
    traced(Shared, 3)  # what is imported first takes its time

    def noted(work, *args):
        try:
            work(*args)
        except Exception as error:
            found.append(repr(error))

    def trace(number):
        kind = own_class() if number % 2 else Shared
        for i in range(rounds):
            x = -3 if (number + i) % 2 else 3
            assert traced(kind, x) == wanted[x]

    def plainly():
        while not over.is_set():
            assert {x: worked(Shared, x) for x in (3, -3)} == wanted
            assert of_the_process()[-1] == before[-1]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        tracing = [threading.Thread(target=noted, args=(trace, n)) for n in range(tracers)]
        plain_ones = [threading.Thread(target=noted, args=(plainly,)) for _ in range(others)]
        for thread in (*tracing, *plain_ones):
            thread.start()
        for thread in tracing:
            thread.join()
        over.set()
        for thread in plain_ones:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert of_the_process() == before
    return found


def test_threads_that_trace_beside_threads_that_do_not():
    assert beside_each_other(1) == []


def test_tasks_that_trace_beside_tasks_that_do_not():
    wanted = {x: worked(Shared, x) for x in (3, -3)}

    async def task(number):
        for i in range(1):
            await asyncio.sleep(0)
            x = -3 if (number + i) % 2 else 3
            assert (traced(Shared, x) if number % 4 else worked(Shared, x)) == wanted[x]

    async def main():
        await asyncio.gather(*map(task, range(20)))

    before = of_the_process()
    asyncio.run(main())
    assert of_the_process() == before


def test_what_is_in_reach_or_given_costs_nothing():
    many = [[float(i) for i in range(1000)] for _ in range(380)]

    def body(x):
        for i in range(20):
            if x > i:
                x = x + 1
            else:
                x = x - 1
        return x

    def given(lists, x):
        return body(x)

    def in_reach(lists):
        def function(x):
            assert lists is not None
            return body(x)

        return function

    def seconds(function):
        x = tf.constant(3)
        start = time.process_time()
        tf.function(function)(x)
        return time.process_time() - start

    for make in (lambda lists: lambda x: given(lists, x), in_reach):
        times = [(seconds(make([])), seconds(make(many))) for _ in range(15)]
        assert min(t for _, t in times) < 1.3 * min(t for t, _ in times)


if __name__ == "__main__":
    print(beside_each_other(int(sys.argv[1])))
