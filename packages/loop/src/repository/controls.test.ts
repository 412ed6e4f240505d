import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type Answer, APPROVAL, fakeAgent, issue } from "../../test/fake-agent.ts";
import { aFolder, type Harness, harness } from "../../test/harness.ts";
import { runFromCheckpoint, runTask, runTurn } from "../loop.ts";

const TASK = { title: "Do it" };
const CHANGED = "Git's settings or hooks changed since the work began";
const STOPPED = `${CHANGED}, so nothing is committed or pushed with it: `;

/** A coder's turn that works and meddles. */
function meddling(meddle: () => void): Answer {
  return ({ workTree }) => {
    writeFileSync(join(workTree, "work.txt"), "work\n");
    meddle();
    return "done";
  };
}

function hook({ tree }: Harness, name: string, script: string): void {
  tree.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(tree.dir, ".git/hooks", name), 0o755);
}

test.for<readonly [what: string, meddle: (loop: Harness) => void, words: string]>([
  [
    "an address to push to",
    ({ tree }) => tree.git("config", "remote.origin.pushurl", "https://me:secret@else.example/x"),
    'remote.origin.pushurl: "https://else.example/x" (was not set)',
  ],
  [
    "a filter",
    ({ tree }) => tree.git("config", "filter.mine.clean", "cat"),
    'filter.mine.clean: "cat" (was not set)',
  ],
  [
    "a git hook",
    (loop) => hook(loop, "pre-commit", "exit 1"),
    "git hook .git/hooks/pre-commit: new",
  ],
])("%s that a turn changes stops the run before its commit", async ([, meddle, words]) => {
  const turn = meddling(() => meddle(loop));
  const reviewer = fakeAgent([APPROVAL]);
  const loop: Harness = harness({ coder: fakeAgent([turn]), reviewer });
  const head = loop.tree.head();
  const result = await runTask(TASK, loop.options);
  expect(result).toMatchObject({
    outcome: "work-tree",
    message: `${STOPPED}${words}.`,
    wayBack: { accepts: [], asItIs: ["accept-settings"] },
  });
  expect(loop.trace()).toContain(`warning ${CHANGED}: ${words}.`);
  expect(loop.tree.head()).toBe(head);
  expect(reviewer.requests).toHaveLength(0);
});

test("what stops a run and what is only named stand in one message, each once", async () => {
  const turn = meddling(() => {
    hook(loop, "pre-commit", "exit 1");
    loop.tree.git("update-index", "--skip-worktree", "README");
  });
  const loop: Harness = harness({ coder: fakeAgent([turn]) });
  expect(await runTask(TASK, loop.options)).toMatchObject({
    message: `${STOPPED}git hook .git/hooks/pre-commit: new. Changed too: README: skip-worktree.`,
  });
});

test("what a turn has git start for a look at files is not started", async () => {
  const ran = join(aFolder(), "ran");
  const turn = meddling(() => {
    loop.tree.git("config", "filter.mine.clean", `touch '${ran}'; cat`);
    loop.tree.write(".git/info/attributes", "* filter=mine\n");
    loop.tree.write("README", "changed\n");
  });
  const loop: Harness = harness({ coder: fakeAgent([turn]) });
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "work-tree" });
  expect(existsSync(ran)).toBe(false);
});

test("a run resumes without another turn once the change is taken back, or accepted", async () => {
  for (const accept of [false, true]) {
    const ran = join(aFolder(), "ran");
    const coder = fakeAgent([meddling(() => hook(loop, "post-commit", `touch '${ran}'`))]);
    const controls = { file: join(aFolder(), "controls.json") };
    const loop: Harness = harness({ coder, controls });
    await runTask(TASK, loop.options);
    expect(await runFromCheckpoint(await loop.stored(), loop.options)).toMatchObject({
      outcome: "work-tree",
      message: `${STOPPED}git hook .git/hooks/post-commit: new.`,
    });
    if (!accept) rmSync(join(loop.tree.dir, ".git/hooks/post-commit"));
    const options = { ...loop.options, controls: { ...controls, accept } };
    const resumed = await runFromCheckpoint(await loop.stored(), options);
    expect(resumed, resumed.message).toMatchObject({ outcome: "approved" });
    expect(coder.requests).toHaveLength(1);
    expect(existsSync(ran)).toBe(accept);
  }
});

test("a reviewer's change of settings stands against its approval", async () => {
  const meddles: Answer = () => {
    loop.tree.git("config", "url.https://else.example/.pushInsteadOf", "https://host.example/");
    return APPROVAL;
  };
  const loop: Harness = harness({ reviewer: fakeAgent([meddles]) });
  const result = await runTask(TASK, loop.options);
  expect(result).toMatchObject({ outcome: "work-tree" });
  expect(result.message).toContain("url.https://else.example/.pushinsteadof");
});

test.for(["reader", "reviewer"] as const)("so it does in a turn by itself (%s)", async (kind) => {
  const meddles: Answer = () => {
    loop.tree.git("config", "core.pager", "evil");
    return APPROVAL;
  };
  const agent = fakeAgent([meddles]);
  const loop: Harness = harness({ coder: agent, reviewer: agent });
  const result = await runTurn(kind, TASK, loop.options);
  expect(result).toMatchObject({ outcome: "work-tree" });
  expect(result.message).toContain('core.pager: "evil" (was not set)');
});

test("what decides nothing is reported when it is seen, and at the end, whatever the end", async () => {
  const named = `${CHANGED}: core.filemode: "false" (was "true"); README: skip-worktree.`;
  const turn = meddling(() => {
    loop.tree.git("config", "core.fileMode", "false");
    loop.tree.git("update-index", "--skip-worktree", "README");
  });
  const loop: Harness = harness({
    coder: fakeAgent([turn]),
    reviewer: fakeAgent([issue("bad")]),
    maxCycles: 1,
  });
  loop.tree.git("config", "core.fileMode", "true");
  const { outcome, message } = await runTask(TASK, loop.options);
  expect(outcome).toBe("max_cycles");
  expect(message).toContain(named);
  expect(loop.trace().filter((line) => line === `warning ${named}`)).toHaveLength(1);
});

test("a filter that an agent puts into its user's settings stops the run", async () => {
  const turn = meddling(() =>
    loop.tree.write(".git/home/git/config", '[filter "mine"]\n\tclean = cat\n'),
  );
  const loop: Harness = harness({ coder: fakeAgent([turn]) });
  vi.stubEnv("GIT_CONFIG_GLOBAL", undefined);
  vi.stubEnv("XDG_CONFIG_HOME", join(loop.tree.dir, ".git/home"));
  const { message } = await runTask(TASK, loop.options);
  vi.unstubAllEnvs();
  expect(message).toContain('filter.mine.clean: "cat" (was not set)');
});

test("settings and hooks that were there before the run are not reported, and run", async () => {
  const loop: Harness = harness();
  loop.tree.git("config", "core.hooksPath", ".git/mine");
  loop.tree.write(".git/mine/post-commit", "#!/bin/sh\ntouch .git/ran\n");
  chmodSync(`${loop.tree.dir}/.git/mine/post-commit`, 0o755);
  expect(await runTask(TASK, loop.options)).toMatchObject({
    outcome: "approved",
    message: "The reviewer approved the work.",
  });
  expect(loop.trace()).not.toContainEqual(expect.stringContaining(CHANGED));
  expect(existsSync(join(loop.tree.dir, ".git/ran"))).toBe(true);
});

test("settings that cannot be read end the run, and say so", async () => {
  const turn = meddling(() => loop.tree.write(".git/config", "[broken"));
  const loop: Harness = harness({ coder: fakeAgent([turn]) });
  expect(await runTask(TASK, loop.options)).toMatchObject({
    outcome: "git",
    message: expect.stringContaining("bad config"),
  });
});
