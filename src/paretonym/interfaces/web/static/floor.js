// The floor under the frontier, and what lies beyond it.

import { shape } from "./dom.js";
import { store } from "./store.js";
import { t } from "./words.js";

/** What no generalization by the hierarchies is below, as a line; beyond it is shaded where nothing that is
 * drawn could lie. */
export function floor(run, area, across, up) {
  const { by, cost, steps, binds } = run.floor ?? {};
  const upright = across.measure.name === cost && up.measure.name === by;
  if (!run.floor || !(upright || (across.measure.name === by && up.measure.name === cost))) return [];
  const [costs, sizes] = upright ? [across.scale, up.scale] : [up.scale, across.scale];
  const inside = (place) => Math.max(0, Math.min(1, place));
  const at = (size, lost) => (upright ? `${area.x(lost)} ${area.y(size)}` : `${area.x(size)} ${area.y(lost)}`);
  let before = inside(costs.place(steps[0][1]));
  const corners = [at(inside(sizes.place(steps[0][0])), before)];
  for (const [size, least] of steps.slice(1)) {
    const place = inside(sizes.place(size));
    corners.push(at(place, before));
    before = inside(costs.place(least));
    corners.push(at(place, before));
  }
  corners.push(at(1, before));
  const line = `M${corners.join("L")}`;
  const title = shape("title", { text: t("Floor: no release by these hierarchies lies beyond this line") });
  const edge = shape("path", { class: `floor run-${run.place % 6}`, d: line }, title);
  if (!binds || store.runs.length > 1) return [edge];
  return [shape("path", { class: "beyond", d: `${line}L${at(1, 0)}L${at(0, 0)}Z` }), edge];
}
