import { complete as completeIn } from "../shared/completion/complete.ts";
import type { Completable } from "../shared/completion/flags.ts";
import { SHELLS } from "../shared/completion/shells.ts";
import { type FindValues, words } from "../shared/completion/values.ts";
import { SETTINGS } from "../shared/config/settings.ts";
import { COMMANDS, FAMILIES } from "./commands.ts";

const finding = () => import("./completion/find-runs.ts");
const findRuns: FindValues = async (typed) => (await finding()).findRuns(typed);
const findRunsAndTurns: FindValues = async (typed) => (await finding()).findRunsAndTurns(typed);

const nebulae = () => import("./completion/find-nebulae.ts");
const findNebulae: FindValues = async (typed) => (await nebulae()).findNebulae(typed);
const findPhases: FindValues = async (typed, args) => (await nebulae()).findPhases(typed, args);
const findNebulaeAndPhases: FindValues = async (typed) =>
  (await nebulae()).findNebulaeAndPhases(typed);

const findRunsAndNebulae: FindValues = async (typed, args) => [
  ...(await findNebulae(typed, args)),
  ...(await findRuns(typed, args)),
];

const findAgents: FindValues = async () =>
  (await import("./completion/find-agents.ts")).findAgents();

const mcp = () => import("@quasar/mcp/config");

/** What of `quasar` can be completed. */
export const QUASAR: Completable = {
  families: FAMILIES,
  commands: COMMANDS,
  settings: SETTINGS,
  values: {
    dir: "files",
    path: "files",
    nebula: findNebulae,
    "nebula or phase": findNebulaeAndPhases,
    "dir or nebula": "files",
    phase: findPhases,
    run: findRuns,
    "run or turn": findRunsAndTurns,
    "run or nebula": findRunsAndNebulae,
    shell: words(...Object.keys(SHELLS)),
    agent: findAgents,
    permission: async () => words(...(await mcp()).PERMISSIONS),
    client: async () => words(...(await mcp()).CLIENTS),
  },
};

/** `quasar complete -- <words…>` */
export function complete(args: readonly string[]): Promise<void> {
  return completeIn(QUASAR, args);
}
