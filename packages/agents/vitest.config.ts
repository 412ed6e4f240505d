import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "agents",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    maxWorkers: 2, // Tests mostly wait for processes.
    testTimeout: 30_000, // real processes and files, on a machine that may be busy
  },
});
