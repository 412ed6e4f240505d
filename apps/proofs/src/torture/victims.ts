import { fileURLToPath } from "node:url";
import type { Tortured, TortureOptions } from "@quasar/torture";
import { ATLAS_LAWS, tortureAtlas } from "./atlas/torture.ts";
import { FIFTY_PHASES } from "./nebula/fifty-phases.ts";
import { fivePhases } from "./nebula/five-phases.ts";
import { GATED_PHASES } from "./nebula/gated-phases.ts";
import { NEBULA_LAWS, tortureNebula } from "./nebula/torture.ts";
import type { TorturedNebula } from "./nebula/tortured-nebula.ts";
import {
  quasarLaws,
  TORTURED_AGENTS,
  type TorturedAgentName,
  tortureQuasar,
} from "./quasar/torture.ts";
import { UsageError } from "./usage-error.ts";

/** What is tortured. */
export interface Victim {
  /** For a report. */
  readonly subject: string;
  readonly laws: readonly string[];
  /** What has to be said to torture it again. */
  readonly flags: readonly string[];
  torture(options: TortureOptions): Promise<Tortured>;
}

/** How a report calls an agent. */
const NAMES: Readonly<Record<TorturedAgentName, string>> = {
  scripted: "scripted agent",
  claude: "Claude Code",
  codex: "Codex",
};

const NEBULAE: Readonly<Record<string, TorturedNebula>> = {
  nebula: fivePhases("plan"),
  "nebula-ready": fivePhases("ready"),
  "nebula-gated": GATED_PHASES,
  "nebula-many": FIFTY_PHASES,
};

/**
 * The built command that is tortured, with an agent at work. Real agents are searched for on the PATH.
 *
 * @throws {UsageError} for names of which there is none.
 */
export function victimOf(of: string, name: string): Victim {
  const agent = TORTURED_AGENTS.find((each) => each === name);
  if (agent === undefined)
    throw new UsageError(`--agent: ${name} is not ${TORTURED_AGENTS.join(" or ")}`);
  if (of === "quasar") {
    const quasar = { file: process.execPath, args: [built("main.js")] };
    return {
      subject: `quasar, two cycles, ${NAMES[agent]}`,
      laws: quasarLaws(agent),
      flags: agent === "scripted" ? [] : ["--agent", agent],
      torture: (options) => tortureQuasar({ ...options, quasar, agent }),
    };
  }
  const nebula = NEBULAE[of];
  if (nebula === undefined && of !== "atlas") {
    const known = ["quasar", "atlas", ...Object.keys(NEBULAE)];
    throw new UsageError(`--of: ${of} is not ${known.join(", ")}`);
  }
  if (agent !== "scripted") {
    throw new UsageError(`--agent: ${of} is tortured with the scripted one`);
  }
  if (nebula !== undefined) {
    const quasar = { file: process.execPath, args: [built("main.js")] };
    const { length: phases } = Object.keys(nebula.phases);
    return {
      subject: `a nebula of ${phases} phases, ${NAMES[agent]}, merge_order = "${nebula.order}"`,
      laws: NEBULA_LAWS,
      flags: ["--of", of],
      torture: (options) => tortureNebula({ ...options, quasar, nebula }),
    };
  }
  return {
    subject: `atlas, a bugfix, ${NAMES[agent]}`,
    laws: ATLAS_LAWS,
    flags: ["--of", "atlas"],
    torture: (options) => tortureAtlas({ ...options, atlas: built("atlas.js") }),
  };
}

function built(file: string): string {
  return fileURLToPath(new URL(`../../../cli/dist/${file}`, import.meta.url));
}
