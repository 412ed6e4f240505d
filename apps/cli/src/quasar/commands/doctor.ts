import { canContain } from "@quasar/process";
import { lockWorkspace, openUser, openWorkspace } from "@quasar/runs";
import { cleanLine, jsonLine, count } from "@quasar/runs/text";
import { type Check, CHECKS } from "../doctor/checks.ts";
import type { Ground, Problem } from "../doctor/problem.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { translate } from "../../shared/translate.ts";

export interface DoctorOptions {
  readonly fix?: true | undefined;
  readonly json?: true | undefined;
}

/** A problem, and what was done about it. */
interface Treated extends Problem {
  readonly check: string;
  readonly fixed: boolean;
}

/** `quasar doctor`: looks for what crashes, other programs and people have left; mends it if told to. */
export async function doctorCommand({ fix, json }: DoctorOptions): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const place = { workspace, folders: openUser().folders };
  // Nothing is mended under the hands of a runner.
  const lock = fix === true ? await lockWorkspace(workspace) : undefined;
  try {
    const treated: Treated[] = [];
    for (const check of CHECKS) {
      for (const problem of await lookedAt(check, place)) {
        treated.push(await treat(problem, { check: check.name, isToMend: fix === true }));
      }
    }
    const endsDaemons = await canContain();
    const isWell = treated.every(({ fixed }) => fixed);
    if (json === true) {
      const problems = treated.map(({ check, message, fixed, fix: can, next }) => ({
        check,
        message,
        fixed,
        fix: can?.does,
        next,
      }));
      process.stdout.write(jsonLine({ v: JSON_VERSION, type: "doctor", problems, endsDaemons }));
    } else {
      const view = viewOf(process.stdout);
      const daemons = labelled(view, "daemons", endsDaemons ? ENDED : NOT_ENDED);
      write(process.stdout, [...doctorLines(treated, view), ...daemons]);
    }
    return isWell ? EXIT.ok : EXIT.error;
  } finally {
    lock?.release();
  }
}

const ENDED = "a process that hides from its agent or check is ended with it (cgroup)";
const NOT_ENDED =
  "a process that hides from its agent or check is not ended: no cgroup here (docs/trust.md)";

/** What cannot be looked at is a problem too, and keeps nothing else from being looked at. */
async function lookedAt({ look }: Check, place: Ground): Promise<readonly Problem[]> {
  try {
    return await look(place);
  } catch (error) {
    const { message, next } = translate(error);
    return [{ message, next }];
  }
}

async function treat(
  problem: Problem,
  { check, isToMend }: { readonly check: string; readonly isToMend: boolean },
): Promise<Treated> {
  if (!isToMend || problem.fix === undefined) return { ...problem, check, fixed: false };
  try {
    await problem.fix.run();
    return { ...problem, check, fixed: true };
  } catch (error) {
    const why = `it was tried, and failed: ${translate(error).message}`;
    return { ...problem, check, fixed: false, next: [why, ...problem.next] };
  }
}

function doctorLines(treated: readonly Treated[], view: View): string[] {
  if (treated.length === 0) {
    const names = CHECKS.map(({ name }) => name).join(", ");
    return [view.paint("green", "healthy"), ...labelled(view, "checked", names)];
  }
  const left = treated.filter(({ fixed }) => !fixed);
  const canFix = left.some(({ fix }) => fix !== undefined);
  const mended = treated.length - left.length;
  const found = count(treated.length, "problem") + (mended === 0 ? "" : `, ${mended} mended`);
  const rows = treated.map((problem) => [problem.check, wordsOf(problem).join("\n")]);
  return [
    view.paint(left.length === 0 ? "green" : "yellow", found),
    ...tableLines(["check", "problem"], rows, ["left", "left"], view),
    ...nextLines(canFix ? ["quasar doctor --fix"] : [], view),
  ];
}

/** A problem in words, a line for what is wrong and one for each thing that can be done about it. */
function wordsOf({ message, fixed, fix, next }: Treated): readonly string[] {
  if (fixed) return [cleanLine(message), `done: ${fix?.does}`];
  const mend = fix === undefined ? [] : [`--fix would ${fix.does}`];
  return [cleanLine(message), ...mend, ...next.map(cleanLine)];
}
