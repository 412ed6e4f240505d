import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import { DEFAULT_RETENTION } from "@quasar/hookfile/folders";
import { discoverCommands } from "@quasar/tasks";
import { parse } from "smol-toml";
import { expect, onTestFinished, test } from "vitest";
import { pristineConfig } from "./config-text.ts";
import { loadConfig, type LoadConfigOptions, loadTemplates } from "./load.ts";
import { ATLAS, SETTINGS } from "./settings.ts";
import { retentionPolicy, storedSettings, taskConfig, validationConfig } from "./task-config.ts";

interface Files {
  readonly user?: string | undefined;
  readonly repository?: string | undefined;
  readonly template?: string | undefined;
}

/** Options for a home and a repository with these files. */
function places({ user, repository, template }: Files): LoadConfigOptions {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "atlas-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, root] = [join(folder, "home"), join(folder, "repo")];
  const files = {
    [join(home, "config.toml")]: user,
    [join(root, ".atlas/config.toml")]: repository,
    [join(root, ".atlas/own.toml")]: template,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    if (text !== undefined) writeFileSync(path, text);
  }
  return { flags: {}, env: {}, cwd: root, root, home, trust: false };
}

const DEFAULTS = ATLAS.resolve([]);
const NO_VALIDATION = { commands: [], source: "none", timeoutMs: 1, maxFixes: 0 } as const;

test("the command line wins over the environment, that over the repository, that over the user", () => {
  const options = places({
    user: 'template = "a"\nnotify = "u"\nmax_cycles = 1\nbase_branch = "u"',
    repository: 'template = "b"\nmax_cycles = 2\nbase_branch = "r"',
  });
  const env = { ATLAS_TEMPLATE: "c", ATLAS_MAX_CYCLES: "3" };
  const { settings } = loadConfig({ ...options, env, flags: { template: "d" } });
  expect(settings).toMatchObject({ template: "d", maxCycles: 3, baseBranch: "r", notify: "u" });
});

// SPEC.md, statements 95-100.
test("what automatic checkpoints are made is the seed's default, and each can be turned off", () => {
  expect(taskConfig(DEFAULTS, NO_VALIDATION).checkpoints).toEqual(DEFAULT_AUTO_CHECKPOINTS);
  const repository = `[checkpoints]
on_commit = false
on_push = false
on_pr = false
on_validation = false
on_step_complete = false
interval = "0"
`;
  const { settings } = loadConfig(places({ repository }));
  expect(taskConfig(settings, NO_VALIDATION).checkpoints).toEqual({
    onCommit: false,
    onPush: false,
    onPr: false,
    onValidation: false,
    onStepComplete: false,
    interval: 0,
  });
});

// SPEC.md, statements 141-148.
test("how long hook files are kept is the seed's default, and can be set by the user", () => {
  expect(retentionPolicy(DEFAULTS)).toEqual(DEFAULT_RETENTION);
  const user = '[retention]\ncompleted = "1d"\nfailed = "2h"\nabandoned = "3m"';
  const { settings } = loadConfig(places({ user }));
  const policy = { completed: 86_400_000, failed: 7_200_000, abandoned: 180_000 };
  expect(retentionPolicy(settings)).toEqual(policy);
});

test("the limits of a validation are the library's where nothing is said", () => {
  const { timeoutMs, maxFixes } = discoverCommands("/", { config: { commands: [] } });
  expect(validationConfig(DEFAULTS)).toEqual({ timeoutMs, maxFixes });
});

test("validation commands have names in a table, and numbers in a list", () => {
  const table = '[validation.commands]\nlint = "npm run lint"\ntest = "npm test"';
  const named = ATLAS.tomlLayer("x", parse(table)).values.validationCommands;
  expect(named).toEqual([
    { name: "lint", command: "npm run lint" },
    { name: "test", command: "npm test" },
  ]);
  const list = ATLAS.flagLayer({ validationCommands: ["npm test"] }).values.validationCommands;
  expect(list).toEqual([{ name: "check-1", command: "npm test" }]);
});

test.for([
  'coder = "command:./evil.sh"',
  "max_budget_usd = 1000",
  'validation.commands = ["./evil.sh"]',
  'notify = "./evil.sh"',
  'templates.own = "own.toml"',
  'retention.completed = "0"',
])("a repository may not say %s without the user's word", (repository) => {
  const options = places({ repository });
  expect(() => loadConfig(options)).toThrow(
    expect.objectContaining({ code: "ERR_UNTRUSTED_CONFIG" }),
  );
  // Once said, it holds for that very text.
  loadConfig({ ...options, trust: true });
  expect(() => loadConfig(options)).not.toThrow();
});

test.for([
  'template = "bugfix"',
  'git_hooks = "off"',
  "checkpoints.on_commit = false",
  "max_budget_usd = 1",
])("a repository may say %s", (repository) => {
  expect(() => loadConfig(places({ repository }))).not.toThrow();
});

test.for([
  ['git_hooks = "maybe"', 'git_hooks must be "auto" or "print" or "off"'],
  ['checkpoints.interval = "soon"', "checkpoints.interval must be a length of time"],
  ['checkpoints.interval = "-5m"', "checkpoints.interval must be a length of time"],
  ["checkpoints = 1", 'unknown key "checkpoints"'],
  ['templat = "x"', 'unknown key "templat"; did you mean "template"?'],
  ['validation.commands = [""]', "validation.commands must be"],
  ['validation.commands."a b" = "x"', "validation.commands must be"],
])("%s is reported by its key", ([user, message]) => {
  const said = (() => {
    try {
      return loadConfig(places({ user })).warnings.join("\n");
    } catch (error) {
      return String(error);
    }
  })();
  expect(said).toContain(message);
});

test("a template of the repository's own is found beside its settings, and named by them", () => {
  const template = `id = "x"
description = "Only look"
branch_prefix = "look"
[[steps]]
name = "look"
type = "ai"
description = "Look"
prompt = "Look at {{description}}"
`;
  const options = places({ repository: 'templates.own = "own.toml"', template });
  const { settings } = loadConfig({ ...options, trust: true });
  expect(loadTemplates(settings)).toMatchObject([{ id: "own", description: "Only look" }]);
});

test("a template that is not there is reported by its name and path", () => {
  const { settings } = loadConfig(places({ user: 'templates.own = "gone.toml"' }));
  expect(() => loadTemplates(settings)).toThrow(/template own: there is no file .*gone\.toml/u);
});

test("who works on a task is known again from what was stored with it", () => {
  const said = { passEnv: ["A"], turnTimeout: 7, leash: true, maxRequests: 9, userHooks: false };
  const settings = { ...DEFAULTS, coder: "codex", ...said };
  const stored = storedSettings(taskConfig(settings, NO_VALIDATION));
  expect(stored).toMatchObject({ coder: "codex", ...said });
});

test("the file that init writes says every setting with its default", () => {
  const uncommented = pristineConfig().replaceAll(/^# (?=[\w.]+ = )/gmu, "");
  const { values, warnings } = ATLAS.tomlLayer("x", parse(uncommented));
  expect(warnings).toEqual([]);
  const ofRepository = ATLAS.names.filter((name) => SETTINGS[name].userOnly !== true);
  expect(Object.keys(values).toSorted()).toEqual([...ofRepository].toSorted());
  expect(DEFAULTS).toMatchObject(values);
  for (const name of ofRepository) expect(pristineConfig()).toContain(SETTINGS[name].help);
});
