// A job on the server: its progress, and a button that stops it.

import { get, post } from "./api.js";
import { element, fill, say, trouble } from "./dom.js";
import { grouped, t } from "./words.js";

const OFTEN = 200;
const STATES = { done: t("done"), failed: t("failed"), cancelled: t("cancelled") };

/** Show a job that is being started in `place` until it ends; `done` gets its result. `told` shows problems at
 * their fields and returns the others; it also gets the job. */
export async function watch(place, starting, done, told = (problems) => problems) {
  const refused = (problems, job) => {
    const elsewhere = told(problems, job);
    fill(place, elsewhere.length ? trouble(elsewhere) : []);
  };
  try {
    await followed(place, await starting, done, refused);
  } catch (error) {
    refused(error.problems ?? []);
  }
}

async function followed(place, begun, done, refused) {
  const bar = element("progress", { "aria-label": t("Progress") });
  const words = element("p", { class: "quiet", role: "status", text: t("Starting …") });
  const cancel = element("button", {
    id: "cancel",
    text: t("Cancel"),
    onclick: () => {
      cancel.disabled = true;
      post("/api/job/cancel").catch(() => {});
    },
  });
  const titles = { draft: t("Reading the file"), audit: t("Checking the file"), measure: t("Measuring"), compare: t("Measuring") };
  const title = titles[begun.kind] ?? t("Exploring");
  const card = { class: "card", "aria-label": title };
  fill(place, element("section", card, element("h2", { text: title }), bar, words, cancel));
  place.scrollIntoView({ block: "nearest" });
  const job = await ended(begun, (now) => progress(bar, words, now));
  if (job.state === "done") done(job.result);
  else if (job.state === "cancelled")
    fill(place, element("p", { role: "status", id: "cancelled", text: t("Cancelled. Nothing was kept.") }));
  else refused(job.problems, job);
  say(`${title}: ${STATES[job.state] ?? job.state}`);
}

async function ended(begun, show) {
  let job = begun;
  while (job.state === "running" && job.number === begun.number) {
    show(job);
    await new Promise((go) => {
      setTimeout(go, OFTEN);
    });
    job = await get("/api/job");
  }
  return job;
}

function progress(bar, words, job) {
  if (job.total) {
    bar.max = job.total;
    bar.value = job.done;
  }
  const done = job.total
    ? t("{done} of {total} nodes", { done: grouped(job.done), total: grouped(job.total) })
    : t(job.remark);
  const rate =
    job.total && job.seconds > 1
      ? t(", {rate} per second", { rate: grouped(Math.round(job.done / job.seconds)) })
      : "";
  words.textContent = [`${done}${rate}`, `${Math.round(job.seconds)} s`].filter(Boolean).join(" · ");
}
