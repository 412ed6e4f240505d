import type { Override } from "@quasar/runs";

export interface AcceptOptions {
  readonly acceptHead?: true | undefined;
  readonly acceptBranch?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly acceptSettings?: true | undefined;
  readonly trust?: true | undefined;
  readonly force?: true | undefined;
}

/** What the user accepts by flags. */
export function acceptedBy(options: AcceptOptions): ReadonlySet<Override> {
  const {
    trust,
    acceptBranch: branch,
    acceptHead: head,
    acceptDirty: dirty,
    acceptSettings: settings,
    force,
  } = options;
  const flags = Object.entries({ trust, branch, head, dirty, settings }) as [
    Override,
    true | undefined,
  ][];
  return new Set(flags.filter(([, flag]) => flag === true || force === true).map(([what]) => what));
}
