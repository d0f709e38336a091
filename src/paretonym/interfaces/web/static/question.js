// The question: objectives, requirements on every release, suppression, and the time limit.

import { element } from "./dom.js";
import { named } from "./scales.js";
import { t, typed } from "./words.js";

const SUPPRESSIONS = [
  ["any:0.1", t("every choice up to 10 %")],
  ["0.01", t("up to 1 %, smallest classes first")],
  ["0.05", t("up to 5 %, smallest classes first")],
  ["0", t("none")],
];
/** Where the page shows what the server says is wrong with a field. */
const SHOWN_AT = {
  objectives: "objectives",
  suppress: "suppress",
  at_least: "required",
  at_most: "required",
  time: "time",
};

/** The form; `chosen` is what the server is asked, `told` shows problems at their fields and returns the
 * others. */
export function questionForm(measures) {
  const objectives = objectivesOf(measures);
  const suppress = element(
    "select",
    { id: "suppress" },
    SUPPRESSIONS.map(([value, text]) => element("option", { value, text })),
  );
  const required = requirements(measures);
  const time = element("input", {
    type: "text",
    id: "time",
    size: 10,
    placeholder: t("no limit"),
    "aria-describedby": "time-hint wrong-time",
  });
  const wrong = Object.fromEntries(
    [...new Set(Object.values(SHOWN_AT))].map((key) => [
      key,
      element("p", { class: "wrong", id: `wrong-${key}`, role: "alert" }),
    ]),
  );
  const node = element(
    "div",
    { class: "question" },
    objectives.node,
    wrong.objectives,
    required.node,
    wrong.required,
    element(
      "div",
      { class: "row" },
      element("label", { for: "suppress", text: t("Rows that may be suppressed:") }),
      suppress,
    ),
    wrong.suppress,
    element(
      "div",
      { class: "row" },
      element("label", { for: "time", text: t("Stop after:") }),
      time,
      element("span", {
        class: "quiet",
        id: "time-hint",
        text: t("such as 60s, 5m or 1h: shows what was found by then, and what could still dominate it. Without it, the search runs until everything is proven."),
      }),
    ),
    wrong.time,
  );
  const told = (problems) => {
    for (const [key, line] of Object.entries(wrong)) {
      const own = problems.filter((problem) => SHOWN_AT[problem.field] === key);
      line.textContent = own.map((problem) => `${problem.wrong}; ${problem.remedy}`).join(". ");
    }
    time.setAttribute("aria-invalid", String(Boolean(wrong.time.textContent)));
    return problems.filter((problem) => !(problem.field in SHOWN_AT));
  };
  const chosen = () => ({
    objectives: objectives.chosen(),
    suppress: suppress.value,
    ...required.chosen(),
    time: time.value.trim() || null,
  });
  return { node, chosen, told };
}

function objectivesOf(measures) {
  const boxes = measures.map((m) =>
    element("input", { type: "checkbox", value: m.name, checked: m.asked }),
  );
  const label = (name) => {
    const i = measures.findIndex((m) => m.name === name);
    return element("label", { title: measures[i].question }, boxes[i], named(measures[i]));
  };
  const offered = measures.filter((m) => m.offered).map((m) => m.name);
  const others = measures.filter((m) => !m.offered).map((m) => m.name);
  const node = element(
    "div",
    {},
    element("div", { class: "row", role: "group", "aria-label": t("Objectives") }, offered.map(label)),
    element(
      "details",
      {},
      element("summary", { text: t("More measures") }),
      element("div", { class: "row" }, others.map(label)),
    ),
  );
  return { node, chosen: () => boxes.filter((box) => box.checked).map((box) => box.value) };
}

/** What every release must have: any number of lines such as "k, at least, 5". */
function requirements(measures) {
  const rows = [];
  const place = element("div", { class: "requirements" });
  const add = () => {
    const row = requirement(measures, () => {
      rows.splice(rows.indexOf(row), 1);
      row.node.remove();
      button.focus();
    });
    rows.push(row);
    place.append(row.node);
    row.begin();
  };
  const button = element("button", { id: "require", text: t("Add a requirement"), onclick: add });
  const node = element(
    "div",
    { class: "required", role: "group", "aria-label": t("What every release must have") },
    element(
      "p",
      { class: "row" },
      element("span", { text: t("Every release must have:") }),
      element("span", { class: "quiet", text: t("releases without it are neither searched nor kept") }),
    ),
    place,
    button,
  );
  const listed = (sense) => rows.filter((row) => row.sense() === sense).map((row) => row.text());
  return { node, chosen: () => ({ at_least: listed("at-least"), at_most: listed("at-most") }) };
}

function requirement(measures, remove) {
  const name = element(
    "select",
    { "aria-label": t("Measure that is required") },
    measures.map((m) => element("option", { value: m.name, text: named(m) })),
  );
  const sense = element(
    "select",
    { "aria-label": t("At least or at most") },
    element("option", { value: "at-least", text: t("at least") }),
    element("option", { value: "at-most", text: t("at most") }),
  );
  const bound = element("input", {
    type: "text",
    size: 8,
    placeholder: t("5 or 25%"),
    "aria-label": t("Bound"),
    "aria-describedby": "wrong-required",
  });
  const follow = () => {
    sense.value = measures.find((m) => m.name === name.value).direction === "max" ? "at-least" : "at-most";
  };
  name.addEventListener("change", follow);
  follow();
  const drop = element("button", { text: "×", "aria-label": t("Remove this requirement"), onclick: remove });
  return {
    node: element("div", { class: "row requirement" }, name, sense, bound, drop),
    sense: () => sense.value,
    text: () => `${name.value}=${typed(bound.value.trim())}`,
    begin: () => name.focus(),
  };
}
