// Trees of values: what a schema says is what comes back, and every row is counted once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { depthOf, described, leavesOf, rowsOf, treeOf } from "../../src/paretonym/interfaces/web/static/tree.js";

const VALUES = [
  { text: "a", rows: 3 },
  { text: "b", rows: 2 },
  { text: "c", rows: 1 },
];

test("a tree says what the schema said", () => {
  const tree = treeOf({ Low: ["a", "b"], High: ["c"] }, VALUES);
  assert.deepEqual(described(tree), [{ Low: ["a", "b"] }, { High: ["c"] }]);
  assert.equal(depthOf(tree), 1);
});

test("values that no group holds come last, with their rows", () => {
  const tree = treeOf({ Low: ["a"] }, VALUES);
  assert.deepEqual(described(tree), [{ Low: ["a"] }, "b", "c"]);
  assert.equal(tree.map(rowsOf).reduce((sum, rows) => sum + rows, 0), 6);
});

test("groups lie in groups", () => {
  const tree = treeOf({ All: [{ Low: ["a", "b"] }, "c"] }, VALUES);
  assert.equal(depthOf(tree), 2);
  assert.deepEqual(tree.flatMap(leavesOf).map((leaf) => leaf.label), ["a", "b", "c"]);
});

test("an empty group is left out", () => {
  assert.deepEqual(described([{ key: 1, label: "Empty", children: [] }]), []);
});
