// The start of the page: what the server has determines which view comes first.

import { get } from "./api.js";
import { element, fill, trouble } from "./dom.js";
import { exploreView, load } from "./explore.js";
import { startView } from "./start.js";
import { language, languages, t } from "./words.js";

const content = document.getElementById("content");

let asking = 0;

/** Shows the view that the address names; if another one is requested meanwhile, that one alone. */
async function show() {
  asking += 1;
  const mine = asking;
  const latest = () => mine === asking;
  const wanted = location.hash === "#start" ? "start" : "explore";
  try {
    const state = await get("/api/state");
    const view = wanted === "start" || !state.runs.length ? "start" : "explore";
    // What is being edited stays where it is.
    const stays = view === "start" && document.body.dataset.view === view;
    if (view === "explore") await load(state.runs, latest);
    const started = view === "start" && !stays && (await startView(state));
    if (!latest()) return;
    for (const name of ["start", "explore"]) {
      const link = document.getElementById(`to-${name}`);
      if (name === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (!stays) fill(content, started || exploreView());
    document.body.dataset.view = view;
  } catch (error) {
    if (!error.problems) throw error;
    if (!latest()) return;
    document.body.dataset.view = "";
    fill(content, element("h1", { text: t("The server does not answer") }), trouble(error.problems));
  }
}

/** The choice of a language, which stands in the address of this tab. */
function offerLanguages() {
  const choice = document.getElementById("language");
  fill(choice, languages.map(({ code, name }) => element("option", { value: code, lang: code, text: name })));
  choice.value = language;
  choice.hidden = languages.length < 2;
  choice.addEventListener("change", () => {
    const address = new URL(location);
    address.searchParams.set("language", choice.value);
    location.assign(address);
  });
}

offerLanguages();
window.addEventListener("hashchange", show);
show();
