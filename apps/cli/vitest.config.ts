import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "cli",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Each test starts many processes and mostly waits, on a machine that may be busy.
    maxWorkers: 2,
    // Only for what hangs: real processes and files, on a machine that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
