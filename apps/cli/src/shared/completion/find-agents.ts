import { AGENT_PRESETS } from "@quasar/agents/presets";
import type { LayerOf } from "../config/table.ts";
import type { Settings } from "../config/settings.ts";
import { CliError } from "../errors.ts";
import type { Candidate } from "./values.ts";

/**
 * The agents by their names, those of the user's own included.
 *
 * @param read - The user's settings, most important first.
 */
export function findAgents<S extends Pick<Settings, "ownAgents">>(
  read: () => readonly LayerOf<S>[],
): readonly Candidate[] {
  return [
    ...AGENT_PRESETS.map(({ name, title }): Candidate => [name, title]),
    ...ownNames(read).map((name): Candidate => [name, "your own"]),
  ];
}

function ownNames<S extends Pick<Settings, "ownAgents">>(
  read: () => readonly LayerOf<S>[],
): readonly string[] {
  try {
    return read().flatMap(({ values }) => Object.keys(values.ownAgents ?? {}));
  } catch (error) {
    // A file that is wrong: each command says so.
    if (error instanceof CliError) return [];
    throw error;
  }
}
