import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    main: "src/main.ts",
    atlas: "src/atlas/main.ts",
    // Found beside the commands: a program of its own.
    supervisor: "../../packages/agents/src/supervisor.ts",
  },
  format: ["esm"],
  target: "node22",
  clean: true,
  splitting: true,
  noExternal: [/./], // one bundle: start-up is half of what separate modules cost
  dts: false,
});
