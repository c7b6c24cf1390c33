"""The Python in README and docs runs; what is said to fail fails as said; each error code has its section."""

import contextlib
import importlib
import io
import re
import shlex
import subprocess
import sys

import pytest

import autograph.errors
from tests import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
BLOCK = re.compile(r"^```python(?: fails (\w+))?(?: needs (\w+))?\n(.*?)^```", re.M | re.S)

BLOCKS = [
    pytest.param(
        page, match[1], match[2], match[3], id=f"{page.name}:{page.read_text()[: match.start()].count(chr(10)) + 1}"
    )
    for page in PAGES
    if page.parent.name != "guide"  # the blocks of a guide are one program: tests/test_guide.py
    for match in BLOCK.finditer(page.read_text())
]


@pytest.fixture(scope="module")
def run():
    """Runs a script as a process of its own would: its exit code, and what it says on stderr."""
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "docs" / "server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip

    def ask(script):
        server.stdin.write(f"{script}\n")
        server.stdin.flush()
        return int(server.stdout.readline()), script.with_name(f"{script.name}.err").read_text()

    yield ask
    server.stdin.close()
    server.wait(60)


@pytest.mark.parametrize(("page", "failure", "package", "code"), BLOCKS)
def test_block_runs(page, failure, package, code, tmp_path, run):
    if package is not None:
        pytest.importorskip(package)
    script = tmp_path / "block.py"
    script.write_text(code)
    status, told = run(script)
    if failure is None:
        assert status == 0, told
    else:
        raised = re.findall(r"^([\w.]+)(?:: |$)", told, re.M)
        names = {name.rsplit(".", 1)[-1] for name in raised}
        classes = {c.__name__ for n in names for c in _class(n).__mro__} if names else set()
        assert status == 1 and failure in classes, told


def test_a_block_that_fails_is_seen(tmp_path, run):
    script = tmp_path / "block.py"
    for text, status, told in (
        ("x = 1 / 0\n", 1, "ZeroDivisionError"),
        ("import graphrt as tf\nassert tf.constant(1) == 2\n", 1, "AssertionError"),
        ("import os\nos._exit(3)\n", 3, ""),
        ("import graphrt as tf\nprint(tf.constant(1))\n", 0, ""),
    ):
        script.write_text(text)
        found, said = run(script)
        assert found == status and told in said


COMMANDS = re.findall(r"^    ((?:autograph|graphrt) .*?)(?:  +#.*)?$", (ROOT / "README.md").read_text(), re.M)
MODEL = """
import graphrt as tf

@tf.function
def step(x):
    return tf.reduce_sum(x, 0) * 2.0
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_readme_run(command, tmp_path):
    (tmp_path / "src").mkdir()
    for path in (tmp_path / "model.py", tmp_path / "src" / "model.py"):
        path.write_text(MODEL)
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)], capture_output=True, text=True, cwd=tmp_path, timeout=60,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and (done.stdout or done.stderr or (tmp_path / "converted").exists()), done.stderr


SHOWN = [
    pytest.param(shlex.split(command), id=command)
    for command in sorted({
        found
        for page in ALL_PAGES
        for found in re.findall(r"(?:`|^ {4})(?:python -m )?((?:autograph|graphrt) [a-z]+ [^`\n=]*?)(?:`| {2,}#|$)", page.read_text(), re.M)
    })
]  # fmt: skip


@pytest.mark.parametrize("command", SHOWN)
def test_commands_that_pages_show_are_understood(command):
    """They name a command and its options; what is to be looked at may be left out."""
    parser = importlib.import_module(f"{command[0]}.__main__")._parser()
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        try:
            parser.parse_args(command[1:])
        except SystemExit:
            parser.parse_args([*command[1:], "TARGET"])


def test_a_command_that_is_not_understood_is_seen():
    for command in ("graphrt dmp a.py:f", "autograph check --fast a.py"):
        with pytest.raises(SystemExit):
            test_commands_that_pages_show_are_understood(shlex.split(command))


def test_modules_and_files_that_pages_name_are_there():
    for page in ALL_PAGES:
        text = page.read_text()
        for module in re.findall(r"python -m (tests(?:\.\w+)*)(?![\w*.])", text):
            path = ROOT.joinpath(*module.split("."))
            assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), f"{page.name}: {module}"
        if not page.name.startswith("adding_a"):  # which name files that are to be written
            for path in re.findall(r"`((?:autograph|graphrt|tests|docs)/[\w/.]+)`", text):
                assert (ROOT / path).exists(), f"{page.name}: {path}"


def _class(name):
    import graphrt.errors

    return getattr(autograph.errors, name, None) or getattr(graphrt.errors, name, object)


def test_every_error_has_its_section():
    text = (ROOT / "docs" / "errors.md").read_text()
    codes = {c.code for c in vars(autograph.errors).values() if isinstance(c, type) and hasattr(c, "code")}
    assert set(re.findall(r"^## (AG\d+)$", text, re.M)) == codes


def anchors(page):
    """What links may name behind the `#`: the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in re.findall(r"^#+ +(.*)$", text, re.M)}


def test_links_of_the_pages_lead_somewhere():
    for page in ALL_PAGES:
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", page.read_text()):
            path = page.parent / target if target else page
            assert path.exists(), f"{page.name} links to {target}"
            assert not anchor or path.suffix != ".md" or anchor in anchors(path), f"{page.name}: {target}#{anchor}"


def test_the_reference_of_autograph_is_up_to_date():
    import autograph
    from tests import reference_page

    assert reference_page.PAGE.read_text(encoding="utf-8") == reference_page.build(), (
        "run python -m tests.reference_page"
    )
    shown = {name for name in reference_page.named() if not name.startswith("policy.")}
    shown |= {"policy", "backends", "errors", "AutoGraphError"}
    assert shown == {*autograph.__all__, *(f"backends.{name}" for name in autograph.backends.__all__)}


def test_every_public_function_of_autograph_has_an_example():
    from tests import reference_page

    names = [name for _, _, names in reference_page.SECTIONS for name in names]
    functions = [name for name in names if callable(reference_page.lookup(name)) and name[0].islower()]
    functions = [name for name in functions if not isinstance(reference_page.lookup(name), type)]
    assert [n for n in functions if ">>>" not in reference_page.body(reference_page.lookup(n))] == []


def test_the_page_of_generated_code_is_up_to_date():
    from tests import generated_code_page

    assert generated_code_page.PAGE.read_text() == generated_code_page.build(), (
        "run python -m tests.generated_code_page"
    )


def test_the_tables_of_rooms_are_up_to_date():
    from tests import rooms_page

    assert rooms_page.PAGE.read_text() == rooms_page.page(), "run python -m tests.rooms_page"
    for package, rooms in rooms_page.ORDERS.items():
        there = {
            path.stem for path in (ROOT / package).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
        }
        assert there == {room for side_by_side in rooms for room in side_by_side}


def test_the_index_leads_to_every_page():
    index = (ROOT / "docs" / "index.md").read_text()
    linked = set(re.findall(r"\]\(([\w/]+\.md)\)", index))
    pages = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    left_out = {p for p in pages if p.partition("/")[0] in ("guide", "examples")}
    assert pages - left_out - {"index.md"} == linked & pages


def test_packages_that_are_installed_are_explained():
    import configparser

    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    wanted = config["options"]["install_requires"].split()
    extras = config["options.extras_require"]
    wanted += [package for name in extras if name not in ("test", "lint") for package in extras[name].split()]
    page = (ROOT / "docs" / "dependencies.md").read_text().lower()
    for package in wanted:
        name = re.match(r"[\w-]+", package)[0].lower()
        assert f"| {name}" in page, package
