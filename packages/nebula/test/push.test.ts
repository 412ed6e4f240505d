import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { GitError } from "@quasar/git";
import { pushBranch } from "@quasar/git/remotes";
import { expect, test, vi } from "vitest";
import { stopEngine } from "../src/people/stop.ts";
import { updateNebula } from "../src/people/update-nebula.ts";
import type { Told } from "../src/events.ts";
import { loadNebula } from "../src/spec/index.ts";
import { awaitsPush } from "../src/state/state.ts";
import {
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  WRITES_BOTH,
} from "./place.ts";

vi.mock("@quasar/git/remotes", { spy: true });

const FILES = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };

/** With a remote that has nothing. */
function withRemote(
  committed: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = FILES,
): Place & { readonly there: () => readonly string[] } {
  const place = aPlace(committed, files);
  const remote = join(place.root, "remote.git");
  execFileSync("git", ["init", "-q", "--bare", remote]);
  place.git("remote", "add", "origin", remote);
  const there = (): readonly string[] =>
    place
      .git("ls-remote", "origin")
      .split("\n")
      .filter((line) => line !== "");
  return { ...place, there };
}

test("the branch, and nothing else, is pushed once, when all has landed", async () => {
  const place = withRemote();
  vi.mocked(pushBranch).mockClear();
  const { reason, state } = await place.apply(WRITES_BOTH, { push: true });
  const tip = place.git("rev-parse", "nebula/demo");
  expect(place.there()).toEqual([`${tip}\trefs/heads/nebula/demo`]);
  expect([reason, state.pushedTo, state.pushedTip, state.pushProblem]).toEqual([
    "done",
    "origin",
    tip,
    "",
  ]);
  expect(place.told.at(-1)).toEqual({ type: "branch_pushed", remote: "origin", tip });
  await place.apply({}, { resumed: newest(place) });
  expect(pushBranch).toHaveBeenCalledTimes(1);
});

test("who resumes need not ask for the push again, and without anybody asking there is none", async () => {
  const place = withRemote();
  const stop = new AbortController();
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === "phase_landed") stop.abort();
  };
  await place.apply(WRITES_BOTH, { push: true, signal: stop.signal, onEvent });
  expect(place.there()).toEqual([]);
  await place.apply(WRITES_BOTH);
  expect(place.there()).toHaveLength(1);
  const other = withRemote();
  await other.apply(WRITES_BOTH);
  expect(other.there()).toEqual([]);
});

test("what was pushed and not recorded, since the engine died between, is pushed again", async () => {
  const place = withRemote();
  const stop = new AbortController();
  const push = vi.mocked(pushBranch);
  push.mockImplementationOnce(async (...args) => {
    await pushBranch(...args);
    stop.abort();
    throw stop.signal.reason;
  });
  const cut = await place.apply(WRITES_BOTH, { push: true, signal: stop.signal });
  expect([cut.reason, cut.state.pushedTip]).toEqual(["interrupted", ""]);
  const before = place.there();
  const { reason, state } = await place.apply({}, { resumed: newest(place) });
  expect([reason, state.pushedTip]).toEqual(["done", place.git("rev-parse", "nebula/demo")]);
  expect(place.there()).toEqual(before);
});

test("a push that is refused is on record, and the nebula is done all the same", async () => {
  const place = withRemote();
  const other = place.git("commit-tree", "-m", "other", "-p", "main", "main^{tree}");
  place.git("push", "-q", "origin", `${other}:refs/heads/nebula/demo`);
  const { reason, state } = await place.apply(WRITES_BOTH, { push: true });
  expect([reason, state.pushedTip]).toEqual(["done", ""]);
  expect(state.pushProblem).toContain("has commits that are not here");
  expect(place.told.at(-1)).toMatchObject({ type: "push_refused", reason: state.pushProblem });
  expect(place.there()).toEqual([`${other}\trefs/heads/nebula/demo`]);
  // Once there is room for it, the next one pushes.
  place.git("push", "-q", "origin", ":refs/heads/nebula/demo");
  const again = await place.apply({}, { resumed: newest(place) });
  expect([again.state.pushProblem, place.there().length]).toEqual(["", 1]);
});

test("what lands after a push is pushed, too, and asked for again where that was refused", async () => {
  const place = withRemote();
  await place.apply(WRITES_BOTH, { push: true });
  write(place.dir, { "c.md": phase("c") });
  const work: Work = { "Phase c": (tree) => write(tree, { "c.txt": "c\n" }) };
  updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
  const push = vi.mocked(pushBranch);
  push.mockRejectedValueOnce(new GitError("ERR_GIT_FAILED", "refused"));
  const { state } = await place.apply(work, { resumed: newest(place) });
  expect([state.pushProblem === "", awaitsPush(state)]).toEqual([false, true]);
  const again = await place.apply({}, { resumed: newest(place), push: true });
  expect([again.state.pushProblem, awaitsPush(again.state)]).toEqual(["", false]);
  expect(place.there()).toEqual([
    `${place.git("rev-parse", "nebula/demo")}\trefs/heads/nebula/demo`,
  ]);
});

test("without a remote nothing is pushed, which is said", async () => {
  const place = aPlace({}, FILES);
  const { reason, state } = await place.apply(WRITES_BOTH, { push: true });
  expect([reason, state.pushProblem]).toEqual(["done", "the repository has no remote"]);
  const said = "nothing can be pushed as it is: the repository has no remote";
  expect(place.told[0]).toEqual({ type: "warning", message: said });
});

test("nothing is pushed with settings that have changed since the nebula began, until they are accepted", async () => {
  const place = withRemote();
  const other = join(place.root, "other.git");
  execFileSync("git", ["init", "-q", "--bare", other]);
  let landed = 0;
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type !== "phase_landed" || ++landed < 2) return;
    place.git("config", "remote.origin.pushurl", other);
  };
  const { reason, state } = await place.apply(WRITES_BOTH, { push: true, onEvent });
  expect([reason, state.pushedTip, place.there()]).toEqual(["done", "", []]);
  expect(state.pushProblem).toContain("remote.origin.pushurl");
  expect(place.git("ls-remote", other)).toBe("");
  await place.apply({}, { resumed: newest(place), acceptSettings: true });
  expect(place.git("ls-remote", other)).toContain("refs/heads/nebula/demo");
});

/** Another remote that has nothing: its path. */
function another(place: Place): string {
  const path = join(place.root, "other.git");
  execFileSync("git", ["init", "-q", "--bare", path]);
  return path;
}

/** As WRITES_BOTH; then the agent of phase b types a command of git in its work tree. */
function typing(...args: string[]): Work {
  const both = WRITES_BOTH["Phase b"];
  return {
    ...WRITES_BOTH,
    async "Phase b"(tree, request) {
      await both?.(tree, request);
      execFileSync("git", args, { cwd: tree });
    },
  };
}

test("an agent does not decide where the push goes", async () => {
  const place = withRemote();
  const other = another(place);
  const setting = ["config", "branch.nebula/demo.pushRemote", other];
  const { reason, state } = await place.apply(typing(...setting), { push: true });
  expect([reason, state.pushedTip, place.there()]).toEqual(["done", "", []]);
  expect(place.git("ls-remote", other)).toBe("");
  const was = join(place.root, "remote.git");
  const words = `it was asked for when it went to origin (${was}), and would go to ${other} now`;
  expect(state.pushProblem).toContain(words);
  expect(state.pushProblem).toContain(`By hand: git push ${was} nebula/demo;`);
  // Who asks once more has not said that it may go there.
  const again = await place.apply({}, { resumed: newest(place), push: true });
  expect([again.state.pushProblem, place.git("ls-remote", other)]).toEqual([state.pushProblem, ""]);
  await place.apply({}, { resumed: newest(place), push: true, acceptSettings: true });
  expect(place.git("ls-remote", other)).toContain("refs/heads/nebula/demo");
});

test("nothing is pushed to a remote of which nothing was known as the push was asked for", async () => {
  const place = withRemote();
  const was = place.git("config", "remote.origin.url");
  place.git("remote", "rename", "origin", "one");
  place.git("remote", "add", "two", was);
  const setting = ["config", "branch.nebula/demo.remote", "two"];
  const { state } = await place.apply(typing(...setting), { push: true });
  expect(place.git("ls-remote", was)).toBe("");
  expect(state.pushProblem).toContain(
    `was not known when it was asked for, and would be two (${was}) now`,
  );
  const again = await place.apply({}, { resumed: newest(place), push: true });
  expect(again.state).toMatchObject({ pushProblem: "", pushedTo: "two" });
});

const ONE = { "nebula.toml": MANIFEST, "a.md": phase("a") };

test("no git hook runs with the push that was another one when it was asked for", async () => {
  const place = withRemote({ ".husky/pre-push": "#!/bin/sh\n" }, ONE);
  place.git("config", "core.hooksPath", ".husky");
  const ran = join(place.root, "ran");
  const work: Work = {
    "Phase a": (tree) => {
      write(tree, { "a.txt": "a\n" });
      write(place.repo, { ".husky/pre-push": `#!/bin/sh\ntouch ${ran}\n` });
      chmodSync(join(place.repo, ".husky/pre-push"), 0o755);
    },
  };
  const { state } = await place.apply(work, { push: true });
  expect([place.there(), existsSync(ran)]).toEqual([[], false]);
  const folder = join(place.repo, ".husky");
  const words = `the git hooks in ${folder} are not what they were when the push was asked for`;
  expect(state.pushProblem).toContain(words);
  await place.apply({}, { resumed: newest(place), acceptSettings: true });
  expect([place.there().length, existsSync(ran)]).toEqual([1, true]);
});

/** Has a commit of somebody else on the branch once the phase has landed. */
function commitsAfter(place: Place): { readonly onEvent: (event: Told) => void } {
  return {
    onEvent({ type }) {
      if (type !== "phase_landed") return;
      const args = ["-m", "other", "-p", "nebula/demo", "nebula/demo^{tree}"];
      place.git("update-ref", "refs/heads/nebula/demo", place.git("commit-tree", ...args));
    },
  };
}

test("what the nebula has not landed itself is not pushed", async () => {
  const place = withRemote({}, ONE);
  const { reason, state } = await place.apply(WRITES_BOTH, { push: true, ...commitsAfter(place) });
  expect([reason, state.pushedTip, place.there()]).toEqual(["done", "", []]);
  const words = "nebula/demo has a commit that the nebula has not landed, and has not verified. ";
  const shell = `git push ${join(place.root, "remote.git")} nebula/demo`;
  expect(state.pushProblem).toBe(`${words}By hand: ${shell}`);
  const [landed] = state.phases.map(({ candidate }) => candidate);
  place.git("update-ref", "refs/heads/nebula/demo", String(landed));
  await place.apply({}, { resumed: newest(place) });
  expect(place.there()).toEqual([`${landed}\trefs/heads/nebula/demo`]);
});

const stop = (place: Place, isNow: boolean) =>
  stopEngine(commonDir(place), newest(place), { isNow });

test("an engine that a person has stop does not push any more", async () => {
  const place = withRemote({}, ONE);
  const onEvent = ({ type }: Told): void => {
    if (type === "phase_landed") stop(place, false);
  };
  const { state } = await place.apply(WRITES_BOTH, { push: true, onEvent });
  expect([state.pushedTip, state.pushProblem, place.there()]).toEqual(["", "", []]);
  await place.apply({}, { resumed: newest(place) });
  expect(place.there()).toHaveLength(1);
});

test("a push is cut off where a person has the engine stop at once", async () => {
  const place = withRemote({}, ONE);
  const begun = join(place.root, "begun");
  const hook = join(place.repo, ".git/hooks/pre-push");
  write(place.repo, { ".git/hooks/pre-push": `#!/bin/sh\ntouch ${begun}\nexec sleep 30\n` });
  chmodSync(hook, 0o755);
  const applied = place.apply(WRITES_BOTH, { push: true });
  await vi.waitUntil(() => existsSync(begun), { timeout: 80_000, interval: 100 });
  expect(stop(place, true)).toBe("left");
  const { reason, state } = await applied;
  expect([reason, state.pushedTip, state.pushProblem]).toEqual(["interrupted", "", ""]);
  expect(place.there()).toEqual([]);
});

test("a login in the URL of the push is neither stored nor shown", async () => {
  const place = withRemote({}, ONE);
  const url = "https://me:t0k3n@example.org/remote.git";
  const to = `${join(place.root, "remote.git")}/`;
  place.git("config", "remote.pushDefault", url);
  place.git("config", `url.${to}.insteadOf`, url);
  const { state } = await place.apply(WRITES_BOTH, { push: true });
  expect(state).toMatchObject({ pushedTo: "https://example.org/remote.git", pushProblem: "" });
  expect(place.there()).toHaveLength(1);
  const kept = spawnSync("grep", ["-rl", "t0k3n", join(commonDir(place), "quasar")]);
  expect([kept.status, JSON.stringify(place.told).includes("t0k3n")]).toEqual([1, false]);
});
