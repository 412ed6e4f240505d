import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "nebula",
  sampled: { files: ["test/*.test.ts"], most: 4, mostOfWhole: 3 },
});
