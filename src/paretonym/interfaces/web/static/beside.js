// A file about the same people, dropped onto the chart: measured beside releases by the server, and forgotten.

import { put } from "./api.js";
import { dropZone, element, fill, grid, heads, line, scrolled } from "./dom.js";
import { watch } from "./job.js";
import { activeRun } from "./store.js";
import { t } from "./words.js";

/** The chart as a place for a file, a field for one, and below what was measured. */
export function besideReleases(box) {
  const place = element("div", { id: "compared", "aria-live": "polite" });
  const send = ([file]) => {
    if (!file) return;
    const address = `/api/runs/${activeRun().key}/compare?name=${encodeURIComponent(file.name)}`;
    fill(place, element("p", { role: "status", text: t("Sending …") }));
    watch(place, put(address, file), (result) => fill(place, ...measured(file.name, result)));
  };
  const label = element("label", { for: "beside", text: t("Compare a file about the same people, or drop it onto the chart: ") });
  const input = element("input", { type: "file", id: "beside", onchange: (event) => send(event.target.files) });
  return [dropZone({}, send, box), element("p", {}, label, input), place];
}

function measured(name, { words, remarks, head, rows, picture }) {
  const title = t("{name} beside the releases", { name });
  const source = `data:image/svg+xml,${encodeURIComponent(picture)}`;
  return [
    element("h3", { text: title }),
    words.map((text) => element("p", { text })),
    picture && element("img", { src: source, alt: title, width: "100%" }),
    scrolled(title, grid(title, heads(head), rows.map(([first, ...cells]) => line(first, cells)))),
    remarks.map((text) => element("p", { class: "notice", text })),
  ];
}
