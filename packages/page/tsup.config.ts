import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts"],
  format: ["esm"],
  target: "node22",
  clean: true,
  sourcemap: true,
  external: ["#bundle"], // vite.config.ts builds it into the same folder
  dts: false, // tsup 9 cannot emit .d.ts with TypeScript 7; `tsc -p tsconfig.build.json` does
});
