// Ten rows of the table, unchanged and as a release shows them.

import { get } from "./api.js";
import { element, fill, folded, grid, scrolled, trouble } from "./dom.js";
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
  const place = scrolled(t("Ten rows before and after"));
  const load = async (start) => {
    try {
      fill(place, example(await get(`${addressOf(chosen)}/rows?start=${start}`), load));
    } catch (error) {
      fill(place, trouble(error.problems ?? []));
    }
  };
  const summary = element("summary", {
    text: t("Ten rows before and after, as release {id} shows them", {
      id: store.runs[chosen.run].ids[chosen.place],
    }),
  });
  return folded("rows", summary, place, () => load(0));
}

function example(found, load) {
  const lines = found.rows.flatMap((row) => {
    const before = element(
      "tr",
      { class: "before" },
      element("td", { class: "number", text: row.number }),
      row.before.map((text) => element("td", { text })),
    );
    const after =
      row.after === null
        ? element(
            "tr",
            {},
            element("td", {}),
            element("td", { colspan: row.before.length, text: row.reason }),
          )
        : element(
            "tr",
            {},
            element("td", { text: "→" }),
            row.after.map((text, i) =>
              element("td", { class: text === row.before[i] ? null : "changed", text }),
            ),
          );
    return [before, after];
  });
  const hidden = found.hidden.length
    ? t("Not shown because never released: {columns}.", { columns: found.hidden.join(", ") })
    : "";
  return [
    element("p", { class: "quiet", text: t("On this page only; never written to a file. {hidden}", { hidden }) }),
    element("button", {
      text: t("Ten others"),
      onclick: () => load(Math.floor(Math.random() * Math.max(1, found.total - 10))),
    }),
    grid(
      t("Ten rows before and after"),
      [
        element("th", { scope: "col", class: "number", text: t("row") }),
        ...found.columns.map((text) => element("th", { scope: "col", text })),
      ],
      lines,
    ),
  ];
}
