/** What can be read of a run, by the last part of its address. */
export const VIEWS = ["report.md", "events", "diff", "findings.json"] as const;
export type View = (typeof VIEWS)[number];

/** An address of this server's resources. */
export interface ResourceUri {
  readonly runId: string;
  readonly view: View;
}

const URI = /^quasar:\/\/runs\/(\d{8}-\d{6}-[0-9a-f]{6})\/([a-z.]{1,20})$/u;

/** @returns `undefined` where it is none: nothing else in it becomes part of a path. */
export function parseResourceUri(text: string): ResourceUri | undefined {
  const [, runId = "", name] = URI.exec(text) ?? [];
  const view = VIEWS.find((each) => each === name);
  return view === undefined ? undefined : { runId, view };
}

export function resourceUri(runId: string, view: View): string {
  return `quasar://runs/${runId}/${view}`;
}
