import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "tasks",
  sampled: { files: ["test/*.test.ts", "src/runs/crashes.test.ts"], most: 3, mostOfWhole: 5 },
});
