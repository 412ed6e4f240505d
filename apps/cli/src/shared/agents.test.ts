import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AGENT_PRESETS, LINE_KINDS } from "@quasar/agents/presets";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { type AgentSettings, createAgents } from "./agents.ts";
import { resolve } from "./config/layers.ts";

const bin = mkdtempSync(join(tmpdir(), "quasar-agents-"));
afterAll(() => rmSync(bin, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

const WAYS = { start: 'quasar run "…"', without: ["quasar demo"] };

function settings(change: Partial<AgentSettings>): AgentSettings {
  return { ...resolve([]), ownAgents: { mine: { command: "true" } }, ...change };
}

test("every agent that can be named can be made", () => {
  for (const { program } of AGENT_PRESETS) {
    writeFileSync(join(bin, program), "#!/bin/sh\n");
    chmodSync(join(bin, program), 0o755);
  }
  vi.stubEnv("PATH", bin);
  for (const name of [...AGENT_PRESETS.map((preset) => preset.name), "mine"]) {
    const { coder, reviewer } = createAgents(settings({ coder: name, reviewer: name }), WAYS);
    expect([coder.name, reviewer.name]).toEqual([name, name]);
  }
  for (const kind of LINE_KINDS) {
    const line = `${kind}: a --b`;
    expect(createAgents(settings({ coder: line, reviewer: line }), WAYS).coder.name).toContain(
      "a --b",
    );
  }
});

test("a command line of a known agent's program is taken as what is known of that agent", () => {
  const reportsCost = (line: string): boolean =>
    createAgents(settings({ coder: line, reviewer: "mine" }), WAYS).coder.capabilities.reportsCost;
  expect(reportsCost("acp:gemini --acp")).toBe(true);
  expect(reportsCost("acp:my-agent --acp")).toBe(false);
});

test("an agent whose program is not here is refused with what installs it", () => {
  vi.stubEnv("PATH", "/nowhere");
  for (const { name, program, npmPackage } of AGENT_PRESETS) {
    expect(() => createAgents(settings({ reviewer: name }), WAYS)).toThrow(
      expect.objectContaining({
        code: "ERR_NOT_INSTALLED",
        message: expect.stringContaining("on the PATH"),
      }),
    );
    expect(() => createAgents(settings({ coder: name, reviewer: "mine" }), WAYS)).toThrow(
      expect.objectContaining({
        message: `there is no program ${program} on the PATH`,
        next: [`npm install -g ${npmPackage}`, "quasar demo"],
      }),
    );
  }
});

test("a name that is no agent's any more is refused with those that are", () => {
  expect(() => createAgents(settings({ coder: "gone", reviewer: "mine" }), WAYS)).toThrow(
    expect.objectContaining({ code: "ERR_CONFIG" }),
  );
});
