// How the file is read: what was found about it, in fields that can be changed, and its first cells.

import { element, fill, grid } from "./dom.js";

const ENCODINGS = {
  "utf-8": "UTF-8",
  cp1252: "Windows, Western Europe (cp1252)",
  cp1250: "Windows, Central Europe (cp1250)",
  cp1251: "Windows, Cyrillic (cp1251)",
  "iso8859-15": "ISO 8859-15 (Latin 9)",
  mac_roman: "Mac OS Roman",
  cp850: "DOS, Western Europe (cp850)",
  "utf-16": "UTF-16",
};
const SEPARATORS = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar" };
const DECIMALS = { ".": "point: 12.5", ",": "comma: 12,5" };

/** `again` is called with what is said about the file once something was changed. */
export function readingForm(reading, again) {
  const choice = (key, label, names, value) =>
    chosen(key, label, names, value, (given) => {
      again({ ...reading.asked, [key]: given });
    });
  const text = ["CSV", "JSON lines"].includes(reading.kind);
  const fields = [
    reading.sheets.length > 1 &&
      choice("sheet", "Sheet", Object.fromEntries(reading.sheets.map((name) => [name, name])), reading.sheet),
    text && choice("encoding", "Encoding", ENCODINGS, reading.encoding),
    reading.kind === "CSV" && choice("separator", "Separator", SEPARATORS, reading.separator),
    reading.kind !== "Parquet" && choice("decimal", "Decimal mark", DECIMALS, reading.decimal),
  ];
  return element(
    "section",
    { class: "card reading", "aria-labelledby": "reading-title" },
    element("h2", { id: "reading-title", text: `How the file is read: ${kind(reading)}` }),
    fields.some(Boolean) && element("div", { class: "row" }, fields),
    fields.some(Boolean) &&
      element("p", { class: "quiet", text: "Found by looking at the file. A change reads it again and starts a new draft." }),
    reading.columns && preview(reading.columns),
  );
}

const kind = (reading) => {
  const packed = reading.packing ? `, compressed (${reading.packing})` : "";
  const sheet = reading.sheets.length === 1 ? `, sheet “${reading.sheet}”` : "";
  return `${reading.kind === "workbook" ? "a workbook" : reading.kind}${packed}${sheet}`;
};

function chosen(key, label, names, value, changed) {
  const known = value && !(value in names) ? { [value]: value, ...names } : names;
  const list = element(
    "select",
    { id: `reading-${key}`, onchange: () => changed(list.value) },
    !value && element("option", { value: "", text: "not known" }),
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
      element("span", { class: "type", text: column.type }),
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
  const title = "The first rows, as they are read";
  const place = element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": title });
  fill(place, grid(title, head, lines));
  return element(
    "details",
    { open: true, id: "preview" },
    element("summary", { text: title }),
    element("p", { class: "quiet", text: "Shown on this page only." }),
    place,
  );
}

const numeric = (column) => ["integer", "decimal"].includes(column.type);
