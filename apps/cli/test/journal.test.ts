import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readFacts } from "@quasar/runs/internal";
import { expect, test } from "vitest";
import { git, type Place, place, quasar, start, write } from "./harness.ts";
import { agents, LONG, neverContent, oneCycle, twoCycles } from "./scripts.ts";

/** The folder of the place's only run. */
function runDir(at: Place): string {
  const runs = join(at.repo, ".git", "quasar", "runs");
  return join(runs, readdirSync(runs)[0] ?? "");
}

const typesOf = (at: Place): readonly string[] => readFacts(runDir(at)).map(({ type }) => type);

test("a run's journal holds what happened, without what the agents said as they worked", async () => {
  const at = place();
  await quasar(at, ["run", "Write", "--filter", "true", ...agents(at, twoCycles())]);
  const cycle = [
    ...["cycle_start", "agent_start", "agent_done", "committed", "check_done"],
    ...["agent_start", "agent_done", "review_complete"],
  ];
  expect(typesOf(at)).toEqual(["warning", ...cycle, ...cycle, "task_success", "result"]);
  const path = join(runDir(at), "events.jsonl");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFacts(runDir(at)).at(-1)).toMatchObject({ type: "result", outcome: "approved" });
});

test("what the user accepted is on record, with what it was accepted for", async () => {
  const at = place();
  await quasar(at, ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())]);
  write(at.repo, { "mine.txt": "mine\n" });
  git(at, "switch", "--quiet", "--create", "other");
  agents(at, oneCycle());
  const args = ["resume", "--max-cycles", "3", "--accept-dirty", "--accept-branch"];
  expect(await quasar(at, args)).toMatchObject({ code: 0 });
  expect(readFacts(runDir(at)).filter(({ type }) => type === "accepted")).toMatchObject([
    { what: "branch", why: expect.stringContaining("branch other") },
    { what: "dirty", why: expect.stringContaining("mine.txt") },
  ]);
});

test("a journal that was tampered with is quarantined, and the run continues with a new one", async () => {
  const at = place();
  await quasar(at, ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())]);
  const path = join(runDir(at), "events.jsonl");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace("agent_done", "agent_gone"));
  agents(at, oneCycle());
  const resumed = await quasar(at, ["resume", "--max-cycles", "3"]);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("quarantined as") });
  expect(readdirSync(runDir(at)).filter((name) => name.includes(".damaged-"))).toHaveLength(1);
  expect(typesOf(at)[0]).toBe("resumed");
});

test("a record that a crash has torn is taken out, and the fact is written again", async () => {
  const at = place();
  const running = start(at, ["run", "Write", "--leash", ...agents(at, oneCycle(LONG))]);
  expect(await running.sees("works")).toBe(true);
  running.child.kill("SIGKILL");
  await running.finished;
  const path = join(runDir(at), "events.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").slice(0, -20));
  agents(at, oneCycle());
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 0 });
  const types = typesOf(at);
  expect(types.filter((type) => type === "task_success")).toHaveLength(1);
  expect(types.at(-1)).toBe("result");
});
