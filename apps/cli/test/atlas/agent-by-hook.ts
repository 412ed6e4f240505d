// An agent that was told one thing: "run `atlas hook context` and do what it says". It knows nothing of
// templates, states or Atlas; it can read Markdown, run commands and write the file that is asked for.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

let cwd = process.cwd();
const ran: string[] = [];
const run = (command: string): { readonly status: number | null; readonly stdout: string } => {
  const { status, stdout } = spawnSync("sh", ["-c", command], { cwd, encoding: "utf8" });
  ran.push(command);
  return { status, stdout };
};

/** The numbered items below "What To Do Now", and their heading. */
const readAction = (
  text: string,
): { readonly heading: string; readonly items: readonly string[] } => {
  const section = text.split("\n## What To Do Now\n")[1]?.split(/^(?:## |### ❌)/mu)[0] ?? "";
  const heading = /^### (.*)$/mu.exec(section)?.[1] ?? "";
  return { heading, items: section.match(/^\d+\. .*$/gmu) ?? [] };
};

let last = "";
for (let round = 0; round < 20; round += 1) {
  const { status, stdout } = run("atlas hook context");
  if (status !== 0) break;
  const { heading, items } = readAction(stdout);
  last = heading;
  if (/WAIT|NOTHING/u.test(heading)) break;
  for (const item of items) {
    if (/^\d+\. Continue/u.test(item)) writeFileSync(join(cwd, "work.txt"), "right\n");
    const [, command, dir] = /(?:Run|run|Check|with) `([^`]+)`(?: in `([^`]+)`)?/u.exec(item) ?? [];
    if (dir !== undefined) cwd = dir;
    if (command !== undefined && command !== "atlas hook context") run(command);
  }
}
process.stdout.write(JSON.stringify({ last, ran }));
