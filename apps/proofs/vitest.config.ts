import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "proofs",
    include: ["test/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
