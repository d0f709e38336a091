// The other settings of a column: each field in plain words, with its problems beside it.

import { element, fill } from "./dom.js";
import { KINDS } from "./hierarchies.js";
import { t, typed } from "./words.js";

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** A number if it is one; anything else as it was written, so that the schema's own rules report it. */
const value = (text) => (NUMBER.test(typed(text.trim())) ? Number(typed(text.trim())) : text.trim());
const lines = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

const holds = (kind, values) => KINDS[kind]?.holds.includes(values);
const quasi = (entry) => entry.role === "quasi";
const sensitive = (entry) => entry.role === "sensitive";

/** Every field: the columns that it applies to, its name, and what it means. */
const FIELDS = [
  {
    key: "bottom",
    for: (entry, kind) => quasi(entry) && holds(kind, "numbers"),
    label: t("Combine everything below this number"),
    hint: t("18: shown as <18, at every level"),
  },
  {
    key: "top",
    for: (entry, kind) => quasi(entry) && holds(kind, "numbers"),
    label: t("Combine this number and everything above"),
    hint: t("90: shown as 90+, at every level"),
  },
  { key: "levels", for: quasi, label: t("Levels that a release may use"), hint: t("empty: all levels") },
  {
    key: "importance",
    for: quasi,
    label: t("How much its detail matters to you"),
    hint: t("default 1; 2: its loss counts twice"),
  },
  {
    key: "release_level",
    for: sensitive,
    label: t("Level at which it is published"),
    hint: t("release_level in the schema; default 0: its values as they are"),
  },
  {
    key: "level",
    for: sensitive,
    label: t("Level at which it is only measured"),
    hint: t("default: the level at which it is published; at 0 every value counts as different"),
  },
  {
    key: "order",
    for: (entry, kind) => sensitive(entry) || (quasi(entry) && holds(kind, "names")),
    label: t("The order of its values"),
    hint: t("all values, one per line, from lowest to highest; empty: no order"),
  },
  {
    key: "format",
    for: (entry, kind) => quasi(entry) && holds(kind, "dates"),
    label: t("How its dates are written"),
    hint: t("%d.%m.%Y for 31.12.2020; empty: year, month, day"),
  },
  {
    key: "unknown",
    value: "top",
    for: quasi,
    label: t("Show values outside the hierarchy as *"),
    hint: t("unticked: such values are an error"),
  },
  {
    // In other roles only needed if nearly every row has a different value.
    key: "kept",
    value: "yes",
    for: sensitive,
    label: t("Publish its values without a warning"),
    hint: t("kept in the schema; only if its values cannot identify a person"),
  },
];

/** The roles of keys that mean nothing in another one; they are kept aside in case the role is chosen again. */
const OWN = {
  levels: ["quasi"],
  importance: ["quasi"],
  granularity: ["quasi"],
  level: ["sensitive"],
  release_level: ["sensitive", "other"],
  release: ["weight"],
  default: ["required-k"],
};

export function fitRole(entry, aside) {
  for (const [key, roles] of Object.entries(OWN)) {
    const fits = roles.includes(entry.role);
    if (!fits && key in entry) {
      aside[key] = entry[key];
      delete entry[key];
    } else if (fits && key in aside) {
      entry[key] = aside[key];
      delete aside[key];
    }
  }
}

/** Whether a key is present and used by its role. */
function given(entry, key) {
  const roles = { kept: ["other", "class", "sensitive"], ...OWN }[key] ?? ["quasi", "sensitive"];
  return key in entry && roles.includes(entry.role);
}

let count = 0;

/** The fields of one column. Call `show` when its role or hierarchy changed, `told` when it was reviewed. */
export function fields(name, entry, changed) {
  const parts = FIELDS.map((field) => ({ field, ...EDITORS[field.key](name, field, entry, changed) }));
  const node = element(
    "details",
    { class: "more" },
    element("summary", { text: t("More about this column") }),
    element("div", { class: "fields" }, parts.map((part) => part.node)),
  );
  const show = (kind) => {
    const seen = parts.filter(({ field }) => field.for(entry, kind) || given(entry, field.key));
    for (const part of parts) part.node.hidden = !seen.includes(part);
    for (const part of seen) part.show();
    node.hidden = !seen.length;
    if (seen.some(({ field }) => field.key in entry)) node.open = true;
  };
  const told = (problems, facts, values) => {
    for (const part of parts) {
      const own = problems.filter((problem) => problem.field === part.field.key);
      part.wrong(own);
      part.know?.(facts, values);
      if (!own.length) continue;
      part.node.hidden = node.hidden = false;
      node.open = true;
    }
  };
  const holds = (key) => parts.some((part) => part.field.key === key && !part.node.hidden);
  return { node, show, told, holds };
}

/** A box, or several, under one name, with a line for what is wrong. */
function framed(field, boxes, extra) {
  count += 1;
  const hint = element("p", { class: "quiet", id: `hint-${count}`, text: field.hint });
  const wrong = element("p", { class: "wrong", id: `wrong-${count}`, role: "alert" });
  const inputs = boxes.filter((box) => box.matches("input, textarea"));
  for (const box of inputs) box.setAttribute("aria-describedby", `${hint.id} ${wrong.id}`);
  const node = element(
    "div",
    { class: "field", role: "group", "aria-label": field.label, "data-field": field.key },
    element("p", { class: "label", "aria-hidden": "true", text: field.label }),
    element("div", { class: "boxes" }, boxes),
    hint,
    extra,
    wrong,
  );
  const say = (problems) => {
    const text = problems.map((p) => `${p.wrong}; ${p.remedy}`).join(". ");
    if (wrong.textContent !== text) wrong.textContent = text;
    for (const box of inputs) box.setAttribute("aria-invalid", String(problems.length > 0));
  };
  return { node, wrong: say };
}

function put(entry, key, given) {
  if (given === undefined) delete entry[key];
  else entry[key] = given;
}

const oneNumber = (...given) => oneBox(value, ...given);
const oneText = (...given) => oneBox((text) => text.trim(), ...given);

function oneBox(read, name, field, entry, changed) {
  const box = element("input", {
    type: "text",
    inputmode: read === value ? "decimal" : null,
    "aria-label": t("{field}, of {column}", { field: field.label, column: name }),
    placeholder: { importance: "1", level: "0", release_level: "0" }[field.key] ?? t("none"),
  });
  box.addEventListener("input", () => {
    put(entry, field.key, box.value.trim() ? read(box.value) : undefined);
    changed();
  });
  const show = () => {
    box.value = entry[field.key] ?? "";
  };
  return { ...framed(field, [box]), show };
}

/** From a level to a level; an end that is not given is the hierarchy's own. */
function twoLevels(name, field, entry, changed) {
  const box = (label) => element("input", { type: "text", inputmode: "numeric", "aria-label": label });
  const low = box(t("Lowest level of {column}", { column: name }));
  const high = box(t("Highest level of {column}", { column: name }));
  let height = null;
  const read = () => {
    if (!low.value.trim() && !high.value.trim()) return undefined;
    const found = [low.value.trim() ? value(low.value) : 0];
    if (high.value.trim()) found.push(value(high.value));
    else if (height !== null) found.push(height);
    return found;
  };
  const take = () => {
    put(entry, "levels", read());
    changed();
  };
  low.addEventListener("input", take);
  high.addEventListener("input", take);
  const show = () => {
    [low.value, high.value] = entry.levels ?? ["", ""];
  };
  const know = (facts) => {
    const found = facts?.levels?.length ? facts.levels.length - 1 : null;
    low.placeholder = "0";
    high.placeholder = found ?? "";
    const moved = found !== null && found !== height;
    height = found ?? height;
    // An open end follows the hierarchy.
    if (moved && low.value.trim() && !high.value.trim()) take();
  };
  const made = framed(field, [low, element("span", { text: t("to") }), high]);
  return { ...made, show, know };
}

function listed(name, field, entry, changed) {
  const box = element("textarea", { rows: 1, "aria-label": t("{field}, of {column}", { field: field.label, column: name }) });
  const begin = element("div", {});
  const take = () => {
    const found = lines(box.value);
    put(entry, "order", found.length ? found : undefined);
    grow();
    changed();
  };
  const grow = () => {
    box.rows = Math.max(1, Math.min(10, box.value.split("\n").length));
  };
  box.addEventListener("input", take);
  const show = () => {
    box.value = (entry.order ?? []).join("\n");
    grow();
  };
  const know = (_, values) => {
    const offer = element("button", {
      type: "button",
      class: "plain",
      text: t("Start with its {number} values", { number: values?.length }),
      onclick: () => {
        box.value = values.join("\n");
        take();
        box.focus();
      },
    });
    fill(begin, values?.length > 1 && !box.value.trim() ? offer : []);
  };
  return { ...framed(field, [box], begin), show, know };
}

function ticked(name, field, entry, changed) {
  const box = element("input", { type: "checkbox", "aria-label": `${field.label}: ${name}` });
  box.addEventListener("change", () => {
    put(entry, field.key, box.checked ? field.value : undefined);
    changed();
  });
  const show = () => {
    box.checked = entry[field.key] === field.value;
  };
  return { ...framed(field, [box]), show };
}

const EDITORS = {
  kept: ticked,
  bottom: oneNumber,
  top: oneNumber,
  importance: oneNumber,
  level: oneNumber,
  release_level: oneNumber,
  format: oneText,
  unknown: ticked,
  levels: twoLevels,
  order: listed,
};
