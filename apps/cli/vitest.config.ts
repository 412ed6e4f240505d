import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "cli",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Each test starts many processes and mostly waits, on a machine that may be busy.
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
