// What was before, so that every change can be taken back.

/** States of an editor; `show` is called with the one that is valid now. */
export class Past {
  constructor(first, show) {
    this.states = [first];
    this.at = 0;
    this.show = show;
  }

  get now() {
    return this.states[this.at];
  }

  /** A new state; what was taken back before is forgotten. */
  next(state) {
    this.states = [...this.states.slice(0, this.at + 1), state].slice(-200);
    this.at = this.states.length - 1;
    this.show(state);
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.states.length - 1;
  }

  step(by) {
    const at = this.at + by;
    if (at < 0 || at >= this.states.length) return;
    this.at = at;
    this.show(this.now);
  }

  /** Whether a key means that a change is taken back or made again; it is then done. */
  takes(event) {
    if (!(event.ctrlKey || event.metaKey)) return false;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return false;
    event.preventDefault();
    event.stopPropagation();
    this.step(key === "y" || event.shiftKey ? 1 : -1);
    return true;
  }
}
