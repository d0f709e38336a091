// Can a purpose be achieved? Asked of a run with the limits of the page; its analyses before and after.

import { post } from "./api.js";
import { element, fill, grid, heads, line, scrolled, shape } from "./dom.js";
import { watch } from "./job.js";
import { number } from "./scales.js";
import { activeRun, bounds, whenChanged } from "./store.js";
import { numeral, t } from "./words.js";

const MOST_FIGURES = 30;

/** The question, for runs whose schema declares purposes. */
export function purposeCard() {
  const place = element("div", { id: "achieved", "aria-live": "polite" });
  const list = element("select", { id: "asked-purpose", "aria-label": t("Purpose") });
  const ask = () => {
    const question = { purpose: list.value, limits: bounds(activeRun()) };
    watch(place, post(`/api/runs/${activeRun().key}/purpose`, question), (answer) => fill(place, shown(answer)));
  };
  const node = element(
    "section",
    { class: "card", "aria-labelledby": "purpose-title" },
    element("h2", { id: "purpose-title", text: t("Can the purpose be achieved?") }),
    element("p", { class: "row" }, list, element("button", { id: "achieve", text: t("Ask, within the limits"), onclick: ask })),
    place,
  );
  const show = () => {
    const { purposes } = activeRun();
    node.hidden = !purposes.length;
    fill(place);
    fill(list, purposes.map((name) => element("option", { value: name, text: name })));
  };
  show();
  whenChanged((what) => {
    if (what.has("active")) show();
  });
  return node;
}

function shown(reply) {
  const misses = reply.misses.map((miss) => element("li", { text: t("{words}: release {id}", { words: miss.words, id: miss.id }) }));
  const trial = reply.answer ?? reply.misses[0];
  return [
    element("p", { class: reply.answer ? "" : "notice", text: reply.text }),
    misses.length && element("h3", { text: t("What comes nearest") }),
    misses.length && element("ul", {}, misses),
    ...(trial ? [element("h3", { text: t("Release {id}", { id: trial.id }) }), ...trial.analyses.map(analysis)] : []),
  ];
}

const written = (value) => {
  const [middle, ...ends] = value === null || typeof value === "number" ? [value] : [value.estimate, value.low, value.high];
  const text = (one) => (one === null ? "–" : numeral(String(Number(number(one).toPrecision(4)))));
  return ends.length ? t("{estimate} ({low} to {high})", { estimate: text(middle), low: text(ends[0]), high: text(ends[1]) }) : text(middle);
};

/** One analysis: its values, and its numbers in the original and the release, intervals drawn. */
function analysis(one) {
  const values = Object.entries(one.values).map(([name, value]) => `${name} ${written(value)}`).join(", ");
  const verdict = one.met ? t("within tolerance") : t("outside tolerance");
  const title = `${one.analysis}: ${values} (${verdict})`;
  const figures = one.figures.slice(0, MOST_FIGURES);
  const lines = figures.map((figure) => line(figure.name, [written(figure.before), written(figure.after)], element("td", {}, interval(figure))));
  const head = [...heads([t("name"), t("before"), t("after")]), element("td", {})];
  const more = one.figures.length - figures.length;
  return element(
    "details",
    { open: one.kind === "regression" },
    element("summary", { text: title }),
    one.remark && element("p", { class: "quiet", text: one.remark }),
    scrolled(title, grid(title, head, lines)),
    more > 0 && element("p", { class: "quiet", text: t("and {number} more", { number: more }) }),
  );
}

/** Both intervals of a coefficient on one scale with 0, the original above. */
function interval({ before, after }) {
  const both = [before, after].filter((one) => one !== null && typeof one === "object");
  if (!both.length) return null;
  const low = Math.min(0, ...both.map((one) => one.low));
  const high = Math.max(0, ...both.map((one) => one.high));
  const x = (value) => (100 * (value - low)) / (high - low || 1);
  const bar = (one, y, name) =>
    one && shape("rect", { class: name, x: x(one.low), y, width: Math.max(1, x(one.high) - x(one.low)), height: 4 });
  const zero = shape("rect", { class: "rest", x: x(0), y: 0, width: 1, height: 13 });
  return shape("svg", { viewBox: "0 0 101 13", width: 120, height: 15, "aria-hidden": "true" }, zero, bar(before, 1, "bar"), bar(after, 8, "bar after"));
}
