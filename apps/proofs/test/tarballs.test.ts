import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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

/** A project that has one of our packages, from its tarball; its siblings, which no registry has, from theirs. */
async function using(name: string, dirName: string): Promise<string> {
  const others = packages.filter((other) => other.name !== name);
  const dir = project(dirName, {
    type: "module",
    dependencies: { [name]: `file:${tarball(name)}` },
    overrides: Object.fromEntries(
      others.map((other) => [other.name, `file:${tarball(other.name)}`]),
    ),
  });
  await npm(["install"], dir);
  return dir;
}

/** The first program of a package's README. */
function program(name: string): string {
  const dir = packages.find((pkg) => pkg.name === name)?.dir ?? "";
  const [, text = ""] =
    /```ts\n([^]*?)```/u.exec(readFileSync(join(dir, "README.md"), "utf8")) ?? [];
  return text;
}

interface Program {
  readonly cwd: string;
  readonly main: string;
  readonly home: string;
  /** Where it says what it does. */
  readonly asked: string;
}

const start = ({ cwd, main, home, asked }: Program, hang: string) =>
  execa(nodeBinary("24"), [main], {
    cwd,
    reject: false,
    env: { NODE_OPTIONS: "", HOME: home, ASKED: asked, HANG: hang },
  });

/** Runs a program, kills it once it has said something, and runs it again to its end. */
async function killedOnce(stranger: Program, hang: string, said: string): Promise<string> {
  const { asked } = stranger;
  const killed = start(stranger, hang);
  await expect
    .poll(() => existsSync(asked) && readFileSync(asked, "utf8").includes(said), {
      timeout: 30_000,
    })
    .toBe(true);
  killed.kill("SIGKILL");
  expect((await killed).signal).toBe("SIGKILL");
  const { stdout, stderr } = await start(stranger, "");
  expect(stderr).toBe("");
  return stdout;
}

const strangers = join(import.meta.dirname, "../src/strangers");

test.for(["coder", "reviewer"])(
  "the program of the runs' README, with agents of its own, continues after it was killed while its %s works",
  async (victim) => {
    const dir = await using("@quasar/runs", `runs-${victim}`);
    writeFileSync(join(dir, "main.ts"), program("@quasar/runs"));
    copyFileSync(join(strangers, "agents.ts"), join(dir, "agents.ts"));
    const cwd = join(dir, "repository");
    const git = (...args: string[]) => execa("git", args, { cwd });
    mkdirSync(cwd);
    await git("init", "-q");
    await git("config", "user.name", "A");
    await git("config", "user.email", "a@example.org");
    await git("commit", "-q", "--allow-empty", "-m", "start");
    const asked = join(dir, "asked.txt");
    const stranger = { cwd, main: join(dir, "main.ts"), home: dir, asked };
    const stdout = await killedOnce(stranger, victim, victim);
    // What the killed turn may have cost counts too.
    expect(stdout).toMatch(/^approved 0\.85/u);
    const askedBoth =
      victim === "coder" ? ["coder", "coder", "reviewer"] : ["coder", "reviewer", "reviewer"];
    expect(readFileSync(asked, "utf8").trim().split("\n")).toEqual(askedBoth);
    const commits = await git("rev-list", "--count", "HEAD", "--", "work.txt");
    expect(commits.stdout).toBe("1");
    expect((await git("status", "--porcelain")).stdout).toBe("");
  },
);

test("a loop that a checkpoint alone keeps does each step once, over a kill", async () => {
  const dir = await using("@quasar/checkpoint", "own-loop");
  copyFileSync(join(strangers, "loop.ts"), join(dir, "main.ts"));
  const asked = join(dir, "asked.txt");
  const stranger = { cwd: dir, main: join(dir, "main.ts"), home: dir, asked };
  expect(await killedOnce(stranger, "step 3", "saved")).toBe("done");
  expect(readFileSync(asked, "utf8").replace("saved\n", "")).toBe(
    [1, 2, 3, 4, 5].map((n) => `step ${n}\n`).join(""),
  );
});

test.for(packages)("$name installs alone and imports on every supported Node", async (pkg) => {
  const dir = await using(pkg.name, `uses-${basename(pkg.name)}`);
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
