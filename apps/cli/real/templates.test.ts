import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
// @boundaries-ignore the model stub of the real agents is for all tests that run them
import type { ModelScript } from "../../../packages/agents/real/model-stub.ts";
// @boundaries-ignore what that stub is asked
import type { ModelRequest } from "../../../packages/agents/real/model-request.ts";
import { type Finished, realPlace, type RealPlace } from "./place.ts";

const REVIEW = {
  verdict: "approved",
  findings: [],
  verifications: [],
  report: { satisfaction: "high", risk: "low", needs_human_review: false, summary: "Fine." },
};

/** What is asked: `implement`, or `implement reviewed`. */
function asked({ system, prompts }: ModelRequest): string {
  const [, step = "?"] = /Step: (\w+) \(/u.exec(prompts.at(-1) ?? "") ?? [];
  return `${system}${prompts.join("\n")}`.includes("You are the reviewer of")
    ? `${step} reviewed`
    : step;
}

/** Reads and says what it found, writes `work.txt`, approves what it has looked at. */
const MODEL =
  (workTree: () => string): ModelScript =>
  (request) => {
    const what = asked(request);
    if (what.endsWith(" reviewed")) {
      return request.step === 0 ? { shell: "git status" } : { json: REVIEW };
    }
    if (!["implement", "fix"].includes(what)) {
      return request.step === 0 ? { shell: "git status" } : { text: `Said of ${what}.` };
    }
    return request.step === 0
      ? { write: { path: join(workTree(), "work.txt"), content: "right\n" } }
      : { text: "Done." };
  };

/** What the model is asked, turn by turn. */
const turnsOf = ({ stub }: RealPlace): readonly string[] =>
  stub.requests.filter(({ step }) => step === 0).map(asked);

const resultOf = ({ stdout }: Finished): Readonly<Record<string, unknown>> => {
  const lines = stdout.trim().split("\n");
  return JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown>;
};

/** Approves and resumes until nobody is asked any more. */
async function untilDone(at: RealPlace, started: Finished): Promise<readonly unknown[]> {
  const gates: unknown[] = [];
  let last = started;
  while (last.code === 9) {
    gates.push(resultOf(last)["step"]);
    expect((await at.atlas("approve", "--yes")).code).toBe(0);
    last = await at.atlas("resume", "--json");
  }
  expect([0, 8], last.stdout + last.stderr).toContain(last.code);
  return gates;
}

const VALIDATE = ["--validate", "test -s work.txt"];

const LOOP = (step: string): readonly string[] => [step, `${step} reviewed`];

// The one that takes longest goes first.
// SPEC.md, statements 6, 211.
test.concurrent.for([
  {
    template: "feature",
    gates: ["review_spec", "review"],
    turns: ["specify", "plan", ...LOOP("implement"), "verify reviewed"],
  },
  { template: "bugfix", gates: ["review"], turns: ["analyze", ...LOOP("implement")] },
  { template: "task", gates: ["review"], turns: LOOP("implement") },
  { template: "patch", gates: [], turns: LOOP("fix") },
  { template: "commit", gates: [], turns: ["analyze_changes"] },
] as const)(
  "Claude Code takes $template from its start to completed",
  async ({ template, gates, turns }, { expect, onTestFinished }) => {
    const at = await realPlace(MODEL);
    onTestFinished(at.remove);
    if (template === "commit") writeFileSync(join(at.repo, "work.txt"), "right\n");
    const args = ["start", "Add a file", "--template", template, "--use-local", "--json"];
    const started = await at.atlas(...args, ...VALIDATE);
    expect(await untilDone(at, started)).toEqual(gates);

    const { state, branch, worktree_path: there, steps, receipts } = at.hook();
    expect(state).toBe("completed");
    const unfinished = steps.filter(
      ({ status, name }) => status !== "completed" && name !== "git_commit",
    );
    expect(unfinished).toEqual([]);
    expect(turnsOf(at)).toEqual(turns);
    expect(at.git(there, "show", "HEAD:work.txt")).toBe("right");
    expect(at.git(there, "log", "--format=%s", "HEAD^..HEAD")).toMatch(/^\w+: Add a file$/u);
    expect(at.git(there, "status", "--porcelain")).toBe("");
    expect(at.git(at.bare, "rev-parse", branch)).toBe(at.git(there, "rev-parse", "HEAD"));
    const hasPr = steps.some(({ name }) => name === "git_pr");
    expect(at.gh.state().pullRequests).toMatchObject(hasPr ? [{ headRefName: branch }] : []);
    for (const { receipt_id } of receipts) {
      expect((await at.atlas("hook", "verify-receipt", receipt_id)).code).toBe(0);
    }
    expect(receipts).toHaveLength(template === "commit" ? 0 : 1);
    const { cost } = JSON.parse((await at.atlas("status", "--json")).stdout) as {
      readonly cost: { readonly spentUsd: number };
    };
    expect(cost.spentUsd).toBeCloseTo(at.stub.billedUsd, 9);
  },
);

/** Kills atlas, or all that runs, each time the model is asked for what is named, in its second request. */
async function killedAt(
  at: RealPlace,
  moments: readonly string[],
  withAgents: boolean,
): Promise<Finished> {
  const left = [...moments];
  const script = at.stub.script;
  let running = at.start(
    "start",
    "Add a file",
    "--template",
    "bugfix",
    "--use-local",
    "--json",
    ...VALIDATE,
  );
  for (;;) {
    const killed = Promise.withResolvers<"killed">();
    at.stub.script = (request) => {
      const turn = script(request);
      if (left[0] !== asked(request) || request.step !== 1) return turn;
      left.shift();
      const answered = Promise.withResolvers<void>();
      running.kill();
      void (async () => {
        await running.finished;
        if (withAgents) await at.endAgents();
        killed.resolve("killed");
        // The agent that lives on has its answer while nobody listens.
        answered.resolve();
      })();
      return { ...turn, after: answered.promise };
    };
    const ended = await Promise.race([running.finished, killed.promise]);
    const last = ended === "killed" || ended.code === null ? await killed.promise : ended;
    if (last !== "killed") {
      expect(left).toEqual([]);
      return last;
    }
    running = at.start("resume", "--json");
  }
}

// SPEC.md, statements 1-4, 9.
test.runIf(lane === "long").for([
  ["atlas alone", false],
  ["atlas and Claude Code", true],
] as const)(
  "a bugfix in each of whose turns there was a kill -9 of %s continues to its end, and no step is done twice",
  async ([, withAgents], { onTestFinished }) => {
    const at = await realPlace(MODEL);
    onTestFinished(at.remove);
    const turns = ["analyze", ...LOOP("implement")];
    const last = await killedAt(at, turns, withAgents);
    expect(last.code, last.stdout + last.stderr).toBe(9);
    expect(await untilDone(at, last)).toEqual(["review"]);
    const { state, branch, worktree_path: there, receipts } = at.hook();
    expect(state).toBe("completed");
    // A turn whose agent lived on is asked for once; one that was killed continues in its session.
    const expected = withAgents ? turns.flatMap((turn) => [turn, turn]) : turns;
    expect(turnsOf(at)).toEqual(expected);
    expect(at.git(there, "rev-list", "--count", "main..HEAD")).toBe("1");
    expect(at.git(there, "status", "--porcelain")).toBe("");
    expect(at.git(at.bare, "rev-parse", branch)).toBe(at.git(there, "rev-parse", "HEAD"));
    expect(at.gh.state().pullRequests).toHaveLength(1);
    expect(receipts).toHaveLength(1);
  },
);
