import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";

const MEBIBYTES = 128;

/** Makes an empty ext4 file system in a file. */
export function makeImage(file: string): void {
  writeFileSync(file, "");
  truncateSync(file, MEBIBYTES * 1024 * 1024);
  run("mkfs.ext4", "-q", "-F", file);
}

/** Has `work` look at what an image holds; a journal that a cut left is played back first. */
export async function withMounted<Result>(
  image: string,
  folder: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  mkdirSync(folder, { recursive: true });
  run("mount", "-o", "loop", image, folder);
  try {
    return await work();
  } finally {
    run("umount", folder);
  }
}

/** Copies an image, holes and all. */
export function copyImage(from: string, to: string): void {
  run("cp", "--sparse=always", from, to);
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Whether the file system itself is whole: it is not what is proved here. */
export function isSound(image: string): boolean {
  return spawnSync("e2fsck", ["-f", "-n", image]).status === 0;
}
