import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { updateNebula } from "../src/people/update-nebula.ts";
import { answerPhase } from "../src/people/answer.ts";
import { decidePlan, planWaits } from "../src/people/plan-gate.ts";
import { nebulaHome } from "../src/state/home.ts";
import { lockEngine } from "../src/state/lock.ts";
import { type NebulaState, pendingPhase } from "../src/state/state.ts";
import { aSpec } from "./a-nebula.ts";
import { loadNebula } from "../src/spec/index.ts";
import {
  aPlace,
  MANIFEST,
  newest,
  phase,
  type Place,
  WRITES_BOTH,
  write,
  commonDir,
} from "./place.ts";

const GATED = `${MANIFEST}[execution]\ngate = "approve"\n`;
const FILES = { "nebula.toml": GATED, "a.md": phase("a") };

const decide = (place: Place, verb: "approve" | "reject", reason = "") =>
  decidePlan(commonDir(place), newest(place), { verb, reason });
const told = (place: Place) => place.told.map(({ type }) => type);

test("with the gate approve nothing begins before the plan is approved, nor lands before its change is", async () => {
  const place = aPlace({}, FILES);
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  expect(state).toMatchObject({ planVerdict: "asked" });
  expect(state.phases[0]).toMatchObject({ status: "pending", runs: [] });
  // Nobody has answered: it waits on.
  expect((await place.apply(WRITES_BOTH)).reason).toBe("waiting");
  expect(told(place)).toEqual(["nebula_begun", "plan_waits", "plan_waits"]);

  expect(decide(place, "approve")).toEqual({ kind: "done" });
  const begun = await place.apply(WRITES_BOTH);
  expect(begun.reason).toBe("waiting");
  expect(begun.state.phases[0]).toMatchObject({ status: "awaiting_human", question: "land" });
  // Used once: it has begun.
  expect(decide(place, "reject")).toMatchObject({ kind: "refused" });
  answerPhase(commonDir(place), newest(place), { verb: "approve", phase: "a" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
});

test("while an engine works a plan that nobody is asked about is refused as without one, and one that waits with what stops the engine", async () => {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  const { id } = newest(place);
  const engine = lockEngine(nebulaHome(commonDir(place), id));
  const stop = { shell: `quasar nebula stop ${id}` };
  const locked = expect.objectContaining({
    code: "ERR_LOCKED",
    next: expect.arrayContaining([stop]) as unknown,
  }) as Error;
  expect(() => decide(place, "approve")).toThrow(locked);
  engine.release();
  decide(place, "approve");
  const other = lockEngine(nebulaHome(commonDir(place), id));
  const why = "nobody is asked about its plan: name a phase";
  expect(decide(place, "reject")).toEqual({ kind: "refused", why });
  other.release();
});

test("a pause keeps no engine from ending whose plan waits, so that a person can approve it", async () => {
  const place = aPlace({}, FILES);
  write(place.dir, { PAUSE: "" });
  const stop = AbortSignal.timeout(10_000);
  expect((await place.apply(WRITES_BOTH, { signal: stop })).reason).toBe("waiting");
  expect(decide(place, "approve")).toEqual({ kind: "done" });
  const working = place.apply(WRITES_BOTH);
  await sleep(1500);
  expect(newest(place).phases[0]?.runs).toEqual([]);
  rmSync(join(place.dir, "PAUSE"));
  expect((await working).state.phases[0]).toMatchObject({ question: "land" });
});

test("a rejected plan waits until it is another one, which is asked about anew", async () => {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  const before = newest(place);
  expect(decide(place, "reject", "too much at once")).toEqual({ kind: "done" });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  expect(state).toMatchObject({ planVerdict: "rejected", planReason: "too much at once" });
  expect(place.told.at(-1)).toMatchObject({ type: "plan_waits", isRejected: true });

  write(place.dir, { "a.md": `${FILES["a.md"]}But less.\n` });
  updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
  // What was approved is what was shown.
  const stale = decidePlan(commonDir(place), before, { verb: "approve" });
  expect(stale).toMatchObject({ kind: "refused" });
  expect((await place.apply(WRITES_BOTH)).state.phases[0]?.runs).toEqual([]);
  expect(place.told.at(-1)).toMatchObject({ type: "plan_waits", isRejected: false });
  expect(decide(place, "approve")).toEqual({ kind: "done" });
  expect((await place.apply(WRITES_BOTH)).state.phases[0]?.runs).toHaveLength(1);
});

test("a reason that is too long is refused before it is written", async () => {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  expect(() => decide(place, "reject", "x".repeat(70_000))).toThrow("at most 16384 characters");
  expect(newest(place)).toMatchObject({ planVerdict: "asked" });
});

test("a rejected plan can be approved after all", async () => {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  decide(place, "reject");
  expect(decide(place, "approve")).toEqual({ kind: "done" });
  await place.apply(WRITES_BOTH);
  expect(newest(place).phases[0]?.status).toBe("awaiting_human");
});

test("the gate of a phase asks nobody about the plan", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a", 'gate = "approve"') });
  const { state } = await place.apply(WRITES_BOTH);
  expect(state.phases[0]?.runs).toHaveLength(1);
  expect(decide(place, "approve")).toMatchObject({ kind: "refused" });
});

test("a plan waits with the gate approve alone, until it is approved or something has begun", () => {
  const waits = (
    gate: string,
    planVerdict: NebulaState["planVerdict"],
    runs: readonly string[],
  ) => {
    const spec = aSpec({ a: [] }, {}, `${MANIFEST}[execution]\ngate = "${gate}"\n`);
    return planWaits(
      { phases: [{ ...pendingPhase("a", "p1", new Date()), runs }], planVerdict },
      spec,
    );
  };
  for (const gate of ["trust", "watch", "review"]) expect(waits(gate, "", [])).toBe(false);
  for (const verdict of ["", "asked", "rejected", "approved"] as const) {
    expect(waits("approve", verdict, [])).toBe(verdict !== "approved");
    expect(waits("approve", verdict, ["run"])).toBe(false);
  }
});

test("a state of before plans were asked about is read", async () => {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  const file = `${place.repo}/.git/quasar/nebulae/${newest(place).id}/state.toml`;
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^plan_.*\n/gmu, ""));
  expect(newest(place)).toMatchObject({ planVerdict: "", planReason: "" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("waiting");
});
