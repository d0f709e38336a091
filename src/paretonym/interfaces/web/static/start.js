// Start from a file: choose it, review the draft, decide, run, watch, cancel.

import { get, post, put } from "./api.js";
import { auditCard } from "./audit.js";
import { dropZone, element, fill, trouble } from "./dom.js";
import { visit } from "./explore.js";
import { watch } from "./job.js";
import { readingForm } from "./reading.js";
import { schemaEditor } from "./schema.js";
import { t } from "./words.js";

const KNOWN =
  ".csv,.tsv,.tab,.txt,.xlsx,.xlsm,.xlsb,.xls,.ods,.parquet,.json,.jsonl,.ndjson,.gz,.zst,.bz2,text/csv";

// The editor of the last draft, kept while the person is on another view.
let editor = { number: 0, node: null };

function editorOf(draft, measures) {
  if (editor.number !== draft.number) edit(draft, measures);
  return editor.node;
}

/** An editor of a draft; a schema that is loaded from a file takes its place. */
function edit(draft, measures) {
  const loaded = (found, said) => {
    const before = editor.node;
    edit({ ...draft, schema: withAll(found.schema, draft), decisions: [] }, measures);
    before.replaceWith(editor.node);
    editor.node.querySelector("#saved").replaceChildren(...said.childNodes);
  };
  editor = { number: draft.number, node: schemaEditor(draft, measures, loaded) };
}

/** A schema with every column of the table; those that it does not know are to be decided. */
const withAll = (schema, draft) => ({
  ...schema,
  columns: {
    ...Object.fromEntries(draft.columns.map((column) => [column.name, { role: "undecided" }])),
    ...schema.columns,
  },
});

export async function startView(state) {
  const place = element("div", { id: "draft" });
  const running = element("div", {});
  const measures = await get("/api/measures");
  const begin = (start) => {
    fill(place, element("p", { role: "status", text: t("Sending …") }));
    watch(place, start(), arrived, unread);
  };
  const again = (written) => begin(() => post("/api/reading", written));
  const show = (draft) => fill(place, readingForm(draft.reading, again), editorOf(draft, measures));
  /** The editor of a draft is on one view, although an older one waits for the same job. */
  const arrived = (draft) => place.isConnected && show(draft);
  /** A file that could not be read: what is wrong, and what can be said about it. */
  const unread = (problems, job) => {
    if (!job?.reading) return problems;
    queueMicrotask(() => place.append(readingForm(job.reading, again)));
    return problems;
  };
  if (state.draft) show(state.draft);
  else if (state.job.kind === "draft" && state.job.state === "failed")
    fill(place, trouble(state.job.problems), state.job.reading && readingForm(state.job.reading, again));
  if (state.job.state === "running")
    watch(running, state.job, (result) => {
      fill(running);
      followed(state.job.kind, result, arrived);
    });
  return [
    element("h1", { text: t("Start from a file") }),
    element("p", {
      class: "quiet",
      text: t("The file stays on this machine, in a private folder that is deleted when the server stops."),
    }),
    chooser(state, place, begin),
    running,
    place,
    auditCard(),
  ];
}

function followed(kind, result, show) {
  if (kind === "draft") show(result);
  else if (kind === "explore") visit([result.run]);
}

function chooser(state, place, begin) {
  const send = (file) => {
    if (!file) return;
    const most = state.most_bytes;
    if (file.size > most)
      fill(
        place,
        trouble([
          {
            place: file.name,
            wrong: t("it is larger than {most} MB", { most: Math.round(most / 2 ** 20) }),
            remedy: t("use 'paretonym explore' for large tables"),
          },
        ]),
      );
    else begin(() => put(`/api/upload?name=${encodeURIComponent(file.name)}`, file));
  };
  const input = element("input", {
    type: "file",
    id: "file",
    accept: KNOWN,
    onchange: (event) => send(event.target.files[0]),
  });
  return dropZone(
    { class: "card drop" },
    ([file]) => send(file),
    element("p", {}, element("label", { for: "file", text: t("A table about people: ") }), input),
    element("p", {
      class: "quiet",
      text: t("or drop it here. CSV, Excel and OpenDocument, Parquet, JSON lines; CSV also compressed (gz, zst)"),
    }),
    element(
      "p",
      {},
      element("button", {
        id: "example",
        text: t("Try it with the built-in example (a census table)"),
        onclick: () => begin(() => post("/api/example")),
      }),
    ),
  );
}
