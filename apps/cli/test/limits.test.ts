import { expect, test } from "vitest";
import { git, lastRecord, type Place, place, quasar, records, soon, start } from "./harness.ts";
import { agents, oneCycle, type Turn } from "./scripts.ts";

const MESSAGE = "You have used up your limit.";

/** A coder that hits a limit which is lifted so long from now; without a time: it is unknown when. */
function limited(inMs?: number): readonly Turn[] {
  const retryAt = inMs === undefined ? undefined : new Date(Date.now() + inMs).toISOString();
  const failure = { kind: "rate-limit", message: MESSAGE, ...(retryAt && { retryAt }) };
  return [{ role: "coder", text: "", failure }];
}

const HOUR = 3_600_000;
const run = (at: Place, turns: readonly Turn[], ...more: string[]): readonly string[] => [
  ...["run", "Write", ...agents(at, turns), ...more],
];

test("without --wait-limit a run stops with 75 and says when to continue", async () => {
  const at = place();
  const stopped = await quasar(at, run(at, limited(2 * HOUR)));
  expect(stopped.code, stopped.stderr).toBe(75);
  expect(stopped.stdout).toMatch(/limit {4}lifted at \d{4}-\d\d-\d\d \d\d:\d\d \(in 2 h\)/u);
  expect(stopped.stdout).toMatch(/quasar resume \S+ --wait-limit 2h # waits until then/u);
});

test("a resume before the time asks nobody and stops with 75, unless told to ask now", async () => {
  const at = place();
  await quasar(at, run(at, limited(2 * HOUR)));
  agents(at, oneCycle());
  const refused = await quasar(at, ["resume", "--json"]);
  expect(refused.code, refused.stderr).toBe(75);
  expect(records(refused.stdout).map(({ type }) => type)).toEqual(["error"]);
  const { code, message, next } = lastRecord(refused);
  expect(code).toBe("ERR_LIMIT");
  expect(message).toMatch(/lifted at .*\(in 2 h\)/u);
  expect(next).toEqual([
    expect.stringContaining("# then"),
    expect.stringContaining("--wait-limit 2h"),
    expect.stringContaining("--now"),
  ]);
  expect(await quasar(at, ["resume", "--now"])).toMatchObject({ code: 0 });
});

/** A coder that hits a limit in its first attempt only. */
function limitedOnce(inMs?: number): readonly Turn[] {
  const [coder, reviewer] = oneCycle();
  if (coder === undefined || reviewer === undefined) throw new Error("no turns");
  return [{ ...coder, match: "An earlier attempt" }, reviewer, ...limited(inMs)];
}

test("with --wait-limit a run says once that it waits, and continues by itself", async () => {
  const at = place();
  const inMs = await soon(at);
  const lifted = Date.now() + inMs;
  const done = await quasar(at, run(at, limitedOnce(inMs), "--wait-limit", "10m"));
  expect(done.code, done.stdout).toBe(0);
  expect(done.stdout.match(/waits until .*, \d+ s: the limit is lifted then/gu)).toHaveLength(1);
  expect(Date.now()).toBeGreaterThanOrEqual(lifted);
});

test("a limit that is lifted later than the run may wait stops it with 75 at once", async () => {
  const at = place();
  const done = await quasar(at, run(at, limitedOnce(2 * HOUR), "--wait-limit", "90m"));
  expect(done.code, done.stdout).toBe(75);
  expect(done.stdout).toMatch(
    /limit {4}lifted at .* \(in 2 h\); it is waited for at most 1 h 30 min/u,
  );
});

test("a limit without a time stops with 75 and says so, or is waited for in growing pauses", async () => {
  const at = place();
  const stopped = await quasar(at, run(at, limited()));
  expect(stopped.code, stopped.stdout).toBe(75);
  expect(stopped.stdout).toContain("limit    it is unknown when the limit is lifted");
  const waiting = start(at, ["resume", "--wait-limit", "90s"]);
  expect(await waiting.sees("waits until")).toBe(true);
  expect(waiting.stdout()).toMatch(/, 1 min: it is unknown when/u);
  waiting.child.kill("SIGINT");
  expect(await waiting.finished).toMatchObject({ code: 130 });
});

test("a run that is killed while it waits waits for the rest when it is resumed", async () => {
  const at = place();
  const inMs = await soon(at);
  const waiting = start(at, run(at, limitedOnce(inMs), "--wait-limit", "10m"));
  expect(await waiting.sees("waits until")).toBe(true);
  waiting.child.kill("SIGKILL");
  await waiting.finished;
  const status = await quasar(at, ["status"]);
  expect(status.stdout).toMatch(/limit {4}lifted at/u);
  const resumed = await quasar(at, ["resume", "--json"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  const types = records(resumed.stdout).map(({ type }) => type);
  expect(types.slice(0, 3)).toEqual(["run", "waiting", "resumed"]);
  const [, waited] = records(resumed.stdout) as { waitMs: number }[];
  expect(waited?.waitMs).toBeLessThan(inMs);
});

test("Ctrl-C while it waits exits at once with 130, and the next resume still knows the time", async () => {
  const at = place();
  const waiting = start(at, run(at, limited(HOUR), "--wait-limit", "2h"));
  expect(await waiting.sees("waits until")).toBe(true);
  waiting.child.kill("SIGINT");
  const done = await waiting.finished;
  expect(done).toMatchObject({ code: 130, stdout: expect.stringContaining("quasar resume") });
  const again = await quasar(at, ["resume", "--wait-limit", "1m"]);
  expect(again).toMatchObject({ code: 75, stderr: expect.stringContaining("in 1 h") });
  expect(git(at, "status", "--porcelain")).toBe("");
});
