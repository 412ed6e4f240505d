import * as fs from "node:fs";
import { join } from "node:path";
import { plantedKey, plantedTokens } from "@quasar/vitest/planted-secrets";
import { expect, test } from "vitest";
import { createClaudeAgent } from "../src/claude.ts";
import { createCommandAgent } from "../src/command.ts";
import { promptIn } from "../src/kept-prompt.ts";
import { turnFiles } from "../src/turn-files.ts";
import { aProgramThatPrints, aSample } from "./program.ts";
import { aDirectory, aListener, aRequest } from "./request.ts";

const tokens = Object.entries(plantedTokens());
const key = plantedKey();

/** Pieces of the secrets: where one of them is found, some of a secret is. */
const pieces = [...tokens.map(([, token]) => token.slice(12, 28)), ...key.lines];

/** What a turn leaves in its folder. */
function kept(turnsDir: string): string {
  const names = fs.readdirSync(turnsDir);
  return names.map((name) => fs.readFileSync(join(turnsDir, name), "utf8")).join("\n");
}

function expectNone(text: string): void {
  expect(pieces.filter((piece) => text.includes(piece))).toEqual([]);
}

test("no token and no private key that a command prints reaches the disk or its answer", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const lines = [...tokens.map(([, token]) => `found ${token}`), ...key.text.split("\n"), "done"];
  const file = aProgramThatPrints(lines, 1, lines.join("\n"));
  const { events, onEvent } = aListener();
  const request = aRequest({ turnsDir, prompt: lines.join("\n") });
  const result = await createCommandAgent({ file, env: {} }).invoke(request, { onEvent });
  expect(promptIn(turnFiles(turnsDir, request))).toMatch(/^found \[redacted\]$/m);
  expect(result.text.split("\n")).toHaveLength(lines.length);
  expect(result.text).toMatch(/^found \[redacted\]$/m);
  expectNone(kept(turnsDir));
  expectNone(JSON.stringify([result, events]));
});

test("no token that a model says in one piece or in many reaches the disk", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const said = [...tokens.map(([, token]) => token), key.text].join("\n");
  const delta = (text: string) => ({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    session_id: "00000000-0000-4000-8000-000000000000",
    parent_tool_use_id: null,
  });
  const events = [
    ...(said.match(/[^]{1,7}/g) ?? []).map(delta),
    {
      type: "assistant",
      message: { id: "m1", model: "x", content: [{ type: "text", text: `I say\n${said}` }] },
    },
    {
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: "t1", content: `it\n${said}` }] },
    },
  ].map((event) => JSON.stringify(event));
  const sample = aSample("claude-2.1.329.stream.jsonl");
  const lines = [...sample.slice(0, -1), ...events, ...sample.slice(-1)];
  const file = aProgramThatPrints(lines);
  const { events: told, onEvent } = aListener();
  const request = aRequest({ turnsDir });
  const result = await createClaudeAgent({ file, env: {} }).invoke(request, { onEvent });
  expect(result).not.toHaveProperty("failure");
  const out = fs.readFileSync(join(turnsDir, "1.out"), "utf8");
  expect(out).toContain(String.raw`I say\n[redacted]\n[redacted]`);
  expect(out).toContain(String.raw`it\n[redacted]\n[redacted]`);
  expect(out).not.toContain("content_block_delta");
  expectNone(out);
  expectNone(JSON.stringify(told));
});

test("what holds no secret is kept as it was printed", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const sample = aSample("claude-2.1.329.stream.jsonl");
  const request = aRequest({ turnsDir });
  await createClaudeAgent({ file: aProgramThatPrints(sample), env: {} }).invoke(request);
  const out = fs.readFileSync(join(turnsDir, "1.out"), "utf8").trim().split("\n");
  expect(out).toEqual(sample);
});
