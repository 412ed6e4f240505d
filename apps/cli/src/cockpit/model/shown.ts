import type { NebulaFacts, PhaseFacts } from "@quasar/nebula/facts";
import type { RunFacts, TurnFacts } from "@quasar/runs/facts";
import type { FileChange } from "@quasar/git/history";
import type { PatchLine } from "../../shared/output/diff.ts";

/** A thing that an agent said or did. Its text is not cleaned. */
export interface Said {
  readonly kind: "text" | "tool" | "denied" | "retry";
  readonly text: string;
}

/** What a change holds, once it has been read. */
export interface Change {
  readonly files: readonly FileChange[];
  readonly lines: readonly PatchLine[];
}

/** What is read beside the facts, for what is on the screen. */
export interface Beside {
  /** What agents said and did, by the ids of their turns, oldest first. */
  readonly said: ReadonlyMap<string, readonly Said[]>;
  /** Of what is selected; `undefined`: it has none, or it has not been read yet. */
  readonly change: Change | undefined;
}

/** What is known of the fleet that works on a nebula. */
export interface FleetShown {
  /** Of its server. */
  readonly url: string;
  /** Over which its commits go: a path or a URL. */
  readonly depot: string;
  /** Since when its server says nothing new, RFC 3339, and why; `undefined`: it does. */
  readonly silent: { readonly since: string; readonly why: string } | undefined;
}

/** All that a frame is made of, beside the person's own doing and the time. */
export type Shown = Beside &
  (
    | { readonly kind: "run"; readonly run: RunFacts }
    | {
        readonly kind: "nebula";
        readonly nebula: NebulaFacts;
        /** Of a nebula that other machines work on: no run of it is here. @default it is worked on here */
        readonly fleet?: FleetShown | undefined;
      }
  );

/** The phase that is selected; `undefined`: a run is shown, or the plan is selected. */
export function phaseOf(shown: Shown, id: string): PhaseFacts | undefined {
  return shown.kind === "nebula" ? shown.nebula.phases.find((phase) => phase.id === id) : undefined;
}

/** The run whose detail is shown: that of the selected phase's newest attempt. */
export function runOf(shown: Shown, id: string): RunFacts | undefined {
  return shown.kind === "run" ? shown.run : phaseOf(shown, id)?.runs.at(-1);
}

/** The fleet that works on what is shown; `undefined`: it is worked on here. */
export function fleetOf(shown: Shown): FleetShown | undefined {
  return shown.kind === "nebula" ? shown.fleet : undefined;
}

/** The turn that is under way, else the last one. */
export function turnOf(run: RunFacts | undefined): TurnFacts | undefined {
  return run?.turns.find(({ status }) => status === "open") ?? run?.turns.at(-1);
}

/** The last thing that the agent of a turn said or did; `""`: nothing yet. */
export function lastSaid({ said }: Beside, turn: TurnFacts | undefined): string {
  return said.get(turn?.turnId ?? "")?.at(-1)?.text ?? "";
}
