import type { PhaseState } from "@quasar/nebula";
import type { NebulaProgress } from "@quasar/nebula/internal";
import { RunsError, type Workspace } from "@quasar/runs";
import { cleanLine, fit } from "@quasar/runs/text";
import { landedWords } from "@quasar/runs/words";
import { CliError } from "../../shared/errors.ts";
import { nextLines, type View } from "../../shared/output/text.ts";
import { nebulaeOf } from "./phase-run.ts";

/** A nebula that is unfinished, as lists of runs name it. */
export interface UnfinishedNebula extends NebulaProgress {
  readonly nebulaId: string;
  readonly nebula: string;
  /** What it waits for, or resumes it. */
  readonly command: string;
}

/** Those of a repository, the newest first. */
export async function unfinishedNebulae(
  workspace: Workspace,
): Promise<readonly UnfinishedNebula[]> {
  const nebulae = await nebulaeOf(workspace);
  if (nebulae === undefined) return [];
  const facts = nebulae.unfinished().map(async (state) => ({
    nebulaId: state.id,
    nebula: state.name,
    ...nebulae.progressOf(state),
    command: (await nebulae.stepsOf(state))[0] ?? "",
  }));
  return Promise.all(facts);
}

/** `nebula demo is unfinished: 2 of 4 phases landed`. */
export function unfinishedWords({ nebula, ...progress }: UnfinishedNebula): string {
  return `nebula ${fit(cleanLine(nebula), 40)} is unfinished: ${landedWords(progress)}`;
}

/** How many phases of work are left. */
export function leftCount({
  phases,
}: {
  readonly phases: readonly Pick<PhaseState, "status" | "merges">[];
}): number {
  return phases.filter(({ status, merges }) => merges === "" && !ENDED.has(status)).length;
}

const ENDED: ReadonlySet<PhaseState["status"]> = new Set(["done", "failed", "skipped"]);

/** A line each, for a list. */
export function unfinishedList(nebulae: readonly UnfinishedNebula[]): readonly string[] {
  if (nebulae.length === 0) return [];
  return ["", ...nebulae.map((each) => `${unfinishedWords(each)} (${each.nebulaId})`)];
}

/** Each with what to type. */
export function unfinishedLines(
  nebulae: readonly UnfinishedNebula[],
  view: View,
): readonly string[] {
  return nebulae.flatMap((each) => ["", unfinishedWords(each), ...nextLines([each.command], view)]);
}

/** Says of a work tree without a run to resume that a nebula of its repository is unfinished, and what resumes that. */
export async function orNebula(error: unknown, workspace: Workspace): Promise<unknown> {
  if (!(error instanceof RunsError) || error.code !== "ERR_NOTHING_TO_RESUME") return error;
  const nebulae = await unfinishedNebulae(workspace);
  if (nebulae.length === 0) return error;
  const message = [error.message, ...nebulae.map(unfinishedWords)].join("; ");
  const next = nebulae.map(({ command }) => command);
  return new CliError(error.code, message, { cause: error, next });
}
