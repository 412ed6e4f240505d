import { execFileSync } from "node:child_process";
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

/** The output of a demo as the README has it. */
function recording(command: string): string {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, after = ""] = readme.split(`$ ${command}\n`);
  return after.split("```")[0] ?? "";
}

/** What differs between two plays of the demo, by what it is. */
function steady(text: string): string {
  return text
    .trim()
    .replaceAll(/^ {2}working .*\n/gmu, "")
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/gu, "<run>")
    .replaceAll(/\b[0-9a-f]{10}\b/gu, "<sha>")
    .replaceAll(/\b[a-z2-7]{10}(?= begins at)/gu, "<nebula>")
    .replaceAll(/\d+\.\d s/gu, "<time>")
    .replaceAll(/kill -9 \d+/gu, "kill -9 <pid>")
    .replaceAll(/\S*quasar-demo-\w+/gu, "<folder>");
}

/** Two workers take turns by the clock: what each step shows, in an order that depends on nothing. */
function sorted(text: string): readonly (readonly string[])[] {
  const steps = steady(text).split("\n\n");
  return steps.map((step) => {
    const lines = step.split("\n");
    return step.startsWith("quasar nebula apply") ? lines.toSorted() : lines;
  });
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
    expect(steady(done.stdout)).toBe(steady(recording("quasar demo")));
    expect(readdirSync(at.temp)).toEqual([]);
    expect(readdirSync(at.env["HOME"] ?? "")).toEqual([]);
  },
);

test.for(MACHINES)(
  "the demo of nebulae plays as the README has it, and leaves nothing%s",
  async ([, machine]) => {
    const visited = visitor();
    const at = { ...visited, env: { ...visited.env, ...machine } };
    const done = await quasar(at, ["nebula", "demo"]);
    expect(done.code, done.stderr).toBe(0);
    expect(sorted(done.stdout)).toEqual(sorted(recording("quasar nebula demo")));
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

test("the demo of nebulae keeps its repository with --keep, and --json prints records", async () => {
  const at = visitor();
  const done = await quasar(at, ["nebula", "demo", "--keep", "--json"]);
  const all = records(done.stdout);
  expect(all.filter(({ type }) => type === "nebula")).toMatchObject([{ reason: "done", exit: 0 }]);
  const landed = all.filter(({ what }) => what === "phase_landed");
  expect(landed.map(({ phaseId }) => phaseId)).toEqual(["slug", "title", "cli", "readme"]);
  expect(all.filter(({ what }) => what === "rework")).toMatchObject([{ phaseId: "title" }]);
  expect(all.at(-1)).toMatchObject({ type: "step", title: "kept" });
  const [path = ""] = (all.at(-1) as { lines: string[] }).lines;
  const show = ["show", "nebula/text:index.js"];
  expect(execFileSync("git", show, { cwd: path, encoding: "utf8" }).split("\n")).toHaveLength(4);
});

test.for(["demo", "nebula demo"])(
  "an interrupted %s leaves neither processes nor a folder",
  async (name) => {
    const at = visitor();
    const demo = start(at, [...name.split(" "), "--json"]);
    expect(await demo.sees('"agent_event"')).toBe(true);
    const runIds = new Set(demo.stdout().match(/(?<="runId":")[^"]+/gu));
    const running = () => [...runIds].flatMap((runId) => findRunProcesses(runId) ?? []);
    expect(running()).not.toEqual([]);
    demo.child.kill("SIGINT");
    expect(await demo.finished).toMatchObject({ code: 130 });
    expect(running()).toEqual([]);
    expect(readdirSync(at.temp)).toEqual([]);
  },
);
