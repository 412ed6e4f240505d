import { shellWord } from "@quasar/runs/text";
import type { ReportData } from "../report-data.ts";
import { runsOf } from "./runs.ts";

/** A command line that shows or repeats something of the report. */
export interface Command {
  readonly line: string;
  readonly does: string;
}

export function commandsOf(data: ReportData): readonly Command[] {
  const { id } = data.kind === "run" ? data.run : data.nebula;
  const base = data.kind === "run" ? data.run.baseSha : data.nebula.baseSha;
  const tip = data.kind === "run" ? data.run.headSha : data.nebula.tipSha;
  const [from, to] = [base, tip].map((sha) => shellWord(sha.slice(0, SHA_LENGTH)));
  const show = data.kind === "run" ? "quasar show" : "quasar nebula status";
  const hasChanged = base !== "" && tip !== "" && base !== tip;
  return [
    ...(hasChanged
      ? [
          { line: `git diff ${from} ${to}`, does: "all that changed" },
          { line: `git switch --detach ${to}`, does: "the files as they were delivered" },
        ]
      : []),
    ...checkCommands(data).map((line) => ({ line, does: "a check of this report" })),
    { line: `${show} ${shellWord(id)}`, does: "what is known of it now" },
  ];
}

/** Digits of a commit's id that a person reads, and git finds it by. */
const SHA_LENGTH = 12;

function checkCommands(data: ReportData): readonly string[] {
  const checks = runsOf(data).flatMap(({ run }) => run.cycles.flatMap((cycle) => cycle.checks));
  return [...new Set(checks.map(({ name }) => name))];
}
