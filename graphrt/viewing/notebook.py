"""Magics of notebooks, for those who say `%load_ext graphrt`.

| magic | what it does |
|---|---|
| `%%autograph` | runs the cell, and prints what each function in it is converted into |
| `%%trace` | runs the cell, whose functions become `tf.function`s, and prints the graph of each trace that its calls make |
| `%view f(x)` | the page of a call: `graphrt.view(f, x)`; `%view -r f(x)` runs it, too |
"""

from __future__ import annotations

import ast
from typing import Any

import autograph
from graphrt.function.function import Function, function
from graphrt.ir.printer import graph_text
from graphrt.viewing.page import Page, view


def load_ipython_extension(ipython: Any) -> None:
    """Adds the magics to a running shell; `%load_ext graphrt` calls it.

    >>> class Shell:
    ...     def register_magic_function(self, function, kind, name):
    ...         print(kind, name)
    >>> import graphrt as tf
    >>> tf.load_ipython_extension(Shell())
    cell autograph
    cell trace
    line view
    """
    magics = Magics(ipython)
    for kind, name in (("cell", "autograph"), ("cell", "trace"), ("line", "view")):
        ipython.register_magic_function(getattr(magics, name), kind, name)


class Magics:
    """The magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def autograph(self, line: str, cell: str) -> None:
        """Runs the cell and prints its functions as they are converted."""
        self._run(cell)
        for name in _defined(cell):
            found = self.shell.user_ns.get(name)
            found = found.python_function if isinstance(found, Function) else found
            try:
                print(autograph.to_code(found))
            except autograph.errors.AutoGraphError as error:
                print(f"# {name} is not converted: {error}\n")

    def trace(self, line: str, cell: str) -> None:
        """Runs the cell, whose functions are traced, and prints the graphs of their traces."""
        tree = ast.parse(cell)
        names = _defined(cell)
        last = max((i for i, s in enumerate(tree.body) if isinstance(s, ast.FunctionDef)), default=-1)
        self._run(ast.unparse(ast.Module(tree.body[: last + 1], [])) if last < 0 else _upto(cell, tree.body[last]))
        for name in names:
            if not isinstance(self.shell.user_ns[name], Function):
                self.shell.user_ns[name] = function(self.shell.user_ns[name])
        self._run(_behind(cell, tree.body[last]) if last >= 0 else cell)
        for name in names:
            for concrete in self.shell.user_ns[name].list_all_concrete_functions():
                print(graph_text(concrete.graph))

    def view(self, line: str) -> Page:
        """The page of the call that is written behind `%view`."""
        run = line.startswith("-r ")
        call = ast.parse(line[3:].strip() if run else line.strip(), mode="eval").body
        if not isinstance(call, ast.Call):
            raise SyntaxError(f"%view needs a call, f(x), found {line!r}")
        given = {"graphrt_view": view, "graphrt_run": run}
        call.args.insert(0, call.func)
        call.func = ast.Name("graphrt_view", ast.Load())
        call.keywords += [
            ast.keyword("run", ast.Name("graphrt_run", ast.Load())),
            ast.keyword("path", ast.Constant(None)),
        ]
        code = compile(ast.fix_missing_locations(ast.Expression(call)), "<view>", "eval")
        found: Page = eval(code, {**self.shell.user_ns, **given})
        return found

    def _run(self, text: str) -> None:
        if text.strip():
            self.shell.run_cell(text).raise_error()


def _defined(cell: str) -> list[str]:
    return list(dict.fromkeys(s.name for s in ast.parse(cell).body if isinstance(s, ast.FunctionDef)))


def _upto(cell: str, statement: ast.stmt) -> str:
    return "\n".join(cell.splitlines()[: statement.end_lineno])


def _behind(cell: str, statement: ast.stmt) -> str:
    return "\n".join(cell.splitlines()[statement.end_lineno or 0 :])
