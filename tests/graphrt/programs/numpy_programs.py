"""Programs as they are published, in Python and NumPy only: each with arguments, and the loop or branch it must have."""

import math

import numpy as np

RNG = np.random.default_rng(11)


def gray_scott(u, v, steps):
    for _ in range(steps):
        lu = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
        lv = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4 * v
        uvv = u * v * v
        u += 0.16 * lu - uvv + 0.035 * (1 - u)
        v += 0.08 * lv + uvv - (0.035 + 0.065) * v
    return u, v


def game_of_life_views(Z, steps):
    for _ in range(steps):
        N = np.zeros(Z.shape, dtype=int)
        N[1:-1, 1:-1] += (Z[:-2, :-2] + Z[:-2, 1:-1] + Z[:-2, 2:] + Z[1:-1, :-2] + Z[1:-1, 2:]
                          + Z[2:, :-2] + Z[2:, 1:-1] + Z[2:, 2:])  # fmt: skip
        birth = (N == 3)[1:-1, 1:-1] & (Z[1:-1, 1:-1] == 0)
        survive = ((N == 2) | (N == 3))[1:-1, 1:-1] & (Z[1:-1, 1:-1] == 1)
        inner = np.zeros_like(Z[1:-1, 1:-1])
        inner[birth | survive] = 1
        Z[...] = 0
        Z[1:-1, 1:-1] = inner
    return Z


def floyd_warshall(dist):
    dist = dist.copy()
    for k in range(len(dist)):
        dist = np.minimum(dist, dist[:, k, None] + dist[k, :])
    return dist


def floyd_warshall_loops(dist):
    n = dist.shape[0]
    d = np.copy(dist)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def softmax_regression(X, labels, steps, rate):
    n, d = X.shape
    k = 3
    W = np.zeros((d, k))
    onehot = np.eye(k)[labels]
    for _ in range(steps):
        scores = X @ W
        scores = scores - scores.max(axis=1, keepdims=True)
        p = np.exp(scores)
        p /= p.sum(axis=1, keepdims=True)
        W -= rate * X.T @ (p - onehot) / n
    return W, np.argmax(X @ W, axis=1)


def sir_model(beta, gamma, days):
    S, I, R = 0.99, 0.01, 0.0
    history = np.zeros((days, 3))
    for t in range(days):
        history[t] = [S, I, R]
        new = beta * S * I
        gone = gamma * I
        S, I, R = S - new, I + new - gone, R + gone
    return history


def kalman(zs, q, r):
    xhat, p = 0.0, 1.0
    out = np.zeros(len(zs))
    for k in range(len(zs)):
        pminus = p + q
        gain = pminus / (pminus + r)
        xhat = xhat + gain * (zs[k] - xhat)
        p = (1 - gain) * pminus
        out[k] = xhat
    return out


def kalman_matrices(zs):
    F = np.array([[1.0, 1.0], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    x = np.zeros((2, 1))
    P = np.eye(2) * 10.0
    for z in zs:
        x = F @ x
        P = F @ P @ F.T + 0.01 * np.eye(2)
        S = H @ P @ H.T + 1.0
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ (z.reshape(1, 1) - H @ x)
        P = (np.eye(2) - K @ H) @ P
    return x.ravel(), P


def fft_low_pass(signal, cutoff):
    spectrum = np.fft.rfft(signal)
    freqs = np.fft.rfftfreq(signal.size, d=1.0)
    spectrum[freqs > cutoff] = 0
    return np.fft.irfft(spectrum, n=signal.size)


def gram_schmidt(A):
    n = A.shape[1]
    Q = np.zeros(A.shape)
    for j in range(n):
        v = A[:, j]
        for i in range(j):
            v = v - np.dot(Q[:, i], A[:, j]) * Q[:, i]
        Q[:, j] = v / np.linalg.norm(v)
    return Q


def power_iteration(A, tolerance):
    b = np.ones(A.shape[1])
    old, value = 0.0, 1.0
    while abs(value - old) > tolerance:
        old = value
        b = np.dot(A, b)
        b = b / np.linalg.norm(b)
        value = np.dot(b, np.dot(A, b)) / np.dot(b, b)
    return value, b


def gauss_seidel(A, b, tolerance, limit):
    x = np.zeros_like(b)
    for step in range(limit):
        old = x.copy()
        for i in range(A.shape[0]):
            s1 = np.dot(A[i, :i], x[:i])
            s2 = np.dot(A[i, i + 1 :], old[i + 1 :])
            x[i] = (b[i] - s1 - s2) / A[i, i]
        if np.allclose(x, old, rtol=tolerance):
            break
    return x, step


def qr_iteration(A, steps):
    for _ in range(steps):
        Q, R = np.linalg.qr(A)
        A = R @ Q
    return np.sort(np.diag(A))


def moving_average(x, n):
    total = np.cumsum(x, dtype=float)
    total[n:] = total[n:] - total[:-n]
    return total[n - 1 :] / n


def equalise(image):
    hist = np.bincount(image.ravel(), minlength=256)
    cdf = hist.cumsum()
    lowest = cdf[cdf > 0].min()
    table = np.round((cdf - lowest) / (image.size - lowest) * 255).astype(np.uint8)
    return table[image]


def random_walk(noise):
    position = 0.0
    far = 0.0
    for step in noise:
        position += step if step > 0 else 0.5 * step
        if abs(position) > far:
            far = abs(position)
    return position, far, np.cumsum(noise).max()


def n_queens(n):
    columns = np.full(n, -1, np.int32)
    row = 0
    count = 0
    while row >= 0:
        columns[row] += 1
        if columns[row] >= n:
            columns[row] = -1
            row -= 1
            continue
        safe = True
        for other in range(row):
            if columns[other] == columns[row] or abs(columns[other] - columns[row]) == row - other:
                safe = False
                break
        if not safe:
            continue
        if row == n - 1:
            count += 1
        else:
            row += 1
    return count


def sieve_in_place(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, int(math.sqrt(n)) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.nonzero(prime)[0]


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def bisection(low, high):
    while high - low > 1e-9:
        middle = (low + high) / 2
        if math.cos(middle) - middle > 0:
            low = middle
        else:
            high = middle
    return low


def newton_fractal(z, steps):
    for _ in range(steps):
        z = z - (z**3 - 1) / (3 * z**2)
    roots = np.array([1, -0.5 + 0.8660254037844386j, -0.5 - 0.8660254037844386j])
    return np.argmin(np.abs(z[..., None] - roots), axis=-1)


def nearest_neighbours(P):
    D = P[:, np.newaxis] - P[np.newaxis, :]
    D2 = (D**2).sum(axis=-1)
    order = D2.argsort(axis=1)
    return order[:, 1:3], np.sqrt(D2).mean()


def linear_regression(X, y, steps):
    w = np.zeros(X.shape[1])
    b = 0.0
    losses = []
    for _ in range(steps):
        error = X.dot(w) + b - y
        losses.append((error**2).mean())
        w -= 0.1 * X.T.dot(error) / len(y)
        b -= 0.1 * error.mean()
    return w, b, np.array(losses)


def standardise(x):
    return (x - x.mean(axis=0)) / x.std(axis=0), x.var(), x.ptp() if hasattr(x, "ptp") else np.ptp(x)


def bubble_sort(a):
    a = a.copy()
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


def rule_30(cells, generations):
    rows = [cells]
    for _ in range(generations):
        left, right = np.roll(cells, 1), np.roll(cells, -1)
        cells = left ^ (cells | right)
        rows.append(cells)
    return np.stack(rows)


def simpson(n):
    x, h = np.linspace(0.0, np.pi, n, retstep=True)
    y = np.sin(x)
    return h / 3 * (y[0] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum() + y[-1])


def lorenz(steps, dt):
    state = np.array([1.0, 1.0, 1.0])
    for _ in range(steps):
        x, y, z = state
        state = state + dt * np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
    return state


def edit_distance(a, b):
    m, n = len(a), len(b)
    d = np.zeros((m + 1, n + 1), dtype=np.int32)
    d[:, 0] = np.arange(m + 1)
    d[0, :] = np.arange(n + 1)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[m, n]


def convolve_by_hand(image, kernel):
    h, w = kernel.shape
    out = np.zeros((image.shape[0] - h + 1, image.shape[1] - w + 1))
    for i in range(h):
        for j in range(w):
            out += kernel[i, j] * image[i : i + out.shape[0], j : j + out.shape[1]]
    return out


SQUARE = RNG.standard_normal((4, 4))
SYMMETRIC = SQUARE @ SQUARE.T + np.diag([1.0, 2.0, 3.0, 4.0])
GRAPH = np.where(RNG.random((6, 6)) < 0.5, RNG.integers(1, 9, (6, 6)).astype(float), 100.0)
X = RNG.standard_normal((20, 3))

# program: (its arguments, the node its graph must hold or "" where it is straight)
PROGRAMS = {
    gray_scott: ((RNG.random((6, 6)), RNG.random((6, 6)), np.int32(4)), "While"),
    game_of_life_views: (((RNG.random((8, 8)) < 0.4).astype(np.int64), np.int32(3)), "While"),
    floyd_warshall: ((GRAPH,), ""),
    floyd_warshall_loops: ((GRAPH,), "If"),
    softmax_regression: ((X, RNG.integers(0, 3, 20), np.int32(5), 0.5), "While"),
    sir_model: ((0.4, 0.1, np.int32(8)), "While"),
    kalman: ((RNG.standard_normal(9) + 3.0, 1e-3, 0.1), ""),
    kalman_matrices: ((RNG.standard_normal(7),), "While"),
    fft_low_pass: ((RNG.standard_normal(16), 0.2), ""),
    gram_schmidt: ((SQUARE,), ""),
    power_iteration: ((SYMMETRIC, 1e-10), "While"),
    gauss_seidel: ((SYMMETRIC + 10 * np.eye(4), RNG.standard_normal(4), 1e-8, np.int32(30)), "While"),
    qr_iteration: ((SYMMETRIC, np.int32(30)), "While"),
    moving_average: ((RNG.standard_normal(12), 3), ""),
    equalise: ((RNG.integers(40, 90, (6, 7)).astype(np.uint8),), ""),
    random_walk: ((RNG.standard_normal(15),), "If"),
    n_queens: ((np.int32(5),), "If"),
    sieve_in_place: ((np.int64(50),), "While"),
    collatz: ((np.int32(27),), "While"),
    bisection: ((np.float64(0.0), np.float64(1.0)), "If"),
    newton_fractal: ((RNG.standard_normal((3, 4)) + 1j * RNG.standard_normal((3, 4)), np.int32(12)), "While"),
    nearest_neighbours: ((RNG.random((7, 2)),), ""),
    linear_regression: ((X, X @ np.array([1.0, -2.0, 0.5]) + 3.0, np.int32(6)), "While"),
    standardise: ((X,), ""),
    bubble_sort: ((RNG.permutation(8),), "If"),
    rule_30: ((np.eye(1, 11, 5, dtype=np.int64)[0], np.int32(5)), "While"),
    simpson: ((np.int64(21),), ""),
    lorenz: ((np.int32(20), 0.01), "While"),
    edit_distance: ((np.array([3, 1, 2, 5, 4]), np.array([3, 2, 2, 4])), "If"),
    convolve_by_hand: ((RNG.random((6, 6)), RNG.random((3, 3))), ""),
}  # fmt: skip
