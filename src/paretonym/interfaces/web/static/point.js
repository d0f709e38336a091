// One release: in words, levels and loss of each column, class sizes and risk.

import { get } from "./api.js";
import { element, fill, line, shape, trouble, upper, warnings, wrapped } from "./dom.js";
import { named, number, percentage, written } from "./scales.js";
import { sizes } from "./sizes.js";
import { addressOf, methodOf, samePoint, store, togglePin, whenChanged } from "./store.js";
import { copyButton, takeHome } from "./take.js";
import { utilityPart } from "./utility.js";
import { grouped, t, tn } from "./words.js";

export function point() {
  const place = element("section", {
    class: "card",
    id: "point",
    tabindex: -1,
    "aria-labelledby": "point-title",
  });
  whenChanged((what) => {
    if (what.has("selected")) show(place);
    else if (what.has("pins")) pinText(place);
  });
  show(place);
  return place;
}

let asking = 0;

async function show(place) {
  asking += 1;
  const mine = asking;
  const chosen = store.selected;
  if (!chosen) {
    fill(
      place,
      element("h2", { id: "point-title", text: t("A release") }),
      element("p", {
        class: "quiet",
        text: t("Click a point, choose a line of the table, or move along the chart with the arrow keys to see what a release shows and whom it protects."),
      }),
    );
    return;
  }
  const run = store.runs[chosen.run];
  const head = [
    element("h2", {
      id: "point-title",
      text:
        store.runs.length > 1
          ? t("Release {id} of {run}", { id: run.ids[chosen.place], run: run.label })
          : t("Release {id}", { id: run.ids[chosen.place] }),
    }),
    values(run, chosen.place),
  ];
  fill(place, head, element("p", { class: "quiet", text: t("Reading the data …") }));
  try {
    const facts = await get(addressOf(chosen));
    if (mine !== asking) return;
    fill(place, head[0], verdict(facts), head[1], pinButton(chosen), body(facts, chosen));
  } catch (error) {
    if (mine === asking) fill(place, head, trouble(error.problems ?? []));
  }
}

/** Three sentences for whoever must answer for the release: on top, and to be quoted. */
function verdict({ id, verdict: sentences, warnings: cautions }) {
  const quote = t("Release {id}", { id }) + `. ${sentences.join(" ")}`;
  return [
    sentences.length > 0 &&
      element(
        "div",
        { id: "verdict" },
        sentences.map((text) => element("p", { text })),
        copyButton(quote, t("Copy the three sentences")),
      ),
    ...warnings(cautions),
  ].flat();
}

function values(run, place) {
  const cells = run.measures.map((m) =>
    element(
      "div",
      { title: m.question },
      element("dt", { text: named(m) }),
      element("dd", { text: written(m, run.values[m.name][place]) }),
    ),
  );
  return element("dl", { class: "values" }, cells);
}

function pinButton(chosen) {
  const pinned = store.pins.some((pin) => samePoint(pin, chosen));
  return element("button", {
    id: "pin",
    "aria-pressed": pinned,
    text: pinned ? t("Unpin (P)") : t("Pin to compare (P)"),
    onclick: () => togglePin(chosen),
  });
}

function pinText(place) {
  const old = place.querySelector("#pin");
  if (old && store.selected) old.replaceWith(pinButton(store.selected));
}

function body(facts, chosen) {
  return [
    facts.reasons.length > 0 &&
      element("p", { class: "quiet", text: t("Worth a look: {reasons}.", { reasons: facts.reasons.join("; ") }) }),
    element("h3", { text: t("What it shows") }),
    element("p", { text: facts.text, id: "words" }),
    methodOf(store.runs[chosen.run], chosen.place) &&
      element("p", {
        class: "quiet",
        text: t("Made with {method}.", { method: methodOf(store.runs[chosen.run], chosen.place) }),
      }),
    facts.note && element("p", { class: "quiet", text: upper(facts.note) }),
    facts.bound && element("p", { id: "bound", text: t("Proven: {bound}.", { bound: facts.bound }) }),
    facts.columns.some(barred) &&
      element("p", {
        class: "quiet",
        text: t("Upper bar: how far a column is generalized; lower bar: how much of its detail is lost, suppressed rows included."),
      }),
    columns(facts),
    facts.risk && element("h3", { text: t("Risk") }),
    facts.risk && element("p", { text: facts.risk.text }),
    facts.risk && sizes(facts.risk),
    facts.gone.length > 0 && gone(facts.gone),
    utilityPart(addressOf(chosen)),
    takeHome(facts, chosen),
  ];
}

/** Without the data nothing is known that a bar could show. */
const barred = (column) => (column.level === null && !column.mixed) || column.height !== null;

/** Level and loss of each column as bars, with words. */
function columns(facts) {
  const items = facts.columns.map((column) => {
    const shown = facts.shown[column.name];
    const level = column.mixed
      ? t("levels {low} to {high}", { low: column.mixed[0], high: column.mixed.at(-1) })
      : column.level === null
        ? tn("{number} group", "{number} groups", column.groups)
        : column.height === null
          ? t("level {level}", { level: column.level })
          : t("level {level} of {height}", { level: column.level, height: column.height });
    const loss =
      shown?.loss === null || shown?.loss === undefined
        ? ""
        : t(", {share} of its detail lost", { share: percentage(shown.loss) });
    const share = column.level !== null && column.height ? column.level / column.height : 0;
    return element(
      "li",
      {},
      element("strong", { text: column.name }),
      barred(column) &&
        bar(
          column.level !== null && column.height ? share : (shown?.loss ?? 0),
          `${column.name}: ${level}`,
          shown?.loss,
        ),
      element("span", { class: "words", text: `${shown?.words ?? ""} (${level}${loss})` }),
    );
  });
  return element("ul", { class: "columns", "aria-label": t("Levels and loss of each column") }, items);
}

/** The level above, the loss below it. */
function bar(share, label, loss) {
  const parts = [
    shape("rect", { class: "rest", x: 0, y: 0, width: 100, height: 6 }),
    shape("rect", { class: "bar", x: 0, y: 0, width: 100 * share, height: 6 }),
  ];
  if (typeof loss === "number")
    parts.push(
      shape("rect", { class: "rest", x: 0, y: 8, width: 100, height: 4 }),
      shape("rect", { x: 0, y: 8, width: 100 * loss, height: 4, fill: "var(--mark)" }),
    );
  return shape(
    "svg",
    { viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": label },
    parts,
  );
}

/** Who is suppressed: the values of which the largest share goes. */
function gone(groups) {
  const lines = groups.map((group) =>
    line(`${group.column}: ${group.value}`, [
      grouped(group.rows),
      grouped(group.gone),
      percentage(group.gone / group.rows),
    ]),
  );
  const title = t("Suppressed most, by value");
  const table = wrapped(title, [t("value"), t("rows"), t("suppressed"), t("share")], lines);
  return element("details", { id: "gone" }, element("summary", { text: title }), table);
}
