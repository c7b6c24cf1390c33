"use strict";
// The picture of a graph. Only what can be seen is in the document, so that graphs of any size can be moved about.
// What far away is too small to be read is drawn as one path for each kind.
const graphrtPicture = ({ root, states, runOf, spent, choose, hover, status }) => {
  const NS = "http://www.w3.org/2000/svg";
  const svg = (tag, attributes = {}, text) => {
    const it = document.createElementNS(NS, tag);
    for (const key in attributes) it.setAttribute(key, attributes[key]);
    if (text !== undefined) it.textContent = text;
    return it;
  };
  const world = svg("g"), BUCKET = 600, SMALL = 250, FAR = 0.22, LONG = 600; // SMALL: as many as dagre lays out while somebody waits
  root.append(world);
  let at = 0, view = { x: 0, y: 0, k: 1 }, layout = null, elements = new Map(), marked = new Set(), kin = new Set();
  let current = null, drawn = null, waiting = false, everything = false;
  const open = new Set(), cache = new Map(), homes = new Map();
  for (const state of states) for (const n of state.nodes.values()) homes.set(n.id, n.home);
  if (states[states.length - 1].nodes.size <= 60) for (const state of states) for (const n of state.nodes.values()) for (const g of n.graphs) open.add(g[0]);

  const holderOf = (path) => path.slice(0, path.lastIndexOf(">"));
  function opened(path) {
    if (path === "") return true;
    if (!open.has(path)) return false;
    return opened(homes.get(holderOf(path)) || "");
  }
  const all = () => [...states[at].nodes.values()];
  const last = (name) => name.slice(name.lastIndexOf("/") + 1);
  const constant = (n) => (/value=(.*)/.exec(n.attrs) || [0, "Const"])[1].replace(/, \w+=.*/, "").slice(0, 18);
  const label = (n) => n.kind === "constant" ? constant(n) : n.kind === "parameter" ? last(n.name) : n.op;
  const under = (n) => (n.kind === "constant" || n.kind === "parameter" ? n.out.join(" ") : n.out.join(" ") || last(n.name)).slice(0, 34);
  const width = (n) => Math.round(Math.max(56, 7.4 * Math.max(label(n).length + (runOf(n.id)?.nan ? 6 : 0) + (n.graphs.length ? 3 : 0), under(n).length * 0.82) + 18));

  // --- where everything stands ------------------------------------------------------------------------------------------
  function arranged() {
    const key = `${at}|${[...open].sort().join("|")}`;
    if (!cache.has(key)) {
      if (cache.size > 12) cache.clear();
      const visible = new Map([["", true]]);
      const shown = all().filter((n) => {
        if (!visible.has(n.home)) visible.set(n.home, opened(n.home));
        return visible.get(n.home);
      });
      const ids = new Set(shown.map((n) => n.id));
      const edges = [];
      for (const n of shown) {
        for (const [from, index] of n.ins) if (ids.has(from)) edges.push([from, n.id, states[at].nodes.get(from).out[index] || ""]);
        const holder = n.kind === "parameter" && n.home ? holderOf(n.home) : ""; // what a graph that is shown takes
        if (ids.has(holder)) edges.push([holder, n.id, ""]); // stands below the node that holds it
      }
      const made = shown.length <= SMALL && window.dagre ? byDagre(shown, edges) : inRows(shown, edges);
      cache.set(key, indexed(made, shown));
    }
    return cache.get(key);
  }
  function byDagre(nodes, edges) {
    const g = new dagre.graphlib.Graph({ compound: true, multigraph: true });
    g.setGraph({ nodesep: 16, ranksep: 32, marginx: 20, marginy: 20 });
    g.setDefaultEdgeLabel(() => ({}));
    const boxes = new Map();
    for (const n of nodes) {
      g.setNode(n.id, { width: width(n), height: 36 });
      if (n.home) boxes.set(n.home, n.home.slice(n.home.lastIndexOf(">") + 1));
    }
    for (const [path, name] of boxes) g.setNode(path, { label: name });
    for (const n of nodes) if (n.home) g.setParent(n.id, n.home);
    for (const path of boxes.keys()) {
      const home = homes.get(holderOf(path));
      if (home && boxes.has(home)) g.setParent(path, home);
    }
    edges.forEach(([a, b], i) => g.setEdge(a, b, {}, String(i)));
    dagre.layout(g);
    const found = { places: new Map(), boxes: [], lines: [] };
    for (const n of nodes) { const p = g.node(n.id); found.places.set(n.id, { x: p.x, y: p.y, w: p.width, h: p.height }); }
    for (const [path, name] of boxes) { const p = g.node(path); found.boxes.push({ path, name, x: p.x, y: p.y, w: p.width, h: p.height }); }
    edges.forEach(([a, b, t], i) => found.lines.push({ a, b, t, points: g.edge({ v: a, w: b, name: String(i) }).points }));
    return found;
  }
  function inRows(nodes, edges) { // each below what it needs, near the middle of it: in time linear in the graph
    const rank = new Map(), into = new Map(), x = new Map(), rows = [];
    for (const [a, b] of edges) { const l = into.get(b); if (l) l.push(a); else into.set(b, [a]); }
    for (const n of nodes) {
      let r = 0;
      for (const a of into.get(n.id) || []) r = Math.max(r, (rank.get(a) ?? -1) + 1);
      rank.set(n.id, r);
      (rows[r] = rows[r] || []).push(n);
    }
    const users = new Map();
    for (const [a, b] of edges) if (!users.has(a)) users.set(a, b);
    for (const n of nodes) if (!into.has(n.id) && users.has(n.id)) { // what needs nothing stands right above who needs it
      const r = Math.max(0, (rank.get(users.get(n.id)) ?? 1) - 1), old = rank.get(n.id);
      if (r > old) { rows[old].splice(rows[old].indexOf(n), 1); rows[r].push(n); rank.set(n.id, r); }
    }
    const found = { places: new Map(), boxes: [], lines: [] };
    rows.forEach((row, r) => {
      const wish = (n) => {
        const from = into.get(n.id);
        if (!from) return x.get(n.id) ?? 0;
        let s = 0;
        for (const a of from) s += x.get(a) ?? 0;
        return s / from.length;
      };
      const wishes = new Map(row.map((n) => [n.id, wish(n)]));
      row.sort((p, q) => wishes.get(p.id) - wishes.get(q.id));
      let right = -Infinity;
      for (const n of row) {
        const w = width(n), left = Math.max(right + 14, wishes.get(n.id) - w / 2);
        x.set(n.id, left + w / 2); right = left + w;
        found.places.set(n.id, { x: left + w / 2, y: 40 + r * 70, w, h: 36 });
      }
    });
    for (const [a, b, t] of edges) {
      const p = found.places.get(a), q = found.places.get(b);
      found.lines.push({ a, b, t, points: [{ x: p.x, y: p.y + 18 }, { x: q.x, y: q.y - 18 }] });
    }
    return found;
  }
  function indexed(found, nodes) { // by squares of the plane
    const squares = new Map();
    const put = (kind, thing, left, top, right, bottom) => {
      for (let i = Math.floor(left / BUCKET); i <= Math.floor(right / BUCKET); i++) for (let j = Math.floor(top / BUCKET); j <= Math.floor(bottom / BUCKET); j++) {
        const key = `${i}:${j}`;
        let square = squares.get(key);
        if (!square) squares.set(key, square = { nodes: [], lines: [] });
        square[kind].push(thing);
      }
    };
    const e = found.extent = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    for (const n of nodes) {
      const p = found.places.get(n.id);
      put("nodes", n, p.x - p.w / 2, p.y - p.h / 2, p.x + p.w / 2, p.y + p.h / 2);
      e.left = Math.min(e.left, p.x - p.w / 2); e.right = Math.max(e.right, p.x + p.w / 2);
      e.top = Math.min(e.top, p.y - p.h / 2); e.bottom = Math.max(e.bottom, p.y + p.h / 2);
    }
    for (const line of found.lines) {
      let l = Infinity, r = -Infinity, t = Infinity, b = -Infinity;
      for (const p of line.points) { l = Math.min(l, p.x); r = Math.max(r, p.x); t = Math.min(t, p.y); b = Math.max(b, p.y); }
      if ((r - l) * (b - t) > 5e7 || b - t > 40 * BUCKET || r - l > 40 * BUCKET) (found.long = found.long || []).push(line); // across all
      else put("lines", line, l, t, r, b);
    }
    found.boxes.sort((p, q) => q.w * q.h - p.w * p.h);
    return Object.assign(found, { squares, nodes });
  }

  // --- drawing ----------------------------------------------------------------------------------------------------------
  const size = () => root.getBoundingClientRect();
  function window_() {
    const r = size(), m = 0.5; // as much again on each side
    return { left: (-view.x - m * r.width) / view.k, right: (r.width * (1 + m) - view.x) / view.k, top: (-view.y - m * r.height) / view.k, bottom: (r.height * (1 + m) - view.y) / view.k };
  }
  function render() {
    const w = window_(), parts = document.createDocumentFragment(), far = view.k < FAR && layout.nodes.length > SMALL && !everything;
    elements = new Map();
    for (const b of layout.boxes) {
      parts.append(svg("rect", { class: "box", x: b.x - b.w / 2, y: b.y - b.h / 2, width: b.w, height: b.h, rx: 8 }));
      parts.append(svg("text", { class: "small", x: b.x - b.w / 2 + 8, y: b.y - b.h / 2 + 13 }, b.name));
    }
    if (far) drawFar(parts);
    else drawNear(parts, everything ? layout.extent : w);
    world.replaceChildren(parts);
    drawn = { ...w, far };
    waiting = false;
  }
  function drawFar(parts) {
    if (!layout.far) {
      const kinds = new Map();
      for (const n of layout.nodes) {
        const p = layout.places.get(n.id), d = `M${Math.round(p.x - p.w / 2)} ${Math.round(p.y - 18)}h${p.w}v36h${-p.w}z`;
        kinds.set(n.kind, (kinds.get(n.kind) || "") + d);
      }
      let d = "";
      for (const line of layout.lines) { const p = line.points; d += `M${Math.round(p[0].x)} ${Math.round(p[0].y)}L${Math.round(p[p.length - 1].x)} ${Math.round(p[p.length - 1].y)}`; }
      layout.far = { kinds, d };
    }
    parts.append(svg("path", { d: layout.far.d, class: "edge", "stroke-width": 2 }));
    for (const [kind, d] of layout.far.kinds) parts.append(svg("path", { d, style: `fill: var(--${kind})`, class: "far" }));
    for (const id of marked) if (layout.places.has(id)) { const g = nodeElement(states[at].nodes.get(id)); parts.append(g); }
  }
  function drawNear(parts, w) {
    const nodes = new Set(), lines = new Set(layout.long || []);
    for (let i = Math.floor(w.left / BUCKET); i <= Math.floor(w.right / BUCKET); i++) for (let j = Math.floor(w.top / BUCKET); j <= Math.floor(w.bottom / BUCKET); j++) {
      const square = layout.squares.get(`${i}:${j}`);
      if (!square) continue;
      for (const n of square.nodes) nodes.add(n);
      for (const l of square.lines) lines.add(l);
    }
    const labels = lines.size <= 150;
    for (const e of lines) {
      const to = e.points[e.points.length - 1], height = to.y - e.points[0].y;
      if (layout.nodes.length > SMALL && height > LONG && !marked.has(e.a) && !marked.has(e.b)) { // a bar of hundreds of them tells nothing
        if (e.t) parts.append(svg("path", { d: `M${to.x.toFixed(1)} ${(to.y - 20).toFixed(1)}v20`, "marker-end": "url(#arrow)", class: "edge cut" }));
        continue;
      }
      const d = e.points.map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join("");
      const mine = marked.has(e.a) || marked.has(e.b) ? " near" : "";
      parts.append(svg("path", e.t ? { d, "marker-end": "url(#arrow)", class: `edge${mine}` } : { d, class: `edge holds${mine}` }));
    }
    if (labels) for (const e of lines) if (e.t && e.points.length > 1) { const m = e.points[e.points.length >> 1]; parts.append(svg("text", { class: "small edge-label", x: m.x + 4, y: m.y - 3 }, e.t)); }
    const ordered = layout.nodes.filter((n) => nodes.has(n));
    for (const n of ordered) parts.append(nodeElement(n));
    for (const n of ordered) if (n.graphs.length) parts.append(foldElement(n));
    const focus = elements.get(current) || elements.values().next().value;
    if (focus) focus.setAttribute("tabindex", "0");
  }
  function nodeElement(n) {
    const p = layout.places.get(n.id), run = runOf(n.id);
    const seen = label(n) + (run && run.nan ? "  ⚠ NaN" : ""), told = `${seen} ${under(n)}, ${n.op} ${n.name}`;
    const g = svg("g", { class: "node", role: "button", tabindex: "-1", "aria-label": told, "data-id": n.id, transform: `translate(${(p.x - p.w / 2).toFixed(1)} ${(p.y - p.h / 2).toFixed(1)})` });
    if (at > 0 && states[at].changed.has(n.id)) g.classList.add("changed");
    if (states[at].going.has(n.id)) g.classList.add("going");
    if (states[at].outputs.has(n.id)) g.classList.add("output");
    if (marked.has(n.id)) g.classList.add("marked"); else if (kin.has(n.id)) g.classList.add("kin");
    g.append(svg("rect", { class: "body", width: p.w, height: p.h, rx: n.kind === "constant" ? 2 : n.kind === "parameter" ? 18 : 7, style: `fill: var(--${n.kind})` }));
    if (run) g.append(svg("rect", { class: "heat", x: 0, y: p.h - 4, height: 4, rx: 2, width: Math.min(p.w, Math.max(2, (p.w * run.ns) / spent)).toFixed(1) }));
    g.append(svg("text", { x: p.w / 2, y: 15, "text-anchor": "middle" }, seen), " ");
    g.append(svg("text", { x: p.w / 2, y: 28, "text-anchor": "middle", class: "small" }, under(n)));
    elements.set(n.id, g);
    return g;
  }
  function foldElement(n) {
    const p = layout.places.get(n.id), isOpen = n.graphs.some((b) => open.has(b[0]));
    const g = svg("g", { class: "fold", role: "button", tabindex: "-1", "data-fold": n.id, "aria-label": `${isOpen ? "fold" : "unfold"} ${n.op} ${n.name}`, "aria-expanded": isOpen, transform: `translate(${p.x + p.w / 2 - 11} ${p.y - p.h / 2 + 11})` });
    g.append(svg("circle", { r: 7 }), svg("path", { d: isOpen ? "M-4 0h8" : "M-4 0h8M0 -4v8" }));
    return g;
  }
  function fold(id) {
    const n = states[at].nodes.get(id);
    if (!n || !n.graphs.length) return;
    const isOpen = n.graphs.some((b) => open.has(b[0])), before = layout.places.get(id);
    for (const b of n.graphs) isOpen ? open.delete(b[0]) : open.add(b[0]);
    layout = arranged();
    const after = layout.places.get(id);
    if (before && after) { view.x += (before.x - after.x) * view.k; view.y += (before.y - after.y) * view.k; } // it stays in its place
    move(true);
  }
  function mark(nodes, others, scroll) {
    const touched = [marked, kin, nodes, others];
    marked = nodes; kin = others;
    let first = null;
    if (scroll) for (const id of [...nodes, ...others]) if (layout.places.has(id)) { first = id; break; }
    if (first !== null) { current = first; show(first); return; }
    if (drawn && drawn.far) { later(); return; }
    for (const set of touched) for (const id of set) { const g = elements.get(id); if (g) { g.classList.toggle("marked", marked.has(id)); g.classList.toggle("kin", !marked.has(id) && kin.has(id)); } }
  }
  function show(id) { // in the middle, unless it can be seen already
    const p = layout.places.get(id), r = size();
    const x = p.x * view.k + view.x, y = p.y * view.k + view.y;
    if (view.k < 0.5) view.k = 0.8;
    if (x < 60 || x > r.width - 60 || y < 30 || y > r.height - 30 || view.k === 0.8) { view.x = r.width / 2 - p.x * view.k; view.y = r.height / 2 - p.y * view.k; }
    move(true);
  }
  const later = () => { if (!waiting) { waiting = true; requestAnimationFrame(render); } };
  function move(now) {
    world.setAttribute("transform", `translate(${view.x.toFixed(1)} ${view.y.toFixed(1)}) scale(${view.k.toFixed(4)})`);
    if (now) { render(); return; }
    const r = size(), far = view.k < FAR && layout.nodes.length > SMALL;
    const left = -view.x / view.k, top = -view.y / view.k, right = (r.width - view.x) / view.k, bottom = (r.height - view.y) / view.k;
    const known = drawn && drawn.far === far && (far || (left >= drawn.left && right <= drawn.right && top >= drawn.top && bottom <= drawn.bottom && (right - left) * 2.2 > drawn.right - drawn.left));
    if (!known) later();
  }
  function whole(least = 0.45) {
    const r = size(), e = layout.extent;
    if (!layout.nodes.length) { view = { x: 0, y: 0, k: 1 }; move(true); return; }
    view.k = Math.max(least, Math.min(1.1, (r.width - 30) / (e.right - e.left), (r.height - 30) / (e.bottom - e.top)));
    view.x = r.width / 2 - ((e.left + e.right) / 2) * view.k;
    view.y = (e.bottom - e.top) * view.k + 30 > r.height ? 15 - e.top * view.k : r.height / 2 - ((e.top + e.bottom) / 2) * view.k;
    if ((e.right - e.left) * view.k + 30 > r.width) { const p = layout.places.get(layout.nodes[0].id); view.x = r.width / 2 - p.x * view.k; }
    move(true);
  }
  function zoom(by, x, y) {
    const k = Math.max(0.01, Math.min(4, view.k * by));
    view.x = x - ((x - view.x) * k) / view.k; view.y = y - ((y - view.y) * k) / view.k; view.k = k;
    move(false);
  }
  function go(stage, fit) {
    at = stage;
    layout = arranged();
    const s = states[at];
    status(s, at);
    if (fit) whole(); else move(true);
  }

  // --- hands ------------------------------------------------------------------------------------------------------------
  root.addEventListener("wheel", (event) => {
    event.preventDefault();
    const r = size();
    zoom(Math.exp(-event.deltaY / 400), event.clientX - r.left, event.clientY - r.top);
  }, { passive: false });
  const nodeAt = (event) => event.target.closest("g.node")?.dataset.id ?? null; // one listener serves all nodes
  root.addEventListener("pointerover", (event) => hover("node", nodeAt(event), root));
  root.addEventListener("pointerleave", () => hover("node", null, root));
  root.addEventListener("click", (event) => {
    const folded = event.target.closest("g.fold");
    if (folded) { fold(folded.dataset.fold); return; }
    const id = nodeAt(event);
    if (id !== null) { current = id; choose("node", id, root); }
  });
  function step(id, key) {
    const n = states[at].nodes.get(id), order = layout.nodes, here = order.indexOf(n);
    if (key === "ArrowUp") return (n.ins.find(([i]) => layout.places.has(i)) || [null])[0];
    if (key === "ArrowDown") return (order.find((m) => m.ins.some(([i]) => i === id)) || { id: null }).id;
    return (order[here + (key === "ArrowRight" ? 1 : -1)] || { id: null }).id;
  }
  root.addEventListener("keydown", (event) => {
    const id = nodeAt(event);
    if (id === null) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); current = id; choose("node", id, root); elements.get(id)?.focus(); }
    if (event.key === "f") { event.preventDefault(); event.stopPropagation(); current = id; fold(id); elements.get(id)?.focus(); }
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = step(id, event.key);
      if (next !== null) { current = next; show(next); elements.get(next)?.focus(); hover("node", next, root); }
    }
  });
  let drag = null;
  root.addEventListener("pointerdown", (event) => {
    if (event.target.closest("g.node, g.fold")) return;
    drag = [event.clientX - view.x, event.clientY - view.y];
    root.setPointerCapture(event.pointerId); root.classList.add("dragged");
  });
  root.addEventListener("pointermove", (event) => { if (drag) { view.x = event.clientX - drag[0]; view.y = event.clientY - drag[1]; move(false); } });
  root.addEventListener("pointerup", () => { drag = null; root.classList.remove("dragged"); });
  window.addEventListener("resize", () => move(true));
  window.addEventListener("beforeprint", () => { everything = true; const r = size(), e = layout.extent; root.style.setProperty("--printed", `${Math.max(30, Math.min(220, 10 + (180 * (e.bottom - e.top + 60)) / (e.right - e.left + 40))).toFixed(0)}mm`); root.setAttribute("viewBox", `${e.left - 20} ${e.top - 30} ${e.right - e.left + 40} ${e.bottom - e.top + 60}`); view = { x: 0, y: 0, k: 1 }; if (layout.nodes.length > 2000) everything = false; move(true); void r; });
  window.addEventListener("afterprint", () => { everything = false; root.removeAttribute("viewBox"); whole(); });
  const middle = (by) => { const r = size(); zoom(by, r.width / 2, r.height / 2); };
  return {
    mark, go, whole, middle, has: (id) => layout.places.has(id), stage: () => at,
    foldAll() { if (open.size) open.clear(); else for (const n of all()) for (const b of n.graphs) open.add(b[0]); go(at, true); },
    reveal(id) { let home = homes.get(id), new_ = false; while (home) { if (!open.has(home)) { open.add(home); new_ = true; } home = homes.get(holderOf(home)); } if (new_) go(at, false); },
    drawn: () => elements.size, view: () => ({ ...view }),
  };
};
