import { LINE_KINDS, RESERVED_NAMES } from "@quasar/agents/presets";
import { AGENT_NAME, type Kind, several, text } from "./kinds.ts";
import { isTable, namedTables } from "./named-tables.ts";

/** An agent that a user has named: one command line, and which variables it may see. As TOML has it. */
export interface OwnAgent {
  readonly command?: string;
  readonly acp?: string;
  readonly pass_env?: readonly string[];
}

export type OwnAgents = Readonly<Record<string, OwnAgent>>;

const MOST_AGENTS = 50;

const OWN_NAME = new RegExp(
  `^(?!(?:${[...RESERVED_NAMES, "command", "acp", "scripted"].join("|")})$)${AGENT_NAME}$`,
  "u",
);

const variables = several(text(200), 100);
const line = text(4000);

/** Agents of the user's own, by name. */
export const ownAgents: Kind<OwnAgents> = {
  placeholder: "<agents>",
  expected:
    `a table for each agent of your own, [agent.<name>], with one of ${LINE_KINDS.join(", ")} ` +
    "(a command line), and if need be pass_env (a list of variables); a name is of small letters, digits and -, " +
    `and none of ${RESERVED_NAMES.join(", ")}`,
  fromText: () => undefined,
  fromToml: (value) => namedTables(value, { name: OWN_NAME, most: MOST_AGENTS }, ownAgent),
};

function ownAgent(value: unknown): OwnAgent | undefined {
  if (!isTable(value)) return undefined;
  const { pass_env, ...lines } = value;
  const [[kind, said] = [], ...others] = Object.entries(lines);
  const isKind = LINE_KINDS.some((known) => known === kind);
  const command = line.fromToml(said) ?? "";
  const passed = variables.fromToml(pass_env ?? []);
  if (kind === undefined || !isKind || others.length > 0) return undefined;
  if (command.trim() === "" || passed === undefined) return undefined;
  return { [kind]: command.trim(), ...(passed.length > 0 && { pass_env: passed }) };
}
