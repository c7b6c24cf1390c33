"""Makes a program smaller as long as it shows what it is to show.

python -m tests.autograph.programs.reduce_program 1234       the smallest form of a program that differs
"""

from __future__ import annotations

import ast
import copy
import sys
import time
import warnings


def reduce_program(text, shows, seconds=60):
    """The smallest program found that still `shows(text)`, which is asked of each candidate that Python takes."""
    tree = ast.parse(text)
    best = ast.unparse(tree)
    if not _holds(best, shows):
        return text
    end = time.time() + seconds
    found = True
    while found and time.time() < end:
        found = False
        position = 0
        while time.time() < end:
            candidate = copy.deepcopy(tree)
            edits = _edits(candidate)
            edit = next((e for i, e in enumerate(edits) if i == position), None)
            if edit is None:
                break
            edit()
            position += 1
            try:
                smaller = ast.unparse(ast.fix_missing_locations(candidate))
            except Exception:
                continue
            if (len(smaller), smaller) < (len(best), best) and _holds(smaller, shows):
                tree, best = candidate, smaller
                position -= 1
                found = True
    return best + "\n"


def _holds(text, shows):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<reduced>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return shows(text)


def _edits(tree):
    """Functions that each make `tree` smaller in one way, those that take away most first."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            for index, statement in enumerate(block):
                yield lambda block=block, index=index: _take(block, index)
                inner = getattr(statement, "body", None)
                if isinstance(inner, list) and isinstance(statement, ast.stmt):
                    yield lambda block=block, index=index, inner=inner: block.__setitem__(
                        slice(index, index + 1), inner
                    )
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", None), (ast.Store, ast.Del)):
                for part in [*ast.walk(value)][1:]:
                    if isinstance(part, ast.expr) and isinstance(getattr(part, "ctx", ast.Load()), ast.Load):
                        yield lambda node=node, field=field, part=part: setattr(node, field, part)
                if not isinstance(value, (ast.Constant, ast.Name)):
                    yield lambda node=node, field=field: setattr(node, field, ast.Constant(1))
            elif isinstance(value, list) and len(value) > (
                0 if field in ("decorator_list", "keywords", "bases", "ifs") else 1
            ):
                for index in range(len(value)):
                    if isinstance(value[index], (ast.expr, ast.keyword, ast.comprehension, ast.pattern, ast.withitem)):
                        yield lambda value=value, index=index: value.pop(index)
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr) and not isinstance(item, (ast.Constant, ast.Name)):
                        yield lambda value=value, index=index: value.__setitem__(index, ast.Constant(1))


def _take(block, index):
    if len(block) == 1 and isinstance(block[0], ast.stmt):
        block[0] = ast.Pass()
    else:
        del block[index]


def main(seed):
    from tests.autograph.programs import generated_programs

    options = generated_programs.options_of(seed)
    text = generated_programs.program(seed)
    difference = generated_programs.compare_text(text, *options)
    if difference is None:
        print("no difference")
        return
    kinds = _kinds(difference)
    reduced = reduce_program(text, lambda t: _kinds(generated_programs.compare_text(t, *options) or "") == kinds)
    print(generated_programs.compare_text(reduced, *options))


_TELLING = (
    "results:\n",
    "log:\n",
    "printed:\n",
    "warned:\n",
    "'NameError'",
    "'UnboundLocalError'",
    "None)]",
    "calls.py",
)


def _kinds(difference):
    """What a difference is about; a smaller program has to differ in the same."""
    return tuple(part for part in _TELLING if part in difference)


if __name__ == "__main__":
    for argument in sys.argv[1:]:  # seeds
        print("#####", argument)
        main(int(argument))
