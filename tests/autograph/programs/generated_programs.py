"""Random programs, run as they are and converted: everything that can be observed must be the same.

    python -m tests.autograph.programs.generated_programs 1000 2000      programs of seeds 1000 to 1999

Compared are the value, or the exception with its arguments, notes, causes and contexts and the lines of its traceback;
the order of effects; what is printed and warned of; what became of arguments, globals and closures; and what the
functions that get away say of themselves. Both bodies of a converted function are run.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import gc
import importlib
import inspect
import io
import itertools
import json
import linecache
import opcode
import operator
import os
import re
import signal
import sys
import time
import warnings
from types import FunctionType, MethodType

import autograph
from autograph import Feature
from autograph.backends import registry
from autograph.conversion import convert
from autograph.operators import frames
from tests.autograph.programs import faults_of_python
from tests.autograph.programs.program_writer import NAMES, Writer

OPTIONS = (
    {}, {}, {}, {"optional_features": Feature.LISTS}, {"optional_features": Feature.ALL}, {"recursive": False},
)
_MOST_STEPS = 300
_MOST_ITEMS = 25


class Stop(BaseException):
    """Raised when a program has run long enough."""


class TooSlow(BaseException):
    """Raised when a program takes too much time as it is."""


class E(Exception):
    """An exception of the user's."""


class Manager:
    """A context manager that notes what happens to it, and may swallow exceptions."""

    def __init__(self, log, swallows):
        self.log = log
        self.swallows = swallows

    def __enter__(self):
        self.log.append("enter")
        return 7

    def __exit__(self, kind, error, tb):
        self.log.append(("exit", kind and kind.__name__, show_error(error)))
        if self.swallows == 2:
            raise ValueError("exit")
        return self.swallows and kind is not None and issubclass(kind, (KeyError, ValueError, E))


class AsyncManager(Manager):
    """The same for `async with`."""

    async def __aenter__(self):
        await Awaited(self.log, 1)
        return self.__enter__()

    async def __aexit__(self, kind, error, tb):
        await Awaited(self.log, 2)
        return self.__exit__(kind, error, tb)


class Awaited:
    """Suspends once, and gives a value."""

    def __init__(self, log, value):
        self.log = log
        self.value = value

    def __await__(self):
        self.log.append(("await", show((yield self.value))))
        return self.value


class AsyncRange:
    """A short asynchronous iteration."""

    def __init__(self, log, n):
        self.log = log
        self.left = min(n, 3) if isinstance(n, int) else 2

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.left <= 0:
            raise StopAsyncIteration
        self.left -= 1
        if self.left:
            await Awaited(self.log, "next")
        return self.left


class Base:
    """What classes of programs derive from."""

    x = 2

    def __init_subclass__(cls, k=None, **more):
        super().__init_subclass__(**more)
        cls.k = k

    def m(self, value=1):
        return value + 1 if value else 10


class Pair:
    """Can be matched by position."""

    __match_args__ = ("u", "v")

    def __init__(self, u, v):
        self.u = u
        self.v = v

    def __repr__(self):
        return f"P({self.u!r}, {self.v!r})"


class Noting:
    """A descriptor that notes its use."""

    def __get__(self, owner, kind):
        owner.log.append("get q")
        return 4

    def __set__(self, owner, value):
        owner.log.append(("set q", show(value)))


class Item:
    """Something with attributes, items, operators and methods."""

    q = Noting()

    def __init__(self, log, inner=None):
        self.log = log
        self.x = 1
        self.items = {0: 2, 1: 0}
        self.inner = inner

    @property
    def p(self):
        return self.x if self.items else 0

    @p.setter
    def p(self, value):
        self.log.append(("set p", show(value)))
        self.x = value

    def __getitem__(self, key):
        return self.items[key]

    def __setitem__(self, key, value):
        self.items[key] = value

    def __delitem__(self, key):
        del self.items[key]

    def __contains__(self, key):
        return key in self.items

    def __iter__(self):
        yield from self.items

    def __len__(self):
        return len(self.items)

    def __call__(self, value):
        if value:
            return value
        return self.x

    def __add__(self, other):
        return self.x + other

    def __eq__(self, other):
        self.log.append("eq")
        return other == 1

    __hash__ = None

    def __lt__(self, other):
        if other == 0:
            return NotImplemented
        return self.x < other

    def __matmul__(self, other):
        return [self.x, other]

    def __neg__(self):
        return -self.x

    def m(self, value):
        for _ in range(1):
            value = value or self.x
        return value

    @staticmethod
    def s(value):
        return 1 if value else 0

    @classmethod
    def k(cls, value):
        return cls.__name__ == "Item" and value

    def warn(self):
        warnings.warn("from a method")
        return 0


def noted(function):
    """A decorator that wraps."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        return result

    return wrapper if inspect.isfunction(function) else function


def noted_with(value):
    """A decorator with an argument."""

    def decorate(function):
        function.value = value
        return function

    return decorate


@autograph.do_not_convert
def warn_of_caller(level):
    """Warns, in a function that is called as it is."""
    warnings.warn("of a caller", stacklevel=level)


MODULES = ("abc", "collections", "enum", "inspect", "locale", "logging", "traceback", "typing")


# What a program did


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def show(value):
    """A text for a value that does not depend on where it lies in memory."""
    try:
        text = repr(value)
    except Exception as error:
        return f"no repr: {type(error).__name__}"
    text = _ADDRESS.sub("", text)
    if isinstance(value, (FunctionType, MethodType)):
        text += show_function(value)
    return text


def show_function(function):
    code = getattr(function, "__code__", None)
    try:
        annotations = function.__annotations__
        signature = str(inspect.signature(function))
    except Exception as error:
        annotations = signature = type(error).__name__
    said = [getattr(function, name, None) for name in ("__qualname__", "__doc__", "__defaults__", "__kwdefaults__", "__module__")]
    kinds = [test(function) for test in (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)]
    where = code and (code.co_firstlineno, code.co_name, code.co_argcount)
    return _ADDRESS.sub("", f"{signature}{annotations!r}{said!r}{kinds}{where}")


def line_of(tb):
    """The line of an entry of a traceback, where CPython 3.11 knows it.

    Of two instructions that it takes as one in code that has run often, it says the line of the first, if the second fails.
    """
    if sys.version_info < (3, 12):
        code, unit = tb.tb_frame.f_code, tb.tb_lasti // 2
        first, second = (opcode.opname[i] for i in (*code.co_code[2 * unit:2 * unit + 4:2], 0, 0)[:2])
        if first in ("STORE_FAST", "LOAD_CONST") and second == "LOAD_FAST":
            return [line for line, *_ in code.co_positions()][unit + 1]
    return tb.tb_lineno


def show_error(error, seen=()):
    """All that an exception says, without the frames that ran the program."""
    if error is None or error in seen:
        return None
    if isinstance(error, Stop):
        return "stopped"
    lines = []
    tb = error.__traceback__
    while tb is not None:
        code = tb.tb_frame.f_code
        if code.co_filename != __file__ or code.co_name not in ("attempt", "run", "drive", "<lambda>", "outcome", "drive_async", "drive_coroutine", "drive_generator", "call_closure", "__exit__", "__aexit__", "__await__"):
            # What is thrown into an awaited `__aexit__` has no entries of it on CPython 3.11.
            # A lambda that got away has nobody who takes own frames out of its tracebacks.
            entry = (os.path.basename(code.co_filename), code.co_name, line_of(tb))
            if any(name.isidentifier() for _, name, _ in lines) or not (
                code.co_filename.startswith(frames.ROOMS) or lines and lines[-1] == entry
            ):
                lines.append(entry)
        tb = tb.tb_next
    seen = (*seen, error)
    notes = [n for n in getattr(error, "__notes__", ()) if not str(n).startswith("in user code:")]
    return (
        type(error).__qualname__, show(error.args), show(str(error)), getattr(error, "name", None), notes, lines,
        show_error(error.__cause__, seen), show_error(error.__context__, seen), error.__suppress_context__,
        [show_error(part, seen) for part in error.exceptions] if isinstance(error, BaseExceptionGroup) else None,
    )


def attempt(call):
    try:
        return show(call())
    except Stop:
        return "stopped"
    except TooSlow:
        raise
    except BaseException as error:
        return show_error(error)


class World:
    """The functions and objects that one run of a program works with."""

    def __init__(self):
        self.log = []
        self.closures = []
        self.steps = 0
        self.xs = [3, 1, 2]
        self.ds = {0: 1, "k": 2}
        self.o = Item(self.log, Item(self.log))

    def step(self):
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise Stop

    def arguments(self):
        log = self.log

        def T(n=None, value=None, k=None):
            self.step()
            log.append((show(n), show(value), show(k)))
            return value

        def R(n):
            self.step()
            if isinstance(n, int):
                return range(min(n, 3))
            return n[:3] if isinstance(n, list) else itertools.islice(n, 4)

        def K(closure):
            self.closures.append(closure)
            log.append(show(closure))
            return len(self.closures)

        def S():
            if self.steps > _MOST_STEPS:
                raise Stop

        def X():
            log.append(show_error(sys.exc_info()[1]))
            return 1

        def A(value):
            return Awaited(log, value)

        def AR(n):
            return AsyncRange(log, n)

        for function in (T, R, K, S, X, A, AR):
            autograph.do_not_convert(function)
        return log, T, R, K, S, Manager, self.o, self.xs, self.ds, Base, noted, E, A, AsyncManager, AR, Pair, X


# CPython 3.14 says of trees, too, what it said of the text: see `pyct/quiet.py`.
_UNTOLD = re.compile("never awaited" if sys.version_info < (3, 14) else "never awaited|in a 'finally' block$")


def outcome(code, filename, options):
    """Everything that running a program did."""
    world = World()
    namespace = {
        "__name__": "generated", "b": 1, "c": 2, "sys": sys, "warnings": warnings, "functools": functools,
        "operator": operator, "itertools": itertools, "contextlib": contextlib, "dataclasses": dataclasses, "D2": noted_with,
        "W": warn_of_caller, **{name: importlib.import_module(name) for name in MODULES},
    }
    exec(code, namespace)
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            f = namespace["make"](*world.arguments())
        except (Exception, Stop) as error:
            return show_error(error)
        if options is not None and callable(f):
            f = autograph.convert(f, **options)
        results = [show(f), attempt(lambda: drive(f(1), world))]
        for closure in world.closures[:20]:
            results.append(attempt(lambda: drive(call_closure(closure), world)))
        f = None
    results.append([show(vars(world.o)), show(world.xs), show(world.ds), [show(namespace.get(n)) for n in NAMES]])
    seen = [(_ADDRESS.sub("", str(w.message)), w.category.__name__, w.filename, w.lineno) for w in warned if _UNTOLD.search(str(w.message)) is None]
    return results, show(world.log), _ADDRESS.sub("", printed.getvalue()), seen


def call_closure(closure):
    return closure(2) if inspect.isfunction(closure) and closure.__code__.co_argcount else closure()


def drive(value, world):
    """Runs what a call gave to its end, with values and an exception sent into it."""
    if inspect.isgenerator(value):
        return drive_generator(value, world)
    if inspect.iscoroutine(value):
        return drive_coroutine(value, world)
    if inspect.isasyncgen(value):
        return drive_async(value, world)
    return value


def drive_generator(generator, world):
    sent = None
    for number in range(_MOST_ITEMS):
        try:
            item = generator.throw(E("thrown")) if number == 3 + world.steps % 4 else generator.send(sent)
        except StopIteration as stop:
            return "returned", stop.value
        world.log.append(("yield", show(item)))
        sent = number
    generator.close()
    return "closed"


def drive_coroutine(coroutine, world):
    for number in range(_MOST_ITEMS * 4):
        try:
            item = coroutine.throw(E("thrown")) if number == 20 else coroutine.send(number if number else None)
        except StopIteration as stop:
            return "returned", stop.value
        world.log.append(("suspended", show(item)))
    coroutine.close()
    return "closed"


def drive_async(generator, world):
    sent = None
    for number in range(_MOST_ITEMS):
        step = generator.athrow(E("thrown")) if number == 4 else generator.asend(sent)
        try:
            item = drive_coroutine(step, world)
        except StopAsyncIteration:
            return "ended"
        world.log.append(("yield", show(item)))
        sent = number
    drive_coroutine(generator.aclose(), world)
    return "closed"


# Programs and their comparison


def program(seed):
    """The text of a program: the first one of the seed that Python takes."""
    for number in range(50):
        text = Writer(f"{seed}.{number}").source()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "<generated>", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        return text
    raise ValueError(f"no program for seed {seed}")


def _too_slow(*_):
    raise TooSlow


def compare(seed):
    """None, or how the converted program of `seed` differs."""
    return compare_text(program(seed), *options_of(seed))


def options_of(seed):
    """The options that a program is converted with, and whether with native paths beside the printed forms."""
    return OPTIONS[seed % len(OPTIONS)], seed // len(OPTIONS) % 3 != 0


def compare_text(text, options=OPTIONS[0], native=True):
    """None, or how the converted program differs, but where CPython itself is at fault."""
    difference = _difference(text, options, native)
    if difference and faults_of_python.HAS_FAULTS:
        blind = faults_of_python.without_looking(text)
        if blind != text and _difference(blind, options, native) is None:
            return None
        own_names = faults_of_python.without_mixing(text)
        done, undone = (
            outcome(compile(source, "<own names>", "exec", dont_inherit=True), "<own names>", None)
            for source in (text, own_names)
        )
        if done != undone and _difference(ast.unparse(own_names), options, native) is None:
            return None
    return difference


def _difference(text, options, native):
    filename = "<generated>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code = compile(text, filename, "exec", dont_inherit=True)
        except SystemError:  # some CPython 3.12 cannot place `__class__` in nested comprehensions
            return None
        # Of its own: code that has run often says other columns (CPython 3.11), and the plain body shares the code inside.
        original = compile(text, filename, "exec", dont_inherit=True)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    before = registry.always_staging(True)
    convert.FAST_PATHS = native
    signal.signal(signal.SIGALRM, _too_slow)
    try:
        signal.setitimer(signal.ITIMER_REAL, 5)
        try:
            expected = outcome(original, filename, None)
        except TooSlow:
            return None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if "RecursionError" in str(expected):  # it ends where the stack does, which is elsewhere with frames between
            return None
        for staging in (True, False):
            registry.always_staging(staging)
            found = outcome(code, filename, options)
            if found != expected:  # what C code calls has more frames around it, and a program may catch its RecursionError
                room = sys.getrecursionlimit()
                sys.setrecursionlimit(4 * room)
                found = outcome(code, filename, options)
                sys.setrecursionlimit(room)
            if not _alike(found, expected, native):
                body = "converted" if staging else "plain"
                return f"{text}\n--- {options} {body} body, native={native}\n{first_difference(expected, found)}"
    finally:
        registry.always_staging(before)
        convert.FAST_PATHS = True
        del linecache.cache[filename]
    return None


_OF_PARTS = re.compile(r" Did you mean: [^?]*\?|\\+n +[~^]+(?=\\+n)")


def _alike(found, expected, native):
    """Whether the same was done.

    What Python suggests for a name it takes from its frame, which is that of a part in printed forms. These mark of a
    statement what it tests or iterates over, which is where staged values are told of, and not all of it.
    """
    return found == expected or not native and _OF_PARTS.sub("", str(found)) == _OF_PARTS.sub("", str(expected))


def first_difference(expected, found):
    """What two outcomes say, where they begin to differ."""
    parts = ("results", "log", "printed", "warned")
    shown = []
    for part, left, right in zip(parts, expected, found):
        if left != right:
            left, right = str(left), str(right)
            start = max(0, len(os.path.commonprefix((left, right))) - 60)
            shown.append(f"{part}:\n  expected ...{left[start:start + 900]}\n  found    ...{right[start:start + 900]}")
    return "\n".join(shown)


_SO_MANY = 500  # programs of one process, which an interpreter that crashes ends


def told(seed):
    """The text to print for the program of `seed`, empty where nothing differs."""
    try:
        difference = compare(seed)
    except Exception as problem:
        difference = f"{program(seed)}\n--- {type(problem).__name__}: {problem}"
    return f"##### {seed}\n{difference}\n" if difference else ""


def runs_as_it_is(seed):
    """Goes through the program of `seed` without conversion."""
    outcome(compile(program(seed), "<generated>", "exec", dont_inherit=True), "<generated>", None)


def in_a_process(function, seeds):
    """What `function` gives for each of `seeds` in a process of its own, as far as that lives."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        gc.set_threshold(200_000, 20, 20)
        with os.fdopen(writes, "w", errors="replace") as answers:
            for seed in seeds:
                print(json.dumps(function(seed)), file=answers, flush=True)
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as answers:
        found = [json.loads(line) for line in answers if line.endswith("\n")]
    os.waitpid(child, 0)
    return found


def main(first, last):
    """Compares the programs of a range of seeds; returns how many differ."""
    failed = crashed = 0
    started = time.time()
    seed = first
    while seed < last:
        asked = range(seed, min(seed + _SO_MANY, last))
        texts = in_a_process(told, asked)
        failed += sum(map(bool, texts))
        print(*filter(None, texts), sep="\n", end="", flush=True)
        seed += len(texts)
        if len(texts) < len(asked):
            if in_a_process(runs_as_it_is, [seed]):
                failed += 1
                print(f"##### {seed}\n{program(seed)}\n--- the interpreter crashes when it is converted\n", flush=True)
            else:
                crashed += 1  # and so it does on the program as it is
            seed += 1
        print(f"... {seed} after {time.time() - started:.0f} s, {failed} differ", flush=True)
    print(last - first, "programs,", failed, "differ,", crashed, "crash the interpreter as they are")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
