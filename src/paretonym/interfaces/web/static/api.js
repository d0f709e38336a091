// Requests to the server that this page came from, and to no other.

import { released } from "./dom.js";
import { inLanguage, t } from "./words.js";

export class Refused extends Error {
  constructor(status, answer) {
    const problems = answer?.problems ?? [
      {
        place: t("the server"),
        wrong: t("it does not answer"),
        remedy: t("check that 'paretonym serve' is still running"),
      },
    ];
    super(problems.map((p) => p.wrong).join("; "));
    this.status = status;
    this.problems = problems;
    this.second = Boolean(answer?.second);
  }
}

async function answered(path, options) {
  let response;
  try {
    response = await fetch(inLanguage(path), { cache: "no-store", ...options });
  } catch {
    throw new Refused(0, null);
  }
  const answer = await response.json().catch(() => null);
  await released();
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

export const get = (path) => answered(path, {});

export const post = (path, body = {}) =>
  answered(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

export const put = (path, file) =>
  answered(path, { method: "PUT", headers: { "content-type": "application/octet-stream" }, body: file });
