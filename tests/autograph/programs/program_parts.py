"""More of what stands in random programs: classes of all kinds, context managers and generators that are driven by hand.

See `program_writer.py`, whose `Writer` these are methods of.
"""

from __future__ import annotations

import dataclasses


class Parts:
    """Writes statements that define something and use it at once, and expressions that look at functions and frames."""

    # Expressions

    def e_format(self, at, e):
        spec = self.pick("", "!r", "!s", ":>{4}", ":{3}", "!r:<{2}", "=")
        return f"len(f'''{{({e()}){spec}}}{self.pick('', '_{(' + e() + ')!r}')}''')"

    def e_slices(self, at, e):
        return self.pick(
            f"len(xs[{e()}:{e()}:{self.pick('1', '2', '-1', e())}])", "xs[::-1][0]", f"len('abc'[{e()}:])", f"(1, 2, 3)[{e()}]",
            f"{{0: {e()}, 1: {e()}}}[{e()}]", f"[{e()}, {e()}][{e()}]", f"'abc'.find('b', {e()})", f"len(range(5)[{e()}:{e()}])",
        )

    def e_higher(self, at, e):
        inside = dataclasses.replace(at, kind="lambda")
        name = self.name()
        return self.pick(
            f"max(xs, key=lambda {name}: {e(inside)})", f"min([{e()}, {e()}], key=lambda {name}: -{name})",
            f"sum(map(lambda {name}, i: {e(inside)}, R(xs), R(xs)))", f"any(map(lambda {name}: {e(inside)}, R(xs)))",
            f"len(dict(zip(R({e()}), R({e()}))))", f"next(filter(lambda {name}: {e(inside)}, R(xs)), {e()})",
            f"operator.itemgetter({e()})([{e()}, {e()}])", f"operator.methodcaller('m', {e()})(o)", f"len(','.join(map(str, R({e()}))))",
            f"functools.reduce(lambda {name}, i: {e(inside)}, R({e()}), {e()})", f"next(iter(lambda: {e(inside)}, {e()}), 3)",
            f"list(itertools.accumulate(R({e()}), lambda {name}, i: {e(inside)}))[-1]", f"sum([{e()}], start={e()})",
            f"sorted(R({e()}), key=lambda {name}: {e(inside)}, reverse={e()})[0]", f"all({e()} for i in R({e()}) if {e()})",
        )

    def e_names(self, at, e):
        if at.kind == "class":
            return self.name()
        return self.pick(
            "globals()['b']", "globals().get('nope', 4)", f"exec('T(0, 1)') or {e()}", f"eval('T(0, {self.name()})')",
            f"eval('b', {{'b': {e()}}})", f"eval('lambda: {self.number()}')()", f"T(0, eval('[i for i in R(2) if i]')) or {e()}",
            f"setattr(o, 'x', {e()}) or o.x", f"getattr(o, 'nope', {e()})", "len(vars(o))", f"exec('b = 1', {{}}) or {e()}",
        )

    def e_caller(self, at, e):
        return self.pick(
            "T(0, sys._getframe(1).f_code.co_name)", "sys._getframe(1).f_lineno", "T(0, [i.function for i in inspect.stack()[:2]])",
            "T(0, inspect.currentframe().f_lineno)", "T(0, traceback.extract_stack()[-1][:3])", "T(0, sys._getframe().f_code.co_filename)",
        )

    def e_said(self, at, e):
        if not at.functions:
            return self.name()
        g = self.random.choice(at.functions)
        return self.pick(
            f"T(0, {g}.__qualname__)", f"T(0, str(inspect.signature({g})))", f"T(0, {g}.__annotations__)", f"T(0, {g}.__defaults__)",
            f"T(0, {g}.__kwdefaults__)", f"T(0, {g}.__name__)", f"T(0, {g}.__doc__)", f"T(0, typing.get_type_hints({g}))",
            f"T(0, {g}.__module__)", f"callable({g})", f"T(0, inspect.getfullargspec({g}))", f"T(0, inspect.unwrap({g}))",
            f"T(0, {g} == {g})", f"functools.partial({g}, {e()})()", f"(lambda *b: {g}(*b))({e()})", f"{g}(**{{'a': {e()}}})",
            f"T(0, sorted(vars({g})))", f"{g}.__call__({e()})", f"T(0, {g}.__get__(o)())",
        )

    # Statements

    def s_stacklevel(self, at):
        e = self.e(at)
        self.line(at, self.pick(
            "warnings.warn('w', stacklevel=1)", "warnings.warn('w', UserWarning, 2)", f"warnings.warn(str({e}), stacklevel=2)",
            "warnings.warn('w', DeprecationWarning, stacklevel=3)", "W(2)", "W(1)", "logging.warning('w')", "locale.getdefaultlocale()",
        ))

    def s_drive(self, at):
        """A generator that is driven by hand."""
        name = f"g{self.fresh()}"
        self.line(at, f"def {name}({self.parameters(at)}):")
        inside = at.inner(kind="generator", loop=False, star=False, comprehension=0)
        self._declarations(inside, "abcd")
        self.block(dataclasses.replace(inside, depth=inside.depth + 1))
        if self.chance(0.5):
            self.line(inside, "try:")
            self.line(inside.inner(), f"{self.name()} = yield {self.e(inside)}")
            self.line(inside, self.pick("except E as e:", "except GeneratorExit:", "finally:", "except BaseException:"))
            self.body(inside)
        self.line(inside, f"{self.name()} = yield {self.e(inside)}")
        self.line(inside, f"return {self.e(inside)}")
        driven = f"h{self.fresh()}"
        self.line(at, f"{driven} = {name}({self.e(at)})")
        self.line(at, f"T(0, next({driven}, 5))")
        for _ in range(self.random.randint(1, 3)):
            self.line(at, self.pick(
                f"{driven}.send({self.e(at)})", f"{driven}.throw(E({self.e(at)}))", f"{driven}.close()", f"T(0, next({driven}, 5))",
                f"{self.name()} = list(R({driven}))", f"T(0, {driven}.gi_frame is None)", f"for {self.name()} in R({driven}): T(0)",
            ))
        return dataclasses.replace(at, generators=(*at.generators, name))

    def s_manager(self, at):
        """A context manager written as a generator."""
        name = f"g{self.fresh()}"
        self.line(at, "@contextlib.contextmanager")
        self.line(at, f"def {name}({self.name()}=1):")
        inside = at.inner(kind="generator", loop=False, star=False, comprehension=0)
        if self.chance(0.5):
            self.block(dataclasses.replace(inside, depth=inside.depth + 1))
        self.line(inside, "try:")
        self.line(inside.inner(), f"yield {self.e(inside)}")
        self.line(inside, self.pick("except E:", "except (ValueError, TypeError) as e:", "finally:", "except Exception:", "except:"))
        self.body(inside)
        opened = self.pick(f"{name}({self.e(at)})", f"{name}()", "contextlib.nullcontext(3)", "contextlib.closing(o)")
        if self.chance(0.3):
            self.line(at, "with contextlib.ExitStack() as st:")
            self.line(at.inner(), f"{self.name()} = st.enter_context({opened})")
            self.line(at.inner(), self.pick("st.callback(T, 0, 1)", f"st.push(M(log, {self.pick('True', 'False')}))", "st.pop_all().close()"))
        else:
            self.line(at, f"with {opened}{self.pick('', f' as {self.name()}')}:")
        self.body(at)
        return at

    def s_errors(self, at):
        """What can be done with an exception at hand."""
        self.line(at, "try:")
        self.body(at)
        self.line(at, self.pick("except Exception as e:", "except (E, ValueError) as e:", "except BaseException as e:"))
        inner = at.inner()
        self.line(inner, "S()")
        self.line(inner, self.pick(
            "log.append(e.args)", "T(0, e.__traceback__.tb_lineno)", "e.add_note('n')", "raise e", f"raise type(e)({self.e(at)}) from e",
            "raise E(1) from e.__context__", "raise e.with_traceback(None)", f"{self.name()} = e", "T(0, traceback.format_exception(e))",
            "T(0, [f.name for f in traceback.extract_tb(e.__traceback__)])", "del e", "T(0, len(list(traceback.walk_tb(e.__traceback__))))",
            "T(0, traceback.format_exc())",
        ))
        if self.chance(0.5):
            self.body(at)

    def s_kinds(self, at):
        """Classes of all kinds."""
        name = f"Q{self.fresh()}"
        method = at.inner().inner(kind="plain", loop=False, star=False, comprehension=0, method=False)
        getattr(self, "_class_" + self.pick("enum", "named", "abstract", "meta", "descriptor", "operators", "iterator", "object", "attributes", "slots"))(
            at, at.inner(kind="class", loop=False, star=False, comprehension=0), method, name,
        )
        return at

    def _method(self, inner, method, header, result=None):
        self.line(inner, f"def {header}:")
        if self.chance(0.6):
            self.block(dataclasses.replace(method, depth=method.depth + 1))
        self.line(method, f"return {self.e(method) if result is None else result}")

    def _class_enum(self, at, inner, method, name):
        self.line(at, f"class {name}({self.pick('enum.Enum', 'enum.IntEnum', 'enum.Flag')}):")
        self.line(inner, "u = 1")
        self.line(inner, f"v = {self.pick('2', 'enum.auto()', self.e(at))}")
        self._method(inner, method, "m(self)")
        self.line(at, self.pick(f"{self.name()} = {name}.u.m()", f"log.append(list({name}))", f"{self.name()} = {name}({self.e(at)})", f"T(0, {name}['v'].value)"))

    def _class_named(self, at, inner, method, name):
        if self.chance(0.3):
            self.line(at, f"{name} = collections.namedtuple('{name}', 'u v', defaults=[{self.e(at)}])")
        else:
            self.line(at, f"class {name}(typing.NamedTuple):")
            self.line(inner, f"u: int = {self.e(at)}")
            self.line(inner, f"v: {self.e(at, 2)} = 1")
            self._method(inner, method, "m(self)")
        self.line(at, self.pick(f"T(0, {name}({self.e(at)}, 2))", f"b, c = {name}(1, {self.e(at)})", f"{self.name()} = {name}(v=2, u={self.e(at)})._replace(u=3).u",
                                f"T(0, {name}.__module__, {name}._fields)", f"{self.name()} = {name}(1).m()"))

    def _class_abstract(self, at, inner, method, name):
        self.line(at, f"class {name}(abc.ABC):")
        self.line(inner, "@abc.abstractmethod")
        self._method(inner, method, f"m(self, {self.name()}=1)")
        self.line(at, f"class {name}b({name}):")
        self._method(inner, method, f"m(self, {self.name()}=1)", self.pick(None, "super().m(2)", "self.w"))
        self.line(inner, "w = property(lambda self: T(0, 2))")
        self.line(at, self.pick(f"{self.name()} = {name}b().m({self.e(at)})", f"{name}()", f"T(0, isinstance({name}b(), {name}))"))

    def _class_meta(self, at, inner, method, name):
        self.line(at, f"class {name}(type):")
        if self.chance(0.5):
            self._method(inner, method, f"__new__(cls, name, bases, ns, k={self.e(at)})", f"super().__new__(cls, name, bases, {{**ns, 'w': {self.e(at, 1)}}})")
            self.line(inner, "def __init__(cls, name, bases, ns, k=1): super().__init__(name, bases, ns)")
        if self.chance(0.5):
            self._method(inner, method, "__call__(cls, *a)", "super().__call__(*a)")
        if self.chance(0.3):
            self._method(inner, method, "__getitem__(cls, a)")
        self.line(at, f"class {name}b(metaclass={name}):")
        self.line(inner, "w = 3")
        self._method(inner, method, "__init__(self, *a)", "None")
        self.line(at, self.pick(f"{self.name()} = {name}b(1).w", f"{name}b[{self.e(at)}]", f"{self.name()} = {name}('Y', (), {{'w': 1}})().w"))

    def _class_descriptor(self, at, inner, method, name):
        self.line(at, f"class {name}:")
        self._method(inner, method, "__get__(self, a, kind=None)")
        if self.chance(0.5):
            self._method(inner, method, "__set__(self, a, b)", "log.append('set')")
        if self.chance(0.5):
            self._method(inner, method, "__set_name__(self, a, b)", "log.append(b)")
        self.line(at, f"class {name}b:")
        self.line(inner, f"w = {name}()")
        self.line(at, f"h = {name}b()")
        self.line(at, self.pick(f"{self.name()} = h.w", f"h.w = {self.e(at)}", f"T(0, {name}b.w)", "h.w += 1", "T(0, vars(h))"))

    def _class_operators(self, at, inner, method, name):
        # Of `__int__` and `__index__` that give True, C code warns on the line of whoever called it: not among these.
        self.line(at, f"class {name}:")
        operator, used = self.pick(
            ("__add__(self, a)", "h + {}"), ("__radd__(self, a)", "{} + h"), ("__lt__(self, a)", "h < {}"), ("__bool__(self)", "(1 if h else {})"),
            ("__eq__(self, a)", "h == {}"), ("__contains__(self, a)", "({} in h)"), ("__getitem__(self, a)", "h[{}]"), ("__len__(self)", "len(h)"),
            ("__call__(self, a, k=1)", "h({})"), ("__iadd__(self, a)", "h"), ("__neg__(self)", "-h"), ("__invert__(self)", "~h"),
            ("__hash__(self)", "hash(h)"), ("__sub__(self, a)", "h - {}"), ("__format__(self, a)", "f'{{h}}'"), ("__repr__(self)", "repr(h)"),
            ("__getattr__(self, a)", "h.nope"), ("__matmul__(self, a)", "h @ {}"), ("__pow__(self, a, b=1)", "pow(h, {}, 2)"),
            ("__iter__(self)", "[*h]"), ("__reversed__(self)", "reversed(h)"), ("__delitem__(self, a)", "operator.delitem(h, {})"),
        )
        self._method(inner, method, operator)
        self.line(at, f"h = {name}()")
        if "iadd" in operator:
            self.line(at, f"h += {self.e(at)}")
        uses = used.format(self.e(at))
        self.line(at, self.pick(
            f"{self.name()} = {uses}", f"if {uses}: T(0, 1)", f"while not {uses}: T(0, 0)", f"T(0, {uses} and {self.e(at)})",
            f"assert {uses}", f"T(0, [{uses} for i in R(2)])", f"T(0, {uses} < {self.e(at)} < 3)", f"return {uses}" if at.kind in ("plain", "generator") and not at.star else uses,
        ))

    def _class_iterator(self, at, inner, method, name):
        self.line(at, f"class {name}:")
        self.line(inner, "n = 0")
        self.line(inner, "def __iter__(self): return self")
        self.line(inner, "def __next__(self):")
        self.line(method, "self.n += 1")
        if self.chance(0.5):
            self.block(dataclasses.replace(method, depth=method.depth + 1))
        self.line(method, f"if self.n > {self.pick('2', '3')}: raise StopIteration")
        self.line(method, f"return {self.e(method)}")
        self.line(at, self.pick(f"for {self.name()} in R({name}()): T(0, 1)", f"T(0, [*R({name}())])", f"{self.name()} = sum(R({name}()))",
                                f"{self.name()}, *{self.name()} = R({name}())", f"T(0, next({name}(), 2))"))

    def _class_object(self, at, inner, method, name):
        """A property with all it may have, and methods that call each other."""
        self.line(at, f"class {name}(B):")
        self._method(inner, method, f"__init__(self, {self.name()}={self.e(at)}, **m)", "None")
        self.line(inner, "@property")
        self._method(inner, method, "w(self)")
        self.line(inner, "@w.setter")
        self._method(inner, method, "w(self, value)", "None")
        self.line(inner, self.pick("m2 = functools.partialmethod(B.m, 2)", "def m2(self): return self.__m3()", f"m2 = lambda self: {self.e(method)}"))
        self.line(inner, "def __m3(self): return super().m(self.w)")
        self.line(at, f"h = {name}()")
        self.line(at, self.pick(f"h.w = {self.e(at)}", "T(0, h.w)", "T(0, h.m2())", "h.w += 1", f"h._{name}__m3()", f"T(0, {name}.w.fget(h))"))

    def _class_attributes(self, at, inner, method, name):
        self.line(at, f"class {name}:")
        self._method(inner, method, self.pick("__getattr__(self, a)", "__setattr__(self, a, b)", "__delattr__(self, a)", "__class_getitem__(cls, a)", "__init_subclass__(cls)"))
        self.line(at, f"class {name}b({name}): pass")
        self.line(at, f"h = {name}b()")
        self.line(at, self.pick("h.u = 1", "T(0, h.u)", "h.u += 1", "del h.u", f"T(0, {name}[2])", "T(0, getattr(h, 'u', 3))"))

    def _class_slots(self, at, inner, method, name):
        self.line(at, self.pick("@functools.total_ordering", f"@dataclasses.dataclass({self.pick('order=True', 'frozen=True', 'eq=False')})", "@D"))
        self.line(at, f"class {name}:")
        self.line(inner, f"u: int = {self.e(at)}")
        self._method(inner, method, "__lt__(self, a)")
        self._method(inner, method, "__post_init__(self)", "None")
        self.line(at, f"h = {name}()")
        self.line(at, self.pick("T(0, h >= h)", "T(0, h)", "h.u = 2", f"T(0, {name}(3) == h)", "match h:\n" + "    " * at.indent + f"    case {name}(u=1): T(0, 1)"))

    def s_dispatch(self, at):
        """A function of several implementations, or one with a cache."""
        name = f"g{self.fresh()}"
        inside = at.inner(kind="plain", loop=False, star=False, comprehension=0)
        self.line(at, self.pick("@functools.singledispatch", "@functools.cache", "@functools.lru_cache(maxsize=2)", "@D", "@contextlib.suppress(E)"))
        self.line(at, f"def {name}(a):")
        self.block(dataclasses.replace(inside, depth=inside.depth + 1))
        self.line(inside, f"return {self.e(inside)}")
        if self.chance(0.5):
            self.line(at, f"@{name}.register" if self.lines[-3].endswith("dispatch") else f"@functools.wraps({name})")
            self.line(at, f"def {name}b(a: int):")
            self.line(inside, f"return {self.e(inside)}")
        self.line(at, f"{self.name()} = {name}({self.e(at)})")
        return at


EXPRESSIONS = (("format", 2), ("slices", 2), ("higher", 3), ("names", 1), ("caller", 2), ("said", 5))
STATEMENTS = (("stacklevel", 2), ("drive", 4), ("manager", 3), ("errors", 4), ("kinds", 5), ("dispatch", 2))
