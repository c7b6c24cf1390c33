"""How a function is to be converted: frozen records that travel with the converted code.

with ag__.FunctionScope('f', 'fscope', ag__.ConversionOptions(recursive=True, ...)) as fscope:
"""

from __future__ import annotations

import dataclasses
import enum
import reprlib
from collections.abc import Iterable


def _listed(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (list, tuple, set, frozenset)) else (value,)


class _Features(enum.EnumMeta):
    """Tells of values that are too deep to be compared or shown."""

    def __call__(cls, value: object, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        try:
            return super().__call__(value, *args, **kwargs)  # type: ignore[call-overload]
        except RecursionError:
            raise ValueError(f"{reprlib.repr(value)} is not a valid {cls.__name__}") from None


class Feature(enum.Enum, metaclass=_Features):
    """Conversions that are off unless they are asked for.

    >>> from autograph.options import ConversionOptions, Feature
    >>> ConversionOptions(optional_features=Feature.ALL).uses(Feature.LISTS)
    True
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all_but(cls, exclude: Feature | Iterable[Feature], *others: Feature) -> tuple[Feature, ...]:
        """Each single feature but those named, one by one or in a list."""
        features = (exclude, *others) if isinstance(exclude, cls) else (*_listed(exclude), *others)
        for feature in features:
            if not isinstance(feature, cls):
                raise TypeError(f"expected members of {cls.__name__}, found {reprlib.repr(feature)}")
        return tuple(feature for feature in cls if feature is not cls.ALL and feature not in features)

    def __repr__(self) -> str:
        return f"Feature.{self.name}"

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function and shows in call times


_ORDER = {feature: position for position, feature in enumerate(Feature)}


def ordered_features(features: Feature | Iterable[Feature] | None) -> tuple[Feature, ...]:
    """`features` without repetition in the order of their declaration; a single one or None is fine too."""
    if features is None:
        return ()
    if isinstance(features, Feature):
        return (features,)
    unique = set(features)
    for feature in unique:
        if not isinstance(feature, Feature):
            raise TypeError(f"optional_features holds {feature!r}; expected members of autograph.Feature")
    return tuple(sorted(unique, key=_ORDER.__getitem__))


@dataclasses.dataclass(frozen=True)
class ConversionOptions:
    """What conversion shall do: hashable, and part of the key under which converted functions are cached.

    `recursive`: whether called functions are converted too.
    `user_requested`: whether the user named this very function (it is then converted whatever the policy says).
    `internal_convert_user_code`: False makes all calls run as they are.
    `optional_features`: a `Feature`, or several.
    `strictness`: what happens when a callable cannot be converted ("strict", "warn", "silent"); None: what is set for
    the region or module, see `autograph.strictness`.

    >>> ConversionOptions(recursive=True).call_options() == STANDARD_OPTIONS
    True
    """

    recursive: bool = False
    user_requested: bool = False
    internal_convert_user_code: bool = True
    optional_features: tuple[Feature, ...] = ()
    strictness: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "optional_features", ordered_features(self.optional_features))

    def uses(self, feature: Feature) -> bool:
        """Whether an optional feature is on."""
        return feature in self.optional_features or Feature.ALL in self.optional_features

    def call_options(self) -> ConversionOptions:
        """The options for functions that a function with these options calls."""
        return dataclasses.replace(
            self, user_requested=False, internal_convert_user_code=self.recursive and self.internal_convert_user_code
        )


STANDARD_OPTIONS = ConversionOptions(recursive=True)
