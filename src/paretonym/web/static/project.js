// Schema and project as files: save what is edited here, load what was saved.

import { post, put } from "./api.js";
import { element, fill, say, trouble } from "./dom.js";
import { t } from "./words.js";

/** Buttons that save the schema, and a box that loads one; `loaded` gets what was in the file. */
export function projectBar(schema, loaded) {
  const made = element("div", { id: "saved", "aria-live": "polite" });
  const save = async (path) => {
    try {
      const found = await post(path, { description: schema });
      fill(made, links(found.files));
      say(t("The file is ready."));
    } catch (error) {
      fill(made, trouble(error.problems ?? []));
    }
  };
  const send = (path, file) => put(`${path}?name=${encodeURIComponent(file.name)}`, file);
  const load = async (files) => {
    const named = files.find((file) => /\.(toml|paretonym)$/i.test(file.name)) ?? files[0];
    if (!named) return;
    try {
      // The schema names the others, so they come first.
      for (const file of files) if (file !== named) await send("/api/hierarchy", file);
      const found = await send("/api/project", named);
      fill(made, found.note && element("p", { class: "notice", role: "status", text: found.note }));
      loaded(found, made);
    } catch (error) {
      fill(made, trouble(error.problems ?? []));
    }
  };
  return element(
    "div",
    { class: "project" },
    element(
      "div",
      { class: "row" },
      element("button", {
        type: "button",
        id: "save-schema",
        text: t("Save the schema"),
        onclick: () => save("/api/schema"),
      }),
      element("button", {
        type: "button",
        id: "save-project",
        text: t("Save as a project"),
        onclick: () => save("/api/project"),
      }),
      element(
        "label",
        { for: "load-project" },
        t("Load a schema or a project:"),
        element("input", {
          type: "file",
          id: "load-project",
          accept: ".toml,.paretonym,.csv",
          multiple: true,
          "aria-describedby": "load-hint",
          onchange: (event) => load([...event.target.files]),
        }),
      ),
      element("p", {
        class: "quiet",
        id: "load-hint",
        text: t("If a schema has hierarchy files, choose them together with it."),
      }),
    ),
    made,
  );
}

function links(files) {
  return element(
    "ul",
    { class: "files" },
    files.map((file) =>
      element("li", {}, element("a", { href: file.href, download: file.name, text: file.name })),
    ),
  );
}
