"""What is needed to build and to test is written down: versions, and the hashes of their files.

Covers: tests/wheel.py
"""

import configparser
import re
import subprocess

from packaging.requirements import Requirement

from tests import ROOT, wheel


def locked():
    """Name -> version and number of hashes, of the lock."""
    text = (ROOT / "tests" / "requirements.lock").read_text()
    parts = re.split(r"\n(?=\S)", text.strip())
    found = [re.match(r"([\w.-]+)==(\S+)(?: ; .*?)? \\", part) for part in parts]
    return {m[1].lower().replace("_", "-"): (m[2], part.count("--hash=sha256:")) for m, part in zip(found, parts)}


def test_the_lock_has_what_tests_and_lint_need():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    extras = config["options.extras_require"]
    named = [
        *config["options"]["install_requires"].split("\n"),
        *extras["test"].split("\n"),
        *extras["lint"].split("\n"),
    ]
    versions = locked()
    for text in filter(None, named):
        wanted = Requirement(text)
        version, hashes = versions[wanted.name.lower().replace("_", "-")]
        assert wanted.specifier.contains(version), text
        assert hashes > 0


def test_sources_have_one_mode(tmp_path):
    folder = tmp_path / "sources"
    wheel.sources(folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {oct(path.stat().st_mode & 0o777) for path in files} == {"0o644"}
    told = subprocess.run(
        ["git", "-C", str(ROOT), "ls-tree", "-r", "--name-only", "HEAD"], stdout=subprocess.PIPE, text=True
    )
    assert len(files) == len(told.stdout.splitlines())
