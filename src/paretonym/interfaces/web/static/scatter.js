// The frontier over any two measures: points of every run, landmarks above.

import { colour, say, shape } from "./dom.js";
import { floor } from "./floor.js";
import { areaOf, axes, chart, showHint } from "./frame.js";
import { named, number, scaleOver, written } from "./scales.js";
import { change, isAlone, measureOf, methodOf, samePoint, store, togglePin } from "./store.js";
import { t } from "./words.js";

const NEAR = 40;

export function scatter() {
  const frame = chart(
    t("The frontier"),
    (width) => Math.max(320, Math.min(520, width * 0.62)), () => draw(frame),
  );
  frame.box.tabIndex = 0;
  frame.box.setAttribute("role", "group");
  frame.box.setAttribute(
    "aria-label",
    t("Frontier. Arrow keys move along the releases, Enter opens one, P pins it, Escape deselects it."),
  );
  frame.drawing.addEventListener("click", (event) => pick(frame, event));
  frame.drawing.addEventListener("pointermove", (event) => hover(frame, event));
  frame.drawing.addEventListener("pointerleave", () => {
    frame.hint.hidden = true;
  });
  frame.box.addEventListener("keydown", (event) => keys(event));
  return frame;
}

function axis(name) {
  const measure = measureOf(name);
  const columns = store.runs.map((run) => run.values[name]).filter(Boolean);
  const logarithmic = store.logarithmic[name] ?? measure.logarithmic;
  return { measure, scale: scaleOver(columns, logarithmic) };
}

function draw(frame) {
  if (!store.runs.length) return;
  const across = axis(store.across);
  const up = axis(store.up);
  const area = areaOf(frame.size);
  frame.area = area;
  frame.drawing.setAttribute(
    "aria-label",
    t("{up} over {across}, {total} releases", { up: up.measure.name, across: across.measure.name, total: total() }),
  );
  axes(frame.drawing, area, across, up);
  frame.drawing.append(...store.runs.flatMap((run) => floor(run, area, across, up)));
  const pen = frame.canvas.getContext("2d");
  pen.clearRect(0, 0, frame.size.width, frame.size.height);
  frame.points = store.runs.map((run) => located(run, area, across, up));
  store.runs.forEach((run, place) => {
    steps(pen, run, frame.points[place], across);
  });
  store.runs.forEach((run, place) => {
    dots(pen, run, frame.points[place]);
  });
  overlay(frame);
}

const total = () => store.runs.reduce((sum, run) => sum + run.ids.length, 0);

/** Where every release of a run lies, in pixels; NaN for what cannot be drawn. */
function located(run, area, across, up) {
  const xs = run.values[across.measure.name];
  const ys = run.values[up.measure.name];
  const places = { x: new Float64Array(run.ids.length), y: new Float64Array(run.ids.length) };
  for (let i = 0; i < run.ids.length; i += 1) {
    const drawable = xs && ys && Number.isFinite(xs[i]) && Number.isFinite(ys[i]);
    places.x[i] = drawable ? area.x(across.scale.place(xs[i])) : NaN;
    places.y[i] = drawable ? area.y(up.scale.place(ys[i])) : NaN;
  }
  return places;
}

/** With two objectives nothing lies between the points, which a stepped line shows. */
function steps(pen, run, points, across) {
  const names = run.objectives.map((o) => o.name);
  if (names.length !== 2 || !names.includes(store.across) || !names.includes(store.up)) return;
  const order = [...points.x.keys()]
    .filter((i) => !Number.isNaN(points.x[i]))
    .sort((a, b) => points.x[a] - points.x[b]);
  pen.strokeStyle = colour(`--run-${run.place % 6}`);
  pen.lineWidth = 1.4;
  pen.globalAlpha = 0.6;
  pen.beginPath();
  const falling = across.measure.direction === "min";
  order.forEach((i, n) => {
    const before = order[n - 1];
    if (n) pen.lineTo(points.x[falling ? i : before], points.y[falling ? before : i]);
    pen.lineTo(points.x[i], points.y[i]);
  });
  pen.stroke();
  pen.globalAlpha = 1;
}

/** The points of a run: those that miss a limit, then the others. */
function dots(pen, run, points) {
  const many = run.ids.length > 600;
  const dense = run.ids.length > 2000;
  pen.strokeStyle = colour("--text");
  pen.lineWidth = 1.4;
  for (const lit of [0, 1]) {
    pen.fillStyle = colour(lit ? `--run-${run.place % 6}` : "--faint");
    const size = (many ? 2.6 : 4) + (lit ? 0.6 : 0);
    for (let i = 0; i < run.ids.length; i += 1) {
      if (run.lit[i] !== lit || Number.isNaN(points.x[i])) continue;
      // Squares are drawn ten times faster than circles, and look the same when they are so small.
      if (isAlone(run, i)) hollow(pen, points.x[i], points.y[i], size);
      else if (dense) pen.fillRect(points.x[i] - 1.5, points.y[i] - 1.5, 3, 3);
      else round(pen, points.x[i], points.y[i], size, false);
    }
  }
}

function round(pen, x, y, size, ringed) {
  pen.beginPath();
  pen.arc(x, y, size, 0, 7);
  pen.fill();
  if (ringed) pen.stroke();
}

/** A release in which somebody is alone: only its edge. */
function hollow(pen, x, y, size) {
  pen.save();
  Object.assign(pen, { fillStyle: colour("--card"), strokeStyle: pen.fillStyle, lineWidth: 1.8 });
  round(pen, x, y, size, true);
  pen.restore();
}

/** Landmarks, the answer, pins and the selection, above the points. */
function overlay(frame) {
  const parts = [];
  const at = (run, place) => [frame.points[run].x[place], frame.points[run].y[place]];
  store.runs.forEach((run, number) => {
    const names = run.objectives.map((o) => o.name);
    if (!names.includes(store.across) || !names.includes(store.up)) return;
    for (const mark of run.landmarks) parts.push(...landmark(run, number, mark, at));
  });
  if (store.answer?.answer) {
    // It may belong to another run for a moment after a run was chosen.
    const place = store.runs[store.active].places.get(store.answer.answer);
    const [x, y] = at(store.active, place);
    if (Number.isFinite(x))
      parts.push(
        shape("circle", { class: "answer", cx: x, cy: y, r: 10 }, shape("title", { text: t("The answer") })),
      );
  }
  if (store.selected) {
    const [x, y] = at(store.selected.run, store.selected.place);
    if (!Number.isNaN(x)) {
      parts.push(shape("circle", { class: "ring", cx: x, cy: y, r: 7 }));
    }
  }
  store.pins.forEach((pin, n) => {
    const [x, y] = at(pin.run, pin.place);
    if (Number.isNaN(x)) return;
    parts.push(shape("rect", { class: "pin", x: x + 6, y: y - 22, width: 16, height: 16, rx: 3 }));
    parts.push(
      shape("text", { class: "badge", x: x + 14, y: y - 10, "text-anchor": "middle", text: "AB"[n] }),
    );
  });
  frame.drawing.append(...parts);
}

function landmark(run, own, mark, at) {
  const [x, y] = at(own, run.places.get(mark.id));
  if (Number.isNaN(x)) return [];
  const title = shape("title", { text: mark.reason });
  if (mark.kind === "knee")
    return [
      shape(
        "path",
        { class: "knee", d: `M${x} ${y - 9}L${x + 9} ${y}L${x} ${y + 9}L${x - 9} ${y}Z`, "fill-opacity": 0 },
        title,
      ),
    ];
  if (mark.kind === "expensive step")
    return [shape("path", { class: "cliff", d: `M${x - 6} ${y - 18}h12l-6 9z` }, title)];
  const [fromX, fromY] = at(own, run.places.get(mark.other));
  return [shape("path", { class: "flat", d: `M${fromX} ${fromY}L${x} ${y}` }, title)];
}

/** The release nearest to a position; those that meet the limits come first. */
function nearest(frame, event, reach) {
  const box = frame.drawing.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  let best = null;
  for (const wanted of [1, 0]) {
    store.runs.forEach((run, number) => {
      const points = frame.points[number];
      for (let i = 0; i < run.ids.length; i += 1) {
        if (run.lit[i] !== wanted) continue;
        const distance = (points.x[i] - x) ** 2 + (points.y[i] - y) ** 2;
        if (distance < (best?.distance ?? reach ** 2))
          best = { run: number, place: i, distance, x: points.x[i], y: points.y[i] };
      }
    });
    if (best) return best;
  }
  return null;
}

function pick(frame, event) {
  const point = nearest(frame, event, Infinity);
  if (point) select(point);
}

function hover(frame, event) {
  const point = nearest(frame, event, NEAR);
  if (!point) {
    frame.hint.hidden = true;
    return;
  }
  showHint(frame, point.x, point.y, words(point));
}

function words({ run, place }) {
  const facts = store.runs[run];
  const lines = facts.measures.slice(0, 5).map((m) => `${named(m)} ${written(m, facts.values[m.name][place])}`);
  const name = store.runs.length > 1 ? t("{id} of {run}", { id: facts.ids[place], run: facts.label }) : facts.ids[place];
  const alone = isAlone(facts, place) ? t("a group of one (k = 1)") : "";
  return [name, ...lines, methodOf(facts, place), alone].filter(Boolean);
}

/** Choose a release, and announce it to screen readers. */
export function select({ run, place }) {
  change({ selected: { run, place }, ...(store.active === run ? {} : { active: run }) });
  say(t("Release {id}", { id: words({ run, place }).join(", ") }));
}

/** Arrow keys move along the releases that meet the limits, in the order of the horizontal axis. */
function keys(event) {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (step) move(step);
  else if (event.key === "Enter" && store.selected) document.getElementById("point")?.focus();
  else if ((event.key === "p" || event.key === "P") && store.selected) togglePin(store.selected);
  else if (event.key === "Escape") change({ selected: null });
  else return;
  event.preventDefault();
}

function move(step) {
  const all = [];
  store.runs.forEach((run, number) => {
    for (let i = 0; i < run.ids.length; i += 1) if (run.lit[i]) all.push({ run: number, place: i });
  });
  const value = (p) => store.runs[p.run].values[store.across]?.[p.place] ?? Infinity;
  all.sort((a, b) => value(a) - value(b) || a.run - b.run || a.place - b.place);
  if (!all.length) return;
  const here = all.findIndex((p) => samePoint(p, store.selected));
  const next =
    here < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, here + step));
  select(all[next]);
}
