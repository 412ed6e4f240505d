import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "tasks",
  sampled: {
    files: ["test/*.test.ts", "src/{runs,workspaces}/*.test.ts"],
    most: 2,
    mostOfWhole: 3,
  },
});
