import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import type { AgentRequest } from "@quasar/agents";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { answerPhase } from "../src/people/answer.ts";
import { aPlace, MANIFEST, phase, type Work, write, commonDir } from "./place.ts";

// What a coder does with git in the tree of a rework, beside its work or in its place: what has landed stays, and what
// lands has both parents.

/** An agent's git, with what the environment of agents has. */
type Git = (...args: string[]) => string;
const gitOf =
  ({ workTree, turnId }: AgentRequest): Git =>
  (...args) =>
    execFileSync("git", [...AS, ...args], {
      cwd: workTree,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, GIT_REFLOG_ACTION: `quasar:${turnId.replace(".", "/")}` },
    });
/** What git refuses an agent has done nothing. */
const tried = (act: () => void): void => {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error) || !("status" in error)) throw error;
  }
};
const AS = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
const resolve = (tree: string): void => write(tree, { "one.txt": "by a and b\n" });

interface Wild {
  readonly name: string;
  readonly act: (git: Git, tree: string, base: string) => void;
  /** What becomes of the phase. `fails`: a person has it begin again. `waits`: a resume makes its tree again. */
  readonly ends: "lands" | "fails" | "waits";
  /** What is in the branch then. @default what both have made */
  readonly text?: string;
}

const STATUS: Readonly<Record<Wild["ends"], string>> = {
  lands: "done",
  fails: "failed",
  waits: "running",
};

const WILD: readonly Wild[] = [
  {
    name: "aborts the merge",
    ends: "lands",
    act(git, tree) {
      tried(() => git("merge", "--abort"));
      resolve(tree);
    },
  },
  {
    name: "commits by itself",
    ends: "lands",
    act(git, tree) {
      resolve(tree);
      git("commit", "-qam", "Mine");
    },
  },
  {
    name: "collects garbage at once",
    ends: "lands",
    act(git, tree) {
      resolve(tree);
      git("reflog", "expire", "--expire=now", "--all");
      git("gc", "-q", "--prune=now");
    },
  },
  {
    name: "stashes its resolution",
    ends: "lands",
    act(git, tree) {
      resolve(tree);
      git("stash", "-q");
    },
  },
  {
    name: "takes its own side of all",
    ends: "lands",
    text: "by b",
    act(git) {
      git("checkout", "-q", "HEAD^1", "--", "one.txt");
    },
  },
  {
    name: "resets to its own side",
    ends: "fails",
    act(git, tree) {
      git("reset", "-q", "--hard", "HEAD^1");
      write(tree, { "one.txt": "by b, better\n" });
    },
  },
  {
    name: "resets to what has landed",
    ends: "fails",
    act(git, tree) {
      git("reset", "-q", "--hard", "HEAD^2");
      resolve(tree);
    },
  },
  {
    name: "checks out where it all began",
    ends: "fails",
    act(git, tree, base) {
      git("checkout", "-q", "--force", base);
      resolve(tree);
    },
  },
  {
    name: "commits on a branch of its own",
    ends: "fails",
    act(git, tree) {
      git("switch", "-q", "-c", "mine");
      resolve(tree);
      git("commit", "-qam", "Mine");
    },
  },
  {
    name: "leaves a merge that is under way",
    ends: "fails",
    act(git, tree, base) {
      const side = git("commit-tree", `${base}^{tree}`, "-p", base, "-m", "Side").trim();
      tried(() => git("merge", "-q", "--no-commit", "--no-ff", side));
      resolve(tree);
    },
  },
  {
    name: "leaves a rebase that is under way",
    ends: "fails",
    act(git) {
      tried(() => git("-c", "sequence.editor=sed -i 1ibreak", "rebase", "-q", "-i", "HEAD^1"));
    },
  },
  {
    name: "leaves a bisection that is under way",
    ends: "fails",
    act(git, tree) {
      git("bisect", "start");
      resolve(tree);
    },
  },
  {
    name: "deletes its tree",
    ends: "waits",
    act(_git, tree) {
      rmSync(tree, { recursive: true });
    },
  },
  {
    name: "removes its work tree",
    ends: "waits",
    act(git, tree) {
      git("worktree", "remove", "--force", tree);
    },
  },
];

test.for(sample(WILD, 3, 6))(
  "a coder that $name within a rework $ends, and loses nothing",
  async ({ act, ends, text = "by a and b" }) => {
    const place = aPlace(
      { "one.txt": "start\n", "two.txt": "two\n" },
      { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") },
    );
    const base = place.git("rev-parse", "main");
    let hasActed = false;
    const work: Work = {
      "Phase a": (tree) => write(tree, { "one.txt": "by a\n", "a.txt": "a\n" }),
      "Phase b": async (tree, request) => {
        const isFirst = !request.prompt.includes("REWORK:");
        if (isFirst) write(tree, { "one.txt": hasActed ? "by a and b\n" : "by b\n" });
        if (isFirst && !hasActed) await place.after("phase_landed", "a");
        if (isFirst) return;
        if (hasActed) return resolve(tree);
        hasActed = true;
        act(gitOf(request), tree, base);
      },
    };
    const first = await place.apply(work);
    const [a, b] = first.state.phases;
    expect(a?.status).toBe("done");
    expect(b?.attempt).toBe(2);
    expect(b?.status).toBe(STATUS[ends]);
    if (b?.status !== "done") {
      expect(place.landings()).toEqual(["Land a: Phase a"]);
      if (ends === "fails") {
        answerPhase(commonDir(place), first.state, { verb: "retry", phase: "b" });
      }
      expect((await place.apply(work)).reason).toBe("done");
    }
    expect(place.landings()).toEqual(["Land a: Phase a", "Land b: Phase b"]);
    expect(place.git("show", "nebula/demo:one.txt")).toBe(text);
    expect(place.git("ls-tree", "-r", "--name-only", "nebula/demo").split("\n")).toEqual([
      "a.txt",
      "one.txt",
      "two.txt",
    ]);
    expect(place.git("merge-base", a?.candidate ?? "", "nebula/demo")).toBe(a?.candidate);
    expect(place.git("status", "--porcelain")).toBe("");
    expect(place.git("branch", "--show-current")).toBe("main");
  },
);
