import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ATLAS, atlasPlace, scripted } from "./atlas/harness.ts";
import { git, lastRecord, MAIN, type Place, place, quasar, write } from "./harness.ts";
import { frozen, full, mounted, type MountedOptions, noMounts, readOnly } from "./mounted.ts";
import { agents, oneCycle } from "./scripts.ts";

if (noMounts !== undefined) console.warn(noMounts);

interface Told {
  readonly code: string;
  readonly message: string;
  readonly next: readonly string[];
}

/** What a run says that is refused for what is mounted. */
function refusedRun(at: Place, mounts: string): Told & { readonly status: number | null } {
  const args = ["run", "Write", "--json", ...agents(at, oneCycle())];
  const { status, stdout, stderr } = mounted(at, args, { mounts });
  const told = lastRecord({ stdout });
  expect(told, stderr).toMatchObject({ type: "error" });
  return { ...(told as unknown as Told), status };
}

/** The command of a step, without what is said about it. */
const command = (step: string | undefined): string => step?.replace(/ {3}# .*$/su, "") ?? "";

/** Makes sure that the first step can be typed as it stands, and shows a line about the folder's disk. */
function works(at: Place, { next }: Told): void {
  const typed = spawnSync("sh", ["-c", command(next[0])], { cwd: at.repo, encoding: "utf8" });
  expect(typed, next[0]).toMatchObject({ status: 0, stdout: expect.stringMatching(/\S/u) });
}

test.skipIf(noMounts !== undefined)(
  "a read-only HOME is named as that, not as a folder that is missing",
  () => {
    const at = place();
    const told = refusedRun(at, readOnly('"$HOME"'));
    const home = at.env["HOME"] ?? "";
    expect(told).toMatchObject({ status: 1, code: "ERR_STATE" });
    expect(told.message).toContain(`EROFS: read-only file system, mkdir '${home}`);
    expect(command(told.next[0])).toBe(`df ${home}`);
    works(at, told);
  },
);

test.skipIf(noMounts !== undefined).for([
  [".git", ".git/quasar", ".git"],
  [".", ".git/quasar", ".git"],
] as const)(
  "a read-only %s is named as that, with what could not be made",
  ([folder, path, of]) => {
    const at = place();
    const told = refusedRun(at, frozen(`"$REPO/${folder}"`));
    const failed = join(at.repo, path);
    expect(told.message).toBe(`mkdir ${failed} failed: the file system is read-only (EROFS)`);
    expect(command(told.next[0])).toBe(`df ${join(at.repo, of)}`);
    works(at, told);
  },
);

test.skipIf(noMounts !== undefined)("a full disk is named as that", () => {
  const at = place();
  const told = refusedRun(at, `mkdir "$REPO/.git/quasar"; ${full('"$REPO/.git/quasar"')}`);
  const folder = join(at.repo, ".git/quasar");
  expect(told.message).toBe(`write ${folder}/lock.run failed: the disk is full (ENOSPC)`);
  expect(command(told.next[0])).toBe(`df -h ${folder} && df -i ${folder}`);
});

test.skipIf(noMounts !== undefined)("a task whose home or repository is read-only says so", () => {
  const at = atlasPlace();
  const args = ["start", "fix it", "--template", "look", "--json", ...scripted(at)];
  const start = (mounts: string): Told & { readonly outcome?: string } => {
    const options: MountedOptions = { mounts, main: ATLAS };
    return lastRecord(mounted(at, args, options)) as unknown as Told;
  };
  const home = start(`mkdir -p "$ATLAS_HOME"; ${frozen('"$ATLAS_HOME"')}`);
  expect(home.message).toContain("read-only");
  expect(command(home.next[0])).toMatch(/^df \//u);
  const repository = start(frozen('"$REPO/.git"'));
  expect(repository.message).toMatch(/read-only/iu);
  expect(command(repository.next[0])).toMatch(/^df /u);
});

/** Leaves root nothing of its right to read and write what modes forbid. */
const BY_MODES =
  process.getuid?.() === 0
    ? [
        "setpriv",
        "--bounding-set=-dac_override,-dac_read_search",
        "--inh-caps=-dac_override,-dac_read_search",
      ]
    : [];

test.for([".git/objects", ".git/HEAD", ".git"])(
  "a %s that may not be read is not called no repository",
  (name) => {
    const at = place();
    const path = join(at.repo, name);
    chmodSync(path, 0o000);
    onTestFinished(() => chmodSync(path, 0o755));
    const words = [
      ...BY_MODES,
      process.execPath,
      MAIN,
      "run",
      "Write",
      "--json",
      ...agents(at, oneCycle()),
    ];
    const run = spawnSync("/usr/bin/env", words, { cwd: at.repo, env: at.env, encoding: "utf8" });
    const told = lastRecord(run) as unknown as Told;
    expect(run.status, run.stderr).toBe(1);
    expect(told.message).toContain(`git cannot use "${join(at.repo, ".git")}": EACCES`);
    expect(told.next[0]).toBe(`ls -la ${join(at.repo, ".git")}`);
    expect(told.next.join()).not.toContain("git init");
  },
);

test("too few descriptors are named as that, and how there are more", async () => {
  const at = place();
  const args = ["run", "Write", "--json", ...agents(at, oneCycle())];
  const run = await quasar(at, args, { openFiles: 24 });
  expect(run.code).toBe(1);
  const told = lastRecord(run) as unknown as Told;
  expect(told.message).toContain("EMFILE");
  expect(command(told.next[0])).toBe("ulimit -n 4096");
  expect(git(at, "log", "--format=%s")).toBe("Start");
});

test("a run that ends by a disk which git cannot write to says what shows that, before the resume", async () => {
  const at = place();
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const fails = `echo "fatal: Unable to create '.git/index.lock': Read-only file system" >&2; exit 128`;
  const wrapper = `#!/bin/sh\ncase " $* " in *" commit "*) ${fails} ;; esac\nexec '${real}' "$@"\n`;
  write(at.outside, { "bin/git": wrapper });
  chmodSync(join(at.outside, "bin/git"), 0o755);
  const env = { PATH: `${at.outside}/bin:${at.env["PATH"]}` };
  const args = ["run", "Write", "--json", ...agents(at, oneCycle())];
  const told = lastRecord(await quasar(at, args, { env }));
  expect(told).toMatchObject({ outcome: "git" });
  const [first, second] = told["next"] as readonly string[];
  expect(command(first)).toBe("df .");
  expect(second).toMatch(/^quasar resume /u);
});
