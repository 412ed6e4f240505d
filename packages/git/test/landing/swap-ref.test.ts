import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import { refSha } from "../../src/branches.ts";
import { compareAndSwapRef, readRef, syncRef } from "../../src/landing/swap-ref.ts";
import { openRepository, type Repository } from "../../src/repository.ts";
import { failure, failureCode, git, traced, tryGit } from "../fixture.ts";
import { commit, lose, twoSides } from "./fixture.ts";

/** What was opened and synced by this process, in order, and where the ref was then. */
const synced = vi.hoisted(() => ({ paths: [] as string[], look: (): string => "" }));

vi.mock(import("node:fs"), async (load) => {
  const real = await load();
  const opened = new Map<number, string>();
  return {
    ...real,
    openSync: (path, ...rest) => {
      const fd = real.openSync(path, ...rest);
      opened.set(fd, String(path));
      return fd;
    },
    fsyncSync: (fd) => {
      synced.paths.push(`${opened.get(fd)}${synced.look()}`);
      real.fsyncSync(fd);
    },
  };
});

beforeEach(() => {
  synced.paths = [];
  synced.look = () => "";
});

const REF = "refs/heads/nebula/x";
const MESSAGE = { message: "land\na" };

interface Scene {
  readonly root: string;
  readonly repository: Repository;
  /** Two commits, one on the other. */
  readonly first: string;
  readonly second: string;
}

async function aScene(...options: string[]): Promise<Scene> {
  const { root, base } = twoSides({ f: "f" }, {}, {}, ...options);
  git(root, "checkout", "-q", "--detach", base);
  const second = commit(root, { f: "second" });
  return { root, repository: await openRepository(root), first: base, second };
}

function valueOf(root: string, ref = REF): string {
  return git(root, "for-each-ref", "--format=%(objectname)", ref).trim();
}

test.for([[], ["--object-format=sha256"]])(
  "creates a ref, moves it, and leaves it where it is not as expected %j",
  async (options) => {
    const { root, repository, first, second } = await aScene(...options);
    const swap = (from: string | undefined, to: string): Promise<string> =>
      compareAndSwapRef(repository, { ref: REF, from, to, ...MESSAGE });
    expect(await swap(first, second), "there is none").toBe("moved");
    expect(valueOf(root)).toBe("");
    expect(await swap(undefined, first)).toBe("swapped");
    expect(await swap(undefined, second), "there is one").toBe("moved");
    expect(valueOf(root)).toBe(first);
    expect(await swap(first, second)).toBe("swapped");
    expect(await swap(first, second), "it is there already").toBe("swapped");
    git(root, "pack-refs", "--all");
    expect(await swap(first, second), "packed").toBe("swapped");
    expect(await swap(second, first), "packed").toBe("swapped");
    expect(valueOf(root)).toBe(first);
    expect(git(root, "reflog", REF)).toContain("land a\n");
  },
);

test("syncs the folders of a ref, once it is there", async () => {
  const { root, repository, first } = await aScene();
  const dir = join(root, ".git");
  synced.look = () => (valueOf(root) === first ? "" : " too early");
  const swap = { ref: REF, from: undefined, to: first, ...MESSAGE };
  const processes = await traced(async () => void (await compareAndSwapRef(repository, swap)));
  const folders = ["refs/heads/nebula", "refs/heads", "refs", ""].map((each) => join(dir, each));
  const real = folders.map((each) => each.replace(/\/$/u, ""));
  expect(synced.paths).toEqual(real);
  const [update] = processes.filter(({ argv }) => argv.includes("update-ref"));
  expect(update?.flushes, "git syncs the file").toBeGreaterThan(0);
  synced.paths = [];
  expect(await compareAndSwapRef(repository, swap)).toBe("swapped");
  expect(synced.paths, "a reader may rely on it").toEqual(real);
  synced.paths = [];
  git(root, "pack-refs", "--all", "--prune");
  syncRef(repository, REF);
  expect(synced.paths).toContain(dir);
});

test("lets one of many have it", async () => {
  const { root, repository, first } = await aScene();
  git(root, "update-ref", REF, first);
  const own = [1, 2, 3, 4, 5, 6].map((n) => {
    git(root, "checkout", "-q", "--detach", first);
    return commit(root, { f: `${n}` });
  });
  const ends = await Promise.all(
    own.map((to) => compareAndSwapRef(repository, { ref: REF, from: first, to, ...MESSAGE })),
  );
  expect(ends.filter((end) => end === "swapped")).toHaveLength(1);
  expect(valueOf(root)).toBe(own[ends.indexOf("swapped")]);
});

test.runIf(process.platform === "linux")("moves the lock of a dead git aside", async () => {
  const { root, repository, first, second } = await aScene();
  git(root, "update-ref", REF, first);
  const lock = join(root, ".git", `${REF}.lock`);
  writeFileSync(lock, "");
  const swap = { ref: REF, from: first, to: second, ...MESSAGE };
  expect(await compareAndSwapRef(repository, swap)).toBe("swapped");
  expect(existsSync(lock)).toBe(false);
});

test("waits for a lock that is held, and ends with the signal's reason", async () => {
  const { root, repository, first, second } = await aScene();
  git(root, "update-ref", REF, first);
  const lock = join(root, ".git", `${REF}.lock`);
  writeFileSync(lock, "");
  // Where processes cannot be read, any lock may be held.
  const platform = vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
  try {
    const swap = { ref: REF, from: first, to: second, ...MESSAGE };
    const signal = AbortSignal.timeout(300);
    await expect(compareAndSwapRef(repository, { ...swap, signal })).rejects.toThrow(
      expect.objectContaining({ name: "TimeoutError" }),
    );
    const swapping = compareAndSwapRef(repository, swap);
    await sleep(300);
    rmSync(lock);
    expect(await swapping).toBe("swapped");
  } finally {
    platform.mockRestore();
  }
});

test.for([
  ["above it", "refs/heads/nebula"],
  ["below it", "refs/heads/nebula/x/y"],
] as const)("says that a ref %s has the name", async ([, other]) => {
  const { root, repository, first } = await aScene();
  git(root, "update-ref", other, first);
  for (const pack of [false, true]) {
    if (pack) git(root, "pack-refs", "--all");
    const swap = { ref: REF, from: undefined, to: first, ...MESSAGE };
    const error = await failure(compareAndSwapRef(repository, swap));
    expect(error.code).toBe("ERR_NAME_TAKEN");
    expect(error.message).toContain(other);
  }
});

test("creates a ref where an empty folder has its name", async () => {
  const { root, repository, first } = await aScene();
  mkdirSync(join(root, ".git", REF), { recursive: true });
  const swap = { ref: REF, from: undefined, to: first, ...MESSAGE };
  expect(await compareAndSwapRef(repository, swap)).toBe("swapped");
});

test("replaces a ref that leads to another one, and leaves that one alone", async () => {
  const { root, repository, first, second } = await aScene();
  git(root, "update-ref", "refs/heads/main", first);
  git(root, "symbolic-ref", REF, "refs/heads/main");
  const swap = { ref: REF, from: first, to: second, ...MESSAGE };
  expect(await compareAndSwapRef(repository, swap)).toBe("swapped");
  expect(valueOf(root)).toBe(second);
  expect(valueOf(root, "refs/heads/main")).toBe(first);
});

test("reads a ref whose commit is lost, and moves it from there", async () => {
  const { root, repository, first, second } = await aScene();
  expect(await readRef(repository, REF)).toBe(undefined);
  git(root, "update-ref", REF, second);
  git(root, "update-ref", "--no-deref", "HEAD", first);
  lose(root, second);
  expect(await refSha(root, REF)).toBe(undefined);
  expect(await readRef(repository, REF)).toBe(second);
  const swap = { ref: REF, from: second, to: first, ...MESSAGE };
  expect(await compareAndSwapRef(repository, swap)).toBe("swapped");
  expect(await readRef(repository, REF)).toBe(first);
});

test("refuses a commit that is not here, and what is no ref", async () => {
  const { repository, first } = await aScene();
  const swap = { ref: REF, from: undefined, to: "1".repeat(40), ...MESSAGE };
  expect(await failureCode(compareAndSwapRef(repository, swap))).toBe("ERR_MISSING_OBJECT");
  for (const ref of ["HEAD", "main", "refs/heads/../x", first]) {
    const bad = { ...swap, ref, to: first };
    expect(await failureCode(compareAndSwapRef(repository, bad))).toBe("ERR_BAD_REVISION");
  }
});

test("keeps refs in one table where the git here knows of that", async ({ skip }) => {
  const { root } = await aScene();
  tryGit(root, "refs", "migrate", "--ref-format=reftable");
  if (!existsSync(join(root, ".git", "reftable"))) skip("before git 2.45 there is none");
  const repository = await openRepository(root);
  const to = git(root, "rev-parse", "HEAD").trim();
  const swap = { ref: REF, from: undefined, to, ...MESSAGE };
  expect(await compareAndSwapRef(repository, swap)).toBe("swapped");
  expect(synced.paths).toContain(join(root, ".git", "reftable"));
  expect(await compareAndSwapRef(repository, swap)).toBe("moved");
});
