import { expect, test } from "vitest";
import { lastRecord, place, quasar, records, write } from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";

/** A run that one cycle did not finish, with a file of the person's in its tree. */
async function stopped() {
  const at = place();
  const args = ["run", "Write", "--filter", "test -e ../done", "--max-cycles", "1"];
  const run = await quasar(at, [...args, "--json", ...agents(at, [...oneCycle(), ...oneCycle()])]);
  expect(run.code, run.stdout).toBe(3);
  write(at.repo, { "mine.txt": "mine" });
  write(at.outside, { done: "" });
  return { at, id: String(lastRecord(run)["runId"]) };
}

const RAISED = ["--max-cycles", "3", "--max-budget", "10"];

test("a resume that is refused advises the whole command, and that continues with all that was given", async () => {
  const { at, id } = await stopped();
  for (const look of [[], ["--plan"]]) {
    const refused = await quasar(at, ["resume", id, ...RAISED, ...look]);
    expect(refused.code).toBe(6);
    expect(refused.stdout + refused.stderr).toContain(
      `quasar resume ${id} --accept-dirty ${RAISED.join(" ")} # quasar never`,
    );
  }
  const resumed = await quasar(at, ["resume", id, "--accept-dirty", ...RAISED, "--json"]);
  expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
  expect(records(resumed.stdout).find(({ type }) => type === "run")).toMatchObject({
    maxBudgetUsd: 10,
    maxCycles: 3,
  });
});

test("a run that is refused advises the command with the limits that were given", async () => {
  const at = place();
  write(at.repo, { "mine.txt": "mine" });
  const refused = await quasar(at, [
    "run",
    "Write",
    "--max-budget",
    "2",
    ...agents(at, oneCycle()),
  ]);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toMatch(/quasar run --accept-dirty "…" --coder .* --max-budget 2 # /u);
});
