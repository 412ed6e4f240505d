import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/main.ts"],
  format: ["esm"],
  target: "node22",
  clean: true,
  splitting: true,
  noExternal: [/./], // one bundle: start-up is half of what separate modules cost
  // execa's cross-spawn is CommonJS and calls require()
  banner: {
    js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);",
  },
  dts: false,
});
