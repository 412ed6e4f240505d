import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ATLAS } from "../../atlas/config/settings.ts";
import { type LoadConfigOptions, loadConfig, readConfig } from "../../quasar/config/load.ts";
import { shownSettings } from "../show-config.ts";
import {
  envLayer,
  flagLayer,
  guardedOf,
  QUASAR,
  resolve,
  tomlLayer,
  toToml,
  unkeptOf,
} from "./layers.ts";
import { placeInToml } from "./place-in-toml.ts";
import { SETTING_NAMES, SETTINGS } from "./settings.ts";

const all = mkdtempSync(join(tmpdir(), "quasar-config-"));
afterAll(() => rmSync(all, { recursive: true }));
const folder = (): string => mkdtempSync(join(all, "folder-"));

function write(root: string, toml: string): void {
  mkdirSync(join(root, ".quasar"), { recursive: true });
  writeFileSync(join(root, ".quasar", "config.toml"), toml);
}

/** Options of a repository and a user that have set nothing. */
function options(change: Partial<LoadConfigOptions> = {}): LoadConfigOptions {
  const root = change.root ?? folder();
  const folders = { config: folder(), state: folder() };
  return { flags: {}, env: {}, cwd: root, root, folders, trust: false, ...change };
}

test("takes the command line before the environment, the repository, the user and the default", () => {
  const given = options({ flags: { maxCycles: "7" }, env: { QUASAR_MAX_LINT_RETRIES: "6" } });
  write(given.root, "max_cycles = 1\nmax_lint_retries = 1\ncoder_model = 'repository'\n");
  writeFileSync(
    join(given.folders.config, "config.toml"),
    "max_cycles = 2\nmax_lint_retries = 2\ncoder_model = 'user'\nreviewer_model = 'user'\n",
  );
  expect(resolve(loadConfig(given))).toMatchObject({
    maxCycles: 7,
    maxLintRetries: 6,
    coderModel: "repository",
    reviewerModel: "user",
    maxBudgetUsd: 5,
  });
});

test("says three cycles and five dollars when nobody says anything", () => {
  expect(resolve([])).toMatchObject({ maxCycles: 3, maxBudgetUsd: 5, coder: "claude", lint: [] });
});

test("finds the nearest file on the way up, and none above the repository", () => {
  const root = folder();
  const inner = join(root, "repo", "src", "deep");
  mkdirSync(inner, { recursive: true });
  write(root, "max_cycles = 9\n");
  const outside = options({ root: join(root, "repo"), cwd: inner });
  expect(resolve(loadConfig(outside)).maxCycles).toBe(3);
  write(join(root, "repo"), "max_cycles = 8\n");
  expect(resolve(loadConfig(outside)).maxCycles).toBe(8);
  write(join(root, "repo", "src"), "max_cycles = 7\n");
  expect(resolve(loadConfig(outside)).maxCycles).toBe(7);
});

test.for([
  ["max_cycles = 0", "max_cycles must be a whole number from 1 to 100, not 0"],
  ["[prices.x]\ninput = 1", 'prices must be a table for each model, [prices."name"], with input'],
  ["[prices.x]\ninput = '1'\noutput = 1", "prices must be"],
  ["[prices.x]\ninput = 1\noutput = 1\ncache = 1", "prices must be"],
  ["[prices.x]\ninput = -1\noutput = 1", "prices must be"],
  ["[prices.x]\ninput = 1\noutput = 1\nmax_output = 0", "prices must be"],
  ["max_requests = 0", "max_requests must be a whole number from 1 to 100000, not 0"],
  ["max_cycles = 2.5", "max_cycles must be a whole number"],
  ["max_cycles = '3'", 'max_cycles must be a whole number from 1 to 100, not "3"'],
  ["max_budget_usd = nan", "max_budget_usd must be an amount"],
  ["max_budget_usd = 1e999", "max_budget_usd must be an amount"],
  ["max_budget_usd = -1", "max_budget_usd must be an amount"],
  ["max_budget_usd = 2026-01-01", "max_budget_usd must be an amount"],
  [
    "coder = 'cluade'",
    'coder: there is no agent "cluade"; did you mean "claude"? It can be claude',
  ],
  ["reviewer = 'nobody'", 'reviewer: there is no agent "nobody". It can be claude, codex'],
  ["coder = 'command: '", "coder must be"],
  ["lint = 'npm test'", "lint must be a list"],
  ["lint = [1]", "lint must be a list"],
  ["detect_struggle = 'yes'", "detect_struggle must be true or false"],
  ["turn_timeout_minutes = 0", "turn_timeout_minutes must be a number of minutes"],
  ['coder_model = "a\\u001bb"', "coder_model must be text"],
  ["max_cycles = 1\nmax_cycles = 2", "is not valid TOML"],
  ["max_cycles = 99999999999999999999", "is not valid TOML"],
  [`a = ${"[".repeat(50_000)}`, "is not valid TOML"],
  ["# ".padEnd(70_000, "x"), "is larger than 65536 bytes"],
] as const)("refuses %j in a file, and names the file", ([toml, message]) => {
  const given = options();
  write(given.root, toml);
  const act = () => loadConfig(given);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_CONFIG" }));
  expect(act).toThrow(message);
  expect(act).toThrow(join(given.root, ".quasar", "config.toml"));
});

test("a file that cannot be read comes with the command that shows why", () => {
  const given = options();
  const path = join(given.root, ".quasar", "config.toml");
  mkdirSync(path, { recursive: true });
  expect(() => loadConfig(given)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(`${path} is not a regular file`),
      next: [`ls -la ${path}`],
    }),
  );
});

test("warns of unknown keys and suggests the known one", () => {
  const { warnings, values } = tomlLayer("file", { max_cylces: 2, __proto__x: 1, "\u001b[2J": 1 });
  expect(values).toEqual({});
  expect(warnings).toEqual([
    'file: unknown key "max_cylces"; did you mean "max_cycles"?',
    'file: unknown key "__proto__x"',
    'file: unknown key "\\u{1b}[2J"',
  ]);
});

test("warns of unknown variables, and leaves alone those that are no settings", () => {
  const { warnings } = envLayer({ QUASAR_MAX_CYCLE: "2", QUASAR_RUN_ID: "x", QUASAR_DEBUG: "1" });
  expect(warnings).toEqual([
    'unknown variable "QUASAR_MAX_CYCLE" in the environment; did you mean "QUASAR_MAX_CYCLES"?',
  ]);
});

const REPOSITORY = join(import.meta.dirname, "../../../../..");

test.for([
  ["QUASAR_", envLayer],
  ["ATLAS_", ATLAS.envLayer],
] as const)("knows each variable %s… that a guide names", ([prefix, read]) => {
  const docs = readdirSync(join(REPOSITORY, "docs")).filter((name) => name.endsWith(".md"));
  const guides = ["README.md", "apps/cli/README.md", ...docs.map((name) => join("docs", name))];
  const text = guides.map((guide) => readFileSync(join(REPOSITORY, guide), "utf8")).join("\n");
  const names = text.match(new RegExp(`\\b${prefix}[A-Z_]*[A-Z]\\b`, "gu")) ?? [];
  expect(names).not.toEqual([]);
  // Of a setting, 1 may be no value: then it is known, too.
  const isUnknown = (name: string): boolean => {
    try {
      return read({ [name]: "1" }).warnings.length > 0;
    } catch {
      return false;
    }
  };
  expect(new Set(names.filter(isUnknown))).toEqual(new Set());
});

test("refuses a variable of the wrong kind by its name", () => {
  expect(() => envLayer({ QUASAR_MAX_CYCLES: "many" })).toThrow(/^QUASAR_MAX_CYCLES must be/u);
});

test.for([
  ["maxCycles", "3.0"],
  ["maxCycles", "0x3"],
  ["maxCycles", "-1"],
  ["maxBudgetUsd", "1e3"],
  ["maxBudgetUsd", "Infinity"],
  ["maxBudgetUsd", ""],
  ["turnTimeout", "1441"],
  ["coder", "claude; rm -rf /"],
] as const)("refuses the flag of %s with %j", ([name, value]) => {
  const act = () => flagLayer({ [name]: value });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_USAGE", exitCode: 2 }));
});

test.for([
  ["coder = 'command:make'", "coder"],
  ["reviewer = 'scripted:x.json'", "reviewer"],
  ["lint = ['make']", "lint"],
  ["filter = ['make']", "filter"],
  ["check.pass_env = ['TOKEN']", "check.pass_env"],
  ["pass_env = ['TOKEN']", "pass_env"],
  ["max_requests = 201", "max_requests"],
  ["max_budget_usd = 0", "max_budget_usd"],
  ["max_budget_usd = 5.01", "max_budget_usd"],
] as const)("lets a repository set %s only once the user said so", ([toml, key]) => {
  const given = options();
  write(given.root, toml);
  const act = () => loadConfig(given);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_UNTRUSTED_CONFIG", exitCode: 6 }));
  expect(act).toThrow(`  ${key} = `);
  loadConfig({ ...given, trust: true });
  expect(act).not.toThrow();
  write(given.root, `${toml}\nlint = ['another']`.replace(/^lint.*\n/u, ""));
  expect(act).toThrow(expect.objectContaining({ code: "ERR_UNTRUSTED_CONFIG" }));
});

test("lets a repository set harmless things, and the user anything", () => {
  const given = options();
  write(given.root, "coder = 'codex'\nmax_cycles = 9\nmax_budget_usd = 4.99\nlint = []\n");
  writeFileSync(join(given.folders.config, "config.toml"), "filter = ['make']\n");
  expect(resolve(loadConfig(given))).toMatchObject({ coder: "codex", filter: ["make"] });
});

test("refuses a symbolic link instead of a folder or a file", () => {
  const linked = options();
  symlinkSync(folder(), join(linked.root, ".quasar"));
  expect(() => loadConfig(linked)).toThrow(expect.objectContaining({ code: "ERR_UNSAFE_PATH" }));
  const file = options();
  mkdirSync(join(file.root, ".quasar"));
  symlinkSync("/etc/passwd", join(file.root, ".quasar", "config.toml"));
  expect(() => loadConfig(file)).toThrow(expect.objectContaining({ code: "ERR_CONFIG" }));
});

test("stores settings and reads them back", () => {
  const settings = { ...resolve([]), lint: ["npm test"], maxBudgetUsd: 0 };
  expect(resolve([tomlLayer("a run", toToml(settings))])).toEqual(settings);
});

test("reads the prices of models, which a run does not keep", () => {
  const price = { input: 1, output: 2, cache_read: 0.5, cache_write_long: 3, max_output: 10 };
  const layer = tomlLayer("file", { prices: { "m-1.5": price }, max_cycles: 2 });
  const prices = {
    "m-1.5": { input: 1, output: 2, cacheRead: 0.5, cacheWriteLong: 3, maxOutput: 10 },
  };
  expect(layer.values).toEqual({ prices, maxCycles: 2 });
  expect(unkeptOf(layer).values).toEqual({ prices });
  expect(toToml(resolve([layer]))).not.toHaveProperty("prices");
});

test("has one key, flag and variable for each setting", () => {
  const all = SETTING_NAMES.flatMap((name) => {
    const { key, flag, env } = SETTINGS[name];
    return [key, ...[flag, env].filter((name) => name !== undefined)];
  });
  expect(new Set(all).size).toBe(all.length);
});

test("guards no default", () => {
  expect(guardedOf({ source: "", values: resolve([]), warnings: [] })).toEqual({});
});

test.for([
  ["allowed_tools = ['Bash']", "allowedTools"],
  ["sandbox = 'danger-full-access'", "sandbox"],
  ["project_settings = true", "projectSettings"],
  ["user_hooks = false", "userHooks"],
  ["[prices.'gpt-6.1-sol']\ninput = 0\noutput = 0", "prices"],
  ["[agent.claude]\nargs = ['--x']", "claudeArgs"],
  ["[agent.codex]\nargs = ['--x']", "codexArgs"],
  ["[agent.mine]\ncommand = 'x'", "ownAgents"],
] as const)("hears %j from the user, and from no repository, trusted or not", ([toml, name]) => {
  const given = options({ trust: true });
  write(given.root, toml);
  const layers = loadConfig(given);
  expect(resolve(layers)[name]).toEqual(resolve([])[name]);
  expect(layers.flatMap(({ warnings }) => warnings)).toEqual([
    expect.stringContaining("is ignored here: set it in your own configuration"),
  ]);
  writeFileSync(join(given.folders.config, "config.toml"), toml);
  expect(resolve(loadConfig(given))[name]).not.toEqual(resolve([])[name]);
});

test.for([
  ["a program of the repository", "filter = ['./check.sh --all']", "check.sh", "exit 1\n"],
  ["a program behind another", "lint = ['sh ./check.sh']", "check.sh", "exit 1\n"],
  ["an agent's program", "coder = 'command:./check.sh'", "check.sh", "exit 1\n"],
  ["a script", "filter = ['npm test']", "package.json", '{"scripts":{"test":"evil"}}'],
  [
    "what runs before a script",
    "filter = ['CI=1 npm run test']",
    "package.json",
    '{"scripts":{"pretest":"evil","test":"vitest"}}',
  ],
  ["a Makefile", "filter = ['make test']", "Makefile", "test:\n\tevil\n"],
] as const)("asks again when %s has changed that was trusted", ([, toml, file, changed]) => {
  const given = options();
  write(given.root, toml);
  const files = {
    "check.sh": "exit 0\n",
    "package.json": '{"scripts":{"test":"vitest"}}',
    Makefile: "test:\n\ttrue\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(given.root, name), text);
  const act = () => loadConfig(given);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_UNTRUSTED_CONFIG" }));
  loadConfig({ ...given, trust: true });
  expect(act).not.toThrow();
  writeFileSync(join(given.root, "beside.txt"), "no matter\n");
  expect(act).not.toThrow();
  writeFileSync(join(given.root, file), changed);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_UNTRUSTED_CONFIG" }));
});

test.for([
  ["a top-level key", "# one\nmax_cycles = 0\n", "max_cycles", [2, 1]],
  ["a key in a table", "retries = 1\n[check]\n  pass_env = 1\n", "check.pass_env", [3, 3]],
  ["a dotted key", 'coder = "x"\ncheck.pass_env = 1\n', "check.pass_env", [2, 7]],
  ["a table of its own", "retries = 1\n\n[prices.x]\ninput = 1\n", "prices", [3, 2]],
  ["a value of several lines", "lint = [\n  'a',\n  1,\n]\n", "lint", [1, 1]],
  ["a key that a text before names", 'coder = """\nlint = 1\n"""\nlint = 1\n', "lint", [4, 1]],
  ["a key with a dot in it", '[prices]\n"m.1" = 1\n', "prices.m.1", [2, 4]],
] as const)("finds the place of %s", ([, text, key, place]) => {
  const found = placeInToml(text, key);
  expect(found).toEqual({ line: place[0], column: place[1] });
});

test("looks a bounded number of times for a place in a file that is made to take long", () => {
  const text = "x.lint = [\n".repeat(5_000);
  expect(placeInToml(text, "lint")).toBeUndefined();
});

test("names line and column of a wrong value, of an unknown key and of what is no TOML", () => {
  const given = options();
  const path = join(given.root, ".quasar", "config.toml");
  write(given.root, 'coder = "claude"\nmax_cycles = 0\n');
  expect(() => loadConfig(given)).toThrow(`${path}:2:1: max_cycles must be`);
  write(given.root, "retries = 1\nmax_cycels = 2\n");
  expect(loadConfig(given)[2]?.warnings).toEqual([
    `${path}:2:1: unknown key "max_cycels"; did you mean "max_cycles"?`,
  ]);
  write(given.root, "retries = 1\nmax_cycles = = 2\n");
  expect(() => loadConfig(given)).toThrow(new RegExp(`${path}:2:1\\d is not valid TOML`, "u"));
});

test("shows each setting with where it is from, and what is asked for first", () => {
  const given = options({ env: { QUASAR_MAX_CYCLES: "7" } });
  const path = join(given.root, ".quasar", "config.toml");
  write(given.root, 'max_lint_retries = 4\nmax_cycles = 9\nlint = ["npm test"]\n');
  const all = shownSettings({ reader: QUASAR, table: SETTINGS, ...readConfig(given) });
  const shown = (key: string) => all.find((one) => one.key === key);
  const listed = SETTING_NAMES.filter((name) => SETTINGS[name].isShownUnset !== false);
  expect(all.map(({ key }) => key)).toEqual(listed.map((name) => SETTINGS[name].key));
  expect(shown("max_cycles")).toMatchObject({ value: 7, from: "QUASAR_MAX_CYCLES" });
  expect(shown("max_lint_retries")).toMatchObject({
    ...{ value: 4, from: `${path}:1:1`, needsTrust: false },
  });
  expect(shown("lint")).toMatchObject({ from: `${path}:3:1`, needsTrust: true });
  expect(shown("retries")).toMatchObject({ value: 3, from: "default", needsTrust: false });
  loadConfig({ ...given, trust: true });
  const after = shownSettings({ reader: QUASAR, table: SETTINGS, ...readConfig(given) });
  expect(after.find(({ key }) => key === "lint")?.needsTrust).toBe(false);
});

test("a repository may name an agent of the user's own, and not say what it is", () => {
  const given = options();
  write(given.root, "coder = 'mine'\nagent.mine.command = 'evil'\n");
  expect(() => loadConfig({ ...given, trust: true })).toThrow('there is no agent "mine"');
  const own = { mine: { command: "good" } };
  const path = join(given.folders.config, "config.toml");
  writeFileSync(path, "\n[agent.mine]\ncommand = 'good'\n");
  expect(() => loadConfig(given)).toThrow(
    expect.objectContaining({ code: "ERR_UNTRUSTED_CONFIG" }),
  );
  const layers = loadConfig({ ...given, trust: true });
  expect(resolve(layers)).toMatchObject({ coder: "mine", ownAgents: own });
  const shown = shownSettings({ reader: QUASAR, table: SETTINGS, ...readConfig(given) });
  expect(shown.find(({ key }) => key === "agent")).toMatchObject({
    value: own,
    from: `${path}:2:2`,
  });
});
