import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import {
  type Finished,
  git,
  killAll,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  type Running,
  start,
  recordOf,
} from "./harness.ts";
import { agents, LONG, twoCycles } from "./scripts.ts";

const REMOVE = "rm -rf .git/quasar";

/** Agents that are shell commands: the first of a role removes the run's folder once. */
function commands(role: string, then: string, remove: string = REMOVE): readonly string[] {
  const once = `test -e ../removed || { touch ../removed; ${remove}; ${then}; }`;
  const first = (own: string): string => (own === role ? `${once}; ` : "");
  return [
    ...["--coder", `command:cat >/dev/null; ${first("coder")}echo right > work.txt`],
    ...["--reviewer", `command:cat >/dev/null; ${first("reviewer")}echo APPROVED: yes`],
  ];
}

function runsOf(done: Finished): readonly Record<string, unknown>[] {
  return lastRecord(done)["runs"] as Record<string, unknown>[];
}

const byRole = (variants: readonly string[]): readonly (readonly [string, string])[] =>
  ["coder", "reviewer"].flatMap((role) => variants.map((variant) => [role, variant] as const));

test.for(sample(byRole(["true", "sleep 1"]), 1, 2))(
  "a run whose %s removes its folder, then %s, is approved and keeps its record",
  { timeout: 180_000 },
  async ([role, then]) => {
    const at = place();
    const done = await quasar(at, ["run", "Write", "--json", ...commands(role, then)]);
    expect(done.code, done.stdout + done.stderr).toBe(0);
    expect(done.stdout).toContain("its state is written again");
    expect(lastRecord(done)).toMatchObject({ outcome: "approved" });
    expect(runsOf(await quasar(at, ["ls", "--json"]))).toMatchObject([{ status: "approved" }]);
    const facts = records((await quasar(at, ["log", "--json"])).stdout);
    const starts = JSON.stringify(facts).match(/"agent_start"/gu);
    expect(starts).toHaveLength(2);
    expect((await quasar(at, ["resume"])).code).toBe(8);
  },
);

test.for(sample(byRole([REMOVE, `${REMOVE}/runs`]), 1, 2))(
  "a run whose %s removes its folder (%s) is resumed after a kill in the same turn",
  { timeout: 180_000 },
  async ([role, how]) => {
    const at = place();
    const run = start(at, ["run", "Write", "--json", ...commands(role, "sleep 600", how)]);
    expect(await run.sees("its state is written again")).toBe(true);
    await killAll(run);
    expect(runsOf(await quasar(at, ["status", "--json"]))).toMatchObject([
      { status: "interrupted", task: "Write", cycle: 1 },
    ]);
    const resumed = await quasar(at, ["resume", "--json"]);
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    expect(lastRecord(resumed)).toMatchObject({ outcome: "approved" });
    expect(git(at, "log", "--format=%s").split("\n")).toHaveLength(2);
  },
);

/** A run of two cycles that was killed in the second, in a turn of the role, with its folder. */
async function killedInSecond(
  role: string,
  responseUsd: number | undefined,
): Promise<{ readonly at: Place; readonly id: string }> {
  const at = place();
  const turns = twoCycles().map((turn) => {
    const isSecond = turn.match === (role === "coder" ? "flaw of the first" : "PRIOR FINDINGS");
    return isSecond ? { ...turn, delayMs: LONG } : turn;
  });
  const run = start(at, [
    ...["run", "Write", "--max-cycles", "4", "--json"],
    ...agents(at, turns, { responseUsd }),
  ]);
  const begun = (running: Running): Promise<boolean> =>
    running.sees(recordOf("agent_start", 2, role));
  expect(await begun(run), run.stdout()).toBe(true);
  const id = String(records(run.stdout().split("\n")[0] ?? "")[0]?.["runId"]);
  await killAll(run);
  rmSync(join(at.repo, ".git/quasar"), { recursive: true });
  agents(at, twoCycles(), { responseUsd });
  return { at, id };
}

test.for([
  ["coder", undefined, 0.4],
  // The coder's turn is known by its commit only: an eighth of the budget is reserved for it.
  ["reviewer", undefined, 0.4 + 5 / 8],
  // It may have spent all of the budget but the tenth that is kept for a review.
  ["reviewer", 0.25, 5 - 0.5],
] as const)(
  "a run that was killed in its %s's turn, with its folder, is found by what stands beside it (responses: %s)",
  { timeout: 180_000 },
  async ([role, responseUsd, spentUsd]) => {
    const { at, id } = await killedInSecond(role, responseUsd);
    for (const command of ["status", "ls"]) {
      const [run] = runsOf(await quasar(at, [command, "--json"]));
      expect(run).toMatchObject({
        runId: id,
        status: "interrupted",
        task: "Write",
        cycle: 1,
        maxCycles: 4,
      });
      expect(run?.["next"]).toEqual([`quasar resume ${id}`]);
      expect(run?.["reason"]).toContain("was removed");
    }
    const other = await quasar(at, ["run", "Another", ...agents(at, twoCycles(), { responseUsd })]);
    expect(other.code, other.stdout + other.stderr).toBe(6);
    expect(other.stderr).toContain(id);
    const resumed = await quasar(at, ["resume", id, "--json"]);
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    expect(resumed.stdout).toContain("Not recovered: its event log");
    const result = lastRecord(resumed);
    expect(result).toMatchObject({ outcome: "approved", runId: id, cycle: 2 });
    const more = role === "coder" ? 0.3 : 0.1;
    expect(result["spentUsd"]).toBeCloseTo(spentUsd + more);
    expect(git(at, "log", "--format=%s").split("\n")).toHaveLength(3);
    expect(existsSync(join(at.repo, ".git/quasar/runs", id))).toBe(true);
    expect(runsOf(await quasar(at, ["ls", "--json"]))).toMatchObject([
      { runId: id, status: "approved" },
    ]);
  },
);

/** The runner may write a file anew between the two commands: until what was put there stands. */
const put = (path: string, kind: string, command: string): string =>
  `until test ${kind} ${path}; do rm -rf ${path}; ${command} ${path}; done`;
const LINK = `for d in .git/quasar/runs/*; do ${put("$d", "-L", "ln -s /nowhere/at/all")}; done`;

test.for([
  [
    "a link to nowhere in place of its folder",
    LINK,
    1,
    "files of the run were removed while it runs",
  ],
  [
    "a folder in place of its lock",
    put(".git/quasar/lock", "-d", "mkdir"),
    6,
    "cannot be taken again",
  ],
] as const)(
  "a run that finds %s stops with a reason, not with a stack trace",
  { timeout: 180_000 },
  async ([, deed, code, reason]) => {
    const at = place();
    const done = await quasar(at, ["run", "Write", ...commands("coder", "sleep 2", deed)]);
    expect(done.code, done.stdout + done.stderr).toBe(code);
    expect(done.stdout + done.stderr).toContain(reason);
    expect(done.stdout + done.stderr).not.toMatch(/^ +at /mu);
  },
);

test("a run of which only a commit is left is named, and said to be lost", async () => {
  const at = place();
  const turns = twoCycles().map((turn) =>
    turn.role === "coder" ? turn : { ...turn, delayMs: LONG },
  );
  const run = start(at, ["run", "Write", "--json", ...agents(at, turns)]);
  expect(await run.sees(recordOf("agent_start", 1, "reviewer"))).toBe(true);
  const id = String(records(run.stdout().split("\n")[0] ?? "")[0]?.["runId"]);
  await killAll(run);
  rmSync(join(at.repo, ".git/quasar"), { recursive: true });
  const resumed = await quasar(at, ["resume"]);
  expect(resumed.code).toBe(8);
  expect(resumed.stderr).toContain(`HEAD is a commit of run ${id}`);
});
