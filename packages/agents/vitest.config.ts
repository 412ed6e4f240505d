import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "agents",
  sampled: {
    files: [
      "test/*.test.ts",
      "src/scripted*.test.ts",
      "src/{claude,codex,opencode,qwen}.test.ts",
      "src/*/session.test.ts",
    ],
    most: 2,
    mostOfWhole: 4,
  },
});
