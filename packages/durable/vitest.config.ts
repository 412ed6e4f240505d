import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "durable",
  sampled: { files: ["test/{faults,journal,processes}.test.ts"], most: 1, mostOfWhole: 1 },
});
