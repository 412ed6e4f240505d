import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "loop",
  sampled: {
    files: [
      "src/{commit,question,repository,resume,turn}/*.test.ts",
      "src/{approved,journal,one-turn,trace}.test.ts",
      "test/*.test.ts",
    ],
    most: 3,
    mostOfWhole: 6,
  },
});
