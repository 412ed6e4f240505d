import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHookFileStore } from "@quasar/hookfile";
import { endTaskAgents, listTasks } from "@quasar/tasks";
import { expect, onTestFinished, test } from "vitest";
// @boundaries-ignore one fake of GitHub's program for the tests of steps and of the command
import { installFakeGh } from "../../../packages/tasks/test/fake-gh.ts";
import { play } from "./atlas/document.ts";
import { folder } from "./harness.ts";

const DOCUMENT = new URL("../../../docs/walk-through.md", import.meta.url);
const ATLAS = fileURLToPath(new URL("../dist/atlas.js", import.meta.url));

/** In the place of `ssh git@github.com "git-upload-pack 'acme/widgets.git'"`: the repository is here. */
const SSH = `#!/bin/sh
for word; do :; done
exec \${word%% *} BARE
`;

/** Made by the clock, so that their places are unknown, and commits are noticed with them. */
const BY_THE_CLOCK = [
  /^ {2}saved +\S+ \((?:interval|git_commit)\) /u,
  /^ {2}\S+ \S+ +interval +/u,
  /^\| \S+ +\| `interval`/u,
];

/** Without what differs from run to run. */
function normalised(text: string): string {
  return text
    .split("\n")
    .filter((line) => !BY_THE_CLOCK.some((pattern) => pattern.test(line)))
    .join("\n")
    .replaceAll(/task-[0-9a-f]{8}-[0-9a-f-]{27}/gu, "task-…")
    .replaceAll(/\b(ckpt|rcpt)-[0-9a-f]{16}/gu, "$1-…")
    .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{10})\b/gu, "…")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?/gu, "…")
    .replaceAll(/\d\d:\d\d:\d\d/gu, "…")
    .replaceAll(/\b(?:\d+(?:\.\d+)? ?(?:ms|s|min)|now)\b(?: ago)?/gu, "…")
    .replaceAll(/ATLAS v\d+\.\d+\.\d+/gu, "ATLAS v…")
    .replaceAll(/hook rev=\d+/gu, "hook rev=…")
    .replaceAll(/-{3,}/gu, "---")
    .replaceAll(/ +/gu, " ");
}

/** Whether these come in this order, whatever else does between. */
function inOrder(all: readonly string[], wanted: readonly string[]): boolean {
  let at = -1;
  return wanted.every((one) => (at = all.indexOf(one, at + 1)) >= 0);
}

// SPEC.md, statements 194-202, 211, 213, 214, 216, 219-224.
test("the walk-through's commands print what it says that they do", async () => {
  const home = folder();
  const bin = join(home, "bin");
  const bare = join(home, "github.git");
  const gh = installFakeGh(join(home, "gh"));
  mkdirSync(bin);
  symlinkSync(ATLAS, join(bin, "atlas"));
  writeFileSync(join(bin, "ssh"), SSH.replace("BARE", bare), { mode: 0o755 });
  writeFileSync(join(home, ".gitconfig"), "[user]\n  name = Ada\n  email = ada@localhost\n");
  const path = `${bin}:${gh.path}`;
  const env = { HOME: home, PATH: path, TZ: "UTC", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["init", "--quiet", "--bare", bare], { env });
  gh.set({ remote: bare });
  const atlasHome = join(home, ".atlas");
  onTestFinished(async () => {
    for (const { dir } of listTasks(atlasHome)) await endTaskAgents(dir);
  });

  const played = await play(DOCUMENT, home, env);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOCUMENT, played.text);
  else expect(normalised(played.printed)).toBe(normalised(played.written));

  const [login, config] = listTasks(atlasHome).map(({ dir }) => createHookFileStore({ dir }));
  const triggers = [...(config?.checkpoints() ?? [])].map(({ trigger }) => trigger);
  const wanted = ["step_complete", "git_commit", "interval", "git_push", "pr_created"];
  expect(triggers).toSatisfy((all: readonly string[]) => inOrder(all, wanted));
  expect(config?.read()).toMatchObject({ state: "completed" });

  const events = [...(login?.history() ?? [])].map(({ event }) => event);
  const crash = events.findIndex(({ trigger }) => trigger === "crash_detected");
  expect(events[crash]).toMatchObject({ fromState: "step_running", stepName: "implement" });
  const before = events.slice(0, crash).map(({ details }) => String(details?.["trigger"]));
  expect(before).toSatisfy((all: readonly string[]) => inOrder(all, wanted.slice(0, 3)));
  const after = events.slice(crash + 1, crash + 3).map(({ toState }) => toState);
  expect(after).toEqual(["step_pending", "step_running"]);
  expect(gh.state().pullRequests).toHaveLength(2);
});
