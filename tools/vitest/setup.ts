import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { lane } from "./lane.ts";

/**
 * Says by which seed the lane samples, makes the folder that the test files share, and builds what the
 * tests start as a program, unless turbo, which runs them, has just done so.
 *
 * @returns What removes the folder.
 */
export function setup({ config }: TestProject): () => void {
  const { QUASAR_SEED, QUASAR_TEST_FOLDER: folder } = config.env;
  if (folder === undefined) throw new Error("tests of another configuration");
  if (lane !== "long") process.stdout.write(`sampled by QUASAR_SEED=${QUASAR_SEED}\n`);
  mkdirSync(folder, { recursive: true });
  // What a test has left running may still write.
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  if (process.env["TURBO_HASH"] !== undefined) return remove;
  build();
  return remove;
}

/** This package, and those that it depends on. @throws with what the compiler says */
function build(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { name } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly name: string };
  const args = ["run", "build", `--filter=${name}...`];
  const { status, stdout, error } = spawnSync("pnpm", args, {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`what the tests start does not build:\n${stdout}`);
}
