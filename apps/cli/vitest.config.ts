import { packageTests } from "@quasar/vitest";

export default packageTests({
  name: "cli",
  isolate: false, // The command is tested in processes of its own.
  sampled: { files: ["test/**/*.test.ts"], most: 2, mostOfWhole: 4 },
});
