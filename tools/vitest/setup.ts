import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { lane } from "./lane.ts";

/**
 * Says by which seed the lane samples, empties the compile cache, in which programs of folders that are
 * gone would pile up, and builds what the tests start as a program, unless turbo, which runs them, has
 * just done so.
 */
export function setup({ config }: TestProject): void {
  if (lane !== "long") {
    process.stdout.write(`sampled by QUASAR_SEED=${config.env["QUASAR_SEED"]}\n`);
  }
  const { NODE_COMPILE_CACHE: cache } = config.env;
  if (cache !== undefined) rmSync(cache, { recursive: true, force: true });
  if (process.env["TURBO_HASH"] !== undefined) return;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync("pnpm", ["run", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
