"""The table of the classes of operators, and of the pairs whose product or quotient has a simpler form.

The classes register themselves, so that the base can make operators of classes which are declared above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.linear_operators import hints

__all__ = ["multiplied", "of", "product_rule", "quotient_rule", "register", "solved"]

Rule = Callable[[Any, Any], Any]
# state: registry, filled by declarations
_CLASSES: dict[str, Any] = {}
# state: registry, filled by declarations
_PRODUCTS: list[tuple[str, str, Rule]] = []
# state: registry, filled by declarations
_QUOTIENTS: list[tuple[str, str, Rule]] = []


def register(kind: type) -> type:
    """Class decorator: enters a class into the table."""
    _CLASSES[kind.__name__] = kind
    return kind


def of(name: str) -> type:
    """The class of this name."""
    return _CLASSES[name]


def product_rule(left: str, right: str) -> Callable[[Rule], Rule]:
    """Declares the product of two classes; "LinearOperator" stands for any. Rules are tried in their order."""

    def enter(rule: Rule) -> Rule:
        _PRODUCTS.append((left, right, rule))
        return rule

    return enter


def quotient_rule(left: str, right: str) -> Callable[[Rule], Rule]:
    """Declares `left.solve(right)` of two classes."""

    def enter(rule: Rule) -> Rule:
        _QUOTIENTS.append((left, right, rule))
        return rule

    return enter


def _is(operator: Any, name: str) -> bool:
    return name == "LinearOperator" or isinstance(operator, _CLASSES[name])


def _found(rules: list[tuple[str, str, Rule]], left: object, right: object) -> Any:
    for one, two, rule in rules:
        if _is(left, one) and _is(right, two):
            made = rule(left, right)
            if made is not None:
                return made
    return None


def multiplied(left: object, right: object) -> Any:
    """The product of two operators: of a simpler class where a rule says so, else a composition."""
    found = _found(_PRODUCTS, left, right)
    if found is not None:
        return found
    made = of("LinearOperatorComposition")
    return made([left, right], is_non_singular=hints.non_singular(left, right), is_square=hints.square(left, right))


def solved(left: object, right: object) -> Any:
    """The operator that the inverse of `left` times `right` is."""
    found = _found(_QUOTIENTS, left, right)
    if found is not None:
        return found
    inverse = of("LinearOperatorInversion")(left)
    return of("LinearOperatorComposition")(
        [inverse, right], is_non_singular=hints.non_singular(left, right), is_square=hints.square(left, right)
    )
