// How the file is read: what was found about it, in fields that can be changed, and its first cells.

import { element, grid, scrolled } from "./dom.js";
import { t } from "./words.js";

const ENCODINGS = {
  "utf-8": "UTF-8",
  cp1252: t("Windows, Western Europe (cp1252)"),
  cp1250: t("Windows, Central Europe (cp1250)"),
  cp1251: t("Windows, Cyrillic (cp1251)"),
  "iso8859-15": "ISO 8859-15 (Latin 9)",
  mac_roman: "Mac OS Roman",
  cp850: t("DOS, Western Europe (cp850)"),
  "utf-16": "UTF-16",
};
const SEPARATORS = { ",": t("comma"), ";": t("semicolon"), "\t": t("tab"), "|": t("vertical bar") };
const DECIMALS = { ".": t("point: 12.5"), ",": t("comma: 12,5") };
const TYPES = {
  text: t("text"),
  integer: t("whole numbers"),
  decimal: t("numbers"),
  date: t("dates"),
  boolean: t("yes or no"),
};

/** `again` is called with what is said about the file once something was changed. */
export function readingForm(reading, again) {
  const choice = (key, label, names, value) =>
    // Another sheet has other titles and sums.
    chosen(key, label, names, value, (given) => again({ ...(key === "sheet" ? {} : reading.asked), [key]: given }));
  const rows = (key, label, least) => {
    const onchange = ({ target }) => target.validity.valid && again({ ...reading.asked, [key]: target.valueAsNumber });
    const range = { type: "number", min: least, max: 1_000_000, required: true, value: reading[key] };
    return element("label", {}, `${label}:`, element("input", { ...range, id: `reading-${key}`, onchange }));
  };
  const text = ["CSV", "JSON lines"].includes(reading.kind);
  const fields = [
    reading.sheets.length > 1 &&
      choice("sheet", t("Sheet"), Object.fromEntries(reading.sheets.map((name) => [name, name])), reading.sheet),
    text && choice("encoding", t("Encoding"), ENCODINGS, reading.encoding),
    reading.kind === "CSV" && choice("separator", t("Separator"), SEPARATORS, reading.separator),
    ["CSV", "workbook"].includes(reading.kind) && rows("header_row", t("Header in row"), 1),
    ["CSV", "workbook"].includes(reading.kind) && rows("footer_rows", t("Rows below the table"), 0),
    reading.kind !== "Parquet" && choice("decimal", t("Decimal mark"), DECIMALS, reading.decimal),
  ];
  return element(
    "section",
    { class: "card reading", "aria-labelledby": "reading-title" },
    element("h2", { id: "reading-title", text: t("How the file is read: {kind}", { kind: kind(reading) }) }),
    fields.some(Boolean) && element("div", { class: "row" }, fields),
    fields.some(Boolean) &&
      element("p", {
        class: "quiet",
        text: t("Found by looking at the file. A change reads it again and starts a new draft."),
      }),
    reading.columns && preview(reading.columns),
  );
}

const kind = (reading) => {
  const name = reading.kind === "workbook" ? t("a workbook") : reading.kind;
  if (reading.packing) return t("{kind}, compressed ({packing})", { kind: name, packing: reading.packing });
  return reading.sheets.length === 1 ? t("{kind}, sheet “{sheet}”", { kind: name, sheet: reading.sheet }) : name;
};

function chosen(key, label, names, value, changed) {
  const known = value && !(value in names) ? { [value]: value, ...names } : names;
  const list = element(
    "select",
    { id: `reading-${key}`, onchange: () => changed(list.value) },
    !value && element("option", { value: "", text: t("not known") }),
    Object.entries(known).map(([one, text]) => element("option", { value: one, text })),
  );
  list.value = value ?? "";
  return element("label", { for: list.id }, `${label}:`, list);
}

/** The first cells, for the person who has the file; they go nowhere else. */
function preview(columns) {
  const head = columns.map((column) =>
    element(
      "th",
      { scope: "col", class: numeric(column) ? "number" : null },
      column.name,
      element("span", { class: "type", text: TYPES[column.type] ?? column.type }),
    ),
  );
  const lines = columns[0].cells.map((_, row) =>
    element(
      "tr",
      {},
      columns.map((column) =>
        element("td", { class: numeric(column) ? "number" : null, text: column.cells[row] }),
      ),
    ),
  );
  const title = t("The first rows, as they are read");
  return element(
    "details",
    { open: true, id: "preview" },
    element("summary", { text: title }),
    element("p", { class: "quiet", text: t("Shown on this page only.") }),
    scrolled(title, grid(title, head, lines)),
  );
}

const numeric = (column) => ["integer", "decimal"].includes(column.type);
