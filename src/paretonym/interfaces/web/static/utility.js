// What analysts can still do with a release: shares and associations.

import { get } from "./api.js";
import { attempt, element, fill, folded, grid, heads, line, scrolled, shape } from "./dom.js";
import { percentage } from "./scales.js";
import { numeral, t } from "./words.js";

/** Computed when it is opened; for the publisher, on this page only. */
export function utilityPart(address) {
  const place = element("div", { id: "utility-facts", "aria-live": "polite" });
  const compute = async () => {
    fill(place, element("p", { class: "quiet", text: t("Comparing with the original …") }));
    await attempt(place, async () => fill(place, shown(await get(`${address}/utility`))));
  };
  const summary = element("summary", { text: t("What analysts can still do with it") });
  return folded("utility", summary, place, compute);
}

function shown(utility) {
  return [
    element("p", { id: "utility-summary", text: utility.summary }),
    element("p", {
      class: "quiet",
      text: t("These estimates assume that a reader spreads every row evenly over what it shows. Nothing is proven."),
    }),
    element("h4", { text: t("Shares of values") }),
    ...utility.columns.map(column),
    utility.associations.length > 0 && element("h4", { text: t("Associations of two columns (Cramér's V)") }),
    utility.associations.length > 0 && scrolled(t("Associations of two columns (Cramér's V)"), pairs(utility.associations)),
  ];
}

const fixed = (value) => numeral(value.toFixed(2));

/** One column: how far its shares are off, and the values that change most. */
function column(one) {
  const title = t("{column}: off by {share}", { column: one.name, share: percentage(one.error) });
  if (!one.values.length) return element("p", { text: title });
  const lines = one.values.map((value) =>
    line(
      value.label,
      [percentage(value.before), percentage(value.after), difference(value.after - value.before)],
      element("td", {}, bars(value)),
    ),
  );
  const head = [...heads([t("value"), t("before"), t("after"), t("difference")]), element("td", {})];
  return element("details", {}, element("summary", { text: title }), scrolled(title, grid(title, head, lines)));
}

/** A difference with its sign; none if nothing is left of it. */
const signed = (change, text) => `${/[1-9]/.test(text) ? (change > 0 ? "+" : "−") : ""}${text}`;
const difference = (change) => signed(change, percentage(Math.abs(change)));

/** The share before above the share after. */
function bars(value) {
  const bar = (share, y, name) => shape("rect", { class: name, x: 0, y, width: 100 * share, height: 5 });
  const parts = [bar(1, 0, "rest"), bar(value.before, 0, "bar"), bar(1, 6, "rest"), bar(value.after, 6, "bar after")];
  return shape("svg", { viewBox: "0 0 100 11", width: 90, height: 12, "aria-hidden": "true" }, parts);
}

const change = ({ before, after }) => signed(after - before, fixed(Math.abs(after - before)));

function pairs(associations) {
  const lines = associations.map((pair) =>
    line(pair.columns.join(", "), [fixed(pair.before), fixed(pair.after), change(pair)]),
  );
  const head = heads([t("columns"), t("before"), t("after"), t("difference")]);
  return grid(t("Associations of two columns (Cramér's V)"), head, lines);
}

