"""What pages and profiles cost, and whether pages are right: figures of `graphrt/viewing`, measured in Chromium.

python -m tests.viewing_figures                 all: pages, 5,000 nodes, profiles, imports and sizes
python -m tests.viewing_figures profile size    some of them
python -m tests.viewing_figures pictures        writes the small pictures of docs/viewing
AXE=axe.min.js python -m tests.viewing_figures axe

`AXE` names axe-core's script (of the package `axe-core`).
"""

from __future__ import annotations

import base64
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import graphrt as tf
from graphrt.viewing.recording import Recorder, record
from tests import ROOT
from tests.graphrt.viewing.browser import Browser
from tests.graphrt.viewing.real_functions import CASES, large, sampled

ROUNDS = 7
PAINTED = """new Promise((done) => new PerformanceObserver((found) => {
    for (const one of found.getEntries()) if (one.name === "first-contentful-paint") done(one.startTime);
}).observe({ type: "paint", buffered: true }))"""


def axe() -> None:
    """Violations that axe-core finds on all pages, in light and dark, with a place chosen and with the traces shown."""
    script = pathlib.Path(os.environ["AXE"]).read_text()
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for name, (function, args) in {**CASES, "5000": (large, (tf.ones([2]),))}.items():
            for dark in (False, True):
                browser.dark(dark)
                tf.view(tf.function(function), *args, run=name != "5000", path=f"{folder}/page.html")
                browser.open(f"{folder}/page.html")
                browser.ask(f"{script}; 1")
                found = {}
                for state in ("0", "graphrtPage.choose('at', 3, null)", "document.getElementById('traces').click()"):
                    browser.ask(state)
                    for impact, rule in browser.ask(
                        "axe.run(document).then((r) => r.violations.map((v) => [v.impact, v.id]))"
                    ):
                        found[rule] = impact
                print(f"axe  {name:12} {'dark ' if dark else 'light'}  {found or 'no violation'}")


def nodes() -> None:
    """First paint of 5,000 nodes, and the time from an action to the frame that shows it, least of some rounds."""
    actions = {
        "hover a node": "P.picture.mark(new Set([id]), new Set(), false)",
        "choose a node": "P.choose('node', id, null)",
        "let go": "P.choose('node', null, null)",
        "choose a line": "P.choose('line', P.story.blocks[0].file + ':' + (P.story.blocks[0].first + 2), null)",
        "let go again": "P.choose('node', null, null)",
        "search": "P.search('sin')",
        "search on": "P.search('sin')",
        "whole": "P.picture.whole(0.02)",
        "zoom far": "P.picture.middle(0.9)",
        "zoom near": "P.picture.middle(20)",
        "pan": "root.dispatchEvent(new WheelEvent('wheel', {deltaY: 40, clientX: 800, clientY: 400, cancelable: true}))",
        "first pass": "P.goTo(0)",
        "last pass": "P.goTo(P.states.length - 1)",
        "fold": "P.picture.foldAll()",
        "scroll the program": "document.getElementById('program').scrollTop += 4000",
        "key down": "document.getElementById('source').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}))",
    }
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        file = f"{folder}/page.html"
        begun = time.perf_counter()
        page = tf.view(large, tf.ones([2]), path=file)
        made = len(page.story.stages[0]["set"])
        print(f"5000 {made} nodes, {len(page.html) / 1e6:.2f} MB, made in {time.perf_counter() - begun:.1f} s")
        paints, costs = [], {name: [] for name in actions}
        own = {name: [] for name in actions}  # of the page's own thread, which other work does not lengthen
        browser.send("Performance.enable", timeDomain="threadTicks")
        for _ in range(ROUNDS):
            browser.open(file)
            paints.append(browser.ask(PAINTED))
            for name, action in actions.items():
                before = ticks(browser)
                spent = browser.ask(f"""new Promise((done) => {{
                    const P = graphrtPage, root = document.getElementById('picture');
                    const id = [...P.states.at(-1).nodes.keys()][2000];
                    const begun = performance.now(); {action};
                    requestAnimationFrame(() => {{ const channel = new MessageChannel();
                        channel.port1.onmessage = () => done(performance.now() - begun); channel.port2.postMessage(0); }});
                }})""")
                costs[name].append(spent)
                own[name].append(1e3 * (ticks(browser) - before))
        print(f"5000 first paint {min(paints):.0f} ms at best, {statistics.median(paints):.0f} ms in the middle")
        for name, all_ in costs.items():
            print(f"5000 {name:20} {min(all_):6.1f} ms at best, {statistics.median(all_):6.1f} ms in the middle, "
                  f"{statistics.median(own[name]):6.1f} ms of its thread")  # fmt: skip
        assert browser.errors == [], browser.errors


def ticks(browser: Browser) -> float:
    """Seconds that the thread of the page has worked."""
    found = browser.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in found if metric["name"] == "TaskDuration")


def pictures() -> None:
    """Writes small pictures of the pages of six functions and of 5,000 nodes."""
    folder = ROOT / "docs" / "viewing"
    folder.mkdir(exist_ok=True)
    shot = {"format": "webp", "quality": 70, "clip": {"x": 0, "y": 0, "width": 1500, "height": 800, "scale": 0.62}}
    with tempfile.TemporaryDirectory() as temporary, Browser(width=1500, height=800) as browser:
        for name, (function, args) in {**CASES, "nodes_5000": (large, (tf.ones([2]),))}.items():
            browser.dark(name in ("beam_search", "nodes_5000"))
            page = tf.view(function, *args, run=name != "nodes_5000", path=f"{temporary}/page.html")
            browser.open(f"{temporary}/page.html")
            places = sampled(page.story.as_json())
            browser.ask(f"graphrtPage.choose('at', {list(places)[0]}, null)")
            if name == "nodes_5000":
                browser.ask("graphrtPage.picture.whole(0.02)")
            browser.ask("new Promise((done) => setTimeout(done, 300))")
            data = base64.b64decode(browser.send("Page.captureScreenshot", **shot)["data"])
            (folder / f"{name}.webp").write_bytes(data)
            print(f"picture {name:12} {len(data) / 1e3:.0f} kB")


def pages() -> None:
    """Sizes of the pages of six functions, and what their consoles say."""
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for name, (function, args) in CASES.items():
            page = tf.view(tf.function(function), *args, run=True, path=f"{folder}/page.html")
            browser.errors.clear()
            browser.open(f"{folder}/page.html")
            paint = browser.ask(PAINTED)
            places = len(sampled(page.story.as_json()))
            print(f"page {name:12} {len(page.html) / 1e3:5.0f} kB, painted after {paint:4.0f} ms, {places} places, "
                  f"{len(browser.errors)} errors")  # fmt: skip


def profile() -> None:
    """How much longer a profiled run takes, and how far the sum of its lines is from the plain run: in alternating rounds."""
    x = tf.constant(np.random.RandomState(0).rand(100000).astype(np.float32))
    wide = tf.constant(np.random.RandomState(0).rand(200, 200))

    def straight(a):
        for _ in range(40):
            a = tf.sqrt(tf.exp(a) + a)
        return a

    def loop(a):
        for _ in tf.range(20):
            a = tf.sqrt(tf.exp(a) + a)
        return a

    def dear(a):
        for _ in tf.range(3):
            a = tf.sin(tf.exp(a))
        return a

    def cheap(n):
        total = tf.constant(0)
        for i in tf.range(n):
            total += i * 2
        return total

    cases = {
        "straight": (straight, [x]),
        "loop": (loop, [x]),
        "dear": (dear, [wide]),
        "cheap": (cheap, [tf.constant(2000)]),
    }
    for name, (function, args) in cases.items():
        concrete = tf.function(function).get_concrete_function(*args)
        inputs = concrete.raw_inputs(tuple(args), {})
        program = concrete.program
        plain, whole, sums, rows = [], [], [], []
        for _ in range(12 * ROUNDS):  # short programs, many rounds: the least of each is that of a quiet moment
            begun = time.perf_counter_ns()
            program.function(*inputs)
            plain.append(time.perf_counter_ns() - begun)
            found, _ = record(program, inputs, Recorder(values=False, moments=True))
            whole.append(found["ns"])
            sums.append(sum(line["ns"] for line in found["lines"]))
            runs = [line["ns"] / line["count"] for line in found["lines"]]
            rows.append(sorted(runs)[len(runs) // 2] / 1e3)
        p, w, s = min(plain), min(whole), min(sums)
        print(f"profile {name:8} plain {p / 1e6:7.2f} ms, profiled {w / p - 1:+.1%}, sum of lines {s / p - 1:+.1%}, "
              f"rows of {min(rows):.1f} us")  # fmt: skip


def size() -> None:
    """Bytes of what is there for pages, and what an import reads of it."""
    folder = ROOT / "graphrt" / "viewing"
    files = [*folder.iterdir(), ROOT / "autograph" / "backends" / "progress.py", ROOT / "graphrt" / "cli" / "view.py"]
    print(f"size {sum(f.stat().st_size for f in files if f.is_file()) / 1e3:.0f} kB")
    code = "import sys, graphrt; print(*[n for n in sys.modules if 'viewing' in n or 'progress' in n])"
    read = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    print(f"size `import graphrt` reads of it: {read.stdout.strip() or 'nothing'}")


def main() -> None:
    known = {f.__name__: f for f in (pages, nodes, profile, size, axe, pictures)}
    for name in sys.argv[1:] or [n for n in known if n != "pictures" and (n != "axe" or "AXE" in os.environ)]:
        known[name]()


if __name__ == "__main__":
    main()
