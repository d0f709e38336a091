// Two releases side by side, differences marked.

import { get } from "./api.js";
import { element, fill, trouble } from "./dom.js";
import { written } from "./scales.js";
import { addressOf, allMeasures, change, store, whenChanged } from "./store.js";
import { t, grouped } from "./words.js";

export function pins() {
  const place = element("section", {
    class: "card",
    id: "pins",
    "aria-labelledby": "pins-title",
    hidden: true,
  });
  whenChanged((what) => {
    if (what.has("pins")) show(place);
  });
  return place;
}

let asking = 0;

async function show(place) {
  asking += 1;
  const mine = asking;
  place.hidden = store.pins.length === 0;
  if (!store.pins.length) return;
  const title = element(
    "div",
    { class: "row" },
    element("h2", { id: "pins-title", text: t("Side by side") }),
    element("button", { text: t("Unpin all"), onclick: () => change({ pins: [] }) }),
  );
  try {
    const facts = await Promise.all(store.pins.map((pin) => get(addressOf(pin))));
    if (mine !== asking) return;
    const hint =
      facts.length < 2 && element("p", { class: "quiet", text: t("Pin a second release to compare.") });
    fill(place, title, hint, element("div", { class: "scroll wrapped" }, comparison(facts)));
  } catch (error) {
    if (mine === asking) fill(place, title, trouble(error.problems ?? []));
  }
}

function comparison(facts) {
  const head = facts.map((f, n) => element("th", { scope: "col", text: `${"AB"[n]}: ${f.id}` }));
  const names = [...new Set(facts.flatMap((f) => Object.keys(f.shown)))];
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, element("td", {}), head)),
    element(
      "tbody",
      {},
      allMeasures().map((m) => measureLine(m)),
      leftOut(facts),
      names.map((name) =>
        line(name, facts.map((f) => f.shown[name]?.words ?? "")),
      ),
    ),
  );
}

function measureLine(measure) {
  const values = store.pins.map((pin) => store.runs[pin.run].values[measure.name]?.[pin.place]);
  const best = measure.direction === "max" ? Math.max(...values) : Math.min(...values);
  const differs = new Set(values).size > 1;
  const cells = values.map((value) => {
    const word = differs ? (value === best ? t("better") : t("worse")) : "";
    return element("td", {
      class: word.trim() || null,
      text: value === undefined ? "" : `${written(measure, value)}${word ? ` (${word})` : ""}`,
    });
  });
  return element(
    "tr",
    { class: differs ? "differs" : null },
    element("th", { scope: "row", text: measure.name }),
    cells,
  );
}

const leftOut = (facts) =>
  line(t("suppressed rows"), facts.map((f) => grouped(f.suppressed)));

function line(name, texts) {
  const differs = new Set(texts).size > 1;
  return element(
    "tr",
    { class: differs ? "differs" : null },
    element("th", { scope: "row", text: name }),
    texts.map((text) => element("td", { text })),
  );
}
