"use strict";
// One page about one function. What belongs together is found by lines, by expressions and by the ids of nodes.
(() => {
  const story = JSON.parse(document.getElementById("story").textContent);
  const $ = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, ...inside) => {
    const it = document.createElement(tag);
    for (const key in attributes) it.setAttribute(key, attributes[key]);
    it.append(...inside);
    return it;
  };

  // --- the colours of a notebook around it: its own theme, whatever the system's is --------------------------------------
  function surroundings() {
    try {
      for (let it = window.frameElement; it; it = it.parentElement) {
        const [r, g, b, a] = (/^rgba?\((.*)\)$/.exec(parent.getComputedStyle(it).backgroundColor) || ["", "0, 0, 0, 0"])[1].split(",").map(Number);
        if (a === undefined || a > 0.5) return 0.3 * r + 0.59 * g + 0.11 * b < 110 ? "dark" : "light";
      }
    } catch { /* a frame that may not look around */ }
    return "";
  }
  const adapt = () => { const theme = surroundings(); if (theme) document.documentElement.dataset.theme = theme; };
  adapt();
  document.documentElement.addEventListener("pointerenter", adapt);

  // --- the graph after each pass --------------------------------------------------------------------------------------
  const states = [], by = new Map(), firstStage = new Map(), lastStage = new Map();
  let known = new Map();
  for (const stage of story.stages) {
    const next = new Map(known);
    for (const id of stage.gone) next.delete(id);
    for (const node of stage.set) { node.home = node.id.slice(0, node.id.length - node.name.length - 1); next.set(node.id, node); }
    known = stage.order ? new Map(stage.order.map((id) => [id, next.get(id)])) : next;
    for (const id in stage.by) by.set(id, stage.by[id]);
    for (const id of stage.gone) lastStage.set(id, states.length - 1);
    for (const node of stage.set) if (!firstStage.has(node.id)) { firstStage.set(node.id, states.length); lastStage.set(node.id, story.stages.length - 1); }
    if (states.length) states[states.length - 1].going = new Set(stage.gone);
    states.push({ name: stage.name, about: stage.about, nodes: known, changed: new Set(stage.set.map((n) => n.id)), gone: stage.gone, outputs: new Set(stage.outputs), going: new Set() });
  }
  const lineOf = new Map(), spanOf = new Map(), nodesOfLine = new Map(), nodesOfSpan = new Map(); // of nodes in whatever stage
  const put = (map, key, value) => { const set = map.get(key); if (set) set.add(value); else map.set(key, new Set([value])); };
  for (const stage of story.stages) for (const node of stage.set) {
    if (node.line) { lineOf.set(node.id, node.line); put(nodesOfLine, node.line, node.id); }
    if (node.at !== null) { spanOf.set(node.id, node.at); put(nodesOfSpan, node.at, node.id); }
  }
  const lineOfSpan = (at) => `${story.spans[at][0]}:${story.spans[at][1]}`;
  const final = states[states.length - 1].nodes;
  const standIn = (id) => { for (let i = 0; i < 50 && !final.has(id) && by.has(id); i++) id = by.get(id); return id; };

  // --- the run --------------------------------------------------------------------------------------------------------
  const heat = new Map(), runs = new Map(), runOfLine = new Map();
  for (const run of story.run ? story.run.lines : []) heat.set(run.line, run);
  const spent = Math.max(1, ...[...heat.values()].map((run) => run.ns));
  story.text.nodes.forEach((id, i) => {
    const run = heat.get(i + 1);
    if (!id || !run) return;
    const all = runs.get(id) || { ns: 0, count: 0, bytes: 0, value: null, nan: false };
    runs.set(id, { ns: all.ns + run.ns, count: Math.max(all.count, run.count), bytes: Math.max(all.bytes, run.bytes || 0), value: run.value || all.value, nan: all.nan || run.nan });
    const line = lineOf.get(id);
    if (line) runOfLine.set(line, (runOfLine.get(line) || 0) + run.ns);
  });
  const time = (ns) => ns < 1e4 ? `${(ns / 1e3).toFixed(1)} µs` : ns < 1e6 ? `${(ns / 1e3).toFixed(0)} µs` : ns < 1e7 ? `${(ns / 1e6).toFixed(1)} ms` : ns < 1e10 ? `${(ns / 1e6).toFixed(0)} ms` : `${(ns / 1e9).toFixed(1)} s`;
  const memory = (n) => n < 1e3 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)} kB` : `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} MB`;
  const bars = (bins) => bins.map((n) => " ▁▂▃▄▅▆▇█"[Math.ceil((8 * n) / Math.max(1, ...bins))]).join("");
  const brief = (signature) => signature.replace(/TensorSpec\(shape=(\([^)]*\)|<unknown>|None), dtype=tf\.(\w+)(?:, name=(?:None|'[^']*'))?\)/g, (_, shape, dtype) => `${dtype}${shape.startsWith("(") ? `[${shape.slice(1, -1).replace(/,$/, "").replace(/None/g, "?")}]` : "[…]"}`);
  const short = (x) => Number(x.toPrecision(5)).toString();

  // --- text with colours and expressions ------------------------------------------------------------------------------
  const TOKEN = /(#.*)|((?:\b[rbfuRBFU]{1,2})?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))|\b(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield|match|case)\b|\b(\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?j?)\b|\b(ag__)\b/g;
  const KINDS = ["", "c", "s", "k", "n", "o"];
  function tokens(text) {
    const found = [];
    for (const m of text.matchAll(TOKEN)) found.push([m.index, m.index + m[0].length, KINDS[m.findIndex((part, i) => i > 0 && part !== undefined)]]);
    return found;
  }
  function fill(element, text, parts) { // parts: [first, behind, expression], outer ones first
    const marks = tokens(text);
    const plain = (from, to, into) => {
      let at = from;
      for (const [a, b, kind] of marks) {
        if (b <= from || a >= to) continue;
        const first = Math.max(a, from), last = Math.min(b, to);
        if (first > at) into.append(text.slice(at, first));
        into.append(make("span", { class: kind }, text.slice(first, last)));
        at = last;
      }
      if (at < to) into.append(text.slice(at, to));
    };
    const emit = (from, to, inner, into) => {
      let at = from;
      for (let i = 0; i < inner.length;) {
        const [a, b, key] = inner[i], within = [];
        let j = i + 1;
        for (; j < inner.length && inner[j][0] < b; j++) within.push(inner[j]);
        if (a < at || b > to) { i = j; continue; }
        plain(at, a, into);
        const span = make("span", { class: "x", "data-at": key });
        emit(a, b, within, span);
        into.append(span);
        at = b; i = j;
      }
      plain(at, to, into);
    };
    emit(0, text.length, parts.sort((p, q) => p[0] - q[0] || q[1] - p[1]), element);
    if (!text) element.append(" ");
  }

  // --- panes of text: only the rows that can be seen are in the document when there are many --------------------------
  const MANY = 600, HEIGHT = 18;
  class Text {
    constructor(id, rows) {
      this.box = $(id); this.rows = rows; this.elements = new Map(); this.here = -1; this.part = -1; this.marks = { rows: new Set(), kin: new Set(), spans: new Set() };
      this.virtual = rows.length > MANY;
      this.text = make("div", { class: this.virtual ? "text virtual" : "text" });
      if (this.virtual) {
        this.text.style.height = `${rows.length * HEIGHT}px`;
        this.text.style.minWidth = `${20 + rows.reduce((most, row) => Math.max(most, row.text.length), 0)}ch`;
        this.box.addEventListener("scroll", () => this.fillIn());
        window.addEventListener("resize", () => this.fillIn());
        window.addEventListener("beforeprint", () => { this.text.style.height = "auto"; this.fillIn(true); });
      }
      const any = rows.some((row) => row.key);
      this.box.setAttribute("tabindex", "0");
      this.box.setAttribute("role", any ? "listbox" : "region");
      if (!any) this.text.setAttribute("role", "presentation"); else this.text.setAttribute("role", "presentation");
      this.selectable = any;
      this.box.append(this.text);
      this.text.addEventListener("pointerover", (event) => this.hand(event, hover));
      this.text.addEventListener("pointerleave", () => hover("line", null, this.box));
      this.text.addEventListener("click", (event) => this.hand(event, choose));
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.fillIn();
    }
    element(i) {
      let it = this.elements.get(i);
      if (it) return it;
      const row = this.rows[i];
      it = make("div", { class: `row${row.title ? " title" : ""}${row.key ? " linked" : ""}${row.dim ? " dim" : ""}`, id: `${this.box.id}-${i}`, "data-i": i });
      it.setAttribute("role", row.title || !row.text.trim() || !this.selectable ? "presentation" : "option");
      if (it.getAttribute("role") === "option") it.setAttribute("aria-selected", "false");
      if (this.virtual) it.style.top = `${i * HEIGHT}px`;
      if (row.title) { it.append(row.text); it.title = row.hint; }
      else {
        it.append(make("span", { class: "no", "aria-hidden": "true" }, String(row.number)));
        for (const part of row.before || []) it.append(part());
        if (row.heat) it.style.boxShadow = `inset ${Math.round(row.heat * 60)}px 0 0 -1px color-mix(in srgb, var(--heat) 38%, transparent)`;
        fill(it, row.text, row.parts || []);
        if (row.hint) it.title = row.hint;
      }
      this.elements.set(i, it);
      return it;
    }
    fillIn(whole = false) {
      if (!this.virtual || whole) {
        if (this.text.childElementCount < this.rows.length) this.text.replaceChildren(...this.rows.map((_, i) => this.element(i)));
      } else {
        const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - 20), last = Math.min(this.rows.length, first + 40 + Math.ceil((this.box.clientHeight || 800) / HEIGHT));
        if (this.elements.size > 4000) this.elements.clear();
        const shown = [];
        for (let i = first; i < last; i++) shown.push(this.element(i));
        this.text.replaceChildren(...shown);
      }
      this.paint();
    }
    paint() {
      const { rows, kin, spans } = this.marks;
      for (const it of this.text.children) {
        const i = Number(it.dataset.i);
        it.classList.toggle("marked", rows.has(i)); it.classList.toggle("kin", !rows.has(i) && kin.has(i)); it.classList.toggle("here", i === this.here && this.part < 0 && this.box === document.activeElement);
        if (it.getAttribute("role") === "option") it.setAttribute("aria-selected", rows.has(i) ? "true" : "false");
        for (const x of it.getElementsByClassName("x")) x.classList.toggle("on", spans.has(Number(x.dataset.at)));
      }
    }
    mark(links, scroll) {
      const rows = new Set(), kin = new Set();
      this.rows.forEach((row, i) => {
        if (row.title) return;
        if ((row.node && links.nodes.has(row.node)) || (row.line && links.lines.has(row.line))) rows.add(i);
        else if (row.node && links.kin.has(row.node)) kin.add(i);
        else if (row.kind === "region" && links.regions.has(row.key)) (links.region === row.key ? rows : kin).add(i);
      });
      this.marks = { rows, kin, spans: links.spans };
      if (scroll) {
        let first = this.rows.findIndex((row, i) => rows.has(i) && (row.parts || []).some((p) => links.spans.has(p[2])));
        if (first < 0) first = this.rows.findIndex((_, i) => rows.has(i) || kin.has(i));
        if (first >= 0) this.reach(first, "middle");
      }
      this.virtual && scroll ? this.fillIn() : this.paint();
      const x = scroll && this.text.querySelector(".x.on"); // what stands far to the right is shown, too
      if (x) {
        const place = x.getBoundingClientRect(), edge = this.box.getBoundingClientRect().left, width = this.box.clientWidth;
        const left = place.left - edge - 40, right = place.right - edge - width + 20;
        if (left < 0 || right > 0) this.box.scrollLeft = Math.max(0, this.box.scrollLeft + (left < 0 ? left : Math.min(left, right)));
      }
    }
    reach(i, where) {
      const top = i * HEIGHT, view = this.box.clientHeight;
      if (where === "middle" ? top < this.box.scrollTop + 20 || top > this.box.scrollTop + view - 40 : top < this.box.scrollTop || top > this.box.scrollTop + view - HEIGHT) this.box.scrollTop = where === "middle" ? top - view / 2 : top < this.box.scrollTop ? top : top - view + 2 * HEIGHT;
    }
    hand(event, act) {
      const x = event.target.closest(".x"), it = event.target.closest(".row");
      if (!it) return;
      const i = Number(it.dataset.i), row = this.rows[i];
      if (act === choose) { this.here = i; this.part = -1; if (!row.key) return; if (window.getSelection().toString()) return; }
      if (x) act("at", Number(x.dataset.at), this.box); else if (row.key) act(row.kind, row.key, this.box); else act("line", null, this.box);
    }
    key(event) {
      if (!this.selectable) return;
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[event.key];
      if (by) {
        event.preventDefault();
        let i = Math.max(0, Math.min(this.rows.length - 1, this.here + by));
        while ((this.rows[i].title || !this.rows[i].text.trim()) && i + Math.sign(by) >= 0 && i + Math.sign(by) < this.rows.length) i += Math.sign(by);
        this.here = i; this.part = -1;
      } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && this.here >= 0) { // the expressions of a row
        const parts = this.rows[this.here].parts || [];
        if (!parts.length) return;
        event.preventDefault();
        this.part = (this.part + (event.key === "ArrowRight" ? 1 : -1) + parts.length + 1) % (parts.length + 1);
        if (this.part === parts.length) this.part = -1;
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        const row = this.rows[this.here];
        if (!row) return;
        if (this.part >= 0) choose("at", row.parts[this.part][2], this.box); else if (row.key) choose(row.kind, row.key, this.box);
        return;
      } else return;
      const row = this.rows[this.here];
      this.reach(this.here, "edge");
      this.fillIn();
      this.box.setAttribute("aria-activedescendant", `${this.box.id}-${this.here}`);
      if (this.part >= 0) hover("at", row.parts[this.part][2], this.box); else hover(row.kind || "line", row.key || null, this.box);
      this.paint();
    }
  }
  const notes = new Map();
  for (const note of story.notes) put(notes, note.line, note);
  const badge = (found) => () => {
    const worst = [...found].sort((p, q) => q.times - p.times)[0];
    const sign = worst.kind === "unrolled" ? `×${worst.times < 1000 ? worst.times : worst.times < 1e4 ? `${(worst.times / 1e3).toFixed(1)}k` : `${Math.round(worst.times / 1e3)}k`}` : worst.kind === "staged" ? (worst.what === "if" ? "if" : "↻") : "py";
    return make("span", { class: `badge ${worst.kind}`, title: worst.text, "aria-label": `${worst.what}: ${worst.kind}` , role: "img" }, sign);
  };
  const spansOfLine = new Map();
  story.spans.forEach(([file, first, column, last, behind], key) => {
    for (let line = first; line <= last; line++) put(spansOfLine, `${file}:${line}`, [line === first ? column : 0, line === last ? behind : 1e9, key]);
  });
  const sourceRows = [];
  for (const block of story.blocks) {
    sourceRows.push({ title: true, text: block.title, hint: block.path });
    block.lines.forEach((text, i) => {
      const line = `${block.file}:${block.first + i}`, indent = text.length - text.trimStart().length, found = notes.get(line);
      const parts = [...(spansOfLine.get(line) || [])].map(([a, b, key]) => [Math.max(a, a ? 0 : indent), Math.min(b, text.length), key]);
      const before = [];
      if (notes.size) before.push(found ? badge(found) : () => make("span", { class: "badge" }));
      if (runOfLine.size) before.push(() => make("span", { class: "time" }, runOfLine.has(line) ? time(runOfLine.get(line)) : ""));
      sourceRows.push({ number: block.first + i, text, line, key: line, kind: "line", parts, before, heat: (runOfLine.get(line) || 0) / spent, hint: found ? [...found].map((n) => n.text).join("\n") : "" });
    });
  }
  const partsOfRow = new Map();
  for (const [line, first, behind, key] of story.converted.parts) put(partsOfRow, line, [first, behind, key]);
  const convertedRows = story.converted.lines.map((text, i) => {
    const line = story.converted.source[i];
    return { number: i + 1, text, line, key: line, kind: "line", parts: [...(partsOfRow.get(i + 1) || [])], dim: !line };
  });
  const native = story.native, regionsOf = new Map();
  if (native) native.nodes.forEach((ids, i) => ids.forEach((id) => put(regionsOf, id, i)));
  const nativeRows = (native ? native.lines : []).map((text, i) => {
    const region = native.regions[i];
    return { number: i + 1, text, key: region === null ? null : String(region), kind: "region", dim: region === null };
  });
  const programRows = story.text.lines.map((text, i) => {
    const node = story.text.nodes[i], run = heat.get(i + 1), before = [];
    if (heat.size) {
      before.push(() => { const it = make("span", { class: "time" }, run && run.ns ? `${time(run.ns)}${run.count > 1 ? ` / ${run.count}` : ""}` : ""); if (run && run.nan) it.append(" ", make("span", { class: "nan" }, "NaN")); return it; });
      if (story.run.bytes !== null) before.push(() => make("span", { class: "memory" }, run && run.bytes ? memory(run.bytes) : ""));
    }
    return { number: i + 1, text, node, key: node, kind: "node", before, heat: run ? run.ns / spent : 0, dim: !node };
  });

  // --- selection ------------------------------------------------------------------------------------------------------
  let chosen = null, pointed = null;
  const NOTHING = { lines: new Set(), nodes: new Set(), kin: new Set(), spans: new Set(), regions: new Set(), region: null };
  const links = (kind, key) => {
    if (key === null) return NOTHING;
    if (kind === "region") return { ...NOTHING, nodes: new Set(native.nodes[key]), regions: new Set([key]), region: key };
    const nodes = kind === "node" ? new Set([key]) : kind === "at" ? nodesOfSpan.get(key) || new Set() : nodesOfLine.get(key) || new Set();
    const line = kind === "node" ? lineOf.get(key) : kind === "at" ? lineOfSpan(key) : key;
    const spans = kind === "node" ? (spanOf.has(key) ? [spanOf.get(key)] : []) : kind === "at" ? [key] : [];
    const kin = new Set();
    for (const id of nodes) { const other = standIn(id); if (!nodes.has(other)) kin.add(other); }
    const regions = new Set();
    for (const id of [...nodes, ...kin]) for (const i of regionsOf.get(id) || []) regions.add(String(i));
    return { lines: new Set(line ? [line] : []), nodes, kin, spans: new Set(spans), regions, region: null };
  };
  function mark(kind, key, origin, scroll) {
    const found = links(kind, key);
    for (const pane of panes) pane.mark(found, scroll && pane.box !== origin);
    picture.mark(found.nodes, found.kin, scroll && origin !== $("picture"));
  }
  function choose(kind, key, origin) {
    const again = chosen && chosen.key === key && chosen.kind === kind;
    chosen = again || key === null ? null : { kind, key };
    if (chosen && origin !== $("picture")) { // its node is shown, in a stage that has it
      const nodes = links(kind, key).nodes, here = states[picture.stage()].nodes;
      if (nodes.size && ![...nodes].some((id) => here.has(id))) goTo(lastStage.get([...nodes][0]));
      const first = [...nodes].find((id) => states[picture.stage()].nodes.has(id));
      if (first !== undefined && ![...nodes].some((id) => picture.has(id))) picture.reveal(first);
    }
    mark(kind, chosen ? key : null, origin, true);
    detail(chosen);
    if (location.protocol !== "about:") history.replaceState(null, "", chosen ? `#${kind}=${encodeURIComponent(key)}&pass=${picture.stage()}` : location.pathname + location.search);
  }
  function hover(kind, key, origin) {
    const name = key === null ? null : `${kind}=${key}`;
    if (chosen || name === pointed) return;
    pointed = name;
    mark(kind, key, origin, false);
  }

  // --- what is chosen, in words ---------------------------------------------------------------------------------------
  const link = (kind, key, text) => { const it = make("button", {}, text); it.addEventListener("click", () => { chosen = null; choose(kind, key, null); }); return it; };
  const para = (...inside) => make("p", {}, ...inside);
  const shortName = (id) => id.slice(id.lastIndexOf("/", id.lastIndexOf("/") - 1) + 1).replace(/^.*>/, "");
  function describeNode(id) {
    if (!firstStage.has(id)) return [para("This node is in no graph.")];
    const first = firstStage.get(id), end = lastStage.get(id), node = states[end].nodes.get(id), parts = [];
    const head = para(make("b", {}, node.op), ` ${node.name}  `, make("code", {}, `${node.out.join(", ")}${node.attrs ? `   ${node.attrs}` : ""}`));
    parts.push(head);
    const line = lineOf.get(id);
    const made = para(first > 0 ? `Made by the pass ${states[first].name}.` : line ? "Recorded while tracing" : "Recorded while tracing.");
    if (line) made.append(first > 0 ? " It stands for " : " by ", link(spanOf.has(id) ? "at" : "line", spanOf.has(id) ? spanOf.get(id) : line, spanOf.has(id) ? expression(spanOf.get(id)) : textOf(line)), ` at line ${line.split(":")[1]}.`);
    parts.push(made);
    if (end + 1 < states.length) {
      const gone = para(make("b", {}, `Removed by ${states[end + 1].name}`), `: ${states[end + 1].about}`);
      if (by.has(id)) gone.append(" In its place: ", link("node", standIn(id), `${shortName(standIn(id))}`));
      parts.push(gone);
    }
    const inputs = para("Takes ");
    node.ins.forEach(([from], i) => inputs.append(i ? ", " : "", link("node", from, shortName(from))));
    const users = [...states[end].nodes.values()].filter((n) => n.ins.some(([from]) => from === id)).slice(0, 12);
    inputs.append(node.ins.length ? "" : "nothing", users.length ? "; goes to " : states[end].outputs.has(id) ? "; is a result of the function." : "");
    users.forEach((n, i) => inputs.append(i ? ", " : "", link("node", n.id, shortName(n.id))));
    parts.push(inputs);
    const run = runs.get(id);
    if (run) parts.push(...describeRun(run, id));
    return parts;
  }
  function describeRun(run, id) {
    const v = run.value, parts = [];
    parts.push(para(make("b", {}, time(run.ns)), run.count > 1 ? ` in ${run.count} runs` : "", run.bytes ? `, ${memory(run.bytes)} of memory` : "", run.nan ? make("b", {}, story.run.first_nan && story.text.nodes[story.run.first_nan - 1] === id ? "; the first NaN comes from here" : "; gives NaN") : ""));
    if (v) parts.push(para("Value ", make("code", {}, `${v.type} ${v.text || ""}`), v.mean !== undefined ? `  min ${short(v.low)}, mean ${short(v.mean)}, max ${short(v.high)}` : "", v.nan ? `, ${v.nan} NaN` : "", v.bins ? make("span", { class: "bars", role: "img", "aria-label": `histogram ${v.bins.join(" ")}` }, `  ${bars(v.bins)}`) : ""));
    return parts;
  }
  const blockOf = (line) => story.blocks.find((b) => line.startsWith(`${b.file}:`) && Number(line.split(":")[1]) >= b.first && Number(line.split(":")[1]) < b.first + b.lines.length);
  const textOf = (line) => { const b = blockOf(line); return b ? b.lines[Number(line.split(":")[1]) - b.first].trim() : `line ${line.split(":")[1]}`; };
  function expression(key) {
    const [file, first, column, last, behind] = story.spans[key], b = blockOf(`${file}:${first}`);
    if (!b) return `line ${first}`;
    const text = b.lines[first - b.first] || "";
    return first === last ? text.slice(column, behind) : `${text.slice(column)} …`;
  }
  function describePlace(kind, key) {
    const line = kind === "at" ? lineOfSpan(key) : key, nodes = [...links(kind, key).nodes], parts = [];
    parts.push(para(make("b", {}, kind === "at" ? expression(key) : textOf(line)), `  line ${line.split(":")[1]}`));
    for (const note of notes.get(line) || []) parts.push(para(make("b", {}, `${note.what}: ${note.kind}. `), note.text));
    const left = nodes.filter((id) => final.has(id));
    const told = para(nodes.length ? `${nodes.length} node${nodes.length > 1 ? "s" : ""}, ${left.length} left after all passes` : "No node was made here: Python ran it while tracing.");
    for (const id of (left.length ? left : nodes).slice(0, 12)) told.append(" ", link("node", id, shortName(id)));
    parts.push(told);
    const gone = new Map();
    for (const id of nodes) { const at = lastStage.get(id); if (at !== undefined && at + 1 < states.length) put(gone, states[at + 1].name, id); }
    if (gone.size && left.length < nodes.length) parts.push(para("Removed by ", [...gone].map(([name, ids]) => `${name} (${ids.size})`).join(", "), "."));
    if (runOfLine.has(line)) parts.push(para(make("b", {}, time(runOfLine.get(line))), " in this line."));
    return parts;
  }
  function describeRegion(key) {
    const ids = native.nodes[key], told = para(make("b", {}, `Native function ${key}`), `: ${ids.length} nodes, compiled together; its loops compute several at once.`);
    for (const id of ids.slice(0, 24)) told.append(" ", link("node", id, shortName(id)));
    return [told, para(native.left)];
  }
  function describeTraces(focus) {
    const most = Math.max(...story.traces.map((t) => t.ms)), list = make("ol", { class: "timeline" });
    for (const t of story.traces) {
      const bar = make("div", { class: "bar2", style: `width: ${((t.ms / most) * 100).toFixed(1)}%` });
      const cost = make("div", {}, bar, make("div", { class: "cost" }, `${t.ms.toFixed(1)} ms, ${t.nodes} nodes`));
      const told = make("div", {}, make("code", {}, brief(t.signature)));
      if (t.place) told.append(para("asked for at ", make("code", {}, t.place)));
      for (const why of t.why) told.append(para(make("b", {}, `Why not trace ${t.nearest}: `), why.text, why.remedy ? make("span", {}, " → ", make("b", {}, why.remedy)) : ""));
      if (t.nearest === null) told.append(para("The first trace."));
      list.append(make("li", t.shown || t.number === focus ? { class: "shown" } : {}, make("span", {}, `#${t.number}`), cost, told));
    }
    return [para(make("b", {}, `${story.traces.length} trace${story.traces.length > 1 ? "s" : ""}`), `, ${story.traces.reduce((s, t) => s + t.ms, 0).toFixed(0)} ms spent tracing; this page shows the marked one.`), list];
  }
  function detail(what) {
    const parts = !what ? [para("Point at a line, an expression or a node: what belongs to it is marked everywhere. A click keeps it; Escape lets go.")]
      : what.kind === "node" ? describeNode(what.key) : what.kind === "region" ? describeRegion(what.key) : what.kind === "traces" ? describeTraces(what.key) : describePlace(what.kind, what.key);
    $("detail").replaceChildren(...parts);
    $("detail").classList.toggle("empty", !what);
    $("detail").scrollTop = 0;
  }

  // --- the page -------------------------------------------------------------------------------------------------------
  const picture = graphrtPicture({
    root: $("picture"), states, spent, choose: (...a) => choose(...a), hover: (...a) => hover(...a), runOf: (id) => runs.get(id),
    status: (s, at) => { $("stage").textContent = `${s.name}: ${s.nodes.size} nodes${at ? `; ${s.changed.size} new or changed, ${s.gone.length} gone` : ""}`; $("stage").title = s.about; },
  });
  const slider = $("pass");
  slider.max = states.length - 1;
  function goTo(stage, fit = false) {
    slider.value = stage;
    slider.setAttribute("aria-valuetext", states[stage].name);
    picture.go(Number(slider.value), fit);
    if (chosen) mark(chosen.kind, chosen.key, $("picture"), false);
  }
  slider.value = states.length - 1;
  slider.setAttribute("aria-valuetext", states[states.length - 1].name);
  const panes = [new Text("source", sourceRows), new Text("converted", convertedRows), new Text("program", programRows)];
  if (native) {
    panes.push(new Text("native", nativeRows));
    const it = make("button", { id: "machine", "aria-pressed": "false", title: native.left }, "Native");
    it.addEventListener("click", () => { $("native").hidden = !$("native").hidden; $("program").hidden = !$("native").hidden; it.setAttribute("aria-pressed", !$("native").hidden); for (const pane of panes) pane.fillIn(); });
    $("totals").before(it);
  }
  picture.go(states.length - 1, true);
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  $("in").addEventListener("click", () => picture.middle(1.3));
  $("out").addEventListener("click", () => picture.middle(1 / 1.3));
  $("fit").addEventListener("click", () => picture.whole(0.02));
  $("fold").addEventListener("click", () => picture.foldAll());
  let found = [], wanted = "", hit = 0;
  function search(text) {
    if (text !== wanted) {
      wanted = text; hit = -1; found = [];
      const low = text.toLowerCase(), seen = new Set();
      for (let i = states.length - 1; i >= 0 && low; i--) for (const n of states[i].nodes.values()) if (!seen.has(n.id) && `${n.op} ${n.name} ${n.attrs}`.toLowerCase().includes(low)) { seen.add(n.id); found.push(n.id); }
    }
    hit = found.length ? (hit + 1) % found.length : -1;
    $("hits").textContent = !text ? "" : found.length ? `${hit + 1} of ${found.length}` : "none";
    if (hit >= 0) { chosen = null; choose("node", found[hit], null); }
  }
  $("search").addEventListener("keydown", (event) => { if (event.key === "Enter") search(event.target.value); if (event.key === "Escape") event.target.blur(); });
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" && event.target.type !== "range") return;
    if (event.key === "Escape" && chosen) { chosen = null; pointed = null; choose("node", null, null); }
    if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    if (event.key === "[" || event.key === "]") goTo(Math.max(0, Math.min(states.length - 1, Number(slider.value) + (event.key === "]" ? 1 : -1))));
  });
  const bar = document.querySelector(".panes"), widths = { source: 1.2, converted: 0.9, graph: 1.6, program: 1.2 };
  const shown = new Set(Object.keys(widths));
  if (!story.blocks.length) shown.delete("source"); // of what was loaded from a file nothing is known
  if (!story.blocks.length && !story.converted.source.some(Boolean)) shown.delete("converted");
  const inOrder = () => Object.keys(widths).filter((name) => shown.has(name));
  const columns = () => document.querySelector("main").style.setProperty("--columns", inOrder().map((name) => `${widths[name].toFixed(3)}fr`).join(" "));
  function widen(name, by) { // by so many pixels, at the cost of the pane behind it
    const next = inOrder()[inOrder().indexOf(name) + 1], both = widths[name] + widths[next];
    const pixels = $(`p-${name}`).offsetWidth + $(`p-${next}`).offsetWidth;
    widths[name] = Math.max(0.1 * both, Math.min(0.9 * both, widths[name] + (by * both) / pixels));
    widths[next] = both - widths[name];
    columns();
    document.querySelector(`#p-${name} > .split`).setAttribute("aria-valuenow", Math.round((100 * widths[name]) / both));
    window.dispatchEvent(new Event("resize"));
  }
  function splitter(name) {
    const it = make("div", { class: "split", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": `Width of ${$(`h-${name}`).textContent}`, "aria-valuenow": "50" });
    it.addEventListener("pointerdown", (event) => { it.setPointerCapture(event.pointerId); it.classList.add("dragged"); event.preventDefault(); });
    it.addEventListener("pointermove", (event) => { if (it.classList.contains("dragged")) widen(name, event.clientX - it.getBoundingClientRect().left - 4); });
    it.addEventListener("pointerup", () => it.classList.remove("dragged"));
    it.addEventListener("keydown", (event) => { const by = { ArrowLeft: -24, ArrowRight: 24 }[event.key]; if (by) { event.preventDefault(); widen(name, by); } });
    return it;
  }
  function arrange() {
    for (const name in widths) $(`p-${name}`).hidden = !shown.has(name);
    columns();
    for (const it of document.querySelectorAll(".split")) it.remove();
    for (const name of inOrder().slice(0, -1)) $(`p-${name}`).append(splitter(name));
    if (shown.has("graph")) picture.go(picture.stage(), true);
    for (const pane of panes) pane.fillIn();
  }
  for (const name in widths) {
    const it = make("button", { "aria-pressed": String(shown.has(name)) }, { source: "Source", converted: "Converted", graph: "Graph", program: "Program" }[name]);
    it.addEventListener("click", () => { shown.has(name) && shown.size > 1 ? shown.delete(name) : shown.add(name); it.setAttribute("aria-pressed", shown.has(name)); arrange(); });
    bar.append(it);
  }
  if (story.traces.length) {
    const it = make("button", { id: "traces" }, `Traces (${story.traces.length})`);
    it.addEventListener("click", () => { chosen = null; detail({ kind: "traces" }); });
    bar.append(it);
  }
  arrange();
  const TITLES = { nan: "NaN", slow: "Slow", unrolled: "Unrolled", retraced: "Traced again", removed: "Does not run" };
  for (const finding of story.findings) {
    const it = make("button", { class: `finding ${finding.kind}` }, make("b", {}, TITLES[finding.kind]));
    finding.text.split("`").forEach((part, i) => it.append(i % 2 ? make("code", {}, part) : part));
    it.addEventListener("click", () => {
      chosen = null;
      if (finding.trace) detail({ kind: "traces", key: finding.trace });
      else if (finding.node) choose("node", finding.node, null);
      else choose("line", finding.line, null);
    });
    $("overview").append(it);
  }
  $("signature").textContent = brief(story.signature);
  if (story.run) $("totals").textContent = `${time(story.run.ns)}${story.run.bytes !== null ? `, at most ${memory(story.run.bytes)}` : ""}`;
  detail(null);
  const asked = /^#(line|node|at|region)=([^&]+)(?:&pass=(\d+))?$/.exec(location.hash);
  if (asked) {
    if (asked[3] !== undefined && Number(asked[3]) < states.length) goTo(Number(asked[3]));
    choose(asked[1], asked[1] === "at" ? Number(asked[2]) : decodeURIComponent(asked[2]), null);
  }
  window.graphrtPage = { story, links, choose, goTo, picture, panes, states, search, standIn }; // for those who look into it
})();
