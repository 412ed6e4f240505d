import { globSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestUserConfig, type ViteUserConfig } from "vitest/config";
import { byLane, ofDay } from "./lane.ts";

/** Under this condition workspace packages see each other's sources: no test passes on an old `dist`. */
const SOURCE = "@quasar/source";

export interface PackageTests extends TestUserConfig {
  readonly name: string;
  /** Test files that take long, of which only so many are run at a time: others each day, until all have been. */
  readonly sampled?: Sampled | undefined;
}

export interface Sampled {
  readonly files: readonly string[];
  /** In the fast lane. */
  readonly most: number;
  /** In `whole`; in `long` it is always all. @default all */
  readonly mostOfWhole?: number | undefined;
}

/** Of whole days, so that what turbo has in its cache holds for one. */
const SEED = Number(process.env["QUASAR_SEED"] ?? Math.floor(Date.now() / 86_400_000));

/** Of one run of tests: its end removes it. */
const FOLDER = join(realpathSync(tmpdir()), `quasar-tests-${process.pid}`);

/**
 * The tests of one package, run from its folder.
 *
 * @param settings - What differs from the other packages.
 */
export function packageTests({ sampled, ...settings }: PackageTests): ViteUserConfig {
  return defineConfig({
    resolve: { conditions: [SOURCE] },
    ssr: { resolve: { conditions: [SOURCE, "node", "import", "module", "default"] } },
    test: {
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      exclude: ["**/node_modules/**", ...leftOut(sampled)],
      globalSetup: fileURLToPath(new URL("setup.ts", import.meta.url)),
      env: {
        QUASAR_SEED: String(SEED),
        QUASAR_TEST_FOLDER: FOLDER,
        // Programs that tests start import the workspace too.
        NODE_OPTIONS: [process.env["NODE_OPTIONS"], `--conditions=${SOURCE}`].join(" ").trim(),
        // And most of what a small program costs is the compilation of TypeScript. A cache of this run's
        // own: programs that an earlier one has left running may still write theirs.
        NODE_COMPILE_CACHE: join(FOLDER, "compiled"),
      },
      // Only for what hangs: real processes and files, on a machine that may be busy.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000 } },
      maxWorkers: 2, // Many tests mostly wait for processes and disks.
      ...settings,
    },
  });
}

/** The files that the lane passes over this time. Only turbo samples: who types `vitest` finds every test. */
function leftOut(sampled: Sampled | undefined): readonly string[] {
  if (sampled === undefined || process.env["TURBO_HASH"] === undefined) return [];
  const { most, mostOfWhole = Infinity } = sampled;
  const files = sampled.files.flatMap((pattern) => globSync(pattern)).toSorted();
  const number = byLane({ fast: most, whole: mostOfWhole, long: Infinity });
  const chosen = new Set(ofDay(SEED, files, number));
  return files.filter((file) => !chosen.has(file));
}
