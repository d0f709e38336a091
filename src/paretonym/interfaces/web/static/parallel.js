// Parallel axes for more than two objectives, best values on top; a range of an axis can be selected.

import { colour, fill, shape } from "./dom.js";
import { chart } from "./frame.js";
import { scaleOver, tickText } from "./scales.js";
import { change, light, store } from "./store.js";
import { t } from "./words.js";

export function parallel() {
  const frame = chart(t("Parallel axes"), 300, () => draw(frame));
  return frame;
}

function objectives() {
  const names = new Map();
  for (const run of store.runs) for (const o of run.objectives) names.set(o.name, run.measured.get(o.name));
  return [...names.values()];
}

function draw(frame) {
  const measures = objectives();
  const top = 40;
  const bottom = frame.size.height - 26;
  const gap = (frame.size.width - 120) / Math.max(1, measures.length - 1);
  const axes = measures.map((measure, n) => axis(measure, 60 + n * gap, top, bottom));
  lines(frame, axes);
  fill(frame.drawing, axes.flatMap((one) => drawn(frame, one)));
}

function axis(measure, x, top, bottom) {
  const scale = scaleOver(
    store.runs.map((run) => run.values[measure.name]).filter(Boolean),
    measure.logarithmic,
  );
  const rising = measure.direction === "max";
  const y = (value) => {
    const place = scale.place(value);
    return rising ? bottom - place * (bottom - top) : top + place * (bottom - top);
  };
  const value = (at) => {
    const place = Math.max(0, Math.min(1, (bottom - at) / (bottom - top)));
    return scale.value(rising ? place : 1 - place);
  };
  return { measure, scale, x, y, value, top, bottom };
}

function lines(frame, axes) {
  const pen = frame.canvas.getContext("2d");
  pen.clearRect(0, 0, frame.size.width, frame.size.height);
  for (const lit of [0, 1]) {
    for (const run of store.runs) {
      const columns = axes.map((one) => run.values[one.measure.name]);
      pen.strokeStyle = lit ? colour(`--run-${run.place % 6}`) : colour("--faint");
      pen.globalAlpha = lit ? Math.max(0.06, Math.min(0.8, 60 / run.ids.length)) : 0.08;
      bundles(pen, axes, columns, run.lit, lit);
    }
  }
  pen.globalAlpha = 1;
  if (!store.selected) return;
  const run = store.runs[store.selected.run];
  pen.strokeStyle = colour("--text");
  pen.lineWidth = 2.4;
  pen.beginPath();
  trace(pen, axes, axes.map((one) => run.values[one.measure.name]), store.selected.place);
  pen.stroke();
  pen.lineWidth = 1;
}

/** Lines are drawn in batches: one by one, ten thousand of them would take too long. */
function bundles(pen, axes, columns, lit, wanted) {
  const size = Math.ceil(lit.length / 100);
  let held = 0;
  pen.beginPath();
  for (let i = 0; i < lit.length; i += 1) {
    if (lit[i] !== wanted) continue;
    trace(pen, axes, columns, i);
    held += 1;
    if (held % size) continue;
    pen.stroke();
    pen.beginPath();
  }
  pen.stroke();
}

/** The line of one release; it is interrupted at the axes of measures that its run did not measure. */
function trace(pen, axes, columns, i) {
  axes.forEach((one, n) => {
    if (!columns[n]) return;
    if (columns[n - 1]) pen.lineTo(one.x, one.y(columns[n][i]));
    else pen.moveTo(one.x, one.y(columns[n][i]));
  });
}

function drawn(frame, one) {
  const { measure, scale, x, y, top, bottom } = one;
  const parts = [shape("line", { class: "axis", x1: x, x2: x, y1: top, y2: bottom })];
  parts.push(shape("text", { class: "name", x, y: 16, "text-anchor": "middle", text: measure.name }));
  parts.push(shape("text", { x, y: 31, "text-anchor": "middle", text: t("best") }));
  for (const tick of scale.ticks(5))
    parts.push(shape("text", { x: x + 6, y: y(tick) + 4, text: tickText(measure, tick) }));
  const brush = store.brushes[measure.name];
  if (brush) {
    const [from, to] = brush.map(y).sort((a, b) => a - b);
    parts.push(shape("rect", { class: "brush", x: x - 9, width: 18, y: from, height: to - from }));
  }
  const handle = shape(
    "rect",
    { class: "handle", x: x - 20, width: 40, y: top - 8, height: bottom - top + 16 },
    shape("title", { text: t("Drag to select a range of {measure}; click to select all", { measure: measure.name }) }),
  );
  handle.addEventListener("pointerdown", (event) => drag(frame, one, event));
  parts.push(handle);
  return parts;
}

/** Draw a brush along an axis; a click removes it. The limits do the same from the keyboard. */
function drag(frame, one, begin) {
  begin.preventDefault();
  const at = (event) => event.clientY - frame.drawing.getBoundingClientRect().top;
  const from = at(begin);
  const move = (event) => {
    if (Math.abs(at(event) - from) > 3) brushed(one, one.value(from), one.value(at(event)));
  };
  const end = (event) => {
    window.removeEventListener("pointermove", move);
    if (Math.abs(at(event) - from) <= 3) brushed(one, null, null);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end, { once: true });
}

function brushed(one, a, b) {
  const brushes = { ...store.brushes };
  if (a === null) delete brushes[one.measure.name];
  else brushes[one.measure.name] = [Math.min(a, b), Math.max(a, b)];
  Object.assign(store, { brushes });
  light();
  change({ brushes });
}
