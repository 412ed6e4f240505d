import { LANE } from "@quasar/nebula/port";
import { PHASES } from "../../src/quasar/demo/nebula-program.ts";
import type { Turn } from "./machine.ts";

/** Work of a lost machine, and how long after its loss another one had it. */
export interface Takeover {
  readonly work: string;
  /** `undefined`: nobody has taken it. */
  readonly ms: number | undefined;
}

/** The id of a phase, by the name of its work: that begins with the phase's place in the plan. */
export function phaseOf(work: string): string {
  const place = Number(/^p(\d+)-/u.exec(work)?.[1]);
  return PHASES[place - 1]?.id ?? work;
}

/** Whether each phase has landed, and none twice. @param landed - The phases of the landings. */
export function landedOnce(landed: readonly string[]): boolean {
  return (
    landed.toSorted().join() ===
    PHASES.map(({ id }) => id)
      .toSorted()
      .join()
  );
}

/** Turns that were begun more often than the nebula has them: with each coder's turn goes one review. */
export function repeatedTurns(turns: readonly Turn[]): readonly string[] {
  const sessions = Map.groupBy(turns, ({ name }) => name);
  const begun = (name: string): number =>
    new Set((sessions.get(name) ?? []).map(({ session }) => session)).size;
  const coders = [...sessions.keys()].filter((name) => name !== "review");
  return [
    ...coders.filter((name) => begun(name) > 1),
    ...(begun("review") > coders.length ? ["review"] : []),
  ];
}

export function takeoverLine({ work, ms }: Takeover, lost: string): string {
  const what = work === LANE ? "the lane" : `phase ${phaseOf(work)}`;
  if (ms === undefined) return `${what} was left by machine ${lost}`;
  return `${what} was taken over ${(ms / 1000).toFixed(1)} s after machine ${lost} was lost`;
}
