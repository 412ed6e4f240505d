import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastRecord, type Place, place, quasar } from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";

const FILES = { "median.py": "wrong\n", ".gitignore": "build/\n*.local.py\n" };

/** A run in which the work is moved where git ignores it, and a tracked file loads it from there. */
function moved(at: Place, to: string, load: string, ...more: readonly string[]) {
  const act = `test -e ${to} || { echo right > median.py; mkdir -p build; mv median.py ${to}; echo "${load}" > median.py; }`;
  return quasar(at, ["run", "Fix it", "--lint", act, ...more, ...agents(at, oneCycle())]);
}

test.for([
  ["a name of its own that is ignored", "x.local.py", "exec(open('x.local.py').read())"],
  ["an ignored folder of build outputs", "build/m.py", "from build.m import median"],
] as const)("an approval names work that was moved to %s", async ([, to, load]) => {
  const sentence = `Not committed, as ignored: ${to} (git add --force takes it in).`;
  const at = place({ ...FILES });
  const done = await moved(at, to, load);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout.replaceAll(/\s+/gu, " ")).toContain(sentence);
  const shown = await quasar(at, ["show"]);
  expect(shown.stdout.replaceAll(/\s+/gu, " ")).toContain(sentence);

  const other = place({ ...FILES });
  const json = lastRecord(await moved(other, to, load, "--json"));
  expect(json["message"]).toContain(sentence);
  const record = lastRecord(await quasar(other, ["show", "--json"]));
  expect(record["message"]).toContain(sentence);
  const { dir } = record as { readonly dir: string };
  expect(readFileSync(join(dir, "events.jsonl"), "utf8")).toContain(sentence);
});
