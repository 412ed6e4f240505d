import { expect, test } from "vitest";
import { aSample } from "../../test/program.ts";
import { aListener } from "../../test/request.ts";
import { boundAt, DEAREST } from "../prices.ts";
import { createClaudeMeter } from "./meter.ts";
import { createClaudeReader } from "./reader.ts";

const METER = { maxOutput: 32_000, firstPrompt: 20_000, model: "claude-opus-5-5" };
const BACKGROUND_AGENTS = aSample("claude-2.1.330-background-agents.stream.jsonl");
const BACKGROUND_BASH = aSample("claude-2.1.329-background-bash.stream.jsonl");

function read(lines: readonly string[], limits = {}) {
  const { events, onEvent } = aListener();
  const reader = createClaudeReader(onEvent, METER, limits);
  const reasons = lines.map((line) => reader.read(line));
  return { ...reader.reading, events, stopped: reasons.find((reason) => reason !== undefined) };
}

test.for([
  ["agents, whose last result counts nothing", BACKGROUND_AGENTS, 0.03615, 6],
  ["commands", BACKGROUND_BASH, 0.0024, 4],
] as const)("adds up the results of a run with %s in the background", ([, lines, usd, turns]) => {
  const { reportedUsd, result, isIdle } = read(lines);
  expect(reportedUsd).toBeCloseTo(usd, 9);
  expect(result).toMatchObject({ num_turns: turns, result: "done", is_error: false });
  expect(isIdle).toBe(true);
});

test("keeps what earlier results say: denials, errors, the structured answer", () => {
  const last = JSON.parse(BACKGROUND_BASH.at(-1) ?? "") as object;
  const denial = { tool_name: "Bash", tool_input: { command: "npm test" } };
  const first = {
    ...last,
    permission_denials: [denial],
    errors: ["first"],
    structured_output: { verdict: "approved" },
  };
  const { result } = read([first, last].map((each) => JSON.stringify(each)));
  expect(result?.permission_denials.map(({ tool_name }) => tool_name)).toEqual(["Bash"]);
  expect(result).toMatchObject({ errors: ["first"], structured_output: { verdict: "approved" } });
});

test("counts subagents, whose output is not streamed, with what they say at least", () => {
  const unfinished = BACKGROUND_AGENTS.slice(0, 74);
  const { seenUsd, unseenUsd } = read(unfinished).meter.whole();
  // What was billed for these responses: three of the main thread, three of the two subagents.
  const main = (1200 * 4 + 8500 * 0.2 + 380 * 20) / 1e6;
  const opus = (2000 * 4 + 1000 * 5 + 100 * 20) / 1e6;
  const haiku = (2200 * 0.1 + 1000 * 0.125 + 3000 * 0.01 + 150 * 0.5) / 1e6;
  expect(seenUsd + unseenUsd).toBeGreaterThan(main + opus + haiku);
});

test("a killed turn may have a response under way in each open thread", () => {
  // Both subagents have begun, the main thread waits for its third response.
  const { meter } = read(BACKGROUND_AGENTS.slice(0, 65));
  const bound = (input: number, model: "opus" | "haiku"): number =>
    model === "opus" ? (input * 8 + 32_000 * 20) / 1e6 : (input * 0.2 + 32_000 * 0.5) / 1e6;
  expect(meter.pendingUsd(true)).toBeGreaterThan(2 * bound(3000, "opus") + bound(3000, "haiku"));
  expect(meter.pendingUsd(true)).toBeLessThan(2 * bound(9000, "opus") + bound(9000, "haiku"));
  // When the subagents have ended, only the main thread is left.
  const ended = read(BACKGROUND_AGENTS.slice(0, 100));
  expect(ended.meter.pendingUsd(true)).toBeLessThan(bound(10_000, "opus"));
});

test.for([
  ["cache writes of an hour at twice the input", { cacheWriteLong: 1e6 }, 8],
  ["cache writes of minutes", { cacheWrite: 1e6 }, 5],
  ["searches of the web", { webSearches: 3 }, 0.03],
  ["the fast mode", { input: 1e6, output: 1e6, isFast: true }, 48],
] as const)("counts %s", ([, used, usd]) => {
  const meter = createClaudeMeter(METER);
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0 };
  meter.start("", "a", "claude-opus-5-5", { ...none, webSearches: 0, isFast: false, ...used });
  meter.update("", { ...none, webSearches: 0, isFast: false });
  expect(meter.whole().seenUsd).toBeCloseTo(usd, 9);
});

test("a response that breaks off counts with all that it may have said", () => {
  const started = BACKGROUND_BASH.slice(0, 10);
  const again = BACKGROUND_BASH.slice(44);
  const { reportedUsd = 0, meter } = read([...started, ...again]);
  expect(reportedUsd).toBeGreaterThan(0);
  const { seenUsd, unseenUsd } = meter.unsettled(false);
  expect(seenUsd + unseenUsd).toBeCloseTo((100 * 4 + 32_000 * 20) / 1e6, 9);
});

const USED = { input: 1000, output: 1, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0 };
const USAGE = { ...USED, webSearches: 0, isFast: false };
const BOUND_USD = (1000 * 8 + 32_000 * 20) / 1e6;

test("what a subagent is saying when a result comes is in the next one, which a kill leaves out", () => {
  const meter = createClaudeMeter(METER);
  meter.open("sub", true);
  meter.see("sub", "a", METER.model, USAGE, 500);
  meter.settle(false);
  const usd = (1000 * 4 + 500 * 20) / 1e6;
  const { seenUsd, unseenUsd } = meter.unsettled(true);
  expect(seenUsd + unseenUsd).toBeCloseTo(usd, 9);
  expect(meter.unsettled(false).seenUsd).toBe(0);
  meter.see("sub", "b", METER.model, USAGE, 500);
  meter.settle(false);
  expect(meter.unsettled(true).seenUsd + meter.unsettled(true).unseenUsd).toBeCloseTo(usd, 9);
  meter.close("sub");
  meter.settle(false);
  expect(meter.unsettled(true).seenUsd).toBe(0);
});

test("a request that is made again counts beside the response that broke off", () => {
  const meter = createClaudeMeter(METER);
  meter.start("", "a", METER.model, USAGE);
  expect(meter.pendingUsd(true)).toBe(0);
  meter.request();
  expect(meter.pendingUsd(true)).toBeGreaterThan(BOUND_USD);
  meter.start("", "b", METER.model, USAGE);
  meter.update("", { ...USAGE, output: 10 });
  expect(meter.pendingUsd(false)).toBe(0);
});

test("names a model without a price once, and holds the turn to tokens", () => {
  const unknown = BACKGROUND_BASH.map((line) => line.replaceAll("claude-opus-5-5", "claude-new-9"));
  const { events, stopped } = read(unknown, { maxCostUsd: 4.5 });
  expect(events.filter(({ type }) => type === "unpriced")).toEqual([
    { type: "unpriced", model: "claude-new-9", maxTokens: 900_000 },
  ]);
  expect(stopped).toBeUndefined();
  const many = unknown.map((line) =>
    line.replaceAll('"input_tokens":100', '"input_tokens":300000'),
  );
  expect(read(many, { maxCostUsd: 1 }).stopped).toBe("budget");
});

test("stops at the request that is one too many", () => {
  expect(read(BACKGROUND_AGENTS, { maxRequests: 20 }).stopped).toBeUndefined();
  expect(read(BACKGROUND_AGENTS, { maxRequests: 5 }).stopped).toBe("requests");
});

test("a turn killed before it was answered is bounded at the model that the program named", () => {
  const init = { type: "system", subtype: "init", model: "claude-new-9", session_id: "s" };
  const asks = { type: "system", subtype: "status", status: "requesting" };
  const pendingOf = (lines: readonly object[]): number =>
    read(lines.map((line) => JSON.stringify(line))).meter.pendingUsd(true);
  // What it costs is not known: it is the dearest, not what is taken where nothing was named.
  expect(pendingOf([init, asks])).toBeGreaterThan(pendingOf([asks]));
});

test("tokens that a dropped response may have used count towards the limit of a model without a price", () => {
  const meter = createClaudeMeter(METER);
  const usage = {
    ...{ input: 1000, output: 1, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0 },
    ...{ webSearches: 0, isFast: false },
  };
  meter.start("", "a", "claude-new-9", usage);
  expect(meter.use().unpricedTokens).toBe(1001);
  meter.start("", "b", "claude-new-9", usage);
  expect(meter.use().unpricedTokens).toBe(1000 + METER.maxOutput + 1001);
});

test("one that was dropped before anything of it was told counts towards that limit too", () => {
  const meter = createClaudeMeter({ ...METER, model: "claude-new-9" });
  meter.request();
  meter.drop();
  expect(meter.use()).toMatchObject({
    costUsd: 0,
    unpricedTokens: METER.firstPrompt + METER.maxOutput,
  });
});

test("a subagent that is killed before it has answered is bounded at the dearest rates", () => {
  const meter = createClaudeMeter(METER);
  meter.open("tool", true);
  const room = { promptTokens: METER.firstPrompt, maxOutput: METER.maxOutput };
  expect(meter.pendingUsd(false)).toBe(boundAt(DEAREST, room));
});
