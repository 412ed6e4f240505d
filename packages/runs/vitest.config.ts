import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "runs",
  sampled: { files: ["test/*.test.ts"], most: 2, mostOfWhole: 3 },
});
