// Where the risk of the table comes from, before any release: uniques, class sizes, columns, combinations.

import { get } from "./api.js";
import { attempt, element, fill, folded, line, warnings, wrapped } from "./dom.js";
import { percentage } from "./scales.js";
import { sizes } from "./sizes.js";
import { store } from "./store.js";
import { grouped, t, tn } from "./words.js";

/** Computed when it is opened; it describes the table itself, so it stays on this page. */
export function tableRisk() {
  const place = element("div", { id: "risk-facts", "aria-live": "polite" });
  const address = `/api/runs/${store.runs[0].key}/risk`;
  const compute = async () => {
    fill(place, element("p", { class: "quiet", text: t("Counting …") }));
    await attempt(place, async () => fill(place, shown(await get(address))));
  };
  const title = element("h2", { id: "risk-title", text: t("Where the risk comes from") });
  return element(
    "section",
    { class: "card", "aria-labelledby": "risk-title" },
    folded("risk", element("summary", {}, title), place, compute),
  );
}

function shown(risk) {
  const of = t("The table as it is, before any release. {found}", { found: risk.summary });
  return [
    element("p", {
      class: "quiet",
      text: t("Confidential, for the publisher alone: these figures describe the table itself."),
    }),
    ...warnings(risk.warnings),
    element("p", { id: "risk-summary", text: of }),
    sizes(risk.sizes),
    element("h3", { text: t("Quasi-identifiers, the riskiest first") }),
    columns(risk.columns),
    ...(risk.combinations.length ? combinations(risk) : []),
    risk.estimates && element("h3", { text: t("In the population (estimates)") }),
    risk.estimates && element("p", { id: "risk-estimates", text: risk.estimates }),
  ];
}

function columns(entries) {
  const lines = entries.map((one) =>
    line(one.name, [
      grouped(one.values),
      grouped(one.alone),
      percentage(one.score),
      grouped(one.without),
      grouped(one.smallest_without),
    ]),
  );
  const head = [
    t("column"),
    t("values"),
    t("unique alone"),
    t("share of score"),
    t("unique without it"),
    t("k without it"),
  ];
  return wrapped(t("Quasi-identifiers, the riskiest first"), head, lines);
}

function combinations(risk) {
  const many = risk.sizes.counted;
  const groups = risk.grouped ?? many;
  const title = t("Combinations that make {many} unique", { many });
  const lines = risk.combinations.map((one) =>
    line(one.columns.join(", "), [grouped(one.rows), percentage(one.score)]),
  );
  const head = [t("columns, no fewer of which suffice"), groups, t("share of score")];
  return [
    element("h3", { text: title }),
    wrapped(title, head, lines),
    risk.more > 0 &&
      element("p", {
        class: "quiet",
        text: tn("{number} further combination is not listed.", "{number} further combinations are not listed.", risk.more),
      }),
  ];
}

