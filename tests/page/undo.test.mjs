// What was before can be taken back, and made again, up to two hundred changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Past } from "../../src/paretonym/interfaces/web/static/undo.js";

const past = () => {
  const seen = [];
  return { seen, past: new Past("a", (state) => seen.push(state)) };
};

test("a change is taken back and made again", () => {
  const { seen, past: states } = past();
  states.next("b");
  states.next("c");
  states.step(-1);
  assert.equal(states.now, "b");
  states.step(1);
  assert.deepEqual(seen, ["b", "c", "b", "c"]);
  assert.equal(states.canRedo, false);
});

test("what was taken back is forgotten by the next change", () => {
  const { past: states } = past();
  states.next("b");
  states.step(-1);
  states.next("c");
  states.step(1);
  assert.equal(states.now, "c");
  assert.equal(states.canUndo, true);
});

test("beyond both ends nothing happens", () => {
  const { seen, past: states } = past();
  states.step(-1);
  states.step(1);
  assert.deepEqual(seen, []);
});

test("two hundred states are remembered", () => {
  const { past: states } = past();
  for (let number = 0; number < 300; number += 1) states.next(number);
  for (let number = 0; number < 300; number += 1) states.step(-1);
  assert.equal(states.now, 100);
});
