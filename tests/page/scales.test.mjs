// Numbers as people read them, and where a value lies on an axis.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scale, number, percentage, scaleOver } from "../../src/paretonym/interfaces/web/static/scales.js";

test("infinity has a name in JSON", () => {
  assert.deepEqual(["inf", "-inf", 3].map(number), [Infinity, -Infinity, 3]);
});

test("halves go up by the digits that people see", () => {
  assert.deepEqual([0.0325, 0.0115, 1].map(percentage), ["3.3 %", "1.2 %", "100.0 %"]);
});

test("a scale leads from its lowest value to its highest", () => {
  const linear = scaleOver([[2, 6], [4, Infinity]], false);
  assert.deepEqual([2, 4, 6].map((value) => linear.place(value)), [0, 0.5, 1]);
  const logarithmic = new Scale(1, 100, true);
  assert.equal(logarithmic.place(10), 0.5);
  assert.equal(logarithmic.place(Infinity), 1);
});

test("one value alone has a scale around it", () => {
  const scale = scaleOver([[5]], false);
  assert.ok(scale.low < 5 && scale.high > 5);
});
