import { bundledLicenses } from "@quasar/licenses";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/serve.ts"],
  format: ["esm"],
  target: "node22",
  clean: true,
  sourcemap: true,
  esbuildPlugins: [bundledLicenses()],
  dts: false, // tsup 9 cannot emit .d.ts with TypeScript 7; `tsc -p tsconfig.build.json` does
});
