import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/live.ts"],
  format: ["esm"],
  target: "node22",
  clean: true,
  sourcemap: true,
  external: ["#bundle", "#live-bundle"], // vite.config.ts builds them into the same folder
  dts: false, // tsup 9 cannot emit .d.ts with TypeScript 7; `tsc -p tsconfig.build.json` does
});
