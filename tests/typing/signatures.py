"""Checked by mypy (and pyright, where it is installed): decorators keep signatures. Nothing here is run."""

import functools
from collections.abc import Callable
from typing import Any, Generic, TypeVar, assert_type, overload

import autograph
from autograph import Feature
from autograph.backends import StagingBackend

T = TypeVar("T")


def plain(x: int, *, y: str = "") -> float:
    return x / 2


assert_type(autograph.convert(plain)(1, y="a"), float)
assert_type(autograph.convert()(plain)(1), float)
assert_type(autograph.convert(plain, strict="strict", optional_features=Feature.LISTS)(1), float)
assert_type(autograph.to_graph(plain)(1, y=""), float)
assert_type(autograph.do_not_convert(plain)(1), float)
assert_type(autograph.do_not_convert()(plain)(1), float)
assert_type(autograph.to_code(plain), str)

autograph.convert(plain)("a")  # type: ignore[arg-type]  # pyright: ignore
autograph.to_graph(plain)(1, z=2)  # type: ignore[call-arg]  # pyright: ignore
autograph.do_not_convert(plain)()  # type: ignore[call-arg]  # pyright: ignore
autograph.convert(strict="loud")  # type: ignore[call-overload]  # pyright: ignore
autograph.convert(strict="silent", speed=3)  # type: ignore[call-overload]  # pyright: ignore


@autograph.convert
def decorated(x: int, *rest: str, flag: bool = False) -> list[int]:
    return [x]


@autograph.convert(recursive=False)
def decorated_with_options(x: T) -> T:
    return x


@autograph.convert
async def coroutine(x: int) -> str:
    return str(x)


assert_type(decorated(1, "a", flag=True), list[int])
assert_type(decorated_with_options("a"), str)


async def waits() -> None:
    assert_type(await coroutine(1), str)


decorated("a")  # type: ignore[arg-type]  # pyright: ignore


@overload
def overloaded(x: int) -> str: ...


@overload
def overloaded(x: str) -> int: ...


def overloaded(x: Any) -> Any:
    return x


assert_type(autograph.convert(overloaded)(1), str)
assert_type(autograph.convert(overloaded)("a"), int)


@autograph.convert
class Model(Generic[T]):
    def __init__(self, weight: T) -> None:
        self.weight = weight

    @autograph.convert
    def call(self, x: int) -> T:
        return self.weight

    @autograph.do_not_convert
    def plot(self) -> None: ...

    @autograph.convert()
    @classmethod
    def make(cls, x: T) -> "Model[T]":
        return cls(x)

    @autograph.do_not_convert()
    @staticmethod
    def scale(x: float) -> float:
        return x

    @property
    @autograph.convert
    def size(self) -> int:
        return 1


model = Model(3)
assert_type(model, Model[int])
assert_type(model.call(1), int)
assert_type(model.plot(), None)
assert_type(model.size, int)
assert_type(Model.scale(1.0), float)
assert_type(autograph.to_graph(model.call)(1), int)
model.call("a")  # type: ignore[arg-type]  # pyright: ignore


class Callable_:
    def __call__(self, x: int) -> str:
        return ""


assert_type(autograph.to_graph(Callable_())(3), str)

with autograph.strictness("warn"):
    pass
autograph.strictness("loud")  # type: ignore[arg-type]  # pyright: ignore
autograph.set_strictness("module", None)
with autograph.policy.exclude("pkg") as rule:
    rule.remove()
assert_type(autograph.explain(plain).advice, str)
assert_type(autograph.check(plain).findings[0].line, int)
assert_type(autograph.backends.registered_backends(), tuple[StagingBackend, ...])


def takes(f: Callable[[int], float]) -> None: ...


takes(autograph.convert(plain))
takes(autograph.to_graph(plain))


def size_of(self: "Described") -> int:
    return 1


class Described:
    size = autograph.convert(functools.cached_property(size_of))

    @autograph.do_not_convert
    @classmethod
    def make(cls, x: int) -> str:
        return str(x)


assert_type(Described().size, int)
assert_type(Described.make(1), str)
assert_type(autograph.to_graph(functools.partial(Described.make, 1))(), str)
