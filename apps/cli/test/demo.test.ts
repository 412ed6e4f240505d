import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyPlace, folder, type Place, quasar, records, start } from "./harness.ts";

/** A user without a repository, with a temporary folder that can be looked into afterwards. */
function visitor(): Place & { readonly temp: string } {
  const at = emptyPlace();
  const temp = folder();
  return { ...at, temp, env: { ...at.env, TMPDIR: temp } };
}

/** Processes that carry a run's id in their environment. */
function processesOf(runId: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      const path = `/proc/${pid}/environ`;
      try {
        return readFileSync(path, "utf8").includes(`QUASAR_RUN_ID=${runId}`);
      } catch {
        return false; // it has ended meanwhile
      }
    });
}

test("the demo shows a bug, a kill, a resume and the green test, and leaves nothing", async () => {
  const at = visitor();
  const done = await quasar(at, ["demo"]);
  expect(done.code, done.stderr).toBe(0);
  const shown = [
    "The agent is scripted",
    "not ok 1 - orders by value, not as text",
    "node --test: fails",
    "finding  major: median() sorts the caller's own array",
    "kill -9 ",
    "resumed from checkpoint",
    "attempt 2",
    "approved after 2 cycles",
    "of $1.00",
    "ok 3 - leaves its caller's array alone",
    "node --test: all pass",
    "/cycle-1: Fix median()",
    "/cycle-2: Fix median()",
  ];
  let rest = done.stdout;
  for (const text of shown) {
    expect(rest).toContain(text);
    rest = rest.slice(rest.indexOf(text) + text.length);
  }
  expect(done.ms).toBeLessThan(15_000);
  expect(readdirSync(at.temp)).toEqual([]);
  expect(readdirSync(at.env["HOME"] ?? "")).toEqual([".cache"]);
}, 30_000);

test("--keep keeps the demo's folder and says where, --json prints records", async () => {
  const at = visitor();
  const done = await quasar(at, ["demo", "--keep", "--json"]);
  const all = records(done.stdout);
  expect(all.every(({ v }) => v === 1)).toBe(true);
  expect(all.find(({ type }) => type === "result")).toMatchObject({ outcome: "approved" });
  expect(all.at(-1)).toMatchObject({ type: "step", title: "kept" });
  const [path = ""] = (all.at(-1) as { lines: string[] }).lines;
  expect(readFileSync(join(path, "median.js"), "utf8")).toContain("toSorted((a, b) => a - b)");
}, 30_000);

test("an interrupted demo leaves neither processes nor a folder", async () => {
  const at = visitor();
  const demo = start(at, ["demo", "--json"]);
  expect(await demo.sees('"agent_event"')).toBe(true);
  const runId = /"runId":"([^"]+)"/u.exec(demo.stdout())?.[1] ?? "";
  expect(processesOf(runId)).not.toEqual([]);
  demo.child.kill("SIGINT");
  expect(await demo.finished).toMatchObject({ code: 130 });
  expect(processesOf(runId)).toEqual([]);
  expect(readdirSync(at.temp)).toEqual([]);
  expect(existsSync(at.outside)).toBe(true);
});
