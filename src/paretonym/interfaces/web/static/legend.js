// The legend of the trade-off chart.

import { element, shape } from "./dom.js";
import { isAlone, store } from "./store.js";
import { t } from "./words.js";

export function legend() {
  const sign = (part, text) =>
    element("li", {}, shape("svg", { viewBox: "0 0 20 14", "aria-hidden": "true" }, part), text);
  const kinds = new Set(store.runs.flatMap((run) => run.landmarks.map((mark) => mark.kind)));
  return element(
    "ul",
    { class: "legend" },
    kinds.has("knee") &&
      sign(
        shape("path", { class: "knee", d: "M10 1l6 6l-6 6l-6 -6z" }),
        t("knee: cost buys more before it than after it"),
      ),
    kinds.has("cheap stretch") &&
      sign(shape("path", { class: "flat", d: "M4 7h12" }), t("cheap stretch: large gain for little cost")),
    kinds.has("expensive step") &&
      sign(shape("path", { class: "cliff", d: "M4 2h12l-6 9z" }), t("before an expensive step: small gain for a large cost")),
    store.runs.some((run) => run.floor) &&
      sign(shape("path", { class: "floor", d: "M2 12h6V7h6V2h5" }), t("floor: no release by these hierarchies loses less")),
    store.runs.some((run) => run.ids.some((_, place) => isAlone(run, place))) &&
      sign(
        shape("circle", { cx: 10, cy: 7, r: 4, fill: "none", stroke: "var(--run-0)", "stroke-width": 1.8 }),
        t("hollow: a group of one (k = 1)"),
      ),
    sign(shape("circle", { class: "answer", cx: 10, cy: 7, r: 5.5 }), t("the answer")),
  );
}

