"""What newcomers ask is found with a word or two: by the names of files, or by `grep`; `docs/index.md` has the answers, too."""

import re

import pytest

from tests import ROOT

FILES = [p for package in ("autograph", "graphrt") for p in sorted((ROOT / package).rglob("*.py"))]
MOST = 8  # so many files are looked through

# the question; what one looks for, first and second (a text with a blank or a bracket is looked for in files, else in
# their names); where the answer stands, and what stands there
QUESTIONS = [
    ("what does `for` become", "control_flow", "def visit_For(", "autograph/converters/control_flow.py", "def visit_For("),
    ("who decides whether a call is converted", "policy", "", "autograph/conversion/policy.py", "def decide("),
    ("why was a function not converted", "policy", "", "autograph/conversion/policy.py", "class Decision"),
    ("what happens in `ag__.if_stmt`", "if_stmt", "def if_stmt(", "graphrt/staging/if_stmt.py", "def if_stmt("),
    ("where is an error such as AG204", 'code = "AG204"', "", "autograph/errors.py", "AG204"),
    ("why is a function traced again", "retrace", "", "graphrt/function/retrace_explanation.py", "class Explanation"),
    ("where are trace types compared", "trace_type", "def includes(", "graphrt/function/trace_types/base.py", "def includes("),
    ("which code runs for a cached call", "dispatch", "", "graphrt/function/fast_dispatch.py", "MISS"),
    ("what Python runs in the end", "def source(self)", "", "graphrt/function/concrete.py", "def source(self)"),
    ("what makes a line of a program", "executor/emit", "", "graphrt/executor/emit.py", "def "),
    ("all about the op ConcatV2", "concat", '"ConcatV2", ', "graphrt/ops/array/concat_split.py", "vjp="),
    ("where is the shape rule of pooling", "pooling", "", "graphrt/ops/nn/pooling.py", "infer="),
    ("what may a pass assume of an op", "class OpDef(", "def define(", "graphrt/ir/op.py", "# --- traits"),
    ("who removes dead nodes", "dead", "", "graphrt/passes/dead_nodes.py", "def drop_dead_nodes("),
    ("when are dead nodes removed", "drop_dead_nodes, ", "PIPELINE: ", "graphrt/passes/__init__.py", "drop_dead_nodes"),
    ("which ops read files", "file_access=READS_FILES", "", "graphrt/ops/io/files.py", "file_access="),
    ("where is a loop's gradient made", "gradients", "", "graphrt/control_flow/gradients.py", "def "),
    ("the iterator behind `Dataset.batch`", "batch", "class Batch(", "graphrt/data/transformations/batch.py", "def open("),
    ("what is public", "exports", "", "graphrt/api/exports.py", "EXPORTS"),
    ("where does `np.where` of a tensor go", "where", "implements(np.where)", "graphrt/numpy_api/elements.py", "np.where"),
]  # fmt: skip


def found(wanted):
    if re.search(r"[ (=]", wanted):
        return [p for p in FILES if wanted in p.read_text(encoding="utf-8")]
    return [p for p in FILES if wanted in str(p.relative_to(ROOT))]


@pytest.mark.parametrize(("question", "first", "second", "path", "text"), QUESTIONS, ids=[q[0] for q in QUESTIONS])
def test_it_is_found_with_two_words(question, first, second, path, text):
    assert text in (ROOT / path).read_text(encoding="utf-8")
    looked = [found(word) for word in (first, second) if word]
    assert any(ROOT / path in files and len(files) <= MOST for files in looked), [len(files) for files in looked]


def test_the_index_names_the_places():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    answers = index.partition("## Where is it?")[2]
    named = {(ROOT / "docs" / target).resolve() for target in re.findall(r"\]\(([^)#]+)\)", answers)}
    left_out = {"graphrt/ops/array/concat_split.py", "graphrt/ops/io/files.py", "graphrt/numpy_api/elements.py"}
    for *_, path, _ in QUESTIONS:
        assert path in left_out or ROOT / path in named or any(d in (ROOT / path).parents for d in named), path


def test_its_searches_find_something():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    searches = re.findall(r"`grep -rn '?([^'`]*?)'? (graphrt\S*)`", index)
    assert len(searches) >= 3
    for text, folder in searches:
        assert any(text in p.read_text(encoding="utf-8") for p in (ROOT / folder).rglob("*.py")), text
