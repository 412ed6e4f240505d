import { Writable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { OutputRecord } from "./record.ts";
import { createReporter } from "./reporter.ts";

/** An escape sequence, or a character. */
// oxlint-disable-next-line no-control-regex
const SEQUENCE = /\u001b\[[?\d;]*[A-Za-z]|[^]/gu;

/** A terminal that knows what our live block uses, and refuses everything else. */
class Screen extends Writable {
  columns = 80;
  isTTY = true;
  readonly writes: string[] = [];
  rows: string[] = [""];
  #row = 0;
  #column = 0;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const text = chunk.toString();
    this.writes.push(text);
    for (const [part] of text.matchAll(SEQUENCE)) this.#take(part);
    done();
  }

  #take(part: string): void {
    if (part === "\n") {
      this.#row += 1;
      this.#column = 0;
      this.rows[this.#row] ??= "";
    } else if (part === "\r") this.#column = 0;
    else if (/A$/u.test(part) && part.length > 1) this.#row -= Number(part.slice(2, -1));
    else if (part === "\u001b[J") this.#clear();
    else if (/^.\[(\?(25|7|2026)[hl]|[\d;]*m)$/u.test(part)) return;
    else this.#print(part);
  }

  #clear(): void {
    this.rows = this.rows.slice(0, this.#row + 1);
    this.rows[this.#row] = (this.rows[this.#row] ?? "").slice(0, this.#column);
  }

  #print(char: string): void {
    if (/\p{Cc}/u.test(char)) throw new Error(`a control character: ${JSON.stringify(char)}`);
    const row = this.rows[this.#row] ?? "";
    this.rows[this.#row] = row.slice(0, this.#column) + char + row.slice(this.#column + 1);
    this.#column += 1;
  }
}

const START: readonly OutputRecord[] = [
  {
    type: "run",
    runId: "20261121-101500-7f3a9c",
    task: "Fix it",
    workTree: "/shop",
    branch: "main",
    coder: "claude",
    reviewer: "claude",
    allowed: "coder: edits; a convenience, not a sandbox (docs/trust.md)",
    maxCycles: 3,
    maxBudgetUsd: 5,
    turnRole: "coder",
    turnBudgetUsd: 4.5,
    spentUsd: 0,
    unknownUsd: 0,
    hasUnreportedCosts: false,
  },
  { type: "cycle_start", cycle: 1 },
  { type: "agent_start", cycle: 1, role: "coder", turnId: "x.1", attempt: 1 },
];

const SAYS: OutputRecord = {
  type: "agent_event",
  cycle: 1,
  role: "coder",
  event: { type: "text", text: `Reading ${"a long way ".repeat(20)}\u001b[31m` },
};

const DONE: OutputRecord = {
  type: "agent_done",
  cycle: 1,
  role: "coder",
  turnId: "x.1",
  costUsd: 0.1,
  durationMs: 2000,
};

function live(): {
  screen: Screen;
  report(...records: readonly OutputRecord[]): void;
  close(): void;
} {
  vi.useFakeTimers();
  const screen = new Screen();
  const stream = screen as unknown as NodeJS.WriteStream;
  let time = 0;
  const now = (): number => (time += 100);
  const reporter = createReporter({ stdout: stream, stderr: stream }, { live: true, now });
  return {
    screen,
    report(...records) {
      for (const record of records) reporter.report(record);
      vi.advanceTimersByTime(100);
    },
    close() {
      reporter.close();
      vi.useRealTimers();
    },
  };
}

test("keeps a block of two lines under the lines, and takes it away at the end", () => {
  const { screen, report, close } = live();
  report(...START, SAYS);
  expect(screen.rows.slice(6)).toEqual([
    "cycle 1 of 3",
    expect.stringMatching(/^ {2}coder {4}Reading a long way .*…$/u),
    expect.stringMatching(/^. coder works · cycle 1 of 3 · 0:00 · \$0\.00 of \$5\.00$/u),
    expect.stringMatching(/^ {2}Reading a long way .*…$/u),
  ]);
  report({ type: "warning", cycle: 1, message: "careful" });
  expect(screen.rows).toHaveLength(11);
  expect(screen.rows[8]).toBe("warning: careful");
  report(DONE);
  close();
  expect(screen.rows.slice(8)).toEqual(["warning: careful", "  coder    done in 2.0 s, $0.10", ""]);
});

test("says each minute that somebody works, where no block does", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const screen = new Screen();
  screen.isTTY = false;
  const stream = screen as unknown as NodeJS.WriteStream;
  const reporter = createReporter({ stdout: stream, stderr: stream });
  for (const record of START) reporter.report(record);
  vi.advanceTimersByTime(59_999);
  expect(screen.rows.at(-2)).toContain("works (x.1)");
  vi.advanceTimersByTime(60_001);
  expect(screen.rows.slice(-3)).toEqual([
    "  coder    still works, 1:00, $0.00 of $5.00",
    "  coder    still works, 2:00, $0.00 of $5.00",
    "",
  ]);
  reporter.report(SAYS);
  vi.advanceTimersByTime(59_999);
  expect(screen.rows.at(-2)).toContain("Reading a long way");
  reporter.report(DONE);
  vi.advanceTimersByTime(120_000);
  expect(screen.rows.at(-2), "nobody works any more").toContain("done in");
  reporter.close();
});

test("draws each frame in one write, so that nothing flickers", () => {
  const { screen, report, close } = live();
  report(...START);
  const before = screen.writes.length;
  report();
  expect(screen.writes.length - before).toBe(1);
  const frame = screen.writes.at(-1) ?? "";
  expect(frame.startsWith("\u001b[?2026h")).toBe(true);
  expect(frame.endsWith("\u001b[?2026l")).toBe(true);
  close();
});

test("takes away what a narrower terminal has broken into more rows", () => {
  const { screen, report, close } = live();
  report(...START, SAYS);
  screen.columns = 40;
  report();
  // 55 and 77 columns are two rows each at 40: from the last of four, three up.
  expect(screen.writes.at(-1)).toContain("\r\u001b[3A\u001b[J");
  close();
});

test("writes no escape sequence where colours are not wanted and nothing is live", () => {
  const screen = new Screen();
  screen.isTTY = false;
  const stream = screen as unknown as NodeJS.WriteStream;
  const reporter = createReporter({ stdout: stream, stderr: stream });
  for (const record of [...START, SAYS, DONE]) reporter.report(record);
  expect(screen.writes.join("")).not.toContain("\u001b");
});
