// Downloads: release and manifest, reports, and the commands that make the same release elsewhere.

import { post } from "./api.js";
import { element, fill, say, trouble } from "./dom.js";
import { addressOf, store } from "./store.js";
import { grouped, numeral, t, tn } from "./words.js";

// Everything that was made, the last first; it stays listed whichever release is opened.
const made = element("div", { id: "made", "aria-live": "polite" });

export function takeHome(facts, chosen) {
  const make = (path, body) => made_(`${addressOf(chosen)}/${path}`, body);
  const run = store.runs[chosen.run];
  return element(
    "div",
    {},
    element("h3", { text: t("Download") }),
    element(
      "div",
      { class: "row" },
      element("button", {
        class: "main",
        id: "take-csv",
        text: t("Release as CSV"),
        onclick: () => make("release", { kind: "csv" }),
      }),
      element("button", { text: t("as Excel"), onclick: () => make("release", { kind: "xlsx" }) }),
      element("button", { text: t("as Parquet"), onclick: () => make("release", { kind: "parquet" }) }),
      element("button", {
        id: "take-report",
        text: t("Report for the officer"),
        onclick: () => make("report", { reader: "officer" }),
      }),
      element("button", { text: t("Page for the public"), onclick: () => make("report", { reader: "public" }) }),
      element("button", { text: t("Schema"), onclick: () => made_(`/api/runs/${run.key}/schema`, {}) }),
    ),
    made,
    copied(t("The command that makes the same release"), facts.command),
    !run.own &&
      element("p", {
        class: "quiet",
        text: t("This run came from an upload and is deleted when the server stops. The schema and these lines make it again."),
      }),
  );
}

async function made_(path, body) {
  const place = element("div", { class: "made" }, element("p", { class: "quiet", text: t("Working …") }));
  made.prepend(place);
  try {
    const answer = await post(path, body);
    fill(place, fileList(answer.files), answer.audit && audited(answer));
    say(tn("{number} file is ready.", "{number} files are ready.", answer.files.length));
  } catch (error) {
    const again =
      error.second &&
      element("button", {
        class: "also",
        text: t("I understand; make this second release too"),
        onclick: () => {
          place.remove();
          made_(path, { ...body, allow_second_release: true });
        },
      });
    fill(place, trouble(error.problems ?? []), again);
  }
}

/** Files to download. */
export function fileList(files) {
  const items = files.map((file) =>
    element(
      "li",
      {},
      element("a", { href: file.href, download: file.name, text: file.name }),
      ` (${size(file.bytes)})`,
    ),
  );
  return element("ul", { class: "files" }, items);
}

const size = (bytes) =>
  bytes < 10000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${Math.round(bytes / 1e3)} kB`
      : `${numeral((bytes / 1e6).toFixed(1))} MB`;

function audited(release) {
  const bad = release.audit.checks.filter((check) => check.holds === false);
  const words = bad.length
    ? tn("The audit found {number} claim that does not hold: do not publish.", "The audit found {number} claims that do not hold: do not publish.", bad.length)
    : t("Audited by code that shares nothing with the search: all {checks} checks hold. {rows} rows.", {
        checks: release.audit.checks.filter((check) => check.holds).length,
        rows: grouped(release.rows),
      });
  return [
    element("p", { class: "audited", text: words }),
    element("p", {
      class: "quiet",
      text: t("Keep the manifest beside the file, and store this digest separately: {digest}", {
        digest: `sha256 ${release.sha256}`,
      }),
    }),
  ];
}

function copied(title, text) {
  const code = element("pre", { tabindex: 0, text });
  return element("details", {}, element("summary", { text: title }), code, copyButton(text, t("Copy")));
}

/** A button that copies a text; where that is not allowed, it selects what stands in front of it. */
export function copyButton(text, label) {
  const button = element("button", {
    type: "button",
    text: label,
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = t("Copied");
      } catch {
        getSelection().selectAllChildren(button.previousElementSibling ?? button.parentElement);
        button.textContent = t("Selected: copy with the keyboard");
      }
    },
  });
  return button;
}
