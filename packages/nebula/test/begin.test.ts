import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ApplyOptions } from "../src/engine/apply.ts";
import { loadNebula } from "../src/spec/index.ts";
import { nebulaHome } from "../src/state/home.ts";
import { listNebulae } from "../src/state/list.ts";
import { openState } from "../src/state/store.ts";
import {
  aPlace,
  commonDir,
  IN_ORDER,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  WRITES_BOTH,
} from "./place.ts";

/** Begins, whatever the folder has unfinished. */
const begin = (place: Place, more: Partial<ApplyOptions> = {}, work: Work = WRITES_BOTH) =>
  place.apply(work, { resumed: undefined, ...more });
const nebulae = (place: Place) => listNebulae(commonDir(place));
const branches = (place: Place) =>
  place.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
const FAILING: Work = {
  "Phase a": () => {
    throw new Error("broken");
  },
};
const ALONE = { "nebula.toml": MANIFEST, "a.md": phase("a") };

/** The same nebula in another folder. */
function copyOf(place: Place): ReturnType<typeof loadNebula> {
  const dir = join(place.root, "other");
  write(dir, IN_ORDER);
  return loadNebula(dir);
}

test.for(["one folder", "two folders", "one folder, afresh"])(
  "of two that begin at once from %s one begins, and the other is refused",
  async (from) => {
    const place = aPlace({}, IN_ORDER);
    const loaded = from === "two folders" ? copyOf(place) : loadNebula(place.dir);
    const fresh = from.endsWith("afresh");
    const ends = await Promise.allSettled([
      begin(place, { fresh }),
      begin(place, { loaded, fresh }),
    ]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const refused = ends.find((end) => end.status === "rejected");
    const code = from === "two folders" ? "ERR_BRANCH" : "ERR_LOCKED";
    expect(refused).toMatchObject({ reason: { code } });
    if (from === "one folder") {
      expect(refused).toMatchObject({
        reason: { message: `process ${process.pid} works on the nebula demo` },
      });
    }
    expect(nebulae(place)).toHaveLength(1);
    expect(place.landings()).toHaveLength(2);
  },
);

test("a process that died while its nebula began is in nobody's way", async () => {
  const place = aPlace({}, IN_ORDER);
  const lock = join(commonDir(place), "quasar/nebulae-lock");
  const durable = join(import.meta.dirname, "../../durable/src/index.ts");
  const script = `import { mkdirSync } from "node:fs"; import { dirname } from "node:path";
    import { acquireLock } from ${JSON.stringify(durable)};
    mkdirSync(dirname(${JSON.stringify(lock)}), { recursive: true });
    acquireLock(${JSON.stringify(lock)}); console.log("held"); setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ["--input-type=module", "-e", script]);
  await once(other.stdout, "data");
  const began = begin(place);
  await sleep(300);
  expect(nebulae(place)).toEqual([]);
  other.kill("SIGKILL");
  expect((await began).reason).toBe("done");
});

test("a branch of one that is saved and has none yet is not taken by another", async () => {
  const place = aPlace({}, IN_ORDER);
  const stop = new AbortController();
  const env = {
    get QUASAR_TREES(): undefined {
      stop.abort();
      return undefined;
    },
  };
  await begin(place, { signal: stop.signal, env });
  expect(branches(place)).toEqual(["main"]);
  await expect(begin(place, { loaded: copyOf(place) })).rejects.toMatchObject({
    code: "ERR_BRANCH",
    message: `the branch nebula/demo is that of the nebula demo (${newest(place).id})`,
  });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
});

test.for([
  ["nebula/d", "nebula/d/x", "nebula/d-before"],
  ["x/y/z", "x/y", "x/y-before/z"],
  ["x", "x/y/z", "x-before"],
] as const)(
  "beside a branch %s git allows no %s, which is refused before anything is saved, with a command that makes room",
  async ([there, branch, free]) => {
    const place = aPlace({}, IN_ORDER);
    place.git("branch", there);
    await expect(begin(place, { branch })).rejects.toMatchObject({
      code: "ERR_BRANCH",
      message: `there is a branch ${there} already, beside which git allows no ${branch}`,
      next: [{ shell: `git branch --move ${there} ${free}` }, {}],
    });
    expect(nebulae(place)).toEqual([]);
    place.git("branch", "--move", there, free);
    place.git("branch", branch);
  },
);

test("a branch that a work tree is on before it is there is not made under its files", async () => {
  const place = aPlace({}, IN_ORDER);
  place.git("switch", "--quiet", "--orphan", "nebula/demo");
  await expect(begin(place)).rejects.toMatchObject({
    code: "ERR_BRANCH",
    message: expect.stringContaining(`is checked out in ${place.repo}`) as string,
  });
  expect(nebulae(place)).toEqual([]);
});

test("what cannot be a branch's name, and a nebula without phases, leave nothing behind", async () => {
  const place = aPlace({}, IN_ORDER);
  await expect(begin(place, { branch: "a b" })).rejects.toThrow("cannot be a branch's name");
  for (const id of ["a", "b"]) rmSync(join(place.dir, `${id}.md`));
  await expect(begin(place)).rejects.toMatchObject({
    code: "ERR_INVALID_NEBULA",
    message: `the nebula demo has no phases: each is a file <name>.md in ${place.dir}`,
  });
  expect(existsSync(join(commonDir(place), "quasar/nebulae"))).toBe(false);
});

test("another nebula begins in the place of one, whose branch is kept", async () => {
  const place = aPlace({}, ALONE);
  const { state } = await begin(
    place,
    {},
    { "Phase a": (tree) => write(tree, { "a.txt": "old\n" }) },
  );
  const again = { "Phase a": (tree: string) => write(tree, { "a.txt": "new\n" }) };
  expect((await begin(place, { fresh: true }, again)).reason).toBe("done");
  expect(place.git("show", "nebula/demo:a.txt")).toBe("new");
  expect(place.git("show", `nebula/demo.${state.id}:a.txt`)).toBe("old");
});

/** A nebula in whose place none can begin. */
async function refusesFresh(place: Place, more: Partial<ApplyOptions> = {}): Promise<Error> {
  const [before, names] = [newest(place), branches(place)];
  const refused: unknown = await begin(place, { fresh: true, ...more }).catch(
    (error: unknown) => error,
  );
  expect([newest(place), branches(place)]).toEqual([before, names]);
  if (refused instanceof Error) return refused;
  throw new Error("it has begun");
}

test("a branch that a work tree has checked out is not renamed", async () => {
  const place = aPlace({}, ALONE);
  await begin(place);
  const tree = join(place.root, "mine");
  place.git("worktree", "add", "--quiet", tree, "nebula/demo");
  expect(await refusesFresh(place)).toMatchObject({
    code: "ERR_BRANCH",
    next: [{ shell: `git -C ${tree} switch --detach` }],
  });
  place.git("worktree", "remove", tree);
  expect((await begin(place, { fresh: true })).reason).toBe("done");
});

test("a branch that was reset behind what has landed is not renamed, nor another's under its new name", async () => {
  const place = aPlace({}, ALONE);
  const { state } = await begin(place);
  place.git("branch", `nebula/demo.${state.id}`, "main");
  expect((await refusesFresh(place)).message).toContain(`nebula/demo.${state.id} already`);
  place.git("branch", "--force", "nebula/demo", "main");
  expect((await refusesFresh(place)).message).toContain("does not contain what the nebula has");
});

test("nothing is archived where what is to begin cannot", async () => {
  const place = aPlace({}, ALONE);
  await begin(place);
  const needs = `${MANIFEST}[dependencies]\nrequires_nebulae = ["other"]\n`;
  write(place.dir, { "nebula.toml": needs });
  expect((await refusesFresh(place)).message).toContain('"other"');
  write(place.dir, { "nebula.toml": MANIFEST });
  place.git("branch", "taken");
  expect((await refusesFresh(place, { branch: "taken" })).message).toContain("taken already");
});

/** A nebula that is archived, as a crash before its branch got its name leaves it. */
async function halfArchived(place: Place): Promise<string> {
  const { state } = await begin(place);
  const tip = place.git("rev-parse", "nebula/demo");
  const store = openState(nebulaHome(commonDir(place), state.id), () => new Date());
  store.archive(`nebula/demo.${state.id}`, tip);
  store.close();
  return `nebula/demo.${state.id}`;
}

test("a branch gets its name after a crash, once: what a person calls so later is theirs", async () => {
  const place = aPlace({}, ALONE);
  const kept = await halfArchived(place);
  const tip = place.git("rev-parse", "nebula/demo");
  expect((await begin(place, {}, FAILING)).reason).toBe("failed");
  expect(place.git("rev-parse", kept)).toBe(tip);

  // Both are deleted by a person, who makes one of that name.
  place.git("branch", "--delete", "--force", kept);
  await begin(place, { fresh: true, branch: "elsewhere" }, FAILING);
  place.git("branch", "nebula/demo", tip);
  await expect(begin(place, { branch: "nebula/other", fresh: true })).resolves.toBeDefined();
  expect(place.git("rev-parse", "nebula/demo")).toBe(tip);
  expect(branches(place)).not.toContain(kept);
});

test("a branch that has yet to get its name stays where a person has made another one of that name", async () => {
  const place = aPlace({}, ALONE);
  const kept = await halfArchived(place);
  const tip = place.git("rev-parse", "nebula/demo");
  place.git("branch", kept, "main");
  await expect(begin(place)).rejects.toMatchObject({
    code: "ERR_BRANCH",
    message: `there is a branch ${kept} already`,
  });
  expect(place.git("rev-parse", "nebula/demo")).toBe(tip);
  // One that contains what has landed keeps it.
  place.git("branch", "--force", kept, tip);
  expect((await begin(place)).reason).toBe("done");
});

test("a commit of a person on a branch that has yet to get its name stays on it", async () => {
  const place = aPlace({}, ALONE);
  const kept = await halfArchived(place);
  const tip = place.git("rev-parse", "nebula/demo");
  const mine = place.git("commit-tree", "-m", "Mine", "-p", tip, `${tip}^{tree}`);
  place.git("update-ref", "refs/heads/nebula/demo", mine);
  await expect(begin(place)).rejects.toMatchObject({ code: "ERR_BRANCH" });
  expect(place.git("rev-parse", "nebula/demo", kept)).toBe(`${mine}\n${tip}`);
});

test("what was pruned or replaced since a person looked is not resumed", async () => {
  const place = aPlace({}, ALONE);
  await begin(place, {}, FAILING);
  const before = newest(place);
  await begin(place, { fresh: true }, FAILING);
  await expect(place.apply({}, { resumed: before })).rejects.toMatchObject({ code: "ERR_USAGE" });
  rmSync(nebulaHome(commonDir(place), newest(place).id).dir, { recursive: true });
  const gone = { ...before, id: "aaaaaaaaaa" };
  await expect(place.apply({}, { resumed: gone })).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
  expect(existsSync(nebulaHome(commonDir(place), gone.id).dir)).toBe(false);
});

test.for(["one that begins", "one that begins afresh", "one of another folder"])(
  "beside a nebula that cannot be read nothing begins: %s",
  async (which) => {
    const place = aPlace({}, ALONE);
    const { dir, state } = nebulaHome(commonDir(place), "abcdefghij");
    write(dir, { "state.toml": "version = 2\n" });
    const loaded = which.endsWith("folder") ? copyOf(place) : loadNebula(place.dir);
    const begun = begin(place, { loaded, fresh: which.endsWith("afresh") });
    await expect(begun).rejects.toMatchObject({
      code: "ERR_INCOMPATIBLE_VERSION",
      message: expect.stringContaining(dir) as string,
      next: [{ shell: "quasar doctor" }, { note: "use the version of Quasar that wrote it" }],
    });
    expect(readFileSync(state, "utf8")).toBe("version = 2\n");
    expect(readdirSync(join(dir, ".."))).toEqual(["abcdefghij"]);
    expect(branches(place)).toEqual(["main"]);
  },
);

test("one that can be read is begun afresh only once the others can be read, too", async () => {
  const place = aPlace({}, ALONE);
  await begin(place, {}, FAILING);
  const { id, branch } = newest(place);
  write(nebulaHome(commonDir(place), "abcdefghij").dir, { "state.toml": "no TOML" });
  await expect(begin(place, { fresh: true })).rejects.toMatchObject({ code: "ERR_DAMAGED" });
  expect(newest(place)).toMatchObject({ id, branch, archivedFrom: "" });
});
