import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { listRunProcesses } from "@quasar/agents/turns";
import { expect, test, vi } from "vitest";
import { pruneNebula } from "../src/engine/prune.ts";
import { squashNebula } from "../src/landing/squash.ts";
import { answerPhase } from "../src/people/answer.ts";
import { listNebulae } from "../src/state/list.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  phase,
  type Place,
  type Work,
  write,
  newest,
  WRITES_BOTH,
  GATED,
  commonDir,
} from "./place.ts";

vi.mock("@quasar/agents/turns", { spy: true });

const FILES = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };

/** Two phases that were approved by a person, and have not landed. */
async function approved(work: Work = WRITES_BOTH): Promise<Place> {
  const place = aPlace({}, { ...FILES, "nebula.toml": GATED });
  await place.apply(work);
  for (const id of ["a", "b"]) {
    answerPhase(commonDir(place), newest(place), { verb: "approve", phase: id });
  }
  return place;
}

/** Lands what is approved. No agent may be asked. */
const land = (place: Place, only?: string) =>
  place.apply(
    {},
    {
      landingsOnly: { phase: only },
      optionsOf: (spec) => {
        const { coder, reviewer } = agentsOf({})(spec);
        const invoke = () => Promise.reject(new Error("an agent was asked"));
        return { coder: { ...coder, invoke }, reviewer: { ...reviewer, invoke } };
      },
    },
  );

test("what is approved lands without an agent: all of it, or the phase that is named", async () => {
  const place = await approved();
  expect((await land(place, "b")).reason).toBe("landed");
  expect(place.landings()).toEqual(["Land b: Phase b"]);
  expect((await land(place)).reason).toBe("done");
  expect(place.landings()).toHaveLength(2);
});

test("what cannot land goes back, and no agent is asked to rework it", async () => {
  const same = (text: string) => (tree: string) => write(tree, { "same.txt": text });
  const place = await approved({ "Phase a": same("a\n"), "Phase b": same("b\n") });
  const { reason, state } = await land(place);
  expect(reason).toBe("waiting");
  expect(place.landings()).toHaveLength(1);
  expect(state.phases.map(({ status }) => status).toSorted()).toEqual(["done", "pending"]);
});

test("a squashed branch is one commit with the files of the nebula's, and is made once", async () => {
  const place = aPlace({}, FILES);
  const repository = await openRepository(place.repo);
  await place.apply(WRITES_BOTH);
  const nothing = { ...newest(place), phases: [] };
  await expect(squashNebula(repository, nothing, undefined)).rejects.toThrow("has landed yet");
  const { branch, sha } = await squashNebula(repository, newest(place), undefined);
  expect(branch).toBe("nebula/demo-squashed");
  expect(place.git("rev-parse", `${branch}^{tree}`)).toBe(
    place.git("rev-parse", "nebula/demo^{tree}"),
  );
  expect(place.git("rev-list", `main..${branch}`)).toBe(sha);
  const lines = place.git("log", "-1", "--format=%B", branch).split("\n");
  expect(lines.filter((line) => line.startsWith("- ")).toSorted()).toEqual([
    "- a: Phase a",
    "- b: Phase b",
  ]);
  expect((await squashNebula(repository, newest(place), "main")).sha).toBe(sha);
  const other = place.git("commit-tree", "-m", "other", "-p", "main", "main^{tree}");
  const { id } = newest(place);
  await expect(squashNebula(repository, newest(place), other)).rejects.toMatchObject({
    message: expect.stringContaining("would undo") as string,
    next: [
      { shell: `quasar nebula update-base ${other} --nebula ${id}` },
      { shell: `quasar nebula squash ${id} --onto ${other}` },
      { shell: `quasar nebula squash ${id}`, note: "on what the branch contains" },
    ],
  });
  place.git("branch", "--force", branch, "main");
  await expect(squashNebula(repository, newest(place), undefined)).rejects.toMatchObject({
    code: "ERR_BRANCH",
  });
});

test("a nebula that has ended is removed, with what no branch has in a bundle", async () => {
  const place = aPlace({}, FILES);
  const repository = await openRepository(place.repo);
  const prune = (isDryRun: boolean) => pruneNebula(repository, newest(place), { isDryRun });
  await place.apply(WRITES_BOTH, {
    optionsOf: (spec) => ({ ...agentsOf(WRITES_BOTH)(spec), maxCycles: 1 }),
  });
  const { id } = newest(place);
  const tree = join(place.root, ".repo.quasar", id, "p9-00000000");
  place.git("worktree", "add", "--quiet", "--detach", tree);
  write(tree, { "left.txt": "left\n" });
  const folder = join(place.repo, ".git/quasar/nebulae", id);
  const refs = () => place.git("for-each-ref", "--format=%(refname)", "refs/quasar/nebula");

  const before = refs();
  expect(before).toContain(`refs/quasar/nebula/${id}/base`);
  const planned = await prune(true);
  expect(planned).toMatchObject({ trees: [tree], refs: before.split("\n") });
  expect([refs(), existsSync(tree), existsSync(folder)]).toEqual([before, true, true]);

  const { bundle = "" } = await prune(false);
  expect([refs(), existsSync(tree), existsSync(folder)]).toEqual(["", false, false]);
  expect(place.git("rev-parse", "--verify", "nebula/demo")).not.toBe("");
  const heads = execFileSync("git", ["bundle", "list-heads", bundle], {
    cwd: place.repo,
    encoding: "utf8",
  });
  const [sha, ref = ""] = heads.trim().split(" ");
  expect(ref).toContain(`refs/quasar/nebula/${id}/left/p9-00000000/`);
  place.git("fetch", "--quiet", bundle, `${ref}:refs/heads/back`);
  expect(place.git("rev-parse", "back")).toBe(sha);
  expect(place.git("show", "back:left.txt")).toBe("left");
});

test("a nebula that has not ended is never removed", async () => {
  const place = await approved();
  const repository = await openRepository(place.repo);
  const pruning = pruneNebula(repository, newest(place), { isDryRun: false });
  await expect(pruning).rejects.toMatchObject({ code: "ERR_UNFINISHED" });
  expect(newest(place).phases).toHaveLength(2);
});

const prune = async (place: Place, more: object = {}) =>
  pruneNebula(await openRepository(place.repo), newest(place), { isDryRun: false, ...more });
const BROKEN: Work = {
  "Phase a": () => {
    throw new Error("broken");
  },
};

test("a nebula with failed phases is removed only where retrying them is given up, or it is archived", async () => {
  const place = aPlace({}, FILES);
  expect((await place.apply(BROKEN)).reason).toBe("failed");
  await expect(prune(place)).rejects.toMatchObject({
    code: "ERR_UNFINISHED",
    message: "the nebula demo has 1 failed phase, which can be retried",
  });
  const { id } = newest(place);
  await prune(place, { withFailed: true });
  expect(listNebulae(commonDir(place))).toEqual([]);

  const other = aPlace({}, FILES);
  await other.apply(BROKEN);
  const replaced = newest(other);
  await other.apply(WRITES_BOTH, { resumed: undefined, fresh: true });
  const repository = await openRepository(other.repo);
  await pruneNebula(repository, replaced, { isDryRun: false });
  expect(listNebulae(commonDir(other)).map((each) => each.id)).not.toContain(replaced.id);
  await expect(
    pruneNebula(repository, { ...replaced, id }, { isDryRun: false }),
  ).rejects.toMatchObject({
    code: "ERR_NOT_FOUND",
  });
});

test("what is removed is decided by what a nebula is now, and not as it was shown", async () => {
  const place = aPlace({}, FILES);
  const repository = await openRepository(place.repo);
  const { state: ended } = await place.apply(BROKEN);
  answerPhase(commonDir(place), ended, { verb: "retry", phase: "a" });
  const pruning = pruneNebula(repository, ended, { isDryRun: false, withFailed: true });
  await expect(pruning).rejects.toMatchObject({ code: "ERR_UNFINISHED" });
  await place.apply(WRITES_BOTH);
  await expect(prune(place, { olderThanMs: 60_000 })).rejects.toMatchObject({
    message: "the nebula demo has not ended so long ago",
  });
  const listed = vi.mocked(listRunProcesses);
  listed.mockReturnValueOnce(undefined);
  await expect(prune(place)).rejects.toMatchObject({ code: "ERR_LOCKED" });
  await prune(place);
  expect(listNebulae(commonDir(place))).toEqual([]);
});
