import { expect, test } from "vitest";
import { aProgramThatPrints, aSample } from "../../test/program.ts";
import { aListener, aRequest, containing } from "../../test/request.ts";
import { createClaudeAgent } from "../claude.ts";
import { claudeArgs } from "./args.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";
const RESUMED = "claude-2.1.329.resumed.stream.jsonl";

test("goes on in a session with the access, the money and the schema of any turn", () => {
  const request = aRequest({ sessionId: SESSION, maxCostUsd: 1, outputSchema: { type: "object" } });
  const args = claudeArgs(request, {});
  const resumed = claudeArgs({ ...request, resumesSession: true }, {});
  expect(args).toContain(`--session-id=${SESSION}`);
  expect(resumed).toEqual(args.map((arg) => arg.replace("--session-id=", "--resume=")));
});

/** The last of three equal turns of a session, with other keys in its result. */
function thirdTurn(change: Readonly<Record<string, unknown>>): string[] {
  const lines = aSample(RESUMED);
  const result = JSON.parse(lines.at(-1) ?? "") as object;
  return [...lines.slice(0, -1), JSON.stringify({ ...result, ...change })];
}

test.for([
  ["by the count since the last result", {}, 0.0016],
  ["by its tokens, where there is none", { model_usage_since_last_result: undefined }, 0.0016],
  [
    "by the total, where the session has forgotten what was before",
    {
      model_usage_since_last_result: undefined,
      total_cost_usd: 0.002,
      modelUsage: { "claude-opus-5-5": { inputTokens: 200, outputTokens: 40, costUSD: 0.002 } },
    },
    0.002,
  ],
  [
    "by its stream, where it used two models",
    {
      model_usage_since_last_result: undefined,
      modelUsage: {
        "claude-opus-5-5": { inputTokens: 600, outputTokens: 120, costUSD: 0.0048 },
        "claude-haiku-4-5": { inputTokens: 600, outputTokens: 120, costUSD: 0.0012 },
      },
    },
    0.0016,
  ],
] as const)("counts a resumed turn alone, %s", async ([, change, costUsd]) => {
  const { events, onEvent } = aListener();
  const agent = createClaudeAgent({ file: aProgramThatPrints(thirdTurn(change)) });
  const request = aRequest({ sessionId: SESSION, resumesSession: true });
  const result = await agent.invoke(request, { onEvent });
  expect(result).toMatchObject({ sessionId: SESSION, text: "Done." });
  expect(result.costUsd).toBeCloseTo(costUsd, 9);
  expect(events.findLast(({ type }) => type === "usage")).toEqual({
    type: "usage",
    costUsd: 0.0016,
  });
});

test("reads from the stream what a resumed turn cost that was killed", async () => {
  const lines = aSample(RESUMED).slice(0, 13);
  const result = await createClaudeAgent({ file: aProgramThatPrints(lines, 137) }).invoke(
    aRequest({ sessionId: SESSION, resumesSession: true }),
  );
  expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
  expect(result.costUsd).toBeCloseTo(0.0008, 9);
});

test.for([
  [`No conversation found with session ID: ${SESSION}\n`, "session-missing"],
  [
    'Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value "x" is not a UUID',
    "session-missing",
  ],
  [`Error: Session ID ${SESSION} is already in use.\n`, "session-busy"],
] as const)("tells %j from other failures, at no cost", async ([stderr, kind]) => {
  const agent = createClaudeAgent({ file: aProgramThatPrints([], 1, stderr) });
  const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
  expect(result).toMatchObject({ failure: { kind }, costUsd: 0, costSource: "computed" });
});

test("tells a missing session, as it was recorded, from other failures, at no cost", async () => {
  const lines = aSample("claude-2.1.329.session-missing.stream.jsonl");
  const agent = createClaudeAgent({ file: aProgramThatPrints(lines, 1) });
  const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
  expect(result).toMatchObject({
    failure: { kind: "session-missing", message: containing("No conversation found") },
    costUsd: 0,
    costSource: "computed",
  });
});

test.for(["listen EADDRINUSE: address already in use", "No conversation found in the export"])(
  "does not take %j for a session that is not to be had once it has begun",
  async (stderr) => {
    const lines = aSample(RESUMED).slice(0, 13);
    const agent = createClaudeAgent({ file: aProgramThatPrints(lines, 137, stderr) });
    const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
    expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
    expect(result.costUsd).toBeCloseTo(0.0008, 9);
  },
);

test("does not take words in a turn for a missing session", async () => {
  const errors = ["No conversation found in the export"];
  const lines = thirdTurn({ subtype: "error_during_execution", is_error: true, errors });
  const agent = createClaudeAgent({ file: aProgramThatPrints(lines, 1) });
  const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
  expect(result.failure?.kind).toBe("unknown");
  expect(result.costUsd).toBeCloseTo(0.0016, 9);
});

test.for([undefined, "", "a title", "--dangerously-skip-permissions"])(
  "starts nothing to go on in %j",
  async (sessionId) => {
    const agent = createClaudeAgent({ file: aProgramThatPrints(aSample(RESUMED)) });
    const result = await agent.invoke(aRequest({ sessionId, resumesSession: true }));
    expect(result).toMatchObject({
      failure: { kind: "session-missing", message: containing(sessionId ?? "") },
      text: "",
      costUsd: 0,
    });
  },
);
