import { expect, test } from "vitest";
import { type AgentConfig, createAgent } from "./create-agent.ts";
import { type AgentPreset, lossesOf } from "./preset.ts";
import { AGENT_PRESETS, presetOf, PRESETS } from "./presets.ts";

const ALL: readonly AgentPreset[] = Object.values(PRESETS);

test.for(ALL)("$name may be written in settings, and knows its own variables", (preset) => {
  expect(preset.name).toMatch(/^[a-z][a-z0-9-]*$/u);
  expect(Object.entries(PRESETS)).toContainEqual([preset.name, preset]);
  for (const pattern of preset.ownEnv) expect(pattern).toMatch(/^[A-Z][A-Z0-9_]*\*?$/u);
  const { seen } = preset.login;
  const keys = seen.kind === "traces" ? seen.variables : [];
  const isGiven = (name: string) =>
    preset.ownEnv.some((pattern) => name.startsWith(pattern.replace("*", "")));
  expect(keys.filter((key) => !isGiven(key))).toEqual([]);
});

test.for(ALL)("$name has a cost just where it can be known", ({ cost, capabilities }) => {
  expect(capabilities.reportsCost).toBe(cost !== "unknown");
});

test("each agent that is offered can be made", () => {
  const natives = AGENT_PRESETS.filter(({ route }) => route.kind !== "acp");
  for (const { name, route, capabilities } of natives) {
    const agent = createAgent({ kind: route.kind } as AgentConfig);
    expect(agent.name).toBe(name);
    expect(agent.capabilities).toMatchObject(capabilities);
  }
});

test("what is offered is found by its name, and nothing else is", () => {
  expect(presetOf("claude")).toBe(PRESETS.claude);
  for (const name of ["", "Claude", "toString", "command"]) expect(presetOf(name)).toBeUndefined();
});

test("what is lost is said of what an agent cannot do, and of nothing else", () => {
  const { capabilities } = PRESETS.claude;
  const able = { capabilities, cost: "reported", readOnlyBy: "its permissions" } as const;
  expect(lossesOf(able)).toEqual([]);
  const lost = (change: object) => lossesOf({ ...able, ...change });
  const without = (...names: (keyof typeof capabilities)[]) => ({
    capabilities: { ...capabilities, ...Object.fromEntries(names.map((name) => [name, false])) },
  });
  expect(lost(without("resumesSession"))).toEqual(["each turn begins without a memory"]);
  expect(lost(without("structuredOutput"))).toEqual(["reviews are read from its text"]);
  expect(lost(without("streamsUsage"))).toHaveLength(1);
  expect(lost({ readOnlyBy: "" })).toHaveLength(1);
  const unknown = { cost: "unknown", ...without("streamsUsage", "reportsCost") };
  expect(lost(unknown)).toEqual(["no cost is known: time and requests limit a turn"]);
});
