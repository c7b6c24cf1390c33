"""What pages and profiles cost, and whether pages are right: figures of `graphrt/viewing`, measured in Chromium.

python -m tests.viewing_figures                 all: pages, 5,000 nodes, profiles, what those pay who look at nothing, sizes
python -m tests.viewing_figures profile size    some of them
python -m tests.viewing_figures pictures        writes the small pictures of docs/viewing
AXE=axe.min.js python -m tests.viewing_figures axe

`AXE` names axe-core's script (of the package `axe-core`).
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import graphrt as tf
from graphrt.viewing.page import Page
from graphrt.viewing.recording import Recorder, record
from tests import ROOT
from tests.graphrt.viewing.browser import Browser
from tests.graphrt.viewing.real_functions import CASES, large, sampled

ROUNDS = 7
ADDED = (
    "autograph.backends.progress",
    "graphrt.ir.html",
    "graphrt.ir.summaries",
    "html",
    "html.entities",
)  # beside the room
PAINTED = """new Promise((done) => new PerformanceObserver((found) => {
    for (const one of found.getEntries()) if (one.name === "first-contentful-paint") done(one.startTime);
}).observe({ type: "paint", buffered: true }))"""


def axe() -> None:
    """Violations that axe-core finds on all pages, in light and dark, with a place chosen and with the traces shown."""
    script = pathlib.Path(os.environ["AXE"]).read_text()
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        cases = {**CASES, "5000": (large, (tf.ones([2]),)), "native": CASES["training"]}
        for name, (function, args) in cases.items():
            target = tf.function(function, jit_compile=True if name == "native" else None)
            for dark in (False, True):
                browser.dark(dark)
                tf.view(target, *args, run=name != "5000", path=f"{folder}/page.html")
                browser.open(f"{folder}/page.html")
                browser.ask(f"{script}; 1")
                found = {}
                traces, machine = (f"document.getElementById('{name}')?.click()" for name in ("traces", "machine"))
                for state in ("0", "graphrtPage.choose('at', 3, null)", traces, machine):
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
        _look_at_places(browser, page)
        print(f"5000 first paint {min(paints):.0f} ms at best, {statistics.median(paints):.0f} ms in the middle")
        for name, all_ in costs.items():
            print(f"5000 {name:20} {min(all_):6.1f} ms at best, {statistics.median(all_):6.1f} ms in the middle, "
                  f"{statistics.median(own[name]):6.1f} ms of its thread")  # fmt: skip
        assert browser.errors == [], browser.errors


def _look_at_places(browser: Browser, page: Page) -> None:
    """Whether what belongs to 30 nodes is marked, in the source, the picture and the program."""
    text = page.story.text["nodes"]
    nodes = random.Random(1).sample([node for node in text if node is not None], 30)
    marked = browser.ask(f"""{json.dumps(nodes)}.map((id) => {{
        graphrtPage.choose("node", id, null);
        const rows = [...document.querySelectorAll("#program .row.marked")].map((e) => Number(e.dataset.i));
        const drawn = [...document.querySelectorAll("#picture g.node.marked")].map((e) => e.dataset.id);
        return [drawn, rows, document.querySelector("#source .x.on").textContent];
    }})""")
    facts = {fact["id"]: fact for stage in page.story.stages for fact in stage["set"]}
    places = sampled(page.story.as_json())
    right = [
        seen == [[node], [text.index(node)], places[facts[node]["at"]]]
        for node, seen in zip(nodes, marked, strict=True)
    ]
    print(f"5000 {sum(right)} of {len(right)} places have what belongs to them")


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
        plain, whole, told, sums, rows = [], [], [], [], []
        for _ in range(12 * ROUNDS):  # short programs, many rounds: the least of each is that of a quiet moment
            begun = time.perf_counter_ns()
            program.function(*inputs)
            plain.append(time.perf_counter_ns() - begun)
            found, _ = record(program, inputs, Recorder(values=False, moments=True))
            whole.append(found["ns"] + found["clock"])
            told.append(found["ns"])
            sums.append(sum(line["ns"] for line in found["lines"]))
            runs = [line["ns"] / line["count"] for line in found["lines"]]
            rows.append(sorted(runs)[len(runs) // 2] / 1e3)
        p, w, t, s = min(plain), min(whole), min(told), min(sums)
        print(f"profile {name:8} plain {p / 1e6:7.2f} ms, profiled {w / p - 1:+.1%}, told {t / p - 1:+.1%}, of lines {s / p - 1:+.1%}, "
              f"rows of {min(rows):.1f} us")  # fmt: skip


def off() -> None:
    """What is paid where nobody looks: calls, traces, checkpoints and the import, against a copy of the tree without pages,
    profiles and progress. Fresh interpreters in turn; processor time of their own thread, so that other work counts little."""
    with tempfile.TemporaryDirectory() as folder:
        bare = _without(pathlib.Path(folder))
        times: dict[str, dict[str, list[float]]] = {}
        counts: dict[str, dict[str, int]] = {}
        for _ in range(ROUNDS):
            for name, tree in (("with", ROOT), ("without", bare), ("again", ROOT)):
                found, counts[name] = json.loads(_fresh(tree, _ORDINARY))
                for what, seconds in found.items():
                    times.setdefault(what, {}).setdefault(name, []).append(1e3 * seconds)
        for what, of in times.items():
            rounds = list(zip(of["with"], of["without"], of["again"], strict=True))
            cost = statistics.median(a - b for a, b, _ in rounds)
            noise = statistics.median(abs(a - c) for a, _, c in rounds)
            print(f"off {what:14} {min(of['with']):7.2f} ms with, {min(of['without']):7.2f} without; in the middle of the "
                  f"rounds {cost:+.2f} ms, where the same tree differs from itself by {noise:.2f}")  # fmt: skip
        for what, count in counts["with"].items():
            print(f"off {what:14} {count:7} instructions with, {counts['without'][what]:7} without")


# What people do who look at nothing. The import comes first; each thing is done some times, and the least counts.
_ORDINARY = """
import time
clock = time.thread_time
begun = clock()
import numpy
numpys = clock() - begun
begun = clock()
import graphrt as tf
found = {"import": clock() - begun}
import json, os, sys, tempfile

def least(work, rounds):
    times = []
    for _ in range(rounds):
        begun = clock()
        work()
        times.append(clock() - begun)
    return min(times)

def steps(x):
    for _ in tf.range(20):
        x = tf.sqrt(tf.exp(x) + x)
    for _ in range(20):
        x = x * 0.5 + tf.sin(x)
    return x

x = tf.ones([8])
small, long = tf.function(lambda a: a + 1.0), tf.function(steps)
small(x), long(x)
def instructions(work):
    count = [0]
    def look(frame, event, argument):
        frame.f_trace_opcodes = True
        count[0] += event == "opcode"
        return look
    sys.settrace(look)
    work()
    sys.settrace(None)
    return count[0]

counts = {"a call": instructions(lambda: small(x)), "a long call": instructions(lambda: long(x))}
found["2000 calls"] = least(lambda: [small(x) for _ in range(2000)], 5)
found["50 long calls"] = least(lambda: [long(x) for _ in range(50)], 5)
found["a trace"] = least(lambda: tf.function(steps).get_concrete_function(x), 5)
path = os.path.join(tempfile.mkdtemp(), "c")
kept = tf.train.Checkpoint(**{f"v{i}": tf.Variable(tf.ones([100])) for i in range(100)})
found["a checkpoint"] = least(lambda: kept.read(kept.write(path)), 5)
print(json.dumps([found, counts]))
"""
# (file, what stands there for pages, profiles and progress, what would stand there without them)
_HOOKS = [
    ("graphrt/errors.py", "place = Place((code.co_filename, line_of(frame)))\n        place.code, place.at = code, at",
     "place = code.co_filename, line_of(frame)"),
    ("graphrt/function/function.py", "with begun(making), _told(making):", "with begun(making):"),
    ("graphrt/function/function.py", ", errors.user_location(2)\n", ", None\n"),
    ("graphrt/api/exports.py", '        "graphrt.viewing.notebook": "load_ipython_extension",\n', ""),
    ("graphrt/api/exports.py", '        "graphrt.viewing.page": "view",\n', ""),
    ("graphrt/api/exports.py", '        "graphrt.viewing.profiling": "profile",\n', ""),
    ("graphrt/api/exports.py", '        "graphrt.viewing.progress": "progress",\n', ""),
]  # fmt: skip
_NO_PROGRESS = """
class Progress:
    done = 0
    shown = False
    def __init__(self, *_, **__): pass
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def step(self, *_): pass
"""


def _without(folder: pathlib.Path) -> pathlib.Path:
    """A copy of both packages without what there is for pages, profiles and progress."""
    for package in ("autograph", "graphrt"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "viewing"))
    for name, hook, instead in _HOOKS:
        text = (folder / name).read_text()
        assert text.count(hook) == 1, f"{name} has changed: say here what stands in place of {hook!r}"
        (folder / name).write_text(text.replace(hook, instead))
    (folder / "autograph/backends/progress.py").write_text(_NO_PROGRESS)
    (folder / "graphrt/ir/html.py").write_text("folded = summarized = None\n")
    (folder / "graphrt/ir/summaries.py").unlink()
    return folder


def _fresh(tree: pathlib.Path, code: str, *flags: str) -> str:
    """What a fresh interpreter prints, which finds the packages in `tree`; both trees have bytecode, made once."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree),
        "PYTHONPYCACHEPREFIX": f"{tempfile.gettempdir()}/figures-{os.getuid()}",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def imports() -> None:
    """What `-X importtime` says of the modules that are there for pages, profiles and progress; their own, in ms."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    spent: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        command = [sys.executable, "-X", "importtime", "-c", "import graphrt"]
        for line in subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stderr.splitlines():
            own, _, name = (part.strip() for part in line.removeprefix("import time:").split("|"))
            if name in ADDED or name.startswith("graphrt.viewing"):
                spent.setdefault(name, []).append(int(own) / 1e3)
    for name, all_ in spent.items():
        print(f"imports {name:30} {min(all_):.2f} ms")
    print(f"imports in all {sum(map(min, spent.values())):.2f} ms")


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
    known = {f.__name__: f for f in (pages, nodes, profile, off, imports, size, axe, pictures)}
    for name in sys.argv[1:] or [n for n in known if n != "pictures" and (n != "axe" or "AXE" in os.environ)]:
        known[name]()


if __name__ == "__main__":
    main()
