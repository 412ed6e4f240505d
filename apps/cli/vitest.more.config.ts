import { defineConfig } from "vitest/config";
import real from "./vitest.real.config.ts";

// With the agent CLIs that packages/agents/real/more/run.ts installs; REAL_AGENTS names those that run, all four without it.
export default defineConfig({
  ...real,
  test: {
    ...real.test,
    name: "more real agents of the command",
    include: ["real/more/*.test.ts", "real/kills/*.test.ts"],
    maxConcurrency: 1,
    // Only for what hangs: a turn takes a minute on a machine that is busy.
    testTimeout: 900_000,
  },
});
