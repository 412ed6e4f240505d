import { defineConfig } from "vitest/config";

// With the agent CLIs that `pnpm --filter @quasar/agents test:real` has installed.
export default defineConfig({
  test: {
    name: "real agents of the command",
    include: ["real/*.test.ts"],
    maxWorkers: 1,
    maxConcurrency: 2,
    pool: "forks",
    // Only for what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
