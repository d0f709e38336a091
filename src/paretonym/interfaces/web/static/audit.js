// A released file is audited here: dropped, measured by the server, and forgotten.

import { put } from "./api.js";
import { attempt, dropZone, element, fill, grid, heads, line, scrolled } from "./dom.js";
import { watch } from "./job.js";
import { store } from "./store.js";
import { grouped, numeral, t, tn } from "./words.js";

export function auditCard() {
  const place = element("div", { id: "audit", "aria-live": "polite" });
  const check = async (files) => {
    const manifest = files.find((file) => /\.json$/i.test(file.name));
    const table = files.find((file) => file !== manifest);
    fill(place, element("p", { role: "status", text: table ? t("Sending …") : t("Choose the released file, too.") }));
    if (!table) return;
    const run = store.runs[store.active]?.key;
    const query = `name=${encodeURIComponent(table.name)}${run ? `&run=${run}` : ""}`;
    await attempt(place, async () => {
      // The table is audited as soon as it is here, so the manifest comes first.
      if (manifest) await put("/api/audit/manifest", manifest);
      watch(place, put(`/api/audit?${query}`, table), (result) => fill(place, verdict(result)));
    });
  };
  const input = element("input", {
    type: "file",
    id: "released",
    multiple: true,
    "aria-describedby": "released-hint",
    onchange: (event) => check([...event.target.files]),
  });
  return element(
    "section",
    { class: "card", "aria-labelledby": "audit-title" },
    element("h2", { id: "audit-title", text: t("Check a released file") }),
    dropZone(
      { class: "drop small" },
      check,
      element("label", { for: "released", text: t("A released file: ") }),
      input,
      element("p", {
        class: "quiet",
        id: "released-hint",
        text: t("or drop it here, with its manifest. It is measured by code that shares nothing with the search, and then deleted."),
      }),
    ),
    place,
  );
}

const COMPARED = {
  sent: () => t("Compared with the manifest that came with it."),
  made: () => t("Compared with the manifest that was made here with this file."),
  roles: (run) => t("There is no manifest to compare with: measured with the roles of {run}.", { run }),
};
const OUTCOMES = [[false, t("does not hold")], [true, t("holds")], [null, t("measured")]];

/** What the audit says, the failed checks first. */
function verdict(result) {
  const failed = result.failed.length;
  const claims = result.by !== "roles";
  const held = result.checks.filter((check) => check.holds).length;
  const passed = claims
    ? tn("The only check holds.", "All {number} checks hold.", held)
    : t("Measured: nothing is claimed of it that could fail.");
  const sentence = failed
    ? tn("{number} check fails: do not publish this file.", "{number} checks fail: do not publish this file.", failed)
    : passed;
  const lines = OUTCOMES.flatMap(([holds, words]) =>
    result.checks
      .filter((check) => check.holds === holds)
      .map((check) =>
        line(check.name, [written(check.said), written(check.found)], element("td", { text: check.why || words })),
      ),
  );
  const head = [...heads([t("check"), t("stated"), t("measured")]), element("th", { scope: "col", text: t("outcome") })];
  const title = t("The checks");
  return [
    element("p", {
      class: failed ? "said worse" : "said",
      id: "audit-verdict",
      text: `${result.file}: ${sentence} ${tn("{number} row.", "{number} rows.", result.rows)}`,
    }),
    element("p", { class: "quiet", text: COMPARED[result.by](result.run) }),
    result.warnings.map((text) => element("p", { class: "notice", text })),
    element("details", { open: failed > 0 || !claims }, element("summary", { text: title }), scrolled(title, grid(title, head, lines))),
  ];
}

const written = (value) =>
  Number.isInteger(value) ? grouped(value) : typeof value === "number" ? numeral(String(value)) : (value ?? "");
