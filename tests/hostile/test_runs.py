"""Short forms of the runs of interrupts, threads and leaks."""

import sys

import pytest

from tests import whole
from tests.hostile import interrupts, leaks, threads
from tests.hostile.programs import PROGRAMS
from tests.hostile.shared import SHARED

pytestmark = pytest.mark.usefixtures("new_garbage_only")
BY_NAME = {p.name: p for p in [*PROGRAMS, *SHARED]}


@pytest.mark.skipif(not hasattr(interrupts.os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", ["cached_calls", "atomic", "update_of_an_optimizer", "limits"])
def test_an_interrupt_leaves_nothing_behind(name):
    told = interrupts.interrupted(BY_NAME[name], 6, 1)
    assert len(told) == 6
    assert set(told) == {"fine"}


def test_threads_that_share_objects():
    chosen = [
        BY_NAME[n]
        for n in (
            "first_calls_of_one_function", "concrete_functions", "explanations", "scopes", "traces",
            "layers_built_at_the_first_call", "optimizers_built_at_the_first_step",
        )
    ]  # fmt: skip
    found = threads.stressed(chosen, 56, 8, 1)
    assert found == {p.name: [] for p in chosen}
    assert sys.getswitchinterval() > 1e-4


@pytest.mark.parametrize(
    ("name", "fewest"), [("functions_made_and_dropped", 60), ("failed_traces", 60), ("datasets", 60), ("programs", 9)]
)
def test_nothing_stays(name, fewest):
    (one,) = [w for w in leaks.WORKS if w.name == name]
    turns = 90 if whole.is_asked() else fewest
    per_turn, grown = leaks.measured(one, turns)
    assert not leaks.is_leak(per_turn, grown, turns), (per_turn, grown)
