"""Tracebacks, pdb and coverage work on the user's file."""

import os
import subprocess
import sys
import time
import traceback

import pytest

import autograph
from tests import ROOT

PATH = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))

DEMO = '''\
import autograph
import sys


def helper(x):
    if x > 2:
        raise ValueError("boo")
    return x


def both(x):
    for i in range(5):
        total = 0
        while total < i and x:
            total += helper(i)
        value = (lambda v: helper(v) if v else 0)(total)
    return [helper(v) for v in (1, 2, 3)]


converted = autograph.convert(both)

if __name__ == "__main__":
    try:
        print(converted(0))
    except ValueError:
        print("raised")
'''


@pytest.fixture
def demo(tmp_path, monkeypatch):
    (tmp_path / "debug_demo.py").write_text(DEMO)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "debug_demo", raising=False)
    import debug_demo

    yield debug_demo
    del sys.modules["debug_demo"]


def caught(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError("no exception")


def summary(error):
    return [(f.filename, f.lineno, f.name, f.colno, f.end_colno) for f in traceback.extract_tb(error.__traceback__)][1:]


@pytest.mark.parametrize("argument", [0, 1])
def test_traceback_is_the_originals(demo, argument):
    expected = summary(caught(demo.both, argument))
    found = summary(caught(demo.converted, argument))
    assert [f[:3] for f in found] == [f[:3] for f in expected]
    assert found[-1] == expected[-1]


def test_whole_traceback_on_request(demo, monkeypatch):
    from autograph.operators import tracebacks

    def fails(values):
        return sorted(values, key=lambda v: demo.helper(v))

    monkeypatch.setattr(tracebacks, "show_own_frames", True)
    files = [f[0] for f in summary(caught(autograph.convert(fails), [3]))]
    assert any(os.path.join("autograph", "operators") in f for f in files)


def test_same_exception_object():
    error = KeyError("k")

    @autograph.convert
    def f(x):
        if x:
            raise error

    assert caught(f, 1) is error
    assert not hasattr(error, "__notes__")


def test_exceptions_that_refuse_assignment():
    import dataclasses

    @dataclasses.dataclass(frozen=True)
    class Frozen(Exception):
        x: int

    @autograph.convert
    def f(x):
        if x:
            raise Frozen(x)

    assert caught(f, 1) == Frozen(1)


def test_chained_exceptions_keep_cause_and_context():
    def f(x):
        try:
            if x:
                {}["k"]
        except KeyError as error:
            raise ValueError("v") from error

    for function in (f, autograph.convert(f)):
        error = caught(function, 1)
        assert type(error) is ValueError and type(error.__cause__) is KeyError
        assert error.__context__ is error.__cause__


def test_annotate(demo):
    error = caught(demo.converted, 1)
    assert autograph.backends.annotate(error) is error
    (note,) = error.__notes__
    lines = note.splitlines()
    file = demo.__file__
    assert lines == [
        "in user code:",
        "",
        f'    File "{file}", line 15, in both  *',
        "        total += helper(i)",
        f'    File "{file}", line 7, in helper  *',
        '        raise ValueError("boo")',
    ]
    autograph.backends.annotate(error)
    assert error.__notes__ == [note]


def test_annotate_marks_the_first_unconverted_function():
    def deep(x):
        raise ValueError("deep")

    @autograph.do_not_convert
    def middle(x):
        return deep(x)

    @autograph.convert
    def top(x):
        return middle(x)

    note = autograph.backends.annotate(caught(top, 1)).__notes__[0]
    marks = [line.rsplit(" in ", 1)[1] for line in note.splitlines() if line.startswith("    File")]
    assert marks == ["top  *", "middle  **", "deep"]


def test_annotate_tells_of_a_frame_that_repeats_three_times_and_how_often():
    def deeper(n):
        return deeper(n - 1) if n else {}["missing"]

    @autograph.convert
    def top(n):
        return deeper(n)

    error = autograph.backends.annotate(caught(top, 40))
    lines = error.__notes__[0].splitlines()
    assert len(lines) == 2 + 2 + 2 * 3 + 1
    assert lines[-3].endswith("in deeper  *")
    assert lines[-1] == "    [Previous line repeated 38 more times]"

    error.__notes__ = autograph.backends.annotate(caught(top, 8)).__notes__  # as it was annotated further in, where less is known
    assert "repeated 6 more" in error.__notes__[0]
    assert "repeated 38 more" in autograph.backends.annotate(error).__notes__[0]


def test_annotate_before_conversion_and_without_traceback():
    error = ValueError("never raised")
    autograph.backends.annotate(error)
    assert not hasattr(error, "__notes__")


def test_errors_of_staging_are_annotated(backend, stage):
    @autograph.convert
    def f(x):
        for v in [1, 2]:
            if x > v:
                y = v
            print(y)

    error = caught(f, stage("a0"))
    assert isinstance(error, autograph.errors.StagingError)
    assert error.__notes__[0].splitlines()[2].endswith("in f  *")


def pdb(script, commands, cwd):
    done = subprocess.run(
        [sys.executable, "-m", "pdb", script], input="\n".join(commands) + "\n", capture_output=True, text=True,
        timeout=120, cwd=cwd, env={**os.environ, "PYTHONPATH": PATH},
    )
    return done.stdout


def test_pdb_stops_in_a_loop_body(demo):
    folder = os.path.dirname(demo.__file__)
    output = pdb("debug_demo.py", ["break debug_demo.py:13", "continue", "p i", "next", "p total", "continue", "p i", "quit"], folder)
    assert output.count("debug_demo.py(13)both()") == 2
    answers = [line for line in output.splitlines() if line in ("(Pdb) 0", "(Pdb) 1")]
    assert answers == ["(Pdb) 0", "(Pdb) 0", "(Pdb) 1"]


def test_pdb_stops_in_a_called_function(demo):
    folder = os.path.dirname(demo.__file__)
    output = pdb("debug_demo.py", ["break helper", "continue", "where", "p x", "quit"], folder)
    assert "-> if x > 2:" in output


def line_events(function, *args):
    lines = []

    def tracer(frame, event, argument):
        if frame.f_code.co_filename != function.__code__.co_filename:
            return None
        if event == "line":
            lines.append(frame.f_lineno)
        return tracer

    sys.settrace(tracer)
    try:
        function(*args)
    finally:
        sys.settrace(None)
    return lines


def test_stepping_visits_the_lines_that_the_original_visits():
    def steps(xs, flag):
        """Doc."""
        total = 0
        for x in xs:
            if x:
                total += x
            elif flag:
                total -= 1
                continue
            else:
                break
            while total > 5:
                total -= 5
                if total == 7:
                    return total
        if flag:
            return total
        return -total

    converted = autograph.convert(steps)
    for args in (([1, 2, 3], 0), ([1, 0, 12], 1), ([0], 0), ([], 1)):
        # A line may come up once more when the function around gets control back; none is new or missing.
        assert list(dict.fromkeys(line_events(converted, *args))) == list(dict.fromkeys(line_events(steps, *args)))


def test_coverage_reports_the_users_lines(demo):
    pytest.importorskip("coverage")
    folder = os.path.dirname(demo.__file__)
    script = (
        "import coverage, json, runpy\n"
        "c = coverage.Coverage(data_file=None, include=['debug_demo.py'])\n"
        "c.start()\n"
        "runpy.run_path('debug_demo.py', run_name=NAME)\n"
        "c.stop()\n"
        "print(json.dumps(sorted(c.get_data().lines(c.get_data().measured_files().pop()))))\n"
    )

    def lines(text, name):
        with open(os.path.join(folder, "debug_demo.py"), "w") as file:
            file.write(text)
        done = subprocess.run(
            [sys.executable, "-c", script.replace("NAME", repr(name))], capture_output=True, text=True, timeout=120,
            cwd=folder, env={**os.environ, "PYTHONPATH": PATH},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[-1]

    converted = lines(DEMO, "__main__")
    original = lines(DEMO.replace("autograph.convert(both)", "both"), "__main__")
    assert converted == original


def test_every_entry_of_a_traceback_has_a_line():
    @autograph.convert
    def endless(n):
        if n >= 0:
            return endless(n + 1)

    with pytest.raises(RecursionError) as caught:
        endless(0)
    tb = caught.value.__traceback__
    while tb is not None:
        assert tb.tb_lineno is not None
        tb = tb.tb_next


def test_what_a_deep_recursion_costs_grows_with_its_depth_alone():
    """CPython walks over all that is linked when an entry of a traceback changes: see `_without_own_frames`."""
    from autograph.backends import registry

    def deeper(n):
        if n:
            deeper(n - 1)

    def cost(depth):
        sys.setrecursionlimit(depth)
        start = time.process_time()
        with pytest.raises(RecursionError) as raised:
            converted(2 * depth)
        assert len(traceback.extract_tb(raised.tb, limit=5)) == 5
        return time.process_time() - start

    converted = autograph.convert()(deeper)
    limit, before = sys.getrecursionlimit(), registry.always_staging(True)
    try:
        cost(2000)
        shallow, deep = (min(cost(depth) for _ in range(3)) for depth in (3000, 30_000))
    finally:
        registry.always_staging(before)
        sys.setrecursionlimit(limit)
    assert deep < 40 * shallow
