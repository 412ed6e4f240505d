import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "hookfile",
  isolate: false, // Its test files share nothing that they change.
  sampled: { files: ["test/*.test.ts"], most: 1, mostOfWhole: 2 },
});
