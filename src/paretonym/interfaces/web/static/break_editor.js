// Bands of numbers: breaks over a histogram, moved by dragging or with the arrow keys.

import { element, fill, say, shape } from "./dom.js";
import { Past } from "./undo.js";
import { t, tn } from "./words.js";

const WIDTH = 640;
const HEIGHT = 190;
const EDGE = 26;
const BOTTOM = 34;

/** The breaks of a schema, each with the highest level at which it still divides. */
export function cutsOf(levels) {
  const depths = new Map();
  for (const [n, level] of (levels ?? []).entries()) for (const cut of level) depths.set(Number(cut), n + 1);
  return [...depths].map(([at, level]) => ({ at, level })).sort((a, b) => a.at - b.at);
}

/** As a schema has them: level 1 has all, each next one fewer; they nest whatever the person does. */
export function levelsOf(cuts) {
  const ranks = [...new Set(cuts.map((cut) => cut.level))].sort((a, b) => a - b);
  return ranks.map((rank) => cuts.filter((cut) => cut.level >= rank).map((cut) => cut.at));
}

/** Three breaks that divide the rows into about equal parts. */
export function firstCuts(numbers) {
  const total = numbers.bins.reduce((sum, rows) => sum + rows, 0);
  const width = (numbers.high - numbers.low) / numbers.bins.length;
  const quartiles = [0.25, 0.5, 0.75].map((share) => {
    let sum = 0;
    const bin = numbers.bins.findIndex((rows) => {
      sum += rows;
      return sum >= share * total;
    });
    return rounded(numbers.low + width * (bin + 0.5), coarse(numbers));
  });
  return [...new Set(quartiles)]
    .filter((at) => at > numbers.low && at < numbers.high)
    .map((at, n, all) => ({ at, level: all.length === 3 && n === 1 ? 2 : 1 }));
}

const rounded = (value, step) => Number((Math.round(value / step) * step).toFixed(10));
/** A step for first guesses: five times that of the keys, unless the range is small. */
const coarse = (numbers) => (numbers.high - numbers.low > 40 * numbers.step ? 5 * numbers.step : numbers.step);

/** `changed` gets the breaks as a schema has them. */
export function breakEditor(name, hierarchy, numbers, changed) {
  const first = cutsOf(hierarchy.breaks);
  const past = new Past(first.length ? first : firstCuts(numbers), (cuts) => {
    draw();
    changed({ breaks: levelsOf(cuts) });
  });
  const low = Math.min(numbers.low, ...past.now.map((cut) => cut.at));
  const high = Math.max(numbers.high, ...past.now.map((cut) => cut.at));
  const x = (value) => EDGE + ((WIDTH - 2 * EDGE) * (value - low)) / (high - low || 1);
  const back = (place) => low + ((place - EDGE) / (WIDTH - 2 * EDGE)) * (high - low);
  const picture = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "group",
    "aria-label": t("Breaks of {column}", { column: name }),
    class: "breaks",
    ondblclick: (event) => add(rounded(back(placed(event)), numbers.step)),
  });
  const button = (text, act, title) => element("button", { type: "button", text, title, onclick: act });
  const undo = button(t("Undo"), () => past.step(-1), "Ctrl+Z");
  const redo = button(t("Redo"), () => past.step(1), "Ctrl+Y");
  const words = element("p", { class: "quiet", "aria-live": "polite" });
  const node = element(
    "div",
    { class: "visual", onkeydown: (event) => past.takes(event) },
    element("div", { class: "row tools" }, button(t("Add a break"), () => add(widest())), undo, redo),
    picture,
    words,
    element("p", {
      class: "quiet",
      text: t(
        "On a break: ← and → move it (with Shift ten times as far), ↑ and ↓ keep it at more or fewer levels, Delete removes it, Ctrl+Z undoes. A double click on the picture adds one.",
      ),
    }),
  );
  let moving = null;

  const placed = (event) => {
    const box = picture.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * WIDTH;
  };

  /** The middle of the widest band. */
  function widest() {
    const ends = [low, ...past.now.map((cut) => cut.at), high];
    const gaps = ends.slice(1).map((end, n) => [end - ends[n], (end + ends[n]) / 2]);
    return rounded(gaps.reduce((best, gap) => (gap[0] > best[0] ? gap : best))[1], numbers.step);
  }

  function add(at) {
    if (at <= low || at >= high || past.now.some((cut) => cut.at === at)) return;
    past.next([...past.now, { at, level: 1 }].sort((a, b) => a.at - b.at));
    focus(past.now.findIndex((cut) => cut.at === at));
    say(t("A break at {number} was added.", { number: at }));
  }

  const focus = (n) => picture.querySelectorAll("[role=slider]")[n]?.focus();

  /** Between its neighbours, a step away from each. */
  function within(n, at) {
    const cuts = past.now;
    const least = (n ? cuts[n - 1].at : low) + numbers.step;
    const most = (n < cuts.length - 1 ? cuts[n + 1].at : high) - numbers.step;
    return rounded(Math.min(Math.max(at, least), most), numbers.step);
  }

  function change(n, changes) {
    past.next(past.now.map((cut, m) => (m === n ? { ...cut, ...changes } : cut)));
    focus(n);
  }

  function pressed(event, n) {
    const cut = past.now[n];
    const far = numbers.step * (event.shiftKey ? 10 : 1);
    const act = {
      ArrowLeft: () => change(n, { at: within(n, cut.at - far) }),
      ArrowRight: () => change(n, { at: within(n, cut.at + far) }),
      PageDown: () => change(n, { at: within(n, cut.at - 10 * far) }),
      PageUp: () => change(n, { at: within(n, cut.at + 10 * far) }),
      Home: () => change(n, { at: within(n, low) }),
      End: () => change(n, { at: within(n, high) }),
      ArrowUp: () => change(n, { level: Math.min(9, cut.level + 1) }),
      ArrowDown: () => change(n, { level: Math.max(1, cut.level - 1) }),
      Delete: () => {
        past.next(past.now.filter((_, m) => m !== n));
        focus(Math.max(0, n - 1));
      },
    }[event.key];
    if (!act || event.ctrlKey) return;
    event.preventDefault();
    act();
  }

  function handle(cut, n) {
    const at = moving?.n === n ? moving.at : cut.at;
    const group = shape(
      "g",
      {
        role: "slider",
        tabindex: 0,
        class: "break",
        "aria-label": t("Break {number} of {all}", { number: n + 1, all: past.now.length }),
        "aria-orientation": "horizontal",
        "aria-valuemin": low,
        "aria-valuemax": high,
        "aria-valuenow": at,
        "aria-valuetext": t("{number}, divides up to level {level}", { number: at, level: cut.level }),
        transform: `translate(${x(at)} 0)`,
        onkeydown: (event) => pressed(event, n),
        onpointerdown: (event) => {
          event.preventDefault();
          moving = { n, at: cut.at, was: placed(event) };
          picture.setPointerCapture?.(event.pointerId);
          group.focus();
        },
      },
      shape("line", { y1: 18, y2: HEIGHT - BOTTOM + 6 }),
      shape("rect", { x: -9, y: HEIGHT - BOTTOM - 26, width: 18, height: 32, class: "grip", rx: 4 }),
      shape("text", { y: HEIGHT - BOTTOM - 6, "text-anchor": "middle", class: "level", text: cut.level }),
      shape("text", { y: 12, "text-anchor": "middle", class: "at", text: at }),
    );
    return group;
  }

  picture.addEventListener("pointermove", (event) => {
    if (!moving) return;
    moving.at = within(moving.n, back(placed(event)));
    picture.querySelectorAll("[role=slider]")[moving.n].replaceWith(handle(past.now[moving.n], moving.n));
  });
  picture.addEventListener("pointerup", () => {
    if (!moving) return;
    const { n, at } = moving;
    moving = null;
    if (at !== past.now[n].at) change(n, { at });
    else draw();
    focus(n);
  });

  function bars() {
    const most = Math.max(...numbers.bins);
    const width = (numbers.high - numbers.low) / numbers.bins.length;
    return numbers.bins.map((rows, n) => {
      const left = x(numbers.low + n * width);
      const tall = rows ? Math.max(1, ((HEIGHT - BOTTOM - 24) * rows) / most) : 0;
      return shape("rect", {
        class: "bar",
        x: left,
        y: HEIGHT - BOTTOM - tall,
        width: Math.max(1, x(numbers.low + (n + 1) * width) - left - 1),
        height: tall,
      });
    });
  }

  function draw() {
    const cuts = past.now;
    const line = HEIGHT - BOTTOM;
    const held = [...picture.querySelectorAll("[role=slider]")].indexOf(document.activeElement);
    fill(
      picture,
      bars(),
      shape("path", { class: "axis", d: `M${EDGE} ${line}H${WIDTH - EDGE}` }),
      shape("text", { x: EDGE, y: line + 24, text: low }),
      shape("text", { x: WIDTH - EDGE, y: line + 24, "text-anchor": "end", text: high }),
      cuts.map(handle),
    );
    if (held >= 0) focus(Math.min(held, cuts.length - 1));
    undo.disabled = !past.canUndo;
    redo.disabled = !past.canRedo;
    const bands = levelsOf(cuts).map((level, n) =>
      tn("level {level}: {number} band", "level {level}: {number} bands", level.length + 1, { level: n + 1 }),
    );
    words.textContent = cuts.length ? bands.join(" · ") : t("No breaks yet.");
  }

  draw();
  if (!first.length) changed({ breaks: levelsOf(past.now) });
  return node;
}
