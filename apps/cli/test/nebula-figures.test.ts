import { join } from "node:path";
import { endRunProcesses } from "@quasar/agents/turns";
import { expect, onTestFinished, test, vi } from "vitest";
import { apply, applyArgs, GATED, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { compareFigures } from "./figures/compare.ts";
import { NEBULA_READERS, type NebulaFigures } from "./figures/of-nebula.ts";
import { tear } from "./figures/tear.ts";
import { killAll, lastRecord, type Place, quasar, start } from "./harness.ts";
import { issue, LONG, type Turn } from "./scripts.ts";

/** A nebula that was made, and what every reader has to say of it: by hand, from what its agents are scripted to do. */
interface Stored {
  readonly files: Readonly<Record<string, string>>;
  readonly make: (at: Place) => Promise<unknown>;
  readonly figures: NebulaFigures;
}

/** Nothing that is unusual in a nebula of two phases whose files set no limit. */
const USUAL = {
  ...{ status: "stopped", phaseCount: 2, unknownUsd: 0, reservedUsd: 0, maxUsd: 10 },
  ...{ openCount: 0, fixedCount: 0, crashCount: 0, resumeCount: 0, needs: {} },
};

const manifest = (...lines: readonly string[]): string =>
  ['[nebula]\nname = "demo"\n[execution]', ...lines, ""].join("\n");

/** The most of the two dollars of a phase that its first turn may have cost: nine tenths. */
const AT_MOST = 1.8;

const LIMITED: Turn = {
  ...{ role: "coder", match: "Do two.", text: "", costUsd: 0.05 },
  failure: { kind: "rate-limit", message: "Used up.", retryAt: "2099-01-01T00:00:00.000Z" },
};

const AFTER = 'depends_on = ["one"]';
const TWO = { "1.md": phaseText("one"), "2.md": phaseText("two", AFTER) };

/** A phase of which the first attempt does not pass the verification of the merged tree. */
const REWORKED: readonly Turn[] = [
  {
    ...{ role: "coder", match: "REWORK:", text: "Repaired.", costUsd: 0.15 },
    files: { "one.txt": "one\n" },
  },
  {
    role: "coder",
    match: "Do one.",
    text: "Written.",
    files: { "one.txt": "bad\n" },
    costUsd: 0.1,
  },
  ...workOf("two"),
];

/** Stops the engine with its agents, in the first turn of the second phase. */
async function killInSecond(at: Place): Promise<void> {
  const [one, two, reviewer] = workOf("one", "two");
  if (one === undefined || two === undefined || reviewer === undefined) throw new Error("no turns");
  const args = applyArgs(at, [one, { ...two, delayMs: LONG }, reviewer]);
  const running = start(at, [...args, "--json"]);
  expect(await running.sees(/"agent_start".*"phaseId":"two"/u), running.stdout()).toBe(true);
  await killAll(running);
  const ids = [...running.stdout().matchAll(/"phase_run".*?"runId":"([^"]+)"/gu)];
  for (const [, id = ""] of ids) await endRunProcesses(id, { signal: "SIGKILL", graceMs: 0 });
}

const journalOf = (at: Place, id: string): string =>
  join(at.repo, ".git/quasar/nebulae", id, "events.jsonl");

const STORED: Readonly<Record<string, Stored>> = {
  "that waits at a gate": {
    files: GATED,
    make: apply,
    figures: {
      ...USUAL,
      ...{ landedCount: 1, landings: ["one"], needs: { two: "land" }, knownUsd: 0.4 },
      standings: { one: "done", two: "awaiting_human" },
      ...{ costs: { one: 0.2, two: 0.2 }, attemptCount: 2, turnCount: 4 },
    },
  },
  "of which a phase was reworked": {
    files: {
      ...TWO,
      "nebula.toml": manifest("verify = ['! grep -q bad one.txt']", "total_budget_usd = 8"),
    },
    make: (at) => apply(at, REWORKED),
    figures: {
      ...USUAL,
      ...{ status: "done", landedCount: 2, landings: ["one", "two"], knownUsd: 0.65, maxUsd: 8 },
      standings: { one: "done", two: "done" },
      ...{ costs: { one: 0.45, two: 0.2 }, attemptCount: 3, turnCount: 6 },
    },
  },
  "of which a phase failed": {
    files: {
      "nebula.toml": manifest("max_review_cycles = 1", "max_budget_usd = 2"),
      ...TWO,
      "3.md": phaseText("three"),
    },
    make: (at) =>
      apply(at, [
        { role: "reviewer", match: "Do one.", text: issue("It is wrong."), costUsd: 0.1 },
        ...workOf("one", "two", "three"),
      ]),
    figures: {
      ...USUAL,
      ...{ phaseCount: 3, landedCount: 1, landings: ["three"], needs: { one: "failed" } },
      standings: { one: "failed", two: "skipped", three: "done" },
      ...{ costs: { one: 0.2, three: 0.2 }, attemptCount: 2, turnCount: 4 },
      ...{ knownUsd: 0.4, maxUsd: 6, openCount: 1 },
    },
  },
  "whose engine was killed, with a torn end of its journal": {
    files: { "nebula.toml": manifest("max_budget_usd = 2"), ...TWO },
    async make(at) {
      await killInSecond(at);
      tear(journalOf(at, await idOf(at)));
    },
    figures: {
      ...USUAL,
      ...{ landedCount: 1, landings: ["one"], knownUsd: 0.2, unknownUsd: AT_MOST, maxUsd: 4 },
      standings: { one: "done", two: "running" },
      ...{ costs: { one: 0.2, two: 0 }, attemptCount: 2, turnCount: 3, crashCount: 1 },
    },
  },
  "that an agent's usage limit stopped": {
    files: { "nebula.toml": manifest("total_budget_usd = 3"), ...TWO },
    make: (at) => apply(at, [LIMITED, ...workOf("one", "two")]),
    figures: {
      ...USUAL,
      ...{ landedCount: 1, landings: ["one"], knownUsd: 0.25, maxUsd: 3 },
      standings: { one: "done", two: "running" },
      ...{ costs: { one: 0.2, two: 0.05 }, attemptCount: 2, turnCount: 3 },
    },
  },
};

async function idOf(at: Place): Promise<string> {
  return String(lastRecord(await quasar(at, ["nebula", "status", "--json"]))["nebulaId"]);
}

test.for(Object.keys(STORED))("every reader has the same figures of a nebula %s", async (name) => {
  const { files, make, figures } = STORED[name] ?? {};
  if (files === undefined || make === undefined || figures === undefined) throw new Error(name);
  onTestFinished(() => void vi.unstubAllEnvs());
  const at = withDemo(files);
  await make(at);
  for (const each of await compareFigures(NEBULA_READERS, at, await idOf(at), figures)) {
    expect(each.shown, each.reader).toEqual(each.expected);
  }
});
