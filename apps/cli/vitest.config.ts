import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "cli",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Each test starts many processes, on a machine that may be busy.
    testTimeout: 30_000,
  },
});
