import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentInvoker, AgentRequest } from "@quasar/agents";
import { currentHead, openRepository } from "@quasar/git";
import { applyNebula } from "@quasar/nebula";
import { loadNebula } from "@quasar/nebula/spec";
import { createKeyManager } from "@quasar/receipts";
import { done, type Place, quasar } from "./growth.ts";
import { aRepository, aScript } from "./place.ts";
import { inPairs, median, type Row } from "./row.ts";

/** What a nebula costs beside its agents, and how that grows with its phases. */
export async function nebulaRows(): Promise<Row[]> {
  const scratch = mkdtempSync(join(tmpdir(), "quasar-nebula-"));
  try {
    return [...(await planRows(scratch)), await phaseRow(scratch), ...(await landingRows(scratch))];
  } finally {
    rmSync(scratch, { recursive: true, maxRetries: 5 });
  }
}

const idOf = (n: number): string => `p${String(n).padStart(5, "0")}`;

/** A folder of phases that need nothing, each with a file of its own. @returns Its path. */
function aNebula(dir: string, count: number, execution: string = ""): string {
  mkdirSync(dir, { recursive: true });
  const manifest = `[nebula]\nname = "bench"\n[execution]\nmin_free = "1MB"\n${execution}`;
  writeFileSync(join(dir, "nebula.toml"), manifest);
  for (let n = 0; n < count; n += 1) {
    const id = idOf(n);
    const front = `id = "${id}"\ntitle = "Phase ${id}"\nscope = ["${id}.txt"]\n`;
    writeFileSync(join(dir, `${id}.md`), `+++\n${front}+++\nWrite ${id}.txt.\n`);
  }
  return dir;
}

/** How many phases, and what their plan may cost beside the floor of every command. */
const PLANNED: readonly (readonly [count: number, atMost: number])[] = [
  [50, 7],
  [500, 9],
  [2000, 16],
];

/** Plans of three sizes, beside the floor of every command. */
async function planRows(scratch: string): Promise<Row[]> {
  const at = aRepository(scratch, "planned");
  const version = () => done(at, quasar, ["--version"]);
  const rows: Row[] = [];
  for (const [count, atMost] of PLANNED) {
    const dir = aNebula(join(scratch, `plan-${count}`), count);
    const plan = () => done(at, quasar, ["nebula", "plan", dir]);
    const { ratio, ms } = await inPairs(10, plan, version);
    const what = `nebula plan of ${count} phases, against --version`;
    rows.push({ what, figure: ratio, atMost, ms });
  }
  return rows;
}

const PHASES = 5;

/** The engine beside its agents: a nebula by one worker, against as many runs one after the other. */
async function phaseRow(scratch: string): Promise<Row> {
  const coder = aScript(scratch, "nebula-coder", 'date > "$(date +%s%N).txt"; echo Done.');
  const reviewer = aScript(scratch, "nebula-reviewer", "echo 'APPROVED: fine'");
  const agents = ["--coder", `command:${coder}`, "--reviewer", `command:${reviewer}`];
  const budget = ["--max-budget", "0"];
  const dir = aNebula(join(scratch, "phases"), PHASES, 'scope_policy = "advise"\n');
  let n = 0;
  const place = (): Place => aRepository(scratch, `phases-${(n += 1)}`);
  const nebula = (): void => {
    const args = ["nebula", "apply", dir, "--auto", "--max-workers", "1", "--total-budget", "0"];
    done(place(), quasar, [...args, ...budget, ...agents], [], [0]);
  };
  const runs = (): void => {
    const at = place();
    for (let run = 0; run < PHASES; run += 1) {
      done(at, quasar, ["run", "Write a file.", ...budget, ...agents], [], [0]);
    }
  };
  const { ratio, ms } = await inPairs(3, nebula, runs);
  return {
    what: `a nebula of ${PHASES} phases, against ${PHASES} runs`,
    figure: ratio,
    atMost: 1.6,
    ms,
  };
}

const LANDED = [20, 60, 120];
const WINDOW = 10;

/** The last landings of a nebula against its first, each beside a git process of the same moment. */
async function landingRows(scratch: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of LANDED) {
    const costs = await landingCosts(scratch, count);
    const figure = median(costs.slice(-WINDOW)) / median(costs.slice(0, WINDOW));
    const what = `last ${WINDOW} of ${count} landings, against the first ${WINDOW}`;
    rows.push({ what, figure, atMost: 1.4 });
  }
  return rows;
}

/**
 * What each phase costs from the landing before it to its own, with agents that take no time and a verification, in git
 * processes that only start: a machine that others slow down slows both.
 */
async function landingCosts(scratch: string, count: number): Promise<readonly number[]> {
  const name = `landed-${count}`;
  const at = aRepository(scratch, name);
  const state = join(scratch, `${name}-state`);
  const costs: number[] = [];
  const gitMs = (): number => {
    const starts = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      spawnSync("git", ["--version"]);
      return performance.now() - begun;
    });
    return median(starts);
  };
  let since = Number.NaN;
  const landed = (): void => {
    const ms = performance.now() - since;
    costs.push(ms / gitMs());
    since = performance.now();
  };
  await applyNebula({
    repository: await openRepository(at.repository),
    loaded: loadNebula(aNebula(join(scratch, `${name}-nebula`), count, 'verify = ["true"]\n')),
    resumed: undefined,
    base: (await currentHead(at.repository)).head,
    limits: { maxWorkers: 1, totalUsd: count, phaseUsd: 1 },
    optionsOf: ({ id }) => ({
      coder: instant("coder", ({ workTree }) => {
        writeFileSync(join(workTree, `${id}.txt`), `${id}\n`);
        return "Done.";
      }),
      reviewer: instant("reviewer", () => "APPROVED: fine"),
    }),
    keys: createKeyManager({ dir: join(state, "keys") }),
    ...{ env: at.env, commandEnv: at.env, stateFolder: state },
    onEvent: ({ type }) => {
      if (type === "phase_landed") landed();
    },
    signal: new AbortController().signal,
  });
  if (costs.length !== count) throw new Error(`${costs.length} of ${count} have landed`);
  return costs.slice(1);
}

function instant(name: string, answer: (request: AgentRequest) => string): AgentInvoker {
  return {
    name,
    capabilities: {
      ...{ structuredOutput: false, choosesSessionId: false, reportsCost: true },
      ...{ streamsUsage: false, resumesSession: false },
    },
    invoke: async (request) => {
      const text = answer(request);
      return { text, costUsd: 0.01, costSource: "reported", durationMs: 0 };
    },
  };
}
