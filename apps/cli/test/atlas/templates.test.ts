import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { listTasks } from "@quasar/tasks";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { type Finished, git, lastRecord, records, write } from "../harness.ts";
import { APPROVAL, type Turn } from "../scripts.ts";
import {
  atlas,
  atlasJson,
  type AtlasPlace,
  atlasPlace,
  receiptsOf,
  scripted,
  taskDirOf,
  workTreeOf,
} from "./harness.ts";
import { type RemotePlace, remoteHead, withRemote } from "./remote.ts";

const REVIEWER: Turn = { role: "reviewer", text: APPROVAL, costUsd: 0.1 };
const CODER: Turn = {
  role: "coder",
  text: "Fixed.",
  files: { "work.txt": "right\n" },
  costUsd: 0.2,
};

/** Agents for every step of every built-in template. */
const TURNS: readonly Turn[] = [
  ...["analyze", "specify", "plan", "analyze_changes"].map(
    (step): Turn => ({
      role: "coder",
      match: `Step: ${step} `,
      text: `Said of ${step}.`,
      costUsd: 0.1,
    }),
  ),
  {
    role: "reviewer",
    match: "Step: verify ",
    text: '{ "passed": true, "issues": [], "summary": "It is as specified." }',
    costUsd: 0.1,
  },
  CODER,
  REVIEWER,
];

/** How a built-in template goes through its steps here. */
interface Walk {
  readonly template: string;
  readonly branch: string;
  /** With what became of each. */
  readonly steps: Readonly<Record<string, "completed" | "skipped">>;
  readonly subject: string;
}

const WALKS: readonly Walk[] = [
  {
    template: "bugfix",
    branch: "fix/add-a-file",
    subject: "fix: Add a file",
    steps: {
      analyze: "completed",
      implement: "completed",
      validate: "completed",
      git_commit: "skipped",
      git_push: "completed",
      git_pr: "completed",
      review: "completed",
    },
  },
  {
    template: "patch",
    branch: "patch/add-a-file",
    subject: "fix: Add a file",
    steps: {
      fix: "completed",
      validate: "completed",
      git_commit: "skipped",
      git_push: "completed",
    },
  },
  {
    template: "feature",
    branch: "feat/add-a-file",
    subject: "feat: Add a file",
    steps: {
      specify: "completed",
      review_spec: "completed",
      plan: "completed",
      implement: "completed",
      verify: "completed",
      validate: "completed",
      git_commit: "skipped",
      git_push: "completed",
      git_pr: "completed",
      ci_wait: "completed",
      review: "completed",
    },
  },
  {
    template: "task",
    branch: "task/add-a-file",
    subject: "chore: Add a file",
    steps: {
      implement: "completed",
      validate: "completed",
      git_commit: "skipped",
      git_push: "completed",
      git_pr: "completed",
      review: "completed",
    },
  },
];

/** Each is a chain of processes, on a machine that may be busy. */

const VALIDATE = ["--validate", "test -s work.txt"];

function remotePlace(): RemotePlace {
  return withRemote(atlasPlace());
}

/** Every line is JSON, the first says what is worked on, the last how it ended: as the exit code does. */
function readJson(done: Finished): Readonly<Record<string, unknown>> {
  const all = records(done.stdout);
  expect(
    all.find(({ type }) => type !== "warning"),
    done.stderr,
  ).toMatchObject({ type: "task" });
  expect(all.at(-1), done.stderr).toMatchObject({ type: "result", exit: done.code });
  return lastRecord(done);
}

interface Step {
  readonly name: string;
  readonly type: string;
  readonly status: string;
}

interface Shown {
  readonly state: string;
  readonly branch: string;
  readonly baseSha: string;
  readonly steps: readonly Step[];
  readonly events: readonly string[];
}

function show(at: AtlasPlace): Shown {
  const [found] = listTasks(at.home);
  if (found?.hook === undefined) throw new Error("there is no task");
  const { state, branch, steps, history } = found.hook;
  const task = JSON.parse(readFileSync(join(found.dir, "task.json"), "utf8")) as {
    readonly metadata: { readonly base_sha: string };
  };
  const events = history.map(({ trigger }) => trigger);
  return { state, branch, steps, events, baseSha: task.metadata.base_sha };
}

const statuses = ({ steps }: Shown): Readonly<Record<string, string>> =>
  Object.fromEntries(steps.map(({ name, status }) => [name, status]));

/** Approves and resumes until nobody is asked any more; gives the steps that waited, and the last end. */
async function untilDone(
  at: RemotePlace,
  started: Finished,
): Promise<{ readonly gates: readonly string[]; readonly last: Finished }> {
  const gates: string[] = [];
  let last = started;
  while (last.code === 9) {
    const { outcome, state, step } = readJson(last);
    expect([outcome, state]).toEqual(["awaiting", "awaiting_human"]);
    gates.push(String(step));
    const approved = await atlasJson(at, ["approve", "--yes"]);
    expect(approved).toMatchObject({ code: 0, type: "approve" });
    last = await atlas(at, ["resume", "--json"]);
  }
  return { gates, last };
}

/** Verifies each receipt by the command. */
async function expectValidReceipts(at: RemotePlace, count: number): Promise<void> {
  const receipts = receiptsOf(at);
  expect(receipts).toHaveLength(count);
  for (const receipt of receipts) {
    const verified = await atlas(at, ["hook", "verify-receipt", receipt]);
    expect(verified.code, verified.stdout).toBe(0);
    expect(verified.stdout).toContain("Signature: VALID ✓");
  }
}

// SPEC.md, statements 6, 211.
test.for(sample(WALKS, 1, 1))(
  "$template goes from its start to completed, with each gate approved",
  async ({ template, branch, steps, subject }) => {
    const at = remotePlace();
    const args = ["start", "Add a file", "--template", template, "--use-local", ...VALIDATE];
    const started = await atlas(at, [...args, "--json", ...scripted(at, TURNS)]);
    const { gates, last } = await untilDone(at, started);

    const done = show(at);
    expect(gates).toEqual(
      done.steps.filter(({ type }) => type === "human").map(({ name }) => name),
    );
    // What a person's word has ended has nothing to continue with.
    expect(last.code, last.stderr).toBe(gates.at(-1) === done.steps.at(-1)?.name ? 8 : 0);
    expect(done).toMatchObject({ state: "completed", branch });
    expect(statuses(done)).toEqual(steps);

    const there = { ...at, repo: workTreeOf(at) };
    const head = git(there, "rev-parse", "HEAD");
    expect(git(there, "log", "--format=%s", "main..HEAD")).toBe(subject);
    expect(git(there, "show", "HEAD:work.txt")).toBe("right");
    expect(git(there, "status", "--porcelain")).toBe("");
    expect(remoteHead(at, branch)).toBe(head);
    expect(remoteHead(at, "main")).toBe(done.baseSha);
    const expectedPrs = "git_pr" in steps ? [{ headRefName: branch, headRefOid: head }] : [];
    expect(at.gh.state().pullRequests).toMatchObject(expectedPrs);
    await expectValidReceipts(at, 1);

    // Nothing is left in the user's own repository.
    expect(git(at, "status", "--porcelain")).toBe("");
    expect(git(at, "rev-parse", "HEAD")).toBe(done.baseSha);
    expect(existsSync(join(at.repo, ".git/hooks/post-commit"))).toBe(false);
    const status = await atlas(at, ["status"]);
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("completed")]);
    expect((await atlas(there, ["hook", "context"])).code).toBe(1);
  },
);

// SPEC.md, statements 6, 211.
test("commit goes through what is uncommitted where it is started, commits it and pushes it", async () => {
  const at = remotePlace();
  git(at, "switch", "--quiet", "--create", "side");
  write(at.repo, { "a.txt": "two\n", "new.txt": "new\n" });
  const args = ["start", "Say two", "--template", "commit", "--use-local", "--json"];
  const started = await atlas(at, [...args, ...scripted(at, TURNS)]);
  expect(started.code, started.stderr).toBe(0);
  expect(readJson(started)).toMatchObject({ outcome: "completed", state: "completed" });
  const done = show(at);
  expect(statuses(done)).toEqual({
    analyze_changes: "completed",
    git_commit: "completed",
    git_push: "completed",
  });
  expect(git(at, "log", "--format=%s", "main..side")).toBe("chore: Say two");
  expect(git(at, "log", "-1", "--format=%(trailers:key=Quasar-Step,valueonly)")).toBe("git_commit");
  expect(git(at, "show", "--format=", "--name-only", "side")).toBe("a.txt\nnew.txt");
  expect(git(at, "status", "--porcelain")).toBe("");
  expect(remoteHead(at, "side")).toBe(git(at, "rev-parse", "side"));
  expect(git(at, "worktree", "list").split("\n")).toHaveLength(1);
});

test("without a remote and without a validation command a task says so, and is not taken for validated or pushed", async () => {
  const at = atlasPlace();
  const args = ["start", "Add a file", "--template", "task", "--json", ...scripted(at, TURNS)];
  const started = await atlas(at, args);
  expect(started.code, started.stderr).toBe(9);
  const message = expect.stringContaining("no validation command is configured") as string;
  expect(readJson(started)).toMatchObject({ outcome: "awaiting", step: "validate", message });
  expect(await atlasJson(at, ["skip", "--reason", "there are no tests"])).toMatchObject({
    code: 0,
  });
  const resumed = await atlas(at, ["resume", "--json"]);
  expect(readJson(resumed)).toMatchObject({ exit: 9, step: "review" });
  const done = show(at);
  expect(statuses(done)).toMatchObject({
    implement: "completed",
    validate: "skipped",
    git_commit: "skipped",
    git_push: "skipped",
    git_pr: "skipped",
  });
  const { stdout } = await atlas(at, ["status"]);
  expect(stdout).toMatch(/- validate +skipped +there are no tests/u);
  expect(stdout).toMatch(/- git_push +skipped .*no remote/u);
  expect(stdout).toMatch(/- git_pr +skipped .*no remote/u);
  expect(existsSync(join(taskDirOf(at), "artifacts/receipts"))).toBe(false);
});

test("a validation that fails is fixed by the agent, run again, and both outcomes are signed", async () => {
  const at = remotePlace();
  const wrong: Turn = { ...CODER, files: { "work.txt": "wrong\n" } };
  const turns = [{ ...CODER, match: "Step: validate " }, wrong, REVIEWER];
  const validate = ["--validate", "echo looked; grep right work.txt"];
  const args = ["start", "Add a file", "--template", "patch", "--use-local", "--json", ...validate];
  const started = await atlas(at, [...args, ...scripted(at, turns)]);
  expect(started.code, started.stderr).toBe(0);
  const told = records(started.stdout).map(({ type }) => type);
  expect(told.filter((type) => type === "command_done")).toHaveLength(2);
  const { receipts } = JSON.parse(readFileSync(join(taskDirOf(at), "hook.json"), "utf8")) as {
    readonly receipts: readonly { readonly exit_code: number }[];
  };
  expect(receipts.map(({ exit_code }) => exit_code)).toEqual([1, 0]);
  await expectValidReceipts(at, 2);
  const there = { ...at, repo: workTreeOf(at) };
  expect(git(there, "show", "HEAD:work.txt")).toBe("right");
  expect(remoteHead(at, "patch/add-a-file")).toBe(git(there, "rev-parse", "HEAD"));
});

test("a rejected review is worked on again, into the same pull request; another task continues from its branch", async () => {
  const at = remotePlace();
  const better: Turn = {
    ...CODER,
    match: "say it in German",
    files: { "work.txt": "richtig\n" },
  };
  const more: Turn = { ...CODER, match: "Write more", files: { "more.txt": "more\n" } };
  const agents = scripted(at, [better, more, ...TURNS]);
  const options = ["--use-local", "--json", ...VALIDATE, ...agents];
  const started = await atlas(at, ["start", "Add a file", "--template", "task", ...options]);
  expect(readJson(started)).toMatchObject({ exit: 9, step: "review" });
  const first = remoteHead(at, "task/add-a-file");
  const rejected = await atlasJson(at, ["reject", "--feedback", "say it in German"]);
  expect(rejected).toMatchObject({ code: 0, state: "step_pending" });
  const resumed = await atlas(at, ["resume", "--json"]);
  expect(readJson(resumed)).toMatchObject({ exit: 9, step: "review" });

  const there = { ...at, repo: workTreeOf(at) };
  const second = git(there, "rev-parse", "HEAD");
  expect(git(there, "rev-parse", "HEAD^")).toBe(first);
  expect(git(there, "show", "HEAD:work.txt")).toBe("richtig");
  expect(remoteHead(at, "task/add-a-file")).toBe(second);
  expect(at.gh.state().pullRequests).toMatchObject([{ headRefName: "task/add-a-file" }]);
  await expectValidReceipts(at, 2);
  const approved = await atlasJson(at, ["approve", "--yes"]);
  expect(approved).toMatchObject({ code: 0, state: "completed" });

  const taskId = basename(taskDirOf(at));
  const going = ["start", "Write more", "--template", "patch", "--from-task", taskId, ...options];
  const next = await atlas(at, going);
  expect(next.code, next.stderr).toBe(0);
  expect(git(there, "rev-parse", "HEAD^")).toBe(second);
  expect(remoteHead(at, "task/add-a-file")).toBe(git(there, "rev-parse", "HEAD"));
  expect(listTasks(at.home)).toHaveLength(2);
});

test("with --here the user's own work tree and branch are worked on, and nothing else is made", async () => {
  const at = remotePlace();
  git(at, "switch", "--quiet", "--create", "side");
  const args = ["start", "Add a file", "--template", "patch", "--here", "--use-local", ...VALIDATE];
  const started = await atlas(at, [...args, "--json", ...scripted(at, TURNS)]);
  expect(started.code, started.stderr).toBe(0);
  expect(workTreeOf(at)).toBe(at.repo);
  expect(git(at, "log", "--format=%s", "main..side")).toBe("fix: Add a file");
  expect(remoteHead(at, "side")).toBe(git(at, "rev-parse", "side"));
  // Nobody is told to have it removed.
  const { next } = readJson(started);
  expect(next).toEqual([`git -C ${at.repo} log side`]);
  expect(git(at, "worktree", "list").split("\n")).toHaveLength(1);
  expect(git(at, "branch", "--format=%(refname:short)")).toBe("main\nside");
  expect(git(at, "status", "--porcelain")).toBe("");
});

test("with --here nothing of the user's own is committed or in the way where HOME is the work tree", async () => {
  const at = remotePlace();
  const env = { HOME: at.repo, ATLAS_HOME: "", XDG_CACHE_HOME: "" };
  const args = ["start", "Add a file", "--template", "patch", "--here", "--use-local", ...VALIDATE];
  const started = await atlas(at, [...args, ...scripted(at, TURNS)], { env });
  expect(started.code, started.stderr).toBe(0);
  expect(existsSync(join(at.repo, ".atlas", "keys", "master.key"))).toBe(true);
  expect(git(at, "ls-tree", "-r", "--name-only", "HEAD")).not.toMatch(/\.(?:atlas|cache|local)/u);
  expect(git(at, "status", "--porcelain")).toBe("");
});

test("a commit made after the approval is not pushed before a person has seen what differs", async () => {
  const at = remotePlace();
  write(at.home, { "greet.toml": GREET, "config.toml": 'templates.greet = "greet.toml"\n' });
  const options = ["--template", "greet", "--var", "whom=Ada", "--use-local", ...VALIDATE];
  const started = await atlas(at, [
    "start",
    "Be kind",
    ...options,
    ...scripted(at, [CODER, REVIEWER]),
  ]);
  expect(started.code, started.stderr).toBe(9);
  expect(started.stdout).toContain("accept it and continue; push will run");
  expect((await atlas(at, ["approve"])).stdout).toContain("approving leads to: git push\n");
  expect((await atlas(at, ["approve", "--yes"])).code).toBe(0);
  const there = { ...at, repo: workTreeOf(at) };
  write(there.repo, { "evil.txt": "evil\n" });
  git(there, "add", "--all");
  git(there, "commit", "--quiet", "--message", "evil");

  const resumed = await atlas(at, ["resume"]);
  expect(resumed.code).toBe(9);
  expect(remoteHead(at, "hello/be-kind")).toBe("");
  for (const { stdout } of [resumed, await atlas(at, ["status"])]) {
    expect(stdout).toContain("not what was approved: evil.txt");
    expect(stdout).toContain("atlas approve # see what was done");
  }
  const hookMd = (await atlas(there, ["hook", "context"])).stdout;
  expect(hookMd).toContain("not what was approved: evil.txt");
  const again = await atlas(at, ["approve", "--yes"]);
  expect(again.stdout).toContain("b/evil.txt");
  expect(again.stdout).toMatch(/push is due/u);
  expect((await atlas(at, ["resume"])).code).toBe(0);
  expect(remoteHead(at, "hello/be-kind")).toBe(git(there, "rev-parse", "HEAD"));
});

test("a template of one's own goes through its steps with the variables that are said", async () => {
  const at = remotePlace();
  write(at.repo, { ".atlas/greet.toml": GREET, ".atlas/.gitignore": "*\n" });
  write(at.home, {
    "config.toml": `templates.greet = "${join(at.repo, ".atlas/greet.toml")}"\n`,
  });
  const hi: Turn = { ...CODER, match: "Greet Ada, then wave", files: { "work.txt": "Hi Ada\n" } };
  const options = ["--var", "whom=Ada", "--json", "--use-local", ...VALIDATE];
  const agents = scripted(at, [hi, REVIEWER]);
  expect((await atlas(at, ["start", "Be kind", "--template", "greet", ...agents])).code).toBe(2);
  const started = await atlas(at, [
    "start",
    "Be kind",
    "--template",
    "greet",
    ...options,
    ...agents,
  ]);
  const { gates, last } = await untilDone(at, started);
  expect([gates, last.code]).toEqual([["look"], 0]);
  expect(statuses(show(at))).toEqual({
    greet: "completed",
    look: "completed",
    check: "completed",
    push: "completed",
  });
  expect(git({ ...at, repo: at.bare }, "show", "hello/be-kind:work.txt")).toBe("Hi Ada");
});

const GREET = `id = "greet"
description = "Greet somebody"
branch_prefix = "hello"

[variables.whom]
description = "Whom to greet"

[variables.how]
description = "What to do then"
default = "wave"

[[steps]]
name = "greet"
type = "loop"
description = "Greet {{whom}}"
prompt = "Greet {{whom}}, then {{how}}. {{description}}"

[[steps]]
name = "look"
type = "human"
description = "A person looks"
prompt = "Is {{whom}} greeted?"

[[steps]]
name = "check"
type = "validation"
description = "Check it"

[[steps]]
name = "push"
type = "git"
action = "push"
description = "Push it"
`;
