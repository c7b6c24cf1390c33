"""Pages in a browser, as people see them: no complaint on the console, what belongs together is marked, nothing stands in
the way of those who use a keyboard or a reader. `AXE` may name axe-core's `axe.min.js`.
"""

import json
import os
import pathlib
import pickle
import random

import pytest

import graphrt as tf
from tests.graphrt.viewing import test_findings
from tests.graphrt.viewing.browser import Browser
from tests.graphrt.viewing.real_functions import CASES, large, sampled

PLACES = 30  # of each page: all expressions, and nodes
FEWER = 1200  # nodes: more than are laid out by dagre; `python -m tests.viewing_figures` measures 5,000


@pytest.fixture(scope="module")
def browser():
    if Browser.missing() is not None:
        pytest.skip(Browser.missing())
    with Browser() as found:
        yield found


@pytest.fixture(scope="module")
def training_page(tmp_path_factory):
    """A page that several tests look at, and its file."""
    path = tmp_path_factory.mktemp("pages") / "training.html"
    return tf.view(CASES["training"][0], *CASES["training"][1], run=True, path=path), path


def opened(browser, path, function, *args, run=True):
    page = tf.view(function, *args, run=run, path=path)
    browser.errors.clear()
    browser.open(path)
    return page


@pytest.mark.parametrize("name", CASES)
def test_what_belongs_together_is_marked(browser, tmp_path, name):
    function, args = CASES[name]
    page = opened(browser, tmp_path / "page.html", tf.function(function), *args)
    assert len(page.html) < 1.5e6
    story = page.story.as_json()
    final = set()
    for stage in story["stages"]:
        final = (final - set(stage["gone"])) | {fact["id"] for fact in stage["set"]}
    places = sampled(story)
    nodes = random.Random(1).sample(sorted(final), PLACES - min(PLACES, len(places)))
    asked = [["at", key] for key in places] + [["node", key] for key in nodes]
    found = browser.ask(f"""(() => {{
        const P = graphrtPage, found = [];
        for (const [kind, key] of {json.dumps(asked)}) {{
            P.choose(kind, key, null);
            const on = (pane) => [...document.querySelectorAll(`#${{pane}} .x.on`)].map((e) => e.textContent);
            const rows = (pane) => [...document.querySelectorAll(`#${{pane}} .row.marked`)].map((e) => Number(e.dataset.i));
            const nodes = [...document.querySelectorAll("#picture g.node.marked")].map((e) => e.dataset.id);
            found.push({{ source: on("source"), converted: on("converted"), program: rows("program"), nodes }});
        }}
        return found;
    }})()""")
    facts = {fact["id"]: fact for stage in story["stages"] for fact in stage["set"]}
    for key, seen in zip(nodes, found[len(places) :], strict=True):
        assert seen["nodes"] == [key]
        assert seen["program"] == [i for i, node in enumerate(story["text"]["nodes"]) if node == key]
        assert set(seen["source"]) <= {places.get(facts[key]["at"])}
    for (key, text), seen in zip(places.items(), found[: len(places)], strict=True):
        made = {fact["id"] for stage in story["stages"] for fact in stage["set"] if fact["at"] == key}
        assert text in seen["source"] and len(set(seen["source"])) == 1
        lines = [i for i, node in enumerate(story["text"]["nodes"]) if node in made]
        assert set(seen["program"]) == set(lines)
        assert set(seen["nodes"]) <= made and (seen["nodes"] or not made & final)
        parts = [p for p in story["converted"]["parts"] if p[3] == key]
        assert sorted(seen["converted"]) == sorted(story["converted"]["lines"][p[0] - 1][p[1] : p[2]] for p in parts)
    assert browser.errors == []


def test_a_node_marks_its_expression_its_line_and_its_program(browser, training_page):
    page, path = training_page
    browser.errors.clear()
    browser.open(path)
    loss = next(f for f in page.story.stages[0]["set"] if f["op"] == "Softmax")
    browser.ask(f"graphrtPage.choose('node', {json.dumps(loss['id'])}, null)")
    assert browser.ask("document.querySelector('#source .x.on').textContent") == "tf.nn.softmax(tf.matmul(x, w) + b)"
    told = browser.ask("document.getElementById('detail').textContent")
    assert "Softmax" in told and "Recorded while tracing by tf.nn.softmax" in told
    assert browser.ask("location.hash").startswith("#node=")
    address = browser.ask("location.href")
    browser.open(address)  # a deep link
    assert browser.ask("document.querySelector('#source .x.on').textContent") == "tf.nn.softmax(tf.matmul(x, w) + b)"
    assert browser.errors == []


def test_the_keyboard_goes_everywhere(browser, training_page):
    browser.errors.clear()
    browser.open(training_page[1])
    press = "new KeyboardEvent('keydown', {key: %r, bubbles: true, cancelable: true})"
    browser.ask("document.getElementById('source').focus()")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        browser.ask(f"document.activeElement.dispatchEvent({press % key})")
    assert browser.ask("location.hash").startswith("#line=")
    browser.ask(f"document.dispatchEvent({press % 'Escape'})")
    assert browser.ask("location.hash") == ""
    browser.ask("document.querySelector('#picture g.node[tabindex=\"0\"]').focus()")
    first = browser.ask("document.activeElement.dataset.id")
    browser.ask(f"document.activeElement.dispatchEvent({press % 'ArrowDown'})")
    assert browser.ask("document.activeElement.dataset.id") not in (None, first)
    browser.ask(f"document.dispatchEvent({press % '['})")
    assert browser.ask("Number(document.getElementById('pass').value)") == browser.ask("graphrtPage.states.length - 2")
    browser.ask(f"document.dispatchEvent({press % '/'})")
    assert browser.ask("document.activeElement.id") == "search"
    before = browser.ask("document.getElementById('p-source').offsetWidth")
    browser.ask("document.querySelector('#p-source > .split').focus()")
    browser.ask(f"document.activeElement.dispatchEvent({press % 'ArrowRight'})")
    assert 20 <= browser.ask("document.getElementById('p-source').offsetWidth") - before <= 28
    assert browser.ask("document.activeElement.getAttribute('aria-valuenow')") not in (None, "50")
    assert browser.errors == []


SEEN = """(() => {
    const texts = (where) => [...document.querySelectorAll(where)].map((e) => e.innerText.trim());
    return { source: texts("#source .row.marked"), program: texts("#program .row.marked"), told: document.getElementById("detail").innerText };
})()"""


def seen_after(browser, action):
    """What a page shows after somebody did something with it, and nothing else."""
    browser.ask(action)
    return browser.ask(SEEN)


def clicked(browser, where, text):
    """What it shows after a click on the first thing of a kind that has a text."""
    shown = (
        f"[...document.querySelectorAll({json.dumps(where)})].find((e) => e.textContent.includes({json.dumps(text)}))"
    )
    return seen_after(browser, f"{shown}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")


def test_a_newcomers_questions_are_answered_by_the_page(browser, tmp_path):
    """Six questions about five programs with planted problems, asked by clicks, answered by what can be read."""
    opened(browser, tmp_path / "page.html", test_findings.cosine, tf.zeros([3]), tf.ones([3]))
    # where does the NaN come from; which line makes this node
    for where, text in ((".finding", "NaN"), ("#picture g.node", "RealDiv")):
        seen = clicked(browser, where, text)
        assert len(seen["source"]) == 1 and "return tf.reduce_sum(a * b) / size" in seen["source"][0]
        assert len(seen["program"]) == 1 and "NaN" in seen["program"][0]
        assert "Recorded while tracing by tf.reduce_sum(a * b) / size at line" in seen["told"]
        assert "the first NaN comes from here" in seen["told"]
        browser.ask("graphrtPage.choose('node', null, null)")

    opened(browser, tmp_path / "page.html", test_findings.power, tf.eye(3), tf.ones([3]), run=False)
    # why is this loop unrolled
    assert "Write tf.range(rounds)" in browser.ask("document.querySelector('.finding.unrolled').innerText")
    seen = clicked(browser, "#source .row", "for _ in range(rounds)")
    assert "for: unrolled. Python ran this loop while tracing, because range(rounds) is a Python value" in seen["told"]
    assert "×40" in seen["source"][0]

    opened(browser, tmp_path / "page.html", test_findings.wasteful, tf.eye(3), run=False)
    # which pass removed this node: by the finding, and by the node in the stage before
    assert "removed by drop_dead_nodes" in browser.ask("document.querySelector('.finding.removed').innerText")
    assert "Removed by drop_dead_nodes (1)" in clicked(browser, ".finding", "Does not run")["told"]
    browser.ask("graphrtPage.goTo(0)")
    assert "Removed by drop_dead_nodes: " in clicked(browser, "#picture g.node", "MatrixInverse")["told"]

    growing = tf.function(test_findings.growing)
    for n in range(1, 4):
        growing(tf.zeros([n]), "sum")
    opened(browser, tmp_path / "page.html", growing, tf.zeros([3]), "max", run=False)
    # why is it traced again
    for action in ("document.querySelector('.finding.retraced').click()", "document.getElementById('traces').click()"):
        told = seen_after(browser, action)["told"]
        assert "4 traces" in told and "argument 'mode' was Literal['sum'], now Literal['max']" in told
        assert "argument 'x' had shape (1,), now (2,)" in told and "reduce_retracing=True" in told

    opened(browser, tmp_path / "page.html", test_findings.slow_step, tf.ones([10]))
    # what is slow
    seen = clicked(browser, ".finding", "Slow")
    assert len(seen["source"]) == 1 and "z = tf.numpy_function(heavy" in seen["source"][0]
    assert "PyFunc" in seen["told"] and browser.errors == []


def test_names_are_text_and_panes_without_content_are_away(browser, tmp_path):
    name, text = "<script>window.HACKED=1</script>", tf.constant("<img src=x onerror=window.HACKED=2>")
    concrete = tf.function(lambda d: tf.strings.join([d[name], "</script>&\u2028"])).get_concrete_function({name: text})
    opened(
        browser, tmp_path / "page.html", pickle.loads(pickle.dumps(concrete)), {name: text}
    )  # its source is not known
    pressed = "[...document.querySelectorAll('.panes button')].map((e) => e.getAttribute('aria-pressed'))"
    assert browser.ask(pressed)[:4] == ["false", "false", "true", "true"]
    for node in browser.ask("[...graphrtPage.states.at(-1).nodes.keys()]"):
        told = seen_after(browser, f"graphrtPage.choose('node', {json.dumps(node)}, null)")["told"]
    assert browser.ask("typeof window.HACKED") == "undefined" and "StringJoin" in told and browser.errors == []


def test_native_functions_belong_to_their_nodes(browser, tmp_path):
    def f(x):
        y = tf.sin(x) * 2.0 + 1.0
        tf.print(y, output_stream="file:///dev/null")
        return tf.nn.softmax(y)

    page = opened(browser, tmp_path / "page.html", tf.function(f, jit_compile=True), tf.ones([3]), run=False)
    native = page.story.native
    assert [sorted(key.strip("/") for key in keys) for keys in native["nodes"]] == [["Sin", "add", "mul"], ["Softmax"]]
    assert "PrintV2" in native["left"] and tf.view(f, tf.ones([3]), path=None).story.native is None
    browser.ask("document.getElementById('machine').click()")
    assert browser.ask("getComputedStyle(document.getElementById('program')).display") == "none"
    browser.ask("document.querySelector('#native .row.linked').click()")
    assert browser.ask("document.querySelectorAll('#picture g.node.marked').length") == 3
    assert "Native function 0: 3 nodes" in browser.ask("document.getElementById('detail').textContent")
    browser.ask("graphrtPage.choose('node', '/Softmax', null)")
    marked = "[...document.querySelectorAll('#native .row.kin')].map((e) => Number(e.dataset.i))"
    assert browser.ask(marked) == [i for i, region in enumerate(native["regions"]) if region == 1]
    assert browser.errors == []


def test_a_removed_node_is_shown_where_it_was(browser, tmp_path):
    def f(x):
        return (tf.exp(x) + tf.exp(x)) * 1.0

    page = opened(browser, tmp_path / "page.html", f, tf.ones([2]), run=False)
    gone = next(n for s in page.story.stages if s["name"] == "merge_common_subexpressions" for n in s["gone"])
    browser.ask(f"graphrtPage.choose('node', {json.dumps(gone)}, null)")
    told = browser.ask("document.getElementById('detail').textContent")
    assert "Removed by merge_common_subexpressions" in told and "In its place: " in told
    assert browser.ask(
        "graphrtPage.states[Number(document.getElementById('pass').value)].nodes.has(%s)" % json.dumps(gone)
    )


def test_many_nodes_are_drawn_quickly(browser, tmp_path):
    """Figures are of the time of the page's own thread, which other work on the machine does not lengthen much."""
    page = opened(browser, tmp_path / "page.html", large, tf.ones([2]), FEWER, run=False)
    assert len(page.story.stages[0]["set"]) >= FEWER
    browser.send("Performance.enable", timeDomain="threadTicks")

    def spent():
        found = browser.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in found if m["name"] == "TaskDuration")

    before = spent()
    browser.open(tmp_path / "page.html")
    load = spent() - before
    assert browser.ask("graphrtPage.picture.drawn()") < 600  # only what can be seen
    middle = "[...graphrtPage.states.at(-1).nodes.keys()][600]"
    costs = {}
    for name, action in {
        "choose": f"graphrtPage.choose('node', {middle}, null)", "search": "graphrtPage.search('sin')",
        "whole": "graphrtPage.picture.whole(0.02)", "pass": "graphrtPage.goTo(0)", "let go": "graphrtPage.choose('node', null, null)",
    }.items():  # fmt: skip
        before = spent()
        browser.ask(f"new Promise((done) => {{ {action}; requestAnimationFrame(() => setTimeout(done, 0)); }})")
        costs[name] = spent() - before
    assert load < 2 and max(costs.values()) < 1, (load, costs)  # no measure: far above what it takes
    assert browser.errors == []


@pytest.mark.skipif(not pathlib.Path(os.environ.get("AXE", "none")).is_file(), reason="AXE names no axe.min.js")
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_stands_in_the_way(browser, tmp_path, dark):
    browser.dark(dark)
    for name in ("metropolis", "training"):
        opened(browser, tmp_path / "page.html", CASES[name][0], *CASES[name][1])
        browser.ask(pathlib.Path(os.environ["AXE"]).read_text() + "; 1")
        for state in ("", "graphrtPage.choose('at', 3, null)", "document.getElementById('traces').click()"):
            if state:
                browser.ask(state)
            found = browser.ask(
                "axe.run(document).then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes[0].html]))"
            )
            assert [v for v in found if v[0] in ("serious", "critical")] == []
    browser.dark(False)


def test_a_notebook_is_run_and_looked_at(request, tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    cells = [
        "import graphrt as tf\n%load_ext graphrt",
        "%%autograph\ndef f(x):\n    if x > 0:\n        return x\n    return -x",
        "%%trace\ndef g(x):\n    return tf.exp(x)\nprint(g(tf.constant(1.0)).numpy())",
        "%view -r f(tf.constant(-2.0))",
        "tf.function(f)",
        "%%trace\n%time 3\n@tf.function\ndef h(x):\n    return tf.sin(x)\nh(tf.constant(1.0))\n1 / 0",
        "%view h",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
    errors = [o.ename for cell in notebook.cells for o in cell.outputs if o.output_type == "error"]
    assert errors == ["ZeroDivisionError"]  # told once
    texts = ["".join(o.get("text", "") for o in cell.outputs) for cell in notebook.cells]
    assert "ag__.if_stmt" in texts[1] and "2.718" in texts[2] and "Exp" in texts[2]
    shown = [o["data"]["text/html"] for c in notebook.cells for o in c.outputs if "text/html" in o.get("data", {})]
    assert len(shown) == 3 and "Sin" in texts[5] and "Wall time" in texts[5]
    assert ["srcdoc" in html for html in shown] == [True, False, True]
    browser = request.getfixturevalue("browser")
    file = tmp_path / "notebook.html"
    themed = f"<div style='background: rgb(17, 17, 17)'>{shown[2]}</div>"  # as JupyterLab's dark theme is
    file.write_text("<!doctype html><title>cells</title>" + "\n".join([*shown[:2], themed]), "utf-8")
    browser.errors.clear()
    browser.open(file)
    inner = "document.querySelector('iframe').contentWindow"
    browser.ask("""new Promise((done) => (function look() {
        const pages = [...document.querySelectorAll("iframe")].map((e) => e.contentWindow.graphrtPage);
        pages.every((page) => page) ? done() : setTimeout(look, 30);
    })())""")
    assert browser.ask(f"{inner}.document.querySelector('h1').textContent") == "f"
    first = browser.ask(f"Number({inner}.document.querySelector('#source .x').dataset.at)")
    browser.ask(f"{inner}.graphrtPage.choose('at', {first}, null)")
    assert browser.ask(f"{inner}.document.querySelector('#source .x.on').textContent") == "x > 0"
    assert browser.ask("document.querySelector('details').textContent").strip()
    ground = "getComputedStyle(document.querySelectorAll('iframe')[%d].contentDocument.body).backgroundColor"
    assert browser.ask(ground % 0) == "rgb(255, 255, 255)" and browser.ask(ground % 1) == "rgb(13, 17, 23)"
    assert browser.errors == []
