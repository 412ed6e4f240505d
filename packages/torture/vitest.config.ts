import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "torture",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Trials are run two at a time as it is.
    fileParallelism: false,
    testTimeout: 60_000,
  },
});
