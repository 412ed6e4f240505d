import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "proofs",
  include: ["test/**/*.test.ts"],
  sampled: {
    files: ["test/blackbox/*.test.ts", "test/torture/*.test.ts"],
    most: 1,
    mostOfWhole: 2,
  },
  testTimeout: 300_000,
  hookTimeout: 300_000,
});
