import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsup";
import { expect, test } from "vitest";
import { aDirectory, aRequest } from "./request.ts";

const SUPERVISOR = join(import.meta.dirname, "..", "src", "supervisor.ts");
const SOURCE = join(import.meta.dirname, "..", "src", "index.ts");

test.for([false, true])("the scripted agent works from a bundle (minified: %s)", async (minify) => {
  const dir = aDirectory();
  const request = aRequest();
  const entry = join(dir, "entry.ts");
  writeFileSync(
    entry,
    `import { createScriptedAgent } from ${JSON.stringify(SOURCE)};
     const turns = [{ role: "coder", says: ["one"], files: { "a.txt": "a" }, text: "done" }] as const;
     const result = await createScriptedAgent({ turns }).invoke(${JSON.stringify(request)});
     process.stdout.write(JSON.stringify(result));`,
  );
  const [outDir, noExternal] = [join(dir, "out"), [/./]];
  const config = {
    entry: { entry, supervisor: SUPERVISOR },
    format: "esm",
    target: "node22",
    silent: true,
  } as const;
  await build({ ...config, outDir, noExternal, minify, dts: false, config: false });
  const printed = execFileSync(process.execPath, [join(outDir, "entry.js")], { encoding: "utf8" });
  expect(JSON.parse(printed)).toMatchObject({ text: "done" });
  expect(readFileSync(join(request.workTree, "a.txt"), "utf8")).toBe("a");
});
