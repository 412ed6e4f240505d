import { defineConfig } from "vitest/config";

// Real agent CLIs, installed into real/node_modules: `pnpm test:real` does both.
export default defineConfig({
  test: {
    name: "real agents",
    include: ["real/*.test.ts"],
    maxWorkers: 1,
    pool: "forks",
    // Only for what hangs.
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
