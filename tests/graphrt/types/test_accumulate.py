"""`combine_at` gives what `ufunc.at` gives, to the last bit."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from graphrt.types.accumulate import combine_at

DTYPES = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.uint64, np.complex64)


@pytest.mark.parametrize("combine", [np.add, np.subtract, np.multiply, np.maximum, np.minimum])
def test_results_are_those_of_numpy(combine):
    rng = np.random.default_rng(3)
    shapes = (((9,), 1), ((9, 7), 1), ((9, 7), 2), ((4, 600), 1), ((3, 4, 5), 3), ((5, 0), 1))
    for dtype, (shape, lead), count in itertools.product(DTYPES, shapes, (0, 1, 200)):
        if dtype is np.complex64 and combine in (np.maximum, np.minimum):
            continue
        places = tuple(rng.integers(0, n, count) for n in shape[:lead])
        values = (rng.normal(size=(count, *shape[lead:])) * 3).astype(np.int8).astype(dtype)
        wanted = np.ones(shape, dtype)
        found = wanted.copy()
        with np.errstate(all="ignore"):
            combine.at(wanted, places, values)
            combine_at(combine, found, places if lead > 1 else places[0], values)
        assert found.tobytes() == wanted.tobytes(), (dtype, shape, lead, count)


def test_values_and_places_are_broadcast():
    wanted = np.zeros((30, 20))
    found = wanted.copy()
    places = (np.arange(30)[:, None], np.arange(10)[None])
    np.add.at(wanted, places, 2)
    combine_at(np.add, found, places, 2)
    np.testing.assert_array_equal(found, wanted)


def test_arrays_in_another_order_and_of_objects_are_changed_too():
    turned = np.zeros((50, 4)).T
    combine_at(np.add, turned, (np.full(100, 3), np.arange(100) % 50), 1.0)
    assert turned.sum() == 100 and turned[3].tolist() == [2.0] * 50
    texts = np.full(3, b"", object)
    combine_at(np.add, texts, np.zeros(70, np.int64), np.full(70, b"a", object))
    assert texts.tolist() == [b"a" * 70, b"", b""]
