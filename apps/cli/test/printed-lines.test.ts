import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { COMMANDS as ATLAS_COMMANDS } from "../src/atlas/commands.ts";
import { COMMANDS } from "../src/quasar/commands.ts";
import { ATLAS } from "./atlas/harness.ts";
import {
  emptyPlace,
  folder,
  killAll,
  lastRecord,
  MAIN,
  type Place,
  doctor,
  place,
  quasar,
  records,
  start,
} from "./harness.ts";
import { FORMATS, schemaFile, wrongOf } from "./printed-lines.ts";
import { agents, LONG, neverContent, oneCycle, twoCycles } from "./scripts.ts";

const programs = fileURLToPath(new URL("../dist/", import.meta.url));

// What each command prints is held against its schema by the harness, here as in every other test.

interface Printed {
  readonly code: number | null;
  /** Of its lines, each once, in the order in which it came first. */
  readonly types: readonly unknown[];
}

async function printed(at: Place, ...args: string[]): Promise<Printed> {
  const { code, stdout } = await quasar(at, [...args, "--json"]);
  return { code, types: [...new Set(records(stdout).map(({ type }) => type))] };
}

test("commands print lines of their own where there is no run, and one error outside of a repository", async () => {
  const at = place();
  expect(await printed(at, "status")).toEqual({ code: 0, types: ["status"] });
  expect(await printed(at, "ls")).toEqual({ code: 0, types: ["list"] });
  const { code, stdout } = await doctor(at, ["--json"]);
  expect({ code, types: records(stdout).map(({ type }) => type) }).toEqual({
    ...{ code: 0, types: ["doctor"] },
  });
  expect(await printed(at, "init")).toEqual({ code: 0, types: ["init"] });
  for (const command of ["cost", "show", "log", "diff", "snapshots", "resume"]) {
    expect(await printed(at, command)).toEqual({ code: 8, types: ["error"] });
  }
  expect(await printed(at, "run", "")).toEqual({ code: 2, types: ["error"] });
  expect(await printed(at, "rum")).toEqual({ code: 2, types: ["error"] });
  expect(await printed(emptyPlace(), "status")).toEqual({ code: 1, types: ["error"] });
});

const CYCLE = ["cycle_start", "agent_start", "agent_event", "agent_done", "committed"];

test("a run is printed from its first line to its last, and so is all that is asked of it", async () => {
  const at = place();
  const run = await printed(at, "run", "Write", "--filter", "true", ...agents(at, twoCycles()));
  const of = [...CYCLE, "check_done", "review_complete", "task_success"];
  expect(run.code).toBe(0);
  expect(run.types).toEqual(expect.arrayContaining(["run", ...of, "result"]));
  expect((await printed(at, "log")).types).toEqual(
    expect.arrayContaining([...of.filter((type) => type !== "agent_event"), "result"]),
  );
  expect((await printed(at, "log", "--agent")).types).toContain("agent_event");
  for (const [type, ...args] of [
    ["status", "status"],
    ["list", "ls", "--all"],
    ["show", "show"],
    ["turn", "show", "1"],
    ["cost", "cost"],
    ["diff", "diff"],
    ["diff", "diff", "--stat"],
    ["snapshots", "snapshots"],
    ["prune", "prune", "--older-than", "0s"],
  ]) {
    expect(await printed(at, ...args), args.join(" ")).toEqual({ code: 0, types: [type] });
  }
});

test("a killed run, its plan, its resume and what that has kept are printed", async () => {
  const at = place();
  const running = start(at, ["run", "Write", "--json", ...agents(at, oneCycle(LONG))]);
  expect(await running.sees("agent_start")).toBe(true);
  const following = start(at, ["log", "-f", "--agent", "--json"]);
  expect(await following.sees("agent_start")).toBe(true);
  await killAll(running);
  await following.finished;
  expect(await printed(at, "status")).toEqual({ code: 0, types: ["status"] });
  expect(await printed(at, "resume", "--plan")).toEqual({ code: 0, types: ["plan"] });
  const stranger = { ...at, env: { ...at.env, HOME: folder() } };
  expect(await printed(stranger, "status")).toEqual({ code: 0, types: ["status"] });
  expect(await printed(stranger, "show")).toEqual({ code: 0, types: ["show"] });
  // Of agents that are not installed nothing is said before that.
  const plan = ["resume", "--plan", "--coder", "claude", "--reviewer", "codex"];
  expect(await printed(stranger, ...plan)).toEqual({ code: 6, types: ["plan"] });
  expect(await printed(at, ...plan)).toEqual({ code: 1, types: ["error"] });
  agents(at, oneCycle());
  expect(await printed(stranger, "resume")).toEqual({ code: 6, types: ["error"] });
  const resumed = await printed(at, "resume");
  expect(resumed.code).toBe(0);
  expect(resumed.types).toEqual(expect.arrayContaining(["run", "resumed", "turn_recovered"]));
});

test("a run that its budget has stopped, its fork and its end are printed", async () => {
  const at = place();
  const args = ["--max-budget", "0.35", ...agents(at, neverContent())];
  const run = await quasar(at, ["run", "Write", "--json", ...args]);
  expect(run.code, run.stdout).toBe(4);
  const { runId } = lastRecord(run);
  const fork = lastRecord(await quasar(at, ["fork", String(runId), "--json"]));
  expect(fork).toMatchObject({ type: "fork", fromRunId: runId });
  const status = lastRecord(await quasar(at, ["status", "--json"]));
  expect(status["elsewhere"]).toMatchObject([{ runId: fork["runId"] }]);
  expect(await printed(at, "abandon", String(runId))).toEqual({ code: 0, types: ["abandon"] });
  expect((await printed(at, "log")).types.at(-1)).toBe("abandoned");
});

test("a cost that no agent reports is printed", async () => {
  const at = place();
  const agent = "command:sh -c 'cat > /dev/null; echo APPROVED: fine; date > work.txt'";
  const args = [
    "--coder",
    agent,
    "--reviewer",
    "command:cat > /dev/null; echo APPROVED",
    "--max-budget",
    "0",
  ];
  await quasar(at, ["run", "Write", "--json", "--max-cycles", "1", ...args]);
  expect(lastRecord(await quasar(at, ["cost", "--json"]))).toMatchObject({
    hasUnreportedCosts: true,
  });
});

test.for([
  ["quasar", COMMANDS.map(({ name }) => name)],
  ["atlas", ATLAS_COMMANDS.map(({ name }) => name).filter((name) => name !== "hook export")],
] as const)("%s schema lists a schema for each command", async ([program, commands]) => {
  const at = emptyPlace();
  const main = program === "atlas" ? ATLAS : MAIN;
  const names = [...commands, "error"].map((name) => name.replaceAll(" ", "-")).toSorted();
  const listed = await quasar(at, ["schema"], { main });
  expect(listed).toMatchObject({ code: 0, stdout: `${names.join("\n")}\n` });
  const line = lastRecord(await quasar(at, ["schema", "--json"], { main }));
  expect(line).toMatchObject({ type: "schemas", names });
});

test("quasar schema prints a file as it is, also as a line, and nothing but a schema", async () => {
  const at = emptyPlace();
  const { stdout } = await quasar(at, ["schema", "status"]);
  expect(stdout).toBe(readFileSync(schemaFile("quasar", "status"), "utf8"));
  const schema = JSON.parse(stdout) as unknown;
  expect(schema).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:quasar:json:1:status",
    title: "quasar status --json",
  });
  const line = lastRecord(await quasar(at, ["schema", "status", "--json"]));
  expect(line).toMatchObject({ type: "schema", name: "status", schema });
  const unknown = await quasar(at, ["schema", "../quasar/status"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toMatch(/\n {2}next +quasar schema\n/u);
});

test("no program loads what describes its lines", () => {
  const files = readdirSync(programs).filter((name) => name.endsWith(".js"));
  const described = files.filter((name) =>
    readFileSync(join(programs, name), "utf8").includes("The version of all lines"),
  );
  expect(files).toContain("main.js");
  expect(described).toEqual([]);
});

interface Definition {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

const SCHEMAS = globSync("schemas/*/*.json", { cwd: programs }).map((name) => {
  const text = readFileSync(join(programs, name), "utf8");
  return [
    name,
    JSON.parse(text) as { readonly $defs: Readonly<Record<string, Definition>> },
  ] as const;
});

test.for(SCHEMAS)(
  "%s says of each line what it is, and of each key what it means",
  ([, schema]) => {
    const lines = Object.entries(schema.$defs).filter(([name]) => name.endsWith("_line"));
    expect(lines.length).toBeGreaterThan(0);
    for (const [name, { description = "", properties = {}, required = [] }] of lines) {
      expect(description, name).not.toBe("");
      expect(required, name).toEqual(expect.arrayContaining(["v", "type"]));
      const unreported = Object.entries(properties)
        .filter(([key, value]) => key !== "type" && !("$ref" in value || "description" in value))
        .map(([key]) => key);
      expect(unreported, name).toEqual([]);
    }
  },
);

test("a fact whose lists a journal has left out is a line all the same, of log and of nothing else", () => {
  const fact = { v: 1, type: "resumed", time: "2026-11-21T10:15:00.000Z", cycle: 2, message: "" };
  const line = JSON.stringify({ ...fact, headSha: "", isShortened: true });
  expect(wrongOf("quasar", "log", line)).toEqual([]);
  expect(wrongOf("quasar", "run", line).join("\n")).toContain("required property 'details'");
});

const ERROR = {
  v: 1,
  type: "error",
  time: "2026-11-21T10:15:00.000Z",
  code: "ERR_USAGE",
  exit: 2,
  message: "no",
  next: ["quasar --help"],
};

test.for([
  ["another version", { v: 2 }, "/v must be equal"],
  ["a type that no command prints", { type: "eror" }, "/type must be equal"],
  ["a code that no error has", { code: "ERR_USE" }, "/code must be equal to one of"],
  ["an exit code as a text", { exit: "2" }, "/exit must be integer"],
  ["a time that is none", { time: "today" }, '/time must match format "date-time"'],
  ["one step instead of a list", { next: "quasar --help" }, "/next must be array"],
  ["a missing message", { message: undefined }, "must have required property 'message'"],
  ["a key that it does not name", { more: 1 }, "must NOT have additional properties"],
] as const)("a line with %s is not what the schema says", ([, change, why]) => {
  expect(wrongOf("quasar", "error", JSON.stringify(ERROR))).toEqual([]);
  const wrong = wrongOf("quasar", "error", JSON.stringify({ ...ERROR, ...change }));
  expect(wrong.join("\n")).toContain(why);
});

test("what a test has no schema for, who reads the lines may meet: it is passed over", () => {
  const ajv = new Ajv2020({ formats: FORMATS });
  const text = readFileSync(schemaFile("quasar", "error"), "utf8");
  const validate = ajv.compile(JSON.parse(text) as object);
  expect(validate({ ...ERROR, more: 1 })).toBe(true);
  expect(validate({ ...ERROR, exit: "2" })).toBe(false);
});
