import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/**
 * A loop of somebody's own: it writes three lines, each once, and notes how far it has come. It continues
 * where it was killed; how well, its argument says.
 */
const [order] = process.argv.slice(2);

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function note(done: number): void {
  writeFileSync("state.tmp", String(done));
  renameSync("state.tmp", "state");
}

for (let line = Number(read("state")) + 1; line <= 3; line += 1) {
  if (order === "note-first") {
    note(line);
    appendFileSync("lines", `line ${line}\n`);
  } else if (order === "line-first") {
    appendFileSync("lines", `line ${line}\n`);
    note(line);
  } else {
    // Looks at what is there, as a loop has to whose two steps are not one.
    if (!read("lines").includes(`line ${line}\n`)) appendFileSync("lines", `line ${line}\n`);
    note(line);
  }
}
