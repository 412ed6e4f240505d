import type { ModelWire } from "../model/server.ts";
import type { Place } from "@quasar/torture";

/** What is asked of the agents in each trial. */
export const TASK = "Write work.txt";

/** Where each trial of a torture takes place, by the account that its agents ask the model with. */
export type Places = ReadonlyMap<string, Place>;

/** An agent that codes and reviews in a torture of `quasar`: two cycles, a finding in the first. */
export interface TorturedAgent {
  /** Whom `--coder` and `--reviewer` name. */
  nameIn(place: Place): string;
  /** Flags of the run, beside these. */
  readonly flags: readonly string[];
  /** US dollars for each answer of the model. */
  readonly responseUsd: number;
  /** US dollars that an answer may cost at most, as far as the agent can tell before it is there. */
  readonly boundUsd: number;
  /** Of each command. @param url - where the trial's account is asked */
  envOf(url: string): Readonly<Record<string, string>>;
  /** Writes what the agent reads when it starts. */
  prepare(place: Place, url: string): void;
  wireOf(places: Places): ModelWire;
}
