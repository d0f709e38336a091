// All columns of the table in one list: what they hold, and their roles; below it the editor of the open one.

import { columnEditor } from "./column.js";
import { element, fill, grid, say, scrolled, shape } from "./dom.js";
import { fitRole } from "./fields.js";
import { t, tn } from "./words.js";

const ROLES = {
  quasi: t("quasi: others may know it"),
  sensitive: t("sensitive: nobody should learn it"),
  identifier: t("identifier: not released"),
  person: t("person: says which person a row belongs to, not released"),
  weight: t("weight: how many people a row stands for"),
  household: t("household: says who lives together, not released"),
  "required-k": t("required-k: how large a group each person wants to be in, not released"),
  other: t("other: released unchanged"),
  class: t("class: a label to predict, released unchanged"),
  drop: t("drop: not released"),
  undecided: t("undecided"),
};

/** Whether what the draft leaves to decide still is: a role, or how a sensitive column is published. */
export const isOpen = (column, entry) =>
  Boolean(column.decide) && entry.role === column.role && !("level" in entry || "release_level" in entry);

/** Whether a name is among patterns such as "age, q*"; * stands for any characters, ? for one. */
export function matches(patterns, name) {
  const plain = name.toLowerCase();
  return [patterns, ...patterns.split(",")].some((pattern) => {
    const text = pattern.trim().toLowerCase();
    const escaped = text.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
    return Boolean(text) && new RegExp(`^${escaped}$`, "s").test(plain);
  });
}

const options = () => Object.entries(ROLES).map(([value, text]) => element("option", { value, text }));

/** The list of columns; `told` gets what the server says about the schema, `pick` selects columns by name. */
export function columnList(draft, schema, changed) {
  const title = t("The columns and their roles");
  const detail = element("div", { id: "column-detail" });
  const shared = { schema, changed, ready: draft.ready, detail, open: null, answer: { problems: [], columns: [] } };
  const glances = new Map((draft.reading.columns ?? []).map((one) => [one.name, one]));
  const rows = draft.columns.map((column) => new Row(shared, column, glances.get(column.name)));
  const bulk = bulkBar(rows, changed);
  const names = [t("column"), t("role"), t("values"), t("how often"), t("why")];
  const head = [element("td", {}, bulk.all), ...names.map((text) => element("th", { scope: "col", text }))];
  const list = scrolled(title, grid(title, head, rows.map((row) => row.node)));
  list.classList.add("roles");
  const told = (answer) => {
    shared.answer = answer;
    for (const row of rows) row.told();
  };
  return { node: element("div", {}, bulk.node, list, detail), told, pick: bulk.pick };
}

/** A line of the list, and the editor of its column while that is open. */
class Row {
  #shared;
  #column;
  #entry;
  #attached;
  #aside = {};
  #editor = null;

  constructor(shared, column, glance) {
    const { name } = column;
    this.#shared = shared;
    this.#column = column;
    this.#entry = shared.schema.columns[name];
    this.#attached = this.#entry.hierarchy?.file;
    this.name = name;
    this.box = element("input", { type: "checkbox", "aria-label": t("Select {column}", { column: name }) });
    this.role = element("select", { id: `column-${name}`, "aria-label": t("Role of {column}", { column: name }) }, options());
    this.role.addEventListener("change", () => this.#take({ role: this.role.value }));
    this.why = element("td", { class: "why" });
    const about = tn("{number} distinct value", "{number} distinct values", column.distinct);
    const opener = { type: "button", class: "plain", text: name, "aria-expanded": "false", "aria-controls": "column-detail" };
    this.opener = element("button", { ...opener, onclick: () => this.#toggle() });
    this.node = element(
      "tr",
      { "data-column": name },
      element("td", {}, this.box),
      element("th", { scope: "row" }, this.opener, element("span", { class: "quiet", text: about })),
      element("td", {}, this.role),
      element("td", { class: "sample", text: (glance?.sample ?? []).join(" · ") }),
      element("td", {}, bars(glance?.bars ?? [])),
      this.why,
    );
    this.#show();
  }

  /** Give the column a role, without asking the server yet. */
  set(role) {
    this.#entry.role = role;
    if (role === "quasi" && !this.#entry.hierarchy) this.#entry.hierarchy = { flat: true };
    fitRole(this.#entry, this.#aside);
    this.#show();
    this.#editor?.show();
  }

  /** Show what the server says of the column. */
  told() {
    this.#show();
    const { columns, values } = this.#shared.answer;
    this.#editor?.told(this.#problems(), columns.find((one) => one.name === this.name), values?.[this.name]);
  }

  #take({ role, ...further }) {
    Object.assign(this.#entry, further);
    this.set(role ?? this.#entry.role);
    this.#shared.changed();
  }

  #problems() {
    return this.#shared.answer.problems.filter((problem) => problem.column === this.name);
  }

  #show() {
    const { decide, reason, role } = this.#column;
    const open = isOpen(this.#column, this.#entry);
    this.role.value = this.#entry.role;
    this.node.classList.toggle("undecided", open || this.#entry.role === "undecided");
    const guess = reason ? t("Guessed: {reason}.", { reason }) : "";
    // An undecided role, and how it is published, are asked for already.
    const wrong = this.#problems().filter((p) => p.field !== "role" && !(open && p.field === "release_level"));
    fill(
      this.why,
      element("p", { class: "quiet", text: open ? t("Decide: {question}.", { question: decide }) : guess }),
      open && role === "sensitive" && this.#publishing(),
      wrong.map((p) => element("p", { class: "wrong", text: `${p.wrong}; ${p.remedy}` })),
    );
  }

  /** How a sensitive column of many numbers is published: the better choice first. */
  #publishing() {
    const choice = (text, key) =>
      element("button", { type: "button", text, onclick: () => this.#take({ [key]: 1 }) });
    const choices = [choice(t("Publish intervals"), "release_level"), choice(t("Publish exact numbers"), "level")];
    return element("div", { class: "row" }, choices);
  }

  #toggle() {
    if (this.#editor) {
      this.#close();
      return;
    }
    const { schema, ready, detail, open } = this.#shared;
    open?.();
    const close = () => this.#close();
    const changed = () => {
      this.#show();
      this.#shared.changed();
    };
    this.#editor = columnEditor({ column: this.#column, attached: this.#attached, schema, changed, ready, close });
    this.#shared.open = close;
    fill(detail, this.#editor.node);
    this.opener.setAttribute("aria-expanded", "true");
    this.told();
    this.#editor.node.scrollIntoView({ block: "nearest" });
    this.#editor.node.focus({ preventScroll: true });
  }

  #close() {
    this.#editor = this.#shared.open = null;
    fill(this.#shared.detail);
    this.opener.setAttribute("aria-expanded", "false");
    this.opener.focus({ preventScroll: true });
  }
}

/** A histogram as small as a word; the number of values stands beside it. */
function bars(rows) {
  const most = Math.max(...rows, 1);
  const drawn = rows.map((count, n) => {
    const height = (18 * count) / most;
    return shape("rect", { class: "bar", x: 6 * n, y: 18 - height, width: 5, height });
  });
  return shape("svg", { viewBox: "0 0 72 18", width: 72, height: 18, "aria-hidden": "true" }, drawn);
}

/** Select columns, also by patterns of their names, and give all of them one role. */
function bulkBar(rows, changed) {
  const pattern = element("input", { type: "text", id: "pick", size: 14, placeholder: t("q*, age") });
  const role = element("select", { id: "set-role", "aria-label": t("Role for the selected columns") }, options());
  const set = element("button", { type: "button", id: "set" });
  const all = element("input", { type: "checkbox", "aria-label": t("Select all columns") });
  const selected = () => rows.filter((row) => row.box.checked);
  const show = () => {
    const count = selected().length;
    set.textContent = tn("Set the role of {number} column", "Set the role of {number} columns", count);
    set.disabled = count === 0;
    all.checked = count === rows.length;
    all.indeterminate = count > 0 && count < rows.length;
  };
  const choose = (wanted) => {
    for (const row of rows) row.box.checked = wanted(row.name);
    show();
  };
  set.addEventListener("click", () => {
    for (const row of selected()) row.set(role.value);
    say(set.textContent);
    changed();
  });
  pattern.addEventListener("input", () => choose((name) => matches(pattern.value, name)));
  all.addEventListener("change", () => choose(() => all.checked));
  for (const row of rows) row.box.addEventListener("change", show);
  role.value = "drop";
  show();
  const hint = t("or tick them below; the name of a column opens its settings");
  const node = element(
    "div",
    { class: "row bulk" },
    element("label", { for: "pick" }, t("Select the columns:"), pattern),
    role,
    set,
    element("span", { class: "quiet", text: hint }),
  );
  return { node, all, pick: (names) => choose((name) => names.includes(name)) };
}
