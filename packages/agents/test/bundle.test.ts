import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Options } from "tsup";
import { expect, test } from "vitest";
import { aFake, DONE } from "./acp-fake.ts";
import { aDirectory, aRequest } from "./request.ts";

const SUPERVISOR = join(import.meta.dirname, "..", "src", "supervisor.ts");
const ACP_SUPERVISOR = join(import.meta.dirname, "..", "src", "acp-supervisor.ts");
const SOURCE = join(import.meta.dirname, "..", "src", "index.ts");

const CONFIG: Options = {
  format: "esm",
  target: "node22",
  silent: true,
  noExternal: [/./],
  dts: false,
  config: false,
};

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
  const outDir = join(dir, "out");
  await build({ ...CONFIG, entry: { entry, supervisor: SUPERVISOR }, outDir, minify });
  const printed = execFileSync(process.execPath, [join(outDir, "entry.js")], { encoding: "utf8" });
  expect(JSON.parse(printed)).toMatchObject({ text: "done" });
  expect(readFileSync(join(request.workTree, "a.txt"), "utf8")).toBe("a");
});

test("an agent by protocol works from a bundle", async () => {
  const dir = aDirectory();
  const request = aRequest();
  const entry = join(dir, "entry.ts");
  const { args } = aFake([{ do: "say", text: "Done." }, DONE]);
  writeFileSync(
    entry,
    `import { createAcpAgent } from ${JSON.stringify(SOURCE)};
     const agent = createAcpAgent({ name: "fake", file: process.execPath, args: ${JSON.stringify(args)} });
     process.stdout.write(JSON.stringify(await agent.invoke(${JSON.stringify(request)})));`,
  );
  const outDir = join(dir, "out");
  await build({ ...CONFIG, entry: { entry, "acp-supervisor": ACP_SUPERVISOR }, outDir });
  const printed = execFileSync(process.execPath, [join(outDir, "entry.js")], { encoding: "utf8" });
  expect(JSON.parse(printed)).toMatchObject({ text: "Done." });
});

/** What is loaded before an agent runs. */
async function loadedBy(program: string): Promise<readonly string[]> {
  const outDir = join(aDirectory(), "out");
  await build({ ...CONFIG, entry: { program }, outDir, splitting: true, metafile: true });
  const metafile = readFileSync(join(outDir, "metafile-esm.json"), "utf8");
  const { outputs } = JSON.parse(metafile) as {
    readonly outputs: Readonly<Record<string, Output>>;
  };
  const ofFile = (end: string): readonly string[] => {
    const [, { inputs, imports }] = Object.entries(outputs).find(([path]) =>
      path.endsWith(end),
    ) ?? ["", { inputs: {}, imports: [] }];
    const first = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
    return [...Object.keys(inputs), ...first.flatMap(({ path }) => ofFile(path))];
  };
  return ofFile("program.js");
}

interface Output {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { path: string; kind: string; external?: boolean }[];
}

test("the first supervisor has no dependencies, and the second one is alone with the protocol's", async () => {
  const foreign = (await loadedBy(SUPERVISOR)).filter((path) => path.includes("node_modules"));
  expect(foreign).toEqual([]);
  const others = (await loadedBy(ACP_SUPERVISOR)).filter((path) => path.includes("node_modules"));
  expect(others.some((path) => path.includes("@agentclientprotocol/sdk"))).toBe(true);
});
