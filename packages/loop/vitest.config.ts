import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "loop",
  sampled: {
    files: ["src/{commit,repository,resume,turn}/*.test.ts", "test/*.test.ts"],
    most: 10,
    mostOfWhole: 14,
  },
});
