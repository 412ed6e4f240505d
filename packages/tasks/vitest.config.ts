import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "tasks",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000, // real processes and files, on a machine that may be busy
  },
});
