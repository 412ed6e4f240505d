import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "checkpoint", include: ["src/**/*.test.ts", "test/**/*.test.ts"] },
});
