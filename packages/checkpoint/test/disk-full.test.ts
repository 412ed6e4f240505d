import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { createCheckpointFiles } from "../src/checkpoint-files.ts";
import { aCheckpoint } from "../src/testing.ts";
import { temporaryFolders } from "./folder.ts";

const aFolder = temporaryFolders();
const script = fileURLToPath(new URL("one-save.ts", import.meta.url));
const mounts: string[] = [];
afterAll(() => {
  for (const path of mounts) spawnSync("umount", [path]);
});

/** A folder on a file system of 400 KiB, where this user may mount one. */
function aSmallDisk(): string | undefined {
  const dir = aFolder();
  mkdirSync(dir);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=400k", "tmpfs", dir]);
  if (status !== 0) return undefined;
  mounts.push(dir);
  return dir;
}

/** Saves `size` bytes of output in a process of its own, that may write no file over 400 KiB. */
function saveWithin(dir: string, size: number): string {
  const command = `ulimit -f 400; exec "$0" --no-warnings "$@"`;
  const { stdout } = spawnSync("bash", ["-c", command, process.execPath, script, dir, `${size}`]);
  return stdout.toString().trim();
}

const limited = () => {
  const dir = aFolder();
  return { dir, save: (size: number) => saveWithin(dir, size) };
};

const small = () => {
  const dir = aSmallDisk();
  if (dir === undefined) return limited();
  const files = createCheckpointFiles({ dir });
  const save = (size: number): string => {
    try {
      files.save(aCheckpoint({ coderOutput: "x\n".repeat(size / 2) }));
      return "saved";
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : "another error";
    }
  };
  return { dir, save };
};

test.for([
  ["a small file system", small],
  ["a file-size limit", limited],
] as const)(
  "%s that is full: the save fails, the old checkpoint stays, the next one works",
  ([, prepare]) => {
    const { dir, save } = prepare();
    expect(save(100_000)).toBe("saved");
    const before = createCheckpointFiles({ dir }).load("auth-api");
    expect(before?.checkpoint.coderOutput.length).toBe(100_000);

    for (const size of [700_000, 3_000_000]) {
      expect(save(size)).toBe("ERR_NOT_DURABLE");
      const after = createCheckpointFiles({ dir }).load("auth-api");
      expect(after).toStrictEqual(before);
      expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toStrictEqual([]);
    }
    expect(save(5_000_000)).toBe("ERR_NOT_DURABLE"); // the artifact is what does not fit
    expect(createCheckpointFiles({ dir }).load("auth-api")).toStrictEqual(before);

    expect(save(50_000)).toBe("saved");
    expect(createCheckpointFiles({ dir }).load("auth-api")?.checkpoint.coderOutput.length).toBe(
      50_000,
    );
  },
);
