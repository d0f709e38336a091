// The sizes of equivalence classes, as bars in a table.

import { element, grid, shape } from "./dom.js";
import { grouped, t } from "./words.js";

/** How many people, or rows, are in groups of which size. */
export function sizes(risk) {
  const most = Math.max(...risk.bins.map((bin) => bin.rows));
  const lines = risk.bins.map((bin) =>
    element(
      "tr",
      {},
      element("th", {
        scope: "row",
        class: "number",
        text: bin.low === bin.high ? grouped(bin.low) : `${grouped(bin.low)}–${grouped(bin.high)}`,
      }),
      element(
        "td",
        {},
        shape(
          "svg",
          {
            viewBox: "0 0 100 10",
            preserveAspectRatio: "none",
            width: "100%",
            height: 10,
            role: "img",
            "aria-label": `${bin.rows} ${risk.counted}`,
          },
          shape("rect", { class: "bar", x: 0, y: 0, width: (100 * bin.rows) / most, height: 10 }),
        ),
      ),
      element("td", { class: "number", text: grouped(bin.rows) }),
      element("td", { class: "number", text: grouped(bin.classes) }),
    ),
  );
  return element(
    "details",
    { open: true },
    element("summary", { text: t("Sizes of the equivalence classes") }),
    grid(
      t("Sizes of the equivalence classes"),
      [t("class of"), "", risk.counted, t("classes")].map((text) =>
        text ? element("th", { scope: "col", class: "number", text }) : element("td", {}),
      ),
      lines,
    ),
  );
}
