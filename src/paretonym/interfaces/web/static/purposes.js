// What the releases are for: declared analyses, each with what it may lose; a form for [[purpose]] in the schema.

import { element, fill } from "./dom.js";
import { t, typed } from "./words.js";

const KINDS = {
  regression: t("regression"),
  table: t("table of shares"),
  mean: t("mean"),
  quantile: t("quantile"),
};
/** A number if it is one; else what was typed, so that the schema's own rules report it. */
const value = (text) => (text.trim() && Number.isFinite(Number(typed(text))) ? Number(typed(text)) : text.trim());
/** The tolerance that a new analysis begins with. */
const begun = (measures) => Object.fromEntries(measures.map((m) => [m.name, m.direction === "max" ? 0.8 : 0.1]));
const quoted = (name) => (/[~+:*]/.test(name) || name !== name.trim() ? `\`${name}\`` : name);

/** A list of columns that begins with what to do. */
function choice(empty, names, start = "") {
  const option = (value, text) => element("option", { value, text });
  const list = element("select", {}, option("", empty), names.map((name) => option(name, name)));
  list.value = start;
  return list;
}

/** The outcome of a formula, and its terms as they are written. */
export function sides(formula) {
  const [, plain, rest] = /^\s*((?:`[^`]*`|[^~`])*)~?(.*)$/s.exec(String(formula)) ?? [];
  return [(plain ?? "").trim().replace(/^`(.*)`$/s, "$1"), (rest ?? "").trim()];
}

/** The form; `told` gets what the server says about the schema. */
export function purposeForm(names, measures, schema, changed) {
  const list = element("div", {});
  const limited = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, measures.filter((m) => m.analysis === kind)]));
  let rows = [];
  const keep = () => {
    if (rows.length) schema.purpose = rows.map((row) => row.entry);
    else delete schema.purpose;
    changed();
  };
  const append = (entry) => {
    const row = analysisRow(names, limited, entry, keep, () => {
      rows = rows.filter((other) => other !== row);
      row.node.remove();
      add.focus();
      keep();
    });
    rows.push(row);
    list.append(row.node);
    return row;
  };
  const begin = () => {
    const name = rows.at(-1)?.entry.name ?? t("my analysis");
    append({ name, table: [], tolerance: begun(limited.table) }).begin();
    keep();
  };
  const add = element("button", { type: "button", id: "add-analysis", text: t("Add an analysis"), onclick: begin });
  for (const entry of schema.purpose ?? []) append(structuredClone(entry));
  const node = element(
    "section",
    { class: "card", id: "purposes", "aria-labelledby": "purposes-title" },
    element("h2", { id: "purposes-title", text: t("What is the release for?") }),
    element("p", {
      class: "quiet",
      text: t("Optional: analyses that a release should allow, and how far each may move. Those of one name are one purpose; when the frontier is found, the page says whether it can be achieved."),
    }),
    list,
    add,
  );
  const told = ({ problems }) => {
    rows.forEach((row, n) => row.told(problems.filter((p) => new RegExp(`purpose ${n + 1}(, tolerance)?$`).test(p.place))));
  };
  return { node, told };
}

/** One analysis, and the entry of the schema that it makes. */
function analysisRow(names, limited, entry, changed, remove) {
  const fields = element("div", { class: "stack" });
  const wrong = element("p", { class: "wrong", role: "alert" });
  const kindOf = () => Object.keys(KINDS).find((kind) => kind in entry) ?? "table";
  const field = (label, input, set) => {
    input.setAttribute("aria-label", label);
    input.addEventListener("input", () => {
      set(input.value);
      changed();
    });
    return element("label", {}, label, input);
  };
  const box = (label, start, set, size = 6) =>
    field(label, element("input", { type: "text", size, value: start ?? "" }), set);
  const column = (label, start, set) => field(label, choice(t("choose a column"), names, start), set);
  const name = box(t("Purpose:"), entry.name, (text) => { entry.name = text.trim(); }, 16);
  const kind = element(
    "select",
    { "aria-label": t("Kind of analysis") },
    Object.entries(KINDS).map(([key, text]) => element("option", { value: key, text })),
  );
  kind.value = kindOf();
  const grouped = (chosen) => {
    if (chosen.length) entry.by = chosen;
    else delete entry.by;
    changed();
  };
  const by = () => several(t("for each"), names, entry.by ?? [], grouped);
  const parts = {
    regression: () => {
      let [outcome, terms] = sides(entry.regression);
      const set = () => { entry.regression = `${quoted(outcome)} ~ ${terms.trim()}`; };
      return [
        column(t("explain"), outcome, (one) => { outcome = one; set(); }),
        box(t("by"), terms, (text) => { terms = text; set(); }, 28),
        element("span", { class: "quiet", text: t("such as age + sex, and age:sex for a product; logistic if the column has two values") }),
      ];
    },
    table: () => [several(t("of"), names, entry.table, (chosen) => { entry.table = chosen; changed(); })],
    mean: () => [column(t("of"), entry.mean, (one) => { entry.mean = one; }), by()],
    quantile: () => [
      column(t("of"), entry.quantile[0], (one) => { entry.quantile[0] = one; }),
      box(t("share below it"), entry.quantile[1], (text) => { entry.quantile[1] = value(text); }, 4),
      by(),
    ],
  };
  const limit = ({ name: measure, question, direction }) =>
    box(`${question} ${direction === "max" ? t("at least") : t("at most")}`, entry.tolerance?.[measure], (text) => {
      entry.tolerance = { ...entry.tolerance, [measure]: value(text) };
      if (!text.trim()) delete entry.tolerance[measure];
    });
  const show = () =>
    fill(fields, element("div", { class: "row" }, parts[kindOf()]()), element("div", { class: "row" }, limited[kindOf()].map(limit)));
  kind.addEventListener("change", () => {
    const empty = { regression: " ~ ", table: [], mean: "", quantile: ["", 0.5] }[kind.value];
    for (const key of [...Object.keys(KINDS), "by", "tolerance"]) delete entry[key];
    Object.assign(entry, { [kind.value]: empty, tolerance: begun(limited[kind.value]) });
    show();
    changed();
  });
  show();
  const drop = element("button", { type: "button", text: "×", "aria-label": t("Remove this analysis"), onclick: remove });
  const node = element("div", { class: "analysis", role: "group", "aria-label": t("An analysis") }, element("div", { class: "row" }, name, kind, drop), fields, wrong);
  return {
    node,
    entry,
    begin: () => kind.focus(),
    told: (problems) => { wrong.textContent = problems.map((p) => `${p.wrong}; ${p.remedy}`).join(". "); },
  };
}

/** Several columns: those that were chosen, each with a button that removes it, and a list to add one. */
function several(label, names, start, set) {
  let chosen = [...start];
  const place = element("span", { class: "row", role: "group", "aria-label": label });
  const show = () => {
    const more = choice(t("add a column"), names.filter((name) => !chosen.includes(name)));
    more.setAttribute("aria-label", `${label}: ${t("add a column")}`);
    const change = (wanted) => {
      chosen = wanted;
      show();
      place.querySelector("select").focus();
      set(chosen);
    };
    more.addEventListener("change", () => change([...chosen, more.value]));
    const remove = (name) => change(chosen.filter((other) => other !== name));
    const buttons = chosen.map((name) => element("button", { type: "button", text: `${name} ×`, "aria-label": t("Remove {column}", { column: name }), onclick: () => remove(name) }));
    fill(place, element("span", { text: label }), buttons, more);
  };
  show();
  return place;
}
