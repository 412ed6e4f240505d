import {
  createReporterOf,
  type Presenter,
  type ReporterOf,
  type ReporterOptions,
  type Streams,
} from "./reporter.ts";

/** A reporter that is silent while a screen has the terminal. */
export interface CoverableReporter<R> extends ReporterOf<R> {
  /** Prints nothing from now on, and follows where things stand. */
  cover(): void;
  /** Prints again, first the warnings and notices that came meanwhile. */
  uncover(): void;
}

/** Most warnings and notices that are kept while it is covered: the newest. */
const MOST_KEPT = 100;

/** {@link createReporterOf} for work that a screen may show, too. */
export function createCoverableReporter<R extends { readonly type: string }, P>(
  presenter: Presenter<R, P>,
  streams: Streams,
  options: ReporterOptions = {},
): CoverableReporter<R> {
  const { now = Date.now } = options;
  let progress = presenter.idle;
  const open = (): ReporterOf<R> =>
    createReporterOf({ ...presenter, idle: progress }, streams, options);
  let inner: ReporterOf<R> | undefined = open();
  const kept: R[] = [];

  return {
    report(record) {
      progress = presenter.advance(progress, record, now());
      if (inner !== undefined) return inner.report(record);
      if (!presenter.isDiagnostic(record)) return;
      kept.push(record);
      if (kept.length > MOST_KEPT) kept.shift();
    },
    cover() {
      inner?.close();
      inner = undefined;
    },
    uncover() {
      inner ??= open();
      for (const record of kept.splice(0)) inner.report(record);
    },
    close() {
      inner?.close();
      inner = undefined;
    },
  };
}
