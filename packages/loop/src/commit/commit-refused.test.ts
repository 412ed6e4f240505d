import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "@quasar/checkpoint";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  APPROVAL,
  type FakeAgent,
  fakeAgent,
  issue,
  type Reply,
} from "../../test/fake-agent.ts";
import { type Harness, harness } from "../../test/harness.ts";
import type { AgentInvoker } from "@quasar/agents";
import type { FoundTurn } from "@quasar/agents/turns";
import { runFromCheckpoint, runTask } from "../loop.ts";
import type { LoopOptions } from "../options.ts";

const TASK = { id: "t", title: "Make total() work" };
const REPORT = "total() returns 0.\n\nCOMMIT: Return 0 for an empty order";

/** A coder that writes a text into a file, and reports. */
const writes =
  (text: string, report: Reply = REPORT, file = "work.txt"): Answer =>
  ({ workTree }) => {
    writeFileSync(join(workTree, file), text);
    return report;
  };

function hook({ tree }: Harness, name: string, body: string, folder = ".git/hooks"): void {
  mkdirSync(join(tree.dir, folder), { recursive: true });
  writeFileSync(join(tree.dir, folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(tree.dir, folder, name), 0o755);
}

/** Refuses what is not conventional, as commitlint does with its usual configuration. */
const COMMITLINT = `head -1 "$1" | grep -qE '^(feat|fix)(\\([a-z]+\\))?: [a-z].{3,90}$' || { echo "✖ subject may not be empty [subject-empty]: s3cret"; exit 1; }`;
/** Refuses the word "bad". */
const LINT = `if grep -n bad work.txt; then echo "work.txt: 1 problem"; exit 1; fi`;

function loopOf(coder: FakeAgent | AgentInvoker, change: Partial<LoopOptions> = {}): Harness {
  return harness({
    coder,
    commit: { style: "auto" },
    redact: (text) => text.replaceAll("s3cret", "[redacted]"),
    ...change,
  });
}

const promptsOf = ({ requests }: FakeAgent): readonly string[] =>
  requests.map(({ prompt }) => prompt);

describe("a commit-msg hook that refuses", () => {
  test("has the coder asked for a subject only, and the commit gets it", async () => {
    const coder = fakeAgent([writes("good\n"), "COMMIT: fix: return 0 for an empty order"]);
    const loop = loopOf(coder);
    hook(loop, "commit-msg", COMMITLINT);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.git("log", "-1", "--format=%B").trim()).toMatchInlineSnapshot(`
      "fix: return 0 for an empty order

      total() returns 0.

      Quasar-Task: t
      Quasar-Cycle: 1
      Quasar-Turn: run.2"
    `);
    expect(promptsOf(coder)[1]).toMatchInlineSnapshot(`
      "Task (t):

      Make total() work

      The changes for this task are done. A git hook of the repository refused the subject of their commit:

      \`\`\`
      Return 0 for an empty order
      \`\`\`

      This is what was printed:

      \`\`\`
      ✖ subject may not be empty [subject-empty]: [redacted]
      \`\`\`

      Change no file. Answer with nothing but one line, a subject of at most 72 characters that the hook accepts:

      COMMIT: the subject"
    `);
    expect(coder.requests.map(({ access }) => access)).toEqual(["write", "read"]);
    expect(loop.options.reviewer).toHaveProperty(
      "requests.0.prompt",
      expect.stringContaining("total() returns 0."),
    );
    expect(loop.trace()).toMatchInlineSnapshot(`
      [
        "cycle_start 1",
        "agent_start coder run.1",
        "agent_done coder",
        "warning the commit-msg hook refused the commit message (exit code 1): the coder is asked for another subject (1 of 2)",
        "agent_start coder run.2",
        "agent_done coder",
        "committed",
        "agent_start reviewer run.3",
        "agent_done reviewer",
        "review_complete 1 approved",
        "task_success 1",
      ]
    `);
  });

  test.for([
    ["a bare line", "fix: return 0", "fix: return 0"],
    ["marks", "Sure:\n\n**COMMIT:** `fix: return 0`", "fix: return 0"],
  ] as const)("takes %s for the subject", async ([, answer, subject]) => {
    const loop = loopOf(fakeAgent([writes("good\n"), answer]));
    hook(loop, "commit-msg", COMMITLINT);
    await runTask(TASK, loop.options);
    expect(loop.tree.subjects()).toEqual([subject]);
  });

  test("ends the run once the coder has tried as often as it may, with what to do", async () => {
    const coder = fakeAgent([writes("good\n"), "COMMIT: No", "COMMIT: Never"]);
    const loop = loopOf(coder, { maxLintRetries: 2 });
    hook(loop, "commit-msg", COMMITLINT);
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "git", finalCommitSha: result.baseCommitSha });
    expect(result.message).toMatchInlineSnapshot(`
      "the commit-msg hook refused the commit message (exit code 1); the coder has tried to fix it 2 of 2 times:
      ✖ subject may not be empty [subject-empty]: [redacted]
      Fix the files or the hook, do not commit: the run then continues with the commit."
    `);
    expect(coder.requests).toHaveLength(3);
    expect(promptsOf(coder)[2]).toContain("```\nNo\n```");

    hook(loop, "commit-msg", "exit 0");
    const resumed = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(resumed).toMatchObject({ outcome: "approved" });
    expect(loop.tree.subjects()).toEqual(["Never"]);
    expect(coder.requests).toHaveLength(3);
  });

  test("asks anew in each cycle, in the seed's style too", async () => {
    const answers = [
      writes("1\n"),
      "COMMIT: fix: line one",
      writes("2\n"),
      "COMMIT: fix: line two",
    ];
    const reviewer = fakeAgent([issue("no"), APPROVAL]);
    const loop = loopOf(fakeAgent(answers), { reviewer, commit: undefined, maxLintRetries: 1 });
    hook(loop, "commit-msg", COMMITLINT);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.subjects()).toEqual(["fix: line one", "fix: line two"]);
    expect(await loop.store.load()).toBeUndefined();
  });
});

describe("a pre-commit hook that refuses", () => {
  test("has what it printed given to the coder, and all of the work is one commit", async () => {
    const coder = fakeAgent([
      writes("bad\n"),
      writes("good\n", "I said it better.\n\nCOMMIT: Please the lint"),
    ]);
    const loop = loopOf(coder);
    hook(loop, "pre-commit", LINT, ".git/husky");
    loop.tree.git("config", "core.hooksPath", ".git/husky");
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(promptsOf(coder)[1]).toMatch(/```\n1:bad\nwork\.txt: 1 problem\n```/u);
    expect(coder.requests[1]).toMatchObject({ access: "write" });
    expect(loop.tree.git("log", "-1", "--format=%B").trim()).toMatchInlineSnapshot(`
      "Return 0 for an empty order

      total() returns 0.

      I said it better.

      Quasar-Task: t
      Quasar-Cycle: 1
      Quasar-Turn: run.2"
    `);
    expect(loop.tree.subjects()).toHaveLength(1);
  });

  test("gives a lint fix that is refused back too", async () => {
    const coder = fakeAgent([writes("ugly\n"), writes("bad\n"), writes("good\n")]);
    const lint = [{ name: "ugly", command: "! grep -q ugly work.txt" }];
    const loop = loopOf(coder, { lint, maxLintRetries: 1 });
    hook(loop, "pre-commit", LINT);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.files()["work.txt"]).toBe("good\n");
    expect(loop.tree.git("status", "--porcelain")).toBe("");
    expect(loop.tree.subjects()).toHaveLength(2);
  });

  test("costs nobody a turn where a second try passes", async () => {
    const coder = fakeAgent([writes("good   \n")]);
    const loop = loopOf(coder);
    const format = `sed -i 's/ *$//' work.txt; git diff --quiet || { echo "files were modified by this hook"; exit 1; }`;
    hook(loop, "pre-commit", format);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(coder.requests).toHaveLength(1);
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("good\n");
  });

  test("does not have the coder asked where no retries are allowed", async () => {
    const coder = fakeAgent([writes("bad\n")]);
    const loop = loopOf(coder, { maxLintRetries: 0 });
    hook(loop, "pre-commit", LINT);
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({
      outcome: "git",
      message: expect.stringMatching(/pre-commit hook refused[^]*work\.txt: 1 problem/u),
    });
    expect(coder.requests).toHaveLength(1);
  });

  test("stops for its budget, not for a person, where that is used up", async () => {
    const coder = fakeAgent([writes("bad\n", { text: REPORT, costUsd: 3 })]);
    const loop = loopOf(coder, { maxBudgetUsd: 3 });
    hook(loop, "pre-commit", LINT);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "budget" });
    hook(loop, "pre-commit", "exit 0");
    const resumed = await runFromCheckpoint(await loop.stored(), {
      ...loop.options,
      maxBudgetUsd: 9,
    });
    expect(resumed).toMatchObject({ outcome: "approved" });
    expect(coder.requests).toHaveLength(1);
  });
});

describe("a hook that refuses what checks have changed", () => {
  /** Appends a line once, in the first run of the check. */
  const command = "[ -e .git/once ] || { touch .git/once; echo bad >> work.txt; }";
  const check = [{ name: "format", command }];

  test.for([
    ["lint", { lint: check }, 1],
    ["a required check", { filters: check }, 2],
  ] as const)("has the coder fix it after %s", async ([, options, cycle]) => {
    const coder = fakeAgent([writes("good\n"), writes("better\n")]);
    const loop = loopOf(coder, options);
    hook(loop, "pre-commit", LINT.replace("problem", "problem: s3cret"));
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle });
    expect(promptsOf(coder)[1]).toMatch(
      /what the checks changed could not be committed[^]*work\.txt: 1 problem: \[redacted\]/u,
    );
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("better\n");
    expect(loop.tree.git("status", "--porcelain")).toBe("");
  });

  test("gets a message of the coder's own where its words are refused", async () => {
    const coder = fakeAgent([
      writes("good\n", "Done.\n\nCOMMIT: fix: return 0"),
      "COMMIT: fix: take the format",
    ]);
    const loop = loopOf(coder, { lint: check });
    hook(loop, "commit-msg", COMMITLINT);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.subjects()).toEqual(["fix: return 0", "fix: take the format"]);
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("good\nbad\n");
  });

  test("ends the run once the coder has tried as often as it may, and a resume tries the commit", async () => {
    const coder = fakeAgent([writes("good\n"), writes("bad\n"), writes("bad\n")]);
    const loop = loopOf(coder, { lint: check, maxLintRetries: 0 });
    hook(loop, "pre-commit", LINT);
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "git" });
    expect(result.message).toMatchInlineSnapshot(`
      "what the checks changed could not be committed: the pre-commit hook refused the commit (exit code 1); the coder has tried to fix it 0 of 0 times:
      2:bad
      work.txt: 1 problem
      Fix the files or the hook, do not commit: the run then continues with the commit."
    `);
    expect(coder.requests).toHaveLength(1);

    hook(loop, "pre-commit", "exit 0");
    const resumed = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(resumed).toMatchObject({ outcome: "approved" });
    expect(coder.requests).toHaveLength(1);
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("good\nbad\n");
  });
});

test("what git cannot stage is the coder's to fix: a nested repository", async () => {
  const loop = loopOf(
    fakeAgent([
      ({ workTree }) => {
        loop.tree.git("init", "-q", join(workTree, "nested"));
        return REPORT;
      },
      ({ workTree }) => {
        rmSync(join(workTree, "nested"), { recursive: true });
        writeFileSync(join(workTree, "work.txt"), "good\n");
        return REPORT;
      },
    ]),
  );
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(loop.options.coder).toHaveProperty("requests.1.prompt", expect.stringContaining("nested"));
});

test("what is not the coder's to fix ends the run: a lock of git's", async () => {
  const coder = fakeAgent([writes("good\n")]);
  const loop = loopOf(coder);
  writeFileSync(join(loop.tree.dir, ".git/index.lock"), "");
  expect(await runTask(TASK, loop.options)).toMatchObject({
    outcome: "git",
    message: expect.stringContaining("index.lock"),
  });
  expect(coder.requests).toHaveLength(1);
});

/** Of a branch, which a git may be moving that cannot be seen. */
const OF_OTHERS = ".git/refs/heads/other.lock";

test("a lock that the agent's git has left does not keep a run's own tree from its commit", async () => {
  const locks: Answer = ({ workTree }) => {
    writeFileSync(join(workTree, "work.txt"), "good\n");
    // As a git that is killed in `git commit` leaves it.
    writeFileSync(join(workTree, ".git/index.lock"), "");
    writeFileSync(join(workTree, OF_OTHERS), "");
    return REPORT;
  };
  const loop = loopOf(fakeAgent([locks]), { ownsTree: true });
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(existsSync(join(loop.options.workTree, OF_OTHERS))).toBe(true);
  expect(loop.tree.git("show", "--format=", "--name-only").trim()).toBe("work.txt");
});

describe("a run that is killed in the turn that fixes a refused commit", () => {
  /** The checkpoint that is stored when the coder's second turn begins, and the harness it is of. */
  async function killedInFix(
    name: "commit-msg" | "pre-commit",
    body: string,
    text: string,
  ): Promise<{ loop: Harness; checkpoint: Checkpoint }> {
    let stored: Checkpoint | undefined;
    const coder = fakeAgent([
      writes(text),
      async () => {
        stored = await loop.stored();
        throw new Error("killed");
      },
    ]);
    const loop = loopOf(coder, { retries: 0 });
    hook(loop, name, body);
    await runTask(TASK, loop.options);
    if (stored === undefined) throw new Error("there was no second turn");
    return { loop, checkpoint: stored };
  }

  const found = (coder: FakeAgent, state: FoundTurn["state"], reply: string): AgentInvoker => ({
    ...coder,
    find: async () => ({ state }) as FoundTurn,
    adopt: async () => ({ text: reply, costUsd: 0.1, costSource: "reported", durationMs: 1 }),
    end: async () => undefined,
  });

  test.for(["ended", "alive"] as const)(
    "takes the subject of an agent that is %s",
    async (state) => {
      const { loop, checkpoint } = await killedInFix("commit-msg", COMMITLINT, "good\n");
      const coder = fakeAgent(["nobody is asked"]);
      const options = { ...loop.options, coder: found(coder, state, "COMMIT: fix: return 0") };
      expect(await runFromCheckpoint(checkpoint, options)).toMatchObject({ outcome: "approved" });
      expect(loop.tree.subjects()).toEqual(["fix: return 0"]);
      expect(loop.tree.git("log", "-1", "--format=%b")).toContain("total() returns 0.");
      expect(coder.requests).toHaveLength(0);
    },
  );

  test("asks for a subject again, and for nothing else, where the agent is gone", async () => {
    const { loop, checkpoint } = await killedInFix("commit-msg", COMMITLINT, "good\n");
    const coder = fakeAgent(["COMMIT: fix: return 0"]);
    const result = await runFromCheckpoint(checkpoint, { ...loop.options, coder });
    expect(result).toMatchObject({ outcome: "approved" });
    expect(coder.requests).toMatchObject([
      { access: "read", prompt: expect.stringContaining("a subject of at most 72 characters") },
    ]);
    expect(loop.tree.subjects()).toEqual(["fix: return 0"]);
  });

  test("has the coder fix its work again, with what was printed", async () => {
    const { loop, checkpoint } = await killedInFix("pre-commit", LINT, "bad\n");
    const coder = fakeAgent([writes("good\n", "Fixed.")]);
    const result = await runFromCheckpoint(checkpoint, { ...loop.options, coder });
    expect(result).toMatchObject({ outcome: "approved" });
    expect(promptsOf(coder)[0]).toContain("work.txt: 1 problem");
    expect(loop.tree.subjects()).toEqual(["Return 0 for an empty order"]);
  });
});
