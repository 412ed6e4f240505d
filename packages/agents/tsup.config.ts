import { bundledLicenses } from "@quasar/licenses";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/supervisor.ts",
    "src/acp-supervisor.ts",
    "src/reviewer-guard.ts",
    "src/entries/turns.ts",
    "src/entries/environment.ts",
    "src/entries/prices.ts",
    "src/entries/presets.ts",
    "src/entries/internal.ts",
  ],
  format: ["esm"],
  target: "node22",
  clean: true,
  sourcemap: true,
  esbuildPlugins: [bundledLicenses()],
  dts: false, // tsup 9 cannot emit .d.ts with TypeScript 7; `tsc -p tsconfig.build.json` does
});
