import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "torture",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Trials are run two at a time as it is.
    fileParallelism: false,
    // Only for what hangs: real processes and files, on a machine that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
