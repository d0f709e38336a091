// The main view: charts and table on the left, limits and the chosen release on the right.

import { get } from "./api.js";
import { purposeCard } from "./achieved.js";
import { auditCard } from "./audit.js";
import { besideReleases } from "./beside.js";
import { element, later, soon, warnings } from "./dom.js";
import { legend } from "./legend.js";
import { limits } from "./limits.js";
import { parallel } from "./parallel.js";
import { pins } from "./pins.js";
import { point } from "./point.js";
import { tableRisk } from "./risk.js";
import { rows } from "./rows.js";
import { scatter } from "./scatter.js";
import { dot, named, written } from "./scales.js";
import { allMeasures, beginning, change, forgetListeners, light, prepared, store, whenChanged } from "./store.js";
import { table } from "./table.js";
import { t } from "./words.js";

let shown = null;
let known = [];

/** Show only these runs from now on. */
const showOnly = (keys) => {
  shown = new Set(keys);
};

/** Go to the releases of these runs; without any run their address showed the start. */
export function visit(keys) {
  showOnly(keys);
  if (location.hash !== "#explore") location.hash = "#explore";
  else if (document.body.dataset.view === "start") redraw();
}

const redraw = () => window.dispatchEvent(new Event("hashchange"));

/** Fetch the runs that are shown, unless they are already here; keep them if they are still wanted. */
export async function load(summaries, wanted) {
  known = summaries;
  const chosen = summaries.filter((s) => !shown || shown.has(s.key));
  const keys = (chosen.length ? chosen : summaries).map((s) => s.key);
  if (keys.join() === store.runs.map((run) => run.key).join()) return;
  const facts = await Promise.all(keys.map((key) => get(`/api/runs/${key}`)));
  if (!wanted()) return;
  const runs = facts.map(prepared);
  const first = runs[0];
  const costs = first.measures.filter((m) => m.cost).map((m) => m.name);
  const [a, b] = [
    first.objectives[0].name,
    (first.objectives.find((o, n) => n && costs.includes(o.name)) ?? first.objectives[1] ?? first.measures[1])
      .name,
  ];
  const [up, across] = costs.includes(a) && !costs.includes(b) ? [b, a] : [a, b];
  Object.assign(store, { ...beginning(), runs, across, up });
  light();
}

export function exploreView() {
  forgetListeners();
  const frame = scatter();
  const many = new Set(store.runs.flatMap((run) => run.objectives.map((o) => o.name))).size > 2;
  const beside = many ? parallel() : null;
  const frames = soon(frame.redraw);
  // Painting thousands of lines takes long: the answer to a limit should be visible before that.
  const dense = store.runs.some((run) => run.ids.length > 2000);
  const besides = later(dense ? 120 : 30, () => beside?.redraw());
  whenChanged((what) => {
    frames();
    if (["limits", "brushes", "selected"].some((one) => what.has(one))) besides();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    frame.redraw();
    beside?.redraw();
  });
  return [
    title(),
    // In reading order; on a wide screen the choice is beside the rest.
    element(
      "div",
      { class: "halves" },
      element(
        "div",
        { class: "stack picture" },
        element(
          "section",
          { class: "card trade-off", "aria-labelledby": "chart-title" },
          element("h2", { id: "chart-title", text: t("The trade-off") }),
          choices(),
          besideReleases(frame.box),
          chosen(),
          legend(),
        ),
        beside &&
          element(
            "section",
            { class: "card beside", "aria-labelledby": "parallel-title" },
            element("h2", { id: "parallel-title", text: t("All objectives") }),
            element("p", {
              class: "quiet",
              text: t("Drag along an axis to select a range; click the axis to select all."),
            }),
            beside.box,
          ),
      ),
      element("div", { class: "stack choice" }, limits(), point()),
      element("div", { class: "stack rest" }, purposeCard(), rows(), pins(), table(), tableRisk(), auditCard()),
    ),
  ];
}

function title() {
  const lines = known.map((summary) => {
    const run = store.runs.find((one) => one.key === summary.key);
    const text = `${summary.label}: ${summary.text}.`;
    if (known.length === 1) return element("p", { class: "quiet", text });
    const box = element("input", {
      type: "checkbox",
      checked: Boolean(run),
      onchange: () => toggle(summary.key),
    });
    return element("p", { class: "row" }, element("label", {}, box, run && dot(run), text));
  });
  const claim =
    store.runs.length > 1
      ? t("No release of a run is better in everything than another of the same run. Which one do you want?")
      : t("No release here is better in everything than another. Which one do you want?");
  return element("div", {}, element("h1", { text: claim }), lines, store.runs.flatMap(scope));
}

/** What a run required, and what it did not prove. */
function scope(run) {
  const whose = store.runs.length > 1 ? `${run.label}: ` : "";
  const required =
    run.required.length && whose + t("Every release here has {limits}.", { limits: run.required.join(t(" and ")) });
  const doubt =
    run.doubts.length && whose + t("Not proven complete: {doubts}.", { doubts: run.doubts.join("; ") });
  return [
    ...warnings(run.warnings, whose),
    required && element("p", { class: "quiet", text: required }),
    doubt && element("p", { class: "notice", text: doubt }),
  ].filter(Boolean);
}

/** Show or hide a run. */
function toggle(key) {
  const keys = new Set(store.runs.map((run) => run.key));
  if (!keys.delete(key)) keys.add(key);
  showOnly(keys);
  redraw();
}

/** Which measures the axes show, and how. */
function choices() {
  const pick = (key, label) => {
    const list = element(
      "select",
      { id: key, onchange: (event) => change({ [key]: event.target.value }) },
      allMeasures().map((m) => element("option", { value: m.name, text: named(m) })),
    );
    list.value = store[key];
    return element("label", { for: key }, label, list);
  };
  const log = (key, label) => {
    const box = element("input", {
      type: "checkbox",
      "aria-label": t("{axis}: logarithmic", { axis: label }),
      onchange: () => change({ logarithmic: { ...store.logarithmic, [store[key]]: box.checked } }),
    });
    const show = () => {
      const measure = allMeasures().find((m) => m.name === store[key]);
      box.checked = store.logarithmic[measure.name] ?? measure.logarithmic;
    };
    show();
    whenChanged((what) => {
      if (what.has(key) || what.has("logarithmic")) show();
    });
    return element("label", {}, box, t("log"));
  };
  return element(
    "div",
    { class: "row" },
    element("span", { class: "pair" }, pick("up", t("Up")), log("up", t("Up"))),
    element("span", { class: "pair" }, pick("across", t("Across")), log("across", t("Across"))),
  );
}

/** On a narrow screen the release is far below its point: a line says what was chosen and links to it. */
function chosen() {
  const text = element("span");
  const place = element(
    "p",
    { class: "row chosen", hidden: true },
    text,
    element("a", { href: "#explore", text: t("See it"), onclick: lead }),
  );
  whenChanged((what) => {
    if (!what.has("selected")) return;
    place.hidden = !store.selected;
    if (!store.selected) return;
    const run = store.runs[store.selected.run];
    const values = run.objectives.map(
      (o) => `${o.name} ${written(run.measured.get(o.name), run.values[o.name][store.selected.place])}`,
    );
    text.textContent = `${run.ids[store.selected.place]}: ${values.join(", ")}`;
  });
  return place;
}

function lead(event) {
  event.preventDefault();
  document.getElementById("point").focus();
}

