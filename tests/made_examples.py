"""Writes `graphrt/examples`: an example for each public function that is made rather than written.

Run it after a change of `golden/calls`, whose lines the examples are, or of what they give:

    python -m tests.made_examples
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import re

HERE = pathlib.Path(__file__).parent
from graphrt import errors  # noqa: E402
from graphrt.ir import examples  # noqa: E402
from tests import printed_numbers  # noqa: E402

CALLS = HERE / "golden" / "calls"
SHORT = {  # file of calls -> what the namespace is called there, and its path
    "raw_ops": ("raw", "raw_ops"),
    "experimental_numpy": ("tnp", "experimental.numpy"),
    "keras_ops": ("ko", "keras.ops"),
    "array_api": ("xp", "array_api"),
}


def assigned(statement: str) -> list[str]:
    """The names that a statement gives a meaning."""
    made = re.match(r"def (\w+)\(|import (\w+(?:, \w+)*)|(\w+(?:, \w+)*) = ", statement)
    return [] if made is None else (made[1] or made[2] or made[3]).split(", ")


def needed(statement: str, before: list[str]) -> list[str]:
    """Those of the statements before that make the names of a statement, or change what they stand for."""
    names, found = set(re.findall(r"\w+", statement)), []
    for earlier in reversed(before):
        made = set(assigned(earlier))
        words = set(re.findall(r"\w+", earlier.partition(" = ")[2] if made and " = " in earlier else earlier))
        if made & names or (not made and names & words & {n for b in before for n in assigned(b)}):
            found.append(earlier)
            names = (names - made) | words
    return found[::-1]


def blocks(stem: str) -> dict[str, list[str]]:
    """By name, the statements of the first call of it: those that prepare it, and itself."""
    short, path = SHORT[stem]
    found: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    before: list[str] = []
    for line in map(str.strip, (CALLS / f"{stem}.txt").read_text(encoding="utf-8").splitlines()):
        if not line or line.startswith(("#", f"! {short} =")):
            continue
        statement = re.sub(rf"\b{short}\.", f"tf.{path}.", line.lstrip("!? "))
        if line.startswith("!"):
            before.append(statement)
            continue
        block = [*needed(statement, before), statement]
        names = re.findall(rf"\btf\.{re.escape(path)}\.([\w.]+)", "\n".join(reversed(block)))
        for name in names:
            others.setdefault(name, block)
        if names:
            found.setdefault(names[0], block)
    return others | found


def printed(statements: list[str]) -> str | None:
    """The statements as at the prompt, with what they print; None where one of them fails.

    The last may say no, as an op does: then that is the example.
    """
    names: dict[str, object] = {"__name__": "__main__"}
    lines = []
    imports = ["import numpy as np"] if any("np." in s for s in statements) else []
    for statement in [*imports, "import graphrt as tf", *statements]:
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(f"{statement}\n", "<example>", "single"), names)
        except errors.OpError as error:
            if statement is not statements[-1]:
                return None
            out.write(
                f"Traceback (most recent call last):\n    ...\n{type(error).__module__}.{type(error).__name__}: ..."
            )
        except Exception:
            return None
        lines += [f">>> {statement}", *(line or "<BLANKLINE>" for line in out.getvalue().splitlines())]
    return "\n".join(re.sub(r"0x[0-9a-f]+", "0x...", line).rstrip() for line in lines)


def text(stem: str) -> str:
    """The whole file of a namespace."""
    parts = [
        f"Examples of tf.{SHORT[stem][1]}, written by tests/made_examples.py from tests/golden/calls/{stem}.txt.\n"
    ]
    for name, statements in sorted(blocks(stem).items()):
        shown = printed(statements)
        if shown is not None:
            parts.append(f"[{name}]\n{shown}\n")
    return "\n".join(parts)


def with_known_digits(before: str, after: str) -> str:
    """The file made anew, whose examples keep the digits that another processor gave them."""
    known = {block.partition("\n")[0]: block for block in before.split("\n\n")}
    made = [(block.partition("\n")[0], block) for block in after.split("\n\n")]
    return "\n\n".join(printed_numbers.with_digits_of(known.get(head, ""), block) for head, block in made)


if __name__ == "__main__":
    examples.FOLDER.mkdir(exist_ok=True)
    for stem in SHORT:
        (examples.FOLDER / f"{stem}.txt").touch()  # a function asks for its example when it is made
    for stem in SHORT:
        path = examples.FOLDER / f"{stem}.txt"
        path.write_text(with_known_digits(path.read_text(encoding="utf-8"), text(stem)), encoding="utf-8")
