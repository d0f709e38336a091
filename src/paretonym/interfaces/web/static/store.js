// The state of the page and the person's choices; every view of it is notified of changes.

import { number } from "./scales.js";

const listeners = [];

/** What is known and chosen before anything is. */
export const beginning = () => ({
  runs: [],
  active: 0,
  across: "",
  up: "",
  logarithmic: {},
  limits: {},
  brushes: {},
  best: "",
  selected: null,
  pins: [],
  answer: null,
});

export const store = beginning();

/** Change something; `what` names the changes for those who redraw. */
export function change(changes) {
  Object.assign(store, changes);
  const what = new Set(Object.keys(changes));
  for (const listener of listeners) listener(what);
}

export function whenChanged(listener) {
  listeners.push(listener);
}

export function forgetListeners() {
  listeners.length = 0;
}

/** A run's facts with numbers in place of the words for infinity. */
export function prepared(facts, place) {
  const values = {};
  for (const [name, column] of Object.entries(facts.values)) values[name] = Float64Array.from(column, number);
  return {
    ...facts,
    place,
    values,
    lit: new Uint8Array(facts.ids.length).fill(1),
    places: new Map(facts.ids.map((id, i) => [id, i])),
    measured: new Map(facts.measures.map((m) => [m.name, m])),
  };
}

/** Whether somebody is in no group with others: of such a release the chart and the lists say so. */
export const isAlone = (run, place) => run.values.k?.[place] === 1;

/** How a release of several methods was made. */
export const methodOf = (run, place) => (run.methods.length > 1 ? run.methods[run.method[place]] : "");

export const activeRun = () => store.runs[store.active];

/** Every measure that some run has, the objectives of the first first. */
export function allMeasures() {
  const byName = new Map();
  for (const run of store.runs) for (const m of run.measures) if (!byName.has(m.name)) byName.set(m.name, m);
  return [...byName.values()];
}

export function measureOf(name) {
  return allMeasures().find((m) => m.name === name);
}

/** Mark in every run what satisfies all limits and brushes: one pass over plain arrays. */
export function light() {
  const limits = Object.entries(store.limits).filter(([, bound]) => bound !== null);
  const brushes = Object.entries(store.brushes);
  for (const run of store.runs) {
    run.lit.fill(1);
    for (const [name, bound] of limits)
      keep(run, name, (v) => (run.measured.get(name).direction === "max" ? v >= bound : v <= bound));
    for (const [name, [low, high]] of brushes) keep(run, name, (v) => v >= low && v <= high);
    run.count = run.lit.reduce((sum, one) => sum + one, 0);
  }
}

function keep(run, name, allowed) {
  const column = run.values[name];
  if (!column) return;
  for (let i = 0; i < column.length; i += 1) if (!allowed(column[i])) run.lit[i] = 0;
}

/** The limits as the server wants them. */
export function bounds(run) {
  return Object.entries(store.limits)
    .filter(([name, bound]) => bound !== null && run.measured.has(name))
    .map(([name, bound]) => ({
      measure: name,
      sense: run.measured.get(name).direction === "max" ? "at-least" : "at-most",
      bound,
    }));
}

export const samePoint = (a, b) => Boolean(a && b && a.run === b.run && a.place === b.place);

export function togglePin(point) {
  const without = store.pins.filter((pin) => !samePoint(pin, point));
  const pins = without.length < store.pins.length ? without : [...store.pins.slice(-1), point];
  change({ pins });
}

/** Where the server has a release. */
export const addressOf = ({ run, place }) =>
  `/api/runs/${store.runs[run].key}/points/${store.runs[run].ids[place]}`;
