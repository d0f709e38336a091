// The schema editor: every column of the draft, checked while it is edited; then the question.

import { post } from "./api.js";
import { columnList, isOpen } from "./columns.js";
import { element, fill, later, trouble, warnings } from "./dom.js";
import { visit } from "./explore.js";
import { watch } from "./job.js";
import { purposeForm } from "./purposes.js";
import { schemaFileBar } from "./schema_file.js";
import { questionForm } from "./question.js";
import { grouped, t, tn } from "./words.js";

/** `loaded` gets a schema that was loaded from a file. */
export function schemaEditor(draft, measures, loaded) {
  const schema = structuredClone(draft.schema);
  const verdict = element("div", { id: "verdict", "aria-live": "polite" });
  const run = element("button", { class: "main", id: "run", text: t("Find the frontier"), disabled: true });
  const columns = columnList(draft, schema, () => check());
  const purposes = purposeForm(draft.columns.map((column) => column.name), measures, schema, () => check());
  const open = decisions(draft, schema, columns.pick);
  const noticed = draft.noticed ?? [];
  const reviewed = later(150, () => {
    open.show();
    review(schema, [columns, purposes], noticed, verdict, run);
  });
  const check = () => {
    doubt(verdict, run);
    reviewed();
  };
  const question = questionForm(measures);
  const place = element("div", {});
  run.addEventListener("click", () => start(place, question, schema));
  check();
  return element(
    "section",
    { class: "schema", "aria-labelledby": "schema-title" },
    element("h2", {
      id: "schema-title",
      text: t("{name}: {rows} rows. What does each column mean?", { name: draft.name, rows: grouped(draft.rows) }),
    }),
    schemaFileBar(schema, loaded),
    warnings(noticed),
    open.node,
    element("div", { class: "card" }, whole(schema, () => check()), columns.node),
    purposes.node,
    element(
      "div",
      { class: "card" },
      element("h2", { text: t("What to trade off") }),
      question.node,
      verdict,
      element("div", { class: "row" }, run),
      place,
    ),
  );
}

/** What is left to decide: the roles of some columns, and what holds for the whole table. */
function decisions(draft, schema, pick) {
  const list = element("ul", {});
  const node = element("div", { class: "notice undecided" }, element("p", { text: t("You must decide:") }), list);
  const undecided = (column) => isOpen(column, schema.columns[column.name]);
  const left = (one) =>
    one.key ? !(one.key in schema) : draft.columns.some((c) => one.columns.includes(c.name) && undecided(c));
  const show = () => {
    const found = draft.decisions.filter(left);
    fill(
      list,
      found.map((one) =>
        element(
          "li",
          { text: one.text },
          one.columns.length > 1 &&
            element("button", { class: "plain", text: t("Select them"), onclick: () => pick(one.columns) }),
        ),
      ),
    );
    node.hidden = found.length === 0;
  };
  show();
  return { node, show };
}

/** Texts that mean a missing value. */
function nulls(schema, changed) {
  const box = element("input", {
    type: "text",
    id: "whole-null",
    size: 12,
    placeholder: "?, NA",
    value: (schema.null ?? []).join(", "),
    oninput: () => {
      const texts = box.value
        .split(",")
        .map((text) => text.trim())
        .filter(Boolean);
      if (texts.length) schema.null = texts;
      else delete schema.null;
      changed();
    },
  });
  return element("label", { for: "whole-null" }, t("These also mean a missing value:"), box);
}

/** What holds for the whole table. */
function whole(schema, changed) {
  const choice = (key, label, names) => {
    const list = element(
      "select",
      {
        id: `whole-${key}`,
        onchange: (event) => {
          if (event.target.value) schema[key] = event.target.value;
          else delete schema[key];
          changed();
        },
      },
      Object.entries(names).map(([value, text]) => element("option", { value, text })),
    );
    list.value = schema[key] ?? "";
    return element("label", { for: `whole-${key}` }, label, list);
  };
  return element(
    "div",
    { class: "row" },
    choice("missing", t("Rows with a missing value:"), {
      "": t("there are none, or not decided"),
      drop: t("drop them"),
      value: t("treat missing as a value"),
    }),
    nulls(schema, changed),
    choice("rows", t("A row is:"), {
      "": t("a person, or one of the rows of a person whom a column names"),
      events: t("an event; no column says whose"),
    }),
  );
}

/** The last sentences about a schema without problems. They do not contradict the warnings above them. */
function conclusion(answer, cautions) {
  const warned = new Set([...cautions, ...answer.warnings]).size;
  const fits = warned
    ? tn(
        "The schema fits the table; read the warning above.",
        "The schema fits the table; read the {number} warnings above.",
        warned,
      )
    : t("No problem found.");
  const dropped = tn(
    "{number} row is dropped for a missing value.",
    "{number} rows are dropped for a missing value.",
    answer.dropped,
  );
  const ways = tn(
    "There is {number} way to choose a level for every quasi-identifier.",
    "There are {number} ways to choose a level for every quasi-identifier.",
    answer.lattice,
  );
  return [fits, ...(answer.dropped ? [dropped] : []), ways].join(" ");
}

let asking = 0;

/** What was said of the schema before a change no longer holds. */
function doubt(verdict, run) {
  asking += 1;
  run.disabled = true;
  if (verdict.ariaBusy === "true") return;
  verdict.ariaBusy = "true";
  fill(verdict, element("p", { class: "quiet", text: t("Checking …") }));
}

/** Shows what the server says about the schema; `cautions` are the warnings that the page shows already. */
async function review(schema, editors, cautions, verdict, run) {
  const mine = asking;
  try {
    const answer = await post("/api/review", { description: schema });
    if (mine !== asking) return;
    verdict.ariaBusy = "false";
    run.disabled = answer.problems.length > 0;
    for (const editor of editors) editor.told(answer);
    fill(
      verdict,
      answer.problems.length
        ? trouble(answer.problems)
        : [...warnings(answer.warnings), element("p", { text: conclusion(answer, cautions) })],
    );
  } catch (error) {
    if (mine !== asking) return;
    verdict.ariaBusy = "false";
    fill(verdict, trouble(error.problems ?? []));
  }
}

function start(place, question, schema) {
  fill(place);
  question.told([]);
  const shown = (result) => visit([result.run]);
  watch(place, post("/api/explore", { description: schema, ...question.chosen() }), shown, question.told);
}
