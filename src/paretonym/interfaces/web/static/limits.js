// A limit on every measure, as a slider and a box; the answer of `ask` beside them, live.

import { post } from "./api.js";
import { element, fill, following, trouble } from "./dom.js";
import { named, scaleOver, written } from "./scales.js";
import { select } from "./scatter.js";
import { activeRun, allMeasures, bounds, change, isAlone, light, store, whenChanged } from "./store.js";
import { grouped, t, tn } from "./words.js";

const STEPS = 1000;

export function limits() {
  const rows = allMeasures().map(row);
  const best = element("select", { id: "best", onchange: (event) => change({ best: event.target.value }) });
  offer(best);
  const answer = element("div", { id: "answer", "aria-live": "polite" });
  // Ask before redrawing charts and table: the server is faster than they are.
  const ask = following(() => asked(answer));
  whenChanged((what) => {
    if (what.has("limits")) rows.forEach((one) => one.show());
    if (what.has("active") || what.has("limits")) offer(best);
    if (what.has("limits") || what.has("best") || what.has("active")) ask();
  });
  ask();
  return element(
    "section",
    { class: "card limits", "aria-labelledby": "limits-title" },
    element("h2", { id: "limits-title", text: t("Limits") }),
    rows.map((one) => one.node),
    element(
      "div",
      { class: "row" },
      element("label", { for: "best", text: t("Optimize:") }),
      best,
      element("button", { class: "plain", text: t("No limits"), onclick: () => limit({}) }),
    ),
    element("div", { class: "row" }, element("h3", { text: t("Within these limits") }), asksOf()),
    answer,
  );
}

/** Which of several runs is asked. */
function asksOf() {
  if (store.runs.length < 2) return null;
  const list = element(
    "select",
    { id: "asked", onchange: (event) => change({ active: Number(event.target.value) }) },
    store.runs.map((run, place) => element("option", { value: place, text: run.label })),
  );
  list.value = String(store.active);
  whenChanged((what) => {
    if (what.has("active")) list.value = String(store.active);
  });
  return element("label", { for: "asked" }, t("of"), list);
}

/** What can be best: an objective of the run that is asked. */
function offer(best) {
  fill(
    best,
    activeRun().objectives.map(({ name }) => element("option", { value: name, text: named(activeRun().measured.get(name)) })),
  );
  best.value = optimized();
}

/** What the person chose to optimize; else an objective without a limit, since the best k of those above 5 is
 * rarely the question. */
function optimized() {
  const names = activeRun().objectives.map((o) => o.name);
  if (names.includes(store.best)) return store.best;
  const usual = names.includes(store.up) ? [store.up, ...names] : names;
  return usual.find((name) => (store.limits[name] ?? null) === null) ?? usual[0];
}

/** Set limits: the others stay unless all are given. */
export function limit(changed) {
  const limits = Object.keys(changed).length ? { ...store.limits, ...changed } : {};
  Object.assign(store, { limits });
  light();
  change({ limits });
}

function row(measure) {
  const scale = scaleOver(
    store.runs.map((run) => run.values[measure.name]).filter(Boolean),
    measure.logarithmic,
  );
  const atLeast = measure.direction === "max";
  const idle = atLeast ? 0 : STEPS;
  const word = atLeast ? t("at least") : t("at most");
  const label = `${measure.name} ${word}`;
  const slider = element("input", {
    type: "range",
    min: 0,
    max: STEPS,
    "aria-label": label,
    id: `limit-${measure.name}`,
  });
  const box = element("input", {
    type: "number",
    step: "any",
    "aria-label": measure.share ? t("{label}, as a number in percent", { label }) : t("{label}, as a number", { label }),
    placeholder: t("none"),
  });
  const clear = element("button", {
    "aria-label": t("No limit on {measure}", { measure: measure.name }),
    title: t("No limit"),
    text: "×",
    onclick: () => limit({ [measure.name]: null }),
  });
  slider.addEventListener("input", () => {
    const place = Number(slider.value);
    limit({ [measure.name]: place === idle ? null : tidy(measure, scale.value(place / STEPS)) });
  });
  box.addEventListener("change", () => {
    const value = Number(box.value);
    limit({
      [measure.name]:
        box.value === "" || !Number.isFinite(value)
          ? null
          : measure.share
            ? Number((value / 100).toPrecision(12))
            : value,
    });
  });
  const show = () => {
    const bound = store.limits[measure.name] ?? null;
    slider.value = bound === null ? idle : Math.round(STEPS * Math.max(0, Math.min(1, scale.place(bound))));
    slider.setAttribute("aria-valuetext", bound === null ? t("no limit") : written(measure, bound));
    if (document.activeElement !== box)
      box.value = bound === null ? "" : measure.share ? Number((100 * bound).toPrecision(10)) : bound;
    clear.disabled = bound === null;
  };
  show();
  const name = element(
    "div",
    { class: "name", title: measure.question, text: named(measure) },
    element("span", { text: measure.share ? t("{word}, in %", { word }) : word }),
  );
  return { node: element("div", { class: "limit" }, name, slider, box, clear), show };
}

/** Few digits: whole counts, tenths of a percent. */
function tidy(measure, value) {
  if (measure.share) return Math.round(value * 1000) / 1000;
  return value >= 20 || measure.whole ? Math.round(value) : Number(value.toPrecision(3));
}

let asking = 0;

async function asked(node) {
  const run = activeRun();
  asking += 1;
  const mine = asking;
  try {
    const answer = await post(`/api/runs/${run.key}/ask`, { limits: bounds(run), best: optimized() });
    if (mine !== asking) return;
    change({ answer });
    fill(node, shown(run, answer));
  } catch (error) {
    if (mine !== asking) return;
    change({ answer: null });
    fill(node, trouble(error.problems ?? []));
  }
}

function shown(run, answer) {
  const lit = tn("{count} of {number} release meet these limits.", "{count} of {number} releases meet these limits.", run.ids.length, {
    count: grouped(run.count),
  });
  if (!answer.answer) {
    return [
      element("p", { class: "said", text: answer.text.split("\n")[0] }),
      ...answer.text
        .split("\n")
        .slice(1)
        .map((text) => element("p", { class: "quiet", text })),
      element(
        "div",
        { class: "row" },
        (answer.nearest ?? []).map((id) => link(run, id, t("Show {id}", { id }))),
      ),
    ];
  }
  if (!bounds(run).length) return [...worthALook(run), element("p", { class: "quiet", text: answer.text })];
  return [
    element("p", { class: "said", text: answer.text }),
    ...answer.doubts.map((text) => element("p", { class: "quiet", text: t("Not proven: {doubt}.", { doubt: text }) })),
    element(
      "div",
      { class: "row" },
      element("button", {
        class: "main",
        id: "show-answer",
        text: t("Show this release"),
        onclick: () => go(run, answer.answer),
      }),
      element("span", { class: "quiet", text: lit }),
    ),
    ...list(run, t("Relaxing a limit would give"), answer.bought),
    ...list(run, t("The next stricter limit would cost"), answer.priced),
  ];
}

function list(run, title, steps) {
  if (!steps.length) return [];
  const items = steps.map((step) =>
    element(
      "li",
      {},
      step.id
        ? element("button", {
            class: "plain",
            text: step.text,
            title: t("Set this limit"),
            onclick: () => limit({ [step.measure]: step.bound }),
          })
        : element("span", { text: step.text }),
    ),
  );
  return [element("h3", { text: title }), element("ul", { class: "steps" }, items)];
}

/** Before anything is asked: a few releases that deserve a look. */
function worthALook(run) {
  const items = run.shortlist.map((choice) => {
    const place = run.places.get(choice.id);
    const values = run.objectives.map(
      (o) => `${named(run.measured.get(o.name))} ${written(run.measured.get(o.name), run.values[o.name][place])}`,
    );
    return element(
      "li",
      {},
      element("button", { class: "plain", text: values.join(", "), onclick: () => go(run, choice.id) }),
      isAlone(run, place) && element("span", { class: "alone", text: t("a group of one (k = 1)") }),
      element("span", { class: "quiet", text: ` ${choice.reasons.join("; ")}` }),
    );
  });
  return [
    element("p", { text: t("Set a limit above, or start with one of these:") }),
    element("ul", { class: "steps", id: "shortlist" }, items),
  ];
}

const go = (run, id) => select({ run: store.runs.indexOf(run), place: run.places.get(id) });

const link = (run, id, text) => element("button", { text, onclick: () => go(run, id) });
