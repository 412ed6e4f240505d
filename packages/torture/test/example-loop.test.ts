import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { reportOf, tableOf } from "../src/entries/report.ts";
import { formatKill, KILL_KINDS, type Subject, torture } from "../src/index.ts";

const LOOP = fileURLToPath(new URL("example-loop.ts", import.meta.url));

function exampleLoop(order: string): Subject {
  const work = mkdtempSync(join(tmpdir(), "quasar-example-"));
  onTestFinished(() => rmSync(work, { recursive: true, force: true }));
  mkdirSync(join(work, "empty"));
  const command = { file: process.execPath, args: [LOOP, order] };
  return {
    fixture: { work: join(work, "empty") },
    run: () => command,
    resume: () => command,
    observe: (place) => ({ lines: readFileSync(join(place.work, "lines"), "utf8") }),
  };
}

test("finds nothing wrong with a loop that looks at what is there", async () => {
  const { whole, trials, alike } = await torture(exampleLoop("careful"), { pairs: 0.1 });
  expect(whole.lives[0]?.steps).toHaveLength(13);
  expect(trials.filter(({ kills }) => kills.length === 1)).toHaveLength(2 * 13 - alike);
  // Nothing is started, and nothing is synced: all that is left out is the other kind of kill.
  expect(alike).toBe(13);
  expect(trials.filter(({ kills }) => kills.length === 2).length).toBeGreaterThan(0);
  expect(trials.flatMap(({ deviations }) => deviations)).toEqual([]);
}, 300_000);

test.for([
  ["note-first", "write work/lines #2", "line 1\nline 3\n"],
  ["line-first", "rename work/state #2", "line 1\nline 2\nline 2\nline 3\n"],
] as const)(
  "finds the bug of a loop that goes %s",
  { timeout: 300_000 },
  async ([order, step, lines]) => {
    const tortured = await torture(exampleLoop(order), { kinds: ["runner"] });
    const failed = tortured.trials.filter(({ deviations }) => deviations.length > 0);
    expect(failed.flatMap(({ kills }) => kills.map(formatKill))).toContain(`runner at ${step}`);
    const { facts } = failed.find(({ kills }) => kills[0]?.step === step) ?? {};
    expect(facts).toEqual({ lines });

    const report = reportOf(tortured, { subject: "example", date: new Date(0) });
    expect(report.failures).toHaveLength(failed.length);
    expect(tableOf(report).at(-1)).toMatch(
      new RegExp(`^\\| all +\\| +\\| +${tortured.trials.length} \\| +${failed.length} \\|`, "u"),
    );
  },
);

test("tells what it has found when it is stopped, and how much is left out", async () => {
  const stop = new AbortController();
  const options = { onTrial: () => stop.abort(), signal: stop.signal, concurrency: 1 };
  const tortured = await torture(exampleLoop("careful"), options);
  expect(tortured.trials).toHaveLength(1);
  expect(tortured.left).toBe(2 * 13 - tortured.alike - 1);
  expect(reportOf(tortured, { subject: "example", date: new Date(0) })).toMatchObject({ left: 12 });
  await expect(torture(exampleLoop("careful"), options)).rejects.toBe(stop.signal.reason);
}, 300_000);

test("makes every kill in one of its parts, and none in two", async () => {
  const killsOf = async (of: number, number: number): Promise<readonly string[]> => {
    const options = { kinds: ["runner"], part: { number, of } } as const;
    const { trials } = await torture(exampleLoop("careful"), options);
    return trials.flatMap(({ kills }) => kills.map(formatKill)).toSorted();
  };
  const [first, second, all] = [await killsOf(2, 1), await killsOf(2, 2), await killsOf(1, 1)];
  expect(first.length * second.length).toBeGreaterThan(0);
  expect([...first, ...second].toSorted()).toEqual(all);
}, 300_000);

test.for([
  ["that work apart", "WORKS_APART", ["runner", "everything"], []],
  ["of the command's own", undefined, KILL_KINDS, KILL_KINDS],
] as const)(
  "beside processes %s makes the kills that can differ",
  { timeout: 300_000 },
  async ([, apart, atWrite, atSync]) => {
    const code = `
      const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore", env: { ...process.env, WORKS_APART: "1" } });
      const file = openSync("lines", "w");
      writeSync(file, "line");
      fsyncSync(file);
      child.kill("SIGKILL");
    `;
    const imports =
      'import { spawn } from "node:child_process"; import { fsyncSync, openSync, writeSync } from "node:fs";';
    const args = ["--input-type=module", "--eval", `${imports}${code}`];
    const command = { file: process.execPath, args };
    const subject = { ...exampleLoop("careful"), run: () => command, resume: () => command, apart };
    const { trials } = await torture(subject, { kinds: KILL_KINDS });
    const kinds = (step: string): readonly string[] =>
      trials.flatMap(({ kills }) => kills.flatMap((kill) => (kill.step === step ? kill.kind : [])));
    expect(trials.flatMap(({ deviations }) => deviations)).toEqual([]);
    expect(kinds("spawn sleep #1")).toEqual(["runner"]);
    expect(new Set(kinds("write work/lines #1"))).toEqual(new Set(atWrite));
    expect(new Set(kinds("fsync work/lines #1"))).toEqual(new Set(atSync));
  },
);

test("kills each life of a run that has several, and names it by its command", async () => {
  const loop = exampleLoop("line-first");
  const again = {
    file: process.execPath,
    args: ["-e", 'require("node:fs").appendFileSync("lines", "end\\n")'],
  };
  const subject: Subject = {
    ...loop,
    next: ({ killed, command }) => {
      if (killed) return command === again ? "end" : "resume";
      return command === again ? "end" : again;
    },
  };
  const { trials } = await torture(subject, {
    kinds: ["runner"],
    points: (_, kind, life) => life === 1,
  });
  expect(trials.map(({ kills }) => kills.map(formatKill))).toEqual([
    ["runner at write work/lines #1 in command 2"],
  ]);
  expect(trials[0]?.lives.map(({ killed }) => killed)).toEqual([false, true]);
  expect(trials[0]?.deviations).toHaveLength(1);
});

test("kills each life after a while, until one ends before that", async () => {
  const command = { file: "sleep", args: ["1"] };
  const subject: Subject = {
    ...exampleLoop("careful"),
    ...{ run: () => command, resume: () => command, observe: () => ({}) },
  };
  const options = { random: 1, maxLives: 3, concurrency: 1 };
  const { trials } = await torture(subject, { ...options, everyMs: [10, 50] });
  const [trial] = trials;
  expect(trial?.lives.map(({ killed }) => killed)).toEqual([true, true, true]);
  expect(trial?.kills.map(({ afterMs = 0 }) => 10 <= afterMs && afterMs <= 50)).toEqual([
    true,
    true,
    true,
  ]);
  expect(trial?.deviations).toEqual([{ law: "unending", message: "not ended after 3 lives" }]);

  const late = await torture(subject, { ...options, everyMs: [60_000, 60_000] });
  expect(late.trials[0]?.lives.map(({ killed }) => killed)).toEqual([false]);
  expect(late.trials[0]?.deviations).toEqual([]);
}, 300_000);
