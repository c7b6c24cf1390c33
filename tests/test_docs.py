"""The Python in README and docs runs; what is said to fail fails as said; each error code has its section."""

import pathlib
import re
import subprocess
import sys

import pytest

import autograph.errors

ROOT = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python(?: fails (\w+))?\n(.*?)^```", re.M | re.S)

BLOCKS = [
    pytest.param(page, match[1], match[2], id=f"{page.name}:{page.read_text()[: match.start()].count(chr(10)) + 1}")
    for page in PAGES
    if page.parent.name != "guide"  # the blocks of a guide are one program: tests/test_guide.py
    for match in BLOCK.finditer(page.read_text())
]


@pytest.mark.parametrize(("page", "failure", "code"), BLOCKS)
def test_block_runs(page, failure, code, tmp_path):
    script = tmp_path / "block.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    if failure is None:
        assert done.returncode == 0, done.stderr
    else:
        raised = re.findall(r"^([\w.]+)(?:: |$)", done.stderr, re.M)
        names = {name.rsplit(".", 1)[-1] for name in raised}
        classes = {c.__name__ for n in names for c in _class(n).__mro__} if names else set()
        assert done.returncode == 1 and failure in classes, done.stderr


def _class(name):
    import graphrt.errors

    return getattr(autograph.errors, name, None) or getattr(graphrt.errors, name, object)


def test_every_error_has_its_section():
    text = (ROOT / "docs" / "errors.md").read_text()
    codes = {c.code for c in vars(autograph.errors).values() if isinstance(c, type) and hasattr(c, "code")}
    assert set(re.findall(r"^## (AG\d+)$", text, re.M)) == codes


def test_links_of_the_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_reference_of_autograph_is_up_to_date():
    import reference_page

    import autograph

    assert reference_page.PAGE.read_text(encoding="utf-8") == reference_page.build(), "run tests/reference_page.py"
    shown = {name for name in reference_page.named() if not name.startswith("policy.")}
    shown |= {"policy", "backends", "errors", "AutoGraphError"}
    assert shown == {*autograph.__all__, *(f"backends.{name}" for name in autograph.backends.__all__)}


def test_every_public_function_of_autograph_has_an_example():
    import reference_page

    names = [name for _, _, names in reference_page.SECTIONS for name in names]
    functions = [name for name in names if callable(reference_page.lookup(name)) and name[0].islower()]
    functions = [name for name in functions if not isinstance(reference_page.lookup(name), type)]
    assert [n for n in functions if ">>>" not in reference_page.body(reference_page.lookup(n))] == []


def test_the_page_of_generated_code_is_up_to_date():
    import generated_code_page

    assert generated_code_page.PAGE.read_text() == generated_code_page.build(), "run tests/generated_code_page.py"


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
