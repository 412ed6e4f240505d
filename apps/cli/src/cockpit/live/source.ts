import type { Workspace } from "@quasar/runs";
import type { Shown } from "../model/shown.ts";

/** The facts of a frame: those of a run or of a nebula. */
export type Facts =
  | Pick<Extract<Shown, { kind: "run" }>, "kind" | "run">
  | Pick<Extract<Shown, { kind: "nebula" }>, "kind" | "nebula" | "fleet">;

/** What is shown, read again and again. It writes nothing. */
export interface Source {
  /** @returns `undefined`: there is nothing to show yet. */
  read(): Promise<Facts | undefined>;
  /** Folders in which something changes when the facts do. */
  folders(): readonly string[];
  /**
   * Where the run of what is selected is kept; `undefined`: not on this machine.
   *
   * @param selected - Id of a phase; `""`: of none.
   */
  workspaceOf(selected: string): Workspace | undefined;
  /** Has a listener called when the facts may be others, beside what folders show. @default folders show all of it */
  readonly listen?: ((onChange: () => void) => void) | undefined;
}

/** What is kept on this machine. */
export interface LocalSource extends Source {
  workspaceOf(selected: string): Workspace;
}

/** The commits between which a change lies. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** The change of what is selected; `undefined`: there is none yet. */
export function spanOf(facts: Facts, selected: string): Span | undefined {
  if (facts.kind === "run") return between(facts.run.baseSha, facts.run.headSha);
  const phase = facts.nebula.phases.find(({ id }) => id === selected);
  const run = phase?.runs.at(-1);
  if (phase === undefined) return undefined;
  const from = phase.baseSha || (run?.baseSha ?? "");
  return between(from, phase.tipSha || (run?.headSha ?? ""));
}

function between(from: string, to: string): Span | undefined {
  return from === "" || to === "" || from === to ? undefined : { from, to };
}
