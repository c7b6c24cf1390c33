"""Random pipelines against what TensorFlow made of them (`tests/golden/random_pipelines.py`)."""

import json

import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import repeated_shuffles
from tests.golden.random_pipelines import COUNT, outcome

RECORDED = json.loads((GOLDEN / "random_pipelines.json").read_text())


@pytest.mark.parametrize("seed", range(COUNT))
def test_as_recorded(seed):
    assert outcome(tf, seed) == RECORDED[seed]


@pytest.fixture(scope="module")
def shuffled():
    return repeated_shuffles.run(tf)


ORDERS = json.loads((GOLDEN / "repeated_shuffles.json").read_text())


@pytest.mark.parametrize("name", ORDERS)
def test_seeds_of_repeated_shuffles_as_recorded(name, shuffled):
    assert shuffled[name] == ORDERS[name]
