import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { NAMES } from "./names.ts";
import { ownerOf } from "./owner.ts";

// Packs what is built as two packages that install without a registry: all that they need is bundled.
//
// Usage: node release/pack.ts [folder]   (default: temp/release of the repository)

const cli = fileURLToPath(new URL("../", import.meta.url));
const root = resolve(cli, "../..");
const folder = resolve(process.argv[2] ?? join(root, "temp/release"));

const { version, license, engines, os } = JSON.parse(
  readFileSync(join(cli, "package.json"), "utf8"),
) as Record<string, unknown>;
const gitHead = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
const keywords = ["coding-agent", "claude-code", "codex", "code-review", "resume", "crash-safe"];
const common = {
  version,
  license,
  type: "module",
  engines,
  os,
  gitHead,
  keywords,
  ...ownerOf(root),
};

/** Finds the other one beside it, wherever both are installed. */
const FORWARDER = `#!/usr/bin/env node
try {
  await import("${NAMES.command}/dist/main.js");
} catch (error) {
  if (!error.message.includes("'${NAMES.command}'")) throw error;
  console.error("error: quasar needs the package ${NAMES.command} beside it\\n  next     npm install -g <the file ${NAMES.command}-….tgz of the same release>");
  process.exitCode = 1;
}
`;

pack(NAMES.command, (dir) => {
  cpSync(join(cli, "dist"), join(dir, "dist"), { recursive: true });
  cpSync(join(cli, "README.md"), join(dir, "README.md"));
  return {
    description:
      "Runs a coding agent and a reviewer until the task is approved, and survives any crash",
    bin: { [NAMES.command]: "dist/main.js", atlas: "dist/atlas.js" },
    files: ["dist"],
  };
});

pack(NAMES.forward, (dir) => {
  writeFileSync(join(dir, "quasar.js"), FORWARDER, { mode: 0o755 });
  return {
    description: `The command quasar of the package ${NAMES.command}, which it needs beside it`,
    bin: { quasar: "quasar.js" },
    files: ["quasar.js"],
  };
});

/** @param fill - Puts the files into the package's folder; returns what its manifest says beside what both say. */
function pack(name: string, fill: (dir: string) => object): void {
  const dir = join(folder, name);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const manifest = { name, ...common, ...fill(dir) };
  writeFileSync(join(dir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(dir, "LICENSE"));
  // Of whatever version: all that are in the folder are installed together.
  for (const old of globSync(`${name}-*.tgz`, { cwd: folder })) rmSync(join(folder, old));
  const args = ["pack", "--silent", "--pack-destination", folder];
  const tarball = execFileSync("npm", args, { cwd: dir, encoding: "utf8" }).trim();
  rmSync(dir, { recursive: true });
  console.log(join(folder, tarball));
}
