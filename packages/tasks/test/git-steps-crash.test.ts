import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { transition } from "@quasar/hookfile";
import { afterAll, beforeAll, expect, test } from "vitest";
import { driveGitSteps, type Instant } from "./git-steps-drive.ts";
import {
  aTestFolder,
  git,
  type GitTask,
  makeGitTask,
  REPOSITORY,
  script,
  settleGit,
  write,
} from "./git-task.ts";

const { dir: base, remove } = aTestFolder();
beforeAll(() => settleGit(base));
afterAll(remove);

let count = 0;
function aTask(): GitTask {
  count += 1;
  const of = makeGitTask(join(base, String(count)));
  write(of.worktree, "b.txt", "two\n");
  return of;
}

/** What the three steps have done to the world. */
function effects({ worktree, bare, gh, task }: GitTask) {
  const range = `${task.metadata.baseSha}..HEAD`;
  return {
    commits: git(worktree, "log", "--format=%s", range).split("\n"),
    dirty: git(worktree, "status", "--porcelain"),
    pushes: git(bare, "reflog", "--format=%H", "refs/heads/fix/it").split("\n"),
    pullRequests: gh.state().pullRequests.map(({ number, headRefName, baseRefName, title }) => {
      return { number, headRefName, baseRefName, title };
    }),
  };
}

function once(of: GitTask): ReturnType<typeof effects> {
  return {
    commits: ["fix: fix it"],
    dirty: "",
    pushes: [git(of.worktree, "rev-parse", "HEAD")],
    pullRequests: [{ number: 1, headRefName: "fix/it", baseRefName: "main", title: "fix: fix it" }],
  };
}

function statuses({ store }: GitTask): readonly string[] {
  return (store.read()?.steps ?? []).slice(0, 3).map(({ status }) => status);
}

test("commits, pushes and opens a pull request, each once", async () => {
  const of = aTask();
  await driveGitSteps(of);
  expect(effects(of)).toEqual(once(of));
  expect(statuses(of)).toEqual(["completed", "completed", "completed"]);
  const checkpoints = of.store.read()?.checkpoints.map(({ trigger }) => trigger);
  expect(checkpoints).toEqual(["git_push", "pr_created"]);
});

test("doubles and skips nothing when it crashes at every instant, and again where work is done", async () => {
  const of = aTask();
  const left = new Map<string, number>();
  const crashes: string[] = [];
  for (const step of ["git_commit", "git_push", "git_pr"]) {
    for (const instant of INSTANTS) left.set(`${step} ${instant}`, instant === "started" ? 2 : 1);
  }
  const crash = (name: string, at: Instant): void => {
    const point = `${name} ${at}`;
    const times = left.get(point) ?? 0;
    left.set(point, times - 1);
    if (times <= 0) return;
    crashes.push(point);
    throw new Error("crash");
  };
  for (let before = -1; before < crashes.length; ) {
    before = crashes.length;
    await driveGitSteps(of, crash).catch((error: Error) => {
      if (error.message !== "crash") throw error;
    });
  }
  expect(crashes.filter((point) => point.endsWith("done"))).toHaveLength(3);
  expect(crashes.filter((point) => point.endsWith("started"))).toHaveLength(6);
  expect(effects(of)).toEqual(once(of));
  expect(statuses(of)).toEqual(["skipped", "skipped", "skipped"]);
  const notes = of.store.read()?.steps.map(({ note }) => note);
  expect(notes).toEqual([
    expect.stringMatching(/^git_commit has taken effect: commit .* has the trailers of attempt 3$/),
    expect.stringMatching(/^git_push has taken effect: origin\/fix\/it has commit /),
    `git_pr has taken effect: https://${REPOSITORY}/pull/1 (open)`,
    undefined,
  ]);
  expect(of.gh.calls().filter(({ args }) => args[1] === "create")).toHaveLength(1);
});

const INSTANTS: readonly Instant[] = ["looked", "started", "done", "recorded"];

/** A hook of git's that kills the engine, once, and continues by itself a little later. */
function killing({ dir }: GitTask, path: string, pause: string): void {
  const mark = join(dir, `killed-${basename(path)}`);
  const kill = `touch '${mark}'; kill -9 "$ENGINE_PID"; sleep ${pause}`;
  script(path, `[ -e '${mark}' ] || { ${kill}; }`);
}

test.for([
  ["after each effect", "0", "post-commit", "post-receive", "after-create"],
  [
    "before each, and the effect comes by itself later",
    "0.7",
    "pre-commit",
    "pre-push",
    "before-create",
  ],
] as const)("doubles and skips nothing when it is killed %s", async (row) => {
  const [, pause, committing, pushing, kills] = row;
  const of = aTask();
  killing(of, join(of.worktree, ".git/hooks", committing), pause);
  const hooks = pushing === "pre-push" ? join(of.worktree, ".git/hooks") : join(of.bare, "hooks");
  killing(of, join(hooks, pushing), pause);
  of.gh.set({ kills });
  const child = join(import.meta.dirname, "git-steps-drive.ts");
  for (let killed = 0; killed < 3; killed += 1) {
    const { signal, stderr } = spawnSync(process.execPath, [child, of.dir], { encoding: "utf8" });
    expect([signal, stderr]).toEqual(["SIGKILL", expect.not.stringContaining("Error")]);
  }
  await driveGitSteps(of);
  await sleep(pause === "0" ? 0 : 1_500); // what was left running has come to its end
  expect(effects(of)).toEqual(once(of));
  expect(statuses(of).every((status) => status === "completed" || status === "skipped")).toBe(true);
});

test("commits again what a rejected task has more, though the first commit has its trailers", async () => {
  const of = aTask();
  await driveGitSteps(of);
  write(of.worktree, "c.txt", "three\n");
  const { store } = of;
  store.update((hook) => {
    const steps = hook.steps.map((step) => ({ ...step, onReject: "git_commit" }));
    return transition(
      { ...hook, steps },
      [
        { type: "start_step" },
        { type: "human_required", kind: "review", reason: "see" },
        { type: "human_reject", feedback: "more" },
      ],
      { now: new Date() },
    );
  });
  let left = 1;
  const crash = (name: string, at: Instant): void => {
    if (name === "git_commit" && at === "started" && left-- > 0) throw new Error("crash");
  };
  await expect(driveGitSteps(of, crash)).rejects.toThrow("crash");
  await driveGitSteps(of);
  const { commits, dirty, pushes, pullRequests } = effects(of);
  expect([commits.length, dirty, pushes.length, pullRequests.length]).toEqual([2, "", 2, 1]);
});
