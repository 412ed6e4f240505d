import { expect, test } from "vitest";
import { killAll, lastRecord, type Place, place, quasar, records, start } from "./harness.ts";
import { agents, oneCycle, type Turn } from "./scripts.ts";

const BUSY = { kind: "overloaded", message: "The API is overloaded (529)." };

/** A coder whose first attempt meets an overloaded model. */
function busyOnce(): readonly Turn[] {
  const [coder, reviewer] = oneCycle();
  if (coder === undefined || reviewer === undefined) throw new Error("no turns");
  const busy: Turn = { role: "coder", text: "", failure: BUSY, costUsd: 0 };
  return [{ ...coder, match: "An earlier attempt" }, reviewer, busy];
}

const run = (at: Place, ...more: string[]): readonly string[] => [
  ...["run", "Write", ...agents(at, busyOnce()), ...more],
];

test("a run continues by itself after an overloaded model, and says why, when and how often", async () => {
  const at = place();
  const done = await quasar(at, run(at));
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toMatch(
    /coder {4}failed: The API is overloaded \(529\)\.\n {11}Retry 1 of 3 in 5 s, at \d\d:\d\d:\d\d\. Ctrl-C stops; everything is saved\.\n/u,
  );
  expect((await quasar(at, ["log"])).stdout).toContain("Retry 1 of 3");
});

test("with --retries 0 a run ends with 1 after the first failure", async () => {
  const at = place();
  const done = await quasar(at, run(at, "--retries", "0"));
  expect(done.code, done.stderr).toBe(1);
  expect(done.stdout).not.toContain("Retry");
});

test("a run that is killed in the pause before a retry continues with the pause and the retry", async () => {
  const at = place();
  const first = start(at, run(at, "--json"));
  expect(await first.sees('"type":"turn_retry"')).toBe(true);
  await killAll(first);
  const retry = records(first.stdout()).find(({ type }) => type === "turn_retry");
  const until = Date.parse(String(retry?.["retryAt"]));

  const plan = await quasar(at, ["resume", "--plan"]);
  expect(plan.code, plan.stderr).toBe(0);
  // A slow machine has used the pause up by then.
  const isDue = plan.stdout.includes("Retry 1 is due at");
  expect(isDue || Date.now() > until, plan.stdout).toBe(true);

  const resumed = await quasar(at, ["resume", "--json"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  const start2 = records(resumed.stdout).find(({ type }) => type === "agent_start");
  expect(Date.parse(String(start2?.["time"]))).toBeGreaterThanOrEqual(until);
  expect(start2).toMatchObject({ role: "coder", attempt: 2 });
});

test("Ctrl-C in the pause saves the run, and resume --now does not wait for the rest", async () => {
  const at = place();
  const first = start(at, run(at));
  expect(await first.sees("Retry 1 of 3")).toBe(true);
  first.child.kill("SIGINT");
  expect(await first.finished).toMatchObject({ code: 130 });
  const resumed = await quasar(at, ["resume", "--now", "--json"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(records(resumed.stdout).map(({ type }) => type)).not.toContain("turn_retry");
  expect(lastRecord(resumed)).toMatchObject({ outcome: "approved" });
});
