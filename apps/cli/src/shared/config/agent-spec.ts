import {
  AGENT_PRESETS,
  type AgentPreset,
  LINE_KINDS,
  type LineKind,
  presetOf,
} from "@quasar/agents/presets";
import { suggestion } from "@quasar/runs/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { CliError } from "../errors.ts";
import { AGENT_FORMS } from "./kinds.ts";
import type { OwnAgents } from "./own-agents.ts";
import { COMMAND_LINE, type LayerOf } from "./table.ts";

/** Who does a role's work, as the settings name it. */
export type AgentSpec =
  | { readonly kind: "preset"; readonly preset: AgentPreset }
  | LineSpec
  | { readonly kind: "scripted"; readonly path: string };

/** A command line as an agent. */
export interface LineSpec {
  readonly kind: LineKind;
  readonly line: string;
  /** That a user has given it; `""` where it is named by its command line. */
  readonly name: string;
  /** Variables that it may see beside the usual ones. */
  readonly passEnv: readonly string[];
}

/** Who is meant by `claude`, `command:<command line>`, `scripted:<file>` or a name of the user's own; nobody by another. */
export function readSpec(spec: string, own: OwnAgents): AgentSpec | undefined {
  const preset = presetOf(spec);
  if (preset !== undefined) return { kind: "preset", preset };
  if (Object.hasOwn(own, spec)) {
    const { pass_env: passEnv = [], ...lines } = own[spec] ?? {};
    for (const kind of LINE_KINDS) {
      const line = lines[kind];
      if (line !== undefined) return { kind, line, name: spec, passEnv };
    }
  }
  const [, word, argument = ""] = /^([a-z]+):\s*(\S.*)$/su.exec(spec) ?? [];
  if (word === "scripted") return { kind: word, path: argument.trim() };
  const kind = LINE_KINDS.find((known) => known === word);
  return kind && { kind, line: argument.trim(), name: "", passEnv: [] };
}

/** How the agents of a user can be named, for a message. */
export function specWords(own: OwnAgents): string {
  return [...namesWith(own), ...AGENT_FORMS].join(", ");
}

function namesWith(own: OwnAgents): readonly string[] {
  return [...AGENT_PRESETS.map(({ name }) => name), ...Object.keys(own)];
}

interface Named {
  readonly coder: string;
  readonly reviewer: string;
  readonly ownAgents: OwnAgents;
}

/**
 * Refuses a name that is no agent's. The user's own agents are known only where all settings are.
 *
 * @param layers - Most important first.
 * @param list - The command that lists the agents.
 * @throws {CliError} `ERR_CONFIG`, `ERR_USAGE`; names the place, and the name that was probably meant.
 */
export function requireKnownAgents<S extends Named>(
  layers: readonly LayerOf<S>[],
  list: `${"quasar" | "atlas"} agents`,
): void {
  const own = layers.find(({ values }) => values.ownAgents !== undefined)?.values.ownAgents ?? {};
  for (const role of ["coder", "reviewer"] as const) {
    const layer = layers.find(({ values }) => values[role] !== undefined);
    const spec: string | undefined = layer?.values[role];
    if (layer === undefined || spec === undefined) continue;
    if (readSpec(spec, own) !== undefined) continue;
    const { source, placeOf } = layer;
    const where = source === COMMAND_LINE ? `--${role}` : `${placeOf?.(role) ?? source}: ${role}`;
    const code = source === COMMAND_LINE ? "ERR_USAGE" : "ERR_CONFIG";
    throw unknownAgent(where, spec, own, { code, next: [list] });
  }
}

/** @param where - What names it: `--coder`. */
export function unknownAgent(
  where: string,
  spec: string,
  own: OwnAgents,
  {
    code = "ERR_CONFIG",
    next = [],
  }: {
    readonly code?: "ERR_CONFIG" | "ERR_NEBULA" | "ERR_USAGE";
    readonly next?: readonly string[];
  } = {},
): CliError {
  const meant = suggestion(spec, namesWith(own)) || ".";
  const said = fit(cleanLine(spec), 60);
  const message = `${where}: there is no agent "${said}"${meant} It can be ${specWords(own)}`;
  return new CliError(code, message, { next });
}
