import {
  copyFileSync,
  existsSync,
  globSync,
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
import { packagesOf, programsOf, storyOf } from "../src/strangers/programs.ts";
import { packages, root } from "../src/workspace.ts";

/** The floor of the supported range, and the newest of each later line. */
const nodes = ["22.18.0", "24", "26"] as const;

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

const installed = new Map<string, Promise<string>>();

/** A project that has some of our packages, from their tarballs; their siblings, which no registry has, from theirs. */
function using(...names: readonly string[]): Promise<string> {
  const key = names.map((name) => basename(name)).join("-");
  const known = installed.get(key) ?? install(names, `uses-${key}`);
  installed.set(key, known);
  return known;
}

async function install(names: readonly string[], dirName: string): Promise<string> {
  const files = (some: readonly string[]): object =>
    Object.fromEntries(some.map((name) => [name, `file:${tarball(name)}`]));
  const others = packages.map(({ name }) => name).filter((name) => !names.includes(name));
  const dir = project(dirName, {
    type: "module",
    dependencies: files(names),
    overrides: files(others),
  });
  await npm(["install"], dir);
  return dir;
}

/** The n-th program of a package's README, from 1. */
function program(name: string, n = 1): string {
  const dir = packages.find((pkg) => pkg.name === name)?.dir ?? "";
  return programsOf(readFileSync(join(dir, "README.md"), "utf8"))[n - 1] ?? "";
}

interface Stranger {
  /** Where the program is and runs, as a file `main.ts`. */
  readonly cwd: string;
  /** Where it says what it does. */
  readonly asked: string;
}

/** An empty folder with a program, beside nothing but the packages that it imports. */
async function stranger(text: string): Promise<Stranger> {
  const cwd = mkdtempSync(join(await using(...packagesOf(text)), "program-"));
  writeFileSync(join(cwd, "main.ts"), text);
  writeFileSync(join(cwd, ".gitconfig"), "[user]\n  name = A\n  email = a@example.org\n");
  return { cwd, asked: join(cwd, "asked.txt") };
}

const start = ({ cwd, asked }: Stranger, hang = "") =>
  execa(nodeBinary(nodes[0]), ["main.ts"], {
    cwd,
    reject: false,
    // As at a user's: without the condition under which the workspace sees its sources.
    env: { NODE_OPTIONS: "", HOME: cwd, ASKED: asked, HANG: hang },
  });

async function finished(one: Stranger): Promise<string> {
  const { stdout, stderr } = await start(one);
  expect(stderr).toBe("");
  return stdout;
}

/** Runs a program, kills it once it is at something, and runs it again to its end. */
async function killedOnce(one: Stranger, hang: string, isAtIt: () => boolean): Promise<string> {
  const killed = start(one, hang);
  await expect.poll(isAtIt, { timeout: 30_000 }).toBe(true);
  killed.kill("SIGKILL");
  expect((await killed).signal).toBe("SIGKILL");
  return finished(one);
}

const has = (path: string, text: string): boolean =>
  existsSync(path) && readFileSync(path, "utf8").includes(text);

interface Copied {
  readonly name: string;
  /** Which of its README's programs, from 1. */
  readonly n: number;
  /** What it prints when it is run, and when it is run again … */
  readonly prints: readonly (string | RegExp)[];
}

const EVENTS = ["cycle_start", "agent_start", "agent_done", "agent_start", "agent_done"];
const HISTORY = ["1 init", "2 setup_complete", "3 start_step"];

const COPIED: readonly Copied[] = [
  { name: "@quasar/durable", n: 1, prints: ["1", "2", "3"] },
  { name: "@quasar/durable", n: 3, prints: ["0 []"] },
  {
    name: "@quasar/checkpoint",
    n: 1,
    prints: [[1, 2, 3].map((n) => `cycle ${n} is saved`).join("\n")],
  },
  {
    name: "@quasar/loop",
    n: 1,
    prints: [
      ["warning", "warning", "warning", ...EVENTS, "review_complete", "task_success"]
        .concat("approved 0.02")
        .join("\n"),
    ],
  },
  { name: "@quasar/agents", n: 1, prints: ["Written.\ntimeout-idle true"] },
  {
    name: "@quasar/hookfile",
    n: 1,
    prints: ["started", "picked up: step_running"].map((line) => [line, ...HISTORY].join("\n")),
  },
  {
    name: "@quasar/receipts",
    n: 1,
    prints: [/^Quasar-Receipts: 1 [0-9a-f]{64}\nvalid\ninvalid\nproved$/u],
  },
  { name: "@quasar/runs", n: 1, prints: ["approved 0.06", "approved 0.06"] },
];

test.for(COPIED)("program $n of the README of $name, copied, prints what it says", async (one) => {
  const copied = await stranger(program(one.name, one.n));
  for (const printed of one.prints) {
    const stdout = await finished(copied);
    if (typeof printed === "string") expect(stdout).toBe(printed);
    else expect(stdout).toMatch(printed);
  }
});

test("every program of a page typechecks where it stands", async () => {
  const pages = globSync(["*.md", "docs/*.md", "{apps,packages}/*/{README,SPEC}.md"], {
    cwd: root,
  });
  const dir = await using(...packages.map(({ name }) => name));
  const stories = join(dir, "stories");
  mkdirSync(stories);
  for (const page of pages) {
    const programs = programsOf(readFileSync(join(root, page), "utf8"));
    if (programs.length === 0) continue;
    writeFileSync(join(stories, `${page.replaceAll("/", ".")}.ts`), storyOf(programs));
  }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2024",
    module: "nodenext",
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(root, "apps/proofs/node_modules/@types")],
  };
  writeFileSync(join(stories, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const bin = { preferLocal: true, localDir: import.meta.dirname, reject: false } as const;
  const { stdout } = await execa(bin)`tsc -p ${stories}`;
  expect(stdout).toBe("");
});

test("the program of the runs' README loses nothing when it is killed while its coder works", async () => {
  const copied = await stranger(program("@quasar/runs"));
  const turns = "scratch/.git/quasar/runs/*/turns/*";
  const isAtWork = (): boolean => globSync(turns, { cwd: copied.cwd }).length > 0;
  expect(await killedOnce(copied, "", isAtWork)).toBe("approved 0.06");
});

const strangers = join(import.meta.dirname, "../src/strangers");

test.for(["coder", "reviewer"])(
  "the program of the runs' README, with agents of its own, continues after it was killed while its %s works",
  async (victim) => {
    const [before, after = ""] = program("@quasar/runs").split(/\/\/ A process[^]*= agent;\n/u);
    const copied = await stranger(
      `import { coder, reviewer } from "./agents.ts";\n${before}${after}`,
    );
    const { cwd, asked } = copied;
    copyFileSync(join(strangers, "agents.ts"), join(cwd, "agents.ts"));
    const git = (...args: string[]) => execa("git", args, { cwd: join(cwd, "scratch") });
    const stdout = await killedOnce(copied, victim, () => has(asked, victim));
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
  const copied = await stranger(readFileSync(join(strangers, "loop.ts"), "utf8"));
  const { asked } = copied;
  expect(await killedOnce(copied, "step 3", () => has(asked, "saved"))).toBe("done");
  expect(readFileSync(asked, "utf8").replace("saved\n", "")).toBe(
    [1, 2, 3, 4, 5].map((n) => `step ${n}\n`).join(""),
  );
});

test.for(packages)("$name installs alone and imports on every supported Node", async (pkg) => {
  const dir = await using(pkg.name);
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
