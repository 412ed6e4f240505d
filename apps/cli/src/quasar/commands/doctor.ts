import { canContain } from "@quasar/process";
import {
  CHECK_NAMES,
  type CheckedProblem,
  checkRuns,
  type KeptRuns,
  keptRuns,
  openUser,
  openWorkspace,
} from "@quasar/runs";
import { cleanLine, count, jsonLine, size } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { translate } from "../../shared/translate.ts";
import type { DoctorLine } from "../schemas/doctor.ts";

export interface DoctorOptions {
  readonly fix?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar doctor`: what crashes, other programs and people have left, fixed if told to; and what is kept. */
export async function doctorCommand({ fix, json }: DoctorOptions): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const user = openUser();
  const problems: CheckedProblem[] = [];
  for await (const problem of checkRuns(workspace, user, { fix })) problems.push(inWords(problem));
  const kept = await keptRuns(workspace, user);
  const endsDaemons = await canContain();
  if (json === true) {
    const { ended, stopped } = kept;
    const told = problems.map((problem) => ({ ...problem, failure: undefined }));
    const facts = { problems: told, kept: { ended, stopped, next: pruneCommands(kept) } };
    const line = { v: JSON_VERSION, type: "doctor", ...facts, endsDaemons } satisfies DoctorLine;
    process.stdout.write(jsonLine(line));
  } else {
    const view = viewOf(process.stdout);
    const daemons = labelled(view, "daemons", endsDaemons ? ENDED : NOT_ENDED);
    write(process.stdout, [...doctorLines(problems, view), ...keptLines(kept, view), ...daemons]);
  }
  return problems.every(({ fixed }) => fixed) ? EXIT.ok : EXIT.error;
}

const ENDED = "a process that hides from its agent or check is ended with it (cgroup)";
const NOT_ENDED =
  "a process that hides from its agent or check is not ended: no cgroup here (docs/trust.md)";

/** What could not be looked at or fixed says why, in the words of the command. */
function inWords(problem: CheckedProblem): CheckedProblem {
  if (problem.failure === undefined) return problem;
  const { message, next } = translate(problem.failure);
  if (problem.code === "UNCHECKED") return { ...problem, message, next };
  return { ...problem, next: [`it was tried, and failed: ${message}`, ...problem.next] };
}

function doctorLines(problems: readonly CheckedProblem[], view: View): string[] {
  if (problems.length === 0) {
    return [view.paint("green", "healthy"), ...labelled(view, "checked", CHECK_NAMES.join(", "))];
  }
  const left = problems.filter(({ fixed }) => !fixed);
  const canFix = left.some(({ fix }) => fix !== undefined);
  const fixed = problems.length - left.length;
  const found = count(problems.length, "problem") + (fixed === 0 ? "" : `, ${fixed} fixed`);
  const rows = problems.map((problem) => [problem.check, wordsOf(problem).join("\n")]);
  return [
    view.paint(left.length === 0 ? "green" : "yellow", found),
    ...tableLines(["check", "problem"], rows, ["left", "left"], view),
    ...nextLines(canFix ? ["quasar doctor --fix"] : [], view),
  ];
}

/** A problem in words, a line for what is wrong and one for each thing that can be done about it. */
function wordsOf({ message, fixed, fix, next }: CheckedProblem): readonly string[] {
  if (fixed) return [cleanLine(message), `done: ${fix}`];
  const wouldFix = fix === undefined ? [] : [`--fix would ${fix}`];
  return [cleanLine(message), ...wouldFix, ...next.map(cleanLine)];
}

/** What the runs take that nobody works on, and the commands that free it. */
function keptLines(kept: KeptRuns, view: View): string[] {
  const told = [
    [kept.ended, "ended"],
    [kept.stopped, "that can still be resumed"],
  ] as const;
  const lines = told
    .filter(([{ runs }]) => runs > 0)
    .map(([{ runs, bytes }, which]) => `${count(runs, "run")} ${which}: ${size(bytes)}`);
  return [
    ...lines.flatMap((line, n) => labelled(view, n === 0 ? "kept" : "", line)),
    ...nextLines(pruneCommands(kept), view),
  ];
}

/** Nobody is advised to remove what can still be resumed. */
function pruneCommands({ ended, canPrune }: KeptRuns): readonly string[] {
  if (!canPrune || ended.runs === 0) return [];
  return [`quasar prune --older-than 0s   (frees ${size(ended.bytes)})`];
}
