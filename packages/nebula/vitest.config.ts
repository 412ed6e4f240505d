import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "nebula",
  sampled: { files: ["test/*.test.ts"], most: 1, mostOfWhole: 2 },
});
