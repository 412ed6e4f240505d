import { expect, test } from "vitest";
import { inHome, isSince, readClaude, readCodex, readTraces } from "./login.ts";
import { PRESETS } from "./presets.ts";

const said = (exitCode: number | undefined, text: string) => {
  return { exitCode, text, env: {}, settings: "" };
};

// As Claude Code 2.1.329 prints it.
const claude = (change: object): string =>
  JSON.stringify({ loggedIn: true, apiProvider: "firstParty", email: "a@b.c", ...change }, null, 2);

test.for([
  [0, claude({ authMethod: "claude.ai" }), { state: "in", how: "claude.ai" }],
  [0, claude({ authMethod: "api_key" }), { state: "in", how: "API key" }],
  [0, claude({ authMethod: "third_party" }), { state: "in", how: "cloud provider" }],
  [0, claude({ authMethod: "\u001b[31mnew\nkind" }), { state: "in", how: "new kind" }],
  [0, claude({ authMethod: 7 }), { state: "in", how: "" }],
  [0, `a notice\n${claude({ authMethod: "constructor" })}`, { state: "in", how: "constructor" }],
  [1, claude({ loggedIn: false, authMethod: "none" }), { state: "out", how: "" }],
  [0, "2.1.329 (Claude Code)", { state: "unknown", how: "" }],
  [0, "{ half", { state: "unknown", how: "" }],
  [undefined, "", { state: "unknown", how: "" }],
] as const)(
  "reads of Claude Code's exit code %s and %j who is logged in",
  ([code, text, login]) => {
    expect(readClaude(said(code, text))).toEqual(login);
  },
);

// As Codex 0.147.0 and 0.169.0 print it.
const WARNING = "WARNING: proceeding, even though we could not create PATH aliases\n";
const KEY =
  "API key configured - sk-test-***bcdef\nAuthentication is checked when you send a request.";

test.for([
  [0, "Logged in using ChatGPT\n", { state: "in", how: "ChatGPT" }],
  [0, "Logged in using an API key - sk-test-***bcdef\n", { state: "in", how: "API key" }],
  [0, `${WARNING}${KEY}`, { state: "in", how: "API key" }],
  [0, "Logged in by other means", { state: "in", how: "" }],
  [1, `${WARNING}Not logged in\n`, { state: "out", how: "" }],
  [1, "error: unrecognized subcommand", { state: "unknown", how: "" }],
  [undefined, "Not logged in", { state: "unknown", how: "" }],
] as const)("reads of Codex's exit code %s and %j who is logged in", ([code, text, login]) => {
  expect(readCodex(said(code, text))).toEqual(login);
});

test.for([
  [{ env: { CODEX_API_KEY: "sk-x" } }, { state: "in", how: "CODEX_API_KEY" }],
  [
    { settings: 'model = "x"\nmodel_provider = "azure"\n' },
    { state: "unknown", how: "its config.toml names a provider or profile" },
  ],
  [{ settings: undefined }, { state: "unknown", how: "its config.toml cannot be read" }],
  [{ settings: 'model = "x"\n# model_provider = "y"\n' }, { state: "out", how: "" }],
] as const)("a Codex that nobody is logged in to, with %j", ([change, login]) => {
  const status = { ...said(1, "Not logged in"), ...change };
  expect(readCodex(status)).toEqual(login);
});

test.for([
  ["2.1.41", true],
  ["2.1.329", true],
  ["2.2.0", true],
  ["10.0.0", true],
  ["2.1.40", false],
  ["2.0.99", false],
  ["1.9.99", false],
  ["", false],
] as const)("version %s is 2.1.41 or later: %s", ([version, is]) => {
  expect(isSince(version, [2, 1, 41])).toBe(is);
});

const TRACES = {
  kind: "traces",
  variables: ["A_KEY"],
  files: [{ path: () => "/f", holds: /key/u }],
} as const;
const NONE = { state: "unknown", how: "no key and no login found" };

test.for([
  ["a key", { A_KEY: "k" }, undefined, { state: "in", how: "A_KEY" }],
  ["an empty key", { A_KEY: "" }, undefined, NONE],
  ["a file with a login", {}, "a key", { state: "in", how: "/f" }],
  ["a file of somebody who has logged out", {}, "{}", NONE],
  ["nothing, or a file that cannot be read", {}, undefined, NONE],
] as const)("sees of %s who is logged in", ([, env, text, login]) => {
  expect(readTraces(TRACES, env, () => text)).toEqual(login);
});

test("looks for an agent's file in the home, or in the folder that its variable names", () => {
  const path = inHome(".a/login", "A_HOME", "login");
  expect(path({ HOME: "/home/u" })).toBe("/home/u/.a/login");
  expect(path({ HOME: "/home/u", A_HOME: "/a" })).toBe("/a/login");
  expect(path({ HOME: "/home/u", A_HOME: "" })).toBe("/home/u/.a/login");
});

// The shape of each file, not its details.
test.for([
  ["opencode", '{"anthropic": {"type": "api", "key": "k"}}', "{}"],
  ["qwen", '{"access_token": "t", "token_type": "Bearer"}', '{"access_token": ""}'],
  ["gemini", '{"refresh_token":"t","scope":"s"}', "{}"],
  ["copilot", '{"logged_in_users": [{"host": "h", "login": "u"}]}', '{"logged_in_users": []}'],
] as const)("tells a login of %s from none by its file", ([name, loggedIn, loggedOut]) => {
  const { seen } = PRESETS[name].login;
  const stateOf = (text: string) => readTraces(seen, { HOME: "/home/u" }, () => text).state;
  expect([stateOf(loggedIn), stateOf(loggedOut)]).toEqual(["in", "unknown"]);
});
