import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { lane } from "./lane.ts";

/**
 * Says by which seed the lane samples, makes the folder that the test files share, empties the compile
 * cache, in which programs of folders that are gone would pile up, and builds what the tests start as a
 * program, unless turbo, which runs them, has just done so.
 *
 * @returns What removes the folder.
 */
export function setup({ config }: TestProject): () => void {
  const { QUASAR_SEED, QUASAR_TEST_FOLDER: folder, NODE_COMPILE_CACHE: cache } = config.env;
  if (folder === undefined || cache === undefined)
    throw new Error("tests of another configuration");
  if (lane !== "long") process.stdout.write(`sampled by QUASAR_SEED=${QUASAR_SEED}\n`);
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // What a test has left running may still write.
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  if (process.env["TURBO_HASH"] !== undefined) return remove;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync("pnpm", ["run", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return remove;
}
