"""What `autograph check` need not tell of in code that is meant for graphrt."""

from __future__ import annotations

from autograph.backends import Handles, StagingBackend
from graphrt.function.options import STAGED_BY_DEFAULT


class HandledByGraphs(StagingBackend):
    """The part of the backend that says what it handles; `checked_programs.txt` among the tests runs each of it."""

    name = "graphrt"
    unconverted_modules = ("graphrt", "tensorflow")  # the second where graphrt stands for it
    features = STAGED_BY_DEFAULT
    handles = (
        Handles.RAISES
        | Handles.UNSET_VARIABLES
        | Handles.NONE_BEFORE_LOOPS
        | Handles.NONE
        | Handles.NUMBERS
        | Handles.LIST_CHANGES
        | Handles.RECURSION
    )
    recursive = ("graphrt.function",)
