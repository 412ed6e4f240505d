import { findNebula, isUnfinished, listNebulae, type NebulaState } from "@quasar/nebula";
import { type PrunedNebula, pruneNebula } from "@quasar/nebula/internal";
import { openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, count, fit, jsonLine, shellWord, span } from "@quasar/runs/text";
import { periodMs } from "../../shared/config/kinds.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import type { NebulaPruneLine } from "../schemas/nebula-care.ts";

export interface NebulaPruneOptions {
  readonly olderThan?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula prune`: removes what is kept of nebulae that have ended; their branches stay. */
export async function nebulaPruneCommand(
  named: string | undefined,
  { olderThan, dryRun, json }: NebulaPruneOptions,
): Promise<ExitCode> {
  refuseAgents("prune");
  const ageMs = ageOf(olderThan);
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const meant =
    named === undefined
      ? listNebulae(repositoryId).filter((state) => !isUnfinished(state) && isOlder(state, ageMs))
      : [findNebula(repositoryId, named)];
  const isDryRun = dryRun === true;
  const pruned: (readonly [NebulaState, PrunedNebula])[] = [];
  for (const state of meant) {
    pruned.push([state, await pruneNebula(repositoryOf(workspace), state, { isDryRun })]);
  }
  if (json === true) {
    const removed = pruned.map(([{ id, name }, { trees, refs, bundle }]) => ({
      ...{ nebulaId: id, nebula: name, workTrees: trees, refCount: refs.length, bundle },
    }));
    const line = result("nebula_prune", { dryRun: isDryRun, nebulae: removed }, EXIT.ok);
    process.stdout.write(jsonLine(line satisfies NebulaPruneLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...(pruned.length === 0 ? [`no nebula of this repository ${noneWords(ageMs)}`] : []),
    ...pruned.flatMap(([state, what]) => prunedLines(state, what, isDryRun, view)),
  ]);
  return EXIT.ok;
}

function ageOf(olderThan: string | undefined): number {
  if (olderThan === undefined) return 0;
  const age = periodMs(olderThan);
  if (age !== undefined) return age;
  throw new CliError("ERR_USAGE", "--older-than must be a length of time such as 12h or 14d", {
    next: ["quasar nebula prune --dry-run --older-than 14d"],
  });
}

/** Whether nothing has happened to a nebula for so long. */
function isOlder({ createdAt, phases }: NebulaState, ageMs: number): boolean {
  const times = [createdAt, ...phases.map(({ updatedAt }) => updatedAt)].map((at) =>
    Date.parse(at),
  );
  const last = times.reduce((latest, at) => Math.max(latest, at), 0);
  return Date.now() - last >= ageMs;
}

function noneWords(ageMs: number): string {
  return ageMs === 0 ? "has ended" : `ended more than ${span(ageMs)} ago`;
}

function prunedLines(
  { name, branch }: NebulaState,
  { trees, refs, bundle }: PrunedNebula,
  isDryRun: boolean,
  view: View,
): readonly string[] {
  const what = `its folder, ${count(refs.length, "ref")} and ${count(trees.length, "work tree")}`;
  const verb = isDryRun ? "would lose" : "has lost";
  return [
    view.paint("bold", `nebula ${fit(cleanLine(name), 40)} ${verb} ${what}`),
    ...labelled(view, "kept", `the branch ${cleanLine(branch)}`),
    ...(bundle === undefined ? [] : labelled(view, "", `what no branch has: ${cleanLine(bundle)}`)),
    ...(bundle === undefined || isDryRun
      ? []
      : nextLines([`git bundle list-heads ${shellWord(bundle)}`], view)),
  ];
}
