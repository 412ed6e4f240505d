import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packages } from "../src/workspace.ts";

/** The floor of the supported range, and the newest of each later line. */
const nodes = ["22.18.0", "24", "26"];

const scratch = mkdtempSync(join(tmpdir(), "quasar-tarballs-"));
const tarball = (name: string) => join(scratch, `${basename(name)}.tgz`);
const NODE = `node-${process.platform}-${process.arch}`;
const nodeBinary = (version: string) =>
  join(scratch, "nodes", "node_modules", `node-${version}`, "bin", "node");
const npm = (args: string[], cwd: string) =>
  execa("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd, stdin: "ignore" });

function project(name: string, manifest: object): string {
  const dir = join(scratch, name);
  mkdirSync(dir);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, ...manifest }));
  return dir;
}

beforeAll(async () => {
  await Promise.all(
    packages.map((pkg) => execa("pnpm", ["pack", "--out", tarball(pkg.name)], { cwd: pkg.dir })),
  );
  // The platform's own package holds the binary itself, so no install script has to run.
  const aliases = nodes.map((version) => [`node-${version}`, `npm:${NODE}@${version}`]);
  await npm(["install"], project("nodes", { dependencies: Object.fromEntries(aliases) }));
});

afterAll(() => rmSync(scratch, { recursive: true }));

test.for(packages)("publint and attw find nothing in the tarball of $name", async (pkg) => {
  const bin = {
    cwd: pkg.dir,
    preferLocal: true,
    localDir: import.meta.dirname,
    reject: false,
  } as const;
  const publint = await execa(bin)`publint run ${tarball(pkg.name)} --strict`;
  expect(publint.exitCode, publint.stdout + publint.stderr).toBe(0);
  const attw = await execa(bin)`attw ${tarball(pkg.name)} --profile esm-only`;
  expect(attw.exitCode, attw.stdout + attw.stderr).toBe(0);
});

test.for(packages)("$name installs alone and imports on every supported Node", async (pkg) => {
  // Only the package is asked for; its siblings, which no registry has, come from their own tarballs.
  const siblings = packages.filter((other) => other !== pkg);
  const dir = project(`uses-${basename(pkg.name)}`, {
    type: "module",
    dependencies: { [pkg.name]: `file:${tarball(pkg.name)}` },
    overrides: Object.fromEntries(
      siblings.map((other) => [other.name, `file:${tarball(other.name)}`]),
    ),
  });
  await npm(["install"], dir);
  const specifiers = pkg.entries.map((entry) => entry.specifier);
  writeFileSync(
    join(dir, "main.js"),
    `for (const name of ${JSON.stringify(specifiers)}) {
       const names = Object.keys(await import(name));
       if (names.length === 0) throw new Error(name + " exports nothing");
       console.log(process.version.split(".")[0], name);
     }`,
  );
  for (const version of nodes) {
    const binary = nodeBinary(version);
    expect(existsSync(binary), binary).toBe(true);
    // As at a user's: without the condition under which the workspace sees its sources.
    const env = { NODE_OPTIONS: "" };
    const run = await execa(binary, ["main.js"], { cwd: dir, reject: false, env });
    expect(run.stderr).toBe("");
    const major = `v${version.split(".")[0]}`;
    expect(run.stdout.split("\n")).toEqual(specifiers.map((name) => `${major} ${name}`));
  }
});
