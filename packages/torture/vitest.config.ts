import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "torture", include: ["src/**/*.test.ts", "test/**/*.test.ts"] },
});
