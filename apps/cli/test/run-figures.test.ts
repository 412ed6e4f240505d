import { existsSync } from "node:fs";
import { join } from "node:path";
import { findingId } from "@quasar/checkpoint";
import { expect, onTestFinished, test, vi } from "vitest";
import { compareFigures } from "./figures/compare.ts";
import { RUN_READERS, type RunFigures } from "./figures/of-run.ts";
import { tear } from "./figures/tear.ts";
import { killAll, lastRecord, type Place, place, quasar, records, start } from "./harness.ts";
import {
  agents,
  APPROVAL,
  issue,
  LONG,
  neverContent,
  oneCycle,
  type Turn,
  twoCycles,
} from "./scripts.ts";

/** A run that was made, and what every reader has to say of it: by hand, from what its agents are scripted to do. */
interface Stored {
  /** @returns its id */
  readonly make: (at: Place) => Promise<string>;
  readonly figures: RunFigures;
}

/** Nothing that is unusual in a run. */
const USUAL = {
  ...{ maxCycles: 3, unknownUsd: 0, reservedUsd: 0, maxUsd: 5 },
  ...{ fixedCount: 0, crashCount: 0, resumeCount: 0 },
};

async function run(at: Place, turns: readonly Turn[], ...more: string[]): Promise<string> {
  const args = ["run", "Write", ...agents(at, turns), "--max-cycles", "3", "--json", ...more];
  return String(records((await quasar(at, args)).stdout)[0]?.["runId"]);
}

const journalOf = (at: Place, id: string): string =>
  join(at.repo, ".git/quasar/runs", id, "events.jsonl");

/** Kills a run in its first turn of the role, with its agent. */
async function killed(at: Place, role: Turn["role"], turns: readonly Turn[]): Promise<string> {
  const slow = turns.map((turn) => (turn.role === role ? { ...turn, delayMs: LONG } : turn));
  const args = ["run", "Write", ...agents(at, slow), "--max-cycles", "3", "--max-budget", "2"];
  const running = start(at, [...args, "--json"]);
  expect(await running.sees(new RegExp(`"agent_start".*"role":"${role}"`, "u"))).toBe(true);
  const id = String(records(running.stdout())[0]?.["runId"]);
  const out = join(at.repo, ".git/quasar/runs", id, `turns/${role === "coder" ? 1 : 2}.out`);
  await expect.poll(() => existsSync(out)).toBe(true);
  await killAll(running);
  return id;
}

async function resume(at: Place, turns: readonly Turn[]): Promise<void> {
  agents(at, turns);
  const done = await quasar(at, ["resume", "--json"]);
  expect(lastRecord(done)["outcome"], done.stderr).toBe("approved");
}

/** The most of two dollars that the first turn may have cost: nine tenths. */
const AT_MOST = 1.8;
/** What counts for a turn whose cost nobody learned, where two dollars are for three cycles of two turns. */
const OF_TURN = 0.33;

const FLAW = "flaw of the first";

/** Two findings in the first cycle, of which the second says that one is fixed. */
const FIXED: readonly Turn[] = twoCycles().map((turn): Turn => {
  if (turn.role === "coder") return turn;
  const of = `VERIFICATION:\nFINDING_ID: ${findingId("major", FLAW)}\nSTATUS: fixed\n`;
  const isSecond = turn.text === APPROVAL;
  return { ...turn, text: isSecond ? `${of}\n${APPROVAL}` : `${issue(FLAW)}\n${issue("other")}` };
});

const LIMITED: Turn = {
  ...{ role: "coder", match: FLAW, text: "", costUsd: 0.25 },
  failure: { kind: "rate-limit", message: "Used up.", retryAt: "2099-01-01T00:00:00.000Z" },
};

const STORED: Readonly<Record<string, Stored>> = {
  "approved in its second cycle, with a finding fixed and one open": {
    make: (at) => run(at, FIXED),
    figures: {
      ...USUAL,
      ...{ status: "approved", isApproved: true, cycle: 2, knownUsd: 0.7 },
      ...{ turnCount: 4, commitCount: 2, openCount: 1, fixedCount: 1 },
    },
  },
  "not approved in the cycles that it had": {
    make: (at) => run(at, neverContent(), "--max-cycles", "2"),
    figures: {
      ...USUAL,
      ...{ status: "stopped", isApproved: false, cycle: 2, maxCycles: 2, knownUsd: 0.8 },
      ...{ turnCount: 4, commitCount: 1, openCount: 1 },
    },
  },
  "stopped by a usage limit in its second cycle": {
    make: (at) => run(at, [LIMITED, ...twoCycles()], "--max-budget", "2"),
    figures: {
      ...USUAL,
      ...{ status: "stopped", isApproved: undefined, cycle: 2, knownUsd: 0.65, maxUsd: 2 },
      ...{ turnCount: 3, commitCount: 1, openCount: 1 },
    },
  },
  "killed in its first turn, with a torn end of its journal": {
    async make(at) {
      const id = await killed(at, "coder", twoCycles());
      tear(journalOf(at, id));
      return id;
    },
    figures: {
      ...USUAL,
      ...{ status: "interrupted", isApproved: undefined, cycle: 1, knownUsd: 0, maxUsd: 2 },
      ...{ turnCount: 1, commitCount: 0, openCount: 0, crashCount: 1, reservedUsd: AT_MOST },
    },
  },
  "killed in a review, resumed and approved": {
    async make(at) {
      const id = await killed(at, "reviewer", oneCycle());
      await resume(at, oneCycle());
      return id;
    },
    figures: {
      ...USUAL,
      ...{ status: "approved", isApproved: true, cycle: 1, knownUsd: 0.4, maxUsd: 2 },
      ...{ turnCount: 3, commitCount: 1, openCount: 0, crashCount: 1, resumeCount: 1 },
      unknownUsd: OF_TURN,
    },
  },
  "approved, with a torn end of its journal": {
    async make(at) {
      const id = await run(at, oneCycle());
      tear(journalOf(at, id));
      return id;
    },
    figures: {
      ...USUAL,
      ...{ status: "approved", isApproved: true, cycle: 1, knownUsd: 0.4 },
      ...{ turnCount: 2, commitCount: 1, openCount: 0 },
    },
  },
};

test.for(Object.keys(STORED))("every reader has the same figures of a run %s", async (name) => {
  const { make, figures } = STORED[name] ?? {};
  if (make === undefined || figures === undefined) throw new Error(name);
  onTestFinished(() => void vi.unstubAllEnvs());
  const at = place();
  for (const each of await compareFigures(RUN_READERS, at, await make(at), figures)) {
    expect(each.shown, each.reader).toEqual(each.expected);
  }
});
