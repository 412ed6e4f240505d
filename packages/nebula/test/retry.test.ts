import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentFailure, AgentInvoker, AgentResult } from "@quasar/agents";
import { expect, onTestFinished, test, vi } from "vitest";
import { answerPhase } from "../src/people/answer.ts";
import { updateNebula } from "../src/people/update-nebula.ts";
import { loadNebula } from "../src/spec/index.ts";
import { nebulaEvents } from "../src/state/events.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  warnings,
  write,
} from "./place.ts";

const WORK = { "Phase a": (tree: string) => write(tree, { a: "a" }) };
const FILES = { "nebula.toml": MANIFEST, "a.md": phase("a") };

const DIED: AgentFailure = { kind: "auth", message: "It died.", retryable: false };

/** Agents of which one fails in its first turn, whose turns began, and where. */
function failingOnce(role: "coder" | "reviewer", { failure = DIED, onFailure = () => {} } = {}) {
  const turns: string[] = [];
  const trees = new Set<string>();
  let hasFailed = false;
  const of = (agent: AgentInvoker): AgentInvoker => ({
    ...agent,
    async invoke(request, options): Promise<AgentResult> {
      turns.push(request.role);
      trees.add(request.workTree);
      const result = await agent.invoke(request, options);
      if (request.role !== role || hasFailed) return result;
      hasFailed = true;
      onFailure();
      return { ...result, text: "", failure };
    },
  });
  const optionsOf: ReturnType<typeof agentsOf> = (spec) => {
    const { coder, reviewer } = agentsOf(WORK)(spec);
    return { coder: of(coder), reviewer: of(reviewer), maxRetries: 0 };
  };
  return { turns, trees, optionsOf };
}

const retry = (place: Place) =>
  answerPhase(commonDir(place), newest(place), { verb: "retry", phase: "a" });

test("a retry of a phase whose reviewer failed continues with the review", async () => {
  const place = aPlace({}, FILES);
  const { turns, optionsOf } = failingOnce("reviewer");
  const { reason, state } = await place.apply({}, { optionsOf });
  expect([reason, state.phases[0]?.status]).toEqual(["failed", "failed"]);
  expect(retry(place)).toEqual({ kind: "done" });
  const end = await place.apply({}, { optionsOf });
  expect(end.reason).toBe("done");
  expect(end.state.phases[0]).toMatchObject({ attempt: 1, runs: state.phases[0]?.runs });
  expect(turns).toEqual(["coder", "reviewer", "reviewer"]);
});

test.for(["coder", "reviewer"] as const)(
  "a retry after a failed %s begins again where there is nothing to review, or its text is another one",
  async (role) => {
    const place = aPlace({}, FILES);
    const { turns, optionsOf } = failingOnce(role);
    expect((await place.apply({}, { optionsOf })).reason).toBe("failed");
    if (role === "reviewer") {
      write(place.dir, { "a.md": phase("a", 'labels = ["b"]') });
      updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
    }
    expect(retry(place)).toEqual({ kind: "done" });
    const { reason, state } = await place.apply({}, { optionsOf });
    expect([reason, state.phases[0]?.attempt]).toEqual(["done", 2]);
    expect(turns.slice(-2)).toEqual(["coder", "reviewer"]);
  },
);

test.for(["a file", "a commit"] as const)(
  "a retry continues with the review where its work tree holds %s of a person's",
  async (what) => {
    const place = aPlace({}, FILES);
    const { turns, trees, optionsOf } = failingOnce("reviewer");
    await place.apply({}, { optionsOf });
    const [tree = ""] = trees;
    write(tree, { mine: "mine" });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: tree });
    if (what === "a commit") {
      git("add", ".");
      git("commit", "-qm", "Mine");
    }
    retry(place);
    expect((await place.apply({}, { optionsOf })).reason).toBe("done");
    expect(turns).toEqual(["coder", "reviewer", "reviewer"]);
    expect(place.git("ls-tree", "--name-only", "nebula/demo")).toBe("a");
    if (what !== "a file") return;
    const ref = place.git("for-each-ref", "--format=%(refname)", "refs/quasar/nebula/*/left/**");
    const command = `git cherry-pick -n ${ref}`;
    expect(warnings(place)).toEqual([`what was uncommitted in its work tree is kept:\n${command}`]);
    expect(nebulaEvents(commonDir(place), newest(place).id)).toContainEqual(
      expect.objectContaining({ type: "warning", phase: "a", message: warnings(place)[0] }),
    );
    place.git(...command.split(" ").slice(1));
    expect(readFileSync(join(place.repo, "mine"), "utf8")).toBe("mine");
  },
);

/** A coder whose work a hook refuses, with its turns and its tree. */
async function refusedCommit() {
  const place = aPlace({}, FILES);
  write(place.repo, { ".git/hooks/pre-commit": "#!/bin/sh\n! git grep --cached -q bad\n" });
  chmodSync(join(place.repo, ".git/hooks/pre-commit"), 0o755);
  const turns: string[] = [];
  const trees = new Set<string>();
  const optionsOf: ReturnType<typeof agentsOf> = (spec) => {
    const { coder, reviewer } = agentsOf({
      "Phase a": (tree) => {
        turns.push("coder");
        trees.add(tree);
        write(tree, { a: "bad", b: "b" });
      },
    })(spec);
    return { coder, reviewer, maxLintRetries: 0 };
  };
  const { reason, state } = await place.apply({}, { optionsOf });
  expect([reason, state.phases[0]?.status, turns]).toEqual(["failed", "failed", ["coder"]]);
  const [tree = ""] = trees;
  return { place, optionsOf, turns, tree, failed: state.phases[0] };
}

test.for([
  ["what a person has fixed", (tree: string) => write(tree, { a: "good" })],
  [
    "what a person has fixed and committed",
    (tree: string) => {
      write(tree, { a: "good" });
      execFileSync("git", ["commit", "-qam", "Mine"], { cwd: tree });
    },
  ],
] as const)("a retry after a refused commit commits %s, and no coder works", async ([, fix]) => {
  const { place, optionsOf, turns, tree, failed } = await refusedCommit();
  write(tree, { c: "c" });
  execFileSync("git", ["add", "."], { cwd: tree });
  fix(tree);
  expect(retry(place)).toEqual({ kind: "done" });
  const { reason, state } = await place.apply({}, { optionsOf });
  expect(reason).toBe("done");
  expect(state.phases[0]).toMatchObject({ attempt: 1, runs: failed?.runs, isCoderDone: false });
  expect(turns).toEqual(["coder"]);
  expect(place.git("show", "nebula/demo:a")).toBe("good");
  expect(place.git("ls-tree", "--name-only", "nebula/demo")).toBe("a\nb\nc");
});

test("a retry of what nobody has fixed fails again at once, and says nothing of a resume", async () => {
  const { place, optionsOf, turns, failed } = await refusedCommit();
  retry(place);
  const { reason, state } = await place.apply({}, { optionsOf });
  expect([reason, state.phases[0]]).toMatchObject(["failed", { reason: failed?.reason }]);
  expect(failed?.reason).toMatch(/refused the commit .* 0 of 0 times:/u);
  expect(failed?.reason).not.toContain("Fix the files");
  expect(turns).toEqual(["coder"]);
});

test("a retry after a refused commit has the coder work again where its tree is gone", async () => {
  const { place, optionsOf, turns, tree } = await refusedCommit();
  rmSync(tree, { recursive: true });
  rmSync(join(place.repo, ".git/hooks/pre-commit"));
  retry(place);
  const { reason } = await place.apply({}, { optionsOf, acceptSettings: true });
  expect([reason, turns]).toEqual(["done", ["coder", "coder"]]);
});

test("a phase whose run was refused before its review is reviewed by the next retry", async () => {
  const place = aPlace({}, FILES);
  const { turns, trees, optionsOf } = failingOnce("reviewer");
  const stop = new AbortController();
  const stopping: typeof optionsOf = (spec) => {
    const options = optionsOf(spec);
    const { reviewer } = options;
    return {
      ...options,
      reviewer: {
        ...reviewer,
        async invoke(request, given) {
          stop.abort();
          return reviewer.invoke(request, given);
        },
      },
    };
  };
  await place.apply({}, { optionsOf: stopping, signal: stop.signal });
  const [tree = ""] = trees;
  write(tree, { mine: "mine" });
  execFileSync("git", ["commit", "-qm", "Mine", "--allow-empty"], { cwd: tree });
  expect((await place.apply({}, { optionsOf })).reason).toBe("failed");
  retry(place);
  expect((await place.apply({}, { optionsOf })).reason).toBe("done");
  expect(turns.filter((role) => role === "coder")).toEqual(["coder"]);
});

/** Has the time of a phase be over when it is asked for. */
function aTimeout(ms: number): AbortController {
  const over = new AbortController();
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((given) =>
    given === ms && !over.signal.aborted ? over.signal : timeout.call(AbortSignal, given),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  return over;
}

test.for([
  ["hangs until its time is over", "cancelled"],
  ["is stopped by its own limit", "budget"],
] as const)("a retry continues with the review of a reviewer that %s", async ([, kind]) => {
  const place = aPlace({}, { ...FILES, "a.md": phase("a", 'timeout = "77m"') });
  const over = aTimeout(77 * 60_000);
  const onFailure = (): void => void (kind === "cancelled" && over.abort());
  const { turns, optionsOf } = failingOnce("reviewer", {
    failure: { ...DIED, kind },
    onFailure,
  });
  const limits = { maxWorkers: 1, totalUsd: 0, phaseUsd: 0 };
  expect((await place.apply({}, { optionsOf, limits })).reason).toBe("failed");
  retry(place);
  const { reason, state } = await place.apply({}, { optionsOf, limits });
  expect([reason, state.phases[0]?.attempt]).toEqual(["done", 1]);
  expect(turns).toEqual(["coder", "reviewer", "reviewer"]);
});

test("a coder that removes its tree's .git begins again once, then its phase fails and names where its work is", async () => {
  const place = aPlace({}, FILES);
  let turns = 0;
  const work = {
    "Phase a": (tree: string) => {
      turns += 1;
      expect(newest(place).phases[0]?.reason).toBe("");
      write(tree, { "a.txt": `${turns}\n` });
      rmSync(join(tree, ".git"));
      // The second time git has forgotten the tree, too.
      if (turns === 2) place.git("worktree", "prune", "--expire=now");
    },
  };
  const workIn = (reason = ""): string => {
    const [, kept = ""] = / its files are kept in (\S+\.left-[^\s:,]+)[:,]/u.exec(reason) ?? [];
    return readFileSync(join(kept, "a.txt"), "utf8");
  };
  const first = await place.apply(work);
  expect(first.state.phases[0]).toMatchObject({ status: "running" });
  expect(workIn(first.state.phases[0]?.reason)).toBe("1\n");
  const second = await place.apply(work);
  expect(second.state.phases[0]).toMatchObject({ status: "failed" });
  expect(second.state.phases[0]?.reason).toContain("for the second time in this run");
  expect(workIn(second.state.phases[0]?.reason)).toBe("2\n");
  expect(turns).toBe(2);
  expect(retry(place)).toEqual({ kind: "done" });
  expect((await place.apply(WORK)).reason).toBe("done");
});
