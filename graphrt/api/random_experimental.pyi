# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.ops.random.distributions import (
    Algorithm as Algorithm, index_shuffle as index_shuffle, stateless_fold_in as stateless_fold_in,
    stateless_shuffle as stateless_shuffle, stateless_split as stateless_split
)
from graphrt.state.generator import (
    Generator as Generator, create_rng_state as create_rng_state, get_global_generator as get_global_generator,
    set_global_generator as set_global_generator
)
