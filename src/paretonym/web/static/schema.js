// What was drafted for a file: a role and a hierarchy for every column, each level previewed; then run.

import { post } from "./api.js";
import { element, fill, grid, later, trouble } from "./dom.js";
import { showOnly } from "./explore.js";
import { KINDS, kindOf } from "./hierarchies.js";
import { watch } from "./job.js";

const ROLES = {
  quasi: "quasi: others may know it",
  sensitive: "sensitive: nobody should learn it",
  identifier: "identifier: left out",
  other: "other: released as it is",
  class: "class: a label to predict",
  drop: "drop: left out",
  undecided: "undecided",
};

export function schemaEditor(draft, measures) {
  const schema = structuredClone(draft.schema);
  const verdict = element("div", { id: "verdict", "aria-live": "polite" });
  const run = element("button", { class: "main", id: "run", text: "Find the frontier", disabled: true });
  const columns = draft.columns.map((column) => columnEditor(column, schema, () => check()));
  const check = later(150, () => review(schema, columns, verdict, run));
  const options = runOptions(measures);
  const place = element("div", {});
  run.addEventListener("click", () => start(place, { description: schema, ...options.chosen() }));
  check();
  return element(
    "section",
    { class: "schema", "aria-labelledby": "schema-title" },
    element("h2", {
      id: "schema-title",
      text: `${draft.name}: ${draft.rows.toLocaleString("en-US")} rows. What does each column mean?`,
    }),
    draft.decisions.length > 0 &&
      element(
        "div",
        { class: "undecided" },
        element("p", { text: "You must decide:" }),
        element(
          "ul",
          {},
          draft.decisions.map((text) => element("li", { text })),
        ),
      ),
    element(
      "div",
      { class: "card" },
      whole(schema, () => check()),
      columns.map((one) => one.node),
    ),
    element(
      "div",
      { class: "card" },
      element("h2", { text: "What to trade off" }),
      options.node,
      verdict,
      element("div", { class: "row" }, run),
      place,
    ),
  );
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
    choice("missing", "Rows without a value:", {
      "": "there are none, or not decided",
      drop: "leave them out",
      value: "missing is a value of its own",
    }),
    choice("rows", "A row is:", { "": "a person", events: "an event; people may have several" }),
  );
}

function columnEditor(column, schema, changed) {
  const entry = schema.columns[column.name];
  const id = `column-${column.name}`;
  const levels = element("div", { class: "scroll" });
  const text = element("textarea", { rows: 2, "aria-label": `Hierarchy of ${column.name}` });
  const hint = element("p", { class: "quiet" });
  const kind = element(
    "select",
    { "aria-label": `Kind of hierarchy of ${column.name}` },
    Object.entries(KINDS).map(([value, k]) => element("option", { value, text: k.label })),
  );
  const role = element(
    "select",
    { id },
    Object.entries(ROLES).map(([value, words]) => element("option", { value, text: words })),
  );
  const editing = element("div", {}, kind, hint, text);
  const node = element(
    "div",
    { class: "column", role: "group", "aria-label": `Column ${column.name}` },
    element(
      "div",
      {},
      element("h3", { text: column.name }),
      element("p", {
        class: "quiet",
        text: `${column.distinct.toLocaleString("en-US")} different values.${column.reason ? ` Guessed: ${column.reason}.` : ""}`,
      }),
      column.decide && element("p", { class: "undecided", text: `Decide: ${column.decide}.` }),
      element("label", { for: id, text: "Role" }),
      role,
      editing,
    ),
    levels,
  );
  const show = () => {
    role.value = entry.role;
    node.classList.toggle("undecided", entry.role === "undecided");
    const own = ["quasi", "sensitive"].includes(entry.role);
    editing.hidden = entry.role !== "quasi" && !(own && entry.hierarchy);
    kind.value = kindOf(entry.hierarchy);
    hint.textContent = KINDS[kind.value].hint;
    text.hidden = kind.value === "flat";
    text.value = entry.hierarchy ? KINDS[kind.value].write(entry.hierarchy) : "";
    text.rows = Math.max(1, Math.min(10, text.value.split("\n").length));
  };
  role.addEventListener("change", () => {
    entry.role = role.value;
    if (entry.role === "quasi" && !entry.hierarchy) entry.hierarchy = { flat: true };
    if (entry.role !== "quasi") for (const key of ["levels", "importance", "granularity"]) delete entry[key];
    show();
    changed();
  });
  kind.addEventListener("change", () => {
    entry.hierarchy =
      kind.value === "flat" ? { flat: true } : { [kind.value]: kind.value === "mask" ? 1 : [] };
    show();
    if (kind.value === "flat") changed();
    else text.focus();
  });
  text.addEventListener("input", () => {
    entry.hierarchy = {
      ...KINDS[kind.value].read(text.value),
      ...(kind.value === "intervals" && entry.hierarchy?.origin !== undefined
        ? { origin: entry.hierarchy.origin }
        : {}),
    };
    changed();
  });
  show();
  return { node, name: column.name, preview: (summary) => fill(levels, summary ? preview(summary) : []) };
}

/** Every level of a column: how many groups, how many rows in the smallest, and what they look like. */
function preview(summary) {
  if (!summary.levels.length || summary.role !== "quasi") return [];
  const head = ["level", "groups", "fewest rows", "looks like"].map((text, n) =>
    element("th", { scope: "col", class: n < 3 ? "number" : null, text }),
  );
  const lines = summary.levels.map((level) =>
    element(
      "tr",
      {},
      element("td", { class: "number", text: level.level }),
      element("td", { class: "number", text: level.groups.toLocaleString("en-US") }),
      element("td", { class: "number", text: level.smallest_rows.toLocaleString("en-US") }),
      element("td", {
        text: level.examples.join(" · ") + (level.groups > level.examples.length ? " …" : ""),
      }),
    ),
  );
  return [grid(`Levels of ${summary.name}`, head, lines)];
}

let asking = 0;

async function review(schema, columns, verdict, run) {
  asking += 1;
  const mine = asking;
  fill(verdict, element("p", { class: "quiet", text: "Checking …" }));
  run.disabled = true;
  try {
    const found = await post("/api/review", { description: schema });
    if (mine !== asking) return;
    run.disabled = found.problems.length > 0;
    const summaries = new Map(found.columns.map((column) => [column.name, column]));
    for (const column of columns) column.preview(summaries.get(column.name));
    const dropped = found.dropped
      ? `, ${found.dropped.toLocaleString("en-US")} left out for a missing value`
      : "";
    fill(
      verdict,
      found.problems.length
        ? trouble(found.problems)
        : element("p", {
            text: `No problem found${dropped}. ${found.lattice.toLocaleString("en-US")} ways to choose a level for every quasi-identifier.`,
          }),
    );
  } catch (error) {
    if (mine !== asking) return;
    run.disabled = true;
    fill(verdict, trouble(error.problems ?? []));
  }
}

/** Which measures, and how many rows may be left out. */
function runOptions(measures) {
  const boxes = measures.map((m) =>
    element("input", { type: "checkbox", value: m.name, checked: ["k", "loss"].includes(m.name) }),
  );
  const common = ["k", "l", "l-distinct", "t", "alpha", "loss", "gl", "sl"];
  const label = (name) => {
    const i = measures.findIndex((m) => m.name === name);
    return element("label", { title: measures[i].question }, boxes[i], name);
  };
  const others = measures.map((m) => m.name).filter((name) => !common.includes(name));
  const suppress = element(
    "select",
    { id: "suppress" },
    [
      ["any:0.1", "every choice up to 10 %"],
      ["0.01", "up to 1 %, smallest groups first"],
      ["0.05", "up to 5 %, smallest groups first"],
      ["0", "nobody"],
    ].map(([value, text]) => element("option", { value, text })),
  );
  const node = element(
    "div",
    {},
    element("div", { class: "row", role: "group", "aria-label": "Objectives" }, common.map(label)),
    element(
      "details",
      {},
      element("summary", { text: "More measures" }),
      element("div", { class: "row" }, others.map(label)),
    ),
    element(
      "div",
      { class: "row" },
      element("label", { for: "suppress", text: "Rows that may be left out:" }),
      suppress,
    ),
  );
  return {
    node,
    chosen: () => ({
      objectives: boxes.filter((box) => box.checked).map((box) => box.value),
      suppress: suppress.value,
    }),
  };
}

async function start(place, wanted) {
  try {
    watch(place, await post("/api/explore", wanted), (result) => {
      showOnly([result.run]);
      location.hash = "#explore";
    });
  } catch (error) {
    fill(place, trouble(error.problems ?? []));
  }
}
