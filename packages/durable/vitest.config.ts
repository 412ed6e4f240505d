import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "durable", include: ["src/**/*.test.ts", "test/**/*.test.ts"] },
});
