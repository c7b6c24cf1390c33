"""Ctrl-C at any moment: `python -m tests.hostile.interrupts [--count N] [--seed N] [--signals N] [NAME...]`.

CPython raises KeyboardInterrupt where a function is entered, where a loop jumps back, and where a call of a C function has
returned. A program of ours runs once, traced by opcodes; at sampled points of that kind the process forks, and the child
raises KeyboardInterrupt there. Then it must be as if nothing had been: no graph is current, no context variable, setting of
NumPy or filter of warnings differs, and the same program, on the same objects, gives the right answer, in this thread
and in another one (which a lock that is still held would stop). Its traceback is kept meanwhile, as a command line and
a notebook keep the last one: what a frame holds is not let go by chance.

With `--signals` real signals come by a timer, at any moment, while the programs run again and again.
"""

from __future__ import annotations

import argparse
import contextlib
import contextvars
import dis
import faulthandler
import gc
import opcode
import os
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

import numpy as np

from tests.hostile.programs import PROGRAMS, Program

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OURS = (os.path.join(ROOT, "graphrt"), os.path.join(ROOT, "autograph"), contextlib.__file__, "<graphrt", "<autograph")
CALLS = {"CALL", "CALL_FUNCTION_EX", "CALL_KW", "CALL_INTRINSIC_1"}
TIMEOUT = 30.0  # seconds that a call in another thread may take

_codes: dict[CodeType, tuple[bytes, list[tuple[int, int, int]]]] = {}


def _handler(ranges: list[tuple[int, int, int]], offset: int) -> int | None:
    """Where an exception at `offset` goes on."""
    return next((target for start, end, target in ranges if start <= offset < end), None)


class Trial:
    """One traced run. `at` counts the moments at which an interrupt could come."""

    def __init__(self, wanted: frozenset[int]) -> None:
        self.wanted = wanted
        self.at = 0
        self.places: list[tuple[CodeType, int]] = []  # of each of these moments
        self.entered = 0  # Python functions
        self.told: list[str] = []
        self.place: str | None = None  # in a child: where it was interrupted
        self.pipe = -1
        self.forks = True  # whether the process forks where it is interrupted

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        self.entered += 1
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self.local(frame.f_code)

    def local(self, code: CodeType) -> Any:
        if code not in _codes:
            table = dis._parse_exception_table(code)  # type: ignore[attr-defined]
            _codes[code] = code.co_code, [(e.start, e.end, e.target) for e in table]
        text, ranges = _codes[code]
        names = opcode.opname
        before, entered, last = "RESUME", self.entered, 0

        def local(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal before, entered, last
            if event != "opcode" or self.place is not None:
                return local
            at = frame.f_lasti
            now = names[text[at]]
            returned = before in CALLS and entered == self.entered and now != "PUSH_EXC_INFO"  # else it raised
            if returned or before in ("RESUME", "JUMP_BACKWARD"):
                # Python raises in the instruction that ends, and here it is raised in the next one
                if before == "RESUME" or _handler(ranges, last) == _handler(ranges, at):
                    self.at += 1
                    self.places.append((frame.f_code, at))
                    if self.at in self.wanted:
                        self.fork(frame)
            before, entered, last = now, self.entered, at
            return local

        return local

    def fork(self, frame: FrameType) -> None:
        if not self.forks:
            sys.settrace(None)
            self.place = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name} (moment {self.at})"
            raise KeyboardInterrupt
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            sys.settrace(None)
            os.close(read)
            self.pipe = write
            faulthandler.dump_traceback_later(2 * TIMEOUT, exit=True, file=write)
            self.place = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name} (moment {self.at})"
            raise KeyboardInterrupt
        os.close(write)
        with os.fdopen(read) as file:
            said = file.read()
        os.waitpid(child, 0)
        self.told.append(said or f"the process died at {frame.f_code.co_filename}:{frame.f_lineno}")

    def run(self, program: Program, state: Any) -> None:
        before = settings()
        sys._getframe().f_trace_opcodes = True  # Python 3.12.1 asks for it before tracing begins, and only then
        sys.settrace(self.trace)
        kept: BaseException | None = None
        try:
            program.run(state)
        except KeyboardInterrupt as error:
            if self.place is None:
                raise
            kept = error
        except BaseException:
            if self.place is None:
                raise
            self.tell(f"interrupted at {self.place}: another error came of it\n{traceback.format_exc()}")
        finally:
            sys.settrace(None)
        if self.place is not None:
            wrong = left_behind(program, state, before)
            del kept
            self.tell(f"interrupted at {self.place}: {wrong}" if wrong else "fine")

    def replayed(self, program: Program, state: Any) -> None:
        """Runs the program in a fork for each wanted moment, from its beginning: what it writes nobody else does."""
        for moment in sorted(self.wanted):
            one = Trial(frozenset([moment]))
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read)
                one.pipe, one.forks = write, False
                faulthandler.dump_traceback_later(2 * TIMEOUT, exit=True, file=write)
                try:
                    one.run(program, program.make())
                finally:
                    one.tell("fine" if one.place is None else "another error")  # it has fewer moments this time
            os.close(write)
            with os.fdopen(read) as file:
                self.told.append(file.read() or f"the process died at moment {moment}")
            os.waitpid(child, 0)

    def tell(self, text: str) -> None:
        os.write(self.pipe, text.encode()[:60_000])
        os._exit(0)


def settings() -> dict[str, Any]:
    """What must not differ afterwards."""
    found: dict[str, Any] = {}
    for variable in VARIABLES:
        found[variable.name] = variable.get(None)
    found["numpy"] = tuple(sorted(np.geterr().items()))
    found["filters"] = list(warnings.filters)
    found["recursion"] = sys.getrecursionlimit()
    found["folder"] = os.getcwd()
    return found


def left_behind(program: Program, state: Any, before: dict[str, Any]) -> str | None:
    """What an interrupt has left behind, in words; None if nothing."""
    now = settings()
    differ = [k for k in before if before[k] is not now[k] and before[k] != now[k]]
    if differ:
        return f"{differ[0]} was {before[differ[0]]!r}, now {now[differ[0]]!r}"
    said: list[str] = []

    def again() -> None:
        try:
            program.check(state)
            program.check(state)
        except BaseException:
            said.append(traceback.format_exc())

    again()
    if not said:
        other = threading.Thread(target=again, daemon=True)
        other.start()
        other.join(TIMEOUT)
        if other.is_alive():
            return "a call in another thread waits for ever"
    return said[0] if said else None


VARIABLES: list[contextvars.ContextVar[Any]] = []


def find_variables() -> None:
    """All context variables of ours."""
    VARIABLES[:] = sorted(
        (
            v
            for v in gc.get_objects()
            if type(v) is contextvars.ContextVar and v.name.startswith(("graphrt", "autograph"))
        ),
        key=lambda v: v.name,
    )


def prepared(program: Program) -> Any:
    state = program.make()
    for _ in range(3):
        program.check(state)
    find_variables()
    return state


def sampled(places: Sequence[object], count: int, chance: random.Random) -> list[int]:
    """`count` of the moments 1, 2, ...: each place once before any comes twice, so that loops do not hide the rare ones."""
    order = list(range(len(places)))
    chance.shuffle(order)
    seen: Counter[object] = Counter()
    turns: list[tuple[int, int]] = []
    for turn, moment in enumerate(order):
        seen[places[moment]] += 1
        turns.append((seen[places[moment]], turn))
    return [order[turn] + 1 for _, turn in sorted(turns)[:count]]


def interrupted(program: Program, count: int, seed: int) -> list[str]:
    """What `count` interrupts at sampled moments of `program` found wrong."""
    if program.threads or not hasattr(os, "fork"):
        return []
    state = prepared(program)
    counting = Trial(frozenset())
    counting.run(program, state)
    if not counting.at:
        raise RuntimeError(f"{program.name}: Python told of no moment at which it could be interrupted")
    chance = random.Random(f"{seed}{program.name}")
    found: list[str] = []
    trial = Trial(frozenset(sampled(counting.places, count, chance)))
    (trial.replayed if program.files else trial.run)(program, state)
    found += trial.told
    left = count - len(found)
    while left > 0:  # programs with few moments: the same again, of another run
        trial = Trial(frozenset(sampled(counting.places, left, chance)))
        (trial.replayed if program.files else trial.run)(program, state)
        found += trial.told
        left -= max(len(trial.told), 1)
    return found


def by_signals(program: Program, count: int, seed: int) -> list[str]:
    """What `count` signals by a timer found wrong."""
    state = prepared(program)
    chance = random.Random(f"{seed}{program.name}")
    began = time.perf_counter()
    program.run(state)
    took = time.perf_counter() - began
    wrong: list[str] = []
    before = settings()
    for _ in range(count):
        kept: BaseException | None = None
        signal.signal(signal.SIGALRM, raise_interrupt)
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-5, max(took * 1.2, 2e-5)))
            program.run(state)
            while signal.getitimer(signal.ITIMER_REAL)[0]:
                time.sleep(1e-4)
        except KeyboardInterrupt as error:
            kept = error
        except BaseException:
            wrong.append(traceback.format_exc())
        finally:
            silence()
        said = left_behind(program, state, before)
        del kept
        if said:
            wrong.append(said)
    return wrong


def silence() -> None:
    """No signal comes any more; one that is on its way, in another thread, is not heard."""
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            return
        except KeyboardInterrupt:
            continue


def raise_interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.interrupts", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=5000, help="interrupts at sampled moments, in all")
    parser.add_argument("--signals", type=int, default=500, help="signals by a timer, in all")
    chosen = parser.parse_args(arguments)
    programs = [p for p in PROGRAMS if not chosen.names or p.name in chosen.names]
    share = -(-chosen.count // len(programs))
    timed = -(-chosen.signals // len(programs))
    total = failures = 0
    for program in programs:
        began = time.perf_counter()
        told = interrupted(program, share, chosen.seed)
        wrong = [t for t in told if t != "fine"]
        if timed and hasattr(signal, "setitimer"):
            old = signal.getsignal(signal.SIGALRM)
            try:
                wrong += by_signals(program, timed, chosen.seed)
            finally:
                signal.signal(signal.SIGALRM, old)
        total += len(told) + timed
        failures += len(wrong)
        print(
            f"{program.name}: {len(told)} interrupts, {timed} signals, {len(wrong)} wrong, "
            f"{time.perf_counter() - began:.0f} s",
            flush=True,
        )
        for text in list(dict.fromkeys(wrong))[:5]:
            print("  " + text.strip().replace("\n", "\n  "), flush=True)
    print(f"{total} interrupts, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
