"""Writes docs/special_functions.md, the accuracy of the special functions against SciPy's: needs SciPy.

python -m tests.special_functions_accuracy
"""

import numpy as np

from tests import ROOT

PAGE = ROOT / "docs" / "special_functions.md"
HEAD = """# Special functions

They are computed with NumPy alone, in double precision: rational approximations, polynomials on short
intervals, series, continued fractions and recurrences. SciPy is not needed, and not used when it is there, so a program gives the same numbers everywhere. With SciPy
installed, `python -m tests.special_functions_accuracy` compares both and writes this page.

*Error* is the greatest difference to SciPy's value over 20,000 points of the range, relative to the larger of the value
and 1e-3 (near zeros relative errors mean little). float32, float16 and bfloat16 results are these, rounded once.

| function | range | error |
|---|---|---|
"""


def cases():
    import scipy.special as s

    import graphrt as tf

    m, p = tf.math, tf.math.special
    one = [
        ("erf", m.erf, s.erf, -6, 6), ("erfc", m.erfc, s.erfc, -6, 6), ("erfinv", m.erfinv, s.erfinv, -0.9999, 0.9999),
        ("ndtri", m.ndtri, s.ndtri, 1e-6, 1 - 1e-6), ("lgamma", m.lgamma, s.gammaln, 0.01, 100), ("lgamma", m.lgamma, s.gammaln, -9.99, -0.01),
        ("digamma", m.digamma, s.digamma, 0.01, 100), ("digamma", m.digamma, s.digamma, -9.99, -0.01),
        ("dawsn", p.dawsn, s.dawsn, -20, 20), ("expint", p.expint, s.expi, 0.01, 50), ("fresnel_cos", p.fresnel_cos, lambda x: s.fresnel(x)[1], -20, 20),
        ("fresnel_sin", p.fresnel_sin, lambda x: s.fresnel(x)[0], -20, 20), ("spence", p.spence, s.spence, 0.01, 50),
        ("bessel_i0", p.bessel_i0, s.i0, -20, 20), ("bessel_i0e", p.bessel_i0e, s.i0e, -100, 100), ("bessel_i1", p.bessel_i1, s.i1, -20, 20), ("bessel_i1e", p.bessel_i1e, s.i1e, -100, 100),
        ("bessel_j0", p.bessel_j0, s.j0, -50, 50), ("bessel_j1", p.bessel_j1, s.j1, -50, 50), ("bessel_k0", p.bessel_k0, s.k0, 0.01, 20), ("bessel_k0e", p.bessel_k0e, s.k0e, 0.01, 100),
        ("bessel_k1", p.bessel_k1, s.k1, 0.01, 20), ("bessel_k1e", p.bessel_k1e, s.k1e, 0.01, 100), ("bessel_y0", p.bessel_y0, s.y0, 0.01, 50), ("bessel_y1", p.bessel_y1, s.y1, 0.01, 50),
    ]  # fmt: skip
    for name, ours, theirs, low, high in one:
        yield name, f"{low} to {high}", ours, theirs, [np.linspace(low, high, 20001)]
    rng = np.random.default_rng(0)
    a, x, b = rng.uniform(0.05, 50, 20000), rng.uniform(0, 60, 20000), rng.uniform(0.05, 30, 20000)
    yield "igamma", "a to 50, x to 60", m.igamma, s.gammainc, [a, x]
    yield "igammac", "a to 50, x to 60", m.igammac, s.gammaincc, [a, x]
    yield "betainc", "a to 50, b to 30", m.betainc, s.betainc, [a, b, rng.uniform(0, 1, 20000)]
    yield "zeta", "x 1.1 to 30, q to 50", m.zeta, s.zeta, [rng.uniform(1.1, 30, 20000), a]
    yield "polygamma", "n 1 to 4, x to 50", m.polygamma, s.polygamma, [rng.integers(1, 5, 20000).astype(float), a]


def page():
    import graphrt as tf

    lines = [HEAD]
    for name, bounds, ours, theirs, values in cases():
        with np.errstate(all="ignore"):
            found, wanted = ours(*[tf.constant(v) for v in values]).numpy(), theirs(*values)
        good = np.isfinite(wanted)
        error = np.max(np.abs(found - wanted)[good] / np.maximum(np.abs(wanted[good]), 1e-3))
        lines.append(f"| `{name}` | {bounds} | {error:.0e} |\n")
    return "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
