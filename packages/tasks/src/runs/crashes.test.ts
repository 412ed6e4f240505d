import { existsSync } from "node:fs";
import { join } from "node:path";
import type * as CheckpointModule from "@quasar/checkpoint";
import {
  checkpointPath,
  type FileCheckpointStore,
  type FileCheckpointStoreOptions,
} from "@quasar/checkpoint";
import { lane } from "@quasar/vitest/lane";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { APPROVAL, ISSUE, lastingAgent, writingCoder } from "../../test/lasting-agent.ts";
import {
  createFixture,
  git,
  happen,
  removeFixture,
  start,
  startAgain,
  type StepFixture,
  textOf,
  working,
} from "../../test/step-fixture.ts";
import type { AgentWork, AgentWorkResult } from "./agent-work.ts";
import { workOnStep } from "./work-on-step.ts";

/** After this write, or before it, the process that drives the step is gone. */
interface Death {
  readonly at: number;
  readonly when: "before" | "after";
}

const life = vi.hoisted(() => ({
  death: undefined as Death | undefined,
  writes: 0,
  isDead: false,
  async write(work: () => Promise<void>): Promise<void> {
    this.writes += 1;
    const isHere = this.death?.at === this.writes;
    if (isHere && this.death?.when === "before") this.isDead = true;
    if (this.isDead) throw new Error("killed");
    await work();
    if (!isHere) return;
    this.isDead = true;
    throw new Error("killed");
  },
}));

vi.mock("@quasar/checkpoint", async (original) => {
  const real = await original<typeof CheckpointModule>();
  const createFileCheckpointStore = (options: FileCheckpointStoreOptions): FileCheckpointStore => {
    const store = real.createFileCheckpointStore(options);
    return {
      ...store,
      save: (checkpoint) => life.write(() => store.save(checkpoint)),
      remove: (phaseId) => life.write(() => store.remove(phaseId)),
    };
  };
  return { ...real, createFileCheckpointStore };
});

beforeEach(() => {
  live();
});

function live(death?: Death): void {
  Object.assign(life, { death, writes: 0, isDead: false });
}

const WORKS = {
  loop: { kind: "loop", prompt: "Fix it." },
  reader: { kind: "turn", prompt: "Find out why." },
  writer: { kind: "turn", access: "write", prompt: "Fix lint." },
  review: { kind: "review", prompt: "Is it safe?" },
} as const satisfies Readonly<Record<string, AgentWork>>;

/** A step, who works in it, and what is left of it when it is done. */
interface Scene {
  readonly fixture: StepFixture;
  work(): Promise<AgentWorkResult>;
  facts(result: AgentWorkResult): object;
}

function aScene(name: keyof typeof WORKS): Scene {
  const fixture = createFixture();
  happen(fixture, { type: "start_step" }, { type: "step_complete" });
  start(fixture, "implement");
  const coder = name === "reader" ? lastingAgent(["line 3"]) : writingCoder();
  const reviewer = lastingAgent(name === "review" ? [ISSUE] : [ISSUE, APPROVAL]);
  return {
    fixture,
    work: () => workOnStep(working(fixture, { coder, reviewer }).input, WORKS[name]),
    // A turn whose agent never began has its number, which is used once.
    facts: (result) => ({
      ...result,
      isKept: undefined,
      commits: result.kind === "done" && result.commits.length,
      turns:
        result.kind === "done" &&
        result.turns.map(({ startedAt: _s, turnId: _t, ...turn }) => turn),
      requests: [...coder.requests, ...reviewer.requests].map(({ role }) => role),
      subjects: git(fixture.worktree, "log", "--format=%s"),
      text: textOf(fixture, "work.txt"),
      dirty: git(fixture.worktree, "status", "--porcelain"),
    }),
  };
}

/** The run that nothing happens to, and how many writes it makes. */
async function undisturbed(name: keyof typeof WORKS): Promise<{ facts: object; writes: number }> {
  const scene = aScene(name);
  live();
  const facts = scene.facts(await scene.work());
  removeFixture(scene.fixture);
  return { facts, writes: life.writes };
}

const NAMES = Object.keys(WORKS) as (keyof typeof WORKS)[];
const undisturbedRuns: (readonly [keyof typeof WORKS, { facts: object; writes: number }])[] = [];
for (const name of NAMES) undisturbedRuns.push([name, await undisturbed(name)]);

/** `QUASAR_PROOF=long`: both sides of every write; else of every second one in turns. */
const isLong = lane === "long";
const SIDES = ["before", "after"] as const;

afterAll(() => live());

describe.for(undisturbedRuns)("a step's %s that is killed", ([name, { facts, writes }]) => {
  const deaths = Array.from({ length: writes }, (_, index) => index + 1).flatMap((at) =>
    SIDES.filter((_side, index) => isLong || at % 4 === (name === "loop" ? 2 : 1) * index + 1).map(
      (when) => [when, at] as const,
    ),
  );
  test.for(deaths)(
    "%s write %s continues to the same end, and nobody is asked twice",
    async (death) => {
      const [when, at] = death;
      const scene = aScene(name);
      onTestFinished(() => removeFixture(scene.fixture));
      live({ when, at });
      await scene.work().catch(() => undefined);
      expect(life.isDead).toBe(true);
      live();
      startAgain(scene.fixture, "implement");
      expect(scene.facts(await scene.work())).toEqual(facts);
      // The step's end was not recorded either: what came of it is still there.
      startAgain(scene.fixture, "implement");
      const kept = await scene.work();
      expect(kept).toHaveProperty("isKept", true);
      expect(scene.facts(kept)).toEqual(facts);
      const run = join(scene.fixture.taskDir, "runs", "implement-1");
      expect(existsSync(checkpointPath(run))).toBe(false);
      expect(existsSync(checkpointPath(join(run, "archive")))).toBe(true);
    },
  );
});

test("a loop that is approved is done, also where a crash comes before its archive and a person commits", async () => {
  const [, loop] = undisturbedRuns.find(([name]) => name === "loop") ?? [];
  const scene = aScene("loop");
  onTestFinished(() => removeFixture(scene.fixture));
  // The last three writes: the archive's, the removal, and that of the seed's file.
  live({ when: "before", at: (loop?.writes ?? 0) - 2 });
  await scene.work().catch(() => undefined);
  live();
  git(scene.fixture.worktree, "commit", "--allow-empty", "-q", "-m", "by a person");
  startAgain(scene.fixture, "implement");
  expect(await scene.work()).toMatchObject({ kind: "done", turns: { length: 4 } });
});
