"""The names that converted code reaches through `ag__`; nothing else of the package is visible to it.

import autograph.generated as ag__
"""

import builtins
import sys

from autograph import convert as _convert  # noqa: F401  # opens the front door, where what converts calls is put in
from autograph.backends.journal import open_journals
from autograph.backends.registry import marking_backends, on_change, staging_test
from autograph.backends.state import KEEP
from autograph.backends.trace import open_traces, with_stand_ins
from autograph.operators import frames
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
from autograph.operators.frames import frame_back, not_counted
from autograph.operators.function_scope import FunctionScope, autograph_artifact, with_function_scope
from autograph.operators.function_scope import conversion_options as ConversionOptions
from autograph.operators.list_loops import rest_of_list
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
from autograph.operators.tracebacks import handled, unless_refused
from autograph.operators.variables import Undefined, UndefinedReturnValue, frame_locals, is_undefined, is_unset, ld, ldu
from autograph.options import STANDARD_OPTIONS as STD
from autograph.options import Feature

# By value: the user's names may mean anything.
iterator_of = builtins.iter
type_of = builtins.type
id_of = builtins.id

# Whether anything can be staged now: what a converted function asks first.
staging = staging_test()


def _ask_anew() -> None:
    global staging
    staging = staging_test()


on_change(_ask_anew)

__all__ = [
    "KEEP",
    "STD",
    "ConversionOptions",
    "Feature",
    "FunctionScope",
    "GetItemOpts",
    "ListPopOpts",
    "ListStackOpts",
    "Undefined",
    "UndefinedReturnValue",
    "about_to_bind",
    "abs_",
    "all_",
    "and_",
    "and_around",
    "and_before",
    "and_inside",
    "and_staged",
    "and_test",
    "any_",
    "assert_stmt",
    "autograph_artifact",
    "bool_",
    "bound",
    "callee",
    "container_types",
    "converted_call",
    "enumerate_",
    "eq",
    "filter_",
    "float_",
    "for_stmt",
    "frame_back",
    "frame_locals",
    "gen_exp",
    "get_item",
    "handled",
    "id_of",
    "if_exp",
    "if_exp_inside",
    "if_stmt",
    "in_",
    "index",
    "inner_loop",
    "int_",
    "is_rest_of_loop",
    "is_staged",
    "is_undefined",
    "is_unset",
    "iter_",
    "iterator_of",
    "ld",
    "ldu",
    "len_",
    "list_append",
    "list_comp",
    "list_pop",
    "list_stack",
    "made",
    "map_",
    "marking_backends",
    "max_",
    "min_",
    "new_list",
    "next_",
    "not_",
    "not_eq",
    "not_in_",
    "note_global",
    "note_variable",
    "open_journals",
    "open_traces",
    "or_",
    "or_around",
    "or_before",
    "or_inside",
    "or_staged",
    "or_test",
    "plain_items",
    "plain_test",
    "print_",
    "range_",
    "rest_of_list",
    "rest_of_loop",
    "reversed_",
    "round_",
    "set_item",
    "set_loop_options",
    "sorted_",
    "staging",
    "star_call",
    "star_callee",
    "store_inside",
    "store_item",
    "sum_",
    "taken_item",
    "tried",
    "type_of",
    "unless_refused",
    "update_item",
    "while_stmt",
    "while_stmt_from",
    "with_function_scope",
    "with_operands",
    "with_stand_ins",
    "zip_",
]

for _name, _module in dict(sys.modules).items():
    if _name.startswith("autograph.operators."):
        not_counted(vars(_module).values())

frames.operators = frozenset(__all__)
