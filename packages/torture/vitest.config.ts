import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "torture",
  fileParallelism: false, // Trials are run two at a time as it is.
  sampled: { files: ["test/*.test.ts"], most: 1 },
});
