import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endRunProcesses, findRunProcesses } from "@quasar/agents/turns";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import {
  type Finished,
  git,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  type Running,
  soon,
  start,
  write,
  recordOf,
} from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents, LONG, neverContent, oneCycle, type Turn } from "./scripts.ts";

interface Plan {
  readonly exit: number;
  readonly items: readonly {
    readonly kind: string;
    readonly message: string;
    readonly data: Data;
  }[];
  readonly estimate: { readonly atMostUsd?: number; readonly likelyUsd?: number };
  readonly next: readonly string[];
}
type Data = Readonly<Record<string, unknown>>;

/** Every file of ours with its content: a plan changes none. */
function footprint(at: Place): readonly string[] {
  const files = (dir: string): string[] =>
    readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return files(path);
      return [`${path} ${statSync(path).mtimeMs} ${readFileSync(path).toString("base64")}`];
    });
  const ours = [join(at.repo, ".git"), join(at.repo, ".quasar"), join(at.outside, "home")];
  // What an agent that works on says goes to its turn's files.
  const isAgents = (file: string): boolean => /\/turns\/|\/\.cache\//u.test(file);
  return ours.flatMap(files).filter((file) => !isAgents(file));
}

async function planned(at: Place, args: readonly string[]): Promise<Plan> {
  const before = footprint(at);
  const done = await quasar(at, ["resume", "--plan", "--json", ...args]);
  expect(footprint(at)).toEqual(before);
  expect(lastRecord(done), done.stderr).toMatchObject({ type: "plan", exit: done.code });
  return lastRecord(done) as unknown as Plan;
}

const idOf = ({ stdout }: Running): string => /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(stdout())?.[0] ?? "";

async function kill(running: Running): Promise<string> {
  running.child.kill("SIGKILL");
  await running.finished;
  return idOf(running);
}

function slow(delayMs: number): readonly Turn[] {
  return oneCycle().map((turn) => ({ ...turn, delayMs, says: ["Reading"] }));
}

/** Kills the runner in a role's turn, once its agent is at work, which it is until it is released. */
async function killedIn(at: Place, role: Turn["role"]): Promise<string> {
  const model = await holdingModel(at, role);
  const args = ["run", "Write", "--json", ...agents(at, slow(0), { model })];
  const running = start(at, args);
  const said = recordOf("agent_event", 1, role);
  expect(await running.sees(said), running.stdout()).toBe(true);
  return kill(running);
}

async function killedWithAgent(at: Place, role: Turn["role"]): Promise<void> {
  const runId = await killedIn(at, role);
  await endRunProcesses(runId, { signal: "SIGKILL", graceMs: 0 });
  agents(at, oneCycle());
}

async function ended(at: Place, runId: string): Promise<void> {
  releaseModel(at);
  while (findRunProcesses(runId)?.length !== 0) await sleep(30);
}

async function endedAndEdited(at: Place): Promise<void> {
  await ended(at, await killedIn(at, "reviewer"));
  write(at.repo, { "mine.txt": "mine\n" });
}

async function stoppedByLimit(at: Place, inMs: number): Promise<void> {
  const retryAt = new Date(Date.now() + inMs).toISOString();
  const failure = { kind: "rate-limit", message: "The limit.", retryAt };
  await quasar(at, ["run", "Write", ...agents(at, [{ role: "coder", text: "", failure }])]);
  agents(at, oneCycle());
}

function commitOfOthers(at: Place): void {
  write(at.repo, { "theirs.txt": "x\n" });
  git(at, "add", "theirs.txt");
  git(at, "-c", "user.name=Eve", "-c", "user.email=eve@localhost", "commit", "-qm", "Theirs");
}

interface OpenRun {
  readonly openTurn: { readonly alivePid: number };
}

/** Puts a place into a situation; gives what to resume it with. */
type Situation = (at: Place) => Promise<readonly string[]>;

const SITUATIONS: readonly (readonly [what: string, kinds: string, Situation])[] = [
  [
    "the coder was killed with its runner",
    "restored run-again",
    async (at) => {
      await killedWithAgent(at, "coder");
      return [];
    },
  ],
  [
    "the reviewer was killed with its runner",
    "restored run-again",
    async (at) => {
      await killedWithAgent(at, "reviewer");
      return [];
    },
  ],
  [
    "the coder works on",
    "restored followed",
    async (at) => {
      await killedIn(at, "coder");
      return [];
    },
  ],
  [
    "the coder has ended meanwhile",
    "reused restored read",
    async (at) => {
      await ended(at, await killedIn(at, "coder"));
      return [];
    },
  ],
  [
    "the coder's agent was killed after its runner, and its supervisor has put that down",
    "restored run-again",
    async (at) => {
      const runId = await killedIn(at, "coder");
      const [run] = lastRecord(await quasar(at, ["status", "--json"]))["runs"] as OpenRun[];
      const left = findRunProcesses(runId) ?? [];
      for (const pid of left.filter((each) => each !== run?.openTurn.alivePid)) {
        process.kill(pid, "SIGKILL");
      }
      while (findRunProcesses(runId)?.length !== 0) await sleep(30);
      agents(at, oneCycle());
      return [];
    },
  ],
  [
    "the reviewer works on",
    "restored followed",
    async (at) => {
      await killedIn(at, "reviewer");
      return [];
    },
  ],
  [
    "the reviewer has ended meanwhile",
    "restored read",
    async (at) => {
      await ended(at, await killedIn(at, "reviewer"));
      return [];
    },
  ],
  [
    "the reviewer has ended meanwhile, and files were changed after that",
    "refused restored read",
    async (at) => {
      await endedAndEdited(at);
      return [];
    },
  ],
  [
    "such changes are accepted",
    "accepted restored read",
    async (at) => {
      await endedAndEdited(at);
      return ["--accept-dirty"];
    },
  ],
  [
    "its runner was killed in a check, with a commit that no save knows of",
    "adopted restored reused",
    async (at) => {
      const check = "touch ../checks; until [ -e ../go ]; do sleep 0.1; done";
      const args = ["run", "Write", "--filter", check, "--json", ...agents(at, oneCycle())];
      const running = start(at, args);
      expect(await running.sees('"committed"')).toBe(true);
      while (!existsSync(join(at.outside, "checks"))) await sleep(20);
      await kill(running);
      write(at.outside, { go: "" });
      return [];
    },
  ],
  [
    "somebody else has committed",
    "refused restored run-again",
    async (at) => {
      await killedWithAgent(at, "coder");
      commitOfOthers(at);
      return [];
    },
  ],
  [
    "HEAD is on another branch, and files of the user's are changed",
    "refused refused restored run-again",
    async (at) => {
      await killedWithAgent(at, "reviewer");
      git(at, "switch", "--quiet", "--create", "other");
      write(at.repo, { "mine.txt": "mine\n" });
      return [];
    },
  ],
  [
    "all of that is accepted",
    "accepted accepted accepted restored run-again",
    async (at) => {
      await killedWithAgent(at, "reviewer");
      git(at, "switch", "--quiet", "--create", "other");
      write(at.repo, { "mine.txt": "mine\n" });
      commitOfOthers(at);
      return ["--force"];
    },
  ],
  [
    "git is in the middle of a merge",
    "refused restored run-again",
    async (at) => {
      await killedWithAgent(at, "reviewer");
      write(at.repo, { ".git/MERGE_HEAD": `${git(at, "rev-parse", "HEAD")}\n` });
      return ["--force"];
    },
  ],
  [
    "the cycles are used up",
    "restored refused",
    async (at) => {
      await quasar(at, ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())]);
      return [];
    },
  ],
  [
    "there are more cycles",
    "restored begins",
    async (at) => {
      await quasar(at, ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())]);
      agents(at, oneCycle());
      return ["--max-cycles", "2"];
    },
  ],
  [
    "a usage limit holds",
    "restored run-again waits",
    async (at) => {
      await stoppedByLimit(at, 3_600_000);
      return [];
    },
  ],
  [
    "a usage limit is waited for",
    "restored run-again waits",
    async (at) => {
      await stoppedByLimit(at, await soon(at));
      return ["--wait-limit", "1m"];
    },
  ],
  [
    "the user has interrupted it",
    "restored run-again",
    async (at) => {
      const running = start(at, ["run", "Write", ...agents(at, slow(LONG))]);
      expect(await running.sees("works")).toBe(true);
      running.child.kill("SIGINT");
      await running.finished;
      agents(at, oneCycle());
      return [];
    },
  ],
];

/** What the loop calls what a plan calls otherwise. */
const HOW: Readonly<Record<string, string>> = { "run-again": "restarted" };
const RECOVERED: ReadonlySet<string> = new Set(["followed", "read", "resumed", "run-again"]);
const CODES: Readonly<Record<string, string>> = {
  head: "ERR_HEAD_MOVED",
  branch: "ERR_BRANCH_CHANGED",
  dirty: "ERR_DIRTY",
  operation: "ERR_DIRTY",
};

function ofType(done: Finished, type: string): readonly Record<string, unknown>[] {
  return records(done.stdout).filter((record) => record["type"] === type);
}

test.for(sample(SITUATIONS, 4, 5))(
  "when %s, the plan (%s) is what then happens",
  async ([, kinds, situation]) => {
    const at = place();
    const args = await situation(at);
    const plan = await planned(at, args);
    expect(plan.items.map(({ kind }) => kind).join(" "), JSON.stringify(plan.items)).toBe(kinds);
    const resuming = start(at, ["resume", "--json", ...args]);
    await resuming.sees('"type":"turn_recovered"');
    releaseModel(at);
    const done = await resuming.finished;

    const refusal = plan.items.find(({ kind }) => kind === "refused");
    const code = CODES[String(refusal?.data["check"])];
    if (code !== undefined || plan.exit === 75) {
      expect(plan.exit, done.stdout).toBe(done.code);
      expect(lastRecord(done)).toMatchObject({ code: code ?? "ERR_LIMIT" });
      expect(plan.next).toEqual(expect.arrayContaining(lastRecord(done)["next"] as string[]));
      return;
    }
    expect(done.code, done.stderr).toBe(refusal === undefined ? 0 : 3);
    expect(plan.exit).toBe(refusal === undefined ? 0 : 6);

    const recovered = plan.items.filter(({ kind }) => RECOVERED.has(kind));
    expect(ofType(done, "turn_recovered").map(({ how, turnId }) => ({ how, turnId }))).toEqual(
      recovered.map(({ kind, data }) => ({ how: HOW[kind] ?? kind, turnId: data["turnId"] })),
    );
    expect(ofType(done, "waiting")).toHaveLength(
      plan.items.filter(({ kind }) => kind === "waits").length,
    );
    const [resumed] = ofType(done, "resumed") as { details: string[] }[];
    const restored = plan.items.find(({ kind }) => kind === "restored");
    expect(resumed?.details).toContain(restored?.message);
    for (const { kind, message, data } of plan.items) {
      // What lies in the tree is told in a notice.
      const isTold = kind === "adopted" || (kind === "reused" && data["paths"] === undefined);
      if (isTold) expect(resumed?.details).toContain(message);
    }
    const spent = Number(lastRecord(done)["spentUsd"]) - Number(restored?.data["totalCostUsd"]);
    expect(spent).toBeLessThanOrEqual(plan.estimate.atMostUsd ?? Number.POSITIVE_INFINITY);
  },
);

test("a plan is shown while a command works, and says which", async () => {
  const at = place();
  const running = start(at, ["run", "Write", "--json", ...agents(at, slow(LONG))]);
  expect(await running.sees('"agent_start"')).toBe(true);
  const done = await quasar(at, ["resume", "--plan"]);
  expect(done.code).toBe(6);
  expect(done.stdout).toContain(`another quasar works on this tree: process ${running.child.pid}`);
});

test("a plan without a run ends with 8, and makes nothing", async () => {
  const at = place();
  const done = await quasar(at, ["resume", "--plan"]);
  expect(done.code).toBe(8);
  expect(readdirSync(join(at.outside, "home"))).toEqual([]);
  expect(readdirSync(join(at.repo, ".git"))).not.toContain("quasar");
});
