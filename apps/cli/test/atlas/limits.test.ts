import { expect, test } from "vitest";
import { type Finished, type Place, records, type Running, soon } from "../harness.ts";
import { APPROVAL, type Turn } from "../scripts.ts";
import { atlas, atlasJson, type AtlasPlace, atlasPlace, scripted, startAtlas } from "./harness.ts";

const HOUR = 3_600_000;

/** A coder that hits a limit, lifted so long from now, in its first attempt only. */
function limitedOnce(inMs: number): readonly Turn[] {
  const retryAt = new Date(Date.now() + inMs).toISOString();
  const failure = { kind: "rate-limit", message: "You have used up your limit.", retryAt };
  const files = { "work.txt": "right\n" };
  return [
    { role: "coder", match: "An earlier attempt", text: "Fixed.", files, costUsd: 0.2 },
    { role: "coder", text: "", failure },
    { role: "reviewer", text: APPROVAL, costUsd: 0.1 },
  ];
}

function begin(at: AtlasPlace, inMs: number, ...more: readonly string[]): readonly string[] {
  const what = ["start", "fix null pointer in config", "--template", "write"];
  return [...what, ...scripted(at, limitedOnce(inMs)), ...more];
}

function typesOf({ stdout }: Pick<Finished, "stdout">): readonly unknown[] {
  return records(stdout).map(({ type }) => type);
}

async function untilItWaits(at: Place, args: readonly string[]): Promise<Running> {
  const running = startAtlas(at, args);
  expect(await running.sees("waits until")).toBe(true);
  return running;
}

test("without --wait-limit a task stops with 75, and the command that it advises waits and continues", async () => {
  const at = atlasPlace();
  const inMs = await soon(at);
  const stopped = await atlasJson(at, begin(at, inMs));
  expect(stopped).toMatchObject({ code: 75, outcome: "limit", step: "implement" });
  expect(stopped["limit"]).toMatch(/^lifted at .* \(in /u);
  const next = stopped["next"] as readonly string[];
  const advised = next.find((line) => line.includes("--wait-limit")) ?? "";
  expect(advised).toBe("atlas resume --wait-limit 1h   # waits until then");
  const [command = ""] = advised.split("   ");
  const done = await atlas(at, [...command.split(" ").slice(1), "--json"]);
  expect(done.code, done.stderr).toBe(9);
  const types = typesOf(done);
  expect(types.filter((type) => type === "waiting")).toHaveLength(1);
  expect(types.indexOf("waiting")).toBeLessThan(types.indexOf("loop"));
});

test("with --wait-limit a task says once that it waits, and continues by itself", async () => {
  const at = atlasPlace();
  const inMs = await soon(at);
  const lifted = Date.now() + inMs;
  const done = await atlas(at, begin(at, inMs, "--wait-limit", "10m"));
  expect(done.code, done.stdout).toBe(9);
  expect(done.stdout.match(/waits until .*, \d+ s: the limit is lifted then/gu)).toHaveLength(1);
  expect(Date.now()).toBeGreaterThanOrEqual(lifted);
});

test("a task that is killed while it waits waits for the rest when it is resumed", async () => {
  const at = atlasPlace();
  const inMs = await soon(at);
  const waiting = await untilItWaits(at, begin(at, inMs, "--wait-limit", "10m"));
  waiting.child.kill("SIGKILL");
  await waiting.finished;
  const resumed = await atlas(at, ["resume", "--json", "fix-null-pointer-in-config"]);
  expect(resumed.code, resumed.stderr).toBe(9);
  const [waited] = records(resumed.stdout).filter(({ type }) => type === "waiting");
  expect(waited).toMatchObject({ step: "implement", isKnown: true });
  expect(waited?.["waitMs"]).toBeLessThan(inMs);
});

test("Ctrl-C while a task waits saves and leaves with 130; who may not wait so long asks nobody, or asks now", async () => {
  const at = atlasPlace();
  const task = "fix-null-pointer-in-config";
  const waiting = await untilItWaits(at, begin(at, HOUR, "--wait-limit", "2h"));
  waiting.child.kill("SIGINT");
  const left = await waiting.finished;
  expect(left).toMatchObject({ code: 130, stdout: expect.stringContaining("everything is saved") });
  const short = await atlas(at, ["resume", task, "--wait-limit", "1m", "--json"]);
  expect(short.code, short.stderr).toBe(75);
  const loop = records(short.stdout).filter(({ type }) => type === "loop");
  expect(loop).toEqual([]);
  const plain = await atlas(at, ["resume", task]);
  expect(plain.stdout).toMatch(/limit {4}lifted at .* \(in 1 h\); it is waited for at most 1 min/u);
  const now = await atlas(at, ["resume", task, "--now"]);
  expect(now.code, now.stderr).toBe(9);
});
