import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentProcess } from "@quasar/process";
import { expect, onTestFinished, test, vi } from "vitest";
import { follow } from "./follow.ts";
import type { TurnFiles } from "./turn-files.ts";

const EXIT = {
  v: 1,
  started: true,
  exitCode: 0,
  exitSignal: null,
  stderrTail: "",
  durationMs: 1,
  orphansEnded: 0,
};

/** Files of a turn whose looks fail as often as it is said, by the ending of the file. */
function turn(failures: Readonly<Record<string, number>> = {}): TurnFiles {
  const dir = mkdtempSync(join(tmpdir(), "quasar-follow-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const left: Record<string, number> = { ...failures };
  let isNamed = 0;
  const path = (ending: string): string => {
    // The first time it is only asked for its name.
    isNamed += 1;
    const n = left[ending] ?? 0;
    if (isNamed > 2 && n > 0) {
      left[ending] = n - 1;
      throw Object.assign(new Error(`EIO: ${ending}`), { code: "EIO", syscall: "open" });
    }
    return join(dir, `1.${ending}`);
  };
  return { dir, path };
}

test.for(["exit", "out"])("a look at .%s that fails is repeated", async (ending) => {
  const files = turn({ [ending]: 2 });
  writeFileSync(join(files.dir, "1.out"), "one\ntwo\n");
  writeFileSync(join(files.dir, "1.exit"), JSON.stringify(EXIT));
  const lines: string[] = [];
  const onLines = (some: readonly string[]) => void lines.push(...some);
  const ended = await follow(files, currentProcess(), { onLines, cancel: () => undefined });
  expect(ended).toMatchObject({ exitCode: 0, recorded: true });
  expect(lines).toEqual(["one", "two"]);
});

test("the end of a turn is seen by its folder: nobody waits for the next look", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const files = turn();
  writeFileSync(join(files.dir, "1.out"), "");
  const following = follow(files, currentProcess(), {
    onLines: () => undefined,
    cancel: () => undefined,
  });
  // It looks once at the beginning, and then waits for a sign: the clock of its looks stands still.
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(join(files.dir, "1.exit"), JSON.stringify(EXIT));
  expect(await following).toMatchObject({ exitCode: 0 });
});

test("a cancellation that the system fails is tried again, and once it is sent is not sent again", async () => {
  const files = turn();
  writeFileSync(join(files.dir, "1.out"), "");
  let tries = 0;
  const cancel = (): void => {
    tries += 1;
    if (tries < 3) throw Object.assign(new Error("EMFILE"), { code: "EMFILE", syscall: "open" });
    setTimeout(() => writeFileSync(join(files.dir, "1.exit"), JSON.stringify(EXIT)), 100);
  };
  const controller = new AbortController();
  const options = { onLines: () => undefined, signal: controller.signal, cancel };
  const following = follow(files, currentProcess(), options);
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  expect(await following).toMatchObject({ exitCode: 0 });
  expect(tries).toBe(3);
});

test("a turn is cancelled while a long output is still being read", async () => {
  const files = turn();
  writeFileSync(join(files.dir, "1.out"), `${"x".repeat(1023)}\n`.repeat(64 * 1024));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 0);
  let lines = 0;
  let before = 0;
  const cancel = (): void => {
    before = lines;
    writeFileSync(join(files.dir, "1.exit"), JSON.stringify(EXIT));
  };
  const onLines = (some: readonly string[]): void => void (lines += some.length);
  await follow(files, currentProcess(), { onLines, signal: controller.signal, cancel });
  expect(lines).toBe(64 * 1024);
  expect(before).toBeLessThan(lines / 2);
});

test("the end of a cancelled turn is searched for once more when its output took long to be read", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const files = turn();
  writeFileSync(join(files.dir, "1.out"), "one\n");
  const cancel = (): void => {
    writeFileSync(join(files.dir, "1.out"), "one\ntwo\n");
  };
  const onLines = ([line]: readonly string[]): void => {
    if (line !== "two") return;
    vi.advanceTimersByTime(40_000);
    writeFileSync(join(files.dir, "1.exit"), JSON.stringify(EXIT));
  };
  const options = { onLines, signal: AbortSignal.abort(), cancel };
  expect(await follow(files, currentProcess(), options)).toMatchObject({ exitCode: 0 });
});

test.for([
  ["nobody can judge", { ...currentProcess(), bootId: "another", host: "elsewhere.example" }],
  ["does not heed it", currentProcess()],
] as const)(
  "a cancelled turn whose process %s is followed for half a minute",
  async ([, owner]) => {
    vi.useFakeTimers({ toFake: ["setInterval", "setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const signal = AbortSignal.abort();
    const options = { onLines: () => undefined, signal, cancel: () => undefined };
    let end: unknown;
    void follow(turn(), owner, options).catch((error: unknown) => (end = error));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(3000);
    expect(end).toMatchObject({ code: "ERR_TURN_UNREADABLE" });
  },
);
