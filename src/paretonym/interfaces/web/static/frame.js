// The frame of a chart: a drawing with axes over a canvas with many points.

import { element, fill, shape } from "./dom.js";
import { tickText } from "./scales.js";
import { t } from "./words.js";

/** A canvas and a drawing of the same size, one above the other; `draw` is called whenever the size changes. */
export function chart(label, height, draw) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  const drawing = shape("svg", { role: "img", "aria-label": label });
  const hint = element("div", { class: "hint", hidden: true });
  const box = element("div", { class: "chart" }, canvas, drawing, hint);
  const size = { width: 0, height: 0 };
  const resize = () => {
    const width = Math.round(box.clientWidth);
    if (!width) return;
    size.width = width;
    size.height = typeof height === "function" ? height(width) : height;
    const sharp = window.devicePixelRatio || 1;
    canvas.width = size.width * sharp;
    canvas.height = size.height * sharp;
    canvas.style.height = `${size.height}px`;
    drawing.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    drawing.style.height = `${size.height}px`;
    canvas.getContext("2d").setTransform(sharp, 0, 0, sharp, 0, 0);
    draw();
  };
  new ResizeObserver(resize).observe(box);
  return { box, canvas, drawing, hint, size, redraw: () => size.width && draw() };
}

/** Both axes of a scatter with ticks, grid and names; `area` is where points go. */
export function axes(drawing, area, across, up) {
  const { left, right, top, bottom } = area;
  const grid = (ends) => shape("line", { class: "grid", ...ends });
  const parts = across.scale.ticks(area.width < 420 ? 4 : 8).flatMap((tick) => {
    const x = area.x(across.scale.place(tick));
    const text = tickText(across.measure, tick);
    return [grid({ x1: x, x2: x, y1: top, y2: bottom }), shape("text", { x, y: bottom + 17, "text-anchor": "middle", text })];
  });
  for (const tick of up.scale.ticks(7)) {
    const y = area.y(up.scale.place(tick));
    const text = tickText(up.measure, tick);
    parts.push(grid({ x1: left, x2: right, y1: y, y2: y }));
    parts.push(shape("text", { x: left - 7, y: y + 4, "text-anchor": "end", text }));
  }
  parts.push(shape("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }));
  const below = { x: right, y: bottom + 36, "text-anchor": "end" };
  parts.push(shape("text", { class: "name", ...below, text: axisName(across) }));
  parts.push(shape("text", { class: "name", x: 4, y: top - 12, text: axisName(up) }));
  return fill(drawing, parts);
}

export function axisName({ measure, scale }) {
  const better = measure.direction === "max" ? t("more is better") : t("less is better");
  const name = measure.plain ? `${measure.plain}, ${measure.name}` : measure.name;
  return `${name} (${better}${scale.logarithmic ? `, ${t("logarithmic")}` : ""})`;
}

/** Where points go inside a drawing. */
export function areaOf(size, left = 62) {
  const area = { left, right: size.width - 26, top: 30, bottom: size.height - 46 };
  area.width = area.right - area.left;
  area.height = area.bottom - area.top;
  area.x = (place) => area.left + place * area.width;
  area.y = (place) => area.bottom - place * area.height;
  return area;
}

/** Shows a few words beside a place of the chart. */
export function showHint(frame, x, y, lines) {
  frame.hint.hidden = false;
  fill(frame.hint, lines.map((text) => element("div", { text })));
  const wide = frame.hint.offsetWidth;
  frame.hint.style.left = `${Math.max(0, Math.min(x + 14, frame.size.width - wide - 4))}px`;
  frame.hint.style.top = `${Math.max(0, y - frame.hint.offsetHeight - 10)}px`;
}
