// The schema as a file: save what is edited here, load what was saved.

import { post, put } from "./api.js";
import { attempt, element, fill, say } from "./dom.js";
import { fileList } from "./take.js";
import { t } from "./words.js";

/** Buttons that save the schema, and a box that loads one; `loaded` gets what was in the file. */
export function schemaFileBar(schema, loaded) {
  const made = element("div", { id: "saved", "aria-live": "polite" });
  const save = () =>
    attempt(made, async () => {
      const answer = await post("/api/schema", { description: schema });
      fill(made, fileList(answer.files));
      say(t("The file is ready."));
    });
  const send = (path, file) => put(`${path}?name=${encodeURIComponent(file.name)}`, file);
  const load = async (files) => {
    const named = files.find((file) => /\.toml$/i.test(file.name)) ?? files[0];
    if (!named) return;
    // What would be edited meanwhile would be lost: the schema takes its place.
    const editor = made.closest(".schema");
    editor.inert = true;
    say(t("Sending …"));
    await attempt(made, async () => {
      // The schema names the others, so they come first.
      for (const file of files) if (file !== named) await send("/api/hierarchy", file);
      const answer = await send("/api/schema", named);
      fill(made);
      loaded(answer, made);
    });
    editor.inert = false;
  };
  return element(
    "div",
    { class: "schema-file" },
    element(
      "div",
      { class: "row" },
      element("button", { type: "button", id: "save-schema", text: t("Save the schema"), onclick: save }),
      element(
        "label",
        { for: "load-schema" },
        t("Load a schema:"),
        element("input", {
          type: "file",
          id: "load-schema",
          accept: ".toml,.csv",
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
