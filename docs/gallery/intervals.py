"""A backend of one's own: intervals. The same function runs on numbers, and on all numbers between two at once."""

from drawing import curve, picture

import autograph
from autograph.backends.state import State


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __mul__(self, k):
        return Interval(*sorted((self.low * k, self.high * k)))

    def __rsub__(self, k):
        return Interval(k - self.high, k - self.low)

    def __lt__(self, k):
        return Truth(self.high < k, self.low >= k)


class Truth:
    def __init__(self, holds, fails):
        self.holds, self.fails = holds, fails


class Intervals(autograph.backends.StagingBackend):
    name = "gallery intervals"
    staged_types = (Truth,)

    def if_stmt(self, cond, body, orelse, get_state, set_state, symbol_names, nouts):
        if cond.holds or cond.fails:
            return body() if cond.holds else orelse()
        state = State(get_state, set_state, symbol_names, nouts)  # both, and what covers both
        state.join(state.run(body), state.run(orelse), lambda _, a, b: Interval(min(a.low, b.low), max(a.high, b.high)))


@autograph.convert
def tent(x):
    if x < 0.5:
        x = x * 2.0
    else:
        x = (1.0 - x) * 2.0
    return x


def main():
    backend = Intervals()
    autograph.backends.register_backend(backend)
    try:
        x, lows, highs, middle, plain = Interval(0.30, 0.301), [], [], [], 0.3005
        for _ in range(12):
            lows.append(max(x.low, -0.05))
            highs.append(min(x.high, 1.05))
            middle.append(plain)
            x, plain = tent(x), tent(plain)
    finally:
        autograph.backends.unregister_backend(backend)
    assert all(low <= value <= high for low, value, high in zip(lows, middle, highs)) and tent(0.25) == 0.5
    bounds = 0, 11, -0.05, 1.05
    return picture(*(curve(ys, bounds=bounds, colour=c) for c, ys in ((5, lows), (5, highs), (1, middle))))
