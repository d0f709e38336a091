import { element } from "./dom.js";
export async function startView() { return [element("h1", { text: "Start from a file" })]; }
