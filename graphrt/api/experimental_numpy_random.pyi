# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.numpy_api.experimental_random import (
    normal as normal, poisson as poisson, rand as rand, randint as randint, randn as randn, random as random,
    seed as seed, standard_normal as standard_normal, uniform as uniform
)
