import { canContain } from "@quasar/process";
import { type CheckedProblem, type KeptRuns, openRuns, type Workspace } from "@quasar/runs";
import { CHECK_NAMES, openUser, type User } from "@quasar/runs/internal";
import { cacheFolder } from "@quasar/runs/own-folder";
import { cleanLine, count, jsonLine, size } from "@quasar/runs/text";
import { NAMES } from "../../../release/names.ts";
import { resolve } from "../../shared/config/layers.ts";
import type { Finding } from "../../shared/doctor/finding.ts";
import { findingLines, headLine, healthOf } from "../../shared/doctor/lines.ts";
import { lookAround } from "../../shared/doctor/surroundings.ts";
import { tried } from "../../shared/doctor/tried.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { loadConfig } from "../config/load.ts";
import { stepsInWords } from "../next-steps.ts";
import { lookAtNebulae } from "../nebula/doctor.ts";
import type { DoctorLine } from "../schemas/doctor.ts";
import { translate } from "../translate.ts";

export interface DoctorOptions {
  readonly fix?: true | undefined;
  readonly json?: true | undefined;
}

/**
 * `quasar doctor`: what crashes, other programs and people have left, fixed if told to; what would stand in the way of a
 * run; and what is kept.
 */
export async function doctorCommand({ fix, json }: DoctorOptions): Promise<ExitCode> {
  const user = openUser();
  const tree = await tried("tree", translate, () => openRuns(process.cwd()));
  const around = surroundings(tree.value?.workspace, user);
  around.catch(() => undefined); // awaited below, after what is checked meanwhile
  const problems: ToldProblem[] = [];
  if (tree.value !== undefined) {
    for await (const problem of tree.value.check({ fix })) problems.push(inWords(problem));
  }
  const nebulae = tree.value && (await lookAtNebulae(tree.value.workspace));
  const kept = tree.value && (await tree.value.kept());
  const endsDaemons = await canContain();
  const findings = [...tree.findings, ...(await around), ...(nebulae ?? [])];
  const fixed = problems.filter((problem) => problem.fixed).length;
  const health = healthOf(findings, { left: problems.length - fixed, fixed });
  const exit = health.left === 0 ? EXIT.ok : EXIT.error;
  if (json === true) {
    const told = problems.map((problem) => ({ ...problem, failure: undefined }));
    const facts = { problems: told, surroundings: findings, kept: kept && keptFacts(kept) };
    const next = [...fixCommands(problems), ...(kept === undefined ? [] : pruneCommands(kept))];
    const line = result("doctor", { ...facts, endsDaemons }, exit, next) satisfies DoctorLine;
    process.stdout.write(jsonLine(line));
  } else {
    const view = viewOf(process.stdout);
    write(process.stdout, [
      headLine(health, view),
      ...problemLines(problems, view),
      ...findingLines(findings, view),
      ...(problems.length === 0 && tree.value !== undefined
        ? labelled(view, "checked", CHECK_NAMES.join(", "))
        : []),
      ...(kept === undefined ? [] : keptLines(kept, view)),
      ...labelled(view, "daemons", endsDaemons ? ENDED : NOT_ENDED),
    ]);
  }
  return exit;
}

const ENDED = "a process that hides from its agent or check is ended with it (cgroup)";
const NOT_ENDED =
  "a process that hides from its agent or check is not ended: no cgroup here (docs/trust.md)";

async function surroundings(
  workspace: Workspace | undefined,
  { folders }: User,
): Promise<readonly Finding[]> {
  const cwd = process.cwd();
  const root = workspace?.root ?? cwd;
  const loading = { flags: {}, env: process.env, cwd, root, folders, trust: false };
  const settings = await tried("settings", translate, () => resolve(loadConfig(loading)));
  const found = await lookAround({
    cwd,
    tree: workspace,
    folders: [
      { what: "state", path: folders.state, isOwn: true, isSpare: false },
      { what: "cache", path: cacheFolder(), isOwn: true, isSpare: true },
    ],
    settings: settings.value,
    name: "quasar",
    otherName: NAMES.command,
    start: "quasar run",
    translate,
  });
  return [...settings.findings, ...found];
}

/** A problem, and what helps as it is typed. */
type ToldProblem = Omit<CheckedProblem, "next"> & { readonly next: readonly string[] };

/** What could not be read or fixed says why, in the words of the command. */
function inWords(problem: CheckedProblem): ToldProblem {
  const known = stepsInWords(problem.next);
  if (problem.failure === undefined) return { ...problem, next: known };
  const { message, next } = translate(problem.failure);
  if (problem.code === "UNCHECKED") return { ...problem, message, next };
  return { ...problem, next: [`it was tried, and failed: ${message}`, ...known] };
}

function fixCommands(problems: readonly ToldProblem[]): readonly string[] {
  const canFix = problems.some(({ fixed, fix }) => !fixed && fix !== undefined);
  return canFix ? ["quasar doctor --fix"] : [];
}

function problemLines(problems: readonly ToldProblem[], view: View): string[] {
  if (problems.length === 0) return [];
  return [
    ...problems.flatMap((problem) => linesOfProblem(problem, view)),
    ...nextLines(fixCommands(problems), view),
  ];
}

/** A line for what is wrong, and one for each thing that can be done about it. */
function linesOfProblem(problem: ToldProblem, view: View): string[] {
  const { check, message, fixed, fix, next } = problem;
  const words = cleanLine(`${check}: ${message}`);
  if (fixed) return [...labelled(view, "fixed", words), ...labelled(view, "", `done: ${fix}`)];
  return [
    ...labelled(view, "problem", words, "red"),
    ...(fix === undefined ? [] : labelled(view, "", `--fix would ${fix}`)),
    ...nextLines(next, view, ""),
  ];
}

function keptFacts(kept: KeptRuns): NonNullable<DoctorLine["kept"]> {
  const facts = ({ runs: runCount, sizeBytes }: KeptRuns["ended"]) => ({
    runCount,
    sizeBytes,
  });
  return { ended: facts(kept.ended), stopped: facts(kept.stopped), next: pruneCommands(kept) };
}

/** What the runs take that nobody works on, and the commands that free it. */
function keptLines(kept: KeptRuns, view: View): string[] {
  const told = [
    [kept.ended, "ended"],
    [kept.stopped, "that can still be resumed"],
  ] as const;
  const lines = told
    .filter(([{ runs }]) => runs > 0)
    .map(([{ runs, sizeBytes }, which]) => `${count(runs, "run")} ${which}: ${size(sizeBytes)}`);
  return [
    ...lines.flatMap((line, n) => labelled(view, n === 0 ? "kept" : "", line)),
    ...nextLines(pruneCommands(kept), view),
  ];
}

/** What nobody misses on their disk. */
const SMALL_BYTES = 100 * 2 ** 20;

/** Nobody is advised to remove what can still be resumed, or a record that takes no room. */
function pruneCommands({ ended, canPrune }: KeptRuns): readonly string[] {
  if (!canPrune || ended.sizeBytes < SMALL_BYTES) return [];
  return [`quasar prune --older-than 0s   # frees ${size(ended.sizeBytes)}`];
}
