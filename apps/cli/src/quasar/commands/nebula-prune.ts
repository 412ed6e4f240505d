import { findNebula, listNebulae, NebulaError, type NebulaState } from "@quasar/nebula";
import { keptAs, type PrunedNebula, pruneNebula } from "@quasar/nebula/internal";
import { openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, count, fit, jsonLine, shellWord, span } from "@quasar/runs/text";
import { periodMs } from "../../shared/config/kinds.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { lostWords } from "../nebula/lost-words.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { stepsInWords } from "../next-steps.ts";
import type { NebulaPruneLine } from "../schemas/nebula-care.ts";

export interface NebulaPruneOptions {
  readonly olderThan?: string | undefined;
  readonly withFailed?: true | undefined;
  readonly dryRun?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula prune`: removes what is kept of nebulae that have ended; their branches stay. */
export async function nebulaPruneCommand(
  named: string | undefined,
  { olderThan, withFailed, dryRun, json }: NebulaPruneOptions,
): Promise<ExitCode> {
  refuseAgents("prune");
  if (named === undefined && withFailed === true) {
    throw new CliError("ERR_USAGE", "--with-failed is about one nebula, and none is named", {
      next: ["quasar nebula prune NEBULA --with-failed"],
    });
  }
  const olderThanMs = ageOf(olderThan);
  const options = { isDryRun: dryRun === true, withFailed, olderThanMs };
  const { isDryRun } = options;
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const known = named === undefined ? listNebulae(repositoryId) : [findNebula(repositoryId, named)];
  const keptBy = (state: NebulaState) => keptAs(state, options, new Date());
  // What a person has named is refused with why it is kept.
  const meant = named === undefined ? known.filter((state) => keptBy(state) === undefined) : known;
  const kept = named === undefined ? known.filter((state) => keptBy(state) === "failed") : [];
  const pruned: (readonly [NebulaState, PrunedNebula])[] = [];
  const refused: (readonly [NebulaState, NebulaError])[] = [];
  for (const state of meant) {
    try {
      pruned.push([state, await pruneNebula(repositoryOf(workspace), state, options)]);
    } catch (error) {
      if (named !== undefined || !isOnlyCopy(error)) throw error;
      refused.push([state, error]);
    }
  }
  if (json === true) {
    const removed = pruned.map(([{ id, name }, { trees, refs, bundle }]) => ({
      ...{ nebulaId: id, nebula: name, workTrees: trees, refCount: refs.length, bundle },
    }));
    const facts = {
      dryRun: isDryRun,
      nebulae: removed,
      keptIds: [...kept, ...refused.map(([state]) => state)].map(({ id }) => id),
    };
    const line = result("nebula_prune", facts, EXIT.ok);
    process.stdout.write(jsonLine(line satisfies NebulaPruneLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...(pruned.length === 0 && refused.length === 0 && kept.length === 0
      ? [`no nebula of this repository ${noneWords(olderThanMs)}`]
      : []),
    ...pruned.flatMap(([state, what]) => prunedLines(state, what, isDryRun, view)),
    ...refused.flatMap(([state, error]) => refusedLines(state, error, view)),
    ...kept.flatMap((state) => keptLines(state, view)),
  ]);
  return EXIT.ok;
}

/** Whether a work tree of a nebula has what nothing else has: the others go all the same. */
function isOnlyCopy(error: unknown): error is NebulaError {
  return error instanceof NebulaError && error.code === "ERR_BRANCH";
}

function ageOf(olderThan: string | undefined): number {
  if (olderThan === undefined) return 0;
  const age = periodMs(olderThan);
  if (age !== undefined) return age;
  throw new CliError("ERR_USAGE", "--older-than must be a length of time such as 12h or 14d", {
    next: ["quasar nebula prune --dry-run --older-than 14d"],
  });
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
  const verb = isDryRun ? "would lose" : "has lost";
  return [
    view.paint(
      "bold",
      `nebula ${fit(cleanLine(name), 40)} ${verb} ${lostWords({ trees, refs }, isDryRun)}`,
    ),
    ...labelled(view, "kept", `the branch ${cleanLine(branch)}`),
    ...(bundle === undefined ? [] : labelled(view, "", `what no branch has: ${cleanLine(bundle)}`)),
    ...(bundle === undefined || isDryRun ? [] : nextLines(stepsOfBundle(bundle), view)),
  ];
}

/** What shows the commits of a bundle, and what brings them back as branches. */
function stepsOfBundle(bundle: string): readonly string[] {
  const file = shellWord(bundle);
  return [
    `git bundle list-heads ${file}`,
    `git fetch ${file} ${shellWord("refs/quasar/*:refs/heads/kept/*")}`,
  ];
}

function refusedLines(
  { name }: NebulaState,
  { message, next }: NebulaError,
  view: View,
): readonly string[] {
  return [
    `nebula ${fit(cleanLine(name), 40)} is kept: ${cleanLine(message)}`,
    ...nextLines(stepsInWords(next), view),
  ];
}

/** One whose failed phases can be retried goes only where it is named. */
function keptLines({ id, name, phases }: NebulaState, view: View): readonly string[] {
  const failed = phases.filter(({ status }) => status === "failed").length;
  return [
    `nebula ${fit(cleanLine(name), 40)} is kept: ${count(failed, "failed phase")} can be retried`,
    ...nextLines([`quasar nebula prune ${id} --with-failed`], view),
  ];
}
