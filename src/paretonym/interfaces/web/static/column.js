// One column of a schema: its hierarchy with every level previewed, and its other settings.

import { post } from "./api.js";
import { breakEditor } from "./break_editor.js";
import { element, fill, grid, later, trouble } from "./dom.js";
import { fields } from "./fields.js";
import { KINDS, kindOf } from "./hierarchies.js";
import { treeEditor } from "./tree_editor.js";
import { grouped, t } from "./words.js";

/** What a ready hierarchy shows, level by level. */
const levelWords = (words) => words.map((text) => t(text)).join(t(", then "));

/** The editor of one column; `attached` is the hierarchy file that the schema came with, if it did. */
export function columnEditor({ column, schema, attached, changed, ready, close }) {
  const entry = schema.columns[column.name];
  const levels = element("div", { class: "scroll" });
  const text = element("textarea", { rows: 2, "aria-label": t("Hierarchy of {column}", { column: column.name }) });
  const hint = element("p", { class: "quiet" });
  const kind = element(
    "select",
    { "aria-label": t("Kind of hierarchy of {column}", { column: column.name }) },
    Object.entries(KINDS)
      .filter(([value]) => value !== "file" || attached)
      .map(([value, k]) => element("option", { value, text: value === "file" ? fileLabel(attached) : k.label })),
  );
  const wrong = element("div", { class: "wrong" });
  const more = fields(column.name, entry, changed);
  const asText = element("details", {}, element("summary", { text: t("As text") }), text);
  const offers = element("div", {});
  const editing = element("div", {}, kind, offers, hint, asText);
  const named = () => {
    kind.value = kindOf(entry.hierarchy);
    hint.textContent = KINDS[kind.value].hint;
    asText.hidden = NO_TEXT.includes(kind.value);
  };
  const visual = visualEditor({ column, schema, ready, text, asText, named, changed });
  const plain = element("p", { class: "quiet", text: t("A column of this role has no further settings.") });
  const node = element(
    "div",
    {
      class: "column",
      role: "group",
      tabindex: -1,
      "data-column": column.name,
      "aria-label": t("Column {column}", { column: column.name }),
    },
    element(
      "div",
      {},
      element(
        "div",
        { class: "row" },
        element("h3", { text: column.name }),
        element("button", { type: "button", text: t("Close"), onclick: close }),
      ),
      editing,
      plain,
      wrong,
    ),
    levels,
    visual.node,
    more.node,
  );
  const show = () => {
    editing.hidden = !["quasi", "sensitive"].includes(entry.role);
    named();
    asText.open = !(kind.value in VISUAL);
    asText.firstChild.hidden = asText.open;
    fill(offers, editing.hidden || kind.value === "ready" ? [] : offered());
    visual.show(editing.hidden ? "flat" : kind.value);
    text.value = entry.hierarchy ? KINDS[kind.value].write(entry.hierarchy) : "";
    text.rows = Math.max(1, Math.min(10, text.value.split("\n").length));
    more.show(kind.value);
    plain.hidden = !editing.hidden || !more.node.hidden;
  };
  /** Ready hierarchies that hold all values of the column. */
  const offered = () =>
    (column.ready ?? []).map((name) =>
      element("button", {
        type: "button",
        class: "plain",
        text: t("Use the ready hierarchy {name}: {words}", { name, words: levelWords(ready[name]) }),
        onclick: () => {
          entry.hierarchy = { ready: name };
          show();
          changed();
        },
      }),
    );
  listen({ entry, attached, kind, text, show, changed, visual });
  show();
  const told = (problems, facts, values) => {
    more.told(problems, facts, values);
    plain.hidden = !editing.hidden || !more.node.hidden;
    const elsewhere = problems.filter((p) => p.field !== "role" && !more.holds(p.field));
    fill(wrong, elsewhere.map((p) => element("p", { text: `${p.wrong}; ${p.remedy}` })));
    fill(levels, facts ? preview(facts) : []);
  };
  return { node, show, told };
}

/** A file by its name, without its folders. */
const fileLabel = (path) => t("the hierarchy file {name}", { name: path.split(/[\\/]/).at(-1) });

/** What can be edited without writing: which editor, what it needs of the column, and what to say without. */
const VISUAL = {
  tree: {
    part: "values",
    editor: treeEditor,
    without: t("There are too many values to show; write them as text."),
  },
  file: {
    part: "tree",
    editor: (name, _, tree, taken, values) => treeEditor(name, { tree }, values, taken),
    without: t("There are too many values to show; the file is used as it is."),
  },
  breaks: { part: "numbers", editor: breakEditor, without: t("The values are not numbers.") },
};
/** Kinds that are not written as text. */
const NO_TEXT = ["flat", "ready", "file"];

function visualEditor({ column, schema, ready, text, asText, named, changed }) {
  const entry = schema.columns[column.name];
  const node = element("div", { class: "wide" });
  const taken = (hierarchy) => {
    entry.hierarchy = hierarchy;
    text.value = KINDS[kindOf(hierarchy)].write(hierarchy);
    named();
    changed();
  };
  let asking = 0;
  const draw = async (kind) => {
    asking += 1;
    const mine = asking;
    try {
      const answer = await post("/api/values", { column: column.name, description: schema });
      if (mine !== asking) return;
      const { part, editor, without } = VISUAL[kind];
      asText.open = asText.open || (!answer[part] && !NO_TEXT.includes(kind));
      fill(
        node,
        answer[part]
          ? editor(column.name, entry.hierarchy, answer[part], taken, answer.values)
          : element("p", { class: "quiet", text: without }),
      );
    } catch (error) {
      if (mine === asking) fill(node, trouble(error.problems ?? []));
    }
  };
  const show = (kind) => {
    asking += 1;
    if (kind in VISUAL) draw(kind);
    else fill(node, kind === "ready" ? readyList(column, entry, ready, changed) : []);
  };
  return { node, show, typed: later(500, show) };
}

function readyList(column, entry, ready, changed) {
  const list = element(
    "select",
    {
      "aria-label": t("Ready hierarchy of {column}", { column: column.name }),
      onchange: () => {
        entry.hierarchy = { ready: list.value };
        changed();
      },
    },
    Object.entries(ready ?? {}).map(([name, words]) =>
      element("option", { value: name, text: `${name}: ${words}` }),
    ),
  );
  list.value = entry.hierarchy.ready;
  return list;
}

function listen({ entry, attached, kind, text, show, changed, visual }) {
  kind.addEventListener("change", () => {
    const first = { flat: true, mask: 1, ready: "countries", file: attached };
    entry.hierarchy = { [kind.value]: first[kind.value] ?? [] };
    show();
    if (NO_TEXT.includes(kind.value)) changed();
    else if (!(kind.value in VISUAL)) text.focus();
  });
  text.addEventListener("input", () => {
    entry.hierarchy = {
      ...KINDS[kind.value].read(text.value),
      ...(kind.value === "intervals" && entry.hierarchy?.origin !== undefined
        ? { origin: entry.hierarchy.origin }
        : {}),
    };
    if (kind.value in VISUAL) visual.typed(kind.value);
    changed();
  });
}

/** Every level of a column: how many groups, how many rows in the smallest, and what they look like. Levels
 * that a release may not use are greyed. */
function preview(summary) {
  if (!summary.levels.length || summary.role !== "quasi") return [];
  const head = [t("level"), t("groups"), t("fewest rows"), t("examples")].map((text, n) =>
    element("th", { scope: "col", class: n < 3 ? "number" : null, text }),
  );
  const used = (level) => level >= (summary.lowest ?? 0) && level <= (summary.highest ?? level);
  const lines = summary.levels.map((level) =>
    element(
      "tr",
      { class: used(level.level) ? null : "lit-not" },
      element("td", { class: "number", text: level.level }),
      element("td", { class: "number", text: grouped(level.groups) }),
      element("td", { class: "number", text: grouped(level.smallest_rows) }),
      element("td", {
        text:
          level.examples.join(" · ") +
          (level.groups > level.examples.length ? " …" : "") +
          (used(level.level) ? "" : t(" (not used)")),
      }),
    ),
  );
  return [grid(t("Levels of {column}", { column: summary.name }), head, lines)];
}
