"""Plain NumPy programs under `graphrt.function`: the control flow becomes nodes of the graph, the results are NumPy's.

Nothing below the imports knows of graphrt but the list at the end.
"""

import math

import numpy as np


def k_means(points, centers, steps):
    for _ in range(steps):
        distance = np.sum((points[:, None, :] - centers[None, :, :]) ** 2, axis=2)
        nearest = np.argmin(distance, axis=1)
        member = np.equal(nearest[:, None], np.arange(3)[None, :]).astype(np.float64)
        count = np.maximum(np.sum(member, axis=0), 1.0)
        centers = np.matmul(np.transpose(member), points) / count[:, None]
    return centers


def page_rank(links, damping, tolerance):
    n = links.shape[0]
    rank = np.ones(n) / n
    change = np.sum(rank)
    while change > tolerance:
        updated = (1.0 - damping) / n + damping * np.matmul(links, rank)
        change = np.sum(np.abs(updated - rank))
        rank = updated
    return rank


def mandelbrot(real, imag, limit):
    x, y = np.zeros_like(real), np.zeros_like(imag)
    count = np.zeros_like(real)
    step = 0
    while step < limit and np.any(x * x + y * y <= 4.0):
        inside = x * x + y * y <= 4.0
        x, y = np.where(inside, x * x - y * y + real, x), np.where(inside, 2.0 * x * y + imag, y)
        count = count + np.where(inside, 1.0, 0.0)
        step += 1
    return count


def life(board, generations):
    for _ in range(generations):
        around = board * 0
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if down != 0 or right != 0:
                    around = around + np.roll(board, (down, right), (0, 1))
        born = np.equal(around, 3)
        stays = np.logical_and(np.equal(around, 2), np.equal(board, 1))
        board = np.logical_or(born, stays).astype(np.int64)
    return board


def heat(rod, steps, rate):
    for _ in range(steps):
        inner = rod[1:-1] + rate * (rod[2:] - 2.0 * rod[1:-1] + rod[:-2])
        rod = np.concatenate([rod[:1], inner, rod[-1:]])
        if np.max(rod) - np.min(rod) < 1.0:
            break
    return rod


def sieve(n):
    prime = np.ones(n, dtype=np.int64)
    numbers = np.arange(n, dtype=np.int32)
    for p in range(2, int(math.sqrt(n)) + 1):
        multiple = np.logical_and(np.equal(numbers % p, 0), numbers > p)
        prime = np.where(multiple, 0, prime)
    return np.sum(prime[2:])


def statistics(x):
    n = len(x)
    mean = np.sum(x) / np.sum(np.ones(n))
    spread = math.sqrt(np.mean((x - mean) ** 2))
    return mean, spread, np.zeros(n) + np.arange(n, dtype=np.float64) * spread


_RANDOM = np.random.default_rng(7)
_LINKS = _RANDOM.random((6, 6))
PROGRAMS = {
    k_means: (_RANDOM.random((30, 2)), np.array([[0.1, 0.1], [0.5, 0.5], [0.9, 0.9]]), np.int64(5)),
    page_rank: (_LINKS / _LINKS.sum(0), np.float64(0.85), np.float64(1e-9)),
    mandelbrot: (*np.meshgrid(np.linspace(-2.0, 1.0, 24), np.linspace(-1.2, 1.2, 16)), np.int32(30)),
    life: ((_RANDOM.random((8, 8)) < 0.4).astype(np.int64), np.int64(6)),
    heat: (np.array([0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0]), np.int64(50), np.float64(0.2)),
    sieve: (np.int64(60),),
    statistics: (_RANDOM.random(9),),
}
LOOPS = {
    k_means: "While", page_rank: "While", mandelbrot: "While", life: "While", heat: "While", sieve: "While",
    statistics: "Sqrt",
}  # the op that stands in each graph for what Python would have decided


def main():
    import graphrt as tf

    for program, arguments in PROGRAMS.items():
        compiled = tf.function(program)
        specs = [tf.TensorSpec([None] * np.ndim(a), np.asarray(a).dtype) for a in arguments]
        if program is page_rank:
            specs[0] = tf.TensorSpec([6, 6], np.float64)
        concrete = compiled.get_concrete_function(*specs)
        found = concrete(*[tf.constant(a) for a in arguments])
        wanted = program(*arguments)
        for ours, theirs in zip(tf.nest.flatten(found), tf.nest.flatten(wanted)):
            assert np.allclose(ours.numpy(), theirs), program.__name__
        ops = sorted({op.type for op in concrete.graph.get_operations()})
        assert any(LOOPS[program] in op for op in ops), ops
        print(program.__name__, "equals NumPy;", LOOPS[program], "in the graph")


if __name__ == "__main__":
    main()
