import { constants } from "node:os";
import { DurableError } from "@quasar/durable";
import { GitError } from "@quasar/git";
import { NebulaError } from "@quasar/nebula";
import { TasksError } from "@quasar/tasks";
import { expect, test } from "vitest";
import { translate as translateAtlas } from "../atlas/translate.ts";
import { translate } from "../quasar/translate.ts";

/** As Node throws what the system refuses. */
function refused(code: string, syscall = "mkdir", path = "/r/.git/quasar"): Error {
  const said = `${code}: the system's words, ${syscall}`;
  return Object.assign(new Error(said), { code, syscall, ...(path !== "" && { path }) });
}

/** As Node throws a used-up quota, which it has no name for. */
function overQuota(): Error {
  const { EDQUOT } = constants.errno;
  const said = `Unknown system error -${EDQUOT}`;
  const error = new Error(`${said}: ${said}, write '/r/.git/quasar/x'`);
  const path = "/r/.git/quasar/x";
  return Object.assign(error, { code: said, errno: -EDQUOT, syscall: "write", path });
}

test.for([
  ["EROFS", "the file system is read-only", "df /r/.git "],
  ["ENOSPC", "the disk is full", "df -h /r/.git && df -i /r/.git "],
  ["EIO", "the disk fails", "dmesg | tail "],
  ["EACCES", "permission denied", "ls -ld /r/.git "],
  ["EPERM", "the system does not permit it", "ls -ld /r/.git "],
  ["EMFILE", "too many open files", "ulimit -n 4096 "],
  ["EAGAIN", "too many processes", "ulimit -u "],
] as const)(
  "%s of a call is said as what it is, with the path and what shows it",
  ([code, words, command]) => {
    const { code: reason, message, next } = translate(refused(code));
    expect(reason).toBe("ERR_STATE");
    expect(message).toBe(`mkdir /r/.git/quasar failed: ${words} (${code})`);
    expect(next[0]?.startsWith(command), next[0]).toBe(true);
  },
);

test("a used-up quota has its name", () => {
  const { message, next } = translate(overQuota());
  expect(message).toBe("write /r/.git/quasar/x failed: the disk quota is used up (EDQUOT)");
  expect(next[0]).toMatch(/^quota -s /u);
});

test("what else the system refuses is in its own words, with whose folder it is and how full", () => {
  const { message, next } = translate(refused("ENOENT"));
  expect(message).toBe("mkdir /r/.git/quasar failed: ENOENT: the system's words, mkdir");
  expect(next).toEqual([
    "ls -ld /r/.git   # whose is it?",
    "df -h /r/.git   # a full or read-only disk?",
  ]);
  expect(translate(refused("ENOENT", "fsync", "")).next[0]).toContain("ls -ld . .git");
});

test("a save that the disk refuses leads to that disk, by what it refuses", () => {
  const save = (cause?: Error) =>
    new DurableError("ERR_NOT_DURABLE", "/r/x was not saved", { cause });
  for (const inWords of [translate, translateAtlas]) {
    expect(inWords(save(refused("EROFS"))).next[0]).toMatch(/^df \/r\/\.git /u);
    expect(inWords(save(overQuota())).next[0]).toMatch(/^quota -s /u);
    expect(inWords(save()).next).toContain("df -h .   # a full or read-only disk?");
  }
  const behind = new TasksError("ERR_NOT_CREATED", "no task", { cause: save(refused("ENOSPC")) });
  expect(translateAtlas(behind).next[0]).toMatch(/^df -h \/r\/\.git && /u);
});

test.for([
  ["fatal: Unable to create '/r/.git/index.lock': Read-only file system", "df . "],
  ["error: unable to write file a: No space left on device", "df -h . && df -i . "],
  ["error: file write error: Disk quota exceeded", "quota -s "],
  ["fatal: cannot open '/r/.git/HEAD': Too many open files", "ulimit -n 4096 "],
  ["fatal: cannot update ref 'refs/heads/x': couldn't write '/r/x.lock'", "ls -ld . .git"],
  ["fatal: bad object HEAD", "git status"],
] as const)('git that says "%s" leads to %s', ([said, command]) => {
  const { next } = translate(new GitError("ERR_GIT_FAILED", `git commit failed: ${said}`));
  expect(next[0]?.startsWith(command), next[0]).toBe(true);
});

test("git that cannot be started for want of descriptors is not taken for missing, nor the other way round", () => {
  const spawn = (code: string) => refused(code, "spawn git", "git");
  const failed = new GitError("ERR_GIT_FAILED", "git status failed", { cause: spawn("EMFILE") });
  expect(translate(failed).next[0]).toMatch(/^ulimit -n /u);
  const missing = new GitError("ERR_GIT_MISSING", "no git", { cause: spawn("ENOENT") });
  expect(translate(missing).next).toEqual(["install git"]);
});

test("what an error of a nebula says that helps is all that is said", () => {
  const next = [
    { shell: "git switch --detach", note: "frees the branch" },
    { do: "check" },
  ] as const;
  const { code, next: steps } = translate(new NebulaError("ERR_DAMAGED", "no TOML", { next }));
  expect(code).toBe("ERR_CORRUPT");
  expect(steps).toEqual([expect.stringContaining("git switch --detach"), "quasar doctor"]);
  const plain = translate(new NebulaError("ERR_DAMAGED", "no TOML"));
  expect(plain.next).toEqual([expect.stringContaining("look at it")]);
});
