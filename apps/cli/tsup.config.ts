import { defineConfig } from "tsup";

const PROGRAMS = {
  main: "src/quasar/main.ts",
  atlas: "src/atlas/main.ts",
  // Found beside the commands.
  supervisor: "../../packages/agents/src/supervisor.ts",
  "acp-supervisor": "../../packages/agents/src/acp-supervisor.ts",
  "reviewer-guard": "../../packages/agents/src/reviewer-guard.ts",
};

// Each by itself: what programs share would be cut into small files, and a file more takes longer to
// find than to read.
export default defineConfig(
  Object.entries(PROGRAMS).map(([name, path]) => ({
    entry: { [name]: path },
    format: ["esm"],
    target: "node22",
    splitting: true,
    noExternal: [/./], // one bundle: start-up is half of what separate modules cost
    dts: false,
    // React as it is meant for users; and Ink has no part in debugging it.
    define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
    external: ["react-devtools-core"],
  })),
);
