// Values grouped into a tree: by dragging, by buttons, or by the keyboard alone.

import { element, fill, say } from "./dom.js";
import * as trees from "./tree.js";
import { Past } from "./undo.js";
import { t, tn } from "./words.js";

/** `changed` gets the tree as a schema has it. */
export function treeEditor(name, hierarchy, values, changed) {
  const chosen = new Set();
  const closed = new Set();
  let focused = null;
  let renaming = null;
  const past = new Past(trees.treeOf(hierarchy.tree, values), (tree) => {
    draw();
    changed({ tree: trees.described(tree) });
  });

  const list = element("ul", {
    role: "tree",
    class: "tree",
    "aria-multiselectable": "true",
    "aria-label": t("Groups of {column}", { column: name }),
    onkeydown: (event) => pressed(event),
  });
  const button = (key, text, title, act) =>
    element("button", { type: "button", text, title, onclick: () => act(), "data-act": key });
  const undo = button("undo", t("Undo"), "Ctrl+Z", () => past.step(-1));
  const redo = button("redo", t("Redo"), "Ctrl+Y", () => past.step(1));
  const change = {
    dissolve: () => apply(trees.dissolved(past.now, focused), t("The group was dissolved.")),
    up: () => apply(trees.shifted(past.now, focused, -1), t("Moved up.")),
    down: () => apply(trees.shifted(past.now, focused, 1), t("Moved down.")),
    into: () => apply(trees.inward(past.now, keys()), t("Moved into the group above.")),
    out: () => apply(trees.outward(past.now, keys()), t("Moved out of its group.")),
  };
  const bar = element(
    "div",
    { class: "row tools" },
    button("group", t("Group"), "G", () => group()),
    button("rename", t("Rename"), "F2", () => rename()),
    button("dissolve", t("Dissolve the group"), "Delete", change.dissolve),
    button("up", t("Up"), "Alt+↑", change.up),
    button("down", t("Down"), "Alt+↓", change.down),
    button("into", t("Into the group above"), "Alt+→", change.into),
    button("out", t("Out of its group"), "Alt+←", change.out),
    undo,
    redo,
  );
  const summary = element("p", { class: "quiet", "aria-live": "polite" });
  const help = t(
    "Arrow keys: go to another value; Space: select; G: group; F2: rename; Delete: dissolve a group; Alt with an arrow key: move; Ctrl+Z: undo.",
  );
  const node = element(
    "div",
    { class: "visual" },
    bar,
    list,
    summary,
    element("p", { class: "quiet", text: help }),
  );

  /** What a change is about: the selected nodes, or the one with the focus. */
  const keys = () => new Set(chosen.size ? chosen : focused === null ? [] : [focused]);

  function apply(tree, words) {
    if (!tree) return;
    past.next(tree);
    refocus();
    say(words);
  }

  function group() {
    const made = trees.grouped(past.now, keys());
    if (!made) return;
    chosen.clear();
    focused = renaming = made.key;
    past.next(made.tree);
    list.querySelector("input")?.select();
  }

  function rename() {
    const at = trees.flat(past.now).find((one) => one.node.key === focused);
    if (!at?.node.children) return;
    renaming = focused;
    draw();
    list.querySelector("input")?.select();
  }

  function named(box) {
    if (renaming === null) return;
    const which = renaming;
    renaming = null;
    const tree = trees.renamed(past.now, which, box.value);
    if (tree) past.next(tree);
    else draw();
    refocus();
  }

  const refocus = () => list.querySelector(`[data-key="${focused}"]`)?.focus();

  function focus(which) {
    focused = which;
    for (const item of list.querySelectorAll("[role=treeitem]"))
      item.tabIndex = Number(item.dataset.key) === focused ? 0 : -1;
    refocus();
  }

  function choose(which, several_ = true) {
    if (!several_) chosen.clear();
    if (chosen.has(which)) chosen.delete(which);
    else chosen.add(which);
    draw();
    refocus();
  }

  function pressed(event) {
    if (event.target.matches("input") || past.takes(event)) return;
    const seen = trees.flat(past.now, closed);
    const at = seen.findIndex((one) => one.node.key === focused);
    const act = ACTS[`${event.altKey ? "Alt+" : ""}${event.key}`];
    if (!act || at < 0) return;
    event.preventDefault();
    act(seen, at, event);
  }

  const step = (seen, to, event) => {
    const next = seen[to];
    if (!next) return;
    if (event.shiftKey) {
      chosen.add(seen.find((one) => one.node.key === focused).node.key).add(next.node.key);
      draw();
    }
    focus(next.node.key);
  };
  const fold = (which, shut) => {
    if (shut) closed.add(which);
    else closed.delete(which);
    draw();
    refocus();
  };
  const ACTS = {
    ArrowDown: (seen, at, event) => step(seen, at + 1, event),
    ArrowUp: (seen, at, event) => step(seen, at - 1, event),
    Home: (seen, at, event) => step(seen, 0, event),
    End: (seen, at, event) => step(seen, seen.length - 1, event),
    ArrowRight: (seen, at, event) => {
      const { node: here } = seen[at];
      if (here.children && closed.has(here.key)) fold(here.key, false);
      else if (here.children) step(seen, at + 1, event);
    },
    ArrowLeft: (seen, at) => {
      const { node: here, parent } = seen[at];
      if (here.children && !closed.has(here.key)) fold(here.key, true);
      else if (parent) focus(parent.key);
    },
    " ": () => choose(focused),
    Escape: () => {
      chosen.clear();
      draw();
      refocus();
    },
    g: () => group(),
    G: () => group(),
    F2: () => rename(),
    Enter: () => rename(),
    Delete: change.dissolve,
    "Alt+ArrowUp": change.up,
    "Alt+ArrowDown": change.down,
    "Alt+ArrowRight": change.into,
    "Alt+ArrowLeft": change.out,
  };

  const items = (nodes, depth) =>
    nodes.map((one, place) => item({ node: one, depth, place, siblings: nodes.length }));

  function item({ node: one, depth, place, siblings }) {
    const label =
      renaming === one.key
        ? element("input", {
            type: "text",
            value: one.label,
            "aria-label": t("Name of the group"),
            onkeydown: (event) => {
              if (event.key === "Enter") named(event.target);
              if (event.key !== "Escape") return;
              renaming = null;
              draw();
              refocus();
            },
            onblur: (event) => named(event.target),
          })
        : element("span", { class: one.children ? "group-name" : "leaf-name", text: one.label });
    const held = tn("{number} row", "{number} rows", trees.rowsOf(one));
    const inside = one.children && tn("{number} value", "{number} values", trees.leavesOf(one).length);
    const about = inside ? `${inside}, ${held}` : held;
    const line = element(
      "div",
      { class: "line", draggable: renaming === null ? "true" : null, onclick: (event) => clicked(event, one) },
      one.children &&
        element("button", {
          type: "button",
          class: "plain fold",
          tabindex: -1,
          "aria-hidden": "true",
          text: closed.has(one.key) ? "▸" : "▾",
          onclick: (event) => {
            event.stopPropagation();
            focused = one.key;
            fold(one.key, !closed.has(one.key));
          },
        }),
      label,
      element("span", { class: "quiet", text: about }),
    );
    dragged(line, one);
    const open = one.children && !closed.has(one.key);
    return element(
      "li",
      {
        role: "treeitem",
        "data-key": one.key,
        tabindex: one.key === focused ? 0 : -1,
        "aria-level": depth,
        "aria-posinset": place + 1,
        "aria-setsize": siblings,
        "aria-selected": String(chosen.has(one.key)),
        "aria-expanded": one.children ? String(Boolean(open)) : null,
        "aria-label": `${one.label}, ${about}`,
        onfocus: (event) => {
          if (event.target.dataset.key) focused = Number(event.target.dataset.key);
        },
      },
      line,
      open && element("ul", { role: "group" }, items(one.children, depth + 1)),
    );
  }

  function clicked(event, one) {
    if (event.target.matches("input")) return;
    focused = one.key;
    choose(one.key, event.ctrlKey || event.metaKey || event.shiftKey || chosen.has(one.key));
  }

  /** On a group: into it; on the upper or lower half of a value: before or behind it. */
  function dragged(line, one) {
    const where = (event) => {
      if (one.children) return "into";
      const { top, height } = line.getBoundingClientRect();
      return event.clientY < top + height / 2 ? "before" : "after";
    };
    const mark = (text) => {
      if (text) line.dataset.drop = text;
      else delete line.dataset.drop;
    };
    line.addEventListener("dragstart", (event) => {
      if (!chosen.has(one.key)) chosen.clear();
      focused = one.key;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", name);
    });
    line.addEventListener("dragover", (event) => {
      event.preventDefault();
      mark(where(event));
    });
    line.addEventListener("dragleave", () => mark(null));
    line.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      mark(null);
      apply(trees.moved(past.now, keys(), one.key, where(event)), t("Moved."));
    });
  }

  function draw() {
    const tree = past.now;
    const all = trees.flat(tree);
    for (const which of [...chosen]) if (!all.some((one) => one.node.key === which)) chosen.delete(which);
    if (!trees.flat(tree, closed).some((one) => one.node.key === focused)) focused = tree[0]?.key ?? null;
    const held = list.contains(document.activeElement) && renaming === null;
    fill(list, items(tree, 1));
    if (held) refocus();
    undo.disabled = !past.canUndo;
    redo.disabled = !past.canRedo;
    const groups = all.filter((one) => one.node.children).length;
    const parts = [
      tn("{number} value", "{number} values", all.length - groups),
      tn("{number} group", "{number} groups", groups),
      tn("{number} level of groups", "{number} levels of groups", trees.depthOf(tree)),
    ];
    summary.textContent = parts.join(" · ");
  }

  draw();
  if (Array.isArray(hierarchy.tree) && !hierarchy.tree.length) changed({ tree: trees.described(past.now) });
  return node;
}
