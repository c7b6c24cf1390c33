"""The backend that stages into text passes the conformance suite; its programs are what a reader expects."""

import pytest

import autograph
from tests.autograph.backends import text_backend
from tests.autograph.backends.conformance import Conformance


class TestText(Conformance):
    @pytest.fixture(autouse=True)
    def _registered(self, backend):
        self.backend = backend

    def run(self, function, *args):
        return text_backend.run(self.backend, function, *args)


def test_recorded_program(backend):
    def f(x):
        if x > 0:
            y = x
        else:
            y = -x
        return y

    assert text_backend.trace(backend, autograph.to_graph(f), None).splitlines() == [
        "if (a0 > 0):",
        "    s1 = a0",
        "else:",
        "    s1 = (-a0)",
        "result = s1",
    ]


def test_variable_set_in_one_branch_only(backend):
    def f(x):
        if x > 0:
            y = 1
        return y

    with pytest.raises(autograph.errors.BranchMismatchError, match="AG204.*'y' is set in one branch only"):
        text_backend.trace(backend, autograph.to_graph(f), None)
