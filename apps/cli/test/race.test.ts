import { setTimeout as sleep } from "node:timers/promises";
import { byLane, randomOf, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { place, type Running, start } from "./harness.ts";
import { agents, LONG, oneCycle } from "./scripts.ts";

const ROUNDS = byLane({ fast: 4, whole: 10, long: 200 });

/** What became of a resumer: it works, it was refused, or it was killed first. */
type Fate = "works" | "refused" | "killed";

async function fateOf(running: Running): Promise<Fate> {
  if (await running.sees('"type":"resumed"')) return "works";
  const { code, signal, stderr } = await running.finished;
  if (signal === "SIGKILL") return "killed";
  expect(code, stderr).toBe(6);
  return "refused";
}

test(
  `of two resumes at once one works and the other says who does, ${ROUNDS} times`,
  async () => {
    const next = randomOf(seed);
    const at = place();
    const begun = start(at, [
      ...["run", "Write", "--max-budget", "0", "--json"],
      ...agents(at, oneCycle(LONG)),
    ]);
    expect(await begun.sees('"agent_start"')).toBe(true);
    begun.child.kill("SIGKILL");
    await begun.finished;

    const seen = { works: 0, refused: 0, killed: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const label = `round ${round} of seed ${seed}`;
      const pair = [start(at, ["resume", "--json"]), start(at, ["resume", "--json"])] as const;
      const isKilled = round % 5 < 2;
      const [victim] = pair;
      if (isKilled) void sleep(next() * 150).then(() => victim.child.kill("SIGKILL"));
      const fates = await Promise.all(pair.map(fateOf));
      for (const fate of fates) seen[fate] += 1;

      // A victim that worked may have been killed before the other one came to the lock.
      if (!isKilled) expect(fates.toSorted(), label).toEqual(["refused", "works"]);
      const [first, second] = pair;
      const pids = [first.child.pid, second.child.pid];
      for (const [index, fate] of fates.entries()) {
        if (fate !== "refused") continue;
        const { stderr } = await (pair[index] ?? first).finished;
        const holder = /process (\d+) on /u.exec(stderr)?.[1];
        const other = pids[1 - index];
        if (!isKilled) expect(holder, `${label}: ${stderr}`).toBe(String(other));
      }
      for (const { child, finished } of pair) {
        child.kill("SIGKILL");
        await finished;
      }
    }
    expect(seen.works).toBeGreaterThan(ROUNDS / 2);
    expect(seen.refused).toBeGreaterThan(ROUNDS / 2);
  },
  120_000 + 20_000 * ROUNDS,
);
