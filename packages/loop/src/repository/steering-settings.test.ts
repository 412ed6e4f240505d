import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type Answer, APPROVAL, fakeAgent } from "../../test/fake-agent.ts";
import { type Harness, harness } from "../../test/harness.ts";
import { runTask } from "../loop.ts";

const TASK = { title: "Do it" };
const CHANGED = "Git's settings changed in this run: ";

test.for([
  ["core.hooksPath", ".git/mine", 'core.hookspath: ".git/mine" (was not set)'],
  ["core.fileMode", "false", 'core.filemode: "false" (was "true")'],
  ["filter.mine.clean", "cat", 'filter.mine.clean: "cat" (was not set)'],
  [
    "remote.origin.pushurl",
    "https://me:secret@else.example/x",
    'remote.origin.pushurl: "https://else.example/x" (was not set)',
  ],
] as const)(
  "a change of %s in a turn is reported before the commit, and at the end",
  async ([key, value, words]) => {
    const setting: Answer = () => {
      loop.tree.git("config", key, value);
      loop.tree.write("work.txt", "work\n");
      return "done";
    };
    const loop: Harness = harness({ coder: fakeAgent([setting]) });
    loop.tree.git("config", "core.fileMode", "true");
    const { outcome, message } = await runTask(TASK, loop.options);
    expect(outcome).toBe("approved");
    expect(message).toContain(`${CHANGED}${words}.`);
    const trace = loop.trace();
    expect(trace).toContain(`warning ${CHANGED}${words}.`);
    expect(trace.indexOf(`warning ${CHANGED}${words}.`)).toBeLessThan(trace.indexOf("committed"));
  },
);

test("a filter that an agent puts into its user's settings is reported", async () => {
  const setting: Answer = () => {
    loop.tree.write(".git/home/git/config", '[filter "mine"]\n\tclean = cat\n');
    loop.tree.write("work.txt", "work\n");
    return "done";
  };
  const loop: Harness = harness({ coder: fakeAgent([setting]) });
  vi.stubEnv("XDG_CONFIG_HOME", join(loop.tree.dir, ".git/home"));
  const { message } = await runTask(TASK, loop.options);
  vi.unstubAllEnvs();
  expect(message).toContain(`${CHANGED}filter.mine.clean: "cat" (was not set).`);
});

test("settings that were there before the run, and others that change in it, are not reported", async () => {
  const setting: Answer = () => {
    loop.tree.git("config", "branch.main.description", "mine");
    loop.tree.write("work.txt", "work\n");
    return "done";
  };
  const loop: Harness = harness({ coder: fakeAgent([setting]), reviewer: fakeAgent([APPROVAL]) });
  loop.tree.write(".git/mine/pre-commit", "#!/bin/sh\n");
  chmodSync(`${loop.tree.dir}/.git/mine/pre-commit`, 0o755);
  loop.tree.git("config", "core.hooksPath", ".git/mine");
  expect(await runTask(TASK, loop.options)).toMatchObject({
    outcome: "approved",
    message: "The reviewer approved the work.",
  });
  expect(loop.trace()).not.toContainEqual(expect.stringContaining(CHANGED));
});
