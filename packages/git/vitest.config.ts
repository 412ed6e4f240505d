import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "git",
  sampled: { files: ["test/**/*.test.ts"], most: 2, mostOfWhole: 4 },
});
