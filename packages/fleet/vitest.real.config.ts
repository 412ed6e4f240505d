import { defineConfig } from "vitest/config";

const SOURCE = "@quasar/source";

// A real Restate server, installed into real/node_modules: `pnpm test:real` does both.
export default defineConfig({
  resolve: { conditions: [SOURCE] },
  ssr: { resolve: { conditions: [SOURCE, "node", "import", "module", "default"] } },
  test: {
    name: "real server",
    include: ["real/*.test.ts"],
    maxWorkers: 1,
    pool: "forks",
    // Only for what hangs.
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
