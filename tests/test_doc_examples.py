"""`tests.doc_examples`, on docstrings of our own."""

import types

from tests.doc_examples import compared, dumped, outcomes, says


def test_what_counts_as_said():
    assert says("tensor([1. , 2.5])", "tensor([ 1.0001,  2.5 ])") and not says("[1.0]", "[1.1]") and not says("a", "b")
    assert says("<function f at ...>", "<function f at 0x12>") and says("", "anything") and not says("x ... y", "x 1 z")
    assert says("nan", "nan") and not says("[1, 2]", "[1, 2, 3]")


def test_examples_are_found_and_run():
    room = types.ModuleType("tensorflow.room")

    def doubled(x):
        """>>> doubled(2)
        4
        >>> doubled("a")
        'aa'
        >>> doubled(None)
        Traceback (most recent call last):
        TypeError: no
        """
        return 2 * x

    room.doubled = room.again = doubled
    room._hidden = lambda: None
    found = dumped(room)
    assert list(found) == ["again"] and len(found["again"]) == 3
    theirs = {"again": outcomes(found["again"], {"doubled": doubled})}
    assert [state for state, *_ in theirs["again"]] == ["ok", "ok", "ok"]
    ours = {"again": outcomes(found["again"], {"doubled": lambda x: 2.0 * x})}
    count, held, lines = compared(ours, theirs)
    assert (count, held, len(lines)) == (2, 1, 1) and "can't multiply" in lines[0]
