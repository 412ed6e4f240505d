import { stripVTControlCharacters, styleText } from "node:util";
import { jsonLine, widthOf } from "@quasar/runs/text";
import { outputFacts } from "../facts/output.ts";
import { JSON_VERSION } from "./json.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { advance, IDLE, type Progress } from "./progress.ts";
import type { OutputRecord } from "./record.ts";
import { startQuietMinutes } from "./quiet-minutes.ts";
import { labelled, linesOf, liveBlock, type Paint, stillLines, type View } from "./text.ts";

/** Takes what a command has to say and puts it where it belongs. */
export interface ReporterOf<R> {
  report(record: R): void;
  /** Ends a live block; the reporter is of no use afterwards. */
  close(): void;
}

export type Reporter = ReporterOf<OutputRecord>;

/** How a program's records are reported. */
export interface Presenter<R extends object, P> {
  /** The record as `--json` prints it. */
  facts(record: R): { readonly type: string };
  /** Where things stand before the first record. */
  readonly idle: P;
  advance(before: P, record: R, now: number): P;
  lines(record: R, progress: P, view: View): string[];
  /** The live block; empty when nobody works. */
  block(progress: P, now: number, columns: number, paint: Paint): string[];
  /** That somebody still works, as lines; none where nobody does. */
  still(progress: P, now: number, view: View): string[];
  /** Whether a record goes to standard error. */
  isDiagnostic(record: R): boolean;
  /** Whether an agent or a command is at work, which its line says. */
  isAwaited(progress: P): boolean;
  /** Where things stand when nothing more is reported. */
  ended(progress: P): P;
}

/** Of the records of a run. */
export const RUN: Presenter<OutputRecord, Progress> = {
  facts: outputFacts,
  idle: IDLE,
  advance,
  lines: linesOf,
  block: liveBlock,
  still: stillLines,
  isDiagnostic: ({ type }) => type === "warning" || type === "notice" || type === "error",
  isAwaited: ({ role }) => role !== undefined,
  ended: (progress) => ({ ...progress, role: undefined }),
};

/** The streams that are written to. */
export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface ReporterOptions {
  readonly json?: boolean | undefined;
  /** Whether a live block is drawn. @default on a terminal that can, and not under CI */
  readonly live?: boolean | undefined;
  /** Milliseconds; @default the system's clock */
  readonly now?: (() => number) | undefined;
}

/** JSON lines, a live block with lines above it, or lines alone, by where the output goes. */
export function createReporter(streams: Streams, options: ReporterOptions = {}): Reporter {
  return createReporterOf(RUN, streams, options);
}

/** {@link createReporter} for the records of another program. */
export function createReporterOf<R extends { readonly type: string }, P>(
  presenter: Presenter<R, P>,
  streams: Streams,
  options: ReporterOptions = {},
): ReporterOf<R> {
  const now = options.now ?? Date.now;
  const { live = isLive(streams.stdout) } = options;
  if (options.json === true) return createJsonReporter(presenter, streams, now);
  return live
    ? createLiveReporter(presenter, streams, now)
    : createPlainReporter(presenter, streams, now);
}

function createJsonReporter<R extends { readonly type: string }, P>(
  { facts, lines, idle, isDiagnostic }: Presenter<R, P>,
  { stdout, stderr }: Streams,
  now: () => number,
): ReporterOf<R> {
  const view: View = { ...viewOf(stderr), live: false };
  return {
    report(record) {
      const { type, ...others } = facts(record);
      const time = new Date(now()).toISOString();
      stdout.write(jsonLine({ v: JSON_VERSION, type, time, ...others }));
      if (isDiagnostic(record)) write(stderr, lines(record, idle, view));
    },
    close() {},
  };
}

function createPlainReporter<R extends object, P>(
  { idle, advance, lines, still, isDiagnostic, isAwaited }: Presenter<R, P>,
  { stdout, stderr }: Streams,
  now: () => number,
): ReporterOf<R> {
  let progress = idle;
  const minutes = startQuietMinutes(() => write(stdout, still(progress, now(), viewOf(stdout))));
  const heart = startHeartbeat((text) => {
    write(stdout, workLines(text, viewOf(stdout)));
    minutes.said();
  });
  return {
    report(record) {
      progress = advance(progress, record, now());
      const stream = isDiagnostic(record) ? stderr : stdout;
      const said = lines(record, progress, viewOf(stream));
      write(stream, said);
      if (said.length > 0) minutes.said();
      heart.beat(said.length > 0, isAwaited(progress));
    },
    close() {
      heart.stop();
      minutes.stop();
    },
  };
}

/** The lines of a heartbeat. */
export function workLines(text: string, view: View): string[] {
  return labelled(view, "working", text);
}

const FRAME_MS = 100;

function createLiveReporter<R extends object, P>(
  presenter: Presenter<R, P>,
  { stdout, stderr }: Streams,
  now: () => number,
): ReporterOf<R> {
  let progress = presenter.idle;
  let block: readonly string[] = [];
  const width = (): number => Math.max(20, stdout.columns);

  const draw = (above: string): void => {
    const next = presenter.block(progress, now(), width(), painter(stdout));
    if (above === "" && block.length === 0 && next.length === 0) return;
    // One write, and no wrapping while it lasts: nothing flickers, nothing scrolls by itself.
    stdout.write(
      `${BEGIN}${erase(rowsOf(block, width()))}${above}${NO_WRAP}${next.join("\n")}${WRAP}${END}`,
    );
    block = next;
  };
  const timer = setInterval(() => draw(""), FRAME_MS);
  timer.unref();
  const heart = startHeartbeat((text) => {
    draw(`${workLines(text, { ...viewOf(stdout), live: true }).join("\n")}\n`);
  });

  return {
    report(record) {
      progress = presenter.advance(progress, record, now());
      const stream = presenter.isDiagnostic(record) ? stderr : stdout;
      const lines = presenter.lines(record, progress, { ...viewOf(stream), live: true });
      heart.beat(lines.length > 0, presenter.isAwaited(progress));
      if (lines.length === 0) return;
      const text = `${lines.join("\n")}\n`;
      if (stream === stdout || stderr.isTTY) return draw(text);
      stderr.write(text);
    },
    close() {
      heart.stop();
      clearInterval(timer);
      progress = presenter.ended(progress);
      draw("");
    },
  };
}

const [BEGIN, END] = ["\u001b[?2026h\u001b[?25l", "\u001b[?25h\u001b[?2026l"];
const [NO_WRAP, WRAP] = ["\u001b[?7l", "\u001b[?7h"];

/** Rows that lines take now: a terminal that became narrower has broken the longer ones. */
function rowsOf(lines: readonly string[], columns: number): number {
  const rows = lines.map((line) => Math.ceil(widthOf(stripVTControlCharacters(line)) / columns));
  return rows.reduce((sum, n) => sum + Math.max(1, n), 0);
}

/** Moves to the start of a block of so many rows and clears from there to the screen's end. */
function erase(rows: number): string {
  return rows === 0 ? "" : `\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`;
}

/** Whether a stream is a terminal that can redraw, and a person's. */
export function isLive(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env["TERM"] !== "dumb" && process.env["CI"] === undefined;
}

/** How text is laid out on a stream: by the terminal's width, or unbroken where there is none. */
export function viewOf(stream: NodeJS.WriteStream): View {
  const columns = stream.isTTY ? Math.max(20, stream.columns) : undefined;
  return { columns, paint: painter(stream), live: false };
}

/** Colours where the stream is a terminal and `NO_COLOR` is not set. */
export function painter(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (text === "" ? "" : styleText(style, text, { stream }));
}

/** Writes lines; those of an empty list are none. */
export function write(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${lines.join("\n")}\n`);
}
