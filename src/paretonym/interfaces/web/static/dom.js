// Elements of the page. Everything from the data is inserted as text, never as markup.

import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** A number stays on one line with its percent sign. */
const unbroken = (text) => (typeof text === "string" ? text.replaceAll(" %", "\u00a0%") : text);

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "text") node.textContent = unbroken(value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element: `element("p", {class: "quiet", text: "…"}, child, …)`. */
export function element(name, properties, ...children) {
  return filled(document.createElement(name), properties, children);
}

/** An SVG element, made in the same way. */
export function shape(name, properties, ...children) {
  return filled(document.createElementNS(SVG, name), properties, children);
}

/** A table: its caption for people who cannot see it, the cells of its head, and its rows. */
export function grid(caption, head, lines) {
  return element(
    "table",
    {},
    element("caption", { class: "unseen", text: caption }),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, lines),
  );
}

/** The head of a table of numbers; the first column has names. */
export const heads = (texts) =>
  texts.map((text, n) => element("th", { scope: "col", class: n ? "number" : null, text }));

/** A row of it: its name, its numbers, and whatever follows them. */
export const line = (name, numbers, ...further) =>
  element(
    "tr",
    {},
    element("th", { scope: "row", text: name }),
    numbers.map((text) => element("td", { class: "number", text })),
    ...further,
  );

/** Something wide that is scrolled by itself, also with the keyboard. */
export const scrolled = (label, ...children) =>
  element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, ...children);

/** A table whose long names are wrapped. */
export function wrapped(title, head, lines) {
  const place = scrolled(title, grid(title, heads(head), lines));
  place.classList.add("wrapped");
  return place;
}

/** A place where files can be dropped; `take` gets them. */
export function dropZone(properties, take, ...children) {
  const zone = element("div", properties, ...children);
  const over = (event, inside) => {
    event.preventDefault();
    zone.classList.toggle("over", inside);
  };
  zone.addEventListener("dragover", (event) => over(event, true));
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    over(event, false);
    take([...event.dataTransfer.files]);
  });
  return zone;
}

/** A part that is filled by `load` when it is opened for the first time. */
export function folded(id, summary, place, load) {
  const ontoggle = (event) => {
    if (event.target === event.currentTarget && event.target.open && !place.childElementCount) load();
  };
  return element("details", { id, ontoggle }, summary, place);
}

/** Put new children in place of the old ones. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter(Boolean));
  return node;
}

/** Announce something to screen readers. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** What is wrong, in the server's own words; what is to be done about several columns is said once. */
export function trouble(problems) {
  const alike = new Map();
  for (const p of problems) {
    const key = p.column ? `${p.field}: ${p.remedy}` : p;
    alike.set(key, [...(alike.get(key) ?? []), p]);
  }
  const lines = [...alike.values()].map(([p, ...further]) => {
    const names = [p, ...further].map((one) => `'${one.column}'`).join(", ");
    const text = further.length ? `${names}: ${p.remedy}` : `${p.place}: ${p.wrong}; ${p.remedy}`;
    return element("p", { text });
  });
  return element("div", { class: "trouble", role: "alert" }, lines);
}

/** Do something, and show in `place` what went wrong. */
export async function attempt(place, action) {
  try {
    await action();
  } catch (error) {
    fill(place, trouble(error.problems ?? []));
  }
}

/** Warnings, a sentence each; `whose` comes before them. */
export const warnings = (texts, whose = "") =>
  texts.map((text) => element("p", { class: "notice", text: whose + t("Warning: {text}", { text }) }));

/** The text with a capital first letter. */
export const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Calls `what` before the next frame, once, however often it was requested. */
export function soon(what) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      what();
    });
  };
}

const PRESSED = ":is(a, button, label, select, summary, input[type=checkbox]):active";
const SHORT = 20;

/** Waits until nothing is pressed: what is replaced between press and release gets no click. */
export async function released() {
  for (let patience = 100; patience && document.querySelector(PRESSED); patience -= 1)
    await new Promise((go) => {
      setTimeout(go, SHORT);
    });
}

/** Calls `what` once nothing has happened for the given milliseconds, and nothing is pressed. */
export function later(milliseconds, what) {
  let last = 0;
  return (...given) => {
    clearTimeout(last);
    const mine = setTimeout(async () => {
      await released();
      if (mine === last) what(...given);
    }, milliseconds);
    last = mine;
  };
}

/** Calls `what` at once; if it is requested again while it runs, it is called once more afterwards. */
export function following(what) {
  let busy = false;
  let again = false;
  return async () => {
    again = true;
    if (busy) return;
    busy = true;
    while (again) {
      again = false;
      await what();
    }
    busy = false;
  };
}
