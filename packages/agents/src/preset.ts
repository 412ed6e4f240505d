import type { KnownAcpAgent } from "./acp/known.ts";
import type { AgentCapabilities } from "./agent.ts";
import type { LoginTraces, StatusCommand } from "./login.ts";

/** How an agent's program is spoken to: by a reader of its own output, or by the Agent Client Protocol. */
export type AgentRoute =
  | { readonly kind: "claude" | "codex" | "opencode" | "qwen" }
  | {
      readonly kind: "acp";
      /** What is known of it beside what it says of itself. */
      readonly agent: KnownAcpAgent;
    };

/** An agent that is known by its name: all that is known of it before it is started. */
export interface AgentPreset {
  /** In settings and for people: `claude`. */
  readonly name: string;
  /** In a sentence: `Claude Code`. */
  readonly title: string;
  /** On the PATH. */
  readonly program: string;
  /** On npm. */
  readonly npmPackage: string;
  readonly route: AgentRoute;
  /** The agent's own variables; one that ends in `*` is a prefix. */
  readonly ownEnv: readonly string[];
  readonly login: {
    /** Logs a person in. */
    readonly command: string;
    /** What a person types in it to log in. @default nothing */
    readonly then?: string | undefined;
    /** How it is seen who is logged in, without a model or a network. */
    readonly seen: StatusCommand | LoginTraces;
  };
  /** What it can do by itself. */
  readonly capabilities: AgentCapabilities;
  /** Where the cost of a turn is from. */
  readonly cost: "reported" | "computed" | "unknown";
  /** What holds a reviewer to reading; `""`: nothing does. */
  readonly readOnlyBy: string;
}

/** Installs an agent's program. */
export function installCommand({ npmPackage }: Pick<AgentPreset, "npmPackage">): string {
  return `npm install -g ${npmPackage}`;
}

type Abilities = Pick<AgentPreset, "capabilities" | "cost" | "readOnlyBy">;

const LOSSES: readonly (readonly [isLost: (of: Abilities) => boolean, what: string])[] = [
  [({ capabilities }) => !capabilities.resumesSession, "each turn begins without a memory"],
  [({ cost }) => cost === "unknown", "no cost is known: time and requests limit a turn"],
  [
    ({ cost, capabilities }) => cost !== "unknown" && !capabilities.streamsUsage,
    "its cost is known when a turn ends: until then time and requests limit it",
  ],
  [({ capabilities }) => !capabilities.structuredOutput, "reviews are read from its text"],
  [
    ({ readOnlyBy }) => readOnlyBy === "",
    "nothing but the check afterwards keeps a reviewer from writing",
  ],
];

/** What a run has to do without, by what an agent cannot do; a few words each. */
export function lossesOf(abilities: Abilities): readonly string[] {
  return LOSSES.filter(([isLost]) => isLost(abilities)).map(([, what]) => what);
}
