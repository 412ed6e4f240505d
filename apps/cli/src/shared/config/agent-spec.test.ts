import { AGENT_PRESETS, LINE_KINDS, RESERVED_NAMES } from "@quasar/agents/presets";
import { expect, test } from "vitest";
import { parse } from "smol-toml";
import { readSpec, requireKnownAgents } from "./agent-spec.ts";
import { flagLayer, resolve, tomlLayer, toToml } from "./layers.ts";
import { ownAgents } from "./own-agents.ts";

const OWN = { mine: { command: "my-agent --quiet", pass_env: ["MY_KEY"] } };

test("an agent is named by its name, by a name of the user's own, or by what is run", () => {
  for (const preset of AGENT_PRESETS) {
    expect(readSpec(preset.name, OWN)).toEqual({ kind: "preset", preset });
  }
  for (const kind of LINE_KINDS) {
    const spec = { kind, line: "a --b", name: "", passEnv: [] };
    expect(readSpec(`${kind}: a --b `, OWN)).toEqual(spec);
  }
  const mine = { kind: "command", line: "my-agent --quiet", name: "mine", passEnv: ["MY_KEY"] };
  expect(readSpec("mine", OWN)).toEqual(mine);
  expect(readSpec("scripted: a.json", OWN)).toEqual({ kind: "scripted", path: "a.json" });
});

test.for(["", "Claude", "other", "toString", "command:", "mine:x", "shell:ls"])(
  "nobody is named by %j",
  (spec) => {
    expect(readSpec(spec, OWN)).toBeUndefined();
  },
);

const FILE = "config.toml";

test.for([
  ["coder = 'cluade'", `${FILE}: coder: there is no agent "cluade"; did you mean "claude"?`],
  ["coder = 'mne'", 'there is no agent "mne"; did you mean "mine"?'],
  [
    "reviewer = 'nobody'",
    `${FILE}: reviewer: there is no agent "nobody". It can be claude, codex, `,
  ],
  ["reviewer = 'nobody'", "mine, command:<command line>"],
] as const)("%j is refused with those that can be named, and the nearest", ([toml, message]) => {
  const file = tomlLayer(FILE, { ...parse(toml), agent: OWN });
  expect(() => requireKnownAgents([file], "quasar agents")).toThrow(message);
  expect(() => requireKnownAgents([file], "quasar agents")).toThrow(
    expect.objectContaining({ code: "ERR_CONFIG", next: ["quasar agents"] }),
  );
});

test("a name that another one goes before is not searched for", () => {
  const file = tomlLayer(FILE, { coder: "of-a-team", reviewer: "mine", agent: OWN });
  const flags = flagLayer({ coder: "claude" });
  requireKnownAgents([flags, file], "quasar agents");
  const wrong = () => requireKnownAgents([flagLayer({ coder: "gpt" }), file], "quasar agents");
  expect(wrong).toThrow(expect.objectContaining({ code: "ERR_USAGE" }));
  expect(wrong).toThrow('--coder: there is no agent "gpt"');
});

test("a user's own agents are a name, a command line and variables", () => {
  expect(ownAgents.fromToml(OWN)).toEqual(OWN);
  expect(ownAgents.fromToml({ a: { command: " x " } })).toEqual({ a: { command: "x" } });
  const wrong: readonly unknown[] = [
    ...[1, [], "x", { a: 1 }, { a: {} }, { a: { command: "" } }, { a: { command: 1 } }],
    ...[{ a: { command: "x", pass_env: "K" } }, { a: { command: "x", shell: "y" } }],
    ...[{ A: { command: "x" } }, { "a b": { command: "x" } }, { "": { command: "x" } }],
    ...[{ a: { command: "x\u001b" } }, { a: { pass_env: [] } }, { a: { command: "x", acp: "y" } }],
  ];
  for (const value of wrong)
    expect(ownAgents.fromToml(value), JSON.stringify(value)).toBeUndefined();
  for (const name of [...RESERVED_NAMES, "command", "acp", "scripted"]) {
    expect(ownAgents.fromToml({ [name]: { command: "x" } }), name).toBeUndefined();
  }
});

test.for([
  "[agent.claude]\nargs = ['--x']\ncommand = 'x'",
  "agent.codex.command = 'x'",
  "agent = 1",
])("%j is refused: the name of an agent that is known has no command line", (toml) => {
  expect(() => tomlLayer(FILE, parse(toml))).toThrow(
    "agent must be a table for each agent of your own",
  );
});

test("agents of a user's own stand beside what is set of those that are known", () => {
  const toml = "[agent.claude]\nargs = ['--x']\n[agent.mine]\ncommand = 'my-agent'\n";
  const { values, warnings } = tomlLayer(FILE, parse(toml));
  expect(values).toEqual({ claudeArgs: ["--x"], ownAgents: { mine: { command: "my-agent" } } });
  expect(warnings).toEqual([]);
  expect(toToml(resolve([{ source: FILE, values, warnings }]))).not.toHaveProperty("agent");
});
