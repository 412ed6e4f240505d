import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "hookfile",
  sampled: { files: ["test/*.test.ts"], most: 4 },
});
