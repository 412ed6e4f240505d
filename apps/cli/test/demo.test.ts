import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findRunProcesses } from "@quasar/agents/turns";
import { expect, test } from "vitest";
import { emptyPlace, folder, type Place, quasar, records, start } from "./harness.ts";

/** A user without a repository, with a temporary folder that can be looked into afterwards. */
function visitor(): Place & { readonly temp: string } {
  const at = emptyPlace();
  const temp = folder();
  return { ...at, temp, env: { ...at.env, TMPDIR: temp } };
}

/** The demo's output as the README has it. */
function recording(): string {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  return /\$ quasar demo\n([^]*?)```/u.exec(readme)?.[1] ?? "";
}

/** What differs between two plays of the demo, by what it is. */
function steady(text: string): string {
  return text
    .trim()
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/gu, "<run>")
    .replaceAll(/\b[0-9a-f]{10}\b/gu, "<sha>")
    .replaceAll(/\d+\.\d s/gu, "<time>")
    .replaceAll(/kill -9 \d+/gu, "kill -9 <pid>")
    .replaceAll(/\S*quasar-demo-\w+/gu, "<folder>");
}

/** This machine, and on Linux what to Node is a Mac. */
const MAC = { NODE_OPTIONS: `--import ${import.meta.resolve("@quasar/vitest/darwin")}` };
const MACHINES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["", {}],
  ...(process.platform === "linux" ? [[", on a Mac too", MAC] as const] : []),
];

test.for(MACHINES)(
  "the demo plays as the README has it, and leaves nothing%s",
  async ([, machine]) => {
    const visited = visitor();
    const at = { ...visited, env: { ...visited.env, ...machine } };
    const done = await quasar(at, ["demo"]);
    expect(done.code, done.stderr).toBe(0);
    expect(steady(done.stdout)).toBe(steady(recording()));
    expect(readdirSync(at.temp)).toEqual([]);
    expect(readdirSync(at.env["HOME"] ?? "")).toEqual([]);
  },
);

test("--keep keeps the demo's folder and says where, --json prints records", async () => {
  const at = visitor();
  const done = await quasar(at, ["demo", "--keep", "--json"]);
  const all = records(done.stdout);
  expect(all.every(({ v }) => v === 1)).toBe(true);
  expect(all.find(({ type }) => type === "result")).toMatchObject({ outcome: "approved" });
  expect(all.at(-1)).toMatchObject({ type: "step", title: "kept" });
  const [path = ""] = (all.at(-1) as { lines: string[] }).lines;
  expect(readFileSync(join(path, "median.js"), "utf8")).toContain("toSorted((a, b) => a - b)");
});

test("an interrupted demo leaves neither processes nor a folder", async () => {
  const at = visitor();
  const demo = start(at, ["demo", "--json"]);
  expect(await demo.sees('"agent_event"')).toBe(true);
  const runId = /"runId":"([^"]+)"/u.exec(demo.stdout())?.[1] ?? "";
  expect(findRunProcesses(runId)).not.toEqual([]);
  demo.child.kill("SIGINT");
  expect(await demo.finished).toMatchObject({ code: 130 });
  expect(findRunProcesses(runId)).toEqual([]);
  expect(readdirSync(at.temp)).toEqual([]);
});
