import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentRequest } from "../agent.ts";
import { expect, test } from "vitest";
import { aDirectory, aRequest } from "../../test/request.ts";
import { opencodeAdapter, type OpencodeAgentOptions } from "../opencode.ts";
import type { PreparedTurn } from "../adapter.ts";
import { opencodeArgs } from "./args.ts";
import { findUpward } from "../repository-programs.ts";
import { RUN_BY_OPENCODE } from "./settings.ts";

const CONTENT = "OPENCODE_CONFIG_CONTENT";

interface Settings {
  readonly [key: string]: unknown;
  readonly agent: Readonly<Record<string, { permission: Readonly<Record<string, unknown>> }>>;
}

function prepared(
  change: Partial<AgentRequest> = {},
  options: OpencodeAgentOptions = {},
): PreparedTurn {
  const adapter = opencodeAdapter({ env: {}, ...options });
  const turn = adapter.prepare(aRequest(change), (ending) => `/turns/1.${ending}`);
  if ("kind" in turn) throw new Error(turn.message);
  return turn;
}

function settingsOf(...turn: Parameters<typeof prepared>): Settings {
  const { setEnv = {} } = prepared(...turn).program;
  return JSON.parse(setEnv[CONTENT] ?? "") as Settings;
}

const permissionOf = (...turn: Parameters<typeof prepared>) =>
  settingsOf(...turn).agent["quasar"]?.permission ?? {};

/** Whether a command may be run: the last rule that fits decides. */
function mayRun(command: string, ...turn: Parameters<typeof prepared>): boolean {
  const { bash, "*": all } = permissionOf(...turn);
  if (typeof bash !== "object" || bash === null) return (bash ?? all) === "allow";
  const fitting = Object.entries(bash).filter(([pattern]) => fits(pattern, command));
  return fitting.at(-1)?.[1] === "allow";
}

/** As OpenCode reads a pattern: what comes after a last blank may be missing. */
function fits(pattern: string, command: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("*", ".*");
  return new RegExp(`^${escaped.replace(/ \.\*$/, "( .*)?")}$`, "s").test(command);
}

test("a reviewer reads, and is offered nothing else", () => {
  expect(Object.entries(permissionOf({ access: "read" }, { allowedTools: ["Bash"] }))).toEqual([
    ["*", "deny"],
    ["read", { "*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow" }],
    ["glob", "allow"],
    ["grep", "allow"],
    ["doom_loop", "allow"],
  ]);
});

test("a coder edits; what is not allowed is denied first, so that later rules decide", () => {
  const permission = permissionOf();
  expect(Object.keys(permission)[0]).toBe("*");
  expect(permission).toMatchObject({ "*": "deny", edit: "allow", read: { "*": "allow" } });
  expect(permission).not.toHaveProperty("task");
});

test.for([
  ["npm test", true],
  ["npm test -- one.test.ts > out.txt 2>&1", true],
  ["npm tests", false],
  ["npm install", false],
  ["git diff HEAD~1", true],
  ["git diff > x", false],
  ["git diff --output=x", false],
  ["git push", false],
  ["ls -la src", true],
  ["echo x > ~/.bashrc", false],
] as const)("of a coder with npm test, %j is allowed: %s", ([command, isAllowed]) => {
  expect(mayRun(command, { commands: ["npm test"] })).toBe(isAllowed);
});

test("a command that is more than words is a script, which is allowed as such", () => {
  const { files = {}, program } = prepared({ commands: ["npm test && npm run lint"] });
  const [path = ""] = Object.keys(files);
  const text = files[path];
  expect(text).toBe("npm test && npm run lint\n");
  expect(path).toMatch(/^\/turns\/command-[0-9a-f]{12}\.sh$/);
  expect(program.input).toContain(`- sh ${path}   (which runs: npm test && npm run lint)`);
  expect(mayRun(`sh ${path}`, { commands: ["npm test && npm run lint"] })).toBe(true);
});

test.for([
  [["Bash(make *)"], "make all", true],
  [["Bash(make:*)"], "make all", true],
  [["Bash(make *)"], "rm x", false],
  [["Bash"], "rm x > y", true],
] as const)("with %j, %j is allowed: %s", ([allowedTools, command, isAllowed]) => {
  expect(mayRun(command, {}, { allowedTools })).toBe(isAllowed);
});

test("allows other tools in OpenCode's own words", () => {
  const allowedTools = ["webfetch", "external_directory(/srv/*)"];
  expect(permissionOf({}, { allowedTools })).toMatchObject({
    webfetch: "allow",
    external_directory: { "/srv/*": "allow" },
  });
});

test.for([
  ["a coder", "write", undefined, true],
  ["a reviewer", "read", undefined, true],
  ["a coder who trusts the repository", "write", true, false],
  ["a reviewer, also where the repository is trusted", "read", true, true],
] as const)(
  "the repository's settings are left out for %s: %s",
  ([, access, projectSettings, isOut]) => {
    const { setEnv = {} } = prepared({ access }, { projectSettings }).program;
    expect(setEnv["OPENCODE_DISABLE_PROJECT_CONFIG"]).toBe(isOut ? "1" : undefined);
    expect(setEnv["OPENCODE_DISABLE_EXTERNAL_SKILLS"]).toBe(isOut ? "1" : undefined);
    const settings = settingsOf({ access }, { projectSettings });
    expect([settings["lsp"], settings["formatter"]]).toEqual(
      isOut ? [false, false] : [undefined, undefined],
    );
  },
);

test("settings that the user has in the same variable stay beneath ours", () => {
  const users = { model: "acme/x", lsp: true, agent: { own: { mode: "primary" }, quasar: {} } };
  const env = { [CONTENT]: JSON.stringify(users) };
  const settings = settingsOf({ access: "read" }, { env });
  expect(settings).toMatchObject({ model: "acme/x", lsp: false, agent: { own: users.agent.own } });
  expect(settings.agent["quasar"]?.permission["*"]).toBe("deny");
  expect(settingsOf({}, { env: { [CONTENT]: "no json" } })).toHaveProperty("agent");
});

test.for([
  "opencode.json",
  "opencode.jsonc",
  ".opencode/opencode.json",
  ".opencode/plugin/a.js",
  ".opencode/plugins/a.ts",
])("takes no turn in a repository with %s, which would run, unless it is trusted", (name) => {
  const root = aDirectory();
  const workTree = join(root, "packages", "one");
  mkdirSync(join(root, ".git"));
  mkdirSync(workTree, { recursive: true });
  const adapters = [false, true].map((projectSettings) =>
    opencodeAdapter({ env: {}, projectSettings }),
  );
  const prepare = () =>
    adapters.map((adapter) =>
      adapter.prepare(aRequest({ workTree }), (ending) => `/t/1.${ending}`),
    );
  for (const turn of prepare()) expect(turn).not.toHaveProperty("kind");
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), "{}");
  const [refused, trusted] = prepare();
  expect(refused).toMatchObject({
    kind: "usage",
    retryable: false,
    message: expect.stringContaining("project_settings = true"),
  });
  expect(trusted).not.toHaveProperty("kind");
});

test("what lies above the repository is not the repository's", () => {
  const root = aDirectory();
  mkdirSync(join(root, "repo", ".git"), { recursive: true });
  writeFileSync(join(root, "opencode.json"), "{}");
  expect(findUpward(join(root, "repo"), RUN_BY_OPENCODE)).toBeUndefined();
});

test.for([
  ["a new session", {}, [], []],
  [
    "a session to continue",
    { sessionId: "ses_12345678", resumesSession: true },
    [],
    ["--session=ses_12345678"],
  ],
  ["arguments of the caller's", {}, ["--variant", "high"], ["--variant", "high"]],
  ["none of them for a reviewer", { access: "read" }, ["--variant", "high"], []],
] as const)("is started with %s", ([, change, args, expected]) => {
  expect(opencodeArgs(aRequest(change), { args })).toEqual([
    ...["run", "--format", "json", "--agent", "quasar", "--title", "Quasar coder"],
    ...expected,
  ]);
});

test("is started with the model that is named, and without the user's plugins where they are left out", () => {
  const args = opencodeArgs(aRequest(), { model: "acme/x", userHooks: false });
  expect(args.slice(-3)).toEqual(["--model", "acme/x", "--pure"]);
});

test("has the variables of the provider that is asked", () => {
  const ownEnv = prepared({}, { model: "open-router/x/y" }).program.ownEnv;
  expect(ownEnv).toEqual(["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "OPEN_ROUTER_*"]);
});
