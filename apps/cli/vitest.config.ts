import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "cli",
  maxWorkers: 3, // Each test starts many processes and mostly waits.
  sampled: { files: ["test/**/*.test.ts"], most: 6 },
});
