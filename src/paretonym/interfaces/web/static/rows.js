// Twenty rows of the table, unchanged and as a release shows them.

import { get } from "./api.js";
import { attempt, element, fill, folded, grid, scrolled } from "./dom.js";
import { addressOf, store, whenChanged } from "./store.js";
import { t } from "./words.js";

export function rows() {
  const place = element("section", {
    class: "card rows",
    "aria-label": t("Rows before and after"),
    hidden: true,
  });
  whenChanged((what) => {
    if (!what.has("selected")) return;
    place.hidden = !store.selected;
    const wasOpen = place.querySelector("details")?.open ?? false;
    if (store.selected) fill(place, opened(store.selected));
    if (store.selected && wasOpen) place.querySelector("details").open = true;
  });
  return place;
}

/** Fetched when opened, shown here and nowhere else. */
function opened(chosen) {
  const place = scrolled(t("Twenty rows before and after"));
  const load = (start) =>
    attempt(place, async () => fill(place, example(await get(`${addressOf(chosen)}/rows?start=${start}`), load)));
  const summary = element("summary", {
    text: t("Twenty rows before and after, side by side, as release {id} shows them", {
      id: store.runs[chosen.run].ids[chosen.place],
    }),
  });
  return folded("rows", summary, place, () => load(0));
}

function example(found, load) {
  // What changes comes first, as it is beside as it is released; the rest is shown once.
  const changes = found.columns.map((_, i) =>
    found.rows.some((row) => row.after && row.after[i] !== row.before[i]),
  );
  const places = found.columns.map((_, i) => i).sort((a, b) => changes[b] - changes[a]);
  const lines = found.rows.flatMap((row) => line(row, places, changes));
  const hidden = found.hidden.length
    ? t("Not shown because never released: {columns}.", { columns: found.hidden.join(", ") })
    : "";
  const pair = (i) => ({ scope: changes[i] ? "colgroup" : "col", colspan: changes[i] ? 2 : 1, rowspan: changes[i] ? 1 : 2 });
  const head = [
    element("th", { scope: "col", rowspan: 2, class: "number", text: t("row") }),
    ...places.map((i) => element("th", { ...pair(i), text: found.columns[i] })),
  ];
  const table = grid(t("Twenty rows before and after"), head, lines);
  const parts = places.filter((i) => changes[i]).flatMap(() => [t("before"), t("after")]);
  table.tHead.append(element("tr", {}, parts.map((text) => element("th", { scope: "col", text }))));
  return [
    element("p", { class: "quiet", text: t("On this page only; never written to a file. {hidden}", { hidden }) }),
    element("button", {
      text: t("Twenty others"),
      onclick: () => load(Math.floor(Math.random() * Math.max(1, found.total - found.rows.length))),
    }),
    table,
  ];
}

/** One row, and below it why it is not released if it is suppressed. */
function line(row, places, changes) {
  const cells = places.flatMap((i) => {
    const before = element("td", { text: row.before[i] });
    if (!changes[i]) return [before];
    const after = row.after?.[i] ?? "–";
    return [before, element("td", { class: after === row.before[i] ? "after" : "after changed", text: after })];
  });
  const number = element("td", { class: "number", text: row.number });
  const shown = element("tr", { class: row.after === null ? "before" : null }, number, cells);
  if (row.after !== null) return [shown];
  return [shown, element("tr", {}, element("td", {}), element("td", { colspan: cells.length, text: row.reason }))];
}
