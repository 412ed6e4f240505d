import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { emptyPlace, git, lastRecord, MAIN, type Place, place, quasar, write } from "./harness.ts";

const phase = (id: string, title: string, keys = "", body = "Do it."): string =>
  `+++\nid = ${JSON.stringify(id)}\ntitle = ${JSON.stringify(title)}\n${keys}\n+++\n${body}\n`;

const TOKENS = {
  "nebula.toml": `[nebula]
name = "tokens"
[execution]
max_workers = 3
setup = ["pnpm install --offline"]
copy = [".env"]
[dependencies]
requires_nebulae = ["database"]
`,
  "01-model.md": phase("model", "Add the token's model"),
  "02-check.md": phase(
    "check",
    "Check tokens on each request",
    'depends_on = ["model"]\nscope = ["src/auth/**"]\ngate = "review"',
  ),
  "03-docs.md": phase(
    "docs",
    "Describe tokens for people who have never seen one",
    'blocks = ["release"]\ndepends_on = ["model"]\nscope = ["docs", "src/auth/README.md"]\nallow_scope_overlap = true\nmax_budget_usd = 2.5\nchecks = ["npx markdownlint docs"]\ncoder = "codex"',
  ),
  "04-release.md": phase("release", "Release", 'depends_on = ["check"]'),
};

const DIR = ".nebulas/tokens";

/** A repository with a nebula that is not committed. */
function withNebula(files: Readonly<Record<string, string>> = TOKENS, at: Place = place()): Place {
  write(join(at.repo, DIR), files);
  return at;
}

/** What a command prints on a terminal of 80 columns. */
function onTerminal({ repo, env }: Place, ...args: string[]): string {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const words = ["-qec", `stty cols 80; ${command}`, "/dev/null"];
  const terminal = { ...env, TERM: "xterm", NO_COLOR: "1" };
  const text = execFileSync("script", words, { cwd: repo, env: terminal, encoding: "utf8" });
  return text.replaceAll("\r\n", "\n");
}

test("a nebula that is right is valid, and what comes next is its plan", async () => {
  const at = withNebula();
  expect(await quasar(at, ["nebula", "validate", DIR])).toMatchObject({
    code: 0,
    stdout: `tokens is valid: 4 phases\n  next     quasar nebula plan ${DIR}\n`,
    stderr: "",
  });
  expect(lastRecord(await quasar(at, ["nebula", "validate", DIR, "--json"]))).toEqual({
    v: 1,
    type: "nebula_validate",
    dir: join(at.repo, DIR),
    nebula: "tokens",
    phaseIds: ["model", "check", "docs", "release"],
    problems: [],
    exit: 0,
    next: [`quasar nebula plan ${DIR}`],
  });
});

const WRONG = {
  ...TOKENS,
  "nebula.toml": '[nebula]\nname = "tokens"\n[execution]\ngate = "ask"\nworkers = 2\n',
  "02-check.md": phase("check", "", 'depends_on = ["modle"]'),
  "notes.md": "# Notes\n",
};

test("everything that is wrong with a nebula is reported with its file, and the command fails with 2", async () => {
  const at = withNebula(WRONG);
  const { code, stdout } = await quasar(at, ["nebula", "validate", DIR]);
  expect(code).toBe(2);
  expect(stdout).toBe(`${DIR} is no valid nebula: 3 errors, 2 warnings
  error    nebula.toml: execution.gate is not one of trust, watch, review, approve
  warning  nebula.toml: execution.workers is not a key that there is
  error    02-check.md: "check" has no title
  error    02-check.md: "check" depends on "modle", which is no phase; did you mean "model"?
  warning  notes.md has no front matter: it is a note, not a phase
  next     \${EDITOR:-vi} ${DIR}/nebula.toml
`);
  const json = await quasar(at, ["nebula", "validate", DIR, "--json"]);
  expect(json.code).toBe(2);
  expect(lastRecord(json)).toMatchObject({
    nebula: "",
    phaseIds: [],
    problems: [
      { category: "invalid_gate", severity: "error", field: "execution.gate" },
      { category: "unknown_key", severity: "warning", file: "nebula.toml" },
      { category: "missing_field", phaseId: "check", field: "title" },
      { category: "unknown_dep", phaseId: "check", field: "depends_on" },
      { category: "not_a_phase", file: "notes.md" },
    ],
  });
  const plan = await quasar(at, ["nebula", "plan", DIR]);
  expect(plan).toMatchObject({ code: 2, stdout: "" });
  expect(plan.stderr).toBe(
    `error: ${DIR} is no valid nebula: 3 errors, 2 warnings\n  next     quasar nebula validate ${DIR}\n`,
  );
});

test("warnings leave a nebula valid, unless keys are strict", async () => {
  const at = withNebula({ ...TOKENS, "05.md": phase("e", "E", "color = 1") });
  const lax = await quasar(at, ["nebula", "validate", DIR]);
  expect(lax.code).toBe(0);
  expect(lax.stdout).toContain("tokens is valid: 5 phases, 1 warning\n");
  const strict = await quasar(at, ["nebula", "validate", DIR, "--strict-config"]);
  expect(strict.code).toBe(2);
  expect(strict.stdout).toContain(
    'error    05.md: color is not a key that there is; did you mean "coder"?\n',
  );
});

test.for([
  ["a folder without nebula.toml", ["nebula", "validate", "."], ". has no nebula.toml"],
  ["no folder", ["nebula", "validate", "./none"], "none is no folder"],
  ["an unknown name", ["nebula", "plan", "none"], 'there is no nebula "none"'],
  ["no name", ["nebula", "validate"], "no folder of a nebula is named"],
  ["a plan of nothing", ["nebula", "plan"], "missing required argument 'dir or nebula'"],
] as const)("%s is refused with 2", async ([, args, why]) => {
  const refused = await quasar(place(), args);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain(why);
});

test("a plan says first what it lacks, then what it costs, its phases, and what it asks for", () => {
  const at = withNebula();
  const base = git(at, "rev-parse", "HEAD").slice(0, 10);
  expect(onTerminal(at, "nebula", "plan", DIR)).toBe(`tokens: 4 phases in 3 waves
  verify   landed, not verified: there is no [execution] verify
  base     ${base}, where main is
  branch   nebula/tokens: what lands goes there, and nowhere else
  cost     at most $17.50, the sum of the phases' limits
  workers  3 at once
  needs    nebula database
  longest  model → check → release
  warning  .env is not there: [execution] copy copies nothing
  overlap  one at a time: check, docs may change src/auth/** and
           src/auth/README.md

  wave  phase    needs        limit  gate    title
     1  model                 $5.00  trust   Add the token's model
     2  check    model        $5.00  review  Check tokens on each request
     2  docs     model        $2.50  trust   Describe tokens for people who have
                                             never seen one
     3  release  check, docs  $5.00  trust   Release

needs your yes before it starts, since it acts as you
  setup    pnpm install --offline (nebula.toml)
  copy     .env (nebula.toml; not there now)
  checks   npx markdownlint docs (03-docs.md)
  coder    codex (03-docs.md)

  next     quasar nebula apply .nebulas/tokens --auto
`);
});

test("a plan as JSON has all of it, with the user's settings where the nebula has none", async () => {
  const at = withNebula({
    ...TOKENS,
    "nebula.toml": `${TOKENS["nebula.toml"]}[execution.routing]\nenabled = true\n`.replace(
      "max_workers = 3",
      'total_budget_usd = 10\nverify = ["pnpm test"]',
    ),
  });
  write(at.repo, { "notes.txt": "mine\n" });
  const env = { QUASAR_MAX_CYCLES: "7", QUASAR_MAX_BUDGET_USD: "4", QUASAR_REVIEWER: "codex" };
  const plan = await quasar(at, ["nebula", "plan", DIR, "--json"], { env });
  expect(plan.code).toBe(0);
  expect(lastRecord(plan)).toMatchObject({
    type: "nebula_plan",
    nebula: "tokens",
    baseSha: git(at, "rev-parse", "HEAD"),
    baseBranch: "main",
    branch: "nebula/tokens",
    isAskedFirst: false,
    uncommittedCount: 1,
    phases: [
      {
        phaseId: "model",
        wave: 1,
        coder: "claude",
        reviewer: "codex",
        model: "claude-haiku",
        tier: "fast",
        maxCycles: 7,
        maxBudgetUsd: 4,
        setup: ["pnpm install --offline"],
        timeoutMs: 7_200_000,
      },
      { phaseId: "check", gate: "review", scope: ["src/auth/**"] },
      { phaseId: "docs", coder: "codex", requiredChecks: ["npx markdownlint docs"] },
      { phaseId: "release", wave: 3, dependsOn: ["check", "docs"] },
    ],
    waveCount: 3,
    criticalPath: ["model", "check", "release"],
    maxWorkers: 2,
    capsUsd: 14.5,
    totalUsd: 10,
    isTotalGiven: true,
    isVerified: true,
    verify: ["pnpm test"],
    copy: [".env"],
    requiresNebulae: ["database"],
    asks: expect.arrayContaining([
      { setting: "verify", says: "pnpm test", inFiles: ["nebula.toml"] },
    ]),
    overlaps: [{ phaseIds: ["check", "docs"], patterns: ["src/auth/**", "src/auth/README.md"] }],
    hasEmptySubmodules: false,
    problems: [],
    next: [`quasar nebula apply ${DIR} --auto`],
  });
});

test("a plan changes nothing, and asks nobody to trust what the repository would run", async () => {
  const at = withNebula();
  write(at.repo, { ".quasar/config.toml": 'filter = ["touch pwned"]\n' });
  const status = git(at, "status", "--porcelain", "--untracked-files=all");
  const plan = await quasar(at, ["nebula", "plan", DIR, "--json"]);
  expect(lastRecord(plan)).toMatchObject({
    exit: 0,
    phases: expect.arrayContaining([
      expect.objectContaining({ phaseId: "model", requiredChecks: ["touch pwned"] }),
    ]),
  });
  expect(git(at, "status", "--porcelain", "--untracked-files=all")).toBe(status);
});

test("a plan warns of submodules that nothing fills", async () => {
  const at = place({ ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ./x\n' });
  withNebula({ ...TOKENS, "nebula.toml": '[nebula]\nname = "t"\n' }, at);
  const plan = await quasar(at, ["nebula", "plan", DIR]);
  expect(plan.stdout).toContain("warning  submodules are empty in a phase's work tree");
  withNebula(TOKENS, at);
  expect((await quasar(at, ["nebula", "plan", DIR])).stdout).not.toContain("submodules");
});

test("an agent that nobody here knows has no plan", async () => {
  const at = withNebula({ ...TOKENS, "01-model.md": phase("model", "M", 'reviewer = "clod"') });
  const plan = await quasar(at, ["nebula", "plan", DIR]);
  expect(plan).toMatchObject({ code: 2, stdout: "" });
  expect(plan.stderr.replaceAll(/\s+/gu, " ")).toMatch(
    /^error: 01-model\.md: reviewer: there is no agent "clod".* It can be claude, codex, .* next quasar agents $/u,
  );
});

test("a nebula without phases has nothing to do", async () => {
  const at = withNebula({ "nebula.toml": '[nebula]\nname = "empty"\n' });
  const plan = await quasar(at, ["nebula", "plan", DIR]);
  expect(plan).toMatchObject({ code: 0, stdout: "empty: nothing to do\n" });
});

test("a nebula outside of any repository is about the one that the command is typed in", async () => {
  const at = place();
  write(
    at.outside,
    Object.fromEntries(Object.entries(TOKENS).map(([name, text]) => [`n/${name}`, text])),
  );
  const plan = await quasar(at, ["nebula", "plan", "../n", "--json"]);
  expect(lastRecord(plan)).toMatchObject({ baseSha: git(at, "rev-parse", "HEAD"), exit: 0 });
  const nowhere = await quasar(at, ["nebula", "plan", "n"], { cwd: at.outside });
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr).toContain("git init");
});

test("a nebula of another repository than the folder's is refused with 6", async () => {
  const at = withNebula();
  const other = place();
  const plan = await quasar(at, ["nebula", "plan", join(at.repo, DIR), "--json"], {
    cwd: other.repo,
  });
  expect(lastRecord(plan)).toMatchObject({
    code: "ERR_OTHER_REPOSITORY",
    exit: 6,
    next: [`cd ${at.repo}`],
  });
});

test("a repository without a commit has nothing to begin at", async () => {
  const at = emptyPlace();
  git(at, "init", "--quiet");
  withNebula(TOKENS, at);
  expect(lastRecord(await quasar(at, ["nebula", "plan", DIR, "--json"]))).toMatchObject({
    type: "error",
    code: "ERR_NO_COMMITS",
  });
});

test("no text of a nebula acts on a terminal", async () => {
  const evil = "a\u001b[31m\u202egnp.exe\u200b\r\nb";
  const at = withNebula({
    "nebula.toml": `[nebula]\nname = ${JSON.stringify(evil)}\n[execution]\nverify = [${JSON.stringify("x\u202e")}]\n${JSON.stringify(evil)} = 1\n`,
    "a\u202e.md": phase("p\u202e", evil, `scope = ["s\u202e"]`),
    "b\u001b[31m.md": "note",
    "c.md": phase("q\u202e", evil, `scope = ["s\u202e"]\ndepends_on = ["p\u202e"]`),
  });
  const bad = { ...TOKENS, "x\u202e.md": phase("y\u202e", evil, `depends_on = ["z\u001b[2J"]`) };
  for (const args of [
    ["validate", DIR],
    ["plan", DIR],
    ["validate", DIR, "--json"],
    ["plan", DIR, "--json"],
    ["validate", "bad"],
  ]) {
    if (args[1] === "bad") write(join(at.repo, "bad"), bad);
    const { code, stdout, stderr } = await quasar(at, ["nebula", ...args]);
    expect(code, stderr).toBe(args[1] === "bad" ? 2 : 0);
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/u);
    expect(stdout + stderr).toContain("202e");
  }
});

test("the schema of a nebula's files takes what the command takes, and no other types", async () => {
  const at = emptyPlace();
  mkdirSync(join(at.repo, "x"));
  const { code, stdout } = await quasar(at, ["nebula", "validate", "--schema"]);
  expect(code).toBe(0);
  expect(stdout).toBe(
    readFileSync(new URL("../dist/schemas/nebula.json", import.meta.url), "utf8"),
  );
  const line = lastRecord(await quasar(at, ["nebula", "validate", "--schema", "--json"]));
  expect(line).toMatchObject({
    type: "schema",
    name: "nebula",
    schema: JSON.parse(stdout) as object,
  });
  const ajv = new Ajv2020({ strict: false });
  const manifest = ajv.compile(JSON.parse(stdout) as object);
  const front = ajv.getSchema("urn:quasar:nebula:1#/$defs/phase");
  expect(manifest(parse(TOKENS["nebula.toml"]))).toBe(true);
  for (const wrong of ["", "[nebula]\n", '[nebula]\nname = "a"\n[execution]\nmax_workers = 65\n']) {
    expect(manifest(parse(wrong)), wrong).toBe(false);
  }
  const keys = (text: string): unknown => parse(text.split("+++\n")[1] ?? "");
  expect(front?.(keys(TOKENS["03-docs.md"]))).toBe(true);
  for (const wrong of ['id = "a"', 'id = "a"\ntitle = "b"\ngate = "x"', 'id = 1\ntitle = "b"']) {
    expect(front?.(parse(wrong)), wrong).toBe(false);
  }
});
