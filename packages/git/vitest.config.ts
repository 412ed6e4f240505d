import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "git", include: ["src/**/*.test.ts", "test/**/*.test.ts"] },
});
