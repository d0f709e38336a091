// A tree of values as it is edited: plain nodes, and changes that leave the old tree as it was.
// A leaf is {key, label, rows}; a group is {key, label, children}.

import { t } from "./words.js";

let made = 0;
const key = () => {
  made += 1;
  return made;
};

/** The tree of a schema, with the rows of every value; values that it does not hold come last. */
export function treeOf(described, values) {
  const rows = new Map(values.map((value) => [value.text, value.rows]));
  const placed = new Set();
  const leaf = (label) => {
    placed.add(label);
    return { key: key(), label, rows: rows.get(label) ?? 0 };
  };
  const group = ([label, below]) => {
    const children = read(below);
    return children.length ? { key: key(), label, children } : leaf(label);
  };
  const read = (below) =>
    Array.isArray(below)
      ? below.flatMap((one) => (typeof one === "object" ? read(one) : [leaf(String(one))]))
      : Object.entries(below ?? {}).map(group);
  const root = read(described ?? []);
  return [...root, ...values.filter((value) => !placed.has(value.text)).map((value) => leaf(value.text))];
}

/** The tree as a schema has it; a group without members is left out. */
export function described(nodes) {
  return nodes.filter(counts).map((node) => (node.children ? { [node.label]: described(node.children) } : node.label));
}

const counts = (node) => !node.children || node.children.some(counts);

export const rowsOf = (node) =>
  node.children ? node.children.reduce((sum, child) => sum + rowsOf(child), 0) : node.rows;

export const leavesOf = (node) => (node.children ? node.children.flatMap(leavesOf) : [node]);

/** How many groups deep the deepest value lies. */
export const depthOf = (nodes) =>
  nodes.reduce((deepest, node) => (node.children ? Math.max(deepest, 1 + depthOf(node.children)) : deepest), 0);

/** All nodes as they are shown, each with its depth and the group around it; what is closed is left out. */
export function flat(nodes, closed = new Set(), depth = 1, parent = null) {
  return nodes.flatMap((node, place) => [
    { node, depth, parent, place, siblings: nodes.length },
    ...(node.children && !closed.has(node.key) ? flat(node.children, closed, depth + 1, node) : []),
  ]);
}

function found(nodes, wanted, parent = null) {
  for (const [place, node] of nodes.entries()) {
    if (node.key === wanted) return { node, list: nodes, place, parent };
    const below = node.children && found(node.children, wanted, node);
    if (below) return below;
  }
  return null;
}

const copied = (nodes) => structuredClone(nodes);
const without = (nodes, keys) =>
  nodes
    .filter((node) => !keys.has(node.key))
    .map((node) => (node.children ? { ...node, children: without(node.children, keys) } : node));

/** The outermost of some nodes, in the order of the tree. */
function outermost(nodes, keys) {
  return nodes.flatMap((node) =>
    keys.has(node.key) ? [node] : node.children ? outermost(node.children, keys) : [],
  );
}

/** Put some nodes into a group, or before or after a node; null if that is within one of them. */
export function moved(nodes, keys, target, where) {
  const tree = copied(nodes);
  const taken = outermost(tree, keys);
  if (!taken.length || taken.some((node) => node.key === target || (node.children && found(node.children, target))))
    return null;
  const rest = without(tree, keys);
  const at = found(rest, target);
  if (!at) return null;
  if (where === "into") at.node.children.push(...taken);
  else at.list.splice(at.place + (where === "after" ? 1 : 0), 0, ...taken);
  return rest;
}

/** Make a group of some nodes where the first of them is. */
export function grouped(nodes, keys) {
  const tree = copied(nodes);
  const taken = outermost(tree, keys);
  if (!taken.length) return null;
  const names = new Set(flat(tree).map(({ node }) => node.label));
  let number = 1;
  const named = () => t("group {number}", { number });
  while (names.has(named())) number += 1;
  const group = { key: key(), label: named(), children: [] };
  const first = found(tree, taken[0].key);
  first.list.splice(first.place, 0, group);
  const rest = without(tree, keys);
  found(rest, group.key).node.children = taken;
  return { tree: rest, key: group.key };
}

/** Dissolve a group: its members take its place. */
export function dissolved(nodes, wanted) {
  const tree = copied(nodes);
  const at = found(tree, wanted);
  if (!at?.node.children) return null;
  at.list.splice(at.place, 1, ...at.node.children);
  return tree;
}

export function renamed(nodes, wanted, label) {
  const tree = copied(nodes);
  const at = found(tree, wanted);
  if (!at?.node.children || !label.trim() || at.node.label === label.trim()) return null;
  at.node.label = label.trim();
  return tree;
}

/** Move a node one place up or down among its siblings. */
export function shifted(nodes, wanted, by) {
  const tree = copied(nodes);
  const at = found(tree, wanted);
  const to = at ? at.place + by : -1;
  if (!at || to < 0 || to >= at.list.length) return null;
  at.list.splice(to, 0, ...at.list.splice(at.place, 1));
  return tree;
}

/** Move nodes out of the group around the first of them, behind it. */
export function outward(nodes, keys) {
  const first = outermost(nodes, keys)[0];
  const parent = first && found(nodes, first.key).parent;
  return parent ? moved(nodes, keys, parent.key, "after") : null;
}

/** Move nodes into the group just before the first of them. */
export function inward(nodes, keys) {
  const first = outermost(nodes, keys)[0];
  const at = first && found(nodes, first.key);
  const before = at?.list.slice(0, at.place).findLast((node) => node.children && !keys.has(node.key));
  return before ? moved(nodes, keys, before.key, "into") : null;
}
