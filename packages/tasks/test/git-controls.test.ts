import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker } from "@quasar/agents";
import { afterAll, expect, test } from "vitest";
import { PROGRAM_PARTS } from "../src/engine/drive-task.ts";
import { retryTask } from "../src/operations/people.ts";
import type { RunningStep, StepOutcome } from "../src/steps/step.ts";
import { aTestFolder, git, settleGit } from "./git-task.ts";
import { aRealTask, type RealTask } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

const CHANGED = "Git's settings or hooks changed since the work began";

/** Drives a task; its coder meddles in each of its turns whose prompt fits. */
function drive(task: RealTask, match: RegExp, meddle: () => void): ReturnType<RealTask["drive"]> {
  const coder: AgentInvoker = {
    ...task.ports.coder,
    async invoke(request, options) {
      const result = await task.ports.coder.invoke(request, options);
      if (match.test(request.prompt)) meddle();
      return result;
    },
  };
  return task.drive({ ports: { ...task.ports, coder } });
}

const configure = ({ worktree }: RealTask, ...setting: readonly string[]): void =>
  void git(worktree, "config", ...setting);
const pushedTo = (bare: string): string =>
  git(bare, "for-each-ref", "--format=%(objectname)", "refs/heads/fix");

/** A validation of one command, which is not asked to fix anything. */
const validationBy = (command: string) =>
  ({
    commands: [{ name: "check", command }],
    source: "config",
    timeoutMs: 60_000,
    maxFixes: 0,
  }) as const;

async function elsewhere(task: RealTask): Promise<string> {
  const bare = join(task.dir, "elsewhere");
  git(task.dir, "init", "-q", "--bare", bare);
  return bare;
}

function hook({ dir }: RealTask, name: string, script: string): string {
  const path = join(dir, "repo/.git/hooks", name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("a task whose coder changes where pushes go stops, and continues when that is put back", async () => {
  const task = await aRealTask(join(folder.dir, "put-back"));
  const other = await elsewhere(task);
  const { hook: stopped } = await drive(task, /Fix this/u, () =>
    configure(task, "remote.origin.pushurl", other),
  );
  expect(stopped).toMatchObject({
    currentStep: { stepName: "implement" },
    awaiting: {
      kind: "git",
      reason: expect.stringMatching(
        /nothing is committed or pushed with it: remote\.origin\.pushurl: ".*elsewhere" .*atlas retry --accept-settings$/u,
      ),
    },
  });
  await retryTask(task.prepared.taskDir, task.ports);
  expect(await task.drive()).toMatchObject({ hook: { awaiting: { kind: "git" } } });

  configure(task, "remote.origin.pushurl", task.bare);
  await retryTask(task.prepared.taskDir, task.ports);
  expect(await task.drive()).toMatchObject({ hook: { awaiting: { kind: "review" } } });
  expect(pushedTo(task.bare)).toBe(git(task.worktree, "rev-parse", "HEAD"));
  expect(pushedTo(other)).toBe("");
  // The analysis, the coder and its reviewer: nobody was asked twice.
  expect(task.prompts).toHaveLength(3);
});

test("what a turn that only reads changes stops the task, and is pushed with once it is accepted", async () => {
  const task = await aRealTask(join(folder.dir, "accepted"));
  const other = await elsewhere(task);
  const { hook: stopped } = await drive(task, /Find the cause/u, () =>
    configure(task, `url.${other}.pushInsteadOf`, task.bare),
  );
  expect(stopped).toMatchObject({
    currentStep: { stepName: "analyze" },
    awaiting: { kind: "git", reason: expect.stringContaining(".pushinsteadof: ") },
  });
  await retryTask(task.prepared.taskDir, task.ports, { acceptControls: task.ports });
  expect(await task.drive()).toMatchObject({ hook: { awaiting: { kind: "review" } } });
});

test("a git hook that a validation puts there runs in neither commit nor push", async () => {
  const ran = join(folder.dir, "ran");
  const home = join(folder.dir, "validation/home");
  const command = `rm $(find ${home} -name git-controls.json) && printf '#!/bin/sh\\ntouch ${ran}\\n' > "$(git rev-parse --git-common-dir)/hooks/pre-push"; chmod +x "$(git rev-parse --git-common-dir)/hooks/pre-push"`;
  const task = await aRealTask(join(folder.dir, "validation"), {
    config: { validation: validationBy(command) },
  });
  const { hook: stopped } = await task.drive();
  expect(stopped).toMatchObject({
    currentStep: { stepName: "validate" },
    awaiting: {
      kind: "validation",
      reason: expect.stringContaining("git hook .git/hooks/pre-push: new"),
    },
  });
  expect(task.events).toContainEqual({
    type: "warning",
    message: `${CHANGED}: git hook .git/hooks/pre-push: new; what these are compared with: changed, and made what it was.`,
  });
  expect(existsSync(ran)).toBe(false);
  expect(pushedTo(task.bare)).toBe("");

  // It makes it again each time, as a tool does that sets git hooks up.
  await retryTask(task.prepared.taskDir, task.ports);
  expect(await task.drive()).toMatchObject({ hook: { awaiting: { kind: "validation" } } });
  await retryTask(task.prepared.taskDir, task.ports, { acceptControls: task.ports });
  expect(await task.drive()).toMatchObject({ hook: { awaiting: { kind: "review" } } });
  expect(existsSync(ran)).toBe(true);
});

test("a filter that a validation sets is not run when its tree is named", async () => {
  const ran = join(folder.dir, "filtered");
  const command = `git config filter.mine.clean 'touch ${ran}; cat'; echo '* filter=mine' > .gitattributes`;
  const task = await aRealTask(join(folder.dir, "filter"), {
    config: { validation: validationBy(command) },
  });
  const { hook: stopped } = await task.drive();
  expect(stopped.awaiting?.reason).toContain("filter.mine.clean");
  expect(existsSync(ran)).toBe(false);
});

test("what changes while a git step begins keeps it from pushing", async () => {
  const task = await aRealTask(join(folder.dir, "meanwhile"));
  const { executors } = PROGRAM_PARTS;
  const run = (input: RunningStep): Promise<StepOutcome> => {
    if (input.step.name === "git_push") hook(task, "pre-push", "exit 0");
    return executors.git.run(input);
  };
  const parts = { executors: { ...executors, git: { ...executors.git, run } } };
  const { hook: stopped } = await task.drive({}, parts);
  expect(stopped).toMatchObject({
    currentStep: { stepName: "git_push" },
    awaiting: { kind: "git", reason: expect.stringContaining("hooks/pre-push: new") },
  });
  expect(pushedTo(task.bare)).toBe("");
});

test("no step is run while a person has not said what becomes of a change", async () => {
  const task = await aRealTask(join(folder.dir, "held"));
  const controls = { ...PROGRAM_PARTS.controls, obstacle: async () => "changed" };
  const { hook: stopped } = await task.drive({}, { controls });
  expect(stopped).toMatchObject({
    currentStep: { stepName: "analyze" },
    awaiting: { kind: "git", reason: "changed" },
  });
  expect(task.prompts).toEqual([]);
});

test("git hooks that were there before run, and what decides nothing is only reported", async () => {
  const task = await aRealTask(join(folder.dir, "before"));
  const ran = join(task.dir, "ran");
  hook(task, "pre-push", `touch '${ran}'`);
  const { hook: reached } = await drive(task, /Fix this/u, () =>
    configure(task, "user.name", "Agent"),
  );
  expect(reached.awaiting?.kind).toBe("review");
  expect(existsSync(ran)).toBe(true);
  const warnings = task.events.flatMap((event) => (event.type === "warning" ? [event] : []));
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^Git's settings or hooks changed since the work began: user\.name: /u),
  );
});
