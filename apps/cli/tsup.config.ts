import { defineConfig } from "tsup";

export default defineConfig({
  // The supervisor is found beside the command: a program of its own.
  entry: { main: "src/main.ts", supervisor: "../../packages/agents/src/supervisor.ts" },
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
