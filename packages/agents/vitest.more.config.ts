import { defineConfig } from "vitest/config";
import real from "./vitest.real.config.ts";

// Real agent CLIs, each installed in a folder of its own: real/more/<name>.
export default defineConfig({
  ...real,
  test: { ...real.test, name: "more real agents", include: ["real/more/*.test.ts"] },
});
