// All releases as a table: sorted by any measure, a page at a time.

import { element, fill, later } from "./dom.js";
import { dot, named, written } from "./scales.js";
import { select } from "./scatter.js";
import { allMeasures, isAlone, samePoint, store, togglePin, whenChanged } from "./store.js";
import { grouped, t, tn } from "./words.js";

const PAGE = 25;

export function table() {
  const state = {
    by: store.runs[0].measures[0].name,
    falling: store.runs[0].measures[0].direction === "max",
    page: 0,
    all: false,
  };
  const place = element("div", { class: "scroll" });
  const pages = element("div", { class: "row pages quiet" });
  const draw = () => drawn(state, place, pages, draw);
  const all = element("input", {
    type: "checkbox",
    onchange: (event) => {
      state.all = event.target.checked;
      state.page = 0;
      draw();
    },
  });
  const drawSoon = later(60, draw);
  whenChanged((what) => {
    if (what.has("limits") || what.has("brushes")) state.page = 0;
    if (what.has("selected") && store.selected) state.page = pageOf(state);
    if (["selected", "pins"].some((one) => what.has(one))) draw();
    else if (["limits", "brushes"].some((one) => what.has(one))) drawSoon();
  });
  draw();
  return element(
    "section",
    { class: "card", "aria-labelledby": "table-title" },
    element(
      "div",
      { class: "row" },
      element("h2", { id: "table-title", text: t("The releases") }),
      element("label", {}, all, t("also releases that miss a limit")),
    ),
    place,
    pages,
  );
}

function ordered(state) {
  const rows = [];
  store.runs.forEach((run, number) => {
    const column = run.values[state.by];
    for (let i = 0; i < run.ids.length; i += 1)
      if (state.all || run.lit[i]) rows.push({ run: number, place: i, value: column ? column[i] : NaN });
  });
  const sign = state.falling ? -1 : 1;
  return rows.sort((a, b) => sign * (a.value - b.value) || a.run - b.run || a.place - b.place);
}

function pageOf(state) {
  const place = ordered(state).findIndex((row) => samePoint(row, store.selected));
  return place < 0 ? state.page : Math.floor(place / PAGE);
}

function drawn(state, place, pages, draw) {
  const rows = ordered(state);
  const last = Math.max(0, Math.ceil(rows.length / PAGE) - 1);
  state.page = Math.min(state.page, last);
  const measures = allMeasures();
  const head = measures.map((m) => {
    const sorted = state.by === m.name ? (state.falling ? "descending" : "ascending") : "none";
    const arrow = sorted === "none" ? "" : state.falling ? " ↓" : " ↑";
    return element(
      "th",
      { class: "number", scope: "col", "aria-sort": sorted },
      element("button", {
        class: "plain",
        title: m.question,
        text: named(m) + arrow,
        onclick: () => {
          state.falling = state.by === m.name ? !state.falling : m.direction === "max";
          state.by = m.name;
          draw();
        },
      }),
    );
  });
  const shown = rows.slice(state.page * PAGE, (state.page + 1) * PAGE).map((row) => line(row, measures));
  fill(
    place,
    element(
      "table",
      {},
      element("caption", { class: "unseen", text: t("Releases; the button of a line opens it") }),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col", text: t("release") }),
          head,
          element("th", { class: "number", scope: "col", text: t("suppressed rows") }),
          element("th", { scope: "col", text: t("pin") }),
        ),
      ),
      element("tbody", {}, shown),
    ),
    !rows.length && element("p", { class: "quiet", text: t("No release meets all limits.") }),
  );
  const turn = (step) => () => {
    state.page += step;
    draw();
  };
  fill(
    pages,
    element("button", { text: t("Previous"), disabled: state.page === 0, onclick: turn(-1) }),
    element("span", {
      text: tn("{number} release, page {page} of {last}", "{number} releases, page {page} of {last}", rows.length, {
        page: state.page + 1,
        last: last + 1,
      }),
    }),
    element("button", { text: t("Next"), disabled: state.page === last, onclick: turn(1) }),
  );
}

function line(row, measures) {
  const run = store.runs[row.run];
  const id = run.ids[row.place];
  const pinned = store.pins.some((pin) => samePoint(pin, row));
  const cells = measures.map((m) =>
    element("td", {
      class: "number",
      text: run.values[m.name] ? written(m, run.values[m.name][row.place]) : "",
    }),
  );
  const name = element(
    "th",
    { scope: "row" },
    store.runs.length > 1 && dot(run),
    " ",
    element("button", { class: "plain", text: id, "data-release": id, onclick: () => select(row) }),
    isAlone(run, row.place) && element("span", { class: "alone", text: t("a group of one (k = 1)") }),
  );
  const pin = element("button", {
    class: "plain",
    "aria-pressed": pinned,
    "aria-label": t("Pin {id}", { id }),
    text: pinned ? t("pinned") : t("pin"),
    onclick: () => togglePin({ run: row.run, place: row.place }),
  });
  return element(
    "tr",
    {
      class: run.lit[row.place] ? null : "lit-not",
      "aria-selected": samePoint(row, store.selected) ? "true" : null,
    },
    name,
    cells,
    element("td", { class: "number", text: grouped(run.suppressed[row.place]) }),
    element("td", {}, pin),
  );
}
