"""The names that converted code reaches through `ag__`; nothing else of the package is visible to it.

import autograph.generated as ag__
"""

# ruff: noqa: F401 (all that is imported here, but for what begins with `_`, is for converted code)

import builtins as _builtins
import sys as _sys

from autograph import convert as _convert  # opens the front door, where what converts calls is put in
from autograph.backends.journal import open_journals
from autograph.backends.registry import marking_backends
from autograph.backends.registry import on_change as _on_change
from autograph.backends.registry import staging_test as _staging_test
from autograph.backends.state import KEEP
from autograph.backends.trace import open_traces, with_stand_ins
from autograph.operators import frames as _frames
from autograph.operators.asserts import assert_stmt
from autograph.operators.builtins import (
    abs_,
    all_,
    any_,
    bool_,
    enumerate_,
    filter_,
    float_,
    int_,
    isinstance_,
    iter_,
    len_,
    map_,
    max_,
    min_,
    next_,
    print_,
    range_,
    reversed_,
    round_,
    sorted_,
    sum_,
    zip_,
)
from autograph.operators.calls import callee, star_call, star_callee
from autograph.operators.comprehensions import gen_exp, inner_loop, list_comp, plain_items, plain_test
from autograph.operators.conditional_expressions import if_exp, if_exp_inside
from autograph.operators.control_flow import (
    for_stmt,
    if_stmt,
    is_rest_of_loop,
    is_staged,
    rest_of_loop,
    tried,
    while_stmt,
    while_stmt_from,
)
from autograph.operators.directives import set_loop_options
from autograph.operators.effects import about_to_bind, bound, container_types, note_global, note_variable
from autograph.operators.effects import own_parts as made
from autograph.operators.frames import frame_back
from autograph.operators.frames import not_counted as _not_counted
from autograph.operators.function_scope import FunctionScope, autograph_artifact, with_function_scope
from autograph.operators.function_scope import conversion_options as ConversionOptions
from autograph.operators.list_loops import rest_of_list, spread
from autograph.operators.lists import (
    ListPopOpts,
    ListStackOpts,
    list_append,
    list_pop,
    list_stack,
    new_list,
)
from autograph.operators.logical import (
    and_,
    and_around,
    and_before,
    and_inside,
    and_staged,
    and_test,
    eq,
    in_,
    not_,
    not_eq,
    not_in_,
    or_,
    or_around,
    or_before,
    or_inside,
    or_staged,
    or_test,
    with_operands,
)
from autograph.operators.quick_calls import converted_call
from autograph.operators.subscripts import (
    GetItemOpts,
    get_item,
    index,
    set_item,
    store_inside,
    store_item,
    taken_item,
    update_item,
)
from autograph.operators.tracebacks import handled, pass_refusal, unless_refused
from autograph.operators.variables import Undefined, UndefinedReturnValue, frame_locals, is_undefined, is_unset, ld, ldu
from autograph.options import STANDARD_OPTIONS as STD
from autograph.options import Feature

# By value: the user's names may mean anything.
iterator_of = _builtins.iter
type_of = _builtins.type
id_of = _builtins.id

# Whether anything can be staged now: what a converted function asks first.
staging = _staging_test()


def _ask_anew() -> None:
    global staging
    staging = _staging_test()


_on_change(_ask_anew)

__all__ = [name for name in sorted(globals()) if not name.startswith("_")]

for _name, _module in dict(_sys.modules).items():
    if _name.startswith("autograph.operators."):
        _not_counted(vars(_module).values())

_frames.operators = frozenset(__all__)
