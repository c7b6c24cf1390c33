"use strict";
// One page about one function. What belongs together is found by the lines of the source and the ids of nodes.
(() => {
  const story = JSON.parse(document.getElementById("story").textContent);
  const $ = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, text) => {
    const it = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
    if (text !== undefined) it.textContent = text;
    return it;
  };
  const svg = (tag, attributes = {}, text) => {
    const it = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
    if (text !== undefined) it.textContent = text;
    return it;
  };

  // --- the graph after each pass --------------------------------------------------------------------------------------
  const states = [];
  let known = new Map();
  for (const stage of story.stages) {
    const next = new Map(known);
    for (const id of stage.gone) next.delete(id);
    for (const node of stage.set) next.set(node.id, node);
    known = stage.order ? new Map(stage.order.map((id) => [id, next.get(id)])) : next;
    states.push({ name: stage.name, nodes: known, changed: new Set(stage.set.map((n) => n.id)), gone: stage.gone, outputs: stage.outputs });
  }
  const lineOf = new Map(); // of a node, in whatever stage
  for (const state of states) for (const node of state.nodes.values()) if (node.line) lineOf.set(node.id, node.line);
  const nodesOfLine = new Map();
  for (const [id, line] of lineOf) nodesOfLine.set(line, [...(nodesOfLine.get(line) || []), id]);

  // --- selection ------------------------------------------------------------------------------------------------------
  const items = []; // {element, line?, nodes: Set} of the three texts
  let chosen = null;
  const linksOf = (kind, key) => {
    if (kind === "line") return { lines: new Set([key]), nodes: new Set(nodesOfLine.get(key) || []) };
    const line = lineOf.get(key);
    return { lines: new Set(line ? [line] : []), nodes: new Set([key]) };
  };
  function mark(kind, key, origin, scroll) {
    const links = key === null ? { lines: new Set(), nodes: new Set() } : linksOf(kind, key);
    for (const item of items) {
      const byNode = item.node && links.nodes.has(item.node);
      const byLine = item.line && links.lines.has(item.line);
      item.element.classList.toggle("marked", Boolean(byNode || byLine));
    }
    for (const panel of ["source", "converted", "program"]) {
      const first = $(panel).querySelector("li.marked");
      if (scroll && first && !$(panel).contains(origin)) first.scrollIntoView({ block: "center" });
    }
    picture.mark(links.nodes, scroll && !$("picture").contains(origin));
  }
  function choose(kind, key, origin) {
    chosen = chosen && chosen.key === key && chosen.kind === kind ? null : { kind, key };
    mark(kind, chosen ? key : null, origin, true);
    detail(chosen && kind === "node" ? key : null);
    history.replaceState(null, "", chosen ? `#${kind}=${encodeURIComponent(key)}` : location.pathname + location.search);
  }
  const hover = (kind, key, origin) => { if (!chosen) mark(kind, key, origin, false); };
  function live(element, kind, key) {
    element.classList.add("linked");
    element.setAttribute("tabindex", "0");
    element.addEventListener("mouseenter", () => hover(kind, key, element));
    element.addEventListener("mouseleave", () => hover(kind, null, element));
    element.addEventListener("click", (event) => { event.stopPropagation(); choose(kind, key, element); });
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(kind, key, element); }
    });
  }

  // --- the texts ------------------------------------------------------------------------------------------------------
  const heat = new Map();
  for (const run of story.run ? story.run.lines : []) heat.set(run.line, run);
  const spent = Math.max(1, ...[...heat.values()].map((run) => run.ns));
  const shortTime = (ns) => ns < 1e4 ? `${(ns / 1e3).toFixed(1)} µs` : ns < 1e7 ? `${(ns / 1e3).toFixed(0)} µs` : `${(ns / 1e6).toFixed(0)} ms`;
  function row(number, text, line, node, run, timed = false) {
    const li = make("li");
    li.append(make("span", { class: "no" }, number));
    if (timed && !run) li.append(make("span", { class: "time" }));
    if (run) {
      li.append(make("span", { class: "time" }, `${shortTime(run.ns)}${run.count > 1 ? ` / ${run.count}` : ""}${run.nan ? "  NaN" : ""}`));
      li.style.boxShadow = `inset ${Math.round((run.ns / spent) * 40)}px 0 0 -1px color-mix(in srgb, var(--heat) 45%, transparent)`;
    }
    li.append(document.createTextNode(text || " "));
    items.push({ element: li, line, node });
    if (node) live(li, "node", node); else if (line) live(li, "line", line);
    return li;
  }
  for (const block of story.blocks) {
    $("source").append(make("h3", {}, block.title));
    const list = make("ol", { class: "text", "aria-label": block.title });
    block.lines.forEach((text, i) => {
      const line = `${block.file}:${block.first + i}`;
      list.append(row(block.first + i, text, line));
    });
    $("source").append(list);
  }
  const listed = (id, label) => { const list = make("ol", { class: "text", "aria-label": label }); $(id).append(list); return list; };
  const converted = listed("converted", "Converted code");
  story.converted.lines.forEach((text, i) => converted.append(row(i + 1, text, story.converted.source[i])));
  const program = listed("program", "Program");
  story.text.lines.forEach((text, i) => program.append(row(i + 1, text, undefined, story.text.nodes[i], heat.get(i + 1), heat.size > 0)));
  for (const item of items) if (item.line && !nodesOfLine.has(item.line) && !item.node) item.element.classList.add("plain");

  const runOfNode = new Map();
  story.text.nodes.forEach((id, i) => {
    const run = heat.get(i + 1);
    if (!id || !run) return;
    const all = runOfNode.get(id) || { ns: 0, count: 0, value: null, nan: false };
    runOfNode.set(id, { ns: all.ns + run.ns, count: Math.max(all.count, run.count), value: run.value || all.value, nan: all.nan || run.nan });
  });

  // --- a node in words ------------------------------------------------------------------------------------------------
  function detail(id) {
    const at = states.findIndex((s, i) => s.nodes.has(id) && (i + 1 === states.length || !states[i + 1].nodes.has(id)));
    if (id === null || at < 0) { $("detail").textContent = "Choose a line or a node: what belongs to it is marked everywhere."; return; }
    const node = states[at].nodes.get(id);
    const made = states.findIndex((s) => s.nodes.has(id));
    const parts = [node.text, made > 0 ? `made by ${states[made].name}` : "recorded while tracing"];
    if (at + 1 < states.length) parts.push(`removed by ${states[at + 1].name}`);
    const run = runOfNode.get(id);
    if (run) {
      parts.push(`${shortTime(run.ns)} in ${run.count} run${run.count > 1 ? "s" : ""}${run.nan ? "; gives NaN" : ""}`);
      const v = run.value;
      if (v) parts.push(`${v.type}${v.text ? ` ${v.text}` : ""}${v.mean !== undefined ? `  min ${v.low} mean ${v.mean} max ${v.high}` : ""}${v.nan ? `  NaN: ${v.nan}` : ""}${v.bins ? `  ${bars(v.bins)}` : ""}`);
    }
    $("detail").textContent = parts.join("\n");
  }
  const bars = (bins) => bins.map((n) => " ▁▂▃▄▅▆▇█"[Math.ceil((8 * n) / Math.max(1, ...bins))]).join("");

  // --- the picture ----------------------------------------------------------------------------------------------------
  const SMALL = 250; // nodes that dagre lays out while somebody waits; more are put in rows
  const picture = (() => {
    const root = $("picture"), world = svg("g");
    root.append(svg("title", {}, "Graph"), world);
    let at = 0, view = { x: 0, y: 0, k: 1 }, elements = new Map(), places = new Map(), marked = new Set();
    const open = new Set(); // graphs that are shown within their node
    const all = () => [...states[at].nodes.values()];
    const shown = () => all().filter((n) => n.home === "" || opened(n.home));
    function opened(path) {
      if (!open.has(path)) return false;
      const holder = path.slice(0, path.lastIndexOf(">"));
      const home = homes.get(holder);
      return home === "" || home === undefined || opened(home);
    }
    const homes = new Map();
    for (const state of states) for (const n of state.nodes.values()) homes.set(n.id, n.home);
    if (states[states.length - 1].nodes.size <= 60) for (const state of states) for (const n of state.nodes.values()) for (const g of n.graphs) open.add(g[0]);

    const width = (n) => Math.max(60, 7.2 * Math.max(label(n).length + (runOfNode.get(n.id)?.nan ? 6 : 0) + 2 * n.graphs.length, under(n).length * 0.85) + 18);
    const label = (n) => n.op === "Const" ? constant(n) : n.op === "Placeholder" ? n.name.split("/").pop() : n.op;
    const constant = (n) => (/value=([^,)]*)/.exec(n.text) || [0, "Const"])[1].slice(0, 18);
    const under = (n) => n.op === "Placeholder" || n.op === "Const" ? n.out.join(" ") : `${n.name.split("/").pop()}  ${n.out.join(" ")}`.slice(0, 38);
    function layout(nodes) {
      const ids = new Set(nodes.map((n) => n.id));
      const edges = nodes.flatMap((n) => n.ins.filter((e) => ids.has(e[0])).map((e) => [e[0], n.id, e[1]]));
      for (const n of nodes) { // what a graph that is shown takes stands below the node that holds it
        const holder = n.kind === "parameter" && n.home ? n.home.slice(0, n.home.lastIndexOf(">")) : "";
        if (ids.has(holder)) edges.push([holder, n.id, ""]);
      }
      return nodes.length <= SMALL && window.dagre ? byDagre(nodes, edges) : inRows(nodes, edges);
    }
    function byDagre(nodes, edges) {
      const g = new dagre.graphlib.Graph({ compound: true, multigraph: true });
      g.setGraph({ nodesep: 18, ranksep: 34, marginx: 20, marginy: 20 });
      g.setDefaultEdgeLabel(() => ({}));
      const boxes = new Map();
      for (const n of nodes) {
        g.setNode(n.id, { width: width(n), height: 36 });
        if (n.home) boxes.set(n.home, n.home.slice(n.home.lastIndexOf(">") + 1));
      }
      for (const [path, name] of boxes) g.setNode(path, { label: name });
      for (const n of nodes) if (n.home) g.setParent(n.id, n.home);
      for (const path of boxes.keys()) {
        const holder = path.slice(0, path.lastIndexOf(">")), home = homes.get(holder);
        if (home && boxes.has(home)) g.setParent(path, home);
      }
      edges.forEach(([a, b], i) => g.setEdge(a, b, {}, String(i)));
      dagre.layout(g);
      const found = { nodes: new Map(), boxes: [], lines: [] };
      for (const n of nodes) { const p = g.node(n.id); found.nodes.set(n.id, { x: p.x, y: p.y, w: p.width, h: p.height }); }
      for (const [path, name] of boxes) { const p = g.node(path); found.boxes.push({ path, name, x: p.x, y: p.y, w: p.width, h: p.height }); }
      edges.forEach(([a, b, t], i) => found.lines.push({ a, b, t, points: g.edge({ v: a, w: b, name: String(i) }).points }));
      return found;
    }
    function inRows(nodes, edges) { // each below what it needs, near the middle of it: in time linear in the graph
      const rank = new Map(), into = new Map(), x = new Map();
      for (const [a, b] of edges) into.set(b, [...(into.get(b) || []), a]);
      const rows = [];
      for (const n of nodes) {
        const r = 1 + Math.max(-1, ...(into.get(n.id) || []).map((a) => rank.get(a) ?? -1));
        rank.set(n.id, r);
        (rows[r] = rows[r] || []).push(n);
      }
      const found = { nodes: new Map(), boxes: [], lines: [] };
      rows.forEach((row, r) => {
        const wish = (n) => { const from = (into.get(n.id) || []).map((a) => x.get(a) ?? 0); return from.length ? from.reduce((s, v) => s + v, 0) / from.length : 0; };
        const wishes = new Map(row.map((n) => [n.id, wish(n)]));
        row.sort((p, q) => wishes.get(p.id) - wishes.get(q.id));
        let right = -Infinity;
        for (const n of row) {
          const w = width(n), left = Math.max(right + 14, wishes.get(n.id) - w / 2);
          x.set(n.id, left + w / 2); right = left + w;
          found.nodes.set(n.id, { x: left + w / 2, y: 40 + r * 70, w, h: 36 });
        }
      });
      for (const [a, b, t] of edges) { const p = found.nodes.get(a), q = found.nodes.get(b); found.lines.push({ a, b, t, points: [{ x: p.x, y: p.y + 18 }, { x: q.x, y: q.y - 18 }] }); }
      return found;
    }
    function draw(fit) {
      const nodes = shown(), found = layout(nodes), parts = document.createDocumentFragment();
      elements = new Map(); places = found.nodes;
      const labels = found.lines.length <= 150;
      for (const b of found.boxes.sort((p, q) => q.w * q.h - p.w * p.h)) {
        parts.append(svg("rect", { class: "box", x: b.x - b.w / 2, y: b.y - b.h / 2, width: b.w, height: b.h, rx: 6 }));
        parts.append(svg("text", { class: "small", x: b.x - b.w / 2 + 6, y: b.y - b.h / 2 + 12 }, b.name));
      }
      for (const e of found.lines) {
        const d = e.points.map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join("");
        parts.append(svg("path", e.t ? { d, "marker-end": "url(#arrow)" } : { d, class: "holds" }));
        if (labels && e.points.length > 1) { const m = e.points[e.points.length >> 1]; parts.append(svg("text", { class: "small", x: m.x + 4, y: m.y - 3 }, e.t)); }
      }
      for (const n of nodes) {
        const p = found.nodes.get(n.id), g = svg("g", { class: "node", role: "button", "aria-label": `${n.op} ${n.name} ${n.out.join(" ")}`, "data-id": n.id, transform: `translate(${(p.x - p.w / 2).toFixed(1)} ${(p.y - p.h / 2).toFixed(1)})` });
        if (at > 0 && states[at].changed.has(n.id)) g.classList.add("changed");
        const run = runOfNode.get(n.id);
        g.append(svg("rect", { width: p.w, height: p.h, rx: n.kind === "constant" ? 2 : 8, style: `fill: var(--${n.kind})` }));
        if (run) g.append(svg("rect", { x: 0, y: p.h - 4, height: 4, width: Math.max(2, (p.w * run.ns) / spent), style: "fill: var(--heat); stroke: none" }));
        g.append(svg("text", { x: p.w / 2, y: 15, "text-anchor": "middle" }, label(n) + (run && run.nan ? "  ⚠ NaN" : "")));
        g.append(svg("text", { x: p.w / 2, y: 28, "text-anchor": "middle", class: "small" }, under(n)));
        if (n.graphs.length) {
          const isOpen = n.graphs.some((b) => open.has(b[0]));
          const fold = svg("text", { x: p.w - 14, y: 15, role: "button", tabindex: "0", "aria-label": isOpen ? "fold" : "unfold" }, isOpen ? "⊖" : "⊕");
          const toggle = (event) => { event.stopPropagation(); for (const b of n.graphs) isOpen ? open.delete(b[0]) : open.add(b[0]); draw(false); };
          fold.addEventListener("click", toggle);
          fold.addEventListener("keydown", (event) => { if (event.key === "Enter") toggle(event); });
          g.append(fold);
        }
        g.setAttribute("tabindex", "0");
        elements.set(n.id, g);
        parts.append(g);
      }
      world.replaceChildren(parts);
      const s = states[at];
      $("stage").textContent = `${s.name}: ${s.nodes.size} nodes${at ? `, ${s.changed.size} new or changed, ${s.gone.length} gone` : ""}`;
      if (fit) whole();
      mark(marked, false);
    }
    function mark(nodes, scroll) {
      for (const id of marked) elements.get(id)?.classList.remove("marked");
      marked = nodes;
      for (const id of marked) elements.get(id)?.classList.add("marked");
      const first = scroll && [...nodes].map((id) => places.get(id)).find(Boolean);
      if (first) { const r = root.getBoundingClientRect(); view.x = r.width / 2 - first.x * view.k; view.y = r.height / 2 - first.y * view.k; move(); }
    }
    function move() { world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`); }
    function whole() {
      const r = root.getBoundingClientRect(), p = [...places.values()];
      if (!p.length) return;
      const left = Math.min(...p.map((q) => q.x - q.w / 2)), right = Math.max(...p.map((q) => q.x + q.w / 2));
      const top = Math.min(...p.map((q) => q.y)) - 30, bottom = Math.max(...p.map((q) => q.y)) + 30;
      view.k = Math.max(0.45, Math.min(1, (r.width - 20) / (right - left), (r.height - 20) / (bottom - top)));
      view.x = r.width / 2 - ((left + right) / 2) * view.k; view.y = Math.max(10, r.height / 2 - ((top + bottom) / 2) * view.k) - top * 0;
      if ((bottom - top) * view.k > r.height) view.y = 10 - top * view.k;
      move();
    }
    function zoom(by, x, y) {
      const k = Math.max(0.02, Math.min(4, view.k * by));
      view.x = x - ((x - view.x) * k) / view.k; view.y = y - ((y - view.y) * k) / view.k; view.k = k; move();
    }
    root.addEventListener("wheel", (event) => { event.preventDefault(); const r = root.getBoundingClientRect(); zoom(Math.exp(-event.deltaY / 400), event.clientX - r.left, event.clientY - r.top); }, { passive: false });
    const nodeAt = (event) => event.target.closest("g.node")?.dataset.id ?? null; // one listener serves all nodes
    root.addEventListener("pointerover", (event) => hover("node", nodeAt(event), root));
    root.addEventListener("click", (event) => { const id = nodeAt(event); if (id !== null) choose("node", id, root); });
    root.addEventListener("keydown", (event) => {
      const id = nodeAt(event);
      if (id !== null && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); choose("node", id, root); }
    });
    let drag = null;
    root.addEventListener("pointerdown", (event) => { if (!event.target.closest("g.node")) { drag = [event.clientX - view.x, event.clientY - view.y]; root.setPointerCapture(event.pointerId); } });
    root.addEventListener("pointermove", (event) => { if (drag) { view.x = event.clientX - drag[0]; view.y = event.clientY - drag[1]; move(); } });
    root.addEventListener("pointerup", () => { drag = null; });
    $("in").addEventListener("click", () => { const r = root.getBoundingClientRect(); zoom(1.3, r.width / 2, r.height / 2); });
    $("out").addEventListener("click", () => { const r = root.getBoundingClientRect(); zoom(1 / 1.3, r.width / 2, r.height / 2); });
    $("fit").addEventListener("click", whole);
    $("fold").addEventListener("click", () => { if (open.size) open.clear(); else for (const n of all()) for (const b of n.graphs) open.add(b[0]); draw(true); });
    return { mark, go(stage) { at = stage; draw(true); }, states, find(text) { const wanted = text.toLowerCase(); return all().filter((n) => `${n.op} ${n.name}`.toLowerCase().includes(wanted)); }, reveal(id) { let home = homes.get(id); while (home) { open.add(home); home = homes.get(home.slice(0, home.lastIndexOf(">"))); } draw(false); } };
  })();

  const slider = $("pass");
  slider.max = states.length - 1;
  slider.addEventListener("input", () => picture.go(Number(slider.value)));
  $("search").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const [first] = picture.find(event.target.value);
    if (first) { chosen = null; picture.reveal(first.id); choose("node", first.id, null); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT") return;
    if (event.key === "Escape" && chosen) choose(chosen.kind, chosen.key, null);
    if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    if (event.key === "[" || event.key === "]") { slider.value = Number(slider.value) + (event.key === "]" ? 1 : -1); picture.go(Number(slider.value)); }
  });
  for (const text of story.traces) $("traces").append(make("li", {}, text));
  if (!story.traces.length) $("cache").hidden = true;
  slider.value = states.length - 1;
  picture.go(states.length - 1);
  detail(null);
  const asked = /^#(line|node)=(.+)$/.exec(location.hash);
  if (asked) { if (asked[1] === "node") picture.reveal(decodeURIComponent(asked[2])); choose(asked[1], decodeURIComponent(asked[2]), null); }
})();
