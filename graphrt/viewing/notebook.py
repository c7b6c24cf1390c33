"""Magics of notebooks, for those who say `%load_ext graphrt`.

| magic | what it does |
|---|---|
| `%%autograph` | runs the cell, and prints what each function in it is converted into |
| `%%trace` | runs the cell, whose functions become `tf.function`s, and prints the graph of each trace that its calls make |
| `%view f(x)` | the page of a call: `graphrt.view(f, x)`; `%view -r f(x)` runs it, too |
| `%view f` | the page of the latest trace of `f` |
"""

from __future__ import annotations

import ast
import functools
from typing import Any

import autograph
from graphrt.function.function import Function, function
from graphrt.ir.printer import graph_text
from graphrt.viewing.page import Page, page_of


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
        """Runs the cell and prints its functions, and the methods of its classes, as they are converted."""
        __tracebackhide__ = True
        statements, file = self._read(cell)
        self._run(statements, file)
        for statement in statements:
            for name, found in self._functions(statement):
                try:
                    print(autograph.to_code(found.python_function if isinstance(found, Function) else found))
                except autograph.errors.AutoGraphError as error:
                    print(f"# {name} is not converted: {error}\n")

    def trace(self, line: str, cell: str) -> None:
        """Runs the cell, whose functions are traced, and prints the graphs of their traces, even where it fails."""
        __tracebackhide__ = True
        statements, file = self._read(cell)
        names: dict[str, None] = {}
        try:
            for at, statement in enumerate(statements):
                self._run([statement], file, at == len(statements) - 1)
                if isinstance(statement, ast.FunctionDef):
                    names[statement.name] = None
                    found = self.shell.user_ns[statement.name]
                    self.shell.user_ns[statement.name] = found if isinstance(found, Function) else function(found)
        finally:
            for name in names:
                found = self.shell.user_ns.get(name)
                for concrete in found.list_all_concrete_functions() if isinstance(found, Function) else ():
                    print(graph_text(concrete.graph))

    def view(self, line: str) -> Page:
        """The page of the call that is written behind `%view`, or of a function's latest trace.

        Raises:
          SyntaxError: what is written is no expression, or with `-r` no call.
          TypeError: it is no function, or one that needs arguments and was not traced.
        """
        __tracebackhide__ = True
        run = line.split()[:1] == ["-r"]
        text = line.strip()[2 * run :].strip()
        if not text:
            raise SyntaxError("%view needs a call, f(x), or a function that was traced")
        written = ast.parse(text, "<view>", "eval").body
        if run and not isinstance(written, ast.Call):
            raise SyntaxError(f"%view -r needs a call, f(x), found {text!r}")
        name = ast.Name("graphrt_page", ast.Load())
        call = ast.Call(name, [written], []) if not isinstance(written, ast.Call) else written
        if call is written:
            call.args.insert(0, call.func)
            call.func = name
        code = compile(ast.fix_missing_locations(ast.Expression(call)), "<view>", "eval")

        def asked(target: Any, /, *args: Any, **kwargs: Any) -> Page:
            return page_of(target, args, kwargs, run)

        found: Page = eval(code, {**self.shell.user_ns, "graphrt_page": asked})
        return found

    # --- cells: as the shell runs them, but for errors, which are told once: where the magic ends ---
    def _read(self, cell: str) -> tuple[list[ast.stmt], str]:
        """The statements of a cell, which may have magics itself, and the name under which tracebacks know it."""
        __tracebackhide__ = True
        text = self.shell.transform_cell(cell)
        file = self.shell.compile.cache(text, self.shell.execution_count, raw_code=cell)
        return ast.parse(text, file).body, file

    def _run(self, statements: list[ast.stmt], file: str, shown: bool = True) -> None:
        """Runs statements; the value of an expression at the end is `shown`."""
        __tracebackhide__ = True
        *before, last = statements or [ast.Pass(lineno=1, col_offset=0)]
        value = last.value if shown and isinstance(last, ast.Expr) else None
        code = functools.partial(compile, filename=file, dont_inherit=True)
        exec(code(ast.Module(before if value else [*before, last], []), mode="exec"), self.shell.user_ns)
        if value is not None:
            self.shell.displayhook(eval(code(ast.Expression(value), mode="eval"), self.shell.user_ns))

    def _functions(self, statement: ast.stmt, home: Any = None, path: str = "") -> list[tuple[str, Any]]:
        """The functions that a statement has made, with their names; of a class its methods."""
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return []
        found = self.shell.user_ns.get(statement.name) if home is None else vars(home).get(statement.name)
        name = f"{path}{statement.name}"
        if not isinstance(statement, ast.ClassDef):
            return [(name, found)] if callable(found) else []
        inner = statement.body if isinstance(found, type) else []
        return [one for part in inner for one in self._functions(part, found, f"{name}.")]
