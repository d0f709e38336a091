// Scales of axes, ticks, and numbers as people write them.

import { element } from "./dom.js";
import { grouped, numeral } from "./words.js";

export const number = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);

/** A measure in plain words, with its term behind them. */
export const named = ({ plain, name }) => (plain ? `${plain} (${name})` : name);

/** A share in percent. Halves go up by the digits that people see, as everywhere in the program. */
export const percentage = (share) => {
  const tenths = Math.round(Number((1000 * share).toPrecision(12)));
  // More than nothing and less than everything is not written as either.
  if (tenths === 0 && share > 0) return `<${numeral("0.1")} %`;
  if (tenths === 1000 && share < 1) return `>${numeral("99.9")} %`;
  return `${numeral((tenths / 10).toFixed(1))} %`;
};

/** A value of a measure as people write it: the same words as the program uses elsewhere. */
export function written(measure, value) {
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  if (measure.share) return percentage(value);
  if (Number.isInteger(value)) return grouped(value);
  return numeral(String(Number(value.toPrecision(4))));
}

/** A scale from values to 0 … 1, linear or logarithmic. */
export class Scale {
  constructor(low, high, logarithmic) {
    this.logarithmic = logarithmic && low > 0;
    this.low = low;
    this.high = high > low ? high : low + (Math.abs(low) || 1);
  }

  place(value) {
    if (value === Infinity) return 1;
    if (value === -Infinity) return 0;
    if (this.logarithmic) return Math.log(value / this.low) / Math.log(this.high / this.low);
    return (value - this.low) / (this.high - this.low);
  }

  value(place) {
    if (this.logarithmic) return this.low * (this.high / this.low) ** place;
    return this.low + place * (this.high - this.low);
  }

  ticks(most) {
    return this.logarithmic ? this.#powers(most) : this.#steps(most);
  }

  #powers(most) {
    const first = Math.ceil(Math.log10(this.low) - 1e-9);
    const last = Math.floor(Math.log10(this.high) + 1e-9);
    const ticks = [];
    const fine = last - first < 2;
    for (let power = first - 1; power <= last; power += 1) {
      for (const times of fine ? [1, 2, 5] : [1]) ticks.push(times * 10 ** power);
    }
    const inside = ticks.filter((tick) => tick >= this.low * 0.999 && tick <= this.high * 1.001);
    return inside.filter((_, i) => i % Math.ceil(inside.length / most) === 0);
  }

  #steps(most) {
    const rough = (this.high - this.low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
    const ticks = [];
    for (let i = Math.ceil(this.low / step - 1e-9); i * step <= this.high + step * 1e-9; i += 1)
      ticks.push(i * step);
    return ticks;
  }
}

/** A tick's text, short. */
export function tickText(measure, value) {
  if (measure.share) return `${numeral(String(Number((100 * value).toPrecision(4))))} %`;
  return grouped(Number(value.toPrecision(6)));
}

/** The scale over all finite values of a measure in some columns of values. */
export function scaleOver(columns, logarithmic) {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (const value of column) {
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return new Scale(0, 1, false);
  return low < high ? new Scale(low, high, logarithmic) : around(low);
}

/** A single value lies in the middle; shares end at 1. */
function around(value) {
  if (value >= 0 && value <= 1) return new Scale(0, 1, false);
  return new Scale(value - Math.abs(value) / 4, value + Math.abs(value) / 4, false);
}

/** A dot in the colour of a run. */
export function dot(run) {
  const node = element("span", { class: "dot", title: run.label });
  node.style.background = `var(--run-${run.place % 6})`;
  return node;
}
