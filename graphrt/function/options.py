"""How a function is to be traced: a frozen record."""

from __future__ import annotations

import dataclasses
from typing import Any

from autograph import Feature
from graphrt import errors
from graphrt.types.nesting import shown
from graphrt.types.spec import TypeSpec
from graphrt.types.structure import flatten

# What costs nothing on plain values, and works on tensors only with it. `to_code` shows TensorFlow's default still.
STAGED_BY_DEFAULT = (Feature.ASSERT_STATEMENTS, Feature.LISTS)


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """The arguments of `tf.function`."""

    input_signature: tuple[Any, ...] | None = None
    autograph: bool = True
    jit_compile: bool | str | None = None
    reduce_retracing: bool = False
    experimental_autograph_options: Any = None
    experimental_implements: str | None = None
    max_traces: int | None = None
    verify: bool = False
    atomic: bool = False


def max_traces_of(given: Any) -> int | None:
    """`given` as a number of traces, or None.

    Raises:
      ValueError: it is not a positive int.
    """
    if given is None:
        return None
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError(errors.at_user_line(f"max_traces must be a positive int or None, found {shown(given)}"))
    return given


def input_signature_of(given: Any) -> tuple[Any, ...] | None:
    """`given` as a tuple of (nested) specs, or None.

    Raises:
      TypeError: it is not a sequence, or holds something else than specs.
    """
    if given is None:
        return None
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            errors.at_user_line(f"input_signature must be either a tuple or a list, got {type(given)}: {shown(given)}.")
        )
    wrong = [leaf for leaf in flatten(list(given)) if not isinstance(leaf, TypeSpec)]
    if wrong:
        raise TypeError(
            errors.at_user_line(
                f"input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args {wrong} "
                f"with types {[type(w) for w in wrong]}. Write tf.TensorSpec(shape, dtype) for each tensor."
            )
        )
    return tuple(given)
