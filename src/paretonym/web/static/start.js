// Start from a file: choose it, review the draft, decide, run, watch, cancel.

import { get, post, put } from "./api.js";
import { element, fill, trouble } from "./dom.js";
import { showOnly } from "./explore.js";
import { watch } from "./job.js";
import { schemaEditor } from "./schema.js";
import { t } from "./words.js";

// The editor of the last draft, kept while the person is on another view.
let editor = { number: 0, node: null };

function editorOf(draft, measures) {
  if (editor.number !== draft.number) editor = { number: draft.number, node: schemaEditor(draft, measures) };
  return editor.node;
}

export async function startView(state) {
  const place = element("div", { id: "draft" });
  const running = element("div", {});
  const measures = await get("/api/measures");
  const show = (draft) => fill(place, editorOf(draft, measures));
  if (state.draft) show(state.draft);
  if (state.job.state === "running")
    watch(running, state.job, (result) => {
      fill(running);
      followed(state.job.kind, result, show);
    });
  return [
    element("h1", { text: t("Start from a file") }),
    element("p", {
      class: "quiet",
      text: t("The file stays on this machine, in a private folder that is deleted when the server stops."),
    }),
    chooser(state, place, show),
    running,
    place,
  ];
}

function followed(kind, result, show) {
  if (kind === "draft") show(result);
  else {
    showOnly([result.run]);
    location.hash = "#explore";
  }
}

function chooser(state, place, show) {
  const begin = async (start) => {
    fill(place, element("p", { role: "status", text: t("Sending …") }));
    try {
      watch(place, await start(), show);
    } catch (error) {
      fill(place, trouble(error.problems ?? []));
    }
  };
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
    accept: ".csv,.tsv,.txt,.parquet,text/csv",
    onchange: (event) => send(event.target.files[0]),
  });
  const drop = element(
    "div",
    { class: "card drop" },
    element(
      "p",
      {},
      element("label", { for: "file", text: t("A CSV or Parquet file with one row per person: ") }),
      input,
    ),
    element("p", { class: "quiet", text: t("or drop it here") }),
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
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    send(event.dataTransfer.files[0]);
  });
  return drop;
}
