import type { Checkpoint } from "@quasar/checkpoint";
import { isTurnOpen } from "@quasar/loop/turn";
import type { Workspace } from "@quasar/runs";
import {
  type FoundCheckpoint,
  parseRunId,
  openUser,
  type User,
  type ResumedWith,
  resumeRun,
} from "@quasar/runs/internal";
import { drive } from "../drive.ts";
import { isScreenWanted } from "../screen/wanted.ts";
import { acceptedBy } from "../resume/accepted.ts";
import { programOf, requireRunnable } from "../../shared/checks/runnable.ts";
import { type FlagValues, flagLayer } from "../../shared/config/layers.ts";
import type { Settings } from "../../shared/config/settings.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { layersOf, resolveResumed, resumedWith } from "../resume/settings.ts";
import { refusePhaseRun } from "../nebula/phase-run.ts";
import { orNebula } from "../nebula/unfinished.ts";
import type { Typed } from "../../shared/typed.ts";

export interface ResumeOptions {
  readonly flags: FlagValues;
  readonly typed: Typed;
  readonly acceptHead?: true | undefined;
  readonly acceptBranch?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly acceptSettings?: true | undefined;
  readonly trust?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly force?: true | undefined;
  readonly now?: true | undefined;
  readonly plan?: true | undefined;
  readonly watch?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar resume`: resumes a run of a work tree. */
export async function resumeCommand(
  id: string | undefined,
  options: ResumeOptions,
  opening: Promise<Workspace>,
): Promise<ExitCode> {
  const hasScreen = isScreenWanted(options);
  const runId = id === undefined ? undefined : parseRunId(id);
  const workspace = await opening;
  await refusePhaseRun(workspace, runId);
  const user = openUser();
  const { typed, now } = options;
  const resumed = drive(
    { json: options.json === true, hasScreen, typed },
    ({ reporter, options: follow, use }) => {
      const choose = (found: FoundCheckpoint): ResumedWith => {
        const { checkpoint } = found.loaded;
        const { settings, warnings } = settingsOf(found, user, options, workspace.root);
        for (const message of warnings) {
          reporter.report({ type: "warning", cycle: checkpoint.cycle, message });
        }
        use(settings);
        requirePrograms(settings, checkpoint, workspace.root);
        return { ...resumedWith(settings, checkpoint), onEnd: follow.onEnd };
      };
      const accepts = acceptedBy(options);
      return resumeRun(workspace, user, { ...follow, runId, accepts, now, choose });
    },
  );
  return resumed.catch(async (error: unknown) => {
    throw runId === undefined ? await orNebula(error, workspace) : error;
  });
}

const KEEPS_STYLE =
  "--commit-style auto changes nothing here: a resume keeps the style of the run's commits; name another: conventional, plain or seed";

interface Resolved {
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

/** What a run is resumed with, and what there is to say of it. */
function settingsOf(
  found: FoundCheckpoint,
  user: User,
  options: ResumeOptions,
  root: string,
): Resolved {
  const flags = flagLayer(options.flags);
  const beneath = layersOf(found, user, options, root);
  const isRaised = flags.values.maxBudgetUsd !== undefined;
  const warnings = [
    ...(isRaised ? [] : beneath.flatMap((layer) => layer.warnings)),
    ...(flags.values.commitStyle === "auto" ? [KEEPS_STYLE] : []),
  ];
  return { settings: resolveResumed(flags, beneath), warnings };
}

/**
 * Refuses a run whose checks have no program on the PATH, unless a turn may be under way. A file of the work tree
 * is for the coder to bring back.
 *
 * @throws {CliError} `ERR_CHECK`
 */
function requirePrograms({ lint, filter }: Settings, checkpoint: Checkpoint, root: string): void {
  if (isTurnOpen(checkpoint) || checkpoint.phase === "approved") return;
  const named = [...lint, ...filter].filter((check) => programOf(check)?.includes("/") !== true);
  requireRunnable(named, { workTree: root, searchPath: process.env["PATH"] ?? "" });
}
