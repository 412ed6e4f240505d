import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onGitWork, openRepository } from "@quasar/git";
import { removeRefs } from "@quasar/git/snapshots";
import { expect, onTestFinished, test, vi } from "vitest";
import { NebulaError } from "../src/errors.ts";
import { type PrunedNebula, pruneNebula } from "../src/engine/prune.ts";
import { refsOf } from "../src/state/home.ts";
import { aPlace, MANIFEST, newest, phase, type Place, write, WRITES_BOTH } from "./place.ts";

vi.mock("@quasar/git/snapshots", { spy: true });

const FILES = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };
const CUT = new Error("cut off");

async function ended(): Promise<Place> {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  return place;
}

async function prune(place: Place): Promise<PrunedNebula> {
  return pruneNebula(await openRepository(place.repo), newest(place), { isDryRun: false });
}

/** A ref of the nebula's, by the name of its tree, of a commit that is on no branch. */
function hold(place: Place, name: string): string {
  const ref = `${refsOf(newest(place).id).left(name)}1`;
  const commit = place.git("commit-tree", "-m", name, "-p", "main", "main^{tree}");
  place.git("update-ref", ref, commit);
  return ref;
}

const bundles = ({ repo }: Place): readonly string[] =>
  globSync(join(repo, ".git/quasar/nebulae/pruned/*"));

/** All refs that are in some bundle, fetched from it. */
function fetched(place: Place): readonly string[] {
  return bundles(place).flatMap((bundle) => {
    const heads = place.git("bundle", "list-heads", bundle).split("\n");
    return heads.map((line) => {
      const [sha = "", ref = ""] = line.split(" ");
      place.git("fetch", "--quiet", bundle, `+${ref}:refs/back/${sha}`);
      return ref;
    });
  });
}

/** Cuts the removal of refs off once these are gone. */
function cutOffAfter(isGone: (ref: string) => boolean): void {
  vi.mocked(removeRefs).mockImplementationOnce(async (root, refs) => {
    await removeRefs(
      root,
      refs.filter(({ ref }) => isGone(ref)),
    );
    throw CUT;
  });
}

test("what was cut off while it removed refs keeps its bundle: it has them all", async () => {
  const place = await ended();
  const [one, other] = [hold(place, "one"), hold(place, "other")];
  cutOffAfter((ref) => ref === one);
  await expect(prune(place)).rejects.toThrow(CUT);
  const [bundle = ""] = bundles(place);
  const before = readFileSync(bundle);
  expect(await prune(place)).toMatchObject({ bundle });
  expect(readFileSync(bundle)).toEqual(before);
  expect(fetched(place)).toEqual(expect.arrayContaining([one, other]));
});

test("a second prune that has no ref to remove any more names the bundle of the first", async () => {
  const place = await ended();
  hold(place, "one");
  cutOffAfter(() => true);
  await expect(prune(place)).rejects.toThrow(CUT);
  expect(await prune(place)).toMatchObject({ refs: [], bundle: bundles(place)[0] });
});

test("what the first bundle does not have is in another one beside it", async () => {
  const place = await ended();
  const one = hold(place, "one");
  cutOffAfter((ref) => ref === one);
  await expect(prune(place)).rejects.toThrow(CUT);
  const later = hold(place, "later");
  const { bundle = "" } = await prune(place);
  expect(bundle).toMatch(/-2\.bundle$/u);
  expect(fetched(place)).toEqual(expect.arrayContaining([one, later]));
});

test("a bundle counts only where branches have what it builds on", async () => {
  const place = await ended();
  place.git("branch", "side", place.git("commit-tree", "-m", "side", "-p", "main", "main^{tree}"));
  const ref = `${refsOf(newest(place).id).left("one")}1`;
  place.git("update-ref", ref, place.git("commit-tree", "-m", "on", "-p", "side", "main^{tree}"));
  const commit = place.git("rev-parse", ref);
  cutOffAfter(() => false);
  await expect(prune(place)).rejects.toThrow(CUT);
  place.git("branch", "-D", "side");
  const { bundle = "" } = await prune(place);
  place.git("reflog", "expire", "--expire=now", "--all");
  place.git("gc", "--quiet", "--prune=now");
  place.git("fetch", "--quiet", bundle, `${ref}:refs/back/one`);
  expect(place.git("rev-parse", "refs/back/one")).toBe(commit);
});

test("a damaged bundle stays as it is, beside a whole one", async () => {
  const place = await ended();
  const one = hold(place, "one");
  const { id } = newest(place);
  const file = `.git/quasar/nebulae/pruned/${id}.bundle`;
  write(place.repo, {
    [file]: "damaged\n",
    [`.git/quasar/nebulae/pruned/${id}-2.bundle.lock`]: "",
  });
  const { bundle = "" } = await prune(place);
  expect(readFileSync(join(place.repo, file), "utf8")).toBe("damaged\n");
  expect(place.git("bundle", "list-heads", bundle)).toContain(one);
});

test("the number of git processes does not grow with refs and branches", async () => {
  const place = await ended();
  for (let at = 0; at < 12; at += 1) {
    hold(place, `tree-${at}`);
    const other = place.git("commit-tree", "-m", `${at}`, "-p", "main", "main^{tree}");
    place.git("branch", `branch-${at}`, other);
  }
  const begun: string[] = [];
  const ignored = (): void => {};
  onTestFinished(onGitWork({ begun: ({ what }) => begun.push(what), ended: ignored }));
  const { refs } = await prune(place);
  expect(refs.length).toBeGreaterThan(12);
  expect(begun.length).toBeLessThan(20);
});

test("nothing is removed while a command of an engine that is gone still runs", async () => {
  const place = await ended();
  const { id } = newest(place);
  const env = { ...process.env, QUASAR_RUN_ID: `${id}-command-1` };
  const left = spawn("sleep", ["60"], { env, detached: true, stdio: "ignore" });
  onTestFinished(() => void left.kill("SIGKILL"));
  await expect(prune(place)).rejects.toMatchObject({
    code: "ERR_LOCKED",
    message: `processes of the nebula demo are still there: ${left.pid}`,
  });
  expect(existsSync(join(place.repo, ".git/quasar/nebulae", id))).toBe(true);
  const gone = once(left, "exit");
  left.kill("SIGKILL");
  await gone;
  await prune(place);
});

const AS = ["-c", "user.name=A", "-c", "user.email=a@example.org"];

/** An ended nebula whose phase has landed a commit of a submodule that only its work tree has. */
async function endedWithSubmodule(): Promise<{ readonly place: Place; readonly tree: string }> {
  const modules = '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n';
  const place = aPlace({ ".gitmodules": modules }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const commitIn = (workTree: string, text: string): void => {
    const sub = join(workTree, "sub");
    write(sub, { f: text });
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      [...AS, "commit", "-qm", text],
    ]) {
      place.git("-C", sub, ...args);
    }
  };
  commitIn(place.repo, "base");
  place.git("add", "sub");
  place.git("commit", "-qm", "With a submodule");
  place.git("init", "-q", "--bare", join(place.root, "remote"));
  let tree = "";
  const { reason } = await place.apply({
    "Phase a": (workTree) => {
      tree = workTree;
      commitIn(workTree, "an agent's");
    },
  });
  expect(reason).toBe("done");
  place.git("-C", join(tree, "sub"), "remote", "add", "origin", join(place.root, "remote"));
  return { place, tree };
}

test.for([true, false])(
  "a work tree with the only copy of a submodule's commit stays, with all of its nebula (dry run: %s)",
  async (isDryRun) => {
    const { place, tree } = await endedWithSubmodule();
    const repository = await openRepository(place.repo);
    const state = newest(place);
    const refused = await pruneNebula(repository, state, { isDryRun }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({
      code: "ERR_BRANCH",
      message: `the work tree ${tree} stays: no remote has the commit of its submodule sub`,
      next: [{ note: "saves it" }, { shell: `git worktree remove --force ${tree}` }],
    });
    expect(existsSync(join(tree, "sub/.git"))).toBe(true);
    expect(newest(place).id).toBe(state.id);
  },
);

test("a work tree goes with its nebula once its submodule is pushed as prune says", async () => {
  const { place, tree } = await endedWithSubmodule();
  const refused = await prune(place).catch((error: unknown) => error);
  const [{ shell = "" } = {}] = refused instanceof NebulaError ? refused.next : [];
  const sub = join(tree, "sub");
  place.git("-C", sub, ...AS, "commit", "-q", "--allow-empty", "-m", "later");
  const commits = ["HEAD", "HEAD~1"].map((name) => place.git("-C", sub, "rev-parse", name));
  place.git("-C", sub, "checkout", "-q", "--detach", "HEAD~1");
  execFileSync("sh", ["-c", shell], { cwd: place.repo, stdio: "ignore" });
  expect((await prune(place)).trees).toEqual([tree]);
  expect(existsSync(tree)).toBe(false);
  const remote = place.git("--git-dir", join(place.root, "remote"), "show-ref");
  for (const commit of commits) expect(remote).toContain(commit);
});
