// A column's hierarchy as a kind and a text that a person can edit; both ways.

import { t } from "./words.js";

const list = (text) =>
  text
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter(Boolean);
const numbers = (text) => list(text).map(Number);

/** Every kind: what its values may be, what its text means, how it is read and written. */
export const KINDS = {
  flat: {
    label: t("unchanged, or not shown"),
    holds: ["numbers", "names"],
    hint: "",
    read: () => ({ flat: true }),
    write: () => "",
  },
  intervals: {
    label: t("numbers in intervals"),
    holds: ["numbers"],
    hint: t("widths, each a multiple of the one before: 5, 10, 20"),
    read: (t) => ({ intervals: numbers(t) }),
    write: (h) => h.intervals.join(", "),
  },
  breaks: {
    label: t("numbers in custom bands"),
    holds: ["numbers"],
    hint: t("one line per level: 20, 40, 65"),
    read: (t) => ({ breaks: t .split("\n") .filter((l) => l.trim()) .map(numbers) }),
    write: (h) => h.breaks.map((b) => b.join(", ")).join("\n"),
  },
  mask: {
    label: t("characters masked from the right"),
    holds: [],
    hint: t("at most this many: 5"),
    read: (t) => ({ mask: Number(t) }),
    write: (h) => String(h.mask),
  },
  keep: {
    label: t("first characters kept"),
    holds: [],
    hint: t("how many at level 1, 2, …: 3, 1"),
    read: (t) => ({ keep: numbers(t) }),
    write: (h) => h.keep.join(", "),
  },
  date: {
    label: t("dates"),
    holds: ["dates"],
    hint: t("some of: month, quarter, year, decade"),
    read: (t) => ({ date: list(t) }),
    write: (h) => h.date.join(", "),
  },
  tree: {
    label: t("a tree of values"),
    holds: ["names"],
    hint: t("one value or group per line; indent the members of a group below it"),
    read: (t) => ({ tree: outline(t) }),
    write: (h) => lines(h.tree, "").join("\n"),
  },
  file: {
    label: t("a hierarchy file"),
    holds: ["names"],
    hint: t("As long as nothing is changed here, the schema keeps the file; a change makes a tree of it."),
    read: (t) => ({ tree: outline(t) }),
    write: () => "",
  },
  ready: {
    label: t("codes with a ready hierarchy"),
    holds: ["names"],
    hint: "",
    read: (t) => ({ ready: t.trim() }),
    write: (h) => String(h.ready),
  },
};

export function kindOf(hierarchy) {
  return Object.keys(KINDS).find((kind) => hierarchy && kind in hierarchy) ?? "flat";
}

/** A tree as indented lines. It is written as a list of leaves and one-key tables, or as tables. */
function lines(tree, indent) {
  if (Array.isArray(tree))
    return tree.flatMap((child) => (typeof child === "object" ? lines(child, indent) : [indent + child]));
  return Object.entries(tree).flatMap(([label, children]) => [
    indent + label,
    ...lines(children, `${indent}  `),
  ]);
}

/** Indented lines as a tree: a line with deeper lines below it is a group. */
function outline(text) {
  const rows = text
    .split("\n")
    .filter((line) => line.trim())
    .map((line) => ({ depth: line.length - line.trimStart().length, label: line.trim() }));
  const read = (from, depth) => {
    const tree = [];
    let at = from;
    while (at < rows.length && rows[at].depth >= depth) {
      const next = rows[at + 1];
      if (next && next.depth > rows[at].depth) {
        const [children, after] = read(at + 1, next.depth);
        tree.push({ [rows[at].label]: children });
        at = after;
      } else {
        tree.push(rows[at].label);
        at += 1;
      }
    }
    return [tree, at];
  };
  return read(0, 0)[0];
}
