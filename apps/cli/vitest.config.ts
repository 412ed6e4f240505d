import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "cli",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Whole commands with real processes, on machines that are busy with other packages' tests.
    testTimeout: 30_000,
  },
});
