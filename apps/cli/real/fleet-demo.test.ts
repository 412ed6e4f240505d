import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listProcesses } from "@quasar/process";
import { expect, onTestFinished, test } from "vitest";
import { landedOnce, phaseOf, repeatedTurns } from "./fleet-demo/proofs.ts";

// With the server that `npm ci --prefix packages/fleet/real --ignore-scripts` has installed, or one that is named.

const SCRIPT = fileURLToPath(new URL("fleet-demo/main.ts", import.meta.url));

interface Played {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly ms: number }>;
  said(): string;
  /** Files and processes of it. */
  left(): readonly unknown[];
}

function play(): Played {
  const temp = mkdtempSync(join(realpathSync(tmpdir()), "quasar-demo-test-"));
  onTestFinished(() => rmSync(temp, { recursive: true, force: true, maxRetries: 5 }));
  const begun = performance.now();
  const args = ["--conditions=@quasar/source", SCRIPT];
  const env = { ...process.env, TMPDIR: temp };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    ms: performance.now() - begun,
  }));
  const processes = (): readonly number[] =>
    (listProcesses() ?? [])
      .filter(({ variable }) => variable("HOME")?.startsWith(temp))
      .map(({ pid }) => pid);
  return { child, ended, said: () => said, left: () => [...readdirSync(temp), ...processes()] };
}

test("of two machines one is lost, and the other one lands all of it", async () => {
  const demo = play();
  const { code, ms } = await demo.ended;
  expect(code, demo.said()).toBe(0);
  expect(ms).toBeLessThan(150_000);
  const landed = [...demo.said().matchAll(/^ {2}[0-9a-f]{10} Land (\w+): /gmu)].map(([, id]) => id);
  expect(landed).toHaveLength(4);
  expect(new Set(landed)).toEqual(new Set(["slug", "title", "cli", "readme"]));
  expect(demo.said()).toMatch(/^kill -9 \d+ and all else of machine (?:one|two), /mu);
  expect(demo.said()).toContain("  4 landings, one of each phase\n");
  expect(demo.said()).toMatch(
    /^ {2}the lane was taken over \d+\.\d s after machine \w+ was lost$/mu,
  );
  expect(demo.said()).toMatch(
    /^ {2}phase \w+ was taken over \d+\.\d s after machine \w+ was lost$/mu,
  );
  expect(demo.said()).toMatch(/^ {2}1 turn repeated: (?:title again|cli); /mu);
  expect(demo.left()).toEqual([]);
});

test("an interrupt ends all of it", async () => {
  const demo = play();
  await expect.poll(demo.said, { timeout: 90_000 }).toContain("takes phase");
  demo.child.kill("SIGINT");
  expect((await demo.ended).code, demo.said()).toBe(130);
  expect(demo.left()).toEqual([]);
});

const turn = (name: string, session: string) => ({ name, session });

test.for([
  ["none", [turn("cli", "1"), turn("cli", "1"), turn("review", "2")], []],
  ["a coder's", [turn("cli", "1"), turn("cli", "2"), turn("review", "3")], ["cli"]],
  ["a review", [turn("cli", "1"), turn("review", "2"), turn("review", "3")], ["review"]],
] as const)("turns in other sessions are repeated ones: %s", ([, turns, repeated]) => {
  expect(repeatedTurns(turns)).toEqual(repeated);
});

test.for([
  [["slug", "title", "cli", "readme"], true],
  [["slug", "title", "cli"], false],
  [["slug", "title", "cli", "readme", "cli"], false],
] as const)("landed once each: %j is %s", ([landed, isSo]) => {
  expect(landedOnce(landed)).toBe(isSo);
});

test("a phase is known by the name of its work", () => {
  expect(["p1-cd03861f", "p4-cd03861f", "@lane"].map(phaseOf)).toEqual(["slug", "readme", "@lane"]);
});
