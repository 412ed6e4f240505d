import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test.for([
  ["makeOwnFolder", "./own-folder.ts", "made nothing"],
  ["sealKey", "./seal-key.ts", "was not created"],
] as const)("%s comes back where no folder can be made", ([name, file, words]) => {
  const module = new URL(file, import.meta.url).href;
  const program = `
    import { ${name} } from ${JSON.stringify(module)};
    try {
      ${name}("/proc/none/of/ours");
      console.log("made nothing");
    } catch (error) {
      console.log(error.message);
    }`;
  const args = ["--no-warnings", "--input-type=module", "-e", program];
  // In a process of its own: one that never comes back cannot be interrupted by a test.
  const ran = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 10_000 });
  expect(ran.stdout, ran.stderr).toContain(words);
});
