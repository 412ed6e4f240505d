import { fileURLToPath } from "node:url";
import { bundledLicenses } from "@quasar/licenses";
import { defineConfig, type Options } from "tsup";

const PROGRAMS = {
  main: "src/quasar/main.ts",
  atlas: "src/atlas/main.ts",
  // Found beside the commands.
  supervisor: "../../packages/agents/src/supervisor.ts",
  "acp-supervisor": "../../packages/agents/src/acp-supervisor.ts",
  "reviewer-guard": "../../packages/agents/src/reviewer-guard.ts",
};

/** What CommonJS loads of Node itself becomes an import: a bundle of modules has no `require`. */
const NODE_MODULES: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "node-modules",
  setup(build) {
    build.onResolve({ filter: /^(?:assert|events|module)$/ }, ({ kind, path }) =>
      kind === "require-call" ? { path, namespace: "node-modules" } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: "node-modules" }, ({ path }) => ({
      contents: `export * from "node:${path}";\nexport { default } from "node:${path}";\n`,
    }));
  },
};

/** Ink measures text as we do: that is quicker, and one width is as good as another only where it is the same. */
const OWN_WIDTH: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "own-width",
  setup(build) {
    const path = fileURLToPath(new URL("src/cockpit/terminal/string-width.ts", import.meta.url));
    build.onResolve({ filter: /^string-width$/ }, () => ({ path }));
  },
};

const LICENSES = bundledLicenses();

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
    esbuildPlugins: [NODE_MODULES, OWN_WIDTH, LICENSES],
    esbuildOptions(options) {
      options.external = ["react-devtools-core"];
    },
  })),
);
