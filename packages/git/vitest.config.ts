import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "git",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000, // dozens of git processes, on a machine that may be busy
  },
});
