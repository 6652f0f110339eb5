// The plots of a run's page. uPlot draws curves; lanes are drawn on its canvas. All share one range of time, in ns.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const full = fullRange();
let view = full.slice();
let charts = [];
const lanes = data.lanes.map(unpack);
const read = document.getElementById("read");
const at = { lane: 0, beat: -1 };

function fullRange() {
  let [low, high] = data.span || [Infinity, -Infinity];
  for (const plot of Object.values(data.plots)) {
    const xs = plot.edges ? [plot.edges] : Object.values(plot.curves).map((c) => c.x);
    for (const x of xs) { low = Math.min(low, x[0]); high = Math.max(high, x[x.length - 1]); }
  }
  const room = (high - low) * 0.01 || 1;
  return [low - room, high + room];
}

// Deltas to times; ranges to flags.
function unpack(lane) {
  const n = lane.c.length, time = new Float64Array(n), cycle = new Float64Array(n);
  for (let i = 0, sum = 0; i < n; i++) { sum += lane.c[i]; cycle[i] = sum; time[i] = lane.offset + sum * lane.clock; }
  const last = new Uint8Array(n), bad = new Uint8Array(n);
  for (let i = 0, sum = 0; i < (lane.l || []).length; i++) { sum += lane.l[i]; last[sum] = 1; }
  for (let i = 0; i < (lane.bad || []).length; i += 2) bad.fill(1, lane.bad[i], lane.bad[i + 1]);
  return { ...lane, time, cycle, last, bad, digits: lane.d ? lane.d.length / n : 0 };
}

function css(name) { return getComputedStyle(root).getPropertyValue(name).trim(); }

function number(value) {
  if (value == null) return "-";
  return Math.abs(value) >= 1e5 ? value.toExponential(3) : String(Number(value.toPrecision(6)));
}

// How times on an axis are written.
function timeAxis(narrow) {
  const span = view[1] - view[0];
  const [scale, unit] = span >= 2e9 ? [1e9, "s"] : span >= 2e6 ? [1e6, "ms"] : span >= 2e3 ? [1e3, "µs"] : [1, "ns"];
  return { values: (u, splits) => splits.map((v) => number(Number((v / scale).toPrecision(9)))), label: narrow ? null : `time [${unit}]` };
}

function axes(narrow, left) {
  const common = { stroke: css("--soft"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line"), width: 1, size: 4 }, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif", labelSize: 16 };
  const time = timeAxis(narrow);
  return [{ ...common, values: (u, s) => timeAxis(narrow).values(u, s), label: time.label, size: 26, space: narrow ? 60 : 80 }, { ...common, size: left }];
}

const dashed = { dash: [5, 3], width: 1 };
const colours = () => [css("--blue"), css("--bad"), css("--good"), css("--warn")];

// The columns of a plot: one axis of time, and values by series.
function table(plot) {
  if (plot.edges) {
    const names = Object.keys(plot.steps), x = plot.edges;
    const ys = names.map((n) => [...plot.steps[n], plot.steps[n].at(-1)]);
    const series = names.map((n, i) => ({ label: `${n} [${plot.unit}]`, stroke: colours()[i], width: 1.2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, fill: i ? undefined : `color-mix(in srgb, ${colours()[0]} 18%, transparent)` }));
    if (plot.limit) { ys.push(x.map(() => plot.limit)); series.push({ label: "port limit", stroke: css("--bad"), ...dashed, points: { show: false } }); }
    return { data: [x, ...ys], series, bands: [], top: plot.limit ? plot.limit * 1.1 : null };
  }
  const parts = [], series = [], bands = [];
  Object.entries(plot.curves).forEach(([name, curve], i) => {
    const stroke = colours()[i], dots = !plot.stairs && !curve.low;
    const paths = plot.stairs ? uPlot.paths.stepped({ align: 1 }) : dots ? () => null : undefined;
    const all = [["y", ""], ["low", ", least"], ["high", ", most"]].filter(([key]) => curve[key]);
    for (const [key, what] of all) {
      parts.push([curve.x, curve[key]]);
      series.push({ label: `${name}${what}${plot.unit ? ` [${plot.unit}]` : ""}`, stroke, width: what ? 0.5 : 1.3, paths, spanGaps: true, points: { show: dots, size: 4, fill: stroke } });
    }
    if (curve.low) bands.push({ series: [series.length, series.length - 1], fill: `color-mix(in srgb, ${stroke} 22%, transparent)` });
  });
  return { data: uPlot.join(parts), series, bands, top: null };
}

function setView(low, high) {
  const least = 1e-3, width = Math.min(Math.max(high - low, least), full[1] - full[0]);
  low = Math.min(Math.max(low, full[0]), full[1] - width);
  view = [low, low + width];
  for (const chart of charts) chart.setScale("x", { min: view[0], max: view[1] });
}

const moves = {
  in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), all: () => setView(...full),
  difference: () => { if (data.difference != null) { const w = width() * 24; setView(data.difference - w / 3, data.difference + w * 2 / 3); } },
};
function width() { const lane = lanes.find((l) => l.clock); return lane ? lane.clock : 1; }
function zoom(factor) { const middle = (view[0] + view[1]) / 2, half = (view[1] - view[0]) / 2 * factor; setView(middle - half, middle + half); }
function pan(share) { const step = (view[1] - view[0]) * share; setView(view[0] + step, view[1] + step); }

const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "all", Home: "all", d: "difference" };
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const move = keys[event.key];
  if (move) { moves[move](); event.preventDefault(); return; }
  if (event.currentTarget.dataset.plot !== "lanes") return;
  if (event.key === "n" || event.key === "p") step(event.key === "n" ? 1 : -1);
  else if (event.key === "ArrowUp" || event.key === "ArrowDown") at.lane = Math.min(Math.max(at.lane + (event.key === "ArrowUp" ? -1 : 1), 0), lanes.length - 1), at.beat = -1, step(1);
  else return;
  event.preventDefault();
}

// From beat to beat by keys.
function step(by) {
  const lane = lanes[at.lane];
  if (!lane || !lane.time.length) { say(lane, -1); return; }
  at.beat = at.beat < 0 ? Math.min(first(lane.time, view[0]), lane.time.length - 1) : Math.min(Math.max(at.beat + by, 0), lane.time.length - 1);
  const t = lane.time[at.beat];
  if (t < view[0] || t > view[1]) { const half = (view[1] - view[0]) / 2; setView(t - half, t + half); } else repaint();
  say(lane, at.beat);
}

function say(lane, i) {
  if (!read || !lane) return;
  if (i < 0) { read.textContent = lane.n; return; }
  const head = `${lane.n} ${lane.e ? "transaction" : "beat"} ${lane.start + i}, cycle ${lane.cycle[i]}, ${number(lane.time[i])} ns`;
  if (lane.e) read.textContent = `${head}: ${lane.b[i]} bytes, first data after ${lane.f[i]} cycles, end after ${lane.e[i]}`;
  else read.textContent = head + (lane.d ? `: ${lane.cut ? ".." : ""}${text(lane, i)}` : "") + (lane.last[i] ? ", TLAST" : "") + (lane.bad[i] ? ", differs" : "");
}

function text(lane, i) { return lane.d.substr(i * lane.digits, lane.digits); }

// The first index whose time is not below.
function first(time, t) {
  let low = 0, high = time.length;
  while (low < high) { const mid = (low + high) >> 1; if (time[mid] < t) low = mid + 1; else high = mid; }
  return low;
}

function repaint() { const chart = charts.find((c) => c.lanes); if (chart) chart.redraw(false); }

function drawLanes(u) {
  const { ctx, bbox } = u, px = devicePixelRatio || 1, n = lanes.length;
  const x = (t) => u.valToPos(t, "x", true), high = bbox.height / n;
  const ink = { fill: css("--fill"), blue: css("--blue"), bad: css("--bad"), pink: css("--pink"), ink: css("--ink") };
  ctx.save();
  ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
  lanes.forEach((lane, i) => {
    const box = { top: bbox.top + i * high + 2 * px, height: high - 4 * px };
    if (lane.e) drawBus(ctx, lane, box, x, px, ink);
    else drawBeats(ctx, lane, box, x, px, ink, bbox);
    if (lane.density) drawDensity(ctx, lane, box, x, ink);
    if (i === at.lane && at.beat >= 0 && lane.time.length) {
      ctx.strokeStyle = ink.ink; ctx.lineWidth = 2 * px;
      ctx.strokeRect(x(lane.time[at.beat]), box.top - px, Math.max(3 * px, x(lane.time[at.beat] + lane.clock) - x(lane.time[at.beat])), box.height + 2 * px);
    }
  });
  if (data.difference != null) { ctx.strokeStyle = ink.bad; ctx.lineWidth = px; ctx.setLineDash([4 * px, 3 * px]); ctx.beginPath(); ctx.moveTo(x(data.difference), bbox.top); ctx.lineTo(x(data.difference), bbox.top + bbox.height); ctx.stroke(); }
  ctx.restore();
}

function drawBeats(ctx, lane, box, x, px, ink, bbox) {
  const lo = Math.max(0, first(lane.time, view[0]) - 1), hi = first(lane.time, view[1]), columns = bbox.width / px;
  const wide = x(view[0] + lane.clock) - x(view[0]);
  if (hi - lo > columns / 2 || wide < 2 * px) { drawColumns(ctx, lane, box, x, px, ink, lo, hi, bbox); return; }
  ctx.font = `${10 * px}px ui-monospace, monospace`; ctx.textBaseline = "middle";
  const letter = ctx.measureText("0").width, fits = Math.floor((wide - 4 * px) / letter);
  for (let i = lo; i < hi; i++) {
    const left = x(lane.time[i]), bad = lane.bad[i];
    ctx.fillStyle = bad ? ink.pink : ink.fill; ctx.fillRect(left, box.top, Math.max(px, wide - px), box.height);
    ctx.fillStyle = bad ? ink.bad : ink.blue; ctx.fillRect(left, box.top + box.height - 2 * px, Math.max(px, wide - px), 2 * px);
    if (lane.last[i]) ctx.fillRect(left + wide - 3 * px, box.top, 2 * px, box.height);
    if (lane.d && fits >= 4) {
      const all = text(lane, i);
      ctx.fillStyle = ink.ink;
      ctx.fillText(all.length <= fits ? all : `..${all.slice(all.length - fits + 2)}`, left + 2 * px, box.top + box.height / 2);
    }
  }
}

// More beats than pixels: how many fall into each column.
function drawColumns(ctx, lane, box, x, px, ink, lo, hi, bbox) {
  const columns = Math.ceil(bbox.width / px), counts = new Uint32Array(columns + 1), bad = new Uint8Array(columns + 1);
  for (let i = lo; i < hi; i++) {
    const c = Math.floor((x(lane.time[i]) - bbox.left) / px);
    if (c >= 0 && c <= columns) { counts[c]++; if (lane.bad[i]) bad[c] = 1; }
  }
  const most = Math.max(1, (view[1] - view[0]) / columns / lane.clock);
  for (let c = 0; c <= columns; c++) {
    if (!counts[c]) continue;
    ctx.globalAlpha = 0.3 + 0.7 * Math.min(1, counts[c] / most);
    ctx.fillStyle = bad[c] ? ink.bad : ink.blue;
    ctx.fillRect(bbox.left + c * px, box.top, px, box.height);
  }
  ctx.globalAlpha = 1;
}

function drawBus(ctx, lane, box, x, px, ink) {
  for (let i = 0; i < lane.time.length; i++) {
    const t = lane.time[i], end = t + (lane.e[i] + 1) * lane.clock;
    if (end < view[0] || t > view[1]) continue;
    const left = x(t), data0 = x(t + lane.f[i] * lane.clock), right = Math.max(left + px, x(end));
    ctx.globalAlpha = 0.3; ctx.fillStyle = ink.blue; ctx.fillRect(left, box.top + box.height * 0.3, right - left, box.height * 0.4);
    ctx.globalAlpha = 0.65; ctx.fillRect(data0, box.top, Math.max(px, right - data0), box.height);
  }
  ctx.globalAlpha = 1;
}

// Outside of the window whose beats are on the page.
function drawDensity(ctx, lane, box, x, ink) {
  const n = lane.density.length, most = Math.max(...lane.density), size = (data.span[1] - data.span[0]) / n;
  ctx.fillStyle = ink.blue;
  for (let b = 0; b < n; b++) {
    const t = data.span[0] + b * size;
    if (!lane.density[b] || (data.window && t + size > data.window[0] && t < data.window[1])) continue;
    ctx.globalAlpha = 0.15 + 0.5 * lane.density[b] / most;
    ctx.fillRect(x(t), box.top + box.height * 0.25, Math.max(1, x(t + size) - x(t)), box.height * 0.5);
  }
  ctx.globalAlpha = 1;
}

function pointed(u) {
  const { left, top } = u.cursor;
  if (left == null || left < 0 || top < 0) return;
  const lane = lanes[Math.min(lanes.length - 1, Math.floor(top / (u.over.clientHeight / lanes.length)))];
  const t = u.posToVal(left, "x"), i = first(lane.time, t + 1e-9) - 1;
  say(lane, i >= 0 && (lane.e ? t <= lane.time[i] + (lane.e[i] + 1) * lane.clock : t < lane.time[i] + Math.max(lane.clock, 4 * (view[1] - view[0]) / u.over.clientWidth)) ? i : -1);
}

function selected(u) {
  if (u.select.width > 2) setView(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
  u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
}

function make(figure) {
  const live = figure.querySelector(".live"), wide = live.clientWidth, narrow = wide < 500, key = figure.dataset.plot;
  const options = {
    width: wide, scales: { x: { time: false, min: view[0], max: view[1] } },
    cursor: { drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => () => setView(...full) } },
    hooks: { setSelect: [selected] },
  };
  if (key === "lanes") {
    const long = Math.max(...lanes.map((l) => l.n.length)), [time, names] = axes(narrow, Math.min(narrow ? 110 : 190, 14 + 6.2 * long));
    Object.assign(names, { values: () => lanes.map((l) => l.n), splits: () => lanes.map((_, i) => lanes.length - i - 0.5), grid: { show: false }, ticks: { show: false } });
    Object.assign(options, { height: 46 + lanes.length * 26, axes: [time, names], legend: { show: false }, series: [{}, {}] });
    options.scales.y = { range: [0, lanes.length] };
    options.cursor.y = false;
    options.hooks = { ...options.hooks, draw: [drawLanes], setCursor: [pointed] };
    const chart = new uPlot(options, [[full[0], full[1]], [null, null]], live);
    chart.lanes = true;
    return chart;
  }
  const made = table(data.plots[key]);
  Object.assign(options, { height: narrow ? 190 : 210, bands: made.bands, axes: axes(narrow, narrow ? 48 : 60), series: [{ label: "time [ns]", value: (u, v) => number(v) }, ...made.series.map((s) => ({ ...s, value: (u, v) => number(v) }))] });
  options.scales.y = { range: (u, low, high) => [0, made.top || (high || 1) * 1.1] };
  return new uPlot(options, made.data, live);
}

function build() {
  for (const chart of charts) chart.destroy();
  charts = [...document.querySelectorAll("figure[data-plot]")].map(make);
  setView(...view);
}

root.classList.add("js");
build();
// On a narrow screen the diagram scrolls: begin at what differs.
for (const frame of document.querySelectorAll(".diagram")) {
  const mark = frame.querySelector("rect[opacity]");
  if (mark) frame.scrollLeft = mark.x.baseVal.value + mark.width.baseVal.value / 2 - frame.clientWidth / 2;
}
for (const figure of document.querySelectorAll("figure[data-plot]")) figure.addEventListener("keydown", pressed);
for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", () => moves[button.dataset.do]());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", build);
let wait = 0, wide = innerWidth;
addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; clearTimeout(wait); wait = setTimeout(build, 150); } });
})();
