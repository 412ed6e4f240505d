import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "loop", include: ["src/**/*.test.ts", "test/**/*.test.ts"] },
});
